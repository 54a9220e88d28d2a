/* SPDX-License-Identifier: Apache-2.0 */
/* Whole tensors and lists: TensorListStack, TensorListFromTensor, TensorListGather and the
 * Scatters. */
#include "op/grad.h"
#include "ops/list/list.h"

#define ITEM_TYPES                                                                                 \
    "element_dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "    \
    "complex64, complex128, bool, string, variant, qint16, qint32, qint8, quint16, quint8}"

static int item_type(const struct kctx *c)
{
    return attrs_type(kernel_attrs(c), "element_dtype");
}

/* --- out of a list --- */

static bool not_defined(const struct shape *s, const char *words, struct status *st)
{
    struct strbuf text = {0};

    list_shape_text(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* What is said of a shape that is not known: of no items, of items that were never set. */
struct unknown_words {
    const char *none, *unset;
};

static const struct unknown_words stack_words = {
    .none = "Tried to stack elements of an empty list with non-fully-defined element_shape: ",
    .unset = "Tried to stack list which only contains uninitialized tensors and has a "
             "non-fully-defined element_shape: ",
};

static const struct unknown_words gather_words = {
    .none = "Tried to gather 0-elements from a list with non-fully-defined shape: ",
    .unset = "Tried to gather uninitialized tensors from a list with non-fully-defined "
             "element_shape: ",
};

/* The shape of items index(k) for k < n merged with want and with what the list says of items. */
static bool merge_items(const struct list *l, const struct shape *want, const int32_t *index,
                        int64_t n, struct shape *out, struct status *st)
{
    if (!list_merge_shapes(want, &l->shape, out))
        return list_contradict(want, &l->shape, st);
    for (int64_t k = 0; k < n; k++) {
        const struct tensor *t = &l->items[index ? index[k] : k];
        struct shape merged;

        if (t->dtype == DT_INVALID)
            continue;
        bool ok = list_merge_shapes(out, &t->shape, &merged) || list_contradict(out, &t->shape, st);

        shape_clear(out);
        if (!ok)
            return false;
        *out = merged;
    }
    return true;
}

/* The shape of those items, which is known. */
static bool one_shape(const struct kctx *c, const struct list *l, int shape_input,
                      const int32_t *index, int64_t n, struct shape *out, struct status *st)
{
    const struct unknown_words *words = index ? &gather_words : &stack_words;
    struct shape want;
    bool known;

    if (!list_shape_in(c, shape_input, &want, st))
        return false;
    bool ok = merge_items(l, &want, index, n, out, st);

    shape_clear(&want);
    if (!ok)
        return false;
    known = out->rank >= 0;
    for (int i = 0; known && i < out->rank; i++)
        known = shape_dim(out, i) >= 0;
    if (known)
        return true;
    not_defined(out, n ? words->unset : words->none, st);
    shape_clear(out);
    return false;
}

/* Item index(k) for k < n, one below the other, as output 0. */
static bool stack(struct kctx *c, const struct list *l, const struct shape *item,
                  const int32_t *index, int64_t n, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK] = {n};

    if (item->rank >= SHAPE_MAX_RANK)
        return status_invalid(st, "items of rank %d cannot be stacked", item->rank);
    for (int i = 0; i < item->rank; i++)
        dims[i + 1] = shape_dim(item, i);
    struct shape s = shape_make(dims, item->rank + 1);
    struct tensor *out = kernel_out(c, 0, &s, st);

    shape_clear(&s);
    if (!out || out->num_elems == 0)
        return out != NULL;
    const int64_t each = out->num_elems / n;
    const size_t bytes = (size_t)each * dtype_size(out->dtype);

    for (int64_t k = 0; k < n; k++) {
        const struct tensor *from = &l->items[index ? index[k] : k];
        char *to = (char *)out->data + (size_t)k * bytes;

        if (from->dtype != DT_INVALID) {
            if (!elems_copy(out->dtype, to, from->data, each))
                return status_exhausted(st, "no memory for the strings of a list");
        } else if (!dtype_is_managed(out->dtype)) {
            memset(to, 0, bytes);
        }
    }
    return true;
}

static bool stack_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, item_type(c), st);
    int64_t want = attrs_int(kernel_attrs(c), "num_elements");
    struct shape item;

    if (!l)
        return false;
    if (want >= 0 && l->n != want)
        return status_invalid(
            st, "Operation expected a list with %lld elements but got a list with %lld elements.",
            (long long)want, (long long)l->n);
    if (!one_shape(c, l, 1, NULL, l->n, &item, st))
        return false;
    bool ok = stack(c, l, &item, NULL, l->n, st);

    shape_clear(&item);
    return ok;
}

