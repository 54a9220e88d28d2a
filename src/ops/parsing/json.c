/* SPDX-License-Identifier: Apache-2.0 */
/* Reading Examples in JSON. The message's form is known, so there is a function for each of its
 * levels and nesting ends with them; lists are written value by value, as protobuf's reader does.
 */
#include "ops/parsing/json.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "ops/parsing/number.h"

struct json {
    const char *p, *end;
    struct strbuf text; /* the last string or word */
    struct strmap keys; /* of the map of features */
    struct status *st;
};

static bool fail(struct json *j, const char *why)
{
    return status_invalid(j->st, "Error while parsing JSON: %s", why);
}

static bool fail_named(struct json *j, const char *why)
{
    return status_invalid(j->st, "Error while parsing JSON: %.100s: %s", strbuf_text(&j->text),
                          why);
}

/* --- tokens --- */

static char peek(struct json *j)
{
    while (j->p < j->end && strchr(" \t\r\n", *j->p) && *j->p)
        j->p++;
    return j->p < j->end ? *j->p : 0;
}

static bool accept(struct json *j, char c)
{
    bool is = peek(j) == c && j->p < j->end;
    j->p += is;
    return is;
}

static bool expect(struct json *j, char c)
{
    if (accept(j, c))
        return true;
    return j->p == j->end ? fail(j, "Unexpected end of string.")
                          : status_invalid(j->st, "Error while parsing JSON: expected '%c'", c);
}

