/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the text form byte for byte as Python's text_format does: fields by number, two spaces a
 * level, map entries by key, an Any of a known type opened up, unknown fields left out. */
#include "base/mem.h"
#include "proto/pb_lex.h"
#include "proto/pb_wire.h"

enum { INDENT = 2 };

struct printer {
    struct strbuf *out;
    struct status *st;
    struct arena arena; /* messages unpacked from Any */
    int depth;
    bool as_str; /* PB_AS_STR */
};

static void put_escaped(struct strbuf *out, struct str s)
{
    strbuf_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\'' || c == '\\')
            strbuf_printf(out, "\\%c", c);
        else if (c == '\n' || c == '\r' || c == '\t')
            strbuf_puts(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        else if (c < 0x20 || c >= 0x7F)
            strbuf_printf(out, "\\%03o", c);
        else
            strbuf_putc(out, (char)c);
    }
    strbuf_putc(out, '"');
}

static void put_enum(struct strbuf *out, const struct pb_enum *e, int32_t number)
{
    const struct pb_enum_value *v = pb_enum_by_number(e, number);
    if (v)
        strbuf_puts(out, v->name);
    else
        strbuf_printf(out, "%d", (int)number);
}

static void put_scalar(const struct printer *p, const struct pb_field *f, struct pb_value v)
{
    struct strbuf *out = p->out;
    switch (f->type) {
    case PB_TYPE_STRING:
    case PB_TYPE_BYTES:
        put_escaped(out, v.s);
        break;
    case PB_TYPE_DOUBLE:
        pb_put_double(out, v.d);
        break;
    case PB_TYPE_FLOAT:
        if (p->as_str)
            pb_put_double(out, v.d);
        else
            pb_put_float(out, (float)v.d);
        break;
    case PB_TYPE_BOOL:
        strbuf_puts(out, v.b ? "true" : "false");
        break;
    case PB_TYPE_ENUM:
        put_enum(out, f->enumeration, (int32_t)v.i);
        break;
    case PB_TYPE_UINT32:
    case PB_TYPE_UINT64:
    case PB_TYPE_FIXED32:
    case PB_TYPE_FIXED64:
        strbuf_printf(out, "%llu", (unsigned long long)v.u);
        break;
    default:
        strbuf_printf(out, "%lld", (long long)v.i);
    }
}

static bool print_fields(struct printer *p, const struct pb_base *m);

static void indent(struct printer *p)
{
    for (int i = 0; i < INDENT * p->depth; i++)
        strbuf_putc(p->out, ' ');
}

/* What follows the name: " {", the fields one level in, "}". m NULL: an empty message. */
static bool print_body(struct printer *p, const struct pb_base *m)
{
    if (p->depth >= PB_MAX_DEPTH)
        return status_invalid(p->st, "protobuf: %s: messages nested more than %d deep",
                              m ? m->desc->full_name : "text", PB_MAX_DEPTH);
    strbuf_puts(p->out, " {\n");
    p->depth++;
    bool ok = !m || print_fields(p, m);
    p->depth--;
    indent(p);
    strbuf_puts(p->out, "}\n");
    return ok;
}

/* Whether the URL can be read back as it is between brackets; *type is what follows its last slash.
 */
static bool split_url(struct str url, struct str *type)
{
    size_t prefix = 0;
    for (size_t i = 0; i < url.n; i++) {
        if (!lex_in_url(url.p[i]))
            return false;
        if (url.p[i] == '/')
            prefix = i + 1;
    }
    if (prefix > 0)
        *type = str_make(url.p + prefix, url.n - prefix);
    return prefix > 0;
}

/* Prints an Any opened up. False, and nothing printed, where its type is unknown, its bytes are not
 * of that type, or it would lie too deep. */
static bool print_any(struct printer *p, const struct pb_base *m)
{
    struct str url = *(struct str *)pb_slot(m, &m->desc->fields[0]);
    struct str value = *(struct str *)pb_slot(m, &m->desc->fields[1]);
    struct str type;
    const struct pb_desc *d = split_url(url, &type) ? pb_find_desc(type) : NULL;
    if (!d)
        return false;
    struct status ignored = {0}, *outer = p->st;
    size_t mark = p->out->n;
    void *packed = NULL;
    p->st = &ignored;
    bool ok = pb_decode(&p->arena, d, value.p, value.n, PB_BORROW, &packed, &ignored);
    if (ok) {
        indent(p);
        strbuf_putc(p->out, '[');
        strbuf_add(p->out, url.p, url.n);
        strbuf_putc(p->out, ']');
        ok = print_body(p, packed);
    }
    if (!ok && p->out->n > mark) {
        p->out->n = mark;
        p->out->p[mark] = '\0';
    }
    p->st = outer;
    status_clear(&ignored);
    return ok;
}

static bool print_element(struct printer *p, const struct pb_field *f, struct pb_value v)
{
    indent(p);
    strbuf_puts(p->out, f->name);
    if (f->type == PB_TYPE_MESSAGE)
        return print_body(p, v.m);
    strbuf_puts(p->out, ": ");
    put_scalar(p, f, v);
    strbuf_putc(p->out, '\n');
    return true;
}

static bool print_map(struct printer *p, const struct pb_field *f, const struct pb_any_list *list)
{
    void **entries = pb_map_sorted(list);
    bool ok = true;
    for (int64_t i = 0; ok && i < list->n; i++)
        ok = print_element(p, f, (struct pb_value){.m = entries[i]});
    mem_free(entries);
    return ok;
}

/* As pb_count, but whether keys and values of map entries are left out when they are the default is
 * the printer's to say. */
static int64_t num_shown(const struct printer *p, const struct pb_base *m, const struct pb_field *f)
{
    if (!m->desc->is_map_entry || f->type == PB_TYPE_MESSAGE)
        return pb_count(m, f);
    if (p->as_str)
        return 1;
    const void *slot = pb_slot(m, f);
    return pb_is_number(f->type) ? pb_load(f->type, slot) != 0 : ((const struct str *)slot)->n > 0;
}

static bool print_fields(struct printer *p, const struct pb_base *m)
{
    if (strcmp(m->desc->full_name, "google.protobuf.Any") == 0 && print_any(p, m))
        return true;
    for (int i = 0; i < m->desc->num_fields; i++) {
        const struct pb_field *f = &m->desc->fields[i];
        if (f->label == PB_MAP) {
            if (!print_map(p, f, pb_slot(m, f)))
                return false;
            continue;
        }
        int64_t n = num_shown(p, m, f);
        for (int64_t k = 0; k < n; k++)
            if (!print_element(p, f, pb_get(m, f, k)))
                return false;
    }
    return true;
}

bool pb_text_print(const void *msg, struct strbuf *out, struct status *st)
{
    return pb_text_print_with(msg, 0, out, st);
}

bool pb_text_print_with(const void *msg, unsigned flags, struct strbuf *out, struct status *st)
{
    struct printer p = {.out = out, .st = st, .as_str = (flags & PB_AS_STR) != 0};
    bool ok = print_fields(&p, msg);
    arena_release(&p.arena);
    return ok;
}
