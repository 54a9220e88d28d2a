/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts protobuf's text form into tokens. Never reads beyond the text; NUL bytes are bytes. */
#include "proto/pb_lex.h"

#include "base/utf8.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_name(char c)
{
    return starts_name(c) || is_digit(c);
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void skip_blanks(struct lexer *l)
{
    while (l->p < l->end) {
        char c = *l->p;
        if (c == '#') {
            const char *newline = memchr(l->p, '\n', (size_t)(l->end - l->p));
            l->p = newline ? newline : l->end;
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            l->p++;
        } else {
            return;
        }
    }
}

static const char *skip_digits(const struct lexer *l, const char *p)
{
    while (p < l->end && is_digit(*p))
        p++;
    return p;
}

static enum token lex_number(struct lexer *l)
{
    const char *p = l->p;
    enum token kind = TOKEN_INT;
    if (l->end - p > 2 && *p == '0' && (p[1] == 'x' || p[1] == 'X') && hex_digit(p[2]) >= 0) {
        for (p += 2; p < l->end && hex_digit(*p) >= 0; p++)
            ;
    } else {
        p = skip_digits(l, p);
        if (p < l->end && *p == '.') {
            kind = TOKEN_FLOAT;
            p = skip_digits(l, p + 1);
        }
        if (p < l->end && (*p == 'e' || *p == 'E')) {
            const char *e = p + 1;
            if (e < l->end && (*e == '+' || *e == '-'))
                e++;
            if (e < l->end && is_digit(*e)) {
                kind = TOKEN_FLOAT;
                p = skip_digits(l, e);
            }
        }
        if (p < l->end && (*p == 'f' || *p == 'F')) {
            kind = TOKEN_FLOAT;
            p++;
        }
    }
    l->p = p;
    if (p < l->end && (in_name(*p) || *p == '.')) {
        l->problem = "a number runs into other text";
        return TOKEN_BAD;
    }
    return kind;
}

static enum token lex_quoted(struct lexer *l)
{
    char quote = *l->p++;
    while (l->p < l->end && *l->p != quote && *l->p != '\n')
        l->p += *l->p == '\\' && l->end - l->p > 1 ? 2 : 1;
    if (l->p >= l->end || *l->p != quote) {
        l->problem = "a string is not closed on its line";
        return TOKEN_BAD;
    }
    l->p++;
    return TOKEN_STRING;
}

void lex_next(struct lexer *l)
{
    skip_blanks(l);
    const char *start = l->p;
    if (l->p >= l->end) {
        l->kind = TOKEN_END;
    } else if (starts_name(*l->p)) {
        while (l->p < l->end && in_name(*l->p))
            l->p++;
        l->kind = TOKEN_NAME;
    } else if (is_digit(*l->p) || (*l->p == '.' && l->end - l->p > 1 && is_digit(l->p[1]))) {
        l->kind = lex_number(l);
    } else if (*l->p == '"' || *l->p == '\'') {
        l->kind = lex_quoted(l);
    } else {
        l->p++;
        l->kind = TOKEN_SYMBOL;
    }
    l->text = str_make(start, (size_t)(l->p - start));
}

void lex_init(struct lexer *l, const char *text, size_t n)
{
    if (n == 0)
        text = "";
    *l = (struct lexer){.start = text, .p = text, .end = text + n};
    lex_next(l);
}

bool lex_is(const struct lexer *l, char symbol)
{
    return l->kind == TOKEN_SYMBOL && l->text.p[0] == symbol;
}

bool lex_accept(struct lexer *l, char symbol)
{
    if (!lex_is(l, symbol))
        return false;
    lex_next(l);
    return true;
}

bool lex_in_url(char c)
{
    return in_name(c) || c == '.' || c == '/' || c == '-';
}

void lex_url(struct lexer *l, struct strbuf *url)
{
    for (skip_blanks(l); l->p < l->end && lex_in_url(*l->p); skip_blanks(l))
        strbuf_putc(url, *l->p++);
    lex_next(l);
}

void lex_place(const struct lexer *l, const char *p, long long *line, long long *column)
{
    const char *line_start = l->start;
    *line = 1;
    for (const char *q = l->start; q < p; q++)
        if (*q == '\n') {
            ++*line;
            line_start = q + 1;
        }
    *column = p - line_start + 1;
}

bool lex_int(struct str text, uint64_t *out)
{
    unsigned base = 10;
    size_t i = 0;
    if (text.n > 2 && (text.p[1] == 'x' || text.p[1] == 'X')) {
        base = 16;
        i = 2;
    } else if (text.n > 1 && text.p[0] == '0') {
        base = 8;
        i = 1;
    }
    uint64_t v = 0;
    for (; i < text.n; i++) {
        int digit = hex_digit(text.p[i]);
        if (digit < 0 || (unsigned)digit >= base || __builtin_mul_overflow(v, base, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit, &v))
            return false;
    }
    *out = v;
    return true;
}

/* Up to `most` digits of the base at *p, none of them beyond end. */
static uint32_t take_digits(const char **p, const char *end, int base, int most, int *taken)
{
    uint32_t v = 0;
    for (*taken = 0; *taken < most && *p < end; ++*taken, ++*p) {
        int digit = hex_digit(**p);
        if (digit < 0 || digit >= base)
            break;
        v = v * (uint32_t)base + (uint32_t)digit;
    }
    return v;
}

/* \uXXXX (two of them for a surrogate pair) and \UXXXXXXXX; *p is after the letter. */
static const char *unescape_unicode(const char **p, const char *end, int digits, char *to,
                                    size_t *n)
{
    int taken;
    uint32_t c = take_digits(p, end, 16, digits, &taken);
    if (taken != digits)
        return "too few digits after \\u or \\U";
    if (c >= 0xD800 && c < 0xDC00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
        *p += 2;
        uint32_t low = take_digits(p, end, 16, 4, &taken);
        if (taken != 4 || low < 0xDC00 || low > 0xDFFF)
            return "half a surrogate pair";
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return "no such character";
    *n += utf8_put(to + *n, c);
    return NULL;
}

static const char *unescape_one(const char **p, const char *end, char *to, size_t *n)
{
    static const char letters[] = "abfnrtv\\?'\"", meanings[] = "\a\b\f\n\r\t\v\\?'\"";
    char c = *(*p)++;
    const char *known = c ? strchr(letters, c) : NULL;
    int taken;
    if (known) {
        to[(*n)++] = meanings[known - letters];
        return NULL;
    }
    if (c == 'u' || c == 'U')
        return unescape_unicode(p, end, c == 'u' ? 4 : 8, to, n);
    uint32_t v;
    if (c == 'x' || c == 'X') {
        v = take_digits(p, end, 16, 2, &taken);
    } else {
        --*p;
        v = take_digits(p, end, 8, 3, &taken);
    }
    if (taken == 0)
        return "unknown escape in a string";
    to[(*n)++] = (char)v;
    return NULL;
}

const char *lex_unescape(struct str text, char *to, size_t *n)
{
    const char *p = text.p + 1, *end = text.p + text.n - 1;
    while (p < end) {
        if (*p != '\\') {
            to[(*n)++] = *p++;
            continue;
        }
        p++;
        const char *problem = p < end ? unescape_one(&p, end, to, n) : "a lone backslash";
        if (problem)
            return problem;
    }
    return NULL;
}
