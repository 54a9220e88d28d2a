/* SPDX-License-Identifier: Apache-2.0 */
/* The vector types of a level, and whole loads and stores. Included by lanes.h and its parts. */
#ifndef LEAT_MATH_SIMD_LANES_TYPES_H
#define LEAT_MATH_SIMD_LANES_TYPES_H

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

#endif
