/* SPDX-License-Identifier: Apache-2.0 */
/* What the resizing ops share: checks, and where the pixels of one size lie in another. */
#ifndef LEAT_OPS_IMAGE_RESIZE_H
#define LEAT_OPS_IMAGE_RESIZE_H

#include "math/resize.h"
#include "op/floats.h"
#include "op/grad.h"
#include "op/infer.h"

struct resize {
    int64_t batch, channels;
    int64_t in_h, in_w, out_h, out_w;
    bool align_corners, half_pixels;
};

/* Images [batch, in_h, in_w, channels] of input 0 and a size of two dims in input 1. */
MUST_CHECK bool resize_check(const struct kctx *c, struct resize *r, struct status *st);
/* For a gradient's op: gradients of the resized images in input 0, the images themselves in input
 * 1; in_h and in_w are the images'. */
MUST_CHECK bool resize_back_check(const struct kctx *c, struct resize *r, struct status *st);
/* Output 0 [batch, out_h, out_w, channels]; NULL: too big. */
struct tensor *resize_out(struct kctx *c, const struct resize *r, struct status *st) MUST_CHECK;
/* Output 0 has the images of input 0 in the size that input 1 says. */
bool resize_shape(struct infer_ctx *c, struct status *st);
bool resize_back_shape(struct infer_ctx *c, struct status *st); /* output 0 as input 1 */
/* The gradient's op on the gradient of output 0 and `second`, with the attrs of this op. */
struct output resize_back(struct grad_ctx *g, const char *op, struct output second);

#endif
