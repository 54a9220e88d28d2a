/* SPDX-License-Identifier: Apache-2.0 */
/* Mathematical functions over arrays at this instruction level. A loop calls one function per
 * vector; the last, partial vector is computed in the same way, so a result does not depend on
 * where its element stands. Functions come from exp.h, SLEEF, or libm lane by lane. */
#include "math/simd/vec_simd.h"

#include "config.h"
#include "math/simd/exp.h"
#include "math/simd/lanes.h"

#if LEAT_HAVE_SLEEF
#include <sleef.h>
/* Sleef_expf16_u10avx512f, Sleef_expd4_u10avx2... */
#define SLEEF_CAT_(a, b, c, d) a##b##c##d
#define SLEEF_CAT(a, b, c, d) SLEEF_CAT_(a, b, c, d)
#if defined(__AVX512F__)
#define SLEEF_F(fn, ulp) SLEEF_CAT(Sleef_##fn, f16_, ulp, avx512f)
#define SLEEF_D(fn, ulp) SLEEF_CAT(Sleef_##fn, d8_, ulp, avx512f)
#define SLEEF_VF __m512
#define SLEEF_VD __m512d
#elif defined(__AVX2__)
#define SLEEF_F(fn, ulp) SLEEF_CAT(Sleef_##fn, f8_, ulp, avx2)
#define SLEEF_D(fn, ulp) SLEEF_CAT(Sleef_##fn, d4_, ulp, avx2)
#define SLEEF_VF __m256
#define SLEEF_VD __m256d
#elif defined(__x86_64__)
#define SLEEF_F(fn, ulp) SLEEF_CAT(Sleef_##fn, f4_, ulp, sse4)
#define SLEEF_D(fn, ulp) SLEEF_CAT(Sleef_##fn, d2_, ulp, sse4)
#define SLEEF_VF __m128
#define SLEEF_VD __m128d
#else
#define SLEEF_F(fn, ulp) SLEEF_CAT(Sleef_##fn, f4_, ulp, )
#define SLEEF_D(fn, ulp) SLEEF_CAT(Sleef_##fn, d2_, ulp, )
#define SLEEF_VF vf
#define SLEEF_VD vd
#endif
#define FROM_LIBRARY(name, ulp)                                                                    \
    LANES_INLINE vf lib_##name##_f32(vf x)                                                         \
    {                                                                                              \
        return (vf)SLEEF_F(name, ulp)((SLEEF_VF)x);                                                \
    }                                                                                              \
    LANES_INLINE vd lib_##name##_f64(vd x)                                                         \
    {                                                                                              \
        return (vd)SLEEF_D(name, ulp)((SLEEF_VD)x);                                                \
    }
#define FROM_LIBRARY2(name, ulp)                                                                   \
    LANES_INLINE vf lib_##name##_f32(vf x, vf y)                                                   \
    {                                                                                              \
        return (vf)SLEEF_F(name, ulp)((SLEEF_VF)x, (SLEEF_VF)y);                                   \
    }                                                                                              \
    LANES_INLINE vd lib_##name##_f64(vd x, vd y)                                                   \
    {                                                                                              \
        return (vd)SLEEF_D(name, ulp)((SLEEF_VD)x, (SLEEF_VD)y);                                   \
    }
#else
#define FROM_LIBRARY(name, ulp) FROM_LIBM(name, name##f, name)
#define FROM_LIBRARY2(name, ulp) FROM_LIBM2(name)
#endif

/* Lane by lane. */
#define FROM_LIBM(name, single, dual)                                                              \
    LANES_INLINE vf lib_##name##_f32(vf x)                                                         \
    {                                                                                              \
        for (int i = 0; i < VF_LANES; i++)                                                         \
            x[i] = single(x[i]);                                                                   \
        return x;                                                                                  \
    }                                                                                              \
    LANES_INLINE vd lib_##name##_f64(vd x)                                                         \
    {                                                                                              \
        for (int i = 0; i < VD_LANES; i++)                                                         \
            x[i] = dual(x[i]);                                                                     \
        return x;                                                                                  \
    }
