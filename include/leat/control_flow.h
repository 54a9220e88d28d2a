/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and branches, described by callbacks that build their parts.
 *
 *     static TF_Output more(TF_Graph *g, const TF_Output *v, void *data)
 *     {
 *         return leat_less(g, v[0], leat_const_float(g, 100));
 *     }
 *     static void turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
 *     {
 *         next[0] = leat_mul(g, v[0], *(TF_Output *)data);
 *     }
 *     leat_while_loop(g, more, turn, &x, 1, &y, .data = &w);
 *
 * A callback is called once, before the function returns, on the same thread. What it makes with
 * leat_* functions is part of the loop or branch; tensors from outside may be used as they are, and
 * variables too: they are brought in. (Nodes of TF_* functions are not: give them inputs that lie
 * inside.) What is made where control dependencies are lifted (leat_push_control_dependencies of
 * NULL) is outside. Loops and branches nest, and have gradients. Nodes and names are those of
 * tf.while_loop and tf.cond. Where callbacks do not fit, the same is there step by step:
 * leat_loop_begin, leat_branches_begin. Any thread; errors as of all leat_* builders
 * (leat_graph_status): then the results are invalid outputs. */
#ifndef LEAT_CONTROL_FLOW_H
#define LEAT_CONTROL_FLOW_H

#include "leat/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there is another turn, a bool scalar, from the variables' values. */
typedef TF_Output (*leat_loop_condition)(TF_Graph *g, const TF_Output *vars, void *data);
/* Writes the variables' next values, of the same types, to next. */
typedef void (*leat_loop_body)(TF_Graph *g, const TF_Output *vars, TF_Output *next, void *data);
/* Writes what the branch gives to results. */
typedef void (*leat_branch)(TF_Graph *g, TF_Output *results, void *data);

#define LEAT_WHILE_LOOP_FIELDS_                                                                    \
    const char *name; /* of the scope; NULL: while */                                              \
    const char *made_at;                                                                           \
    void *data;              /* handed to the callbacks */                                         \
    int parallel_iterations; /* turns that may run at once; 0: 10 */                               \
    /* One a variable: its shape in all turns; LEAT_NOT_GIVEN: that of its first value. NULL:      \
     * nothing is known of any. */                                                                 \
    const struct leat_shape *shape_invariants;                                                     \
    int no_back_prop;            /* 1: no gradient flows through; told by leat_flow_of */          \
    int swap_memory;             /* told by leat_flow_of */                                        \
    TF_Output maximum_iterations /* told by leat_flow_def: the condition counts */
struct leat_while_loop_args {
    LEAT_WHILE_LOOP_FIELDS_;
};
#define LEAT_COND_FIELDS_                                                                          \
    const char *name; /* of the scope; NULL: cond */                                               \
    const char *made_at;                                                                           \
    void *data /* handed to the callbacks */
struct leat_cond_args {
    LEAT_COND_FIELDS_;
};

/* While condition: body, over n >= 1 variables that begin as vars. Their values after the loop are
 * written to results (n). A variable may change its shape from turn to turn. 1, or 0 after an
 * error. args may be NULL. */
LEAT_EXPORT int leat_while_loop_fn(TF_Graph *g, leat_loop_condition condition, leat_loop_body body,
                                   const TF_Output *vars, int n, TF_Output *results,
                                   const struct leat_while_loop_args *args);
/* Runs `yes` where pred (a bool scalar) is true, else `no`; only what belongs to the branch taken
 * is computed. Both give n >= 1 results of the same types. 1, or 0 after an error. args may be
 * NULL. */
LEAT_EXPORT int leat_cond_fn(TF_Graph *g, TF_Output pred, leat_branch yes, leat_branch no,
                             TF_Output *results, int n, const struct leat_cond_args *args);

/* ---- step by step ---- */

/* A loop or a pair of branches that is being built; between its functions what leat_* functions
 * make on the same thread is inside. Whatever goes wrong in between, one of _end and _abandon must
 * be called, which frees it and ends all scopes that were opened since and left open. */
struct leat_loop;
struct leat_branches;

/* Begins a loop: merged[0, n) are the variables as the condition sees them. NULL: an error, and
 * nothing is open. */
LEAT_EXPORT struct leat_loop *leat_loop_begin(TF_Graph *g, const TF_Output *vars, int n,
                                              TF_Output *merged,
                                              const struct leat_while_loop_args *args);
