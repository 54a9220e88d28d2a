/* SPDX-License-Identifier: Apache-2.0 */
/* AttrValue messages to our values and back.
 *
 * What comes in is from outside: types, ranks and dims are checked here; nesting is bounded by the
 * codec and by PB_MAX_DEPTH again here, for messages made by hand. What goes out lies in the
 * caller's arena; texts and tensor bytes in it may be borrowed from the value. */
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

enum { MAX_ATTRS = 1000 }; /* sets of attrs are sorted lists: made for few */

/* --- attrs in --- */

static bool value_in(const struct pb_attr_value *v, struct attr_value *out, int depth,
                     struct status *st);

static bool type_in(int32_t t, int *out, struct status *st)
{
    if (t != DT_INVALID && !dtype_valid(t))
        return status_invalid(st, "%d is not the number of a type", (int)t);
    *out = t;
    return true;
}

static void func_free(struct attr_func *f)
{
    mem_free(f->name);
    attrs_clear(&f->attrs);
    mem_free(f);
}

static struct attr_func *func_in(const struct pb_name_attr_list *p, int depth, struct status *st)
{
    if (depth > PB_MAX_DEPTH) {
        status_invalid(st, "Functions are nested more than %d deep", PB_MAX_DEPTH);
        return NULL;
    }
    if (p->attr.n > MAX_ATTRS) {
        status_invalid(st, "A function is called with %lld attrs, more than %d",
                       (long long)p->attr.n, MAX_ATTRS);
        return NULL;
    }
    struct attr_func *f = mem_new(struct attr_func);

    f->name = mem_strndup(p->name.p ? p->name.p : "", p->name.n);
    for (int64_t i = 0; i < p->attr.n; i++) {
        struct attr_value v;

        if (!value_in(p->attr.v[i]->value, &v, depth + 1, st)) {
            func_free(f);
            return NULL;
        }
        char *name =
            mem_strndup(p->attr.v[i]->key.p ? p->attr.v[i]->key.p : "", p->attr.v[i]->key.n);
        attrs_set(&f->attrs, name, v);
        mem_free(name);
    }
    return f;
}

static bool types_in(const struct pb_i32s *from, struct attr_value *out, struct status *st)
{
    int *types = mem_new_array(int, from->n);
    bool ok = true;

    for (int64_t i = 0; ok && i < from->n; i++)
        ok = type_in(from->v[i], &types[i], st);
    if (ok)
        *out = attr_list(ATTR_TYPE, types, from->n);
    mem_free(types);
    return ok;
}

static bool shapes_in(const struct pb_tensor_shape_proto_vec *from, struct attr_value *out,
                      struct status *st)
{
    struct shape *shapes = mem_new_array(struct shape, from->n);
    int64_t done = 0;

    while (done < from->n && shape_from_proto(from->v[done], &shapes[done], st))
        done++;
    if (done == from->n)
        *out = attr_list(ATTR_SHAPE, shapes, done);
    for (int64_t i = 0; i < done; i++)
        shape_clear(&shapes[i]);
    mem_free(shapes);
    return done == from->n;
}

static bool tensors_in(const struct pb_tensor_proto_vec *from, struct attr_value *out,
                       struct status *st)
{
    struct tensor *tensors = mem_new_array(struct tensor, from->n);
    int64_t done = 0;

    while (done < from->n && tensor_from_proto(from->v[done], &tensors[done], st))
        done++;
    if (done == from->n)
        *out = attr_list(ATTR_TENSOR, tensors, done);
    for (int64_t i = 0; i < done; i++)
        tensor_clear(&tensors[i]);
    mem_free(tensors);
    return done == from->n;
}

static bool funcs_in(const struct pb_name_attr_list_vec *from, struct attr_value *out, int depth,
                     struct status *st)
{
    struct attr_func **funcs = mem_new_array(struct attr_func *, from->n);
    int64_t done = 0;

