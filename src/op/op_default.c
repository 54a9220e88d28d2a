/* SPDX-License-Identifier: Apache-2.0 */
/* Default values in attr specs: "= 3", "= 'a'", "= [1, 2]", "= { unknown_rank: true }", and for
 * the few tensors and shapes the text form of their protos, as far as defaults need it. */
#include <string.h>

#include "op/op_spec.h"

enum { MAX_ITEMS = 256 };

static bool parse_bool(struct scan *s, bool *out, struct status *st)
{
    const char *begin = (scan_space(s), s->p);
    struct str word = scan_word(s);
    *out = str_is(word, "true");
    if (*out || str_is(word, "false"))
        return true;
    s->p = begin;
    return scan_fail(s, st, "true or false expected");
}

static bool parse_double(struct scan *s, double *out, struct status *st)
{
    const char *begin = (scan_space(s), s->p);
    while (*s->p && strchr("+-.0123456789eEinfaINFA", *s->p))
        s->p++;
    if (str_to_double(str_make(begin, (size_t)(s->p - begin)), out))
        return true;
    s->p = begin;
    return scan_fail(s, st, "a number expected");
}

static bool parse_type(struct scan *s, int *out, struct status *st)
{
    const char *begin = (scan_space(s), s->p);
    struct str word = scan_word(s);
    if (word.n && dtype_from_name(word, out) && !dtype_is_ref(*out))
        return true;
    s->p = begin;
    return scan_fail(s, st, "unknown type '%.*s'", (int)word.n, word.p);
}

/* Takes word when it is next. */
static bool take_word(struct scan *s, const char *word)
{
    const char *begin = (scan_space(s), s->p);
    if (str_is(scan_word(s), word))
        return true;
    s->p = begin;
    return false;
}

/* A dimension's size, -1 where it is not known. */
static bool parse_size(struct scan *s, int64_t *out, struct status *st)
{
    return scan_int(s, out, st) &&
           (*out >= DIM_UNKNOWN || scan_fail(s, st, "a size of -1 or more expected"));
}

/* "dim { size: 2 }" repeated, or "unknown_rank: true", up to the closing brace. */
static bool parse_shape_fields(struct scan *s, struct shape *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;
    bool unknown = false;
    while (!scan_char(s, '}')) {
        if (take_word(s, "unknown_rank")) {
            if (!scan_expect(s, ':', st) || !parse_bool(s, &unknown, st))
                return false;
            continue;
        }
        if (!take_word(s, "dim") || rank == SHAPE_MAX_RANK)
            return scan_fail(s, st, "'dim' or 'unknown_rank' expected");
        scan_char(s, ':');
        if (!scan_expect(s, '{', st) || !take_word(s, "size"))
            return scan_fail(s, st, "'{ size' expected");
        if (!scan_expect(s, ':', st) || !parse_size(s, &dims[rank++], st) ||
            !scan_expect(s, '}', st))
            return false;
    }
    *out = unknown ? shape_unknown() : shape_make(dims, rank);
    return true;
}

/* "[2,-1]" after the bracket. */
static bool parse_dims(struct scan *s, struct shape *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;
    if (!scan_char(s, ']')) {
        do {
            if (rank == SHAPE_MAX_RANK)
                return scan_fail(s, st, "more than %d dims", SHAPE_MAX_RANK);
            if (scan_char(s, '?'))
                dims[rank++] = DIM_UNKNOWN;
            else if (!parse_size(s, &dims[rank++], st))
                return false;
        } while (scan_char(s, ','));
        if (!scan_expect(s, ']', st))
            return false;
    }
    *out = shape_make(dims, rank);
    return true;
}

static bool parse_shape(struct scan *s, struct shape *out, struct status *st)
{
    if (scan_char(s, '{'))
        return parse_shape_fields(s, out, st);
    if (scan_char(s, '['))
        return parse_dims(s, out, st);
    if (scan_char(s, '<') && take_word(s, "unknown") && scan_char(s, '>')) {
        *out = shape_unknown();
        return true;
    }
    return scan_fail(s, st, "a shape expected");
}

/* --- tensors: { dtype: DT_UINT8 tensor_shape { dim { size: 4 } } int_val: 255 ... } --- */

struct tensor_text {
    int dtype;
    struct shape shape;
    double values[MAX_ITEMS];
    int n;
};

static bool parse_tensor_field(struct scan *s, struct tensor_text *t, struct status *st)
{
    struct str field = scan_word(s);
    if (str_is(field, "dtype"))
        return scan_expect(s, ':', st) && parse_type(s, &t->dtype, st);
    if (str_is(field, "tensor_shape")) {
        scan_char(s, ':');
        shape_clear(&t->shape);
        return scan_expect(s, '{', st) && parse_shape_fields(s, &t->shape, st);
    }
    if (!str_ends(field, "_val") || t->n == MAX_ITEMS)
        return scan_fail(s, st, "'dtype', 'tensor_shape' or '..._val' expected");
    return scan_expect(s, ':', st) && parse_double(s, &t->values[t->n++], st);
}

static bool store_number(const struct tensor *t, int64_t i, double v)
{
    switch (t->dtype) {
#define STORE(id, type)                                                                            \
    case DT_##id:                                                                                  \
        ((type *)t->data)[i] = (type)v;                                                            \
        return true;
        STORE(FLOAT, float)
        STORE(DOUBLE, double)
        STORE(INT32, int32_t)
        STORE(UINT8, uint8_t)
        STORE(INT16, int16_t)
        STORE(INT8, int8_t)
        STORE(INT64, int64_t)
        STORE(BOOL, bool)
#undef STORE
    default:
        return false;
    }
}

