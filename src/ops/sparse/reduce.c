/* SPDX-License-Identifier: Apache-2.0 */
/* SparseReduceSum, SparseReduceMax: a sparse tensor's entries, added up, or the greatest, along
 * some axes, as a dense tensor, where places that no entry falls to are zero, or as a sparse one
 * (SparseReduceSumSparse, SparseReduceMaxSparse). */
#include <string.h>

#include "math/value_add.h"
#include "op/grad.h"
#include "ops/sparse/coords.h"
#include "ops/sparse/extreme.h"

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

/* y = the greater one; the first one at a place replaces what is there. A NaN that comes first
 * gives way to any number. */
static void keep_greater(int dtype, void *y, const void *x, bool first, extreme_fn choose)
{
    const bool nan = dtype == DT_FLOAT    ? *(const float *)y != *(const float *)y
                     : dtype == DT_DOUBLE ? *(const double *)y != *(const double *)y
                                          : false;
    if (first || nan)
        memcpy(y, x, dtype_size(dtype));
    else
        choose(y, x);
}

static bool max_run(struct kctx *c, struct status *st)
{
    struct plan p;
    struct tensor *y;
    if (!begin(c, &p, &y, st))
        return false;
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1);
    const int64_t rank = tensor_dim(ix, 1);
    const size_t item = dtype_size(y->dtype);
    const extreme_fn choose = extreme_of(y->dtype, true);
    bool *met = kernel_scratch(c, y->num_elems + 1, st);
    if (!met)
        return false;
    memset(met, 0, (size_t)y->num_elems);
    for (int64_t i = 0; i < values->num_elems; i++) {
        const int64_t at = place_of(&p, tensor_i64(ix) + i * rank, rank);
        keep_greater(y->dtype, (char *)y->data + (size_t)at * item,
                     (const char *)values->data + (size_t)i * item, !met[at], choose);
        met[at] = true;
    }
    return true;
}

/* --- as a sparse tensor --- */

struct groups {
    int64_t *rows; /* of each entry: its coordinates in the result */
    int64_t *order;
    int64_t n, width; /* groups; columns */
};

/* Entries of one place of the result follow each other in the order. */
static bool group(struct kctx *c, const struct plan *p, struct groups *g, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0);
    const int64_t n = tensor_dim(ix, 0), rank = tensor_dim(ix, 1);
    const bool keep = attrs_bool(kernel_attrs(c), "keep_dims");
    g->width = p->shape.rank;
    g->rows = kernel_scratch(c, n * g->width * (int64_t)sizeof *g->rows + 1, st);
    g->order = g->rows ? kernel_scratch(c, 2 * n * (int64_t)sizeof *g->order + 1, st) : NULL;
    if (!g->order)
        return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t *to = g->rows + i * g->width;
        for (int64_t d = 0; d < rank; d++) {
            if (!p->reduced[d] || keep)
                *to++ = p->reduced[d] ? 0 : tensor_i64(ix)[i * rank + d];
        }
    }
    coords_sort(g->rows, n, g->width, g->order);
    for (int64_t i = 0; i < n; i++)
        g->n += i == 0 || coords_compare(g->rows + g->order[i - 1] * g->width,
                                         g->rows + g->order[i] * g->width, g->width) != 0;
    return true;
}

