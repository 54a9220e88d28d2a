/* SPDX-License-Identifier: Apache-2.0 */
/* leat_op_spec: a definition as lines for programs to parse.
 *
 * Made of the parsed definition, not of the texts it was parsed from: groups of types are spelled
 * out, and a default has one form whatever form it was given in. Reading a line with the parser of
 * op/op_spec.c gives the same definition again. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "leat/info.h"
#include "op/attr_print.h"
#include "op/op.h"

/* --- values --- */

static void print_text(struct str s, struct strbuf *out)
{
    strbuf_putc(out, '"');
    attr_print_escaped(s, out);
    strbuf_putc(out, '"');
}

/* In as few digits as give the same number again. */
static void print_float(float f, struct strbuf *out)
{
    for (int digits = 6; digits <= 9; digits++) {
        const size_t begin = out->n;
        double back;
        strbuf_printf(out, "%.*g", digits, (double)f);
        if (digits == 9 || f != f ||
            (str_to_double(str_make(out->p + begin, out->n - begin), &back) && (float)back == f))
            return;
        out->n = begin;
    }
}

static void print_shape(const struct shape *s, struct strbuf *out)
{
    if (s->rank < 0) {
        strbuf_puts(out, "<unknown>");
        return;
    }
    strbuf_putc(out, '[');
    for (int i = 0; i < s->rank; i++)
        strbuf_printf(out, "%s%lld", i > 0 ? "," : "", (long long)shape_dim(s, i));
    strbuf_putc(out, ']');
}

static double number_at(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
#define LOAD(id, type)                                                                             \
    case DT_##id:                                                                                  \
        return (double)((const type *)t->data)[i];
        LOAD(FLOAT, float)
        LOAD(DOUBLE, double)
        LOAD(INT32, int32_t)
        LOAD(UINT8, uint8_t)
        LOAD(INT16, int16_t)
        LOAD(INT8, int8_t)
        LOAD(INT64, int64_t)
        LOAD(BOOL, bool)
#undef LOAD
    default:
        ASSERT(false); /* op_default.c makes no others */
        return 0;
    }
}

static void print_tensor(const struct tensor *t, struct strbuf *out)
{
    const bool is_float = dtype_is_float(t->dtype);
    strbuf_printf(out, "{ dtype: %s tensor_shape {", dtype_name(t->dtype));
    for (int i = 0; i < t->shape.rank; i++)
        strbuf_printf(out, " dim { size: %lld }", (long long)shape_dim(&t->shape, i));
    strbuf_puts(out, " }");
    for (int64_t i = 0; i < t->num_elems; i++)
        strbuf_printf(out, is_float ? " float_val: %.17g" : " int_val: %.0f", number_at(t, i));
    strbuf_puts(out, " }");
}

static void print_item(const struct attr_value *v, int64_t i, struct strbuf *out)
{
    const bool list = v->is_list;
    switch (v->kind) {
    case ATTR_STRING:
        print_text(list ? v->ss[i] : v->s, out);
        break;
    case ATTR_INT:
        strbuf_printf(out, "%lld", (long long)(list ? v->is[i] : v->i));
        break;
    case ATTR_FLOAT:
        print_float(list ? v->fs[i] : v->f, out);
        break;
    case ATTR_BOOL:
        strbuf_puts(out, (list ? v->bs[i] : v->b) ? "true" : "false");
        break;
    case ATTR_TYPE:
        strbuf_puts(out, dtype_name(list ? v->types[i] : v->type));
        break;
    case ATTR_SHAPE:
        print_shape(list ? &v->shapes[i] : &v->shape, out);
        break;
    case ATTR_TENSOR:
        print_tensor(list ? &v->tensors[i] : &v->tensor, out);
        break;
    default:
        strbuf_puts(out, "{ name: ");
        print_text(str_of(list ? v->funcs[i]->name : v->func->name), out);
        strbuf_puts(out, " }");
    }
}

static void print_value(const struct attr_value *v, struct strbuf *out)
{
    if (!v->is_list) {
        print_item(v, 0, out);
        return;
    }
    strbuf_putc(out, '[');
    for (int64_t i = 0; i < v->n; i++) {
        if (i > 0)
            strbuf_puts(out, ", ");
        print_item(v, i, out);
    }
    strbuf_putc(out, ']');
}

/* --- arguments and attributes --- */

static void print_arg(const struct op *op, const char *side, const struct op_arg *a,
                      struct strbuf *out)
{
    strbuf_printf(out, "%s %s: ", side, a->name);
    if (a->number_attr >= 0)
        strbuf_printf(out, "%s * ", op->attrs[a->number_attr].name);
    const char *type = a->type_attr >= 0 ? op->attrs[a->type_attr].name : dtype_name(a->type);
    strbuf_printf(out, a->is_ref ? "Ref(%s)\n" : "%s\n", type);
}

static void print_allowed(const struct op_attr *a, struct strbuf *out)
{
    strbuf_putc(out, '{');
    for (int i = 0; a->types && i < a->num_types; i++)
        strbuf_printf(out, "%s%s", i > 0 ? ", " : "", dtype_name(a->type_list[i]));
    for (int i = 0; i < a->num_strings; i++) {
        if (i > 0)
            strbuf_puts(out, ", ");
        print_text(a->strings[i], out);
    }
    strbuf_putc(out, '}');
}

static void print_attr(const struct op_attr *a, struct strbuf *out)
{
    strbuf_printf(out, "attr %s: %s", a->name, a->is_list ? "list(" : "");
    if (a->types || a->num_strings > 0)
        print_allowed(a, out);
    else
        strbuf_puts(out, attr_kind_name(a->kind));
    if (a->is_list)
        strbuf_putc(out, ')');
    if (a->has_min)
        strbuf_printf(out, " >= %lld", (long long)a->min);
    if (a->default_value.kind != ATTR_NONE) {
        strbuf_puts(out, " = ");
        print_value(&a->default_value, out);
    }
    strbuf_putc(out, '\n');
}

/* A text that is the rest of its line. */
static void print_line(const char *title, const char *text, struct strbuf *out)
{
    strbuf_puts(out, title);
    for (const char *p = text; *p; p++)
        strbuf_putc(out, *p == '\n' || *p == '\r' ? ' ' : *p);
    strbuf_putc(out, '\n');
}

static void print_flags(const struct op_def *def, struct strbuf *out)
{
    static const struct {
        unsigned flag;
        const char *line;
    } flags[] = {
        {OP_STATEFUL, "stateful\n"},
        {OP_AGGREGATE, "aggregate\n"},
        {OP_COMMUTATIVE, "commutative\n"},
        {OP_UNINIT_OK, "uninitialized\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        if (def->flags & flags[i].flag)
            strbuf_puts(out, flags[i].line);
    }
}

char *leat_op_spec(const char *name)
{
    const struct op *op = name ? op_find(name) : NULL;
    if (!op)
        return NULL;
    struct strbuf b = {0};
    for (int i = 0; i < op->num_inputs; i++)
        print_arg(op, "in", &op->inputs[i], &b);
    for (int i = 0; i < op->num_outputs; i++)
        print_arg(op, "out", &op->outputs[i], &b);
    for (int i = 0; i < op->num_attrs; i++)
        print_attr(&op->attrs[i], &b);
    print_flags(op->def, &b);
    if (op->def->deprecated_at > 0) {
        strbuf_printf(&b, "deprecated %d", op->def->deprecated_at);
        print_line(" ", op->def->deprecated_why ? op->def->deprecated_why : "", &b);
    }
    print_line("summary ", op->def->summary ? op->def->summary : "", &b);
    return strbuf_take(&b);
}
