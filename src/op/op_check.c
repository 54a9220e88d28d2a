/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from an op's spec and a node's attrs: types of inputs and outputs, defaults, and
 * whether each attr is what the spec wants. Attrs come from outside: their sizes are bounded. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/attr_print.h"
#include "op/op.h"

enum { MAX_VALUES = 1 << 20 }; /* inputs (outputs) of one node */

/* --- types --- */

static const struct attr_value *attr_or_default(const struct op *op, int i,
                                                const struct attrs *attrs)
{
    const struct attr_value *v = attrs_find(attrs, op->attrs[i].name);
    if (!v && op->attrs[i].default_value.kind != ATTR_NONE)
        v = &op->attrs[i].default_value;
    return v;
}

static const struct attr_value *get_attr(const struct op *op, int i, bool list,
                                         const struct attrs *attrs, struct status *st)
{
    const struct op_attr *a = &op->attrs[i];
    const struct attr_value *v = attr_or_default(op, i, attrs);
    if (!v)
        status_invalid(st, "No attr named '%s' in NodeDef of op %s", a->name, op->name);
    else if (v->is_list != list || (v->kind != a->kind && !(list && v->n == 0)))
        status_invalid(st, "Op %s: attr '%s' must be a %s%s%s", op->name, a->name,
                       list ? "list(" : "", attr_kind_name(a->kind), list ? ")" : "");
    else
        return v;
    return NULL;
}

bool op_arg_len(const struct op *op, const struct op_arg *arg, const struct attrs *attrs,
                int64_t *n, struct status *st)
{
    *n = 1;
    if (arg->number_attr >= 0) {
        const struct attr_value *v = get_attr(op, arg->number_attr, false, attrs, st);
        if (!v)
            return false;
        *n = v->i;
    } else if (arg->is_list_type) {
        const struct attr_value *v = get_attr(op, arg->type_attr, true, attrs, st);
        if (!v)
            return false;
        *n = v->n;
    }
    if (*n < 0 || *n > MAX_VALUES)
        return status_invalid(st, "Op %s: '%s' would have %lld values, not 0 to %d", op->name,
                              arg->name, (long long)*n, MAX_VALUES);
    return true;
}

static bool check_type(const struct op *op, const struct op_arg *arg, int type, struct status *st)
{
    return (dtype_valid(type) && !dtype_is_ref(type)) ||
           status_invalid(st, "Op %s: '%s' has the invalid type %d", op->name, arg->name, type);
}

/* Types of arg's n values at types[0..n). */
static bool fill_types(const struct op *op, const struct op_arg *arg, const struct attrs *attrs,
                       int *types, int64_t n, struct status *st)
{
    int one = arg->type;
    const struct attr_value *v = NULL;
    if (arg->type_attr >= 0) {
        v = get_attr(op, arg->type_attr, arg->is_list_type, attrs, st);
        if (!v)
            return false;
        if (!arg->is_list_type)
            one = v->type;
    }
    for (int64_t i = 0; i < n; i++) {
        int t = arg->is_list_type ? v->types[i] : one;
        if (!check_type(op, arg, t, st))
            return false;
        types[i] = arg->is_ref ? t + DT_REF : t;
    }
    return true;
}

/* Functions have any number of arguments: nothing here is sized by OP_MAX_INPUTS. */
static bool count_values(const struct op *op, const struct op_arg *args, int num_args,
                         const struct attrs *attrs, int64_t *total, struct status *st)
{
    *total = 0;
    for (int i = 0; i < num_args; i++) {
        int64_t n;
        if (!op_arg_len(op, &args[i], attrs, &n, st))
            return false;
        *total += n;
        if (*total > MAX_VALUES)
            return status_invalid(st, "Op %s: a node with more than %d values", op->name,
                                  MAX_VALUES);
    }
    return true;
}

static bool expand_types(const struct op *op, const struct op_arg *args, int num_args,
                         const struct attrs *attrs, int **types, int *n, struct status *st)
{
    int64_t total, len;
    if (!count_values(op, args, num_args, attrs, &total, st))
        return false;
    int *all = mem_new_array(int, total ? total : 1), *next = all;
    for (int i = 0; i < num_args; i++) {
        if (!op_arg_len(op, &args[i], attrs, &len, st) ||
            !fill_types(op, &args[i], attrs, next, len, st)) {
            mem_free(all);
            return false;
        }
        next += len;
    }
    *types = all;
    *n = (int)total;
    return true;
}

