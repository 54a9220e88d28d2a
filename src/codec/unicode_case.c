/* SPDX-License-Identifier: Apache-2.0 */
/* Letters small and capital: ASCII at once, the rest by looking through tables that
 * tools/gen_unicode.py makes when Leat is built. */
#include "codec/unicode_case.h"

#include "codec/unicode.h"

struct code_range {
    int32_t first, last;
};
/* Of first, first + step, ... last each becomes itself + distance. */
struct case_range {
    int32_t first, last, step, distance;
};
struct case_several {
    int32_t from, to[3]; /* 0: none */
};

#include "codec/unicode_tables.h"

enum { SIGMA = 0x3a3, SMALL_SIGMA = 0x3c3, FINAL_SIGMA = 0x3c2 };

/* The last of n rows, `size` bytes each and beginning with their first code point, that does not
 * begin behind c; NULL: none. */
static const void *row_of(const void *rows, size_t n, size_t size, int32_t c)
{
    size_t low = 0;
    while (n > 0) {
        const size_t half = n / 2;
        const int32_t first = *(const int32_t *)((const char *)rows + (low + half) * size);
        if (first <= c) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low > 0 ? (const char *)rows + (low - 1) * size : NULL;
}
#define ROW_OF(table, c) row_of(table, ARRAY_LEN(table), sizeof(table)[0], c)

static bool is_cased(int32_t c)
{
    const struct code_range *r = ROW_OF(cased, c);
    return r && c <= r->last;
}

static bool is_ignored(int32_t c)
{
    const struct code_range *r = ROW_OF(ignored, c);
    return r && c <= r->last;
}

/* Whether a letter comes in rest, before what ends a word. */
static bool goes_on(struct str rest)
{
    while (rest.n > 0) {
        size_t used;
        int32_t c = unicode_decode(UNICODE_UTF8, rest, &used);
        if (c < 0 || !is_ignored(c))
            return c >= 0 && is_cased(c);
        rest = str_make(rest.p + used, rest.n - used);
    }
    return false;
}

static int32_t mapped(const struct case_range *r, int32_t c)
{
    return r && c <= r->last && (c - r->first) % r->step == 0 ? c + r->distance : c;
}

static void put(int32_t c, bool upper, struct strbuf *out)
{
    const struct case_several *s = upper ? ROW_OF(upper_several, c) : ROW_OF(lower_several, c);
    if (s && s->from == c) {
        for (int i = 0; i < 3 && s->to[i]; i++)
            unicode_encode(UNICODE_UTF8, s->to[i], out);
        return;
    }
    const struct case_range *r = upper ? ROW_OF(upper_ranges, c) : ROW_OF(lower_ranges, c);
    unicode_encode(UNICODE_UTF8, mapped(r, c), out);
}

void unicode_change_case(struct str text, bool upper, struct strbuf *out)
{
    const char first = upper ? 'a' : 'A';
    bool in_word = false; /* a letter came, and nothing since that ends a word */
    while (text.n > 0) {
        size_t used = 1;
        int32_t c = (unsigned char)text.p[0];
        if (c >= 128)
            c = unicode_decode(UNICODE_UTF8, text, &used);
        text = str_make(text.p + used, text.n - used);
        if (c >= 0 && c < 128) {
            const bool letter = (unsigned char)((c | 0x20) - 'a') < 26;
            strbuf_putc(out, (char)((unsigned char)(c - first) < 26 ? c ^ 0x20 : c));
            in_word = letter || (in_word && is_ignored(c));
            continue;
        }
        if (c < 0)
            c = 0xfffd;
        if (c == SIGMA && !upper)
            unicode_encode(UNICODE_UTF8, in_word && !goes_on(text) ? FINAL_SIGMA : SMALL_SIGMA,
                           out);
        else
            put(c, upper, out);
        in_word = is_cased(c) || (in_word && is_ignored(c));
    }
}