/* The condition is `more`; vars[0, n) are the variables as the body sees them. */
LEAT_EXPORT int leat_loop_body_begin(struct leat_loop *l, TF_Output more, TF_Output *vars);
/* The body's results are next[0, n); the loop's are written to results. */
LEAT_EXPORT int leat_loop_end(struct leat_loop *l, const TF_Output *next, TF_Output *results);
/* Gives it up: the nodes that are there stay, unused. NULL: nothing happens. */
LEAT_EXPORT void leat_loop_abandon(struct leat_loop *l);

/* Begins the true branch. NULL: an error, and nothing is open. */
LEAT_EXPORT struct leat_branches *leat_branches_begin(TF_Graph *g, TF_Output pred,
                                                      const struct leat_cond_args *args);
/* The true branch gives results[0, n); begins the false one. */
LEAT_EXPORT int leat_branches_other(struct leat_branches *b, const TF_Output *results, int n);
/* The false branch gives as many results; n merged ones are written to merged. */
LEAT_EXPORT int leat_branches_end(struct leat_branches *b, const TF_Output *results, int n,
                                  TF_Output *merged);
LEAT_EXPORT void leat_branches_abandon(struct leat_branches *b);

/* ---- asking ---- */

struct leat_flow {    /* a loop or branch; texts and id are the graph's */
    int is_loop;      /* else a branch */
    const char *name; /* of the loop's frame, "while/while_context"; or "cond/cond_text" */
    /* What nodes without inputs wait for: cond/switch_t; while/Merge while the condition is built,
     * then while/Identity. Invalid while the loop begins. */
    TF_Output pivot;
    TF_Output pred;                                  /* of a branch: cond/pred_id */
    int branch;                                      /* 1: of true */
    int depth;                                       /* 1: there is none around it */
    const void *id;                                  /* the same for the same loop or branch */
    int parallel_iterations, back_prop, swap_memory; /* of a loop, as it was begun */
};
/* 1 and *out (may be NULL): what is being built on this thread, level 0 the innermost, 1 the one
 * around it...; 0: there is none. */
LEAT_EXPORT int leat_current_flow(TF_Graph *g, int level, struct leat_flow *out);
/* The same for what op was made in. Exits and a branch's Merge are outside. Any thread. */
LEAT_EXPORT int leat_flow_of(TF_Graph *g, TF_Operation *op, int level, struct leat_flow *out);
/* The loop or branch whose id that is, as a serialized WhileContextDef or CondContextDef, with
 * those inside. The caller deletes the buffer. NULL after an error: INVALID_ARGUMENT, no such id;
 * FAILED_PRECONDITION, it is not built to its end. Any thread. */
LEAT_EXPORT TF_Buffer *leat_flow_def(TF_Graph *g, const void *id, TF_Status *status);

#ifdef __cplusplus
}
#else

struct leat_while_loop_call {
    TF_Graph *g;
    leat_loop_condition condition;
    leat_loop_body body;
    const TF_Output *vars;
    int n;
    TF_Output *results;
    union {
        struct {
            LEAT_WHILE_LOOP_FIELDS_;
        };
        struct leat_while_loop_args args;
    };
};
struct leat_cond_call {
    TF_Graph *g;
    TF_Output pred;
    leat_branch yes, no;
    TF_Output *results;
    int n;
    union {
        struct {
            LEAT_COND_FIELDS_;
        };
        struct leat_cond_args args;
    };
};
static inline int leat_while_loop_call(const struct leat_while_loop_call *c)
{
    return leat_while_loop_fn(c->g, c->condition, c->body, c->vars, c->n, c->results, &c->args);
}
static inline int leat_cond_call(const struct leat_cond_call *c)
{
    return leat_cond_fn(c->g, c->pred, c->yes, c->no, c->results, c->n, &c->args);
}
#define LEAT_CONTROL_FLOW_DEFAULTS_
/* (g, condition, body, vars, n, results, .data, .name, .parallel_iterations, .shape_invariants) */
#define leat_while_loop(...)                                                                       \
    LEAT_CALL_(leat_while_loop_call, leat_while_loop_call, LEAT_CONTROL_FLOW_DEFAULTS_, .g,        \
               __VA_ARGS__)
/* (g, pred, yes, no, results, n, .data, .name) */
#define leat_cond(...)                                                                             \
    LEAT_CALL_(leat_cond_call, leat_cond_call, LEAT_CONTROL_FLOW_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
