/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients by graph: nodes that compute d(sum of ys)/d(xs).
 *
 * They are named as tf.gradients names them, gradients/MatMul_grad/..., made under the scopes in
 * force, and carry the caller's line. A gather's gradient stays indexed slices. Any thread. */
#ifndef LEAT_GRADIENTS_H
#define LEAT_GRADIENTS_H

#include "leat/op.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_grad {
    TF_Output values;  /* the gradient, shaped as x; invalid: ys do not depend on x */
    TF_Output indices; /* valid: values[i] belongs to row indices[i] of x; rows may repeat */
    TF_Output dense_shape;
};
/* Whether it is slices of x rather than shaped as x. Any thread; cannot fail. */
static inline bool leat_grad_is_sparse(struct leat_grad d)
{
    return leat_valid(d.indices);
}

/* How several gradients of one value are added. TREE: in pairs, which asks for less memory at once;
 * ACCUMULATE_N: into one tensor, where there are three or more of a shape that is known. Slices are
 * joined whatever is asked for. */
enum leat_aggregation { LEAT_ADD_N = 0, LEAT_AGGREGATE_TREE, LEAT_AGGREGATE_ACCUMULATE_N };

#define LEAT_GRADIENTS_FIELDS_                                                                     \
    const char *name; /* of the scope; NULL: gradients; "a/": the scope a, not made unique */      \
    const char *made_at;                                                                           \
    const TF_Output *grad_ys;           /* one a y, invalid ones count as ones; NULL: all ones */  \
    struct leat_outputs stop_gradients; /* taken as constants; may be {NULL, 0} */                 \
    int dense;                          /* 1: slices are summed into dense tensors */              \
    int colocate; /* 1: nodes are placed with the op whose gradient they make */                   \
    int gate;     /* 1: those of an op's inputs are there when all of them are */                  \
    enum leat_aggregation aggregation
struct leat_gradients_args {
    LEAT_GRADIENTS_FIELDS_;
};

/* Fills grads[0, nx). Variables among xs: what leat_variable returned. 1; or 0 after an error
 * (leat_graph_status): an op on the way has no gradient, UNIMPLEMENTED for second derivatives of
 * loops and for values inside of one, but for that which is being built; then all grads are
 * invalid. args may be NULL. */
LEAT_EXPORT int leat_gradients_fn(TF_Graph *g, const TF_Output *ys, int ny, const TF_Output *xs,
                                  int nx, struct leat_grad *grads,
                                  const struct leat_gradients_args *args);
/* The dense gradient of one by one; an error when y does not depend on x. */
LEAT_EXPORT TF_Output leat_gradient_fn(TF_Graph *g, TF_Output y, TF_Output x,
                                       const struct leat_gradients_args *args);
/* Slices summed into a dense tensor; dense ones as they are. */
LEAT_EXPORT TF_Output leat_grad_dense(TF_Graph *g, struct leat_grad grad);

/* ---- gradients that a program gives, as tf.RegisterGradient has them ---- */

/* The gradient of op: of the gradients of its outputs dys[0, num_dys), where what is missing is
 * zeros (none of outputs that are no floating or complex numbers), those of its inputs, written to
 * dxs[0, num_dxs); what stays invalid is none. Makes nodes with leat_* functions, on this thread,
 * which stand under gradients/NODE_grad/, also in the gradient of a loop (loops and branches that
 * it builds itself are not allowed there). 0: it fails; an error that it records (leat_fail) comes
 * back as it is, else CANCELLED. */
typedef int (*leat_op_gradient)(void *data, TF_Graph *g, TF_Operation *op,
                                const struct leat_grad *dys, int num_dys, struct leat_grad *dxs,
                                int num_dxs);
/* leat_gradients asks fn for the gradient of nodes whose attribute _gradient_op_type is name (see
 * leat_push_attr), or whose op, or function, is called so and that have no such attribute; before
 * the library's own. A node whose attribute is no name given here or op with a gradient is
 * NOT_FOUND. g NULL: for all graphs; those of the graph come first. fn NULL: not any more. fn and
 * data must live as long. Any thread, while no gradients are made there. */
LEAT_EXPORT void leat_set_gradient_function(TF_Graph *g, const char *name, leat_op_gradient fn,
                                            void *data);
/* Such nodes have no gradient, as tf.NotDifferentiable says it: none flows through. */
LEAT_EXPORT void leat_set_no_gradient(TF_Graph *g, const char *name);
/* The library's own gradient of ops called name (NULL: of op's) for op, under the scopes in force:
 * dys has an entry for each output, dxs room for each input. 1, or 0 after an error: NOT_FOUND
 * where there is none. */
LEAT_EXPORT int leat_call_gradient(TF_Graph *g, const char *name, TF_Operation *op,
                                   const struct leat_grad *dys, struct leat_grad *dxs);

#ifdef __cplusplus
}
#else

#define LEAT_GRADIENTS_REST_                                                                       \
    union {                                                                                        \
        struct {                                                                                   \
            LEAT_GRADIENTS_FIELDS_;                                                                \
        };                                                                                         \
        struct leat_gradients_args args;                                                           \
    }
struct leat_gradients_call {
    TF_Graph *g;
    const TF_Output *ys;
    int ny;
    const TF_Output *xs;
    int nx;
    struct leat_grad *grads;
    LEAT_GRADIENTS_REST_;
};
struct leat_gradient_call {
    TF_Graph *g;
    TF_Output y, x;
    LEAT_GRADIENTS_REST_;
};
static inline int leat_gradients_call(const struct leat_gradients_call *c)
{
    return leat_gradients_fn(c->g, c->ys, c->ny, c->xs, c->nx, c->grads, &c->args);
}
static inline TF_Output leat_gradient_call(const struct leat_gradient_call *c)
{
    return leat_gradient_fn(c->g, c->y, c->x, &c->args);
}
#define LEAT_GRADIENTS_DEFAULTS_
/* (g, ys, ny, xs, nx, grads, .grad_ys, .stop_gradients, .name) */
#define leat_gradients(...)                                                                        \
    LEAT_CALL_(leat_gradients_call, leat_gradients_call, LEAT_GRADIENTS_DEFAULTS_, .g, __VA_ARGS__)
/* (g, y, x, .name) */
#define leat_gradient(...)                                                                         \
    LEAT_CALL_(leat_gradient_call, leat_gradient_call, LEAT_GRADIENTS_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