    while (done < from->n && (funcs[done] = func_in(from->v[done], depth, st)))
        done++;
    if (done == from->n)
        *out = attr_list(ATTR_FUNC, funcs, done);
    for (int64_t i = 0; i < done; i++)
        func_free(funcs[i]);
    mem_free(funcs);
    return done == from->n;
}

/* A list has items of one kind; an empty one has none, and its kind is the op's business. */
static bool list_in(const struct pb_attr_value_list_value *l, struct attr_value *out, int depth,
                    struct status *st)
{
    int kinds = !!l->s.n + !!l->i.n + !!l->f.n + !!l->b.n + !!l->type.n + !!l->shape.n +
                !!l->tensor.n + !!l->func.n;

    if (kinds > 1)
        return status_invalid(st, "AttrValue had a list with items of several kinds");
    if (l->s.n)
        *out = attr_list(ATTR_STRING, l->s.v, l->s.n);
    else if (l->i.n)
        *out = attr_list(ATTR_INT, l->i.v, l->i.n);
    else if (l->f.n)
        *out = attr_list(ATTR_FLOAT, l->f.v, l->f.n);
    else if (l->b.n)
        *out = attr_list(ATTR_BOOL, l->b.v, l->b.n);
    else if (l->type.n)
        return types_in(&l->type, out, st);
    else if (l->shape.n)
        return shapes_in(&l->shape, out, st);
    else if (l->tensor.n)
        return tensors_in(&l->tensor, out, st);
    else if (l->func.n)
        return funcs_in(&l->func, out, depth, st);
    else
        *out = attr_list(ATTR_NONE, NULL, 0);
    return true;
}

static bool placeholder_in(struct str name, struct attr_value *out)
{
    *out = attr_string(name);
    out->kind = ATTR_PLACEHOLDER;
    return true;
}

static bool shape_value_in(const struct pb_tensor_shape_proto *p, struct attr_value *out,
                           struct status *st)
{
    struct shape s;

    if (!shape_from_proto(p, &s, st))
        return false;
    *out = attr_shape(&s);
    shape_clear(&s);
    return true;
}

static bool tensor_value_in(const struct pb_tensor_proto *p, struct attr_value *out,
                            struct status *st)
{
    struct tensor t = {0};

    if (!tensor_from_proto(p, &t, st))
        return false;
    *out = attr_tensor(&t);
    tensor_clear(&t);
    return true;
}

static bool value_in(const struct pb_attr_value *v, struct attr_value *out, int depth,
                     struct status *st)
{
    enum { LIST = 1, S, I, F, B, TYPE, SHAPE, TENSOR, PLACEHOLDER, FUNC };
    struct attr_func *f;

    *out = (struct attr_value){.kind = ATTR_NONE};
    switch (v->which_value) {
    case LIST:
        return list_in(v->list, out, depth, st);
    case S:
        *out = attr_string(v->s);
        return true;
    case I:
        *out = attr_int(v->i);
        return true;
    case F:
        *out = attr_float(v->f);
        return true;
    case B:
        *out = attr_bool(v->b);
        return true;
    case TYPE:
        *out = attr_type(0);
        return type_in(v->type, &out->type, st);
    case SHAPE:
        return shape_value_in(v->shape, out, st);
    case TENSOR:
        return tensor_value_in(v->tensor, out, st);
    case PLACEHOLDER:
        return placeholder_in(v->placeholder, out);
    case FUNC:
        f = func_in(v->func, depth, st);
        if (!f)
            return false;
        out->kind = ATTR_FUNC;
        out->func = f;
        return true;
    default: /* nothing is set */
        return true;
    }
}

bool attr_from_proto(const struct pb_attr_value *v, struct attr_value *out, struct status *st)
{
    return value_in(v, out, 0, st);
}

/* --- attrs out --- */

static struct pb_name_attr_list *func_to_proto(struct arena *a, const struct attr_func *f)
{
    struct pb_name_attr_list *p = pb_name_attr_list_new(a);

