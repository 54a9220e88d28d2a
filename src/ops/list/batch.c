/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of lists: TensorListConcatLists joins list by list, TensorListPushBackBatch appends to
 * each list a row of a tensor. */
#include "ops/list/list.h"

static bool want_type(const struct list *l, int dtype, struct status *st)
{
    return l->dtype == dtype ||
           status_invalid(st, "Invalid data types; op elements %s but list elements %s",
                          dtype_name(dtype), dtype_name(l->dtype));
}

/* Makes element k of the output. */
typedef struct list *(*make_fn)(struct kctx *c, int64_t k, struct status *st);

static bool each_list(struct kctx *c, make_fn make, struct status *st)
{
    const struct shape *shape = &kernel_in(c, 0)->shape;
    struct tensor *out = kernel_out(c, 0, shape, st);

    for (int64_t k = 0; out && k < out->num_elems; k++) {
        struct list *l = make(c, k, st);

        if (!l)
            return false;
        ((struct variant **)out->data)[k] = &l->base;
    }
    return out != NULL;
}

static int item_type(const struct kctx *c)
{
    return attrs_type(kernel_attrs(c), "element_dtype");
}

/* --- TensorListConcatLists --- */

static struct list *joined(struct kctx *c, int64_t k, struct status *st)
{
    const struct list *a = list_at(c, 0, k, st), *b = a ? list_at(c, 1, k, st) : NULL;

    if (!b || !want_type(a, item_type(c), st) || !want_type(b, item_type(c), st))
        return NULL;
    if (!shape_equal(&a->shape, &b->shape)) {
        list_contradict(&a->shape, &b->shape, st);
        return NULL;
    }
    struct list *l = list_dup(a, st);

    if (!l || !list_resize(l, a->n + b->n, st)) {
        if (l)
            variant_unref(&l->base);
        return NULL;
    }
    for (int64_t i = 0; i < b->n; i++)
        l->items[a->n + i] = tensor_copy(&b->items[i]);
    return l;
}

static bool concat_run(struct kctx *c, struct status *st)
{
    const struct shape *a = &kernel_in(c, 0)->shape, *b = &kernel_in(c, 1)->shape;

    return shape_equal(a, b) ? each_list(c, joined, st) : list_contradict(a, b, st);
}

static bool concat_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;

    if (!infer_merge(c, infer_input(c, 0), infer_input(c, 1), &out, st))
        return false;
    infer_set(c, 0, out);
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

OP_DEF(tensor_list_concat_lists) = {
    .name = "TensorListConcatLists",
    .summary = "Lists with the items of one tensor's lists and then of another's.",
    .inputs = {"input_a: variant", "input_b: variant"},
    .outputs = {"output: variant"},
    .attrs = {"element_dtype: type"},
    .shape = concat_shape,
    .no_grad = "TensorFlow has none",
};
KERNEL_DEF(tensor_list_concat_lists_cpu) = {
    .op = "TensorListConcatLists", .device = "CPU", .run = concat_run};

/* --- TensorListPushBackBatch --- */

static struct list *pushed(struct kctx *c, int64_t k, struct status *st)
{
    const struct list *from = list_at(c, 0, k, st);
    const struct tensor *rows = kernel_in(c, 1);
    struct shape shape = shape_make(shape_dims(&rows->shape) + 1, tensor_rank(rows) - 1), both;
    struct tensor item = {0};
    bool ok = from && want_type(from, rows->dtype, st);

    if (ok && !list_merge_shapes(&from->shape, &shape, &both))
        ok = list_contradict(&from->shape, &shape, st);
    else if (ok)
        shape_clear(&both);
    if (ok && from->max_items >= 0 && from->n >= from->max_items)
        ok = status_invalid(st, "Tried to push item into a full list");
    ok = ok && kernel_temp(c, rows->dtype, &shape, &item, st);
    shape_clear(&shape);
    if (ok && !elems_copy(item.dtype, item.data,
                          (const char *)rows->data +
                              (size_t)(k * item.num_elems) * dtype_size(item.dtype),
                          item.num_elems))
        ok = status_exhausted(st, "no memory to copy strings");
    struct list *l = ok ? list_dup(from, st) : NULL;

    if (l && list_resize(l, from->n + 1, st)) {
        l->items[from->n] = item;
        return l;
    }
    tensor_clear(&item);
    if (l)
        variant_unref(&l->base);
    return NULL;
}

static bool push_run(struct kctx *c, struct status *st)
{
    const struct tensor *lists = kernel_in(c, 0), *rows = kernel_in(c, 1);

    if (tensor_rank(lists) != 1 || tensor_rank(rows) < 1 ||
        tensor_dim(lists, 0) != tensor_dim(rows, 0))
        return status_invalid(st, "TensorListPushBackBatch: a vector of lists and a row for each "
                                  "are wanted");
    return each_list(c, pushed, st);
}

static bool push_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *lists, *rows;
    int64_t n;

    if (!infer_want_rank(c, infer_input(c, 0), 1, &lists, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 1, &rows, st))
        return false;
    const int64_t a = infer_dim(lists, 0), b = infer_dim(rows, 0);

    if (a >= 0 && b >= 0 && a != b)
        return status_invalid(st, "Dimensions must be equal, but are %lld and %lld", (long long)b,
                              (long long)a);
    if (!infer_merge_dim(a, b, &n, st))
        return false;
    infer_set(c, 0, infer_vector(c, n));
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

OP_DEF(tensor_list_push_back_batch) = {
    .name = "TensorListPushBackBatch",
    .summary = "Lists with a row of a tensor appended to each.",
    .inputs = {"input_handles: variant", "tensor: element_dtype"},
    .outputs = {"output_handles: variant"},
    .attrs = {"element_dtype: type"},
    .shape = push_shape,
    .no_grad = "TensorFlow has none",
};
KERNEL_DEF(tensor_list_push_back_batch_cpu) = {
    .op = "TensorListPushBackBatch",
    .device = "CPU",
    .types = {"element_dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, "
              "int64, complex64, complex128, bool, string, variant, qint16, qint32, qint8, "
              "quint16, quint8}"},
    .run = push_run};
