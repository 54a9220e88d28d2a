/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over three dimensions, channels last: convolution and its gradients, pooling.
 *
 * Convolutions are products of patches (copied, a bounded number at a time) with the filter;
 * pooling goes window by window, a channel run at a time. Batches and depths are shared out by
 * shape alone, sums go in a fixed order: the bits do not depend on the thread count. Padding never
 * wins a maximum and never counts in an average. */
#ifndef LEAT_MATH_VOLUME_H
#define LEAT_MATH_VOLUME_H

#include "base/base.h"
#include "base/pool.h"

struct math_volume { /* [0] depth, [1] height, [2] width */
    int dtype;       /* DT_FLOAT or DT_DOUBLE; pooling: DT_FLOAT */
    int64_t batch, in_c, out_c;
    int64_t in[3], out[3], window[3], stride[3], pad[3]; /* pad: before the first element */
};

/* Bytes to lend to each of the convolutions. Filters are [window][in_c][out_c]. */
int64_t math_conv3d_scratch_bytes(const struct math_volume *v);
void math_conv3d(struct pool *pool, const struct math_volume *v, const void *x, const void *filter,
                 void *y, void *scratch);
void math_conv3d_grad_input(struct pool *pool, const struct math_volume *v, const void *filter,
                            const void *dy, void *dx, void *scratch);
void math_conv3d_grad_filter(struct pool *pool, const struct math_volume *v, const void *x,
                             const void *dy, void *df, void *scratch);

/* y from x. */
void math_maxpool3d(struct pool *pool, const struct math_volume *v, const float *x, float *y);
void math_avgpool3d(struct pool *pool, const struct math_volume *v, const float *x, float *y);
/* dx: each window's dy goes to every element that equals the window's y. */
struct math_maxpool3d_grad {
    const float *x, *y, *dy;
    float *dx;
};
void math_maxpool3d_grad(struct pool *pool, const struct math_volume *v,
                         const struct math_maxpool3d_grad *g);
/* ddy: each window takes ddx from the first element that equals its y; 0 where none does. */
void math_maxpool3d_grad_grad(struct pool *pool, const struct math_volume *v, const float *x,
                              const float *y, const float *ddx, float *ddy);
void math_avgpool3d_grad(struct pool *pool, const struct math_volume *v, const float *dy,
                         float *dx);

#endif
