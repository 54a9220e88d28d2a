/* SPDX-License-Identifier: Apache-2.0 */
/* The lists themselves: life, shapes of items, sums. */
#include "ops/list/list.h"

#include "base/mem.h"

enum { MAX_ITEMS = INT32_MAX };

static void list_release(struct variant *v)
{
    struct list *l = (struct list *)v;

    for (int64_t i = 0; i < l->n; i++)
        tensor_clear(&l->items[i]);
    mem_free(l->items);
    shape_clear(&l->shape);
    mem_free(l);
}

static void list_print(const struct variant *v, struct strbuf *out)
{
    strbuf_printf(out, "TensorList<%lld>", (long long)((const struct list *)v)->n);
}

/* Zeros like t: of lists within lists too. */
static bool zero_item(const struct tensor *t, struct tensor *out, struct status *st)
{
    if (!tensor_new(out, t->dtype, &t->shape, st))
        return false;
    if (!dtype_is_managed(t->dtype))
        memset(out->data, 0, tensor_bytes(out));
    for (int64_t i = 0; t->dtype == DT_VARIANT && i < t->num_elems; i++) {
        const struct variant *v = ((struct variant **)t->data)[i];

        if (!v || !v->type->zeros)
            continue;
        struct variant *zeros = v->type->zeros(v, st);

        if (!zeros)
            return false;
        ((struct variant **)out->data)[i] = zeros;
    }
    return true;
}

static struct variant *list_zeros(const struct variant *v, struct status *st)
{
    const struct list *l = (const struct list *)v;
    struct list *out = list_new(l->dtype, &l->shape);

    out->max_items = l->max_items;
    if (!list_resize(out, l->n, st)) {
        variant_unref(&out->base);
        return NULL;
    }
    for (int64_t i = 0; i < l->n; i++) {
        if (l->items[i].dtype == DT_INVALID)
            continue;
        if (!zero_item(&l->items[i], &out->items[i], st)) {
            variant_unref(&out->base);
            return NULL;
        }
    }
    return &out->base;
}

#define ADD(type)                                                                                  \
    do {                                                                                           \
        type *to = out->data;                                                                      \
        const type *x = a->data, *y = b->data;                                                     \
        for (int64_t i = 0; i < a->num_elems; i++)                                                 \
            to[i] = x[i] + y[i];                                                                   \
    } while (0)

static bool add_variants(const struct tensor *a, const struct tensor *b, struct tensor *out,
                         struct status *st)
{
    for (int64_t i = 0; i < a->num_elems; i++) {
        const struct variant *x = ((struct variant **)a->data)[i];
        const struct variant *y = ((struct variant **)b->data)[i];
        struct variant *sum;

        if (!x || !y || x->type != y->type || !x->type->add)
            return status_unimplemented(st, "Lists of such variants cannot be added");
        sum = x->type->add(x, y, st);
        if (!sum)
            return false;
        ((struct variant **)out->data)[i] = sum;
    }
    return true;
}

static bool add_items(const struct tensor *a, const struct tensor *b, struct tensor *out,
                      struct status *st)
{
    if (a->dtype == DT_INVALID || b->dtype == DT_INVALID) {
        *out = tensor_copy(a->dtype == DT_INVALID ? b : a);
        return true;
    }
    if (!shape_equal(&a->shape, &b->shape))
        return status_invalid(st, "Trying to add two lists of tensors with different item shapes");
    if (!tensor_new(out, a->dtype, &a->shape, st))
        return false;
    switch (a->dtype) {
    case DT_FLOAT:
        ADD(float);
        return true;
    case DT_DOUBLE:
        ADD(double);
        return true;
    case DT_INT32:
        ADD(uint32_t);
        return true;
    case DT_INT64:
        ADD(uint64_t);
        return true;
    case DT_VARIANT:
        return add_variants(a, b, out, st);
    default:
        tensor_clear(out);
        return status_unimplemented(st, "Lists of %s cannot be added", dtype_name(a->dtype));
    }
}

static struct variant *list_add(const struct variant *x, const struct variant *y, struct status *st)
{
    const struct list *a = (const struct list *)x, *b = (const struct list *)y;
    struct list *out = NULL;
    struct shape shape;

