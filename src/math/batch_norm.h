/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation of float rows, channels next to each other: statistics, the scaled result,
 * and its gradient.
 *
 * Each pass reads its arrays once. Statistics are formed block by block (a block lies in the
 * nearest cache: its mean, then its squares about that mean) and the blocks are merged in double,
 * so a large mean costs no accuracy. Blocks depend on the shape alone and are merged in order: the
 * bits depend neither on the thread count nor on the instruction level. */
#ifndef LEAT_MATH_BATCH_NORM_H
#define LEAT_MATH_BATCH_NORM_H

#include "base/base.h"
#include "base/pool.h"

/* Bytes to lend to the two functions below. */
int64_t math_batch_norm_scratch_bytes(int64_t rows, int64_t channels);

/* mean[c], and variance[c] (of the rows themselves: divided by their number). rows > 0. */
void math_batch_norm_stats(struct pool *pool, const float *x, int64_t rows, int64_t channels,
                           float *mean, float *variance, void *scratch);

/* Per channel the sums of dy, and of dy * (x - mean). */
struct math_batch_norm_sums {
    const float *x, *dy;
    const float *mean;
    int64_t rows, channels;
    double *dy_sum, *product_sum;
    void *scratch;
};
void math_batch_norm_sums(struct pool *pool, const struct math_batch_norm_sums *s);

/* y = (x - mean) * factor + offset. y may be x. */
struct math_batch_norm_apply {
    const float *x;
    float *y;
    int64_t rows, channels;
    const float *mean, *factor, *offset;
};
void math_batch_norm_apply(struct pool *pool, const struct math_batch_norm_apply *a);

/* dx = factor * (dy - shift - (x - mean) * slope). dx may be x or dy. */
struct math_batch_norm_grad {
    const float *x, *dy;
    float *dx;
    int64_t rows, channels;
    const float *mean, *factor, *shift, *slope;
};
void math_batch_norm_grad(struct pool *pool, const struct math_batch_norm_grad *g);

#endif
