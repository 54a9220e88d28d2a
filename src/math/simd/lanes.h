/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of float and double at the width of the level this file is compiled for.
 *
 * vf holds VF_LANES floats, vd VD_LANES doubles; vi and vl are int32 and int64 vectors of the same
 * width. Arithmetic is the compiler's (a + b, a < b gives a vi of 0 and -1); here stand loads and
 * stores of whole and part vectors, fused multiply-add, square roots and rounding. Part loads fill
 * with zero; part stores touch nothing beyond. Only for files in this folder. */
#ifndef LEAT_MATH_SIMD_LANES_H
#define LEAT_MATH_SIMD_LANES_H

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/base.h"

#if defined(__AVX512F__)
#define LANES_BYTES 64
#elif defined(__AVX2__)
#define LANES_BYTES 32
#else
#define LANES_BYTES 16
#endif
#define VF_LANES (LANES_BYTES / 4)
#define VD_LANES (LANES_BYTES / 8)
#define LANES_INLINE static inline __attribute__((always_inline, unused))

typedef float vf __attribute__((vector_size(LANES_BYTES)));
typedef double vd __attribute__((vector_size(LANES_BYTES)));
typedef int32_t vi __attribute__((vector_size(LANES_BYTES)));
typedef int64_t vl __attribute__((vector_size(LANES_BYTES)));
typedef uint32_t vu __attribute__((vector_size(LANES_BYTES)));
typedef float vf_unaligned __attribute__((vector_size(LANES_BYTES), aligned(4), may_alias));
typedef double vd_unaligned __attribute__((vector_size(LANES_BYTES), aligned(8), may_alias));

LANES_INLINE vf vf_load(const float *p)
{
    return *(const vf_unaligned *)p;
}
LANES_INLINE void vf_store(float *p, vf v)
{
    *(vf_unaligned *)p = v;
}
LANES_INLINE vd vd_load(const double *p)
{
    return *(const vd_unaligned *)p;
}
LANES_INLINE void vd_store(double *p, vd v)
{
    *(vd_unaligned *)p = v;
}

#if defined(__AVX512F__)

LANES_INLINE vf vf_load_n(const float *p, int64_t n)
{
    return (vf)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
LANES_INLINE void vf_store_n(float *p, vf v, int64_t n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
}
LANES_INLINE vd vd_load_n(const double *p, int64_t n)
{
    return (vd)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
LANES_INLINE void vd_store_n(double *p, vd v, int64_t n)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), (__m512d)v);
}
LANES_INLINE vf vf_splat(float x)
{
    return (vf)_mm512_set1_ps(x);
}
LANES_INLINE vd vd_splat(double x)
{
    return (vd)_mm512_set1_pd(x);
}
LANES_INLINE vf vf_fma(vf a, vf b, vf c)
{
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
LANES_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
LANES_INLINE vf vf_sqrt(vf a)
{
    return (vf)_mm512_sqrt_ps((__m512)a);
}
LANES_INLINE vd vd_sqrt(vd a)
{
    return (vd)_mm512_sqrt_pd((__m512d)a);
}
LANES_INLINE vf vf_rint(vf a)
{
    return (vf)_mm512_roundscale_ps((__m512)a, 8);
}
LANES_INLINE vd vd_rint(vd a)
{
    return (vd)_mm512_roundscale_pd((__m512d)a, 8);
}
LANES_INLINE vi vf_to_vi(vf a) /* a holds whole numbers in int32's range */
{
    return (vi)_mm512_cvtps_epi32((__m512)a);
}
LANES_INLINE vl vd_to_vl(vd a)
{
    return (vl)_mm512_cvtpd_epi64((__m512d)a);
}
LANES_INLINE vf vf_select(vi mask, vf a, vf b) /* mask lanes are 0 or -1 */
{
    return (vf)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), (__m512)b, (__m512)a);
}
LANES_INLINE vd vd_select(vl mask, vd a, vd b)
{
    return (vd)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), (__m512d)b, (__m512d)a);
}
/* As x86: b when either is NaN or both are zero. */
LANES_INLINE vf vf_max(vf a, vf b)
{
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
}
LANES_INLINE vf vf_min(vf a, vf b)
{
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
}
LANES_INLINE vd vd_max(vd a, vd b)
{
    return (vd)_mm512_max_pd((__m512d)a, (__m512d)b);
}
LANES_INLINE vd vd_min(vd a, vd b)
{
    return (vd)_mm512_min_pd((__m512d)a, (__m512d)b);
}