static bool stack_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    if (!list_infer_item(c, 1, &item, st))
        return false;
    if (item->rank >= 0)
        infer_set(
            c, 0,
            infer_concat(c, infer_vector(c, attrs_int(infer_attrs(c), "num_elements")), item));
    return true;
}

static struct output element_shape(struct grad_ctx *g, struct output list)
{
    return grad_opv(g, "TensorListElementShape", 1, &list, 1,
                    (struct attr[]){{(char *)"shape_type", attr_type(DT_INT32)}});
}

static bool stack_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0,
             grad_op2(g, "TensorListFromTensor", grad_dy(g, 0), element_shape(g, grad_in(g, 0))));
    return grad_done(g, st);
}

OP_DEF(tensor_list_stack) = {
    .name = "TensorListStack",
    .summary = "All items of a list, one below the other.",
    .inputs = {"input_handle: variant", "element_shape: int32"},
    .outputs = {"tensor: element_dtype"},
    .attrs = {"element_dtype: type", "num_elements: int = -1"},
    .shape = stack_shape,
    .grad = stack_grad,
};
KERNEL_DEF(tensor_list_stack_cpu) = {
    .op = "TensorListStack", .device = "CPU", .types = {ITEM_TYPES}, .run = stack_run};

static bool gather_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, item_type(c), st);
    const struct tensor *index = kernel_in(c, 1);
    struct shape item;

    if (!l || !kernel_want_vector(c, 1, st))
        return false;
    for (int64_t i = 0; i < index->num_elems; i++)
        if (tensor_i32(index)[i] < 0 || tensor_i32(index)[i] >= l->n)
            return status_invalid(st, "Index %d out o range; list only has %lld elements.",
                                  (int)tensor_i32(index)[i], (long long)l->n);
    if (!one_shape(c, l, 2, tensor_i32(index), index->num_elems, &item, st))
        return false;
    bool ok = stack(c, l, &item, tensor_i32(index), index->num_elems, st);

    shape_clear(&item);
    return ok;
}

static bool gather_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    if (!list_infer_item(c, 2, &item, st))
        return false;
    infer_set(c, 0, infer_concat(c, infer_input(c, 1), item));
    return true;
}

static bool gather_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(
        g, 0,
        grad_opv(g, "TensorListScatterV2", 4,
                 (struct output[]){grad_dy(g, 0), grad_in(g, 1), element_shape(g, grad_in(g, 0)),
                                   grad_op1(g, "TensorListLength", grad_in(g, 0))},
                 0, NULL));
    return grad_done(g, st);
}

OP_DEF(tensor_list_gather) = {
    .name = "TensorListGather",
    .summary = "The items of those indices, one below the other.",
    .inputs = {"input_handle: variant", "indices: int32", "element_shape: int32"},
    .outputs = {"values: element_dtype"},
    .attrs = {"element_dtype: type"},
    .shape = gather_shape,
    .grad = gather_grad,
};
KERNEL_DEF(tensor_list_gather_cpu) = {
    .op = "TensorListGather", .device = "CPU", .types = {ITEM_TYPES}, .run = gather_run};

/* --- into a list --- */

/* Row k of t. */
static bool row(const struct tensor *t, int64_t k, struct tensor *out, struct status *st)
{
    struct tensor rows = tensor_rows(t, k, k + 1);
    int64_t dims[SHAPE_MAX_RANK];

    for (int i = 1; i < t->shape.rank; i++)
        dims[i - 1] = shape_dim(&t->shape, i);
    struct shape s = shape_make(dims, t->shape.rank - 1);
    bool ok = tensor_reshaped(&rows, &s, out, st);

    shape_clear(&s);
    tensor_clear(&rows);
    return ok;
}

static bool wrong_rows(const struct shape *all, const struct shape *item, struct status *st)
{
    struct strbuf want = {0};
    struct strbuf has = {0};
    int64_t dims[SHAPE_MAX_RANK];

    for (int i = 1; i < all->rank; i++)
        dims[i - 1] = shape_dim(all, i);
    struct shape row_shape = shape_make(dims, all->rank - 1);

    list_shape_text(item, &want);
    list_shape_text(&row_shape, &has);
    status_invalid(st, "Specified a list with shape %s from a tensor with shape %s",
                   strbuf_text(&want), strbuf_text(&has));
    shape_clear(&row_shape);
    strbuf_release(&want);
    strbuf_release(&has);
    return false;
}

