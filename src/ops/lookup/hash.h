/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a dense table's keys: MurmurHash64A, which decides where exported buckets lie. */
#ifndef LEAT_OPS_LOOKUP_HASH_H
#define LEAT_OPS_LOOKUP_HASH_H

#include <string.h>

#include "base/base.h"

static inline uint64_t table_hash_mix(uint64_t x)
{
    const uint64_t m = 0xc6a4a7935bd1e995u;
    x *= m;
    x ^= x >> 47;
    return x * m;
}

static inline uint64_t table_hash(const char *p, size_t n)
{
    const uint64_t m = 0xc6a4a7935bd1e995u;
    uint64_t h = 0xdecafcaffeu ^ (n * m), word;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = (h ^ table_hash_mix(word)) * m;
    }
    if (n > 0) {
        word = 0;
        memcpy(&word, p, n);
        h = (h ^ word) * m;
    }
    h = (h ^ (h >> 47)) * m;
    return h ^ (h >> 47);
}

/* The hash of a vector so far, and of its next element. */
static inline uint64_t table_hash_join(uint64_t a, uint64_t b)
{
    return a ^ (b + 0x9e3779b97f4a7800u + (a << 10) + (a >> 4));
}

#endif
