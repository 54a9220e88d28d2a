/* SPDX-License-Identifier: Apache-2.0 */
/* Optimiser passes: each one file in graph/passes/, found by the build.
 *
 * A pass works on a rewrite graph: a plain, single-threaded copy of what a signature needs, made
 * for one plan and owned by it. Passes may replace, add and drop nodes but never: touch a
 * protected node (fed, fetched, target), a stateful, random or reference node; merge nodes of
 * different frames, devices, or control inputs; fold a constant over 10 MB; change which values are
 * dead; or change a NaN, an infinity or the sign of zero. */
#ifndef LEAT_GRAPH_PASS_H
#define LEAT_GRAPH_PASS_H

#include "graph/graph.h"

struct rnode; /* a node of a rewrite graph */
struct redge {
    struct rnode *node; /* NULL: none */
    int index;
};
struct rnode {
    int id; /* position in rgraph->nodes */
    const char *name;
    const struct op *op;
    const struct attrs *attrs; /* the original's, or made by a pass (owned by the rgraph) */
    const char *device;        /* assigned */
    struct node *origin;       /* the node it stands for (errors, state); NULL: made by a pass */
    int frame; /* index in rgraph->frames of the loop frame it runs in; 0: outside of loops */
    struct redge *inputs;
    int num_inputs;
    struct rnode **control;
    int64_t num_control, cap_control;
    int num_outputs;
    const int *input_types, *output_types;
    const struct shape *shapes; /* inferred, per output; may be unknown */
    bool keep;                  /* protected: fed, fetched, target */
    uint16_t facts;             /* of its op: pass_util.h; 0: not asked yet */
    bool pinned;                /* has effects: stays for as long as it may run */
    bool dropped;
    bool made;     /* by a pass or by the planner: its attrs are the rgraph's */
    void *payload; /* passes that make nodes of internal ops hand their kernels data */
};
struct rframe {       /* a while loop's frame */
    const char *name; /* parent's name / frame_name */
    int parent;
    int num_enters;
    int parallel_iterations;
};
struct rgraph {
    struct arena arena;
    struct graph *library; /* functions */
    struct rnode **nodes;  /* dropped ones stay until rgraph_compact */
    int64_t num_nodes, cap_nodes;
    struct rframe *frames; /* [0]: outside of loops */
    int num_frames;
    struct strmap names;
    struct attrs **made_attrs; /* owned: attrs of nodes that passes made */
    int64_t num_made, cap_made;
};

struct pass_options {
    bool fold, cse, arithmetic, fuse, dead_branches, waits; /* ConfigProto's switches */
    int64_t max_folded_bytes;
};

struct pass_def {
    const char *name;
    const char *summary;
    int order; /* passes run by rising order; 30 waits, 50 shapes, 100 folding, 150 dead branches,
                  200 cse, 300 arithmetic, 310 transposes, 400 fusion of producers, 500 chains */
    bool (*enabled)(const struct pass_options *o);
    bool (*run)(struct rgraph *g, const struct pass_options *o, struct status *st);
};
#define PASS_DEF(id)                                                                               \
    extern const struct pass_def leat_pass_def_##id;                                               \
    const struct pass_def leat_pass_def_##id

/* --- helpers for passes (graph/rgraph.c) --- */
struct rgraph *rgraph_new(struct graph *library);
void rgraph_free(struct rgraph *g);
/* An empty node, for whoever copies a graph node in; the name is made unique. */
struct rnode *rgraph_push(struct rgraph *g, const char *name);
struct rnode *rgraph_add(struct rgraph *g, const char *name, const struct op *op,
                         const struct attrs *attrs, const struct redge *inputs, int num_inputs,
                         struct status *st) MUST_CHECK; /* attrs copied */
/* The same; *attrs becomes the node's, and is empty afterwards. */
struct rnode *rgraph_add_taking(struct rgraph *g, const char *name, const struct op *op,
                                struct attrs *attrs, const struct redge *inputs, int num_inputs,
                                struct status *st) MUST_CHECK;
struct rnode *rgraph_add_const(struct rgraph *g, const char *name, const struct tensor *value,
                               const char *device, struct status *st) MUST_CHECK;
/* Other attrs, copied, for a node that is there: it then has a kernel of the plan's own. Types of
 * inputs and outputs must stay. */
void rgraph_set_attrs(struct rgraph *g, struct rnode *n, const struct attrs *attrs);
/* A copy of s that lives as long as the graph and needs no shape_clear. */
struct shape rgraph_keep_shape(struct rgraph *g, const struct shape *s);
void rgraph_replace(struct rgraph *g, struct redge old, struct redge with); /* in every consumer */
void rgraph_drop(struct rgraph *g, struct rnode *n);
/* Removes dropped nodes and what nothing kept or pinned needs, and renumbers the rest. */
void rgraph_compact(struct rgraph *g);
void rnode_add_control(struct rgraph *g, struct rnode *n, struct rnode *before);
/* Consumers of each node, as CSR arrays in the rgraph's arena; valid until the graph changes. */
struct rconsumers {
    int64_t *begin;      /* num_nodes + 1 */
    struct rnode **node; /* begin[i]..begin[i+1]: consumers of node i, one entry per data edge */
    int *input;          /* which input of the consumer, -1 for a control edge */
};
struct rconsumers rgraph_consumers(struct rgraph *g);
/* Topological order, loops' back edges (NextIteration) apart. */
MUST_CHECK bool rgraph_sort(struct rgraph *g, struct rnode ***order, struct status *st);
/* Fills frames and each node's frame; INVALID_ARGUMENT where a loop is malformed. */
MUST_CHECK bool rgraph_find_frames(struct rgraph *g, struct status *st);
MUST_CHECK bool rgraph_verify(struct rgraph *g,
                              struct status *st); /* invariants; in test builds after each pass */
void rgraph_dump(const struct rgraph *g, const char *label);
/* Runs every pass that is enabled. */
MUST_CHECK bool passes_run(struct rgraph *g, const struct pass_options *o, struct status *st);

#endif
