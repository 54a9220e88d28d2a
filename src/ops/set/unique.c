/* SPDX-License-Identifier: Apache-2.0 */
/* Unique and its kin: elements, or slices along an axis, without repetitions, in the order in which
 * they first appear. NaN equals nothing, so each of them stays. */
#include "ops/set/unique.h"

#include <string.h>

#include "op/infer.h"

static bool unique_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &x, st))
        return false;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 1, infer_input(c, 0));
    if (infer_num_outputs(c) > 2)
        infer_set(c, 2, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static bool unique_of_vector_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, 0), 1, &s, st) && unique_shape(c, st);
}

static bool unique_v2_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_of_rank(c, infer_input(c, 0)->rank));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    if (infer_num_outputs(c) > 2)
        infer_set(c, 2, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static void put(struct tensor *t, int64_t i, int64_t v)
{
    if (t->dtype == DT_INT32)
        tensor_i32(t)[i] = (int32_t)v;
    else
        tensor_i64(t)[i] = v;
}

/* The axis whose slices are compared, and the input seen along it. */
static bool view_input(const struct kctx *c, struct items *out, int *axis, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    int rank = tensor_rank(x);
    const struct tensor *axes = kernel_num_inputs(c) > 1 ? kernel_in(c, 1) : NULL;
    *axis = 0;
    if (axes && tensor_rank(axes) != 1)
        return status_invalid(st, "axis expects a 1D vector.");
    if (axes && axes->num_elems > 1)
        return status_invalid(st, "axis does not support input tensors larger than 1 elements");
    if (!axes || axes->num_elems == 0) {
        if (rank != 1)
            return status_invalid(st, "unique expects a 1D vector.");
    } else {
        int64_t a = tensor_index(axes, 0);
        a = a < 0 ? a + rank : a;
        if (a < 0 || a >= rank)
            return status_invalid(st, "axis has to be between [0, %d)", rank);
        *axis = (int)a;
    }
    *out = (struct items){.t = x, .outer = 1, .n = tensor_dim(x, *axis), .inner = 1};
    for (int i = 0; i < rank; i++) {
        if (i < *axis)
            out->outer *= tensor_dim(x, i);
        else if (i > *axis)
            out->inner *= tensor_dim(x, i);
    }
    return true;
}

/* Output 0: the num items whose numbers are in first. */
static bool put_items(struct kctx *c, const struct items *x, int axis, const int64_t *first,
                      int64_t num, struct status *st)
{
    int rank = tensor_rank(x->t);
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < rank; i++)
        dims[i] = i == axis ? num : tensor_dim(x->t, i);
    struct shape shape = shape_make(dims, rank);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!y)
        return false;
    int64_t run = x->inner * (int64_t)dtype_size(y->dtype);
    for (int64_t o = 0; o < x->outer; o++) {
        for (int64_t i = 0; i < num; i++) {
            const char *from = (const char *)x->t->data + (o * x->n + first[i]) * run;
            if (!elems_copy(y->dtype, (char *)y->data + (o * num + i) * run, from, x->inner))
                return status_exhausted(st, "no memory to copy strings");
        }
    }
    return true;
}

static bool unique_run(struct kctx *c, struct status *st)
{
    struct items x;
    struct item_set set;
    int axis;
    int64_t bytes;
    if (!view_input(c, &x, &axis, st) || !item_set_begin(c, &set, x, st))
        return false;
    struct shape vector = shape_1(x.n);
    struct tensor *idx = kernel_out(c, 1, &vector, st);
    if (!idx)
        return false;
    if (!size_mul(x.n, 2 * (int64_t)sizeof(int64_t), &bytes))
        return status_exhausted(st, "too many elements");
    int64_t *first = kernel_scratch(c, bytes, st), num = 0;
    if (!first)
        return false;
    /* The table holds item numbers; number[item] is its place among the unique ones. */
    int64_t *number = first + x.n;
    for (int64_t i = 0; i < x.n; i++) {
        int64_t *slot = item_set_find(&set, &x, i);
        if (*slot < 0) {
            *slot = i;
            first[num] = i;
            number[i] = num++;
        }
        number[i] = number[*slot];
        put(idx, i, number[i]);
    }
    if (!put_items(c, &x, axis, first, num, st))
        return false;
    if (kernel_num_outputs(c) < 3)
        return true;
    vector = shape_1(num);
    struct tensor *count = kernel_out(c, 2, &vector, st);
    if (!count)
        return false;
    memset(count->data, 0, tensor_bytes(count));
    for (int64_t i = 0; i < x.n; i++)
        put(count, number[i], tensor_index(count, number[i]) + 1);
    return true;
}

