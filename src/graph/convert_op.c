/* SPDX-License-Identifier: Apache-2.0 */
/* OpDef messages and ops. The way in serves function signatures: they have any number of
 * arguments, so they are not made through spec texts. */
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

static const char *const kind_names[] = {
    [ATTR_STRING] = "string", [ATTR_INT] = "int",
    [ATTR_FLOAT] = "float",   [ATTR_BOOL] = "bool",
    [ATTR_TYPE] = "type",     [ATTR_SHAPE] = "shape",
    [ATTR_TENSOR] = "tensor", [ATTR_PLACEHOLDER] = "placeholder",
    [ATTR_FUNC] = "func",
};

/* Of a signature: names are found by walks. */
enum { MAX_ATTRS = 1000, MAX_ARGS = 20000 };

/* --- out --- */

static void arg_to_proto(struct arena *a, const struct op *op, const struct op_arg *arg,
                         struct pb_op_def_arg_def *p)
{
    p->name = str_of(arg->name);
    p->type = arg->type;
    p->is_ref = arg->is_ref;
    if (arg->number_attr >= 0)
        pb_set_str(a, &p->number_attr, op->attrs[arg->number_attr].name);
    if (arg->type_attr >= 0)
        pb_set_str(a, arg->is_list_type ? &p->type_list_attr : &p->type_attr,
                   op->attrs[arg->type_attr].name);
}

static struct pb_attr_value *allowed_to_proto(struct arena *a, const struct op_attr *attr)
{
    struct pb_attr_value *v = pb_attr_value_new(a);

    v->which_value = 1;
    v->list = pb_attr_value_list_value_new(a);
    for (int i = 0; i < attr->num_types; i++)
        pb_add_i32(a, &v->list->type, attr->type_list[i]);
    for (int i = 0; i < attr->num_strings; i++)
        pb_add_str(a, &v->list->s, attr->strings[i]);
    return v;
}

static void attr_def_to_proto(struct arena *a, const struct op_attr *attr,
                              struct pb_op_def_attr_def *p)
{
    p->name = str_of(attr->name);
    const char *kind = attr->kind >= 0 ? kind_names[attr->kind] : "any";

    p->type = str_of(attr->is_list ? arena_printf(a, "list(%s)", kind) : kind);
    p->has_minimum = attr->has_min;
    p->minimum = attr->has_min ? attr->min : 0;
    if (attr->default_value.kind != ATTR_NONE || attr->default_value.is_list)
        p->default_value = attr_to_proto(a, &attr->default_value);
    if (attr->types || attr->num_strings)
        p->allowed_values = allowed_to_proto(a, attr);
}

struct pb_op_def *op_to_proto(struct arena *a, const struct op *op)
{
    struct pb_op_def *p = pb_op_def_new(a);
    const struct op_def *d = op->def;

    p->name = str_of(op->name);
    for (int i = 0; i < op->num_inputs; i++)
        arg_to_proto(a, op, &op->inputs[i], pb_op_def_arg_def_add(a, &p->input_arg));
    for (int i = 0; i < op->num_outputs; i++)
        arg_to_proto(a, op, &op->outputs[i], pb_op_def_arg_def_add(a, &p->output_arg));
    for (int i = 0; i < op->num_attrs; i++)
        attr_def_to_proto(a, &op->attrs[i], pb_op_def_attr_def_add(a, &p->attr));
    if (!d)
        return p;
    p->summary = str_of(d->summary);
    p->description = str_of(d->description);
    p->is_stateful = d->flags & OP_STATEFUL;
    p->is_commutative = d->flags & OP_COMMUTATIVE;
    p->is_aggregate = d->flags & OP_AGGREGATE;
    p->allows_uninitialized_input = d->flags & OP_UNINIT_OK;
    if (d->deprecated_at) {
        p->deprecation = pb_op_deprecation_new(a);
        p->deprecation->version = d->deprecated_at;
        p->deprecation->explanation = str_of(d->deprecated_why);
    }
    return p;
}

/* --- in --- */

static char *text_in(struct arena *a, struct str s)
{
    return arena_strndup(a, s.p ? s.p : "", s.n);
}

static bool kind_in(struct str type, struct op_attr *out, struct status *st)
{
    struct str item = type;

    out->is_list = str_starts(type, "list(") && str_ends(type, ")");
    if (out->is_list)
        item = str_make(type.p + 5, type.n - 6);
    for (size_t i = 0; i < ARRAY_LEN(kind_names); i++) {
        if (i != ATTR_PLACEHOLDER && str_is(item, kind_names[i])) {
            out->kind = (int)i;
            return true;
        }
    }
    return status_invalid(st, "'%.*s' is not the type of an attr", (int)type.n, type.p);
}

static bool allowed_in(struct arena *a, const struct pb_attr_value *v, struct op_attr *out,
                       struct status *st)
{
    if (v->which_value != 1)
        return status_invalid(st, "Attr '%s': its allowed values are no list", out->name);
    const struct pb_attr_value_list_value *l = v->list;
    uint8_t *types = arena_array(a, uint8_t, l->type.n);

    for (int64_t i = 0; i < l->type.n; i++) {
        int t = l->type.v[i];

        if (!dtype_valid(t) || dtype_is_ref(t))
            return status_invalid(st, "Attr '%s': %d is not the number of a type", out->name, t);
        types[i] = (uint8_t)t;
        out->types |= (dtype_set)1 << t;
    }
    out->type_list = types;
    out->num_types = (int)l->type.n;
    struct str *strings = arena_array(a, struct str, l->s.n);

