/* SPDX-License-Identifier: Apache-2.0 */
/* An op's signature as one line, in TensorFlow's form, which messages quote. */
#include "op/attr_print.h"
#include "op/op.h"

/* "x:T", "xs:N*T", "ref:Ref(T)"; the type of a list(type) argument is left out. */
static void print_arg(const struct op *op, const struct op_arg *a, struct strbuf *out)
{
    strbuf_printf(out, "%s:%s", a->name, a->is_ref ? "Ref(" : "");
    if (a->number_attr >= 0)
        strbuf_printf(out, "%s*", op->attrs[a->number_attr].name);
    if (a->type_attr < 0)
        strbuf_puts(out, dtype_name(a->type));
    else if (!a->is_list_type)
        strbuf_puts(out, op->attrs[a->type_attr].name);
    strbuf_puts(out, a->is_ref ? ")" : "");
}

static void print_args(const struct op *op, const struct op_arg *args, int n, struct strbuf *out)
{
    for (int i = 0; i < n; i++) {
        strbuf_puts(out, i ? ", " : "");
        print_arg(op, &args[i], out);
    }
}

static void print_allowed(const struct op_attr *a, struct strbuf *out)
{
    if (a->num_types == 0 && a->num_strings == 0)
        return;
    strbuf_puts(out, ",allowed=[");
    attr_print_types(a->type_list, a->num_types, out);
    for (int i = 0; i < a->num_strings; i++) {
        strbuf_puts(out, i ? ", \"" : "\"");
        attr_print_escaped(a->strings[i], out);
        strbuf_putc(out, '"');
    }
    strbuf_putc(out, ']');
}

static void print_attr(const struct op_attr *a, struct strbuf *out)
{
    strbuf_printf(out, "; attr=%s:%s%s%s", a->name, a->is_list ? "list(" : "",
                  attr_kind_name(a->kind), a->is_list ? ")" : "");
    if (a->default_value.kind != ATTR_NONE) {
        strbuf_puts(out, ",default=");
        attr_value_print(&a->default_value, out);
    }
    if (a->has_min)
        strbuf_printf(out, ",min=%lld", (long long)a->min);
    print_allowed(a, out);
}

void op_print(const struct op *op, struct strbuf *out)
{
    strbuf_printf(out, "Op<name=%s; signature=", op->name);
    print_args(op, op->inputs, op->num_inputs, out);
    strbuf_puts(out, " -> ");
    print_args(op, op->outputs, op->num_outputs, out);
    for (int i = 0; i < op->num_attrs; i++)
        print_attr(&op->attrs[i], out);
    unsigned flags = op->def->flags;
    strbuf_puts(out, flags & OP_COMMUTATIVE ? "; is_commutative=true" : "");
    strbuf_puts(out, flags & OP_AGGREGATE ? "; is_aggregate=true" : "");
    strbuf_puts(out, flags & OP_STATEFUL ? "; is_stateful=true" : "");
    strbuf_puts(out, flags & OP_UNINIT_OK ? "; allows_uninitialized_input=true" : "");
    strbuf_putc(out, '>');
}
