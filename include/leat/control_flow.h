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
 * inside.) Loops and branches nest, and have gradients. Nodes and names are those of tf.while_loop
 * and tf.cond. Any thread; errors as of all leat_* builders (leat_graph_status): then the results
 * are invalid outputs. */
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
    void *data;             /* handed to the callbacks */                                          \
    int parallel_iterations /* turns that may run at once; 0: 10 */
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
/* (g, condition, body, vars, n, results, .data, .name, .parallel_iterations) */
#define leat_while_loop(...)                                                                       \
    LEAT_CALL_(leat_while_loop_call, leat_while_loop_call, LEAT_CONTROL_FLOW_DEFAULTS_, .g,        \
               __VA_ARGS__)
/* (g, pred, yes, no, results, n, .data, .name) */
#define leat_cond(...)                                                                             \
    LEAT_CALL_(leat_cond_call, leat_cond_call, LEAT_CONTROL_FLOW_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
