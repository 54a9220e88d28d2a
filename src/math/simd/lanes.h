/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of float and double at the width of the level this file is compiled for.
 *
 * vf holds VF_LANES floats, vd VD_LANES doubles; vi and vl are int32 and int64 vectors of the same
 * width. Arithmetic is the compiler's (a + b, a < b gives a vi of 0 and -1); here stand loads and
 * stores of whole and part vectors, fused multiply-add, square roots and rounding. Part loads fill
 * with zero; part stores touch nothing beyond. Only for files in this folder. */
#ifndef LEAT_MATH_SIMD_LANES_H
#define LEAT_MATH_SIMD_LANES_H

#include "math/simd/lanes_types.h"

#if defined(__AVX512F__)
#include "math/simd/lanes_avx512.inc"
#elif defined(__AVX2__)
#include "math/simd/lanes_avx2.inc"
#else
#include "math/simd/lanes_base.inc"
#endif

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