bool op_input_types(const struct op *op, const struct attrs *attrs, int **types, int *n,
                    struct status *st)
{
    return expand_types(op, op->inputs, op->num_inputs, attrs, types, n, st);
}

bool op_output_types(const struct op *op, const struct attrs *attrs, int **types, int *n,
                     struct status *st)
{
    return expand_types(op, op->outputs, op->num_outputs, attrs, types, n, st);
}

void op_fill_defaults(const struct op *op, struct attrs *attrs)
{
    for (int i = 0; i < op->num_attrs; i++) {
        const struct op_attr *a = &op->attrs[i];
        if (a->default_value.kind != ATTR_NONE && !attrs_find(attrs, a->name))
            attrs_set(attrs, a->name, attr_value_dup(&a->default_value));
    }
}

/* --- checks: each failing one says what is wrong with the value; the caller adds the node --- */

static bool check_kind(const struct op_attr *a, const struct attr_value *v, struct status *st)
{
    struct strbuf is = {0}, wanted = {0};
    bool empty = v->kind == ATTR_NONE || (v->is_list && v->n == 0);
    bool ok = v->is_list == a->is_list && (v->kind == a->kind || (empty && v->is_list));
    if (ok)
        return true;
    attr_print_kind(v, &is);
    strbuf_printf(&wanted, a->is_list ? "list(%s)" : "%s", attr_kind_name(a->kind));
    if (empty)
        status_invalid(st, "AttrValue missing value with expected type '%s'", strbuf_text(&wanted));
    else if (v->kind == ATTR_PLACEHOLDER)
        status_invalid(st, "AttrValue had value with unexpected type 'placeholder'");
    else
        status_invalid(st, "AttrValue had value with type '%s' when '%s' expected",
                       strbuf_text(&is), strbuf_text(&wanted));
    strbuf_release(&is);
    strbuf_release(&wanted);
    return false;
}

static bool check_dtype(int type, bool in_list, struct status *st)
{
    if (type == DT_INVALID)
        return status_invalid(st, "AttrValue %s invalid DataType", in_list ? "contains" : "has");
    if (!dtype_valid(type))
        return status_invalid(st, "AttrValue has invalid DataType enum: %d", type);
    if (dtype_is_ref(type))
        return status_invalid(st, "AttrValue must not have reference type value of %s",
                              dtype_name(type));
    return true;
}

/* What validates a value by itself; its messages end in "for attr 'NAME'". */
static bool check_value(const struct op_attr *a, const struct attr_value *v, struct status *st)
{
    if (!check_kind(a, v, st))
        return false;
    if (a->kind != ATTR_TYPE)
        return true;
    if (!v->is_list)
        return check_dtype(v->type, false, st);
    for (int64_t i = 0; i < v->n; i++) {
        if (!check_dtype(v->types[i], true, st))
            return false;
    }
    return true;
}

static bool check_min(const struct op_attr *a, const struct attr_value *v, struct status *st)
{
    if (!a->has_min)
        return true;
    int64_t n = a->is_list ? v->n : v->i;
    return n >= a->min ||
           status_invalid(st, "%s for attr '%s' of %lld must be at least minimum %lld",
                          a->is_list ? "Length" : "Value", a->name, (long long)n,
                          (long long)a->min);
}

static bool check_type_allowed(const struct op_attr *a, int type, struct status *st)
{
    if ((a->types >> type) & 1)
        return true;
    struct strbuf list = {0};
    for (int i = 0; i < a->num_types; i++)
        strbuf_printf(&list, "%s%s", i ? ", " : "", dtype_name(a->type_list[i]));
    status_invalid(st, "Value for attr '%s' of %s is not in the list of allowed values: %s",
                   a->name, dtype_name(type), strbuf_text(&list));
    strbuf_release(&list);
    return false;
}

