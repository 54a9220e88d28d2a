/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 on vectors: one block a 64-bit lane, each word of it in a vector's low halves. */
#include "math/simd/rng_simd.h"

#include "math/simd/lanes.h"

typedef uint64_t vw __attribute__((vector_size(LANES_BYTES)));
typedef uint64_t vw_unaligned __attribute__((vector_size(LANES_BYTES), aligned(4), may_alias));
enum { W = LANES_BYTES / 8 };

/* The product of the low halves. */
LANES_INLINE vw half_product(vw a, uint32_t b)
{
#if defined(__AVX512F__)
    return (vw)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((int64_t)b));
#elif defined(__AVX2__)
    return (vw)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((int64_t)b));
#else
    return (a & 0xffffffffu) * (uint64_t)b;
#endif
}

/* Lanes a0 b0 a1 b1 ...: the first half of them, and the second. */
LANES_INLINE void interleave(vw a, vw b, vw *first, vw *second)
{
#if defined(__AVX512F__)
    *first = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    *second = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif defined(__AVX2__)
    *first = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    *second = __builtin_shufflevector(a, b, 2, 6, 3, 7);
#else
    *first = __builtin_shufflevector(a, b, 0, 2);
    *second = __builtin_shufflevector(a, b, 1, 3);
#endif
}

/* The low 23 bits of each word as the fraction of a number in [1, 2), less 1. */
LANES_INLINE void store_unit(float *to, vw words)
{
    const vu bits = ((vu)words & 0x7fffffu) | 0x3f800000u;
    vf_store(to, (vf)bits - 1.0f);
}

int64_t LEAT_FN(rng_uniform)(const struct math_philox *g, float *out, int64_t blocks)
{
    int64_t done = 0;
    /* Counters are added to in 64 bits: the next 64 are the same until they wrap. */
    const uint64_t start = (uint64_t)g->counter[1] << 32 | g->counter[0];
    if (start > UINT64_MAX - (uint64_t)blocks)
        return 0;
    vw lane;
    for (int i = 0; i < W; i++)
        lane[i] = (uint64_t)i;
    const vw low = {0};
    const vw mask = low + 0xffffffffu;
    for (; done + W <= blocks; done += W) {
        const vw counter = lane + (start + (uint64_t)done);
        vw c0 = counter & mask, c1 = counter >> 32, c2 = low + g->counter[2],
           c3 = low + g->counter[3];
        uint32_t k0 = g->key[0], k1 = g->key[1];
#pragma GCC unroll 10
        for (int round = 0; round < 10; round++) {
            const vw a = half_product(c0, 0xd2511f53u), b = half_product(c2, 0xcd9e8d57u);
            c0 = (b >> 32) ^ c1 ^ (uint64_t)k0;
            c1 = b & mask;
            c2 = (a >> 32) ^ c3 ^ (uint64_t)k1;
            c3 = a & mask;
            k0 += 0x9e3779b9u;
            k1 += 0xbb67ae85u;
        }
        vw first, second;
        interleave(c0 | c1 << 32, c2 | c3 << 32, &first, &second);
        store_unit(out + 4 * done, first);
        store_unit(out + 4 * done + 2 * W, second);
    }
    return done;
}
