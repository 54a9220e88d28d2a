/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and cross-entropy of one row, compiled per instruction level. n > 0. */
#ifndef LEAT_MATH_SIMD_SOFTMAX_SIMD_H
#define LEAT_MATH_SIMD_SOFTMAX_SIMD_H

#include "base/base.h"
#include "math/simd.h"

#define SOFTMAX_DECLARE(T, t)                                                                      \
    SIMD_DECLARE(void, softmax_row_##t, (const T *x, T *y, int64_t n, bool log));                  \
    SIMD_DECLARE(void, softmax_grad_row_##t,                                                       \
                 (const T *y, const T *dy, T *dx, int64_t n, bool log));                           \
    /* backprop (NULL: not wanted) may be x */                                                     \
    SIMD_DECLARE(T, xent_row_##t, (const T *x, const T *labels, T *backprop, int64_t n));          \
    SIMD_DECLARE(T, sparse_xent_row_##t, (const T *x, int64_t label, T *backprop, int64_t n))
SOFTMAX_DECLARE(float, f32);
SOFTMAX_DECLARE(double, f64);
#undef SOFTMAX_DECLARE

#endif
