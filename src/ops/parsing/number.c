/* SPDX-License-Identifier: Apache-2.0 */
/* Reading numbers: the form is checked here, the value is strtod's in the C locale. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"
#include "ops/parsing/number.h"

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct str trimmed(struct str s)
{
    for (; s.n && is_blank(s.p[0]); s.p++)
        s.n--;
    for (; s.n && is_blank(s.p[s.n - 1]);)
        s.n--;
    return s;
}

bool number_int64(struct str s, int64_t *out)
{
    s = trimmed(s);
    bool minus = s.n && s.p[0] == '-';
    int64_t v = 0;
    if (s.n == (size_t)minus)
        return false;
    for (size_t i = minus; i < s.n; i++) {
        int digit = s.p[i] - '0';
        if (!is_digit(s.p[i]) || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_sub_overflow(v, minus ? digit : -digit, &v))
            return false;
    }
    *out = v;
    return true;
}

bool number_int32(struct str s, int32_t *out)
{
    int64_t v;
    if (!number_int64(s, &v) || v != (int32_t)v)
        return false;
    *out = (int32_t)v;
    return true;
}

static size_t digits(struct str s, size_t at, bool (*is)(char))
{
    size_t n = 0;
    while (at + n < s.n && is(s.p[at + n]))
        n++;
    return n;
}

/* Whether s, without its sign, is a number in full. */
static bool well_formed(struct str s)
{
    if (s.n == 3 && (strncasecmp(s.p, "inf", 3) == 0 || strncasecmp(s.p, "nan", 3) == 0))
        return true;
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x')
        return digits(s, 2, is_hex) == s.n - 2;
    size_t whole = digits(s, 0, is_digit), at = whole, part = 0;
    if (at < s.n && s.p[at] == '.') {
        part = digits(s, at + 1, is_digit);
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (at < s.n && (s.p[at] | 32) == 'e') {
        at++;
        at += at < s.n && (s.p[at] == '+' || s.p[at] == '-');
        size_t power = digits(s, at, is_digit);
        if (power == 0)
            return false;
        at += power;
    }
    return at == s.n;
}

enum { SMALL = 64 };

/* s, trimmed, as a C string: small, or allocated. NULL: no number. */
static char *as_text(struct str *s, char small[SMALL])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    *s = trimmed(*s);
    size_t sign = s->n && (s->p[0] == '-' || s->p[0] == '+');
    if (!well_formed(str_make(s->p + sign, s->n - sign)))
        return NULL;
    char *text = s->n < SMALL ? small : mem_alloc(s->n + 1);
    memcpy(text, s->p, s->n);
    text[s->n] = 0;
    return text;
}

bool number_double(struct str s, double *out)
{
    char small[SMALL], *text = as_text(&s, small);
    if (!text)
        return false;
    *out = c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
    if (text != small)
        mem_free(text);
    return true;
}

bool number_float(struct str s, float *out)
{
    char small[SMALL], *text = as_text(&s, small);
    if (!text)
        return false;
    *out = c_locale ? strtof_l(text, NULL, c_locale) : strtof(text, NULL);
    if (text != small)
        mem_free(text);
    return true;
}
