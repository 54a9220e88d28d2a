/* SPDX-License-Identifier: Apache-2.0 */
/* Items joined along their first dimension, and tensors cut along it: TensorListConcat,
 * TensorListConcatV2, TensorListSplit. */
#include "op/grad.h"
#include "ops/list/list.h"

#define ITEM_TYPES                                                                                 \
    "element_dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "    \
    "complex64, complex128, bool, string, variant, qint16, qint32, qint8, quint16, quint8}"

static int item_type(const struct kctx *c)
{
    return attrs_type(kernel_attrs(c), "element_dtype");
}

/* What is known of a shape without its first dimension. */
static struct shape without_first(const struct shape *s)
{
    int64_t dims[SHAPE_MAX_RANK];

    for (int i = 1; i < s->rank; i++)
        dims[i - 1] = shape_dim(s, i);
    return s->rank < 1 ? shape_unknown() : shape_make(dims, s->rank - 1);
}

/* --- joining --- */

struct join { /* items below each other */
    struct list *l;
    struct shape rest;         /* of an item, the first dimension apart */
    const struct tensor *lead; /* first dimensions of items that were never set, or NULL */
    int64_t first, rows;       /* first dimension of the item shape, -1: unknown; rows in all */
};

static int64_t rows_of(const struct join *j, int64_t i)
{
    if (j->l->items[i].dtype != DT_INVALID)
        return shape_dim(&j->l->items[i].shape, 0);
    if (j->lead && i < j->lead->num_elems)
        return tensor_i64(j->lead)[i];
    return j->first;
}

static bool check_item(struct join *j, int64_t i, struct status *st)
{
    const struct tensor *t = &j->l->items[i];
    struct shape rest, merged;

    if (t->dtype == DT_INVALID)
        return true;
    if (t->shape.rank < 1)
        return status_invalid(st,
                              "Concat saw a scalar shape at index %lld but requires at least "
                              "vectors.  Did you mean to call stack?",
                              (long long)i);
    rest = without_first(&t->shape);
    bool ok = list_merge_shapes(&j->rest, &rest, &merged) || list_contradict(&j->rest, &rest, st);

    shape_clear(&rest);
    if (!ok)
        return false;
    shape_clear(&j->rest);
    j->rest = merged;
    return true;
}

static bool count_rows(struct join *j, struct status *st)
{
    for (int64_t i = 0; i < j->l->n; i++)
        if (!check_item(j, i, st))
            return false;
    bool known = j->rest.rank >= 0;

    for (int k = 0; k < j->rest.rank; k++)
        known = known && shape_dim(&j->rest, k) >= 0;
    if (!known)
        return status_invalid(st, "All except the first dimension must be fully defined when "
                                  "concating an empty tensor list.");
    for (int64_t i = 0; i < j->l->n; i++) {
        int64_t n = rows_of(j, i);

        if (n < 0)
            return status_invalid(st,
                                  "List contains uninitialized tensor at index %lld but "
                                  "leading_dims has only %lld elements.",
                                  (long long)i, (long long)(j->lead ? j->lead->num_elems : 0));
        if (!size_add(j->rows, n, &j->rows))
            return status_invalid(st, "A list has too many rows");
    }
    return true;
}

static bool write_rows(struct kctx *c, struct join *j, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK] = {j->rows};

    if (j->rest.rank >= SHAPE_MAX_RANK)
        return status_invalid(st, "items of rank %d cannot be joined", j->rest.rank);
    for (int k = 0; k < j->rest.rank; k++)
        dims[k + 1] = shape_dim(&j->rest, k);
    struct shape s = shape_make(dims, j->rest.rank + 1);
    struct tensor *out = kernel_out(c, 0, &s, st);
    struct shape vector = shape_make(&j->l->n, 1);
    struct tensor *lengths = out ? kernel_out(c, 1, &vector, st) : NULL;

    shape_clear(&s);
    shape_clear(&vector);
    if (!lengths)
        return false;
    const int64_t each = j->rows ? out->num_elems / j->rows : 0;
    char *to = out->data;

    for (int64_t i = 0; i < j->l->n; i++) {
        const struct tensor *t = &j->l->items[i];
        const int64_t n = rows_of(j, i) * each;

        tensor_i64(lengths)[i] = rows_of(j, i);
        if (n > 0 && t->dtype != DT_INVALID) {
            if (!elems_copy(out->dtype, to, t->data, n))
                return status_exhausted(st, "no memory for the strings of a list");
        } else if (n > 0 && !dtype_is_managed(out->dtype)) {
            memset(to, 0, (size_t)n * dtype_size(out->dtype));
        }
        to += (size_t)n * dtype_size(out->dtype);
    }
    return true;
}

