/* SPDX-License-Identifier: Apache-2.0 */
/* What the resizing ops share: checks, and where the pixels of one size lie in another. */
#ifndef LEAT_OPS_IMAGE_RESIZE_H
#define LEAT_OPS_IMAGE_RESIZE_H

#include "op/infer.h"
#include "op/kernel.h"

struct resize {
    int64_t batch, channels;
    int64_t in_h, in_w, out_h, out_w;
    bool align_corners, half_pixels;
};

/* Images [batch, in_h, in_w, channels] of input 0 and a size of two dims in input 1. */
MUST_CHECK bool resize_check(const struct kctx *c, struct resize *r, struct status *st);
/* Attrs alone: both set is an error. */
MUST_CHECK bool resize_attrs(const struct kctx *c, struct resize *r, struct status *st);
/* Pixels of an axis of n, for each of m. */
static inline float resize_scale(int64_t n, int64_t m, bool align_corners)
{
    return align_corners && m > 1 ? (float)(n - 1) / (float)(m - 1) : (float)n / (float)m;
}
/* Output 0 has the images of input 0 in the size that input 1 says. */
bool resize_shape(struct infer_ctx *c, struct status *st);

#endif