/* The tensor whose rows become items, as a value that may outlive the step. */
static bool rows_in(struct kctx *c, int i, const struct shape *item, struct tensor *out,
                    struct status *st)
{
    const struct tensor *t = kernel_in(c, i);

    if (t->shape.rank < 1)
        return not_defined(&t->shape, "Tensor must be at least a vector, but saw shape: ", st);
    bool ok = item->rank < 0 || item->rank == t->shape.rank - 1;

    for (int k = 0; ok && k < item->rank; k++)
        ok = shape_dim(item, k) < 0 || shape_dim(item, k) == shape_dim(&t->shape, k + 1);
    if (!ok)
        return wrong_rows(&t->shape, item, st);
    return kernel_in_keep(c, i, out, st);
}

static bool from_tensor_run(struct kctx *c, struct status *st)
{
    struct shape item;
    struct tensor all;

    if (!list_shape_in(c, 1, &item, st))
        return false;
    bool ok = rows_in(c, 0, &item, &all, st);
    struct list *l = ok ? list_new(item_type(c), &item) : NULL;

    shape_clear(&item);
    if (!ok)
        return false;
    ok = list_resize(l, shape_dim(&all.shape, 0), st);
    for (int64_t k = 0; ok && k < l->n; k++)
        ok = row(&all, k, &l->items[k], st);
    tensor_clear(&all);
    if (ok)
        return list_out(c, 0, l, st);
    variant_unref(&l->base);
    return false;
}

static bool from_tensor_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *declared, *all = infer_input(c, 0), *item;

    if (!list_infer_shape(c, 1, &declared, st))
        return false;
    item = all->rank < 1 ? infer_unknown(c) : infer_slice(c, all, 1, all->rank);
    return infer_merge(c, item, declared, &item, st) && list_infer_declared(c, 1, st);
}

static bool from_tensor_grad(struct grad_ctx *g, struct status *st)
{
    int type = grad_type_of(g, grad_in(g, 0));

    if (grad_has_dy(g, 0))
        grad_set(g, 0,
                 grad_opv(g, "TensorListStack", 2,
                          (struct output[]){grad_dy(g, 0), grad_cast(g, grad_in(g, 1), DT_INT32)},
                          1, (struct attr[]){{(char *)"element_dtype", attr_type(type)}}));
    return grad_done(g, st);
}