/* item: the shape that is asked for. */
static bool concat(struct kctx *c, const struct shape *item, const struct tensor *lead,
                   struct status *st)
{
    struct join j = {.l = list_of(c, 0, item_type(c), st), .lead = lead, .first = -1};
    struct shape merged;

    if (!j.l)
        return false;
    if (item->rank == 0 || j.l->shape.rank == 0)
        return status_invalid(st, "Concat requires elements to be at least vectors, found scalars "
                                  "instead.");
    struct shape asked = without_first(item);
    struct shape has = shape_unknown();

    if (lead) /* the first version takes items as they are */
        has = without_first(&j.l->shape);
    bool ok = list_merge_shapes(&asked, &has, &merged);

    shape_clear(&asked);
    shape_clear(&has);
    if (!ok)
        return list_contradict(item, &j.l->shape, st);
    j.rest = merged;
    for (int64_t i = 0; !lead && i < j.l->n; i++)
        if (j.l->items[i].dtype == DT_INVALID) {
            shape_clear(&j.rest);
            return status_invalid(st, "Concating lists with uninitialized tensors is not supported "
                                      "in this version of TensorListConcat.");
        }
    if (item->rank > 0)
        j.first = shape_dim(item, 0);
    if (j.first < 0 && j.l->shape.rank > 0)
        j.first = shape_dim(&j.l->shape, 0);
    ok = count_rows(&j, st) && write_rows(c, &j, st);
    shape_clear(&j.rest);
    return ok;
}

static bool concat_run(struct kctx *c, struct status *st)
{
    const struct shape *item;

    return attrs_get_shape(kernel_attrs(c), "element_shape", &item, st) &&
           concat(c, item, NULL, st);
}

static bool concat_v2_run(struct kctx *c, struct status *st)
{
    struct shape item;

    if (!list_shape_in(c, 1, &item, st) || !kernel_want_vector(c, 2, st)) {
        return false;
    }
    bool ok = concat(c, &item, kernel_in(c, 2), st);

    shape_clear(&item);
    return ok;
}

static bool concat_shape_of(struct infer_ctx *c, const struct shape *item)
{
    if (item->rank > 0)
        infer_set(c, 0, infer_concat(c, infer_vector(c, -1), infer_slice(c, item, 1, item->rank)));
    infer_set(c, 1, infer_vector(c, -1));
    return true;
}

static bool concat_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    return list_infer_item(c, 1, &item, st) && concat_shape_of(c, item);
}

static bool concat_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    const struct shape *has, *merged;

    return attrs_get_shape(infer_attrs(c), "element_shape", &item, st) &&
           list_infer_item(c, -1, &has, st) && infer_merge(c, item, has, &merged, st) &&
           concat_shape_of(c, item);
}

static bool concat_grad(struct grad_ctx *g, struct status *st)
{
    struct output list = grad_in(g, 0);
    struct output shape = grad_opv(g, "TensorListElementShape", 1, &list, 1,
                                   (struct attr[]){{(char *)"shape_type", attr_type(DT_INT32)}});

    if (grad_has_dy(g, 0))
        grad_set(g, 0, grad_op3(g, "TensorListSplit", grad_dy(g, 0), shape, grad_out(g, 1)));
    return grad_done(g, st);
}

OP_DEF(tensor_list_concat) = {
    .name = "TensorListConcat",
    .summary = "All items of a list joined along their first dimension, and how long each is.",
    .inputs = {"input_handle: variant"},
    .outputs = {"tensor: element_dtype", "lengths: int64"},
    .attrs = {"element_dtype: type", "element_shape: shape = <unknown>"},
    .shape = concat_shape,
    .grad = concat_grad,
};
KERNEL_DEF(tensor_list_concat_cpu) = {
    .op = "TensorListConcat", .device = "CPU", .types = {ITEM_TYPES}, .run = concat_run};