static bool check_string_allowed(const struct op_attr *a, struct str s, struct status *st)
{
    struct strbuf list = {0};
    for (int i = 0; i < a->num_strings; i++) {
        if (str_eq(a->strings[i], s)) {
            strbuf_release(&list);
            return true;
        }
        strbuf_printf(&list, "%s\"%.*s\"", i ? ", " : "", (int)a->strings[i].n, a->strings[i].p);
    }
    int shown = s.n > 200 ? 200 : (int)s.n;
    status_invalid(st, "Value for attr '%s' of \"%.*s\" is not in the list of allowed values: %s",
                   a->name, shown, s.p, strbuf_text(&list));
    strbuf_release(&list);
    return false;
}

static bool check_allowed(const struct op_attr *a, const struct attr_value *v, struct status *st)
{
    bool types = a->types != 0, strings = a->num_strings > 0;
    if (!v->is_list)
        return (!types || check_type_allowed(a, v->type, st)) &&
               (!strings || check_string_allowed(a, v->s, st));
    for (int64_t i = 0; i < v->n; i++) {
        if ((types && !check_type_allowed(a, v->types[i], st)) ||
            (strings && !check_string_allowed(a, v->ss[i], st)))
            return false;
    }
    return true;
}

static void add_node_and_op(const struct op *op, const char *node_name, struct status *st)
{
    struct strbuf text = {0};
    op_print(op, &text);
    status_append(st, "\n\t; NodeDef: {{node %s}}; %s", node_name, strbuf_text(&text));
    strbuf_release(&text);
}

static bool fails_unknown_attr(const struct op *op, const char *name, const char *node_name,
                               struct status *st)
{
    struct strbuf text = {0};
    const char *near = NULL;
    int best = INT_MAX;
    op_print(op, &text);
    for (int i = 0; i < op->num_attrs; i++) {
        if (str_nearer(name, op->attrs[i].name, &best))
            near = op->attrs[i].name;
    }
    status_invalid(st,
                   "NodeDef mentions attr '%s' not in %s; NodeDef: {{node %s}}. (Check whether "
                   "your GraphDef-interpreting binary is up to date with your "
                   "GraphDef-generating binary.).%s%s%s",
                   name, strbuf_text(&text), node_name, near ? " Did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
    strbuf_release(&text);
    return false;
}

static bool check_attr(const struct op *op, const struct attr *attr, const char *node_name,
                       struct status *st)
{
    if (attr->name[0] == '_')
        return true;
    const struct op_attr *a = op_attr_find(op, attr->name);
    if (!a)
        return fails_unknown_attr(op, attr->name, node_name, st);
    if (!check_value(a, &attr->value, st)) {
        status_append(st, "\n\t for attr '%s'", a->name);
        add_node_and_op(op, node_name, st);
        return false;
    }
    if (check_min(a, &attr->value, st) && check_allowed(a, &attr->value, st))
        return true;
    add_node_and_op(op, node_name, st);
    return false;
}

static bool check_missing(const struct op *op, const struct attrs *attrs, const char *node_name,
                          struct status *st)
{
    struct strbuf missing = {0};
    int n = 0;
    for (int i = 0; i < op->num_attrs; i++) {
        const struct op_attr *a = &op->attrs[i];
        if (a->default_value.kind == ATTR_NONE && !attrs_find(attrs, a->name))
            strbuf_printf(&missing, "%s'%s'", n++ ? ", " : "", a->name);
    }
    if (n > 0) {
        struct strbuf text = {0};
        op_print(op, &text);
        status_invalid(st, "NodeDef missing attr%s %s from %s; NodeDef: {{node %s}}",
                       n > 1 ? "s" : "", strbuf_text(&missing), strbuf_text(&text), node_name);
        strbuf_release(&text);
    }
    strbuf_release(&missing);
    return n == 0;
}

bool op_check_attrs(const struct op *op, const struct attrs *attrs, const char *node_name,
                    struct status *st)
{
    for (int64_t i = 0; i < attrs->n; i++) {
        if (!check_attr(op, &attrs->items[i], node_name ? node_name : "", st))
            return false;
    }
    return check_missing(op, attrs, node_name ? node_name : "", st);
}
