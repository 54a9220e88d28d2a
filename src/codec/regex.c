/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* RE2's syntax over PCRE2: a pattern is checked and rewritten where the two mean different things
 * by the same text, then compiled with RE2's defaults. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"
#include "codec/regex.h"

enum {
    MAX_PATTERN = 1 << 16,
    MAX_REPEAT = 1000,
    MATCH_STEPS = 10000000,
    MATCH_DEPTH = 100000,
    MATCH_KIB = 64 << 10,
};

struct regex {
    pcre2_code *code;
    pcre2_match_context *limits;
};

/* --- the syntax --- */

struct translation {
    struct str pattern;
    size_t at;
    bool can_repeat; /* there is something in front that may be repeated */
    struct strbuf out;
};

static bool refuse(const struct translation *t, const char *why, size_t from, size_t to,
                   struct status *st)
{
    return status_invalid(st, "Invalid pattern: %.*s, error: %s: %.*s",
                          t->pattern.n > 200 ? 200 : (int)t->pattern.n, t->pattern.p, why,
                          (int)(to - from > 200 ? 200 : to - from), t->pattern.p + from);
}

static char peek(const struct translation *t, size_t ahead)
{
    return t->at + ahead < t->pattern.n ? t->pattern.p[t->at + ahead] : 0;
}

