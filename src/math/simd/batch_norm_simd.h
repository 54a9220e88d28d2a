/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of batch normalisation, compiled per instruction level: a run of rows. */
#ifndef LEAT_MATH_SIMD_BATCH_NORM_SIMD_H
#define LEAT_MATH_SIMD_BATCH_NORM_SIMD_H

#include "math/batch_norm.h"
#include "math/simd.h"

/* Rows joined so that few channels still fill vectors: at most this many floats side by side. */
enum { BATCH_NORM_WIDTH = 256, BATCH_NORM_BLOCK = 4096 };

/* Of rows of channels: mean and sum of squared distances; begins from nothing. */
SIMD_DECLARE(void, batch_norm_stats,
             (const float *x, int64_t rows, int64_t channels, double *mean, double *squares));
/* Of the rows [begin, end) of s: writes the two sums of these rows alone. */
SIMD_DECLARE(void, batch_norm_sums,
             (const struct math_batch_norm_sums *s, int64_t begin, int64_t end, double *dy_sum,
              double *product_sum));
SIMD_DECLARE(void, batch_norm_apply,
             (const struct math_batch_norm_apply *a, int64_t begin, int64_t end));
SIMD_DECLARE(void, batch_norm_grad,
             (const struct math_batch_norm_grad *g, int64_t begin, int64_t end));

#endif
