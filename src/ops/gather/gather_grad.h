/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of picking rows. The forward node's indices are its input 1, its result output 0.
 */
#ifndef LEAT_OPS_GATHER_GATHER_GRAD_H
#define LEAT_OPS_GATHER_GATHER_GRAD_H

#include "op/grad.h"

/* Along axis 0 of a table whose shape (int32) is given. */
struct grad_slices gather_slices(struct grad_ctx *g, struct output shape);
/* Along any axis: sets the gradient of input 0 as a dense tensor. */
MUST_CHECK bool gather_set_dense(struct grad_ctx *g, struct output shape, struct output axis,
                                 int64_t batch_dims, struct status *st);
/* Of GatherNd: sets the gradient of input 0, whose shape (of the indices' type) is given. */
void gather_nd_set(struct grad_ctx *g, struct output shape);
/* List pieces of int32 vectors and scalars, for shapes. */
struct output gather_concat(struct grad_ctx *g, const struct output *parts, int n);
/* v[begin:begin + n], an int32 vector; n -1: all that follow. */
struct output gather_part(struct grad_ctx *g, struct output v, int begin, int n);

#endif