    for (int64_t i = 0; i < l->s.n; i++)
        strings[i] = pb_str_dup(a, l->s.v[i]);
    out->strings = strings;
    out->num_strings = (int)l->s.n;
    return true;
}

static bool default_in(const struct pb_attr_value *v, struct op_attr *out, struct status *st)
{
    if (!attr_from_proto(v, &out->default_value, st))
        return false;
    if (out->is_list && out->default_value.is_list && out->default_value.n == 0)
        out->default_value.kind = out->kind;
    if (out->default_value.kind == out->kind && out->default_value.is_list == out->is_list)
        return true;
    return status_invalid(st, "Attr '%s': its default is of another kind", out->name);
}

static bool attr_def_in(struct arena *a, const struct pb_op_def_attr_def *p, struct op_attr *out,
                        struct status *st)
{
    out->name = text_in(a, p->name);
    out->default_value.kind = ATTR_NONE;
    out->has_min = p->has_minimum;
    out->min = p->minimum;
    if (!kind_in(p->type, out, st))
        return false;
    if (p->allowed_values && p->allowed_values->which_value &&
        !allowed_in(a, p->allowed_values, out, st))
        return false;
    return !p->default_value || !p->default_value->which_value ||
           default_in(p->default_value, out, st);
}

static bool attr_index(const struct op *op, struct str name, int kind, bool is_list, int *out,
                       struct status *st)
{
    *out = -1;
    if (name.n == 0)
        return true;
    for (int i = 0; i < op->num_attrs; i++) {
        const struct op_attr *attr = &op->attrs[i];

        if (str_is(name, attr->name) && attr->kind == kind && attr->is_list == is_list) {
            *out = i;
            return true;
        }
    }
    return status_invalid(st, "Op '%s' has no fitting attr '%.*s'", op->name, (int)name.n, name.p);
}

static bool arg_in(struct op *op, const struct pb_op_def_arg_def *p, struct op_arg *out,
                   struct status *st)
{
    out->name = text_in(op->arena, p->name);
    out->is_ref = p->is_ref;
    out->is_list_type = p->type_list_attr.n > 0;
    out->type = p->type;
    if (out->type > DT_REF) {
        out->type -= DT_REF;
        out->is_ref = true;
    }
    if (out->type != DT_INVALID && !dtype_valid(out->type))
        return status_invalid(st, "Op '%s': argument '%s' has no such type: %d", op->name,
                              out->name, p->type);
    if ((out->type != DT_INVALID) + (p->type_attr.n > 0) + out->is_list_type != 1)
        return status_invalid(st,
                              "Op '%s': argument '%s' needs one of type, type_attr and "
                              "type_list_attr",
                              op->name, out->name);
    if (out->is_list_type && p->number_attr.n)
        return status_invalid(st, "Op '%s': argument '%s' has two lengths", op->name, out->name);
    return attr_index(op, out->is_list_type ? p->type_list_attr : p->type_attr, ATTR_TYPE,
                      out->is_list_type, &out->type_attr, st) &&
           attr_index(op, p->number_attr, ATTR_INT, false, &out->number_attr, st);
}

static bool args_in(struct op *op, const struct pb_op_def_arg_def_vec *from, struct op_arg **args,
                    int *num, struct status *st)
{
    if (from->n > MAX_ARGS)
        return status_invalid(st, "Op '%s' has %lld arguments, more than %d", op->name,
                              (long long)from->n, MAX_ARGS);
    *args = arena_array(op->arena, struct op_arg, from->n);
    *num = (int)from->n;
    for (int64_t i = 0; i < from->n; i++)
        if (!arg_in(op, from->v[i], &(*args)[i], st))
            return false;
    return true;
}

static struct op_def *def_in(struct arena *a, const struct pb_op_def *p)
{
    struct op_def *d = arena_new(a, struct op_def);

    d->name = text_in(a, p->name);
    d->summary = text_in(a, p->summary);
    d->description = text_in(a, p->description);
    d->flags = (p->is_stateful ? OP_STATEFUL : 0u) | (p->is_commutative ? OP_COMMUTATIVE : 0u) |
               (p->is_aggregate ? OP_AGGREGATE : 0u) |
               (p->allows_uninitialized_input ? OP_UNINIT_OK : 0u);
    if (p->deprecation) {
        d->deprecated_at = p->deprecation->version;
        d->deprecated_why = text_in(a, p->deprecation->explanation);
    }
    return d;
}

struct op *op_from_proto(const struct pb_op_def *p, struct status *st)
{
    struct op *op = mem_new(struct op);

    op->arena = mem_new(struct arena);
    op->def = def_in(op->arena, p);
    op->name = op->def->name;
    op->attrs = arena_array(op->arena, struct op_attr, p->attr.n);
    bool ok = p->attr.n <= MAX_ATTRS && p->name.n > 0;
    if (!ok)
        status_invalid(st, "An op's definition has no name, or more than %d attrs", MAX_ATTRS);
    for (int64_t i = 0; ok && i < p->attr.n; i++) {
        op->num_attrs = (int)i + 1; /* so that op_free finds the defaults */
        ok = attr_def_in(op->arena, p->attr.v[i], &op->attrs[i], st);
    }
    ok = ok && args_in(op, &p->input_arg, &op->inputs, &op->num_inputs, st) &&
         args_in(op, &p->output_arg, &op->outputs, &op->num_outputs, st);
    if (ok)
        return op;
    op_free(op);
    return NULL;
}