#define FROM_LIBM2(name)                                                                           \
    LANES_INLINE vf lib_##name##_f32(vf x, vf y)                                                   \
    {                                                                                              \
        for (int i = 0; i < VF_LANES; i++)                                                         \
            x[i] = name##f(x[i], y[i]);                                                            \
        return x;                                                                                  \
    }                                                                                              \
    LANES_INLINE vd lib_##name##_f64(vd x, vd y)                                                   \
    {                                                                                              \
        for (int i = 0; i < VD_LANES; i++)                                                         \
            x[i] = name(x[i], y[i]);                                                               \
        return x;                                                                                  \
    }

FROM_LIBRARY(expm1, u10)
FROM_LIBRARY(log, u10)
FROM_LIBRARY(log1p, u10)
FROM_LIBRARY(sin, u10)
FROM_LIBRARY(cos, u10)
FROM_LIBRARY(tan, u10)
FROM_LIBRARY(asin, u10)
FROM_LIBRARY(acos, u10)
FROM_LIBRARY(atan, u10)
FROM_LIBRARY(sinh, u10)
FROM_LIBRARY(cosh, u10)
FROM_LIBRARY(atanh, u10)
FROM_LIBRARY(erf, u10)
FROM_LIBRARY(erfc, u15)
FROM_LIBRARY2(pow, u10)
FROM_LIBRARY2(atan2, u10)
FROM_LIBM2(fmod)

/* SLEEF's asinh and acosh square their argument: far out, ln 2|x| stands in, exact to rounding. */
#define lib_asinh_f32 near_asinh_f32
#define lib_asinh_f64 near_asinh_f64
#define lib_acosh_f32 near_acosh_f32
#define lib_acosh_f64 near_acosh_f64
FROM_LIBRARY(asinh, u10)
FROM_LIBRARY(acosh, u10)
#undef lib_asinh_f32
#undef lib_asinh_f64
#undef lib_acosh_f32
#undef lib_acosh_f64

#define FAR(V, M, type, limit, sign_bit)                                                           \
    LANES_INLINE V lib_asinh_##type(V x)                                                           \
    {                                                                                              \
        const M sign = (M)x & (sign_bit), far = V##_abs(x) > V##_splat(limit);                     \
        const V l = lib_log_##type(V##_abs(x)) + LN2_##type;                                       \
        const V y = near_asinh_##type(V##_select(far, V##_splat(1), x));                           \
        return V##_select(far, (V)((M)l | sign), y);                                               \
    }                                                                                              \
    LANES_INLINE V lib_acosh_##type(V x)                                                           \
    {                                                                                              \
        const M far = x > V##_splat(limit);                                                        \
        const V l = lib_log_##type(x) + LN2_##type;                                                \
        return V##_select(far, l, near_acosh_##type(V##_select(far, V##_splat(1), x)));            \
    }
#define LN2_f32 0.693147181f
#define LN2_f64 0.69314718055994531
FAR(vf, vi, f32, 1e9f, INT32_MIN)
FAR(vd, vl, f64, 1e18, INT64_MIN)
#undef FAR

/* lgamma stores a sign in a global; the _r forms do not. */
static inline float lgamma_single(float x)
{
    int sign;
    return lgammaf_r(x, &sign);
}
static inline double lgamma_dual(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}
FROM_LIBM(lgamma, lgamma_single, lgamma_dual)

