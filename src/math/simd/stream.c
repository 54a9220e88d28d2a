/* SPDX-License-Identifier: Apache-2.0 */
/* Copies past the caches at this instruction level: whole vectors by streaming stores, the ends by
 * memcpy. Where the compiler has no such stores it is memcpy. */
#include "math/simd/stream_simd.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__AVX512F__)
typedef __m512i vec;
#define LOAD(p) _mm512_loadu_si512(p)
#define STREAM(p, v) _mm512_stream_si512((void *)(p), v)
#elif defined(__AVX2__)
typedef __m256i vec;
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STREAM(p, v) _mm256_stream_si256((__m256i *)(p), v)
#else
typedef __m128i vec;
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define STREAM(p, v) _mm_stream_si128((__m128i *)(p), v)
#endif

void LEAT_FN(stream_copy)(char *to, const char *from, size_t bytes)
{
    size_t at = (size_t)(-(uintptr_t)to & (sizeof(vec) - 1));
    at = at < bytes ? at : bytes;
    memcpy(to, from, at);
    for (; at + 4 * sizeof(vec) <= bytes; at += 4 * sizeof(vec)) {
        vec a = LOAD(from + at), b = LOAD(from + at + sizeof(vec));
        vec c = LOAD(from + at + 2 * sizeof(vec)), d = LOAD(from + at + 3 * sizeof(vec));
        STREAM(to + at, a);
        STREAM(to + at + sizeof(vec), b);
        STREAM(to + at + 2 * sizeof(vec), c);
        STREAM(to + at + 3 * sizeof(vec), d);
    }
    memcpy(to + at, from + at, bytes - at);
}
#else
void LEAT_FN(stream_copy)(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif
