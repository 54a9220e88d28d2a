/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one walk, shared by the files of grad/: what the graph's loops and branches are,
 * what has been collected, and the loops being made for the gradient. Lives for one grad_walk.
 *
 * A forward loop gets a loop of its own that runs as many turns, backwards. Nodes are made in a
 * place: outside of loops, in a frame of the forward graph (what keeps values for later), or in a
 * loop of the gradient. grad_node makes an op's gradient in the place that is worked in (`cur`),
 * and brings each input there (grad_history.c). */
#ifndef LEAT_GRAD_GRAD_IMPL_H
#define LEAT_GRAD_GRAD_IMPL_H

#include "grad/grad_ctx.h"

enum { MAX_LOOP_DEPTH = 64 }; /* loops in loops; recursion goes as deep */

struct pending { /* gradients collected for one output */
    struct grad_value *v;
    int64_t n, cap;
};

struct node_list {
    struct node **v;
    int64_t n, cap;
};

struct guard { /* alive only where pred is branch, and its parent guard holds */
    int32_t parent, depth;
    struct output pred;
    int branch;
    struct node *pivot; /* made when first asked for: alive where the guard holds */
};

enum { GUARD_NONE = 0, GUARD_MIXED = -1 }; /* the latter: of branches that are not nested */

struct node_facts { /* of a node of the forward graph */
    int32_t frame;  /* that its outputs are in; 0: outside of loops */
    int32_t loop;   /* Enter, Exit: which loop's */
    int32_t guard;
    bool back; /* a loop's Merge, or its Switch */
    bool open; /* of a loop that is being built: its Enters hand on, its Merges are no use */
};

struct fwd_loop { /* a loop of the forward graph, as far as ys depend on it */
    int parent, depth;
    const char *name; /* the frame's, as its Enters have it */
    int64_t parallel;
    struct output cond; /* LoopCond */
    struct node_list enters, exits, merges, switches, nexts;
    struct node_list order;  /* what a turn computes, dependencies first */
    int32_t guard;           /* in the parent: of the branch that the loop is in */
    struct node *first_exit; /* in the order of the parent */
    bool silent;             /* no gradient flows through */
    int scan;                /* 1 while its Enters' inputs are being ordered, 2 after */
};

struct grad_loop { /* a loop of the gradient; in the walk's arena */
    int fwd;       /* of which forward loop */
    struct grad_loop *outer;
    const char *frame_name;
    struct output count_add; /* forward: the counter's Add */
    struct node *count_next; /* forward: the counter's NextIteration */
    struct node *fwd_sync;   /* NULL until needed */
    struct output cond;      /* backward: LoopCond */
    struct output index;     /* backward: the counter in the body */
    struct node *next, *sync;
    struct u64map values; /* output -> struct output * in this loop */
    struct loose {        /* gradients of constants from outside that a turn reads without Enter */
        struct output of;
        struct grad_value v;
    } * loose;
    int64_t num_loose, cap_loose;
};

struct place { /* where a node is made */
    struct grad_loop *loop;
    int32_t frame, guard; /* of the forward graph, when loop is NULL */
};

struct walk {
    struct graph *graph;
    const struct grad_request *r;
    const char *prefix;
    int64_t num_nodes;        /* of the graph at the start */
    uint8_t *state;           /* per node: 1 on the stack, 2 done */
    bool *reached;            /* per node: depends on an x, differentiably */
    bool *alive;              /* likewise, and not only through ops like StopGradient */
    bool cyclic;              /* there is a loop */
    bool control_flow;        /* there are branches or loops */
    bool *is_x;               /* per node: holds an x */
    bool *stop;               /* per node: has an output among the stops */
    struct node_list between; /* all that ys depend on */
    struct node_list order;   /* those outside of loops, dependencies first */
    struct pending **pending; /* per node: per output, or NULL */
    struct pop *pops;         /* of stacks, with what was pushed */
    int64_t num_pops, cap_pops;
    /* --- loops and branches; facts is NULL where there are none --- */
    struct arena arena;
    struct node_facts *facts;
    struct fwd_loop *loops; /* 0: outside */
    int64_t num_loops, cap_loops;
    struct guard *guards; /* 0: none */
    int64_t num_guards, cap_guards;
    struct status bad_loops; /* why loops cannot be differentiated */
    struct place *made;      /* per node added since */
    int64_t num_made, cap_made;
    struct grad_loop *cur; /* where gradients are being made; NULL: outside of loops */
    bool raw;              /* nodes are made at `at`, their inputs are left as they are */
    struct place at;
};

struct pop {
    struct node *node;
    struct output pushed;
};

static inline uint64_t output_key(struct output o)
{
    return (uint64_t)o.node->id << 21 | (uint64_t)o.index;
}

/* --- grad_frames.c --- */
bool node_op_is(const struct node *n, const char *op); /* or its form for references */
void node_list_add(struct node_list *l, struct node *n);
/* Facts, loops and guards of what lies between, and each loop's order. Errors go to bad_loops. */
void walk_find_frames(struct walk *w);
void walk_order(struct walk *w);
void walk_frames_release(struct walk *w);
int32_t walk_output_guard(struct walk *w, struct output o);
struct place walk_place(struct walk *w, struct output o);

/* --- grad_order.c --- */
/* Changes the order of what an x reaches to that of tf.gradients. */
void walk_queue_order(struct walk *w);

/* --- grad_history.c --- */
/* o as the place that is worked in sees it. */
struct output walk_here(struct grad_ctx *g, struct output o);
/* Likewise in l, NULL: outside of loops. */
struct output walk_bring(struct grad_ctx *g, struct grad_loop *l, struct output o);
/* A node at a place with inputs as they are. name: NULL: the op's. Takes the attrs' values. */
struct put {
    struct place at;
    const char *op, *name;
    const struct output *in;
    int num_in;
    struct attr *attrs;
    int num_attrs;
    struct node *control;
};
struct output walk_put(struct grad_ctx *g, const struct put *p);
struct output walk_merge_of(struct grad_ctx *g, struct place at, const char *name,
                            struct output enter);
void walk_control(struct grad_ctx *g, struct node *from, struct node *to);
void walk_back_edge(struct grad_ctx *g, struct output merge, struct output next);
struct node *walk_pivot(struct grad_ctx *g, int32_t guard, int32_t frame);
/* Zeros of o's shape and of the type of its gradient, in the place that is worked in. */
struct output walk_zeros(struct grad_ctx *g, struct output o);

/* --- grad_loop.c --- */
MUST_CHECK bool walk_loop(struct walk *w, int loop, struct status *st);

/* --- grad_walk.c --- */
MUST_CHECK bool walk_list(struct walk *w, const struct node_list *l, struct status *st);
void walk_collect(struct walk *w, struct output o, struct grad_value v);
/* Whether a gradient may flow into the value o. */
bool walk_flows_to(const struct walk *w, struct output o);
/* The sum of what was collected for o; invalid: nothing was. */
struct grad_value walk_collected(struct walk *w, struct grad_ctx *g, struct output o);
char *walk_push_scope(struct grad_ctx *g, const struct node *n);

#endif