    p->name = str_of(f->name);
    for (int64_t i = 0; i < f->attrs.n; i++) {
        struct pb_name_attr_list_attr_entry *e = pb_name_attr_list_attr_entry_add(a, &p->attr);

        e->key = str_of(f->attrs.items[i].name);
        e->value = attr_to_proto(a, &f->attrs.items[i].value);
    }
    return p;
}

static struct pb_attr_value_list_value *list_to_proto(struct arena *a, const struct attr_value *v)
{
    struct pb_attr_value_list_value *l = pb_attr_value_list_value_new(a);

    switch (v->kind) {
    case ATTR_STRING:
        l->s = (struct pb_strs){.v = v->ss, .n = v->n};
        break;
    case ATTR_INT:
        l->i = (struct pb_i64s){.v = v->is, .n = v->n};
        break;
    case ATTR_FLOAT:
        l->f = (struct pb_f32s){.v = v->fs, .n = v->n};
        break;
    case ATTR_BOOL:
        l->b = (struct pb_bools){.v = v->bs, .n = v->n};
        break;
    case ATTR_TYPE:
        l->type = (struct pb_i32s){.v = v->types, .n = v->n};
        break;
    case ATTR_SHAPE:
        l->shape.v = arena_array(a, struct pb_tensor_shape_proto *, v->n);
        for (l->shape.n = 0; l->shape.n < v->n; l->shape.n++)
            l->shape.v[l->shape.n] = shape_to_proto(a, &v->shapes[l->shape.n]);
        break;
    case ATTR_TENSOR:
        l->tensor.v = arena_array(a, struct pb_tensor_proto *, v->n);
        for (l->tensor.n = 0; l->tensor.n < v->n; l->tensor.n++)
            l->tensor.v[l->tensor.n] = tensor_to_proto(a, &v->tensors[l->tensor.n]);
        break;
    case ATTR_FUNC:
        l->func.v = arena_array(a, struct pb_name_attr_list *, v->n);
        for (l->func.n = 0; l->func.n < v->n; l->func.n++)
            l->func.v[l->func.n] = func_to_proto(a, v->funcs[l->func.n]);
        break;
    default: /* an empty list of no kind */
        break;
    }
    return l;
}

struct pb_attr_value *attr_to_proto(struct arena *a, const struct attr_value *v)
{
    /* TF_AttrType's numbers against those of the message's members */
    static const int member[] = {[ATTR_STRING] = 2, [ATTR_INT] = 3,         [ATTR_FLOAT] = 4,
                                 [ATTR_BOOL] = 5,   [ATTR_TYPE] = 6,        [ATTR_SHAPE] = 7,
                                 [ATTR_TENSOR] = 8, [ATTR_PLACEHOLDER] = 9, [ATTR_FUNC] = 10};
    struct pb_attr_value *p = pb_attr_value_new(a);

    if (v->is_list) {
        p->which_value = 1;
        p->list = list_to_proto(a, v);
        return p;
    }
    if (v->kind < 0 || v->kind > ATTR_FUNC)
        return p;
    p->which_value = member[v->kind];
    switch (v->kind) {
    case ATTR_STRING:
        p->s = v->s;
        break;
    case ATTR_INT:
        p->i = v->i;
        break;
    case ATTR_FLOAT:
        p->f = v->f;
        break;
    case ATTR_BOOL:
        p->b = v->b;
        break;
    case ATTR_TYPE:
        p->type = v->type;
        break;
    case ATTR_SHAPE:
        p->shape = shape_to_proto(a, &v->shape);
        break;
    case ATTR_TENSOR:
        p->tensor = tensor_to_proto(a, &v->tensor);
        break;
    case ATTR_PLACEHOLDER:
        p->placeholder = v->s;
        break;
    default:
        p->func = func_to_proto(a, v->func);
        break;
    }
    return p;
}
