/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of float and double: chain_body.inc at this instruction level.
 *
 * A block of vectors is held in registers while an interpreter goes through the steps: one jump a
 * step, which the processor learns, serves all of the block. */
#include "math/simd/chain_simd.h"

#include "math/simd/lanes.h"
#include "math/stream.h"

enum { AHEAD = 2048, LINE = 64 }; /* bytes */

/* clang-format off */
#define FIRST(M, e) M(0, e) M(1, e) M(2, e) M(3, e) M(4, e) M(5, e) M(6, e) M(7, e)
#define SECOND(M, e) M(8, e) M(9, e) M(10, e) M(11, e) M(12, e) M(13, e) M(14, e) M(15, e)
/* clang-format on */

/* As many vectors as leave registers for the operands. */
#if defined(__AVX512F__)
#define EACH(M, e) FIRST(M, e) SECOND(M, e)
enum { WIDE = 16 };
#else
#define EACH(M, e) FIRST(M, e)
enum { WIDE = 8 };
#endif

#if defined(__AVX512F__)
#define STREAM(p, v) _mm512_stream_si512((void *)(p), (__m512i)(v))
#elif defined(__AVX2__)
#define STREAM(p, v) _mm256_stream_si256((__m256i *)(void *)(p), (__m256i)(v))
#elif defined(__x86_64__)
#define STREAM(p, v) _mm_stream_si128((__m128i *)(void *)(p), (__m128i)(v))
#else
#define STREAM(p, v) V_(store)(p, v)
#endif

/* Lines of the block that lies AHEAD. */
LANES_INLINE void fetch(const void *p)
{
    for (int i = 0; i < WIDE * LANES_BYTES; i += LINE)
        math_prefetch((const char *)p + AHEAD + i);
}

#define T float
#define V vf
#define LANES VF_LANES
#define NAME(x) x##_f32
#define V_(x) vf_##x
#include "math/simd/chain_body.inc"
#undef T
#undef V
#undef LANES
#undef NAME
#undef V_

#define T double
#define V vd
#define LANES VD_LANES
#define NAME(x) x##_f64
#define V_(x) vd_##x
#include "math/simd/chain_body.inc"
