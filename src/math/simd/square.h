/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing a square of lanes in registers: lane j of vector i and lane i of vector j change
 * places. Step by step: pairs of vectors s apart exchange the lanes whose number has bit s. */
#ifndef LEAT_MATH_SIMD_SQUARE_H
#define LEAT_MATH_SIMD_SQUARE_H

#include "math/simd/lanes.h"

#if defined(__AVX512F__)

LANES_INLINE void vf_transpose(vf v[16])
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#pragma GCC unroll 4
    for (int s = 1; s < 16; s *= 2) {
        /* Where bit s of the lane is set, take from the other vector, s lanes lower or higher. */
        const __mmask16 set = _mm512_test_epi32_mask(lane, _mm512_set1_epi32(s));
        const __m512i low = _mm512_mask_add_epi32(lane, set, lane, _mm512_set1_epi32(16 - s));
        const __m512i high = _mm512_mask_add_epi32(_mm512_add_epi32(lane, _mm512_set1_epi32(s)),
                                                   set, lane, _mm512_set1_epi32(16));
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (i & s)
                continue;
            const __m512 a = (__m512)v[i], b = (__m512)v[i + s];
            v[i] = (vf)_mm512_permutex2var_ps(a, low, b);
            v[i + s] = (vf)_mm512_permutex2var_ps(a, high, b);
        }
    }
}

LANES_INLINE void vd_transpose(vd v[8])
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
#pragma GCC unroll 4
    for (int s = 1; s < 8; s *= 2) {
        const __mmask8 set = _mm512_test_epi64_mask(lane, _mm512_set1_epi64(s));
        const __m512i low = _mm512_mask_add_epi64(lane, set, lane, _mm512_set1_epi64(8 - s));
        const __m512i high = _mm512_mask_add_epi64(_mm512_add_epi64(lane, _mm512_set1_epi64(s)),
                                                   set, lane, _mm512_set1_epi64(8));
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            if (i & s)
                continue;
            const __m512d a = (__m512d)v[i], b = (__m512d)v[i + s];
            v[i] = (vd)_mm512_permutex2var_pd(a, low, b);
            v[i + s] = (vd)_mm512_permutex2var_pd(a, high, b);
        }
    }
}

#else

/* clang-format off */
#if defined(__AVX2__)
#define SQUARE_LO1 0, 8, 2, 10, 4, 12, 6, 14
#define SQUARE_HI1 1, 9, 3, 11, 5, 13, 7, 15
#define SQUARE_LO2 0, 1, 8, 9, 4, 5, 12, 13
#define SQUARE_HI2 2, 3, 10, 11, 6, 7, 14, 15
#define SQUARE_LO4 0, 1, 2, 3, 8, 9, 10, 11
#define SQUARE_HI4 4, 5, 6, 7, 12, 13, 14, 15
#define SQUARE_STEPS(S) S(1, LO1, HI1) S(2, LO2, HI2) S(4, LO4, HI4)
#else
#define SQUARE_LO1 0, 4, 2, 6
#define SQUARE_HI1 1, 5, 3, 7
#define SQUARE_LO2 0, 1, 4, 5
#define SQUARE_HI2 2, 3, 6, 7
#define SQUARE_STEPS(S) S(1, LO1, HI1) S(2, LO2, HI2)
#endif
/* clang-format on */

LANES_INLINE void vf_transpose(vf v[VF_LANES])
{
#define STEP(s, lo, hi)                                                                            \
    _Pragma("GCC unroll 8") for (int i = 0; i < VF_LANES; i++)                                     \
    {                                                                                              \
        if (!(i & s)) {                                                                            \
            const vf a = v[i], b = v[i + s];                                                       \
            v[i] = __builtin_shufflevector(a, b, SQUARE_##lo);                                     \
            v[i + s] = __builtin_shufflevector(a, b, SQUARE_##hi);                                 \
        }                                                                                          \
    }
    SQUARE_STEPS(STEP)
#undef STEP
}

LANES_INLINE void vd_transpose(vd v[VD_LANES])
{
#if defined(__AVX2__)
    const vd a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
    const vd b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const vd c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
    const vd d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
    const vd a = __builtin_shufflevector(v[0], v[1], 0, 2);
    v[1] = __builtin_shufflevector(v[0], v[1], 1, 3);
    v[0] = a;
#endif
}

#endif

#endif
