/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C. The instruction takes 8 bytes and answers after three cycles, but takes new ones each
 * cycle: so three streams run side by side and are put together with a table.
 *
 * Seen as polynomials over GF(2), the register after n more bytes is (register * x^(8n)) xor (the
 * checksum of these bytes alone), modulo the polynomial; that is all that joining needs. Long texts
 * go through crc32c_fold.c where the processor has wide carry-less products. */
#include "codec/crc32c.h"

#include <pthread.h>
#include <string.h>

#include "codec/crc32c_fold.h"

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

enum { LONG_STREAM = 2048, SHORT_STREAM = 256, NUM_BYTES = 256, FOLD_FROM = 1024 };
#define POLYNOMIAL 0x82f63b78u
#define ONE 0x80000000u /* bits are reflected: the highest is x^0 */

struct skip { /* byte k of a register, so many zero bytes later */
    uint32_t t[4][NUM_BYTES];
};
static struct {
    uint32_t byte[8][NUM_BYTES]; /* the register after a byte and 0..7 zero bytes */
    struct skip long_skip, short_skip;
    bool instruction, folds;
} tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static uint32_t times_x(uint32_t a)
{
    return a >> 1 ^ (a & 1 ? POLYNOMIAL : 0);
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = ONE; bit; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = times_x(b);
    }
    return product;
}

static uint32_t x_to_the_bits(uint64_t n)
{
    uint32_t power = ONE, square = ONE >> 1;
    for (; n; n >>= 1) {
        if (n & 1)
            power = times(power, square);
        square = times(square, square);
    }
    return power;
}

static uint32_t x_to_the_bytes(uint64_t n)
{
    return x_to_the_bits(8 * n);
}

static void skip_make(struct skip *s, uint64_t n)
{
    uint32_t power = x_to_the_bytes(n);
    for (uint32_t i = 0; i < NUM_BYTES; i++)
        for (int k = 0; k < 4; k++)
            s->t[k][i] = times(i << 8 * k, power);
}

static void tables_make(void)
{
    for (uint32_t i = 0; i < NUM_BYTES; i++) {
        uint32_t r = i;
        for (int bit = 0; bit < 8; bit++)
            r = times_x(r);
        tables.byte[0][i] = r;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < NUM_BYTES; i++) {
            uint32_t r = tables.byte[k - 1][i];
            tables.byte[k][i] = r >> 8 ^ tables.byte[0][r & 0xff];
        }
    skip_make(&tables.long_skip, LONG_STREAM);
    skip_make(&tables.short_skip, SHORT_STREAM);
#if defined(__SSE4_2__)
    tables.instruction = true;
#elif defined(__aarch64__)
    tables.instruction = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
    tables.folds = tables.instruction && crc32c_fold_init(x_to_the_bits);
}

/* Registers here are without the first and last xor. */
static uint32_t by_table(uint32_t r, const uint8_t *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        v ^= r;
        r = 0;
        for (int k = 0; k < 8; k++)
            r ^= tables.byte[7 - k][v >> 8 * k & 0xff];
    }
    for (; n; p++, n--)
        r = r >> 8 ^ tables.byte[0][(r ^ *p) & 0xff];
    return r;
}

#if defined(__SSE4_2__) || defined(__aarch64__)
#if defined(__SSE4_2__)
#define WITH_INSTRUCTION
#define STEP_8(r, v) __builtin_ia32_crc32di(r, v)
#define STEP_1(r, v) __builtin_ia32_crc32qi((uint32_t)(r), v)
#else
#define WITH_INSTRUCTION __attribute__((target("+crc")))
#define STEP_8(r, v) __crc32cd((uint32_t)(r), v)
#define STEP_1(r, v) __crc32cb((uint32_t)(r), v)
#endif

static uint64_t load(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t skipped(const struct skip *s, uint64_t r)
{
    return s->t[0][r & 0xff] ^ s->t[1][r >> 8 & 0xff] ^ s->t[2][r >> 16 & 0xff] ^
           s->t[3][r >> 24 & 0xff];
}

/* Three streams of n bytes each. */
WITH_INSTRUCTION static uint64_t three_streams(uint64_t r, const uint8_t *p, size_t n,
                                               const struct skip *skip)
{
    uint64_t b = 0, c = 0;
    for (size_t i = 0; i < n; i += 8) {
        r = STEP_8(r, load(p + i));
        b = STEP_8(b, load(p + n + i));
        c = STEP_8(c, load(p + 2 * n + i));
    }
    return skipped(skip, skipped(skip, r) ^ b) ^ c;
}

WITH_INSTRUCTION static uint32_t by_instruction(uint32_t first, const uint8_t *p, size_t n)
{
    uint64_t r = first;
    if (tables.folds && n >= FOLD_FROM) {
        const size_t blocks = n - n % CRC32C_FOLD_BLOCK;
        uint64_t rest[2];
        crc32c_fold(first, p, blocks, rest);
        r = STEP_8(STEP_8(0, rest[0]), rest[1]);
        p += blocks;
        n -= blocks;
    }
    for (; n >= 3 * LONG_STREAM; p += 3 * LONG_STREAM, n -= 3 * LONG_STREAM)
        r = three_streams(r, p, LONG_STREAM, &tables.long_skip);
    for (; n >= 3 * SHORT_STREAM; p += 3 * SHORT_STREAM, n -= 3 * SHORT_STREAM)
        r = three_streams(r, p, SHORT_STREAM, &tables.short_skip);
    for (; n >= 8; p += 8, n -= 8)
        r = STEP_8(r, load(p));
    for (; n; p++, n--)
        r = STEP_1(r, *p);
    return (uint32_t)r;
}
#else
static uint32_t by_instruction(uint32_t r, const uint8_t *p, size_t n)
{
    return by_table(r, p, n);
}
#endif

uint32_t crc32c_extend(uint32_t crc, const void *bytes, size_t n)
{
    pthread_once(&tables_once, tables_make);
    return ~(tables.instruction ? by_instruction(~crc, bytes, n) : by_table(~crc, bytes, n));
}

uint32_t crc32c_extend_by_table(uint32_t crc, const void *bytes, size_t n)
{
    pthread_once(&tables_once, tables_make);
    return ~by_table(~crc, bytes, n);
}

uint32_t crc32c_join(uint32_t a, uint32_t b, uint64_t b_bytes)
{
    return times(a, x_to_the_bytes(b_bytes)) ^ b;
}
