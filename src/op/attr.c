/* SPDX-License-Identifier: Apache-2.0 */
/* Attr values and sets of them: ownership, comparison, and the sorted array that a set is.
 *
 * Sets are small (a node has two to ten attrs): binary search over one array. Strings are short or
 * absent, tensors share their buffer, so duplicating a node's attrs is cheap. */
#include "op/attr.h"

#include <string.h>

#include "base/mem.h"

/* --- single values --- */

static struct str string_dup(struct str s)
{
    char *p = mem_alloc(s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return str_make(p, s.n);
}

static void string_free(struct str s)
{
    mem_free((char *)(uintptr_t)s.p);
}

static struct attr_func *func_new(const char *name, const struct attrs *attrs)
{
    struct attr_func *f = mem_new(struct attr_func);
    f->name = mem_strdup(name);
    if (attrs)
        f->attrs = attrs_dup(attrs);
    return f;
}

static void func_free(struct attr_func *f)
{
    if (!f)
        return;
    mem_free(f->name);
    attrs_clear(&f->attrs);
    mem_free(f);
}

static void list_clear(struct attr_value *v)
{
    for (int64_t i = 0; i < v->n; i++) {
        if (v->kind == ATTR_STRING)
            string_free(v->ss[i]);
        else if (v->kind == ATTR_SHAPE)
            shape_clear(&v->shapes[i]);
        else if (v->kind == ATTR_TENSOR)
            tensor_clear(&v->tensors[i]);
        else if (v->kind == ATTR_FUNC)
            func_free(v->funcs[i]);
    }
    mem_free(v->is);
}

void attr_value_clear(struct attr_value *v)
{
    if (v->is_list)
        list_clear(v);
    else if (v->kind == ATTR_STRING || v->kind == ATTR_PLACEHOLDER)
        string_free(v->s);
    else if (v->kind == ATTR_SHAPE)
        shape_clear(&v->shape);
    else if (v->kind == ATTR_TENSOR)
        tensor_clear(&v->tensor);
    else if (v->kind == ATTR_FUNC)
        func_free(v->func);
    *v = (struct attr_value){.kind = ATTR_NONE};
}

struct attr_value attr_value_dup(const struct attr_value *v)
{
    if (v->is_list)
        return attr_list(v->kind, v->is, v->n);
    struct attr_value d = *v;
    if (v->kind == ATTR_STRING || v->kind == ATTR_PLACEHOLDER)
        d.s = string_dup(v->s);
    else if (v->kind == ATTR_SHAPE)
        d.shape = shape_copy(&v->shape);
    else if (v->kind == ATTR_TENSOR)
        d.tensor = tensor_copy(&v->tensor);
    else if (v->kind == ATTR_FUNC)
        d.func = func_new(v->func->name, &v->func->attrs);
    return d;
}

struct attr_value attr_string(struct str s)
{
    return (struct attr_value){.kind = ATTR_STRING, .s = string_dup(s)};
}

struct attr_value attr_int(int64_t i)
{
    return (struct attr_value){.kind = ATTR_INT, .i = i};
}

struct attr_value attr_float(float f)
{
    return (struct attr_value){.kind = ATTR_FLOAT, .f = f};
}

struct attr_value attr_bool(bool b)
{
    return (struct attr_value){.kind = ATTR_BOOL, .b = b};
}

struct attr_value attr_type(int dtype)
{
    return (struct attr_value){.kind = ATTR_TYPE, .type = dtype};
}

struct attr_value attr_shape(const struct shape *s)
{
    return (struct attr_value){.kind = ATTR_SHAPE, .shape = shape_copy(s)};
}

struct attr_value attr_tensor(const struct tensor *t)
{
    return (struct attr_value){.kind = ATTR_TENSOR, .tensor = tensor_copy(t)};
}

struct attr_value attr_func(const char *name, const struct attrs *attrs)
{
    return (struct attr_value){.kind = ATTR_FUNC, .func = func_new(name, attrs)};
}

/* --- lists --- */

static size_t item_bytes(int kind)
{
    static const size_t bytes[] = {
        [ATTR_STRING] = sizeof(struct str),
        [ATTR_INT] = sizeof(int64_t),
        [ATTR_FLOAT] = sizeof(float),
        [ATTR_BOOL] = sizeof(bool),
        [ATTR_TYPE] = sizeof(int),
        [ATTR_SHAPE] = sizeof(struct shape),
        [ATTR_TENSOR] = sizeof(struct tensor),
        [ATTR_PLACEHOLDER] = 0,
        [ATTR_FUNC] = sizeof(struct attr_func *),
    };
    return kind >= 0 && kind < (int)ARRAY_LEN(bytes) ? bytes[kind] : 0;
}

/* Makes copied items own what they point to. */
static void own_items(struct attr_value *v)
{
    for (int64_t i = 0; i < v->n; i++) {
        if (v->kind == ATTR_STRING)
            v->ss[i] = string_dup(v->ss[i]);
        else if (v->kind == ATTR_SHAPE)
            v->shapes[i] = shape_copy(&v->shapes[i]);
        else if (v->kind == ATTR_TENSOR)
            v->tensors[i] = tensor_copy(&v->tensors[i]);
        else if (v->kind == ATTR_FUNC)
            v->funcs[i] = func_new(v->funcs[i]->name, &v->funcs[i]->attrs);
    }
}

struct attr_value attr_list(int kind, const void *items, int64_t n)
{
    struct attr_value v = {.kind = kind, .is_list = true};
    size_t bytes = item_bytes(kind);
    if (n <= 0 || bytes == 0)
        return v;
    v.n = n;
    v.is = mem_alloc(mem_array_bytes(n, bytes));
    memcpy(v.is, items, mem_array_bytes(n, bytes));
    own_items(&v);
    return v;
}

/* --- comparison --- */

static bool elems_equal(const struct tensor *a, const struct tensor *b)
{
    if (a->data == b->data)
        return true;
    if (a->dtype != DT_STRING)
        return memcmp(a->data, b->data, tensor_bytes(a)) == 0;
    for (int64_t i = 0; i < a->num_elems; i++) {
        if (!str_eq(tstr_view(&tensor_str(a)[i]), tstr_view(&tensor_str(b)[i])))
            return false;
    }
    return true;
}

static bool tensors_equal(const struct tensor *a, const struct tensor *b)
{
    if (a->dtype != b->dtype || !shape_equal(&a->shape, &b->shape))
        return false;
    return a->num_elems == 0 || elems_equal(a, b);
}

static bool funcs_equal(const struct attr_func *a, const struct attr_func *b)
{
    if (strcmp(a->name, b->name) != 0 || a->attrs.n != b->attrs.n)
        return false;
    for (int64_t i = 0; i < a->attrs.n; i++) {
        const struct attr *x = &a->attrs.items[i], *y = &b->attrs.items[i];
        if (strcmp(x->name, y->name) != 0 || !attr_value_equal(&x->value, &y->value))
            return false;
    }
    return true;
}

static bool lists_equal(const struct attr_value *a, const struct attr_value *b)
{
    if (a->n != b->n)
        return false;
    if (a->n == 0)
        return true; /* an empty list has no kind that shows */
    if (a->kind != b->kind)
        return false;
    for (int64_t i = 0; i < a->n; i++) {
        bool same = true;
        if (a->kind == ATTR_STRING)
            same = str_eq(a->ss[i], b->ss[i]);
        else if (a->kind == ATTR_SHAPE)
            same = shape_equal(&a->shapes[i], &b->shapes[i]);
        else if (a->kind == ATTR_TENSOR)
            same = tensors_equal(&a->tensors[i], &b->tensors[i]);
        else if (a->kind == ATTR_FUNC)
            same = funcs_equal(a->funcs[i], b->funcs[i]);
        else
            return memcmp(a->is, b->is, mem_array_bytes(a->n, item_bytes(a->kind))) == 0;
        if (!same)
            return false;
    }
    return true;
}

bool attr_value_equal(const struct attr_value *a, const struct attr_value *b)
{
    if (a->is_list != b->is_list)
        return false;
    if (a->is_list)
        return lists_equal(a, b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case ATTR_STRING:
    case ATTR_PLACEHOLDER:
        return str_eq(a->s, b->s);
    case ATTR_INT:
        return a->i == b->i;
    case ATTR_FLOAT: /* by bits: a NaN equals itself, the zeros differ */
        return memcmp(&a->f, &b->f, sizeof a->f) == 0;
    case ATTR_BOOL:
        return a->b == b->b;
    case ATTR_TYPE:
        return a->type == b->type;
    case ATTR_SHAPE:
        return shape_equal(&a->shape, &b->shape);
    case ATTR_TENSOR:
        return tensors_equal(&a->tensor, &b->tensor);
    case ATTR_FUNC:
        return funcs_equal(a->func, b->func);
    default:
        return true;
    }
}

/* --- sets --- */

/* Where name is, or where it would be put. */
static int64_t position(const struct attrs *a, const char *name, bool *found)
{
    int64_t lo = 0, hi = a->n;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        int order = strcmp(a->items[mid].name, name);
        if (order == 0) {
            *found = true;
            return mid;
        }
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *found = false;
    return lo;
}

const struct attr_value *attrs_find(const struct attrs *a, const char *name)
{
    bool found;
    int64_t i = position(a, name, &found);
    return found ? &a->items[i].value : NULL;
}

void attrs_set(struct attrs *a, const char *name, struct attr_value value)
{
    bool found;
    int64_t i = position(a, name, &found);
    if (found) {
        attr_value_clear(&a->items[i].value);
        a->items[i].value = value;
        return;
    }
    a->items = vec_reserve(a->items, &a->cap, a->n + 1, sizeof *a->items);
    memmove(&a->items[i + 1], &a->items[i], (size_t)(a->n - i) * sizeof *a->items);
    a->items[i] = (struct attr){.name = mem_strdup(name), .value = value};
    a->n++;
}

bool attrs_remove(struct attrs *a, const char *name)
{
    bool found;
    int64_t i = position(a, name, &found);
    if (!found)
        return false;
    mem_free(a->items[i].name);
    attr_value_clear(&a->items[i].value);
    a->n--;
    memmove(&a->items[i], &a->items[i + 1], (size_t)(a->n - i) * sizeof *a->items);
    return true;
}

struct attrs attrs_dup(const struct attrs *a)
{
    struct attrs d = {0};
    if (a->n == 0)
        return d;
    d.items = vec_reserve(NULL, &d.cap, a->n, sizeof *d.items);
    d.n = a->n;
    for (int64_t i = 0; i < a->n; i++) {
        d.items[i].name = mem_strdup(a->items[i].name);
        d.items[i].value = attr_value_dup(&a->items[i].value);
    }
    return d;
}

void attrs_clear(struct attrs *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        mem_free(a->items[i].name);
        attr_value_clear(&a->items[i].value);
    }
    mem_free(a->items);
    *a = (struct attrs){0};
}
