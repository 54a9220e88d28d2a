/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the ops that slide windows: a convolution and its two gradients are linear in each
 * of two operands, so the gradients of all three are the three ops again. */
#ifndef LEAT_OPS_NN_CONV_GRAD_H
#define LEAT_OPS_NN_CONV_GRAD_H

#include "op/grad.h"

/* An op with those attrs of the forward node that say how windows lie. */
struct output conv_grad_op(struct grad_ctx *g, const char *op, int n, const struct output *in);

/* forward(x, filter); by_input(sizes of x, filter, dy); by_filter(x, sizes of the filter, dy). */
struct conv_family {
    const char *forward, *by_input, *by_filter;
    bool shapes_at_once; /* in tf.gradients */
};
MUST_CHECK bool conv_forward_grad(struct grad_ctx *g, const struct conv_family *f,
                                  struct status *st);
MUST_CHECK bool conv_by_input_grad(struct grad_ctx *g, const struct conv_family *f,
                                   struct status *st);
MUST_CHECK bool conv_by_filter_grad(struct grad_ctx *g, const struct conv_family *f,
                                    struct status *st);

#endif