static bool make_tensor(struct scan *s, const struct tensor_text *text, struct tensor *out,
                        struct status *st)
{
    int64_t elems;
    if (!shape_known(&text->shape) || !shape_num_elems(&text->shape, &elems, st) ||
        elems > MAX_ITEMS || (elems > 0 && text->n == 0))
        return scan_fail(s, st, "a known shape of at most %d elements and values expected",
                         MAX_ITEMS);
    if (!tensor_new(out, text->dtype, &text->shape, st))
        return false;
    for (int64_t i = 0; i < elems; i++) {
        /* as in the proto, the last value is repeated */
        if (!store_number(out, i, text->values[i < text->n ? i : text->n - 1])) {
            tensor_clear(out);
            return scan_fail(s, st, "no default tensors of type %s", dtype_name(text->dtype));
        }
    }
    return true;
}

static bool parse_tensor(struct scan *s, struct tensor *out, struct status *st)
{
    struct tensor_text text = {.dtype = DT_INVALID};
    bool ok = scan_expect(s, '{', st);
    while (ok && !scan_char(s, '}'))
        ok = parse_tensor_field(s, &text, st);
    ok = ok && (text.dtype != DT_INVALID || scan_fail(s, st, "the tensor has no dtype"));
    ok = ok && make_tensor(s, &text, out, st);
    shape_clear(&text.shape);
    return ok;
}

/* "name", or { name: "..." }. */
static bool parse_func(struct scan *s, struct attr_value *out, struct status *st)
{
    struct str name = {0};
    if (scan_char(s, '{')) {
        if (take_word(s, "name") && (!scan_expect(s, ':', st) || !scan_string(s, &name, st)))
            return false;
        if (!scan_expect(s, '}', st))
            return false;
    } else {
        name = scan_word(s);
    }
    const char *text = arena_strndup(s->arena, name.n ? name.p : "", name.n);
    *out = attr_func(text, NULL);
    return true;
}

static bool parse_value(struct scan *s, int kind, struct attr_value *out, struct status *st)
{
    *out = (struct attr_value){.kind = kind};
    struct str text;
    double d;
    switch (kind) {
    case ATTR_STRING:
        if (!scan_string(s, &text, st))
            return false;
        *out = attr_string(text);
        return true;
    case ATTR_INT:
        return scan_int(s, &out->i, st);
    case ATTR_FLOAT:
        if (!parse_double(s, &d, st))
            return false;
        out->f = (float)d;
        return true;
    case ATTR_BOOL:
        return parse_bool(s, &out->b, st);
    case ATTR_TYPE:
        return parse_type(s, &out->type, st);
    case ATTR_SHAPE:
        return parse_shape(s, &out->shape, st);
    case ATTR_TENSOR:
        return parse_tensor(s, &out->tensor, st);
    case ATTR_FUNC:
        return parse_func(s, out, st);
    default:
        return scan_fail(s, st, "attrs of this kind have no defaults");
    }
}

/* --- lists --- */

static void put_item(struct attr_value *list, int64_t i, const struct attr_value *item)
{
    switch (list->kind) {
    case ATTR_STRING:
        list->ss[i] = item->s;
        break;
    case ATTR_INT:
        list->is[i] = item->i;
        break;
    case ATTR_FLOAT:
        list->fs[i] = item->f;
        break;
    case ATTR_BOOL:
        list->bs[i] = item->b;
        break;
    case ATTR_TYPE:
        list->types[i] = item->type;
        break;
    case ATTR_SHAPE:
        list->shapes[i] = item->shape;
        break;
    case ATTR_TENSOR:
        list->tensors[i] = item->tensor;
        break;
    default:
        list->funcs[i] = item->func;
    }
}

static bool parse_items(struct scan *s, int kind, struct attr_value *items, int *n,
                        struct status *st)
{
    if (!scan_expect(s, '[', st))
        return false;
    if (scan_char(s, ']'))
        return true;
    do {
        if (*n == MAX_ITEMS)
            return scan_fail(s, st, "more than %d items", MAX_ITEMS);
        if (!parse_value(s, kind, &items[*n], st))
            return false;
        (*n)++;
    } while (scan_char(s, ','));
    return scan_expect(s, ']', st);
}

static bool parse_list(struct scan *s, int kind, struct attr_value *out, struct status *st)
{
    struct attr_value items[MAX_ITEMS];
    struct tensor borrowed[MAX_ITEMS]; /* the largest item there is: room for any kind */
    int n = 0;
    bool ok = parse_items(s, kind, items, &n, st);
    if (ok) {
        struct attr_value list = {.kind = kind, .is_list = true, .n = n, .tensors = borrowed};
        for (int i = 0; i < n; i++)
            put_item(&list, i, &items[i]);
        *out = attr_list(kind, borrowed, n);
    }
    for (int i = 0; i < n; i++)
        attr_value_clear(&items[i]);
    return ok;
}

static bool default_allowed(const struct op_attr *a, const struct attr_value *v)
{
    if (v->is_list || v->kind == ATTR_NONE)
        return true;
    if (a->kind == ATTR_TYPE && a->types)
        return (a->types >> v->type) & 1;
    if (a->kind == ATTR_INT && a->has_min)
        return v->i >= a->min;
    if (a->kind != ATTR_STRING || a->num_strings == 0)
        return true;
    for (int i = 0; i < a->num_strings; i++) {
        if (str_eq(a->strings[i], v->s))
            return true;
    }
    return false;
}

bool spec_parse_default(struct scan *s, struct op_attr *a, struct status *st)
{
    struct attr_value v;
    if (!(a->is_list ? parse_list(s, a->kind, &v, st) : parse_value(s, a->kind, &v, st)))
        return false;
    a->default_value = v;
    return default_allowed(a, &v) ||
           scan_fail(s, st, "the default is not among the allowed values");
}
