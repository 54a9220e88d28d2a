/* SPDX-License-Identifier: Apache-2.0 */
/* SparseReduceSum: a sparse tensor's entries, added up
 * along some axes, as a dense tensor. Places that no entry falls to are zero. */
#include <string.h>

#include "math/value_add.h"
#include "op/grad.h"
#include "ops/sparse/coords.h"

struct plan {
    bool reduced[SHAPE_MAX_RANK];
    int64_t step[SHAPE_MAX_RANK]; /* of the output; 0 where reduced */
    struct shape shape;           /* of the output; cleared by the caller */
};

static bool plan_make(const struct kctx *c, struct plan *p, struct status *st)
{
    const struct tensor *dims = kernel_in(c, 2), *axes = kernel_in(c, 3);
    int64_t rank = dims->num_elems, out[SHAPE_MAX_RANK], steps = 1, elems;
    bool keep = attrs_bool(kernel_attrs(c), "keep_dims");
    int n = 0;
    *p = (struct plan){0};
    if (rank > SHAPE_MAX_RANK)
        return status_invalid(st, "too many dimensions: %lld", (long long)rank);
    for (int64_t i = 0; i < axes->num_elems; i++) {
        int64_t axis = tensor_i32(axes)[i];
        if (axis < -rank || axis >= rank)
            return status_invalid(st,
                                  "Invalid reduction dimension %lld, for input with %lld "
                                  "dimension(s)",
                                  (long long)axis, (long long)rank);
        p->reduced[axis < 0 ? axis + rank : axis] = true;
    }
    for (int64_t d = 0; d < rank; d++) {
        if (!p->reduced[d] || keep)
            out[n++] = p->reduced[d] ? 1 : tensor_i64(dims)[d];
    }
    p->shape = shape_make(out, n);
    if (!shape_num_elems(&p->shape, &elems, st)) {
        shape_clear(&p->shape);
        return false;
    }
    for (int64_t d = rank - 1; d >= 0; d--) {
        if (!p->reduced[d]) {
            p->step[d] = steps;
            steps *= tensor_i64(dims)[d] > 0 ? tensor_i64(dims)[d] : 1;
        }
    }
    return true;
}

static int64_t place_of(const struct plan *p, const int64_t *row, int64_t rank)
{
    int64_t at = 0;
    for (int64_t d = 0; d < rank; d++)
        at += p->step[d] * row[d];
    return at;
}

static bool begin(struct kctx *c, struct plan *p, struct tensor **y, struct status *st)
{
    if (!sparse_check(c, 0, st) ||
        !sparse_check_inside(kernel_in(c, 0), tensor_i64(kernel_in(c, 2)), "input", st) ||
        !plan_make(c, p, st))
        return false;
    *y = kernel_out(c, 0, &p->shape, st);
    shape_clear(&p->shape);
    if (*y && (*y)->num_elems > 0)
        memset((*y)->data, 0, tensor_bytes(*y));
    return *y != NULL;
}

static bool sum_run(struct kctx *c, struct status *st)
{
    struct plan p;
    struct tensor *y;
    if (!begin(c, &p, &y, st))
        return false;
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1);
    int64_t rank = tensor_dim(ix, 1);
    size_t item = dtype_size(y->dtype);
    value_add_fn add = value_add_of(y->dtype);
    for (int64_t i = 0; i < values->num_elems; i++)
        add((char *)y->data + (size_t)place_of(&p, tensor_i64(ix) + i * rank, rank) * item,
            (const char *)values->data + (size_t)i * item, 1);
    return true;
}

static bool reduce_shape(struct infer_ctx *c, struct status *st)
{
    int64_t n, rank;
    const struct shape *dims, *out;
    if (!sparse_infer(c, 0, &n, &rank, st) || !infer_const_shape(c, 2, &dims, st))
        return false;
    const struct tensor *axes = infer_const(c, 3);
    if (!axes || dims->rank == RANK_UNKNOWN)
        return true;
    int64_t d[SHAPE_MAX_RANK];
    bool keep = attrs_bool(infer_attrs(c), "keep_dims"), reduced[SHAPE_MAX_RANK] = {false};
    int k = 0;
    for (int64_t i = 0; i < axes->num_elems; i++) {
        int64_t axis = tensor_i32(axes)[i];
        if (axis < -dims->rank || axis >= dims->rank)
            return true; /* the kernel says so */
        reduced[axis < 0 ? axis + dims->rank : axis] = true;
    }
    for (int i = 0; i < dims->rank; i++) {
        if (!reduced[i] || keep)
            d[k++] = reduced[i] ? 1 : infer_dim(dims, i);
    }
    out = infer_make(c, d, k);
    infer_set(c, 0, out);
    return true;
}

/* The sparse tensor's dims with 1 in place of those that are reduced, int64. */
static struct output kept_dims(struct grad_ctx *g, struct output dims, struct output axes)
{
    struct output zero = grad_const_i32(g, 0), one = grad_const_i32(g, 1);
    struct output rank = grad_op1(g, "Size", dims);
    struct output all = grad_op3(g, "Range", zero, rank, one);
    struct output wrapped = grad_op2(g, "FloorMod", grad_add(g, axes, rank), rank);
    struct output ones = grad_op2(g, "Fill", grad_shape(g, axes), grad_const_like(g, dims, 1));
    struct grad_build b = {.op = "DynamicStitch",
                           .inputs = (struct output[]){all, wrapped, dims, ones},
                           .num_inputs = 4,
                           .list_sizes = (int[]){2, 2}};
    return grad_node_out(g, grad_node(g, &b), 0);
}

static bool sum_grad(struct grad_ctx *g, struct status *st)
{
    struct output dims = grad_in(g, 2), kept = kept_dims(g, dims, grad_in(g, 3));
    struct output dy = grad_reshape(g, grad_dy(g, 0), kept);
    struct output scale = grad_op2(g, "FloorDiv", dims, kept);
    struct output at = grad_op2(g, "FloorDiv", grad_in(g, 0), scale);
    grad_set(g, 1, grad_op2(g, "GatherNd", dy, at));
    return grad_done(g, st);
}

OP_DEF(sparse_reduce_sum) = {
    .name = "SparseReduceSum",
    .summary = "Sums of a sparse tensor's entries along some axes, as a dense tensor.",
    .inputs = {"input_indices: int64", "input_values: T", "input_shape: int64",
               "reduction_axes: int32"},
    .outputs = {"output: T"},
    .attrs = {"keep_dims: bool = false", "T: numbertype"},
    .shape = reduce_shape,
    .grad = sum_grad,
};
KERNEL_DEF(sparse_reduce_sum_cpu) = {
    .op = "SparseReduceSum",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128}"},
    .run = sum_run,
};