static void copy(struct translation *t, size_t n)
{
    n = n > t->pattern.n - t->at ? t->pattern.n - t->at : n;
    strbuf_add(&t->out, t->pattern.p + t->at, n);
    t->at += n;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* An escape, at its backslash. */
static bool escape(struct translation *t, bool in_class, struct status *st)
{
    char c = peek(t, 1);
    if (c == 'v') {
        strbuf_puts(&t->out, "\\x0b");
        t->at += 2;
        return true;
    }
    if (c == 's') { /* without the vertical tab */
        strbuf_puts(&t->out, in_class ? "\\t\\n\\f\\r " : "[\\t\\n\\f\\r ]");
        t->at += 2;
        return true;
    }
    if (c == 'S' && !in_class) {
        strbuf_puts(&t->out, "[^\\t\\n\\f\\r ]");
        t->at += 2;
        return true;
    }
    if (c == '0' || (is_octal(c) && c != '0' && is_octal(peek(t, 2)))) {
        int v = 0;
        t->at++;
        for (int i = 0; i < 3 && is_octal(peek(t, 0)); i++, t->at++)
            v = v * 8 + (peek(t, 0) - '0');
        strbuf_printf(&t->out, "\\x{%x}", v);
        return true;
    }
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const char *known = in_class ? "afnrtxdDSwWpP" : "afnrtxQEAbBzdDwWpP";
    if (!c || (word && !strchr(known, c)) || (unsigned char)c > 127)
        return refuse(t, "invalid escape sequence", t->at,
                      t->at + 2 > t->pattern.n ? t->at + 1 : t->at + 2, st);
    copy(t, 2);
    if (c == 'Q') { /* up to \E as it is */
        while (t->at < t->pattern.n && !(peek(t, 0) == '\\' && peek(t, 1) == 'E'))
            copy(t, 1);
        copy(t, 2);
    } else if (c == 'x' || c == 'p' || c == 'P') {
        if (peek(t, 0) == '{') {
            while (t->at < t->pattern.n && peek(t, 0) != '}')
                copy(t, 1);
        }
        copy(t, c == 'x' && peek(t, 0) != '}' ? 2 : 1);
    }
    return true;
}

static bool class_of(struct translation *t, struct status *st)
{
    size_t from = t->at;
    copy(t, 1);
    if (peek(t, 0) == '^')
        copy(t, 1);
    for (bool first = true; t->at < t->pattern.n; first = false) {
        if (peek(t, 0) == ']' && !first) {
            copy(t, 1);
            return true;
        }
        if (peek(t, 0) == ']') {
            strbuf_putc(&t->out, '\\');
            copy(t, 1);
        } else if (peek(t, 0) == '[' && peek(t, 1) == ':') {
            do
                copy(t, 1);
            while (t->at < t->pattern.n && peek(t, 0) != ']');
            copy(t, 1);
        } else if (peek(t, 0) == '[') {
            strbuf_putc(&t->out, '\\');
            copy(t, 1);
        } else if (peek(t, 0) == '\\') {
            if (!escape(t, true, st))
                return false;
        } else {
            copy(t, 1);
        }
    }
    return refuse(t, "missing ]", from, t->pattern.n, st);
}

/* A parenthesis: a group, one with a name, or flags. */
static bool group(struct translation *t, struct status *st)
{
    char kind = peek(t, 1) == '?' ? peek(t, 2) : 0;
    if (peek(t, 1) == '*')
        return refuse(t, "no argument for repetition operator", t->at + 1, t->at + 2, st);
    if (peek(t, 1) == '?' && !(kind == 'P' && peek(t, 3) == '<')) {
        size_t n = 2;
        while (peek(t, n) && strchr("imsU-", peek(t, n)))
            n++;
        if (peek(t, n) != ':' && (peek(t, n) != ')' || n == 2))
            return refuse(t, "invalid perl operator", t->at,
                          t->at + 3 > t->pattern.n ? t->pattern.n : t->at + 3, st);
        copy(t, n);
        if (peek(t, 0) == ':')
            copy(t, 1);
    } else if (kind == 'P') {
        copy(t, 4);
    } else {
        copy(t, 1);
    }
    t->can_repeat = false;
    return true;
}

/* {n}, {n,} or {n,m}: its length, or 0 where the brace is a letter. */
static size_t counted(const struct translation *t, int64_t *most)
{
    size_t n = 1, digits = 0;
    int64_t v = 0;
    *most = 0;
    for (;; n++) {
        char c = peek(t, n);
        if (c >= '0' && c <= '9') {
            digits++;
            v = v < 1 << 20 ? v * 10 + (c - '0') : v;
            *most = v > *most ? v : *most;
        } else if (c == ',' && digits) {
            v = 0;
        } else {
            return c == '}' && digits ? n + 1 : 0;
        }
    }
}

static bool repeat(struct translation *t, size_t n, struct status *st)
{
    if (!t->can_repeat)
        return refuse(t, "no argument for repetition operator", t->at, t->at + n, st);
    size_t from = t->at;
    copy(t, n);
    if (peek(t, 0) == '?')
        copy(t, 1);
    int64_t most;
    char c = peek(t, 0);
    if (c == '*' || c == '+' || c == '?' || (c == '{' && counted(t, &most)))
        return refuse(t, "bad repetition operator", from, t->at + 1, st);
    return true;
}

static bool translate(struct translation *t, struct status *st)
{
    while (t->at < t->pattern.n) {
        int64_t most = 0;
        char c = peek(t, 0);
        size_t n = c == '{' ? counted(t, &most) : (size_t)(c == '*' || c == '+' || c == '?');
        if (most > MAX_REPEAT)
            return refuse(t, "invalid repetition size", t->at, t->at + n, st);
        if (n) {
            if (!repeat(t, n, st))
                return false;
        } else if (c == '(') {
            if (!group(t, st))
                return false;
        } else {
            if (c == '\\' ? !escape(t, false, st) : c == '[' && !class_of(t, st))
                return false;
            if (c == '{')
                strbuf_putc(&t->out, '\\');
            if (c != '\\' && c != '[')
                copy(t, 1);
            t->can_repeat = c != '|';
        }
    }
    return true;
}

/* --- making and using one --- */

static bool compile(struct regex *r, const struct translation *t, bool whole_text,
                    struct status *st)
{
    uint32_t options =
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
    if (whole_text)
        options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    int code;
    PCRE2_SIZE at;
    r->code = pcre2_compile((PCRE2_SPTR)strbuf_text(&t->out), t->out.n, options, &code, &at, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (!r->code) {
        PCRE2_UCHAR why[128] = "";
        pcre2_get_error_message(code, why, sizeof why);
        return refuse(t, (const char *)why, 0, t->pattern.n, st);
    }
    if (!r->limits)
        return status_exhausted(st, "no memory for a regular expression");
    pcre2_set_match_limit(r->limits, MATCH_STEPS);
    pcre2_set_depth_limit(r->limits, MATCH_DEPTH);
    pcre2_set_heap_limit(r->limits, MATCH_KIB);
    return true;
}

struct regex *regex_new(struct str pattern, bool whole_text, struct status *st)
{
    struct translation t = {.pattern = pattern};
    struct regex *r = mem_new(struct regex);
    bool ok = pattern.n <= MAX_PATTERN ||
              status_invalid(st, "a pattern may have at most %d bytes", MAX_PATTERN);
    ok = ok && translate(&t, st) && compile(r, &t, whole_text, st);
    strbuf_release(&t.out);
    if (ok)
        return r;
    regex_free(r);
    return NULL;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre2_code_free(r->code);
    pcre2_match_context_free(r->limits);
    mem_free(r);
}

/* Looks from `at` on: *found, and the match in m. */
static bool look(const struct regex *r, struct str text, size_t at, pcre2_match_data *m,
                 bool *found, struct status *st)
{
    int n =
        m ? pcre2_match(r->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, at, 0, m, r->limits)
          : PCRE2_ERROR_NOMEMORY;
    *found = n > 0;
    if (n > 0 || n == PCRE2_ERROR_NOMATCH)
        return true;
    PCRE2_UCHAR why[128] = "";
    pcre2_get_error_message(n, why, sizeof why);
    return status_exhausted(st, "matching a regular expression takes too long: %s",
                            (const char *)why);
}

bool regex_matches(const struct regex *r, struct str text, bool *matches, struct status *st)
{
    pcre2_match_data *m = pcre2_match_data_create_from_pattern(r->code, NULL);
    bool ok = look(r, text, 0, m, matches, st);
    pcre2_match_data_free(m);
    return ok;
}

/* Appends the rewrite; false: it names a group that there is not, or ends amiss. */
static bool put_rewrite(struct str text, struct str rewrite, pcre2_match_data *m,
                        struct strbuf *out)
{
    const PCRE2_SIZE *v = pcre2_get_ovector_pointer(m);
    uint32_t groups = pcre2_get_ovector_count(m);
    for (size_t i = 0; i < rewrite.n; i++) {
        char c = rewrite.p[i];
        if (c != '\\') {
            strbuf_putc(out, c);
            continue;
        }
        c = ++i < rewrite.n ? rewrite.p[i] : 0;
        if (c == '\\') {
            strbuf_putc(out, c);
        } else if (c >= '0' && c <= '9' && (uint32_t)(c - '0') < groups) {
            size_t g = (size_t)(c - '0') * 2;
            if (v[g] != PCRE2_UNSET)
                strbuf_add(out, text.p + v[g], v[g + 1] - v[g]);
        } else {
            return false;
        }
    }
    return true;
}

static size_t char_size(struct str s, size_t at)
{
    size_t n = 1;
    while (at + n < s.n && n < 4 && ((unsigned char)s.p[at + n] & 0xc0) == 0x80)
        n++;
    return n;
}

static bool replace(const struct regex *r, struct str text, struct str rewrite, bool all,
                    pcre2_match_data *m, struct strbuf *out, struct status *st)
{
    size_t done = 0, at = 0, last_end = SIZE_MAX, start = out->n;
    bool found;
    while (at <= text.n) {
        if (!look(r, text, at, m, &found, st))
            return false;
        if (!found)
            break;
        const PCRE2_SIZE *v = pcre2_get_ovector_pointer(m);
        size_t from = v[0], to = v[1];
        if (from == to && from == last_end) { /* no empty match right behind another */
            at = from + (from < text.n ? char_size(text, from) : 1);
            continue;
        }
        strbuf_add(out, text.p + done, from - done);
        if (!put_rewrite(text, rewrite, m, out) && !all) {
            out->n = start;
            done = 0;
            break;
        }
        done = last_end = to;
        at = to;
        if (!all)
            break;
    }
    strbuf_add(out, text.p + done, text.n - done);
    return true;
}

bool regex_replace(const struct regex *r, struct str text, struct str rewrite, bool all,
                   struct strbuf *out, struct status *st)
{
    pcre2_match_data *m = pcre2_match_data_create_from_pattern(r->code, NULL);
    bool ok = replace(r, text, rewrite, all, m, out, st);
    pcre2_match_data_free(m);
    return ok;
}
