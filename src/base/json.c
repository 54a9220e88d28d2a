/* SPDX-License-Identifier: Apache-2.0 */
/* A pull reader of JSON. It keeps no stack: `first` tells whether a comma is due, and it is false
 * after any value, a nested one that was closed included; who closes what is the caller's nesting,
 * of which only the depth is counted. json_skip keeps its braces in 64 bits. */
#include "base/json.h"

#include <ctype.h>

#include "base/utf8.h"

static bool fail(struct json *j, const char *why, struct status *st)
{
    return status_invalid(st, "JSON: %s at byte %lld", why, (long long)(j->p - j->begin));
}

void json_init(struct json *j, struct str text)
{
    const char *p = text.p ? text.p : "";
    *j = (struct json){.begin = p, .p = p, .end = p + text.n};
}

void json_release(struct json *j)
{
    strbuf_release(&j->text);
}

char json_peek(struct json *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r'))
        j->p++;
    return j->p < j->end ? *j->p : 0;
}

struct str json_text(const struct json *j)
{
    return str_make(j->text.p, j->text.n);
}

bool json_open(struct json *j, char brace, struct status *st)
{
    if (json_peek(j) != brace)
        return fail(j, brace == '{' ? "an object is wanted" : "a list is wanted", st);
    if (j->depth >= JSON_MAX_DEPTH)
        return fail(j, "nested too deep", st);
    j->p++;
    j->depth++;
    j->first = true;
    return true;
}

/* To the next member, over its comma; *more false at the closing brace, which is taken. */
static bool next_member(struct json *j, char close, bool *more, struct status *st)
{
    char c = json_peek(j);
    *more = c != close;
    if (!*more) {
        j->p++;
        j->depth--;
        j->first = false;
        return true;
    }
    if (!j->first) {
        if (c != ',')
            return fail(j, close == '}' ? "',' or '}' is wanted" : "',' or ']' is wanted", st);
        j->p++;
        if (json_peek(j) == close)
            return fail(j, "a value is wanted after ','", st);
    }
    j->first = false;
    return true;
}

bool json_next_item(struct json *j, bool *more, struct status *st)
{
    return next_member(j, ']', more, st);
}

bool json_next_key(struct json *j, bool *more, struct status *st)
{
    if (!next_member(j, '}', more, st))
        return false;
    if (!*more)
        return true;
    if (json_peek(j) != '"')
        return fail(j, "a key in quotes is wanted", st);
    if (!json_string(j, st))
        return false;
    if (json_peek(j) != ':')
        return fail(j, "':' is wanted", st);
    j->p++;
    return true;
}

/* --- strings --- */

static bool hex4(struct json *j, uint32_t *out, struct status *st)
{
    *out = 0;
    for (int i = 0; i < 4; i++, j->p++) {
        if (j->p == j->end || !isxdigit((unsigned char)*j->p))
            return fail(j, "four hexadecimal digits are wanted", st);
        int c = *j->p | 32;
        *out = *out * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static bool unicode(struct json *j, struct status *st) /* after "\u" */
{
    uint32_t c, low;
    if (!hex4(j, &c, st))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (j->end - j->p < 6 || j->p[0] != '\\' || j->p[1] != 'u')
            return fail(j, "half of a surrogate pair", st);
        j->p += 2;
        if (!hex4(j, &low, st))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return fail(j, "half of a surrogate pair", st);
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xdc00 && c <= 0xdfff) {
        return fail(j, "half of a surrogate pair", st);
    }
    strbuf_put_utf8(&j->text, c);
    return true;
}

static bool escape(struct json *j, struct status *st) /* after the backslash */
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = j->p < j->end ? *j->p : 0;
    if (c == 'u') {
        j->p++;
        return unicode(j, st);
    }
    const char *at = c ? strchr(from, c) : NULL;
    if (!at)
        return fail(j, "no such escape", st);
    j->p++;
    strbuf_putc(&j->text, to[at - from]);
    return true;
}

bool json_string(struct json *j, struct status *st)
{
    if (json_peek(j) != '"')
        return fail(j, "a string is wanted", st);
    j->p++;
    strbuf_clear(&j->text);
    while (j->p < j->end && *j->p != '"') {
        unsigned char c = (unsigned char)*j->p;
        if (c < 0x20)
            return fail(j, "a control character in a string", st);
        j->p++;
        if (c != '\\')
            strbuf_putc(&j->text, (char)c);
        else if (!escape(j, st))
            return false;
    }
    if (j->p == j->end)
        return fail(j, "a string without end", st);
    j->p++;
    return true;
}

/* --- the other values --- */

/* The run of characters that numbers and words are made of. */
static struct str word(struct json *j)
{
    json_peek(j);
    const char *from = j->p;
    while (j->p < j->end && (isalnum((unsigned char)*j->p) || strchr("+-.", *j->p)) && *j->p)
        j->p++;
    return str_make(from, (size_t)(j->p - from));
}

static bool is_number(struct str s)
{
    double v;
    size_t digits = s.n && s.p[0] == '-';
    if (digits == s.n || !isdigit((unsigned char)s.p[digits]))
        return false;
    if (s.p[digits] == '0' && digits + 1 < s.n && isalnum((unsigned char)s.p[digits + 1]) &&
        (s.p[digits + 1] | 32) != 'e')
        return false;
    return isdigit((unsigned char)s.p[s.n - 1]) && str_to_double(s, &v);
}

bool json_int(struct json *j, int64_t *out, struct status *st)
{
    struct str s = word(j);
    if (is_number(s) && str_to_i64(s, out))
        return true;
    j->p = s.p;
    return fail(j, "a whole number is wanted", st);
}

bool json_bool(struct json *j, bool *out, struct status *st)
{
    struct str s = word(j);
    *out = str_is(s, "true");
    if (*out || str_is(s, "false"))
        return true;
    j->p = s.p;
    return fail(j, "true or false is wanted", st);
}

static bool skip_plain(struct json *j, struct status *st)
{
    if (json_peek(j) == '"')
        return json_string(j, st);
    struct str s = word(j);
    if (str_is(s, "true") || str_is(s, "false") || str_is(s, "null") || is_number(s))
        return true;
    j->p = s.p;
    return fail(j, "a value is wanted", st);
}

bool json_skip(struct json *j, struct status *st)
{
    uint64_t objects = 0; /* bit d: the d-th open value is an object */
    int open = 0;
    do {
        bool more = true;
        if (open > 0) {
            bool object = objects >> (open - 1) & 1;
            if (!(object ? json_next_key(j, &more, st) : json_next_item(j, &more, st)))
                return false;
        }
        char c = json_peek(j);
        if (!more) {
            open--;
        } else if (c == '{' || c == '[') {
            if (!json_open(j, c, st))
                return false;
            objects = (objects & ~(1ull << open)) | (uint64_t)(c == '{') << open;
            open++;
        } else if (!skip_plain(j, st)) {
            return false;
        }
    } while (open > 0);
    return true;
}

bool json_end(struct json *j, struct status *st)
{
    json_peek(j);
    return j->p == j->end || fail(j, "nothing more is wanted", st);
}
