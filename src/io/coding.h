/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as tables, records and checkpoints hold them: little-endian, and varints of 7 bits a
 * byte. */
#ifndef LEAT_IO_CODING_H
#define LEAT_IO_CODING_H

#include "base/str.h"

enum { VARINT_MAX_BYTES = 10 };

static inline uint32_t load_u32(const void *p)
{
    const uint8_t *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t load_u64(const void *p)
{
    return load_u32(p) | (uint64_t)load_u32((const uint8_t *)p + 4) << 32;
}
static inline void store_u32(void *p, uint32_t v)
{
    uint8_t *b = p;
    for (int i = 0; i < 4; i++)
        b[i] = (uint8_t)(v >> 8 * i);
}
static inline void store_u64(void *p, uint64_t v)
{
    store_u32(p, (uint32_t)v);
    store_u32((uint8_t *)p + 4, (uint32_t)(v >> 32));
}
/* Writes at most VARINT_MAX_BYTES and returns how many. */
static inline size_t store_varint(void *p, uint64_t v)
{
    uint8_t *b = p;
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        b[n++] = (uint8_t)(v | 0x80);
    b[n++] = (uint8_t)v;
    return n;
}
static inline void strbuf_add_u32(struct strbuf *out, uint32_t v)
{
    uint8_t b[4];
    store_u32(b, v);
    strbuf_add(out, b, sizeof b);
}
static inline void strbuf_add_varint(struct strbuf *out, uint64_t v)
{
    uint8_t b[VARINT_MAX_BYTES];
    strbuf_add(out, b, store_varint(b, v));
}
/* Takes a varint off the front; false: cut short or more than 64 bits. */
MUST_CHECK static inline bool take_varint(struct str *in, uint64_t *v)
{
    *v = 0;
    for (size_t i = 0; i < in->n && i < VARINT_MAX_BYTES; i++) {
        uint8_t byte = (uint8_t)in->p[i];
        if (i == VARINT_MAX_BYTES - 1 && byte > 1)
            return false;
        *v |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80)) {
            in->p += i + 1;
            in->n -= i + 1;
            return true;
        }
    }
    return false;
}

#endif
