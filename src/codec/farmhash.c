/* SPDX-License-Identifier: Apache-2.0 */
/* FarmHash's Fingerprint64: one formula each for up to 16, 32 and 64 bytes, and a state of seven
 * words that takes 64 bytes at a time for longer ones. Fingerprint128: CityHash's, by 16 bytes
 * below 128 and else by the same state. */
#include "codec/hash.h"

static const uint64_t K0 = 0xc3a5c85c97cb3127, K1 = 0xb492b66fbe98f273, K2 = 0x9ae16a3b2f90404f;

static uint64_t fetch64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t fetch32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t rotr(uint64_t v, int bits)
{
    return v >> bits | v << (64 - bits);
}

static uint64_t fold(uint64_t v)
{
    return v ^ v >> 47;
}

static uint64_t mix(uint64_t u, uint64_t v, uint64_t mul)
{
    uint64_t a = fold((u ^ v) * mul);
    return fold((v ^ a) * mul) * mul;
}

static uint64_t up_to_16(const char *s, size_t n)
{
    uint64_t mul = K2 + n * 2;
    if (n >= 8) {
        uint64_t a = fetch64(s) + K2, b = fetch64(s + n - 8);
        return mix(rotr(b, 37) * mul + a, (rotr(a, 25) + b) * mul, mul);
    }
    if (n >= 4)
        return mix(n + (fetch32(s) << 3), fetch32(s + n - 4), mul);
    if (n == 0)
        return K2;
    uint64_t y = (unsigned char)s[0] + ((uint64_t)(unsigned char)s[n >> 1] << 8);
    uint64_t z = n + ((uint64_t)(unsigned char)s[n - 1] << 2);
    return fold((y * K2) ^ (z * K0)) * K2;
}

static uint64_t up_to_32(const char *s, size_t n)
{
    uint64_t mul = K2 + n * 2, a = fetch64(s) * K1, b = fetch64(s + 8);
    uint64_t c = fetch64(s + n - 8) * mul, d = fetch64(s + n - 16) * K2;
    return mix(rotr(a + b, 43) + rotr(c, 30) + d, a + rotr(b + K2, 18) + c, mul);
}

static uint64_t up_to_64(const char *s, size_t n)
{
    uint64_t mul = K2 + n * 2, a = fetch64(s) * K2, b = fetch64(s + 8);
    uint64_t c = fetch64(s + n - 8) * mul, d = fetch64(s + n - 16) * K2;
    uint64_t y = rotr(a + b, 43) + rotr(c, 30) + d;
    uint64_t z = mix(y, a + rotr(b + K2, 18) + c, mul);
    uint64_t e = fetch64(s + 16) * mul, f = fetch64(s + 24);
    uint64_t g = (y + fetch64(s + n - 32)) * mul, h = (z + fetch64(s + n - 24)) * mul;
    return mix(rotr(e + f, 43) + rotr(g, 30) + h, e + rotr(f + a, 18) + g, mul);
}

/* 32 bytes into two words that began as a and b. */
static void weak(const char *s, uint64_t a, uint64_t b, uint64_t out[2])
{
    uint64_t w = fetch64(s), x = fetch64(s + 8), y = fetch64(s + 16), z = fetch64(s + 24);
    a += w;
    b = rotr(b + a + z, 21);
    uint64_t c = a;
    a += x + y;
    b += rotr(a, 44);
    out[0] = a + z;
    out[1] = b + c;
}

struct state {
    uint64_t x, y, z, v[2], w[2];
};

static void swap_xz(struct state *h)
{
    uint64_t t = h->x;
    h->x = h->z;
    h->z = t;
}

uint64_t hash_farm64(struct str text)
{
    const char *s = text.p;
    size_t n = text.n;
    if (n <= 16)
        return up_to_16(s, n);
    if (n <= 32)
        return up_to_32(s, n);
    if (n <= 64)
        return up_to_64(s, n);
    struct state h = {.x = 81, .y = 81 * K1 + 113};
    h.z = fold(h.y * K2 + 113) * K2;
    h.x = h.x * K2 + fetch64(s);
    const char *end = s + (n - 1) / 64 * 64, *last = s + n - 64;
    for (; s < end; s += 64) {
        h.x = rotr(h.x + h.y + h.v[0] + fetch64(s + 8), 37) * K1;
        h.y = rotr(h.y + h.v[1] + fetch64(s + 48), 42) * K1;
        h.x ^= h.w[1];
        h.y += h.v[0] + fetch64(s + 40);
        h.z = rotr(h.z + h.w[0], 33) * K1;
        weak(s, h.v[1] * K1, h.x + h.w[0], h.v);
        weak(s + 32, h.z + h.w[1], h.y + fetch64(s + 16), h.w);
        swap_xz(&h);
    }
    uint64_t mul = K1 + ((h.z & 0xff) << 1);
    s = last;
    h.w[0] += (n - 1) & 63;
    h.v[0] += h.w[0];
    h.w[0] += h.v[0];
    h.x = rotr(h.x + h.y + h.v[0] + fetch64(s + 8), 37) * mul;
    h.y = rotr(h.y + h.v[1] + fetch64(s + 48), 42) * mul;
    h.x ^= h.w[1] * 9;
    h.y += h.v[0] * 9 + fetch64(s + 40);
    h.z = rotr(h.z + h.w[0], 33) * mul;
    weak(s, h.v[1] * mul, h.x + h.w[0], h.v);
    weak(s + 32, h.z + h.w[1], h.y + fetch64(s + 16), h.w);
    swap_xz(&h);
    return mix(mix(h.v[0], h.w[0], mul) + fold(h.y) * K0 + h.z, mix(h.v[1], h.w[1], mul) + h.x,
               mul);
}