static bool hex4(struct json *j, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, j->p++) {
        if (j->p == j->end || !isxdigit((unsigned char)*j->p))
            return fail(j, "Invalid escape sequence.");
        int c = *j->p | 32;
        *out = *out * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* After "\u". */
static bool unicode(struct json *j)
{
    uint32_t c, low;
    if (!hex4(j, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (j->end - j->p < 6 || j->p[0] != '\\' || j->p[1] != 'u')
            return fail(j, "Missing low surrogate.");
        j->p += 2;
        if (!hex4(j, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return fail(j, "Invalid low surrogate.");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xdc00 && c <= 0xdfff) {
        return fail(j, "Invalid unicode code point.");
    }
    strbuf_put_utf8(&j->text, c);
    return true;
}

/* The string that begins here, into text. */
static bool string(struct json *j)
{
    char quote = *j->p++;
    strbuf_clear(&j->text);
    while (j->p < j->end && *j->p != quote) {
        char c = *j->p++;
        if (c != '\\') {
            strbuf_putc(&j->text, c);
            continue;
        }
        if (j->p == j->end)
            break;
        static const char from[] = "bfnrtv", to[] = "\b\f\n\r\t\v";
        c = *j->p++;
        const char *at = c ? strchr(from, c) : NULL;
        if (c == 'u') {
            if (!unicode(j))
                return false;
        } else {
            strbuf_putc(&j->text, at ? to[at - from] : c);
        }
    }
    if (j->p == j->end)
        return fail(j, "Closing quote expected in string.");
    j->p++;
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_$.+-", c);
}

/* A run of letters, digits and signs, into text; false: there is none. */
static bool word(struct json *j)
{
    strbuf_clear(&j->text);
    for (char c = peek(j); c && is_word(c); c = j->p < j->end ? *j->p : 0) {
        strbuf_putc(&j->text, c);
        j->p++;
    }
    return j->text.n > 0;
}

static bool accept_null(struct json *j)
{
    const char *from = j->p;
    if (word(j) && strcmp(strbuf_text(&j->text), "null") == 0)
        return true;
    j->p = from;
    return false;
}

/* The next key of an object whose brace was read, into text; *more false at its end. */
static bool next_key(struct json *j, bool *more)
{
    bool comma = accept(j, ',');
    (void)comma;
    *more = !accept(j, '}');
    if (!*more)
        return true;
    char c = peek(j);
    if (c == '"' || c == '\'') {
        if (!string(j))
            return false;
    } else if (!word(j)) {
        return fail(j,
                    j->p == j->end ? "Unexpected end of string." : "Expected an object key or }.");
    }
    return expect(j, ':');
}

/* After a value in an object or list: a comma, or its end. */
static bool separator(struct json *j, char close)
{
    char c = peek(j);
    return c == ',' || (c == close && c) || expect(j, ',');
}

static bool named(const struct json *j, const char *camel, const char *snake)
{
    return strcmp(strbuf_text(&j->text), camel) == 0 || strcmp(strbuf_text(&j->text), snake) == 0;
}

/* --- the wire --- */

static void put_varint(struct strbuf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_putc(out, (char)(v | 0x80));
    strbuf_putc(out, (char)v);
}

static void put_bytes(struct strbuf *out, int number, const struct strbuf *bytes)
{
    put_varint(out, (uint64_t)number << 3 | 2);
    put_varint(out, bytes->n);
    strbuf_add(out, bytes->p, bytes->n);
}

/* --- values of lists --- */

enum kind { BYTES = 1, FLOATS, INTS };

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static bool base64(struct str s, struct strbuf *out)
{
    uint32_t bits = 0;
    int have = 0;
    size_t n = s.n;
    while (n && s.n - n < 2 && s.p[n - 1] == '=')
        n--;
    if (n % 4 == 1 || (n != s.n && s.n % 4))
        return false;
    for (size_t i = 0; i < n; i++) {
        int d = base64_digit(s.p[i]);
        if (d < 0)
            return false;
        bits = bits << 6 | (uint32_t)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            strbuf_putc(out, (char)(bits >> have));
        }
    }
    return true;
}

static bool plain_number(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (isalpha((unsigned char)s.p[i]) && (s.p[i] | 32) != 'e')
            return false;
    }
    return true;
}

static bool int_value(struct str s, int64_t *out)
{
    double v;
    if (number_int64(s, out))
        return true;
    if (!plain_number(s) || !number_double(s, &v) || v != floor(v) || !(fabs(v) < 0x1p63))
        return false;
    *out = (int64_t)v;
    return true;
}

static bool float_value(struct str s, float *out)
{
    double v;
    if (str_is(s, "NaN"))
        *out = NAN;
    else if (str_is(s, "Infinity"))
        *out = INFINITY;
    else if (str_is(s, "-Infinity"))
        *out = -INFINITY;
    else
        return plain_number(s) && number_double(s, &v) && fabs(v) <= (double)FLT_MAX &&
               number_float(s, out);
    return true;
}

/* One value of a list; null counts for nothing. */
static bool value(struct json *j, enum kind kind, struct strbuf *list)
{
    char c = peek(j);
    bool quoted = c == '"' || c == '\'';
    if (!quoted && accept_null(j))
        return true;
    if (!(quoted ? string(j) : word(j)))
        return !status_ok(j->st) ? false : fail(j, "Expected a value.");
    struct str s = {j->text.p ? j->text.p : "", j->text.n};
    if (kind == BYTES) {
        struct strbuf bytes = {0};
        bool ok = quoted && base64(s, &bytes);
        if (ok)
            put_bytes(list, 1, &bytes);
        strbuf_release(&bytes);
        return ok || fail_named(j, "invalid value for type TYPE_BYTES");
    }
    if (kind == FLOATS) {
        float v;
        if (!float_value(s, &v))
            return fail_named(j, "invalid value for type TYPE_FLOAT");
        put_varint(list, 1 << 3 | 5);
        strbuf_add(list, &v, 4);
        return true;
    }
    int64_t v;
    if (!int_value(s, &v))
        return fail_named(j, "invalid value for type TYPE_INT64");
    put_varint(list, 1 << 3);
    put_varint(list, (uint64_t)v);
    return true;
}

static bool values(struct json *j, enum kind kind, struct strbuf *list)
{
    if (peek(j) != '[')
        return value(j, kind, list);
    j->p++;
    while (!accept(j, ']')) {
        if (!value(j, kind, list) || !separator(j, ']'))
            return false;
        accept(j, ',');
    }
    return true;
}

/* --- messages --- */

static bool list_message(struct json *j, enum kind kind, struct strbuf *out)
{
    bool more;
    if (!expect(j, '{'))
        return false;
    for (;;) {
        if (!next_key(j, &more) || !more)
            return status_ok(j->st);
        if (!named(j, "value", "value"))
            return fail_named(j, "Cannot find field.");
        if (!values(j, kind, out) || !separator(j, '}'))
            return false;
    }
}

static int list_kind(const struct json *j)
{
    if (named(j, "bytesList", "bytes_list"))
        return BYTES;
    if (named(j, "floatList", "float_list"))
        return FLOATS;
    return named(j, "int64List", "int64_list") ? INTS : 0;
}

static bool feature(struct json *j, struct strbuf *out)
{
    bool more, set = false;
    if (!expect(j, '{'))
        return false;
    for (;;) {
        if (!next_key(j, &more) || !more)
            return status_ok(j->st);
        int kind = list_kind(j);
        if (!kind)
            return fail_named(j, "Cannot find field.");
        if (!accept_null(j)) {
            struct strbuf list = {0};
            bool ok = !set || fail(j, "invalid value oneof field 'kind' is already set.");
            ok = ok && list_message(j, (enum kind)kind, &list);
            if (ok)
                put_bytes(out, kind, &list);
            strbuf_release(&list);
            set = true;
            if (!ok)
                return false;
        }
        if (!separator(j, '}'))
            return false;
    }
}

/* An entry of the map, whose key was read. */
static bool entry(struct json *j, struct strbuf *out)
{
    struct strbuf e = {0}, f = {0};
    bool ok = !strmap_put_n(&j->keys, strbuf_text(&j->text), j->text.n, j) ||
              fail_named(j, "Repeated map key");
    put_bytes(&e, 1, &j->text);
    if (ok && !accept_null(j)) {
        ok = feature(j, &f);
        put_bytes(&e, 2, &f);
    }
    if (ok)
        put_bytes(out, 1, &e);
    strbuf_release(&e);
    strbuf_release(&f);
    return ok && separator(j, '}');
}

static bool features(struct json *j, struct strbuf *out)
{
    bool more, inner = true;
    if (!expect(j, '{'))
        return false;
    for (;;) {
        if (!next_key(j, &more) || !more)
            return status_ok(j->st);
        if (!named(j, "feature", "feature"))
            return fail_named(j, "Cannot find field.");
        if (!accept_null(j)) {
            if (!expect(j, '{'))
                return false;
            while ((inner = next_key(j, &more)) && more) {
                if (!entry(j, out))
                    return false;
            }
        }
        if (!inner || !separator(j, '}'))
            return false;
    }
}

static bool example(struct json *j, struct strbuf *out)
{
    bool more;
    if (j->p == j->end || !peek(j))
        return fail(j, "Unexpected end of string. Expected a value.");
    if (!accept(j, '{'))
        return fail(j, ": Root element must be a message.");
    for (;;) {
        if (!next_key(j, &more))
            return false;
        if (!more)
            break;
        if (!named(j, "features", "features"))
            return fail_named(j, "Cannot find field.");
        if (!accept_null(j)) {
            struct strbuf inner = {0};
            bool ok = features(j, &inner);
            if (ok)
                put_bytes(out, 1, &inner);
            strbuf_release(&inner);
            if (!ok)
                return false;
        }
        if (!separator(j, '}'))
            return false;
    }
    return peek(j) == 0 && j->p == j->end ? true
                                          : fail(j, "Parsing terminated before end of input.");
}

bool json_example(struct str json, struct strbuf *out, struct status *st)
{
    struct json j = {.p = json.n ? json.p : "", .st = st};
    size_t before = out->n;
    j.end = j.p + json.n;
    bool ok = example(&j, out);
    if (!ok)
        out->n = before;
    strbuf_release(&j.text);
    strmap_release(&j.keys);
    return ok;
}
