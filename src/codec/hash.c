/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 and MurmurHash64A, from their published descriptions. */
#include "codec/hash.h"

static uint64_t load64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The n < 8 bytes at p, the first lowest. */
static uint64_t load_tail(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return v;
}

static uint64_t rotl(uint64_t v, int bits)
{
    return v << bits | v >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], int n)
{
    for (int i = 0; i < n; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotl(v[1], 13) ^ v[0];
        v[3] = rotl(v[3], 16) ^ v[2];
        v[0] = rotl(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotl(v[1], 17) ^ v[2];
        v[3] = rotl(v[3], 21) ^ v[0];
        v[2] = rotl(v[2], 32);
    }
}

uint64_t hash_sip24(struct str s, const uint64_t key[2])
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                     key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    size_t whole = s.n / 8 * 8;
    for (size_t i = 0; i <= whole; i += 8) {
        uint64_t m = i < whole ? load64(s.p + i)
                               : load_tail(s.p + i, s.n - whole) | (uint64_t)(s.n & 255) << 56;
        v[3] ^= m;
        sip_rounds(v, 2);
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_murmur64(struct str s, uint64_t seed)
{
    const uint64_t m = 0xc6a4a7935bd1e995;
    uint64_t h = seed ^ (s.n * m);
    size_t whole = s.n / 8 * 8;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t k = load64(s.p + i) * m;
        h = (h ^ ((k ^ k >> 47) * m)) * m;
    }
    if (s.n > whole)
        h = (h ^ load_tail(s.p + whole, s.n - whole)) * m;
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}