/* --- 128 bits --- */

static const uint64_t PAIR = 0x9ddfea08eb382d69;

static void short_128(const char *s, size_t n, const uint64_t seed[2], uint64_t out[2])
{
    uint64_t a = seed[0], b = seed[1], c, d;
    if (n <= 16) {
        a = fold(a * K1) * K1;
        c = b * K1 + up_to_16(s, n);
        d = fold(a + (n >= 8 ? fetch64(s) : c));
    } else {
        c = mix(fetch64(s + n - 8) + K1, a, PAIR);
        d = mix(b + n, c + fetch64(s + n - 16), PAIR);
        a += d;
        for (size_t at = 0; at + 16 < n; at += 16) {
            a = (a ^ fold(fetch64(s + at) * K1) * K1) * K1;
            b ^= a;
            c = (c ^ fold(fetch64(s + at + 8) * K1) * K1) * K1;
            d ^= c;
        }
    }
    a = mix(a, c, PAIR);
    b = mix(d, b, PAIR);
    out[0] = a ^ b;
    out[1] = mix(b, a, PAIR);
}

static void take_64(struct state *h, const char *s)
{
    h->x = rotr(h->x + h->y + h->v[0] + fetch64(s + 8), 37) * K1;
    h->y = rotr(h->y + h->v[1] + fetch64(s + 48), 42) * K1;
    h->x ^= h->w[1];
    h->y += h->v[0] + fetch64(s + 40);
    h->z = rotr(h->z + h->w[0], 33) * K1;
    weak(s, h->v[1] * K1, h->x + h->w[0], h->v);
    weak(s + 32, h->z + h->w[1], h->y + fetch64(s + 16), h->w);
    swap_xz(h);
}

static void long_128(const char *s, size_t n, const uint64_t seed[2], uint64_t out[2])
{
    struct state h = {.x = seed[0], .y = seed[1], .z = n * K1};
    h.v[0] = rotr(h.y ^ K1, 49) * K1 + fetch64(s);
    h.v[1] = rotr(h.v[0], 42) * K1 + fetch64(s + 8);
    h.w[0] = rotr(h.y + h.z, 35) * K1 + h.x;
    h.w[1] = rotr(h.x + fetch64(s + 88), 53) * K1;
    for (; n >= 128; n -= 128, s += 128) {
        take_64(&h, s);
        take_64(&h, s + 64);
    }
    h.x += rotr(h.v[0] + h.z, 49) * K0;
    h.y = h.y * K0 + rotr(h.w[1], 37);
    h.z = h.z * K0 + rotr(h.w[0], 27);
    h.w[0] *= 9;
    h.v[0] *= K0;
    /* What is left, by 32 bytes from the end: the last piece begins before it. */
    for (size_t done = 0; done < n;) {
        done += 32;
        const char *p = s + n - done;
        h.y = rotr(h.x + h.y, 42) * K0 + h.v[1];
        h.w[0] += fetch64(p + 16);
        h.x = h.x * K0 + h.w[0];
        h.z += h.w[1] + fetch64(p);
        h.w[1] += h.v[0];
        weak(p, h.v[0] + h.z, h.v[1], h.v);
        h.v[0] *= K0;
    }
    h.x = mix(h.x, h.v[0], PAIR);
    h.y = mix(h.y + h.z, h.w[0], PAIR);
    out[0] = mix(h.x + h.v[1], h.w[1], PAIR) + h.y;
    out[1] = mix(h.x + h.w[1], h.y + h.v[1], PAIR);
}

void hash_farm128(struct str text, uint64_t out[2])
{
    const char *s = text.p;
    size_t n = text.n;
    uint64_t seed[2] = {K0, K1};
    if (n >= 16) {
        seed[0] = fetch64(s);
        seed[1] = fetch64(s + 8) + K0;
        s += 16;
        n -= 16;
    }
    if (n < 128)
        short_128(s, n, seed, out);
    else
        long_128(s, n, seed, out);
}
