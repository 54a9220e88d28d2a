/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner of spec texts: words, numbers, quoted texts, and sets of types. */
#include <string.h>

#include "op/op_spec.h"

bool scan_fail(const struct scan *s, struct status *st, const char *fmt, ...)
{
    struct strbuf what = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vprintf(&what, fmt, ap);
    va_end(ap);
    status_invalid(st, "%s: %s at column %d of '%s'", s->owner, strbuf_text(&what),
                   (int)(s->p - s->text) + 1, s->text);
    strbuf_release(&what);
    return false;
}

void scan_space(struct scan *s)
{
    while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n')
        s->p++;
}

bool scan_char(struct scan *s, char c)
{
    scan_space(s);
    if (*s->p != c)
        return false;
    s->p++;
    return true;
}

bool scan_done(struct scan *s)
{
    scan_space(s);
    return *s->p == '\0';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

struct str scan_word(struct scan *s)
{
    scan_space(s);
    const char *begin = s->p;
    while (is_word(*s->p))
        s->p++;
    return str_make(begin, (size_t)(s->p - begin));
}

bool scan_expect(struct scan *s, char c, struct status *st)
{
    return scan_char(s, c) || scan_fail(s, st, "'%c' expected", c);
}

bool scan_int(struct scan *s, int64_t *out, struct status *st)
{
    scan_space(s);
    const char *begin = s->p;
    if (*s->p == '-' || *s->p == '+')
        s->p++;
    while (*s->p >= '0' && *s->p <= '9')
        s->p++;
    if (str_to_i64(str_make(begin, (size_t)(s->p - begin)), out))
        return true;
    s->p = begin;
    return scan_fail(s, st, "an integer expected");
}

/* What stands after a backslash: a letter, up to three octal digits, or a character itself. p is
 * left at its last character. */
static char unescape(const char **p)
{
    const char c = **p;
    if (c < '0' || c > '7')
        return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    int byte = c - '0';
    for (int i = 1; i < 3 && (*p)[1] >= '0' && (*p)[1] <= '7'; i++)
        byte = byte * 8 + *++*p - '0';
    return (char)byte;
}

bool scan_string(struct scan *s, struct str *out, struct status *st)
{
    scan_space(s);
    char quote = *s->p;
    if (quote != '\'' && quote != '"')
        return scan_fail(s, st, "a quoted text expected");
    const char *begin = ++s->p;
    char *text = arena_alloc(s->arena, strlen(begin) + 1);
    size_t n = 0;
    for (; *s->p != quote; s->p++) {
        if (*s->p == '\\' && s->p[1]) {
            s->p++;
            text[n++] = unescape(&s->p);
        } else if (*s->p) {
            text[n++] = *s->p;
        } else {
            return scan_fail(s, st, "the text has no end");
        }
    }
    s->p++;
    *out = str_make(text, n);
    return true;
}

/* --- sets of types --- */

static const struct group {
    const char *name;
    uint8_t n;
    uint8_t types[17];
} groups[] = {
    /* clang-format off */
    {"numbertype", 17,
     {DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_COMPLEX64, DT_INT64, DT_QINT8,
      DT_QUINT8, DT_QINT32, DT_BFLOAT16, DT_UINT16, DT_COMPLEX128, DT_HALF, DT_UINT32, DT_UINT64}},
    {"realnumbertype", 12,
     {DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_INT64, DT_BFLOAT16, DT_UINT16,
      DT_HALF, DT_UINT32, DT_UINT64}},
    {"quantizedtype", 5, {DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16}},
    /* clang-format on */
};

static void add_type(uint8_t *list, int *n, int type)
{
    for (int i = 0; i < *n; i++) {
        if (list[i] == type)
            return;
    }
    list[(*n)++] = (uint8_t)type;
}

bool scan_type_group(struct str word, uint8_t *list, int *n)
{
    for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
        if (!str_is(word, groups[g].name))
            continue;
        for (int i = 0; i < groups[g].n; i++)
            add_type(list, n, groups[g].types[i]);
        return true;
    }
    return false;
}

static bool scan_one_type(struct scan *s, uint8_t *list, int *n, struct status *st)
{
    const char *begin = (scan_space(s), s->p);
    struct str word = scan_word(s);
    int type;
    if (scan_type_group(word, list, n))
        return true;
    if (word.n && dtype_from_name(word, &type) && !dtype_is_ref(type)) {
        add_type(list, n, type);
        return true;
    }
    s->p = begin;
    return scan_fail(s, st, "unknown type '%.*s'", (int)word.n, word.p);
}

bool scan_type_set(struct scan *s, uint8_t *list, int *n, struct status *st)
{
    if (!scan_char(s, '{'))
        return scan_one_type(s, list, n, st);
    do {
        if (!scan_one_type(s, list, n, st))
            return false;
    } while (scan_char(s, ','));
    return scan_expect(s, '}', st);
}

dtype_set type_list_set(const uint8_t *list, int n)
{
    dtype_set set = 0;
    for (int i = 0; i < n; i++)
        set |= (dtype_set)1 << list[i];
    return set;
}
