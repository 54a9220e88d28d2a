/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C by the processor's instruction, which takes 8 bytes but gives its result three cycles
 * later: long inputs are read as three strands at once, joined by tables that say what a run of
 * zeros does to a sum (a linear map of its 32 bits). Elsewhere by eight tables, 8 bytes a turn. */
#include <pthread.h>
#include <string.h>

#include "codec/crc32c.h"

#if defined(__SSE4_2__)
#define STEP8(crc, v) ((uint32_t)__builtin_ia32_crc32di(crc, v))
#define STEP1(crc, v) __builtin_ia32_crc32qi(crc, v)
#elif defined(__ARM_FEATURE_CRC32)
#define STEP8(crc, v) __builtin_aarch64_crc32cx(crc, v)
#define STEP1(crc, v) __builtin_aarch64_crc32cb(crc, v)
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t load8(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

#ifdef STEP8

enum { LONG_STRAND = 2048, SHORT_STRAND = 256 };

/* by_zeros[k][b]: byte k of a sum, of value b, after so many zero bytes. */
struct shift {
    uint32_t t[4][256];
};
static struct shift long_shift, short_shift;

static uint32_t map_apply(const uint32_t map[32], uint32_t v)
{
    uint32_t sum = 0;
    for (int i = 0; v; v >>= 1, i++)
        sum ^= v & 1 ? map[i] : 0;
    return sum;
}

/* n is a power of two. */
static void shift_fill(struct shift *s, int n)
{
    uint32_t map[32], squared[32];
    for (int i = 0; i < 32; i++) /* one zero byte */
        map[i] = STEP1(1u << i, 0);
    for (; n > 1; n /= 2) {
        for (int i = 0; i < 32; i++)
            squared[i] = map_apply(map, map[i]);
        memcpy(map, squared, sizeof(map));
    }
    for (int k = 0; k < 4; k++)
        for (uint32_t b = 0; b < 256; b++)
            s->t[k][b] = map_apply(map, b << (8 * k));
}

static void fill_tables(void)
{
    shift_fill(&long_shift, LONG_STRAND);
    shift_fill(&short_shift, SHORT_STRAND);
}

static uint32_t shifted(const struct shift *s, uint32_t c)
{
    return s->t[0][c & 255] ^ s->t[1][c >> 8 & 255] ^ s->t[2][c >> 16 & 255] ^ s->t[3][c >> 24];
}

/* Three strands of `strand` bytes each. */
static uint32_t three_strands(uint32_t c, const uint8_t *p, size_t strand, const struct shift *s)
{
    uint32_t c1 = 0, c2 = 0;
    for (size_t i = 0; i < strand; i += 8) {
        c = STEP8(c, load8(p + i));
        c1 = STEP8(c1, load8(p + strand + i));
        c2 = STEP8(c2, load8(p + 2 * strand + i));
    }
    return shifted(s, shifted(s, c) ^ c1) ^ c2;
}

static uint32_t extend(uint32_t c, const uint8_t *p, size_t n)
{
    if (n >= 3 * SHORT_STRAND) {
        pthread_once(&once, fill_tables);
        for (; n >= 3 * LONG_STRAND; p += 3 * LONG_STRAND, n -= 3 * LONG_STRAND)
            c = three_strands(c, p, LONG_STRAND, &long_shift);
        for (; n >= 3 * SHORT_STRAND; p += 3 * SHORT_STRAND, n -= 3 * SHORT_STRAND)
            c = three_strands(c, p, SHORT_STRAND, &short_shift);
    }
    for (; n >= 8; p += 8, n -= 8)
        c = STEP8(c, load8(p));
    for (; n; p++, n--)
        c = STEP1(c, *p);
    return c;
}

#else

#define POLY 0x82F63B78u

static uint32_t table[8][256]; /* [k][b]: byte b followed by k zero bytes */

static void fill_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t c = b;
        for (int i = 0; i < 8; i++)
            c = c & 1 ? c >> 1 ^ POLY : c >> 1;
        table[0][b] = c;
    }
    for (uint32_t b = 0; b < 256; b++)
        for (int k = 1; k < 8; k++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

static uint32_t extend(uint32_t c, const uint8_t *p, size_t n)
{
    pthread_once(&once, fill_tables);
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t v = load8(p) ^ c;
        c = 0;
        for (int k = 0; k < 8; k++)
            c ^= table[7 - k][v >> (8 * k) & 255];
    }
    for (; n; p++, n--)
        c = c >> 8 ^ table[0][(c ^ *p) & 255];
    return c;
}

#endif

uint32_t crc32c_extend(uint32_t crc, const void *data, size_t n)
{
    return ~extend(~crc, data, n);
}
