/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: sixteen bytes that stand D bits before the end may be replaced by (their polynomial) *
 * x^D modulo the checksum's polynomial, added to what stands at the end. Sixteen lanes of sixteen
 * bytes each walk over the text side by side, then are folded into one.
 *
 * Bits are reflected: the first bit of a lane is its highest power. The product of two reflected
 * numbers comes out one bit low, hence the exponents less one. */
#include "codec/crc32c_fold.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/cpu.h"

enum { LANE_BITS = 128, VECTOR_BITS = 512, BLOCK_BITS = CRC32C_FOLD_BLOCK * 8 };
enum { THREE_WAY_XOR = 0x96 }; /* the truth table */
#define FOLDING __attribute__((target("avx512f,vpclmulqdq,pclmul")))

struct step { /* what carries a lane over a distance: its first eight bytes', its last ones' */
    uint64_t first, last;
};
static struct step over_block, over_vector, over_lane;

static struct step step_make(uint32_t (*x_to_the_bits)(uint64_t n), uint64_t bits)
{
    return (struct step){(uint64_t)x_to_the_bits(bits + 64 - 1) << 32,
                         (uint64_t)x_to_the_bits(bits - 1) << 32};
}

bool crc32c_fold_init(uint32_t (*x_to_the_bits)(uint64_t n))
{
    over_block = step_make(x_to_the_bits, BLOCK_BITS);
    over_vector = step_make(x_to_the_bits, VECTOR_BITS);
    over_lane = step_make(x_to_the_bits, LANE_BITS);
    return cpu_level() >= CPU_AVX512 && __builtin_cpu_supports("vpclmulqdq") &&
           __builtin_cpu_supports("pclmul");
}

FOLDING static __m512i load(const uint8_t *p)
{
    return _mm512_loadu_si512((const void *)p);
}

/* `to` with the lanes of v carried to its place. */
FOLDING static __m512i fold(__m512i v, __m512i step, __m512i to)
{
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(v, step, 0x00),
                                     _mm512_clmulepi64_epi128(v, step, 0x11), to, THREE_WAY_XOR);
}

FOLDING static __m128i fold_lane(__m128i v, __m128i step, __m128i to)
{
    __m128i both =
        _mm_xor_si128(_mm_clmulepi64_si128(v, step, 0x00), _mm_clmulepi64_si128(v, step, 0x11));
    return _mm_xor_si128(both, to);
}

FOLDING static __m128i step_lane(struct step s)
{
    return _mm_set_epi64x((long long)s.last, (long long)s.first);
}

FOLDING void crc32c_fold(uint32_t r, const uint8_t *p, size_t n, uint64_t rest[2])
{
    const __m512i block = _mm512_broadcast_i32x4(step_lane(over_block));
    const __m512i vector = _mm512_broadcast_i32x4(step_lane(over_vector));
    const __m128i lane = step_lane(over_lane);
    __m512i a = load(p), b = load(p + 64), c = load(p + 128), d = load(p + 192);
    a = _mm512_xor_si512(a, _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)r)));
    for (p += CRC32C_FOLD_BLOCK, n -= CRC32C_FOLD_BLOCK; n > 0;
         p += CRC32C_FOLD_BLOCK, n -= CRC32C_FOLD_BLOCK) {
        a = fold(a, block, load(p));
        b = fold(b, block, load(p + 64));
        c = fold(c, block, load(p + 128));
        d = fold(d, block, load(p + 192));
    }
    d = fold(fold(fold(a, vector, b), vector, c), vector, d);
    __m128i v = _mm512_extracti32x4_epi32(d, 0);
    v = fold_lane(v, lane, _mm512_extracti32x4_epi32(d, 1));
    v = fold_lane(v, lane, _mm512_extracti32x4_epi32(d, 2));
    v = fold_lane(v, lane, _mm512_extracti32x4_epi32(d, 3));
    _mm_storeu_si128((__m128i *)(void *)rest, v);
}

#else

bool crc32c_fold_init(uint32_t (*x_to_the_bits)(uint64_t n))
{
    (void)x_to_the_bits;
    return false;
}

void crc32c_fold(uint32_t r, const uint8_t *p, size_t n, uint64_t rest[2])
{
    (void)p;
    (void)n;
    rest[0] = r;
    rest[1] = 0;
}

#endif
