/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch of the array functions to the machine's instruction level. */
#include "math/vec.h"

#include "math/simd/vec_simd.h"

#define X(name)                                                                                    \
    void math_##name##_f32(const float *x, float *y, int64_t n)                                    \
    {                                                                                              \
        SIMD_CALL(vec_functions)()->f32[MATH_VEC_##name](x, y, n);                                 \
    }                                                                                              \
    void math_##name##_f64(const double *x, double *y, int64_t n)                                  \
    {                                                                                              \
        SIMD_CALL(vec_functions)()->f64[MATH_VEC_##name](x, y, n);                                 \
    }
MATH_VEC_UNARY_TABLE(X)
#undef X

#define X(name)                                                                                    \
    void math_##name##_f32(const float *x, const float *y, float *z, int64_t n)                    \
    {                                                                                              \
        SIMD_CALL(vec_##name##_f32)(x, y, z, n);                                                   \
    }                                                                                              \
    void math_##name##_f64(const double *x, const double *y, double *z, int64_t n)                 \
    {                                                                                              \
        SIMD_CALL(vec_##name##_f64)(x, y, z, n);                                                   \
    }
MATH_VEC_BINARY_TABLE(X)
#undef X

math_vec_f32 math_vec_find_f32(enum math_vec which)
{
    return SIMD_CALL(vec_functions)()->f32[which];
}

math_vec_f64 math_vec_find_f64(enum math_vec which)
{
    return SIMD_CALL(vec_functions)()->f64[which];
}

double math_vec_cost_ns(enum math_vec which, bool f64)
{
    const double level = cpu_level() == CPU_AVX512 ? 1 : (cpu_level() == CPU_AVX2 ? 2 : 4);
    double one = 1;
    if (which == MATH_VEC_sqrt || which == MATH_VEC_rsqrt || which == MATH_VEC_exp ||
        which == MATH_VEC_tanh || which == MATH_VEC_sigmoid)
        one = 0.3;
    else if (which == MATH_VEC_lgamma)
        return 15;
    return one * level * (f64 ? 2.5 : 1);
}

void math_f16_to_f32(const struct f16 *x, float *y, int64_t n)
{
    SIMD_CALL(vec_f16_to_f32)(x, y, n);
}

void math_f32_to_f16(const float *x, struct f16 *y, int64_t n)
{
    SIMD_CALL(vec_f32_to_f16)(x, y, n);
}

void math_bf16_to_f32(const struct bf16 *x, float *y, int64_t n)
{
    SIMD_CALL(vec_bf16_to_f32)(x, y, n);
}

void math_f32_to_bf16(const float *x, struct bf16 *y, int64_t n)
{
    SIMD_CALL(vec_f32_to_bf16)(x, y, n);
}