    if (a->dtype != b->dtype) {
        status_invalid(st,
                       "Trying to add two lists of tensors of different dtypes. One is %s and "
                       "the other is %s",
                       dtype_name(a->dtype), dtype_name(b->dtype));
    } else if (a->n != b->n) {
        status_invalid(st,
                       "Trying to add two lists of tensors with different lengths. One is %lld "
                       "and the other is %lld",
                       (long long)a->n, (long long)b->n);
    } else if (!list_merge_shapes(&a->shape, &b->shape, &shape)) {
        status_invalid(st, "Trying to add two lists of tensors with incompatible element shapes");
    } else {
        out = list_new(a->dtype, &shape);
        shape_clear(&shape);
        bool ok = list_resize(out, a->n, st);

        for (int64_t i = 0; ok && i < a->n; i++)
            ok = add_items(&a->items[i], &b->items[i], &out->items[i], st);
        if (!ok) {
            variant_unref(&out->base);
            out = NULL;
        }
    }
    return out ? &out->base : NULL;
}

static const struct variant_type list_type = {.name = "tensorflow::TensorList",
                                              .release = list_release,
                                              .print = list_print,
                                              .zeros = list_zeros,
                                              .add = list_add};

struct list *list_new(int dtype, const struct shape *item_shape)
{
    struct list *l = mem_new(struct list);

    l->base = (struct variant){.refs = 1, .type = &list_type};
    l->dtype = dtype;
    l->max_items = -1;
    l->shape = shape_copy(item_shape);
    return l;
}

bool list_resize(struct list *l, int64_t n, struct status *st)
{
    if (n < 0 || n > MAX_ITEMS)
        return status_invalid(st, "A list cannot have %lld items", (long long)n);
    if (n > l->cap) {
        int64_t cap = n > l->cap * 2 ? n : l->cap * 2;
        struct tensor *items = mem_try((size_t)cap * sizeof *items, "a list", st);

        if (!items)
            return false;
        if (l->n)
            memcpy(items, l->items, (size_t)l->n * sizeof *items);
        mem_free(l->items);
        l->items = items;
        l->cap = cap;
    }
    for (int64_t i = n; i < l->n; i++)
        tensor_clear(&l->items[i]);
    for (int64_t i = l->n; i < n; i++)
        l->items[i] = (struct tensor){0};
    l->n = n;
    return true;
}

/* --- inputs and outputs --- */

struct list *list_at(const struct kctx *c, int i, int64_t k, struct status *st)
{
    struct variant *v = ((struct variant **)kernel_in(c, i)->data)[k];

    if (v && v->type == &list_type)
        return (struct list *)v;
    status_invalid(st, "Input handle is not a list. Saw: '%s'", v ? v->type->name : "<empty>");
    return NULL;
}

struct list *list_in(const struct kctx *c, int i, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);

    if (t->shape.rank == 0)
        return list_at(c, i, 0, st);
    status_invalid(st, "Input list must be a scalar saw: rank %d", t->shape.rank);
    return NULL;
}

struct list *list_of(const struct kctx *c, int i, int dtype, struct status *st)
{
    struct list *l = list_in(c, i, st);

    if (!l || l->dtype == dtype)
        return l;
    status_invalid(st, "Invalid data types; op elements %s but list elements %s", dtype_name(dtype),
                   dtype_name(l->dtype));
    return NULL;
}

bool list_out(struct kctx *c, int i, struct list *l, struct status *st)
{
    const struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, i, &scalar, st);

    if (!out) {
        variant_unref(&l->base);
        return false;
    }
    ((struct variant **)out->data)[0] = &l->base;
    return true;
}

struct list *list_dup(const struct list *l, struct status *st)
{
    struct list *own = list_new(l->dtype, &l->shape);

    own->max_items = l->max_items;
    if (!list_resize(own, l->n, st)) {
        variant_unref(&own->base);
        return NULL;
    }
    for (int64_t i = 0; i < l->n; i++)
        own->items[i] = tensor_copy(&l->items[i]);
    return own;
}

struct list *list_edit(struct kctx *c, struct status *st)
{
    struct list *l = list_in(c, 0, st), *own;

    if (!l)
        return NULL;
    if (c->in_last_use & 1 && tensor_is_sole(c->in[0]) &&
        __atomic_load_n(&l->base.refs, __ATOMIC_ACQUIRE) == 1) {
        struct tensor t = tensor_take(c->in[0]);

        kernel_out_take(c, 0, &t);
        return l;
    }
    own = list_dup(l, st);
    return own && list_out(c, 0, own, st) ? own : NULL;
}

/* --- shapes --- */

bool list_shape_in(const struct kctx *c, int i, struct shape *out, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    int64_t dims[SHAPE_MAX_RANK];

    if (t->shape.rank == 0) {
        if (tensor_index(t, 0) != -1)
            return status_invalid(st, "The only valid scalar shape tensor is the fully unknown "
                                      "shape specified as -1.");
        *out = shape_unknown();
        return true;
    }
    if (t->shape.rank != 1 || t->num_elems > SHAPE_MAX_RANK)
        return status_invalid(st, "shape must be at most rank 1 but is rank %d", t->shape.rank);
    for (int64_t k = 0; k < t->num_elems; k++) {
        dims[k] = tensor_index(t, k);
        if (dims[k] < -1)
            return status_invalid(st, "Dimension %lld must be >= -1", (long long)dims[k]);
    }
    *out = shape_make(dims, (int)t->num_elems);
    return true;
}

