/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a function: of its body, which then takes the gradients of its results too. */
#ifndef LEAT_GRAD_FUNCTION_GRAD_H
#define LEAT_GRAD_FUNCTION_GRAD_H

#include "graph/function.h"

/* The function named name, called with attrs; as function_instantiate, but for "SymbolicGradient",
 * which is the gradient of the function that its attr f names: a function of that one's arguments
 * and of the gradients of its results, whose results are the gradients of the arguments (zeros
 * where there are none). A gradient that is registered in the library comes first. */
MUST_CHECK bool function_or_gradient(struct graph *library, const char *name,
                                     const struct attrs *attrs, struct function_body *out,
                                     struct status *st);

/* Adds to g's library a function, of a name like base, of the nodes of body that the results need.
 * in are _Arg nodes. Its name, the caller's; NULL: an error. */
struct function_ends {
    struct graph *body;
    const struct output *in, *out;
    int num_in, num_out;
};
char *function_add_from(struct graph *g, const char *base, const struct function_ends *e,
                        struct status *st) MUST_CHECK;

struct function_gradient {  /* everything borrowed */
    int num_args, num_rets; /* of the function */
    const int *x;           /* arguments whose gradients are wanted */
    const int *types;       /* of those gradients */
    int num_x;
    const bool *has_dy; /* by result: a gradient comes in */
    int depth;          /* of the walk that wants it */
};
/* Adds to g's library a function of f's arguments and of the gradients that come in, whose results
 * are the gradients by x (zeros where there are none). Its name, the caller's; NULL: an error. */
char *function_add_gradient(struct graph *g, const struct attr_func *f,
                            const struct function_gradient *want, struct status *st) MUST_CHECK;

#endif
