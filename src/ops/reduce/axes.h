/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions share: reading the axes, and the graph nodes by which gradients undo a reduction.
 *
 * Axes may be negative; each may come once. Everything here is on the stack. */
#ifndef LEAT_OPS_REDUCE_AXES_H
#define LEAT_OPS_REDUCE_AXES_H

#include "op/grad.h"
#include "op/kernel.h"

struct reduce_axes {
    int rank;
    int num_reduced;
    bool reduced[SHAPE_MAX_RANK];
};

/* Marks the axes (int32 or int64 elements) of a value of this rank. INVALID_ARGUMENT: an axis out
 * of range, or named twice. */
MUST_CHECK bool reduce_axes_read(const struct tensor *axes, int rank, struct reduce_axes *out,
                                 struct status *st);
/* The result's shape; the caller clears it. */
struct shape reduce_axes_shape(const struct reduce_axes *a, const struct shape *in, bool keep_dims);

/* For gradients of ops with inputs (x, axes). */
struct reduce_undo {
    struct output kept;      /* x's shape with 1 for reduced dims */
    struct output multiples; /* how often Tile repeats a value of that shape to fill x's */
};
struct reduce_undo reduce_undo(struct grad_ctx *g);
/* v, shaped as the op's result, spread over x's shape. */
struct output reduce_spread(struct grad_ctx *g, const struct reduce_undo *u, struct output v);

/* As tf.gradients has them (reduce_python.c); the last: x's shape with 1 for reduced dims. */
bool reduce_sum_python(struct grad_ctx *g, struct status *st);
bool reduce_mean_python(struct grad_ctx *g, struct status *st);
struct output reduce_kept_python(struct grad_ctx *g);

bool reduce_sum_grad(struct grad_ctx *g, struct status *st);
bool reduce_mean_grad(struct grad_ctx *g, struct status *st);
bool reduce_prod_grad(struct grad_ctx *g, struct status *st);
bool reduce_extreme_grad(struct grad_ctx *g, struct status *st); /* Max and Min */

#endif