#define TYPES                                                                                      \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, bool, string}"
#define KERNEL(id, op_name)                                                                        \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .types = {TYPES}, .run = unique_run}

OP_DEF(unique) = {
    .name = "Unique",
    .summary = "The elements of a vector without repetitions, and where each went.",
    .inputs = {"x: T"},
    .outputs = {"y: T", "idx: out_idx"},
    .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
    .shape = unique_of_vector_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(unique, "Unique");

OP_DEF(unique_with_counts) = {
    .name = "UniqueWithCounts",
    .summary = "The elements of a vector without repetitions, where each went, and how many.",
    .inputs = {"x: T"},
    .outputs = {"y: T", "idx: out_idx", "count: out_idx"},
    .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
    .shape = unique_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(unique_with_counts, "UniqueWithCounts");

OP_DEF(unique_v2) = {
    .name = "UniqueV2",
    .summary = "The slices along an axis without repetitions, and where each went.",
    .inputs = {"x: T", "axis: Taxis"},
    .outputs = {"y: T", "idx: out_idx"},
    .attrs = {"T: type", "Taxis: {int32, int64} = DT_INT64", "out_idx: {int32, int64} = DT_INT32"},
    .shape = unique_v2_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(unique_v2, "UniqueV2");

OP_DEF(unique_with_counts_v2) = {
    .name = "UniqueWithCountsV2",
    .summary = "The slices along an axis without repetitions, where each went, and how many.",
    .inputs = {"x: T", "axis: Taxis"},
    .outputs = {"y: T", "idx: out_idx", "count: out_idx"},
    .attrs = {"T: type", "Taxis: {int32, int64} = DT_INT64", "out_idx: {int32, int64} = DT_INT32"},
    .shape = unique_v2_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(unique_with_counts_v2, "UniqueWithCountsV2");

/* --- ListDiff --- */

static bool list_diff_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &s, st))
        return false;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static bool list_diff_run(struct kctx *c, struct status *st)
{
    const struct tensor *xt = kernel_in(c, 0), *yt = kernel_in(c, 1);
    if (tensor_rank(xt) != 1)
        return status_invalid(st, "x should be a 1D vector.");
    if (tensor_rank(yt) != 1)
        return status_invalid(st, "y should be a 1D vector.");
    struct items x = {xt, 1, xt->num_elems, 1}, y = {yt, 1, yt->num_elems, 1};
    struct item_set set;
    int64_t bytes, num = 0;
    if (!item_set_begin(c, &set, y, st))
        return false;
    if (!size_mul(x.n, (int64_t)sizeof(int64_t), &bytes))
        return status_exhausted(st, "too many elements");
    int64_t *left = kernel_scratch(c, bytes, st);
    if (!left)
        return false;
    for (int64_t i = 0; i < y.n; i++) {
        int64_t *slot = item_set_find(&set, &y, i);
        *slot = *slot < 0 ? i : *slot;
    }
    for (int64_t i = 0; i < x.n; i++) {
        if (*item_set_find(&set, &x, i) < 0)
            left[num++] = i;
    }
    struct shape vector = shape_1(num);
    struct tensor *idx = kernel_out(c, 1, &vector, st);
    if (!idx)
        return false;
    for (int64_t i = 0; i < num; i++)
        put(idx, i, left[i]);
    return put_items(c, &x, 0, left, num, st);
}

OP_DEF(list_diff) = {
    .name = "ListDiff",
    .summary = "The elements of x that are not in y, and their positions.",
    .inputs = {"x: T", "y: T"},
    .outputs = {"out: T", "idx: out_idx"},
    .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
    .shape = list_diff_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(list_diff_cpu) = {
    .op = "ListDiff",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "string}"},
    .run = list_diff_run,
};
