/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of what was found, and their two forms. */
#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum node_kind { NODE_OBJECT, NODE_LIST, NODE_TEXT, NODE_INT, NODE_REAL, NODE_BOOL };

struct report_node {
    enum node_kind kind;
    const char *key; /* NULL: an item of a list, or the root */
    struct report_node *first, *last, *next;
    struct str text;
    int64_t whole;
    double real;
};

static struct report_node *add(struct report *r, struct report_node *in, const char *key,
                               enum node_kind kind)
{
    struct report_node *n = arena_new(&r->arena, struct report_node);
    *n = (struct report_node){.kind = kind, .key = key ? arena_strdup(&r->arena, key) : NULL};
    if (in && in->last)
        in->last->next = n;
    else if (in)
        in->first = n;
    if (in)
        in->last = n;
    return n;
}

void report_init(struct report *r)
{
    *r = (struct report){0};
    r->root = add(r, NULL, NULL, NODE_OBJECT);
}

void report_release(struct report *r)
{
    arena_release(&r->arena);
    r->root = NULL;
}

struct report_node *report_object(struct report *r, struct report_node *in, const char *key)
{
    return add(r, in, key, NODE_OBJECT);
}

struct report_node *report_list(struct report *r, struct report_node *in, const char *key)
{
    return add(r, in, key, NODE_LIST);
}

void report_text(struct report *r, struct report_node *in, const char *key, struct str value)
{
    struct report_node *n = add(r, in, key, NODE_TEXT);
    n->text = str_make(arena_strndup(&r->arena, value.p ? value.p : "", value.n), value.n);
}

void report_int(struct report *r, struct report_node *in, const char *key, int64_t value)
{
    add(r, in, key, NODE_INT)->whole = value;
}

void report_real(struct report *r, struct report_node *in, const char *key, double value)
{
    add(r, in, key, NODE_REAL)->real = value;
}

void report_bool(struct report *r, struct report_node *in, const char *key, bool value)
{
    add(r, in, key, NODE_BOOL)->whole = value;
}

/* --- texts --- */

/* Bytes of the UTF-8 sequence that begins at p, of at most n; 0: none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t length = p[0] < 0x80                   ? 1
                    : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                    : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                    : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
               (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90);
    return bad ? 0 : length;
}

/* The bytes, with what would confuse a reader escaped: as JSON does, or as C for people. */
static void print_bytes(struct strbuf *out, struct str s, bool json)
{
    const unsigned char *p = (const unsigned char *)s.p;
    for (size_t i = 0; i < s.n;) {
        size_t n = utf8_length(p + i, s.n - i);
        if (n == 1 && (p[i] < 0x20 || p[i] == 0x7f)) {
            const char *name = p[i] == '\n' ? "\\n" : p[i] == '\t' ? "\\t" : NULL;
            if (name)
                strbuf_puts(out, name);
            else
                strbuf_printf(out, json ? "\\u%04x" : "\\x%02x", p[i]);
        } else if (n == 1 && (p[i] == '\\' || (json && p[i] == '"'))) {
            strbuf_putc(out, '\\');
            strbuf_putc(out, (char)p[i]);
        } else if (n > 0) {
            strbuf_add(out, p + i, n);
        } else { /* not UTF-8 */
            strbuf_printf(out, json ? "\\\\x%02x" : "\\x%02x", p[i]);
        }
        i += n > 0 ? n : 1;
    }
}

static void print_real(struct strbuf *out, double v, bool json)
{
    if (isfinite(v))
        strbuf_printf(out, "%.9g", v);
    else
        strbuf_puts(out, json ? "null" : isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

/* --- JSON --- */

static void json_text(struct strbuf *out, struct str s)
{
    strbuf_putc(out, '"');
    print_bytes(out, s, true);
    strbuf_putc(out, '"');
}

/* Trees are a few levels deep: those who make them see to it. */
static void json_node(const struct report_node *n, struct strbuf *out)
{
    switch (n->kind) {
    case NODE_TEXT:
        json_text(out, n->text);
        return;
    case NODE_INT:
        strbuf_printf(out, "%" PRId64, n->whole);
        return;
    case NODE_REAL:
        print_real(out, n->real, true);
        return;
    case NODE_BOOL:
        strbuf_puts(out, n->whole ? "true" : "false");
        return;
    default:
        break;
    }
    bool list = n->kind == NODE_LIST;
    strbuf_putc(out, list ? '[' : '{');
    for (const struct report_node *c = n->first; c; c = c->next) {
        if (c != n->first)
            strbuf_puts(out, ", ");
        if (!list) {
            json_text(out, str_of(c->key));
            strbuf_puts(out, ": ");
        }
        json_node(c, out);
    }
    strbuf_putc(out, list ? ']' : '}');
}

void report_print_json(const struct report *r, struct strbuf *out)
{
    json_node(r->root, out);
    strbuf_putc(out, '\n');
}

/* --- text --- */

static bool is_plain(const struct report_node *n)
{
    return n->kind != NODE_OBJECT && n->kind != NODE_LIST;
}

static bool all_plain(const struct report_node *n)
{
    for (const struct report_node *c = n->first; c; c = c->next) {
        if (!is_plain(c))
            return false;
    }
    return true;
}

static void plain_value(const struct report_node *n, struct strbuf *out)
{
    if (n->kind == NODE_TEXT)
        print_bytes(out, n->text, false);
    else if (n->kind == NODE_REAL)
        print_real(out, n->real, false);
    else if (n->kind == NODE_BOOL)
        strbuf_puts(out, n->whole ? "yes" : "no");
    else
        strbuf_printf(out, "%" PRId64, n->whole);
}

/* "a  b  key c": the values of an object in one line; the first few go without their keys. */
static void one_line(const struct report_node *n, struct strbuf *out)
{
    for (const struct report_node *c = n->first; c; c = c->next) {
        if (c != n->first)
            strbuf_puts(out, "  ");
        if (c->key && c->kind != NODE_TEXT)
            strbuf_printf(out, "%s ", c->key);
        plain_value(c, out);
    }
}

static void text_node(const struct report_node *n, int depth, struct strbuf *out)
{
    for (const struct report_node *c = n->first; c; c = c->next) {
        for (int i = 0; i < depth; i++)
            strbuf_puts(out, "  ");
        if (c->key)
            strbuf_printf(out, "%s:", c->key);
        if (is_plain(c)) {
            strbuf_puts(out, c->key ? " " : "");
            plain_value(c, out);
        } else if (!c->key && c->kind == NODE_OBJECT && all_plain(c)) {
            one_line(c, out);
        } else {
            if (!c->first)
                strbuf_puts(out, c->key ? " none" : "none");
            else if (!c->key)
                strbuf_putc(out, '-');
            strbuf_putc(out, '\n');
            text_node(c, depth + 1, out);
            continue;
        }
        strbuf_putc(out, '\n');
    }
}

void report_print_text(const struct report *r, struct strbuf *out)
{
    text_node(r->root, 0, out);
}