static bool sparse_out(struct kctx *c, const struct plan *p, bool greatest, struct status *st)
{
    struct groups g = {0};
    if (!group(c, p, &g, st))
        return false;
    const struct tensor *values = kernel_in(c, 1);
    const struct shape m = shape_2(g.n, g.width), v = shape_1(g.n), r = shape_1(g.width);
    struct tensor *to = kernel_out(c, 0, &m, st);
    struct tensor *y = to ? kernel_out(c, 1, &v, st) : NULL;
    struct tensor *dims = y ? kernel_out(c, 2, &r, st) : NULL;
    if (!dims)
        return false;
    const size_t item = dtype_size(y->dtype);
    const extreme_fn choose = greatest ? extreme_of(y->dtype, true) : NULL;
    const value_add_fn add = value_add_of(y->dtype);
    int64_t at = -1;
    for (int64_t i = 0; i < values->num_elems; i++) {
        const int64_t *row = g.rows + g.order[i] * g.width;
        const char *x = (const char *)values->data + (size_t)g.order[i] * item;
        const bool first =
            i == 0 || coords_compare(row, g.rows + g.order[i - 1] * g.width, g.width);
        at += first;
        char *sum = (char *)y->data + (size_t)at * item;
        if (first && g.width > 0)
            memcpy(tensor_i64(to) + at * g.width, row, (size_t)g.width * sizeof *row);
        if (greatest)
            keep_greater(y->dtype, sum, x, first, choose);
        else if (first)
            memcpy(sum, x, item);
        else
            add(sum, x, 1);
    }
    for (int64_t d = 0; d < g.width; d++)
        tensor_i64(dims)[d] = shape_dim(&p->shape, (int)d);
    return true;
}

static bool sparse_run(struct kctx *c, bool greatest, struct status *st)
{
    struct plan p;
    if (!sparse_check(c, 0, st) || !plan_make(c, &p, st))
        return false;
    const bool ok = sparse_out(c, &p, greatest, st);
    shape_clear(&p.shape);
    return ok;
}

static bool sum_sparse_run(struct kctx *c, struct status *st)
{
    return sparse_run(c, false, st);
}

static bool max_sparse_run(struct kctx *c, struct status *st)
{
    return sparse_run(c, true, st);
}

static bool reduce_shape(struct infer_ctx *c, struct status *st)
{
    const struct tensor *value = infer_const(c, 2), *axes = infer_const(c, 3);
    const struct shape *dims, *out;
    if (!value || !axes || tensor_rank(value) != 1)
        return true;
    if (!infer_const_shape(c, 2, &dims, st))
        return false;
    if (dims->rank == RANK_UNKNOWN)
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
    struct output all = grad_op3(g, "range=Range", zero, rank, one);
    struct output wrapped = grad_op2(g, "mod=FloorMod", grad_add(g, axes, rank), rank);
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

#define INPUTS                                                                                     \
    {                                                                                              \
        "input_indices: int64", "input_values: T", "input_shape: int64", "reduction_axes: int32"   \
    }
#define REALS "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64"
#define NO_GRAD "undefined: as in TensorFlow"
OP_DEF(sparse_reduce_max) = {
    .name = "SparseReduceMax",
    .summary = "The greatest of a sparse tensor's entries along some axes, as a dense tensor.",
    .inputs = INPUTS,
    .outputs = {"output: T"},
    .attrs = {"keep_dims: bool = false", "T: realnumbertype"},
    .shape = reduce_shape,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(sparse_reduce_max_cpu) = {
    .op = "SparseReduceMax", .device = "CPU", .types = {"T: {" REALS "}"}, .run = max_run};

#define SPARSE                                                                                     \
    {                                                                                              \
        "output_indices: int64", "output_values: T", "output_shape: int64"                         \
    }
OP_DEF(sparse_reduce_sum_sparse) = {
    .name = "SparseReduceSumSparse",
    .summary = "Sums of a sparse tensor's entries along some axes, as a sparse tensor.",
    .inputs = INPUTS,
    .outputs = SPARSE,
    .attrs = {"keep_dims: bool = false", "T: numbertype"},
    .shape = infer_unknown_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(sparse_reduce_sum_sparse_cpu) = {.op = "SparseReduceSumSparse",
                                            .device = "CPU",
                                            .types = {"T: {" REALS ", complex64, complex128}"},
                                            .run = sum_sparse_run};
OP_DEF(sparse_reduce_max_sparse) = {
    .name = "SparseReduceMaxSparse",
    .summary = "The greatest of a sparse tensor's entries along some axes, as a sparse tensor.",
    .inputs = INPUTS,
    .outputs = SPARSE,
    .attrs = {"keep_dims: bool = false", "T: realnumbertype"},
    .shape = infer_unknown_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(sparse_reduce_max_sparse_cpu) = {.op = "SparseReduceMaxSparse",
                                            .device = "CPU",
                                            .types = {"T: {" REALS "}"},
                                            .run = max_sparse_run};
