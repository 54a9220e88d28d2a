/* SPDX-License-Identifier: Apache-2.0 */
/* Code points in and out of UTF-8, UTF-16, UTF-32, and out of ASCII and Latin-1. */
#include "codec/unicode.h"

#include "base/utf8.h"

enum unicode_encoding unicode_encoding_of(struct str name)
{
    static const struct {
        const char *name;
        enum unicode_encoding encoding;
    } names[] = {
        {"utf8", UNICODE_UTF8},       {"usascii", UNICODE_ASCII},   {"ascii", UNICODE_ASCII},
        {"iso88591", UNICODE_LATIN1}, {"latin1", UNICODE_LATIN1},   {"utf16", UNICODE_UTF16BE},
        {"utf16be", UNICODE_UTF16BE}, {"utf16le", UNICODE_UTF16LE}, {"utf32", UNICODE_UTF32BE},
        {"utf32be", UNICODE_UTF32BE}, {"utf32le", UNICODE_UTF32LE},
    };
    char small[16];
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c == '-' || c == '_' || c == ' ')
            continue;
        if (n == sizeof small)
            return UNICODE_UNKNOWN;
        small[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_is(str_make(small, n), names[i].name))
            return names[i].encoding;
    }
    return UNICODE_UNKNOWN;
}

static int32_t decode_utf8(const unsigned char *p, size_t n, size_t *used)
{
    *used = 1;
    if (p[0] < 0x80)
        return p[0];
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return -1;
    size_t more = p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
    int32_t c = p[0] & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        unsigned low = 0x80, high = 0xbf;
        if (i == 1) { /* no longer forms, surrogates, or numbers too great */
            low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : low;
            high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : high;
        }
        if (i >= n || p[i] < low || p[i] > high) {
            *used = i;
            return -1;
        }
        c = c << 6 | (p[i] & 0x3f);
    }
    *used = more + 1;
    return c;
}

static int32_t unit16(const unsigned char *p, bool big)
{
    return big ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

static int32_t decode_utf16(const unsigned char *p, size_t n, bool big, size_t *used)
{
    *used = n < 2 ? n : 2;
    if (n < 2)
        return -1;
    int32_t c = unit16(p, big);
    if (c < 0xd800 || c > 0xdfff)
        return c;
    if (c > 0xdbff)
        return -1;
    if (n < 4) { /* half a pair at the end takes the odd byte with it */
        *used = n;
        return -1;
    }
    int32_t low = unit16(p + 2, big);
    if (low < 0xdc00 || low > 0xdfff)
        return -1;
    *used = 4;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static int32_t decode_utf32(const unsigned char *p, size_t n, bool big, size_t *used)
{
    *used = n < 4 ? n : 4;
    if (n < 4)
        return -1;
    uint32_t c = 0;
    for (int i = 0; i < 4; i++)
        c = c << 8 | p[big ? i : 3 - i];
    return c > UNICODE_MAX || (c >= 0xd800 && c <= 0xdfff) ? -1 : (int32_t)c;
}

int32_t unicode_decode(enum unicode_encoding e, struct str s, size_t *used)
{
    const unsigned char *p = (const unsigned char *)s.p;
    switch (e) {
    case UNICODE_UTF8:
        return decode_utf8(p, s.n, used);
    case UNICODE_UTF16BE:
    case UNICODE_UTF16LE:
        return decode_utf16(p, s.n, e == UNICODE_UTF16BE, used);
    case UNICODE_UTF32BE:
    case UNICODE_UTF32LE:
        return decode_utf32(p, s.n, e == UNICODE_UTF32BE, used);
    default:
        *used = 1;
        return e == UNICODE_ASCII && p[0] > 127 ? -1 : p[0];
    }
}

static void put16(int32_t unit, struct strbuf *out)
{
    strbuf_putc(out, (char)(unit >> 8));
    strbuf_putc(out, (char)unit);
}

void unicode_encode(enum unicode_encoding e, int32_t c, struct strbuf *out)
{
    if (e == UNICODE_UTF8) {
        strbuf_put_utf8(out, c >= 0xd800 && c <= 0xdfff ? 0xfffd : (uint32_t)c);
    } else if (e == UNICODE_UTF32BE) {
        put16(c >> 16, out);
        put16(c & 0xffff, out);
    } else if (c < 0x10000) {
        put16(c, out);
    } else {
        put16(0xd800 + ((c - 0x10000) >> 10), out);
        put16(0xdc00 + (c & 0x3ff), out);
    }
}
