/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a graph's library: a FunctionDef, its signature as an op, and its body, a graph of
 * its own that is made when first called (instantiated for given attrs). */
#ifndef LEAT_GRAPH_FUNCTION_H
#define LEAT_GRAPH_FUNCTION_H

#include "graph/graph.h"

struct pb_function_def;

struct function {
    int refs; /* atomic */
    char *name;
    struct arena arena;          /* holds def */
    struct pb_function_def *def; /* immutable */
    struct op *op;               /* its signature */
    char *grad_name;             /* registered gradient function, or NULL */
};
struct function *function_ref(struct function *f);
void function_unref(struct function *f);
/* Whether f (NULL: no) says that it has effects. */
bool function_is_stateful(const struct function *f);

/* The functions of a graph. Counted: the graph and every body made from it share one. A function is
 * never replaced or dropped while its library lives (a failed import excepted). */
struct function_library {
    int refs; /* atomic */
    struct lock lock;
    struct strmap functions; /* name -> struct function; guarded by lock */
};
struct function_library *library_new(void);
struct function_library *library_ref(struct function_library *l);
void library_unref(struct function_library *l);
/* For imports: INVALID_ARGUMENT when f has another gradient; f need not be there. */
MUST_CHECK bool library_add_grad(struct function_library *l, const char *f, const char *grad,
                                 struct status *st);
void library_remove(struct function_library *l, const char *name); /* of a failed import */
/* Copies def into the graph's library. A function of that name with another body: INVALID_ARGUMENT.
 */
MUST_CHECK bool graph_add_function(struct graph *g, const struct pb_function_def *def,
                                   struct status *st);
struct function *graph_function(struct graph *g, const char *name); /* NULL: none; borrowed */
/* Up to max functions, in the order added; borrowed. Returns how many there are. */
int64_t graph_functions(struct graph *g, struct function **out, int64_t max);
/* NULL grad: none. */
void graph_set_function_grad(struct graph *g, const char *name, const char *grad);

/* Whether a call may be repeated without anybody seeing it: nothing that it leads to draws random
 * numbers or has effects. Reading variables is no effect. */
bool function_repeatable(struct graph *g, const char *name);
/* Whether a call of it may lead to another call of it. */
bool function_recursive(struct graph *g, const char *name);

/* A body: inputs are _Arg nodes, outputs _Retval nodes, in the order of the signature (expanded).
 */
struct function_body {
    struct graph *graph; /* shares the library of the calling graph */
    struct node **args, **rets;
    int num_args, num_rets;
    struct node **control_rets; /* nodes that must run although nothing returned needs them */
    int num_control_rets;
};
/* attrs: those of the call. */
MUST_CHECK bool function_instantiate(struct graph *library, const char *name,
                                     const struct attrs *attrs, struct function_body *out,
                                     struct status *st);
/* An empty graph for a body, with the library and versions of that one. */
struct graph *function_body_graph(struct graph *library);
void function_body_clear(struct function_body *b);

#endif
