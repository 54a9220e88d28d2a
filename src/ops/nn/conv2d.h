/* SPDX-License-Identifier: Apache-2.0 */
/* What Conv2D and its two backward ops share: attrs as numbers, sizes, and plans kept per shape. */
#ifndef LEAT_OPS_NN_CONV2D_H
#define LEAT_OPS_NN_CONV2D_H

#include "base/lock.h"
#include "math/conv.h"
#include "op/infer.h"
#include "op/kernel.h"

enum { CONV2D_PLANS = 8 };

/* The attrs of a two-dimensional convolution; [0] height, [1] width. */
struct conv2d_attrs {
    bool nchw;
    struct str padding;
    int64_t stride[2], dilation[2];
    int64_t before[2], after[2];       /* of EXPLICIT padding */
    bool plain_stride, plain_dilation; /* over batch and channels they are 1 */
};

struct conv2d_state {
    struct conv2d_attrs attrs;
    struct lock lock; /* over what follows */
    int num_plans;
    struct math_conv_shape shapes[CONV2D_PLANS];
    struct math_conv *plans[CONV2D_PLANS]; /* never replaced: a run uses one without the lock */
};

MUST_CHECK bool conv2d_attrs_read(const struct attrs *a, struct conv2d_attrs *out,
                                  struct status *st);
/* What a kernel asks of them besides; a shape function asks less, as TensorFlow's do. */
MUST_CHECK bool conv2d_attrs_check(const struct conv2d_attrs *a, struct status *st);
MUST_CHECK bool conv2d_state_init(struct conv2d_state *s, const struct attrs *a, struct status *st);
void conv2d_release(void *state);

/* Dims of x in the order batch, height, width, channels, from a tensor's and back. */
void conv2d_from_layout(bool nchw, const int64_t *dims, int64_t out[4]);
struct shape conv2d_to_layout(bool nchw, const int64_t dims[4]);

/* The sizes of a convolution over x (batch, height, width, channels) with this filter (HWIO). */
MUST_CHECK bool conv2d_sizes(const struct conv2d_attrs *a, int dtype, const int64_t x[4],
                             const int64_t *filter, struct math_conv_shape *out, struct status *st);

/* The inferred shape of convolving input 0 with the filter in input 1. */
MUST_CHECK bool conv2d_infer(struct infer_ctx *c, struct status *st);

/* Conv2D of args' x and filter, of the sizes m, into output 0; zeros where there is nothing to add
 * up. */
MUST_CHECK bool conv2d_forward(struct kctx *c, struct conv2d_state *s,
                               const struct math_conv_shape *m, struct math_conv_args args,
                               struct status *st);

/* A plan for the shape; *own says that the caller frees it. */
struct math_conv *conv2d_plan(struct conv2d_state *s, const struct math_conv_shape *shape,
                              bool *own, struct status *st) MUST_CHECK;

#endif
