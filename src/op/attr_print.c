/* SPDX-License-Identifier: Apache-2.0 */
/* Attr values as text for people: messages and dumps. Long lists and strings lose their middle, so
 * that a message stays readable whatever the value. */
#include "op/attr_print.h"

#include <ctype.h>
#include <stdlib.h>

enum {
    LIST_SHORT = 15, /* lists of fewer items are written in full */
    LIST_ENDS = 5,
    STRING_SHORT = 80, /* strings of fewer bytes are written in full */
    STRING_ENDS = 10,
    TENSOR_ELEMS = 3,
    MAX_DEPTH = 8, /* of functions in attrs of functions */
};

void attr_print_dtype(int dtype, struct strbuf *out)
{
    if (!dtype_valid(dtype)) {
        strbuf_printf(out, dtype == DT_INVALID ? "DT_INVALID" : "%d", dtype);
        return;
    }
    strbuf_puts(out, "DT_");
    for (const char *p = dtype_name(dtype); *p; p++)
        strbuf_putc(out, (char)toupper((unsigned char)*p));
}

void attr_print_float(float f, struct strbuf *out)
{
    size_t begin = out->n;
    strbuf_printf(out, "%.6g", (double)f);
    double back;
    if (str_to_double(str_make(out->p + begin, out->n - begin), &back) && (float)back == f)
        return;
    if (f != f)
        return;
    out->n = begin;
    strbuf_printf(out, "%.8g", (double)f);
}

void attr_print_escaped(struct str s, struct strbuf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *named = c == '\n'   ? "\\n"
                            : c == '\r' ? "\\r"
                            : c == '\t' ? "\\t"
                            : c == '"'  ? "\\\""
                            : c == '\'' ? "\\'"
                            : c == '\\' ? "\\\\"
                                        : NULL;
        if (named)
            strbuf_puts(out, named);
        else if (c < 0x20 || c >= 0x7f)
            strbuf_printf(out, "\\%03o", c);
        else
            strbuf_putc(out, (char)c);
    }
}

static void print_string(struct str s, struct strbuf *out)
{
    strbuf_putc(out, '"');
    if (s.n < STRING_SHORT) {
        attr_print_escaped(s, out);
    } else {
        attr_print_escaped(str_make(s.p, STRING_ENDS), out);
        strbuf_puts(out, "...");
        attr_print_escaped(str_make(s.p + s.n - STRING_ENDS, STRING_ENDS), out);
    }
    strbuf_putc(out, '"');
}

static void print_tensor(const struct tensor *t, struct strbuf *out)
{
    strbuf_printf(out, "Tensor<type: %s shape: ", dtype_name(t->dtype));
    shape_print(&t->shape, out);
    strbuf_puts(out, " values: ");
    tensor_summarize(t, TENSOR_ELEMS, out);
    strbuf_putc(out, '>');
}

static void print_attrs(const struct attrs *a, int depth, struct strbuf *out);
static void print_value(const struct attr_value *v, int depth, struct strbuf *out);

static void print_func(const struct attr_func *f, int depth, struct strbuf *out)
{
    strbuf_puts(out, f->name);
    strbuf_putc(out, '[');
    if (depth < MAX_DEPTH)
        print_attrs(&f->attrs, depth + 1, out);
    else
        strbuf_puts(out, "...");
    strbuf_putc(out, ']');
}

/* Item i of a list as a value that borrows it. */
static struct attr_value list_item(const struct attr_value *list, int64_t i)
{
    struct attr_value v = {.kind = list->kind};
    switch (list->kind) {
    case ATTR_STRING:
        v.s = list->ss[i];
        break;
    case ATTR_INT:
        v.i = list->is[i];
        break;
    case ATTR_FLOAT:
        v.f = list->fs[i];
        break;
    case ATTR_BOOL:
        v.b = list->bs[i];
        break;
    case ATTR_TYPE:
        v.type = list->types[i];
        break;
    case ATTR_SHAPE:
        v.shape = list->shapes[i];
        break;
    case ATTR_TENSOR:
        v.tensor = list->tensors[i];
        break;
    case ATTR_FUNC:
        v.func = list->funcs[i];
        break;
    default:
        v.kind = ATTR_NONE;
    }
    return v;
}

/* Before item i of n: the comma, or the dots where the middle is left out. Returns the index to
 * print next. */
static int64_t next_item(int64_t i, int64_t n, struct strbuf *out)
{
    if (i > 0)
        strbuf_puts(out, ", ");
    if (n >= LIST_SHORT && i == LIST_ENDS) {
        strbuf_puts(out, "..., ");
        return n - LIST_ENDS;
    }
    return i;
}

static void print_list(const struct attr_value *v, int depth, struct strbuf *out)
{
    strbuf_putc(out, '[');
    for (int64_t i = 0; i < v->n; i++) {
        i = next_item(i, v->n, out);
        struct attr_value item = list_item(v, i);
        print_value(&item, depth, out);
    }
    strbuf_putc(out, ']');
}

static void print_value(const struct attr_value *v, int depth, struct strbuf *out)
{
    if (v->is_list) {
        print_list(v, depth, out);
        return;
    }
    switch (v->kind) {
    case ATTR_STRING:
        print_string(v->s, out);
        break;
    case ATTR_INT:
        strbuf_printf(out, "%lld", (long long)v->i);
        break;
    case ATTR_FLOAT:
        attr_print_float(v->f, out);
        break;
    case ATTR_BOOL:
        strbuf_puts(out, v->b ? "true" : "false");
        break;
    case ATTR_TYPE:
        attr_print_dtype(v->type, out);
        break;
    case ATTR_SHAPE:
        shape_print(&v->shape, out);
        break;
    case ATTR_TENSOR:
        print_tensor(&v->tensor, out);
        break;
    case ATTR_PLACEHOLDER:
        strbuf_putc(out, '$');
        strbuf_add(out, v->s.p, v->s.n);
        break;
    case ATTR_FUNC:
        print_func(v->func, depth, out);
        break;
    default:
        strbuf_puts(out, "<Unknown AttrValue type>");
    }
}

void attr_value_print(const struct attr_value *v, struct strbuf *out)
{
    print_value(v, 0, out);
}

static void print_attrs(const struct attrs *a, int depth, struct strbuf *out)
{
    for (int64_t i = 0; i < a->n; i++) {
        strbuf_printf(out, "%s%s=", i ? ", " : "", a->items[i].name);
        print_value(&a->items[i].value, depth, out);
    }
}

void attrs_print(const struct attrs *a, struct strbuf *out)
{
    print_attrs(a, 0, out);
}

void attr_print_types(const uint8_t *types, int64_t n, struct strbuf *out)
{
    for (int64_t i = 0; i < n; i++) {
        i = next_item(i, n, out);
        attr_print_dtype(types[i], out);
    }
}

const char *attr_kind_name(int kind)
{
    static const char *const names[] = {"string", "int",    "float",       "bool", "type",
                                        "shape",  "tensor", "placeholder", "func"};
    return kind >= 0 && kind < (int)ARRAY_LEN(names) ? names[kind] : "";
}

void attr_print_kind(const struct attr_value *v, struct strbuf *out)
{
    if (v->is_list)
        strbuf_printf(out, v->n ? "list(%s)" : "list()%.0s", attr_kind_name(v->kind));
    else
        strbuf_puts(out, attr_kind_name(v->kind));
}