OP_DEF(tensor_list_from_tensor) = {
    .name = "TensorListFromTensor",
    .summary = "A list of the rows of a tensor.",
    .inputs = {"tensor: element_dtype", "element_shape: shape_type"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = from_tensor_shape,
    .grad = from_tensor_grad,
};
KERNEL_DEF(tensor_list_from_tensor_cpu) = {
    .op = "TensorListFromTensor", .device = "CPU", .types = {ITEM_TYPES}, .run = from_tensor_run};

/* Row k of t becomes item index[k]; the list grows. */
static bool scatter(struct list *l, const struct tensor *t, const struct tensor *index,
                    struct status *st)
{
    for (int64_t k = 0; k < index->num_elems; k++) {
        int64_t at = tensor_i32(index)[k];
        struct tensor item;

        if (at < 0)
            return status_invalid(st, "Indices in TensorListScatter must all be non-negative.");
        if ((at >= l->n && !list_resize(l, at + 1, st)) || !row(t, k, &item, st))
            return false;
        tensor_clear(&l->items[at]);
        l->items[at] = item;
    }
    return true;
}

static bool check_indices(const struct kctx *c, int tensor, int indices, struct status *st)
{
    if (!kernel_want_vector(c, indices, st))
        return false;
    const struct tensor *t = kernel_in(c, tensor), *i = kernel_in(c, indices);

    if (t->shape.rank < 1)
        return not_defined(&t->shape, "Tensor must be at least a vector, but saw shape: ", st);
    return i->num_elems == shape_dim(&t->shape, 0) ||
           status_invalid(st, "Invalid number of rows in input tensor. Expected: %lld Actual: %lld",
                          (long long)i->num_elems, (long long)shape_dim(&t->shape, 0));
}

static bool scatter_new(struct kctx *c, int64_t n, struct status *st)
{
    struct shape item;
    struct tensor all;

    if (!check_indices(c, 0, 1, st) || !list_shape_in(c, 2, &item, st))
        return false;
    bool ok = rows_in(c, 0, &item, &all, st);
    struct list *l = ok ? list_new(item_type(c), &item) : NULL;
    const struct tensor *index = kernel_in(c, 1);

    shape_clear(&item);
    if (!ok)
        return false;
    for (int64_t k = 0; ok && n >= 0 && k < index->num_elems; k++)
        if (tensor_i32(index)[k] >= n)
            ok = status_invalid(
                st, "TensorListScatter: Trying to scatter at index %d in list with size %lld",
                (int)tensor_i32(index)[k], (long long)n);
    ok = ok && (n < 0 || list_resize(l, n, st)) && scatter(l, &all, index, st);
    tensor_clear(&all);
    if (ok)
        return list_out(c, 0, l, st);
    variant_unref(&l->base);
    return false;
}

static bool scatter_run(struct kctx *c, struct status *st)
{
    return scatter_new(c, -1, st);
}

static bool scatter_v2_run(struct kctx *c, struct status *st)
{
    if (!kernel_want_scalar(c, 3, st))
        return false;
    int64_t n = tensor_i32(kernel_in(c, 3))[0];

    if (n < -1)
        return status_invalid(st, "TensorListScatter expects num_elements >= -1, found: %lld",
                              (long long)n);
    return scatter_new(c, n, st);
}

static bool scatter_shape(struct infer_ctx *c, struct status *st)
{
    return list_infer_declared(c, 2, st);
}

static bool scatter_grad(struct grad_ctx *g, struct status *st)
{
    int type = grad_type_of(g, grad_in(g, 0));

    if (grad_has_dy(g, 0))
        grad_set(g, 0,
                 grad_opv(g, "TensorListGather", 3,
                          (struct output[]){grad_dy(g, 0), grad_in(g, 1),
                                            grad_cast(g, grad_in(g, 2), DT_INT32)},
                          1, (struct attr[]){{(char *)"element_dtype", attr_type(type)}}));
    return grad_done(g, st);
}

OP_DEF(tensor_list_scatter) = {
    .name = "TensorListScatter",
    .summary = "A list with the rows of a tensor at those indices.",
    .inputs = {"tensor: element_dtype", "indices: int32", "element_shape: shape_type"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = scatter_shape,
    .grad = scatter_grad,
};
KERNEL_DEF(tensor_list_scatter_cpu) = {
    .op = "TensorListScatter", .device = "CPU", .types = {ITEM_TYPES}, .run = scatter_run};

OP_DEF(tensor_list_scatter_v2) = {
    .name = "TensorListScatterV2",
    .summary = "A list of num_elements items with the rows of a tensor at those indices.",
    .inputs = {"tensor: element_dtype", "indices: int32", "element_shape: shape_type",
               "num_elements: int32"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = scatter_shape,
    .grad = scatter_grad,
};
KERNEL_DEF(tensor_list_scatter_v2_cpu) = {
    .op = "TensorListScatterV2", .device = "CPU", .types = {ITEM_TYPES}, .run = scatter_v2_run};

static bool scatter_existing_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, item_type(c), st);
    struct tensor all;

    if (!l || !check_indices(c, 1, 2, st) || !rows_in(c, 1, &l->shape, &all, st))
        return false;
    l = list_edit(c, st);
    bool ok = l && scatter(l, &all, kernel_in(c, 2), st);

    tensor_clear(&all);
    return ok;
}

static bool scatter_existing_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    return infer_want_rank(c, infer_input(c, 2), 1, &item, st) &&
           list_infer_item(c, -1, &item, st) && list_infer_same(c, st);
}

static bool scatter_existing_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), t = grad_in(g, 1), index = grad_in(g, 2);

    grad_set(g, 0,
             grad_op3(g, "TensorListScatterIntoExistingList", dy, grad_zeros_like(g, t), index));
    grad_set(g, 1,
             grad_opv(g, "TensorListGather", 3,
                      (struct output[]){dy, index, element_shape(g, grad_in(g, 0))}, 1,
                      (struct attr[]){{(char *)"element_dtype", attr_type(grad_type_of(g, t))}}));
    return grad_done(g, st);
}

OP_DEF(tensor_list_scatter_into_existing_list) = {
    .name = "TensorListScatterIntoExistingList",
    .summary = "The list with the rows of a tensor at those indices.",
    .inputs = {"input_handle: variant", "tensor: element_dtype", "indices: int32"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type"},
    .shape = scatter_existing_shape,
    .grad = scatter_existing_grad,
};
KERNEL_DEF(tensor_list_scatter_into_existing_list_cpu) = {.op = "TensorListScatterIntoExistingList",
                                                          .device = "CPU",
                                                          .types = {ITEM_TYPES},
                                                          .run = scatter_existing_run};
