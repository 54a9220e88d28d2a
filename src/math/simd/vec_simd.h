/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of math/vec.h at each instruction level, as tables. */
#ifndef LEAT_MATH_SIMD_VEC_SIMD_H
#define LEAT_MATH_SIMD_VEC_SIMD_H

#include "math/simd.h"
#include "math/vec.h"
#include "tensor/dtype.h"

struct vec_table {
    math_vec_f32 f32[MATH_VEC_NUM];
    math_vec_f64 f64[MATH_VEC_NUM];
};

SIMD_DECLARE(const struct vec_table *, vec_functions, (void));

#define X(name)                                                                                    \
    SIMD_DECLARE(void, vec_##name##_f32, (const float *x, const float *y, float *z, int64_t n));   \
    SIMD_DECLARE(void, vec_##name##_f64, (const double *x, const double *y, double *z, int64_t n));
MATH_VEC_BINARY_TABLE(X)
#undef X

SIMD_DECLARE(void, vec_f16_to_f32, (const struct f16 *x, float *y, int64_t n));
SIMD_DECLARE(void, vec_f32_to_f16, (const float *x, struct f16 *y, int64_t n));
SIMD_DECLARE(void, vec_bf16_to_f32, (const struct bf16 *x, float *y, int64_t n));
SIMD_DECLARE(void, vec_f32_to_bf16, (const float *x, struct bf16 *y, int64_t n));

#endif
