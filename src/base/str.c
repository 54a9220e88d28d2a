/* SPDX-License-Identifier: Apache-2.0 */
/* Growing texts, pieces of texts, numbers in text (the C locale's, whatever the program set). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/str.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

bool str_starts(struct str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

bool str_ends(struct str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.n >= n && (n == 0 || memcmp(s.p + s.n - n, suffix, n) == 0);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
    while (s.n && is_blank(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

bool str_split(struct str *rest, char sep, struct str *piece)
{
    if (rest->n == 0)
        return false;
    const char *at = memchr(rest->p, sep, rest->n);
    size_t n = at ? (size_t)(at - rest->p) : rest->n;
    *piece = str_make(rest->p, n);
    size_t gone = at ? n + 1 : n;
    *rest = str_make(rest->p + gone, rest->n - gone);
    return true;
}

bool str_to_i64(struct str s, int64_t *out)
{
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');
    bool negative = i && s.p[0] == '-';
    if (i == s.n)
        return false;
    int64_t v = 0; /* built as a negative number: INT64_MIN has no positive twin */
    for (; i < s.n; i++) {
        int digit = s.p[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_sub_overflow(v, digit, &v))
            return false;
    }
    if (!negative && v == INT64_MIN)
        return false;
    *out = negative ? v : -v;
    return true;
}

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool str_to_double(struct str s, double *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    if (s.n == 0 || is_blank(s.p[0]) || s.n > 4096)
        return false;
    char small[64];
    char *text = s.n < sizeof small ? small : mem_alloc(s.n + 1);
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    char *end;
    int saved = errno;
    errno = 0;
    double v = c_locale ? strtod_l(text, &end, c_locale) : strtod(text, &end);
    bool ok = end == text + s.n && !(errno == ERANGE && isinf(v));
    errno = saved;
    if (text != small)
        mem_free(text);
    if (ok)
        *out = v;
    return ok;
}

enum { DISTANCE_MAX_BYTES = 256 };

int str_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > DISTANCE_MAX_BYTES || nb > DISTANCE_MAX_BYTES) {
        if (na == nb && memcmp(a, b, na) == 0)
            return 0;
        size_t longer = na > nb ? na : nb;
        return longer < INT32_MAX ? (int)longer : INT32_MAX;
    }
    /* row[j]: edits from the first i bytes of a to the first j of b */
    int row[DISTANCE_MAX_BYTES + 1];
    for (size_t j = 0; j <= nb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

bool str_nearer(const char *name, const char *candidate, int *best)
{
    size_t len = strlen(name), other = strlen(candidate);
    size_t gap = len > other ? len - other : other - len;
    size_t most = len / 3 > 0 ? len / 3 : 1;
    if (len > DISTANCE_MAX_BYTES || other > DISTANCE_MAX_BYTES || gap > most)
        return false;
    int d = str_distance(name, candidate);
    if ((size_t)d > most || d >= *best)
        return false;
    *best = d;
    return true;
}

/* Room for n more bytes and the NUL. */
static void reserve(struct strbuf *b, size_t n)
{
    size_t need;
    if (__builtin_add_overflow(b->n, n, &need) || __builtin_add_overflow(need, 1, &need))
        need = SIZE_MAX; /* more than any heap has: mem_realloc says so */
    if (LIKELY(need <= b->cap))
        return;
    size_t cap = b->cap < SIZE_MAX / 4 ? b->cap * 2 : b->cap;
    if (cap < 64)
        cap = 64;
    if (cap < need)
        cap = need;
    b->p = mem_realloc(b->p, cap);
    b->cap = cap;
}

void strbuf_add(struct strbuf *b, const void *bytes, size_t n)
{
    reserve(b, n);
    if (n)
        memcpy(b->p + b->n, bytes, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void strbuf_puts(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c)
{
    strbuf_add(b, &c, 1);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_vprintf(b, fmt, ap);
    va_end(ap);
}

void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    reserve(b, 63);
    size_t room = b->cap - b->n;
    int n = vsnprintf(b->p + b->n, room, fmt, ap);
    if (n < 0) { /* text that the C library cannot convert */
        b->p[b->n] = '\0';
        strbuf_puts(b, fmt);
    } else {
        if ((size_t)n >= room) {
            reserve(b, (size_t)n);
            vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        }
        b->n += (size_t)n;
    }
    va_end(again);
}

const char *strbuf_text(const struct strbuf *b)
{
    return b->n ? b->p : "";
}

char *strbuf_take(struct strbuf *b)
{
    char *p = b->p ? b->p : mem_strdup("");
    *b = (struct strbuf){0};
    return p;
}

void strbuf_clear(struct strbuf *b)
{
    b->n = 0;
    if (b->p)
        b->p[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
    mem_free(b->p);
    *b = (struct strbuf){0};
}
