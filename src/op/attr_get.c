/* SPDX-License-Identifier: Apache-2.0 */
/* Typed reading of a set of attrs: strict getters that say what is wrong, and short forms for attrs
 * that op_check_attrs has seen. */
#include "op/attr.h"
#include "op/attr_print.h"

static bool wrong_kind(const struct attr_value *v, const char *name, const char *wanted, bool list,
                       struct status *st)
{
    struct strbuf kind = {0};
    attr_print_kind(v, &kind);
    status_invalid(st,
                   "AttrValue had value with type '%s' when '%s%s%s' expected\n\t for attr '%s'",
                   strbuf_text(&kind), list ? "list(" : "", wanted, list ? ")" : "", name);
    strbuf_release(&kind);
    return false;
}

static const struct attr_value *get(const struct attrs *a, const char *name, int kind,
                                    struct status *st)
{
    const struct attr_value *v = attrs_find(a, name);
    if (!v) {
        status_invalid(st, "No attr named '%s' in NodeDef", name);
        return NULL;
    }
    if (v->is_list || v->kind != kind) {
        (void)wrong_kind(v, name, attr_kind_name(kind), false, st);
        return NULL;
    }
    return v;
}

bool attrs_get_string(const struct attrs *a, const char *name, struct str *out, struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_STRING, st);
    if (v)
        *out = v->s;
    return v != NULL;
}

bool attrs_get_int(const struct attrs *a, const char *name, int64_t *out, struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_INT, st);
    if (v)
        *out = v->i;
    return v != NULL;
}

bool attrs_get_float(const struct attrs *a, const char *name, float *out, struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_FLOAT, st);
    if (v)
        *out = v->f;
    return v != NULL;
}

bool attrs_get_bool(const struct attrs *a, const char *name, bool *out, struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_BOOL, st);
    if (v)
        *out = v->b;
    return v != NULL;
}

bool attrs_get_type(const struct attrs *a, const char *name, int *out, struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_TYPE, st);
    if (v)
        *out = v->type;
    return v != NULL;
}

bool attrs_get_shape(const struct attrs *a, const char *name, const struct shape **out,
                     struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_SHAPE, st);
    if (v)
        *out = &v->shape;
    return v != NULL;
}

bool attrs_get_tensor(const struct attrs *a, const char *name, const struct tensor **out,
                      struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_TENSOR, st);
    if (v)
        *out = &v->tensor;
    return v != NULL;
}

bool attrs_get_func(const struct attrs *a, const char *name, const struct attr_func **out,
                    struct status *st)
{
    const struct attr_value *v = get(a, name, ATTR_FUNC, st);
    if (v)
        *out = v->func;
    return v != NULL;
}

bool attrs_get_list(const struct attrs *a, const char *name, int kind,
                    const struct attr_value **out, struct status *st)
{
    const struct attr_value *v = attrs_find(a, name);
    if (!v)
        return status_invalid(st, "No attr named '%s' in NodeDef", name);
    /* an empty list may come without a kind */
    if (!v->is_list || (v->n > 0 && v->kind != kind))
        return wrong_kind(v, name, attr_kind_name(kind), true, st);
    *out = v;
    return true;
}

static const struct attr_value *peek(const struct attrs *a, const char *name, int kind)
{
    const struct attr_value *v = attrs_find(a, name);
    return v && !v->is_list && v->kind == kind ? v : NULL;
}

int64_t attrs_int(const struct attrs *a, const char *name)
{
    const struct attr_value *v = peek(a, name, ATTR_INT);
    return v ? v->i : 0;
}

float attrs_float(const struct attrs *a, const char *name)
{
    const struct attr_value *v = peek(a, name, ATTR_FLOAT);
    return v ? v->f : 0;
}

bool attrs_bool(const struct attrs *a, const char *name)
{
    const struct attr_value *v = peek(a, name, ATTR_BOOL);
    return v && v->b;
}

int attrs_type(const struct attrs *a, const char *name)
{
    const struct attr_value *v = peek(a, name, ATTR_TYPE);
    return v ? v->type : DT_INVALID;
}

struct str attrs_string(const struct attrs *a, const char *name)
{
    const struct attr_value *v = peek(a, name, ATTR_STRING);
    return v ? v->s : str_make("", 0);
}

const struct attr_value *attrs_list(const struct attrs *a, const char *name)
{
    static const struct attr_value empty = {.kind = ATTR_NONE, .is_list = true};
    const struct attr_value *v = attrs_find(a, name);
    return v && v->is_list ? v : &empty;
}