#else /* part vectors go through memory */

LANES_INLINE vf vf_load_n(const float *p, int64_t n)
{
    vf v = {0};
    memcpy(&v, p, (size_t)n * sizeof(float));
    return v;
}
LANES_INLINE void vf_store_n(float *p, vf v, int64_t n)
{
    memcpy(p, &v, (size_t)n * sizeof(float));
}
LANES_INLINE vd vd_load_n(const double *p, int64_t n)
{
    vd v = {0};
    memcpy(&v, p, (size_t)n * sizeof(double));
    return v;
}
LANES_INLINE void vd_store_n(double *p, vd v, int64_t n)
{
    memcpy(p, &v, (size_t)n * sizeof(double));
}
LANES_INLINE vf vf_splat(float x)
{
    vf zero = {0};
    return x - zero;
}
LANES_INLINE vd vd_splat(double x)
{
    vd zero = {0};
    return x - zero;
}
LANES_INLINE vf vf_select(vi mask, vf a, vf b)
{
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
}
LANES_INLINE vd vd_select(vl mask, vd a, vd b)
{
    return (vd)((mask & (vl)a) | (~mask & (vl)b));
}

#if defined(__AVX2__)

LANES_INLINE vf vf_fma(vf a, vf b, vf c)
{
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
LANES_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
LANES_INLINE vf vf_sqrt(vf a)
{
    return (vf)_mm256_sqrt_ps((__m256)a);
}
LANES_INLINE vd vd_sqrt(vd a)
{
    return (vd)_mm256_sqrt_pd((__m256d)a);
}
LANES_INLINE vf vf_rint(vf a)
{
    return (vf)_mm256_round_ps((__m256)a, 8);
}
LANES_INLINE vd vd_rint(vd a)
{
    return (vd)_mm256_round_pd((__m256d)a, 8);
}
LANES_INLINE vi vf_to_vi(vf a)
{
    return (vi)_mm256_cvtps_epi32((__m256)a);
}
LANES_INLINE vf vf_max(vf a, vf b)
{
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
}
LANES_INLINE vf vf_min(vf a, vf b)
{
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
}
LANES_INLINE vd vd_max(vd a, vd b)
{
    return (vd)_mm256_max_pd((__m256d)a, (__m256d)b);
}
LANES_INLINE vd vd_min(vd a, vd b)
{
    return (vd)_mm256_min_pd((__m256d)a, (__m256d)b);
}

#else

/* No fused operation at this level: the product is rounded. */
LANES_INLINE vf vf_fma(vf a, vf b, vf c)
{
    return a * b + c;
}
LANES_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return a * b + c;
}
LANES_INLINE vf vf_max(vf a, vf b)
{
    return vf_select(a > b, a, b);
}
LANES_INLINE vf vf_min(vf a, vf b)
{
    return vf_select(a < b, a, b);
}
LANES_INLINE vd vd_max(vd a, vd b)
{
    return vd_select(a > b, a, b);
}
LANES_INLINE vd vd_min(vd a, vd b)
{
    return vd_select(a < b, a, b);
}
LANES_INLINE vf vf_sqrt(vf a)
{
    for (int i = 0; i < VF_LANES; i++)
        a[i] = sqrtf(a[i]);
    return a;
}
LANES_INLINE vd vd_sqrt(vd a)
{
    for (int i = 0; i < VD_LANES; i++)
        a[i] = sqrt(a[i]);
    return a;
}
/* Adding and taking away 1.5 * 2^23 (2^52) rounds to a whole number; beyond, all are whole. */
LANES_INLINE vf vf_rint(vf a)
{
    vf magic = vf_splat(12582912.0f), r = (a + magic) - magic;
    vf size = (vf)((vi)a & 0x7fffffff);
    return vf_select(size < vf_splat(4194304.0f), r, a);
}
LANES_INLINE vd vd_rint(vd a)
{
    vd magic = vd_splat(6755399441055744.0), r = (a + magic) - magic;
    vd size = (vd)((vl)a & INT64_MAX);
    return vd_select(size < vd_splat(2251799813685248.0), r, a);
}
LANES_INLINE vi vf_to_vi(vf a)
{
    return __builtin_convertvector(a, vi);
}

