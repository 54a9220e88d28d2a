/* SPDX-License-Identifier: Apache-2.0 */
/* Strings as TF_STRING tensors of 1.15 hold them: a base-128 varint length, then the bytes. */
#include <string.h>

#include "api/api_tensor.h"
#include "api/string_layout.h"
#include "api/tensor_bytes.h"

static size_t varint_size(size_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

/* The length that begins at *p, which moves past it; false when src does not hold one. */
static bool read_varint(const unsigned char **p, const unsigned char *end, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
        unsigned char c = *(*p)++;
        if (shift == 63 && c > 1)
            return false;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

size_t TF_StringEncodedSize(size_t len)
{
    return varint_size(len) + len;
}

size_t TF_StringEncode(const char *src, size_t src_len, char *dst, size_t dst_len,
                       TF_Status *status)
{
    struct status st = {0};
    size_t head = varint_size(src_len), written = 0;
    if (!string_layout_want(STRINGS_OFFSETS, &st)) {
        written = 0;
    } else if (dst_len < head || dst_len - head < src_len) {
        status_invalid(&st, "dst_len (%zu) too small to encode a %zu-byte string", dst_len,
                       src_len);
    } else if (!dst || (!src && src_len)) {
        status_invalid(&st, "TF_StringEncode: src or dst is NULL");
    } else {
        size_t v = src_len;
        for (size_t i = 0; i < head; i++, v >>= 7)
            dst[i] = (char)((v & 0x7f) | (i + 1 < head ? 0x80 : 0));
        if (src_len)
            memcpy(dst + head, src, src_len);
        written = head + src_len;
    }
    api_return(status, &st);
    return written;
}

bool api_string_decode(const char *src, size_t src_len, struct str *out, size_t *used)
{
    if (!src || src_len == 0)
        return false;
    const unsigned char *p = (const unsigned char *)src, *end = p + src_len;
    uint64_t len;
    if (!read_varint(&p, end, &len) || len > (size_t)(end - p))
        return false;
    *out = str_make((const char *)p, (size_t)len);
    *used = (size_t)(p - (const unsigned char *)src) + (size_t)len;
    return true;
}

size_t TF_StringDecode(const char *src, size_t src_len, const char **dst, size_t *dst_len,
                       TF_Status *status)
{
    struct status st = {0};
    struct str text;
    size_t used = 0;
    if (!string_layout_want(STRINGS_OFFSETS, &st)) {
        used = 0;
    } else if (!api_string_decode(src, src_len, &text, &used)) {
        status_invalid(&st, "invalid string encoding or truncated src buffer");
    } else {
        if (dst)
            *dst = text.p;
        if (dst_len)
            *dst_len = text.n;
    }
    api_return(status, &st);
    return used;
}