bool list_merge_shapes(const struct shape *a, const struct shape *b, struct shape *out)
{
    int64_t dims[SHAPE_MAX_RANK];

    if (a->rank < 0 || b->rank < 0) {
        *out = shape_copy(a->rank < 0 ? b : a);
        return true;
    }
    if (!shape_compatible(a, b))
        return false;
    for (int i = 0; i < a->rank; i++)
        dims[i] = shape_dim(a, i) >= 0 ? shape_dim(a, i) : shape_dim(b, i);
    *out = shape_make(dims, a->rank);
    return true;
}

void list_shape_text(const struct shape *s, struct strbuf *out)
{
    if (s->rank < 0)
        strbuf_puts(out, "<unknown>");
    else
        shape_print(s, out);
}

bool list_contradict(const struct shape *a, const struct shape *b, struct status *st)
{
    struct strbuf x = {0}, y = {0};

    list_shape_text(a, &x);
    list_shape_text(b, &y);
    if (a->rank != b->rank)
        status_invalid(st, "PartialTensorShape: Incompatible ranks during merge: %d vs. %d",
                       a->rank, b->rank);
    else
        status_invalid(st, "PartialTensorShape: Incompatible shapes during merge: %s vs. %s",
                       strbuf_text(&x), strbuf_text(&y));
    strbuf_release(&x);
    strbuf_release(&y);
    return false;
}

static bool is_known(const struct shape *s)
{
    for (int i = 0; i < s->rank; i++)
        if (shape_dim(s, i) < 0)
            return false;
    return s->rank >= 0;
}

bool list_item_shape(const struct list *l, const struct shape *want, struct shape *out,
                     struct status *st)
{
    if (!list_merge_shapes(&l->shape, want, out))
        return list_contradict(want, &l->shape, st);
    for (int64_t i = 0; i < l->n && !is_known(out); i++) {
        struct shape merged;

        if (l->items[i].dtype == DT_INVALID)
            continue;
        if (!list_merge_shapes(out, &l->items[i].shape, &merged)) {
            list_contradict(out, &l->items[i].shape, st);
            shape_clear(out);
            return false;
        }
        shape_clear(out);
        *out = merged;
    }
    return true;
}

/* --- shape functions --- */

bool list_infer_shape(struct infer_ctx *c, int i, const struct shape **out, struct status *st)
{
    const struct shape *in = infer_input(c, i);

    *out = infer_unknown(c);
    if (!infer_want_rank_max(c, in, 1, &in, st))
        return false;
    if (in->rank == 1)
        return infer_const_shape(c, i, out, st);
    const struct tensor *t = in->rank == 0 ? infer_const(c, i) : NULL;
    return !t || tensor_index(t, 0) == -1 ||
           status_invalid(st,
                          "Received an invalid shape scalar with a static value that is not '-1': "
                          "Tensor<type: %s shape: [] values: %lld>",
                          dtype_name(t->dtype), (long long)tensor_index(t, 0));
}

bool list_infer_item(struct infer_ctx *c, int shape_input, const struct shape **out,
                     struct status *st)
{
    struct infer_handle h = infer_handle_in(c, 0);
    int dtype = attrs_type(infer_attrs(c), "element_dtype");
    const struct shape *given;

    *out = h.n == 1 ? h.shapes[0] : infer_unknown(c);
    if (h.n == 1 && h.dtypes[0] != dtype)
        return status_invalid(st,
                              "Expected list with element dtype %s but got list with element dtype "
                              "%s",
                              dtype_name(dtype), dtype_name(h.dtypes[0]));
    if (shape_input < 0)
        return true;
    return list_infer_shape(c, shape_input, &given, st) && infer_merge(c, *out, given, out, st);
}

bool list_infer_same(struct infer_ctx *c, struct status *st)
{
    (void)st;
    struct infer_handle h = infer_handle_in(c, 0);

    infer_set(c, 0, infer_scalar(c));
    if (h.n == 1)
        infer_set_handle(c, 0, h);
    return true;
}

bool list_infer_declared(struct infer_ctx *c, int shape_input, struct status *st)
{
    const struct shape *s;
    int dtype = attrs_type(infer_attrs(c), "element_dtype");

    if (!list_infer_shape(c, shape_input, &s, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    infer_set_handle(c, 0, (struct infer_handle){.n = 1, .dtypes = &dtype, .shapes = &s});
    return true;
}