#endif /* AVX2 */

LANES_INLINE vl vd_to_vl(vd a) /* whole numbers of size below 2^51 */
{
    vd magic = vd_splat(6755399441055744.0);
    return (vl)(a + magic) - (vl)magic;
}

#endif /* AVX-512 */

LANES_INLINE vi vi_splat(int32_t x)
{
    vi zero = {0};
    return x + zero;
}
LANES_INLINE vl vl_splat(int64_t x)
{
    vl zero = {0};
    return x + zero;
}
LANES_INLINE vf vi_to_vf(vi a)
{
    return __builtin_convertvector(a, vf);
}
LANES_INLINE vf vf_abs(vf a)
{
    return (vf)((vi)a & 0x7fffffff);
}
LANES_INLINE vd vd_abs(vd a)
{
    return (vd)((vl)a & INT64_MAX);
}

/* Sums and maxima of the lanes, halves combined with halves: an order that does not depend on the
 * compiler. */
#if defined(__AVX512F__)
#define LANES_FOLD_F(op, v)                                                                        \
    do {                                                                                           \
        v = op(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, \
                                          7));                                                     \
        v = op(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10,  \
                                          11));                                                    \
        v = op(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12,  \
                                          13));                                                    \
        v = op(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15,  \
                                          14));                                                    \
    } while (0)
#define LANES_FOLD_D(op, v)                                                                        \
    do {                                                                                           \
        v = op(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));                          \
        v = op(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));                          \
        v = op(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));                          \
    } while (0)
#elif defined(__AVX2__)
#define LANES_FOLD_F(op, v)                                                                        \
    do {                                                                                           \
        v = op(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));                          \
        v = op(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));                          \
        v = op(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));                          \
    } while (0)
#define LANES_FOLD_D(op, v)                                                                        \
    do {                                                                                           \
        v = op(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));                                      \
        v = op(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));                                      \
    } while (0)
#else
#define LANES_FOLD_F(op, v)                                                                        \
    do {                                                                                           \
        v = op(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));                                      \
        v = op(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));                                      \
    } while (0)
#define LANES_FOLD_D(op, v)                                                                        \
    do {                                                                                           \
        v = op(v, __builtin_shufflevector(v, v, 1, 0));                                            \
    } while (0)
#endif
#define LANES_ADD(a, b) ((a) + (b))

LANES_INLINE float vf_sum(vf v)
{
    LANES_FOLD_F(LANES_ADD, v);
    return v[0];
}
LANES_INLINE double vd_sum(vd v)
{
    LANES_FOLD_D(LANES_ADD, v);
    return v[0];
}
LANES_INLINE float vf_max_lane(vf v) /* no NaN among them, or any answer */
{
    LANES_FOLD_F(vf_max, v);
    return v[0];
}
LANES_INLINE double vd_max_lane(vd v)
{
    LANES_FOLD_D(vd_max, v);
    return v[0];
}

/* Lanes 0..n-1 of a, the others of b. */
LANES_INLINE vf vf_first(vf a, vf b, int64_t n)
{
    vi lane;
    for (int i = 0; i < VF_LANES; i++)
        lane[i] = i;
    return vf_select(lane < (int32_t)n, a, b);
}
LANES_INLINE vd vd_first(vd a, vd b, int64_t n)
{
    vl lane;
    for (int i = 0; i < VD_LANES; i++)
        lane[i] = i;
    return vd_select(lane < n, a, b);
}

#endif