LANES_INLINE vf lib_exp_f32(vf x)
{
    return vf_exp(x);
}
LANES_INLINE vd lib_exp_f64(vd x)
{
    return vd_exp(x);
}
LANES_INLINE vf lib_sigmoid_f32(vf x)
{
    return vf_sigmoid(x);
}
LANES_INLINE vd lib_sigmoid_f64(vd x)
{
    return vd_sigmoid(x);
}
LANES_INLINE vf lib_tanh_f32(vf x)
{
    return vf_tanh(x);
}
/* tanh x = e / (e + 2) with e = expm1(2x); from 20 on it rounds to 1. */
LANES_INLINE vd lib_tanh_f64(vd x)
{
    vd a = vd_min(vd_splat(20.0), x);
    a = vd_max(vd_splat(-20.0), a);
    const vd e = lib_expm1_f64(a + a);
    return e / (e + 2.0);
}
LANES_INLINE vf lib_sqrt_f32(vf x)
{
    return vf_sqrt(x);
}
LANES_INLINE vd lib_sqrt_f64(vd x)
{
    return vd_sqrt(x);
}
LANES_INLINE vf lib_rsqrt_f32(vf x)
{
    return 1.0f / vf_sqrt(x);
}
LANES_INLINE vd lib_rsqrt_f64(vd x)
{
    return 1.0 / vd_sqrt(x);
}
/* max(x, 0) + log1p(exp(-|x|)): neither part overflows; NaN passes through the second. */
LANES_INLINE vf lib_softplus_f32(vf x)
{
    return vf_max(x, vf_splat(0)) + lib_log1p_f32(vf_exp(-vf_abs(x)));
}
LANES_INLINE vd lib_softplus_f64(vd x)
{
    return vd_max(x, vd_splat(0)) + lib_log1p_f64(vd_exp(-vd_abs(x)));
}

#define LOOP(name, T, V, LANES, type)                                                              \
    static void vec_##name##_##type(const T *x, T *y, int64_t n)                                   \
    {                                                                                              \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            V##_store(y + i, lib_##name##_##type(V##_load(x + i)));                                \
        if (i < n)                                                                                 \
            V##_store_n(y + i, lib_##name##_##type(V##_load_n(x + i, n - i)), n - i);              \
    }
#define X(name) LOOP(name, float, vf, VF_LANES, f32) LOOP(name, double, vd, VD_LANES, f64)
MATH_VEC_UNARY_TABLE(X)
#undef X
#undef LOOP

#define LOOP(name, T, V, LANES, type)                                                              \
    void LEAT_FN(vec_##name##_##type)(const T *x, const T *y, T *z, int64_t n)                     \
    {                                                                                              \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            V##_store(z + i, lib_##name##_##type(V##_load(x + i), V##_load(y + i)));               \
        if (i < n)                                                                                 \
            V##_store_n(z + i,                                                                     \
                        lib_##name##_##type(V##_load_n(x + i, n - i), V##_load_n(y + i, n - i)),   \
                        n - i);                                                                    \
    }
#define X(name) LOOP(name, float, vf, VF_LANES, f32) LOOP(name, double, vd, VD_LANES, f64)
MATH_VEC_BINARY_TABLE(X)
#undef X
#undef LOOP

const struct vec_table *LEAT_FN(vec_functions)(void)
{
    static const struct vec_table table = {
        .f32 =
            {
#define X(name) [MATH_VEC_##name] = vec_##name##_f32,
                MATH_VEC_UNARY_TABLE(X)
#undef X
            },
        .f64 =
            {
#define X(name) [MATH_VEC_##name] = vec_##name##_f64,
                MATH_VEC_UNARY_TABLE(X)
#undef X
            },
    };
    return &table;
}

void LEAT_FN(vec_f16_to_f32)(const struct f16 *x, float *y, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(y + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(x + i))));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
#endif
    for (; i < n; i++)
        y[i] = f16_to_f32(x[i]);
}

void LEAT_FN(vec_f32_to_f16)(const float *x, struct f16 *y, int64_t n)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(y + i), _mm512_cvtps_ph(_mm512_loadu_ps(x + i), 0));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(y + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
#endif
    for (; i < n; i++)
        y[i] = f16_from_f32(x[i]);
}

void LEAT_FN(vec_bf16_to_f32)(const struct bf16 *x, float *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = bf16_to_f32(x[i]);
}

void LEAT_FN(vec_f32_to_bf16)(const float *x, struct bf16 *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = bf16_from_f32(x[i]);
}
