/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum and average pooling over two dimensions, and their gradients.
 *
 * Windows are clipped to the image: padding never wins a maximum and never counts in an average. Of
 * equal maxima the first in row-major order of the image gets the gradient (TensorFlow's rule).
 * Split over images, so the bits do not depend on the thread count. */
#ifndef LEAT_MATH_POOLING_H
#define LEAT_MATH_POOLING_H

#include "base/base.h"
#include "base/pool.h"

struct math_pooling {
    int dtype; /* any real number type for max; half, bfloat16, float, double for
                  the rest */
    bool nchw;
    int64_t batch, channels;
    int64_t in_h, in_w, out_h, out_w;
    int64_t window_h, window_w, stride_h, stride_w;
    int64_t pad_top, pad_left;
};

bool math_pooling_supports(int dtype, bool max);

void math_maxpool(struct pool *pool, const struct math_pooling *s, const void *x, void *y);

/* argmax[i]: index of the winner in its image, ((h * in_w) + w) * channels + c as if NHWC; with the
 * image number folded in where include_batch. y may be NULL. Types as math_maxpool. */
struct math_maxpool_argmax {
    const void *x;
    void *y;
    int64_t *argmax;
    bool include_batch;
};
void math_maxpool_argmax(struct pool *pool, const struct math_pooling *s,
                         const struct math_maxpool_argmax *a);

/* dx (written whole) from x and dy. */
void math_maxpool_grad(struct pool *pool, const struct math_pooling *s, const void *x,
                       const void *dy, void *dx);
/* The same times the slope of a Relu that gave x, 1 or 0: the two gradients in one pass. Float,
 * NHWC. */
void math_maxpool_relu_grad(struct pool *pool, const struct math_pooling *s, const void *x,
                            const void *dy, void *dx);
/* ddy[o] = ddx[argmax(o)]: the gradient of the gradient. */
void math_maxpool_grad_grad(struct pool *pool, const struct math_pooling *s, const void *x,
                            const void *ddx, void *ddy);

void math_avgpool(struct pool *pool, const struct math_pooling *s, const void *x, void *y);
void math_avgpool_grad(struct pool *pool, const struct math_pooling *s, const void *dy, void *dx);

#endif