OP_DEF(tensor_list_concat_v2) = {
    .name = "TensorListConcatV2",
    .summary = "All items of a list joined along their first dimension, and how long each is.",
    .inputs = {"input_handle: variant", "element_shape: shape_type", "leading_dims: int64"},
    .outputs = {"tensor: element_dtype", "lengths: int64"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = concat_v2_shape,
    .grad = concat_grad,
};
KERNEL_DEF(tensor_list_concat_v2_cpu) = {
    .op = "TensorListConcatV2", .device = "CPU", .types = {ITEM_TYPES}, .run = concat_v2_run};

/* --- cutting --- */

static bool check_lengths(const struct tensor *t, const struct tensor *lengths, struct status *st)
{
    int64_t sum = 0;

    if (t->shape.rank < 1)
        return status_invalid(st, "Tensor must be at least a vector, but saw shape: []");
    for (int64_t i = 0; i < lengths->num_elems; i++) {
        if (tensor_i64(lengths)[i] < 0)
            return status_invalid(st, "Invalid value in lengths: %lld",
                                  (long long)tensor_i64(lengths)[i]);
        if (!size_add(sum, tensor_i64(lengths)[i], &sum) || sum > shape_dim(&t->shape, 0))
            return status_invalid(st, "Attempting to slice past the end of the tensor at item %lld",
                                  (long long)i);
    }
    return sum == shape_dim(&t->shape, 0) ||
           status_invalid(st, "Unused values in tensor. Length of tensor: %lld Values used: %lld",
                          (long long)shape_dim(&t->shape, 0), (long long)sum);
}

static bool fill_split(struct kctx *c, struct list *l, struct status *st)
{
    const struct tensor *lengths = kernel_in(c, 2);
    struct tensor all;
    int64_t at = 0;

    if (!list_resize(l, lengths->num_elems, st) || !kernel_in_keep(c, 0, &all, st))
        return false;
    for (int64_t i = 0; i < l->n; i++) {
        int64_t end = at + tensor_i64(lengths)[i];

        l->items[i] = tensor_rows(&all, at, end);
        at = end;
    }
    tensor_clear(&all);
    for (int64_t i = 0; i < l->n; i++)
        if (!shape_compatible(&l->shape, &l->items[i].shape))
            return status_invalid(st,
                                  "Tried to split a tensor into items that do not have the "
                                  "element_shape, as item %lld",
                                  (long long)i);
    return true;
}

static bool split_run(struct kctx *c, struct status *st)
{
    struct shape item;

    if (!kernel_want_vector(c, 2, st) || !check_lengths(kernel_in(c, 0), kernel_in(c, 2), st) ||
        !list_shape_in(c, 1, &item, st))
        return false;
    struct list *l = list_new(item_type(c), &item);

    shape_clear(&item);
    if (fill_split(c, l, st))
        return list_out(c, 0, l, st);
    variant_unref(&l->base);
    return false;
}

static bool split_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *declared, *all, *item;

    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &all, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &item, st) ||
        !list_infer_shape(c, 1, &declared, st))
        return false;
    item = all->rank < 0 ? all : infer_with_dim(c, all, 0, DIM_UNKNOWN);
    return infer_merge(c, item, declared, &item, st) && list_infer_declared(c, 1, st);
}

static bool split_grad(struct grad_ctx *g, struct status *st)
{
    int type = grad_type_of(g, grad_in(g, 0));

    if (!grad_has_dy(g, 0))
        return grad_done(g, st);
    grad_set(g, 0,
             grad_opv(g, "TensorListConcatV2", 3,
                      (struct output[]){grad_dy(g, 0), grad_in(g, 1), grad_in(g, 2)}, 1,
                      (struct attr[]){{(char *)"element_dtype", attr_type(type)}}));
    return grad_done(g, st);
}

OP_DEF(tensor_list_split) = {
    .name = "TensorListSplit",
    .summary = "A list of pieces of a tensor, each so many rows long.",
    .inputs = {"tensor: element_dtype", "element_shape: shape_type", "lengths: int64"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = split_shape,
    .grad = split_grad,
};
KERNEL_DEF(tensor_list_split_cpu) = {
    .op = "TensorListSplit", .device = "CPU", .types = {ITEM_TYPES}, .run = split_run};
