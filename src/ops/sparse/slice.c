/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a sparse tensor: SparseSlice, one box of it; SparseSplit, pieces along a dimension; and
 * the slice's gradient. Entries stay in their order. */
#include <string.h>

#include "op/grad.h"
#include "op/infer.h"
#include "ops/sparse/coords.h"

struct box { /* [start, end) in each dimension */
    int64_t rank;
    int64_t start[SHAPE_MAX_RANK], end[SHAPE_MAX_RANK];
};

static bool inside(const struct box *b, const int64_t *row)
{
    for (int64_t d = 0; d < b->rank; d++) {
        if (row[d] < b->start[d] || row[d] >= b->end[d])
            return false;
    }
    return true;
}

/* The entries of inputs first, first + 1 in the box become outputs y, y + step; the shape that of
 * the box, y + 2 step. */
static bool take(struct kctx *c, const struct box *b, int first, int y, int step, struct status *st)
{
    const struct tensor *ix = kernel_in(c, first), *values = kernel_in(c, first + 1);
    const int64_t *rows = tensor_i64(ix);
    int64_t n = 0, at = 0;
    for (int64_t i = 0; i < values->num_elems; i++)
        n += inside(b, rows + i * b->rank);
    const struct shape m = shape_2(n, b->rank), v = shape_1(n), r = shape_1(b->rank);
    struct tensor *to = kernel_out(c, y, &m, st);
    struct tensor *kept = to ? kernel_out(c, y + step, &v, st) : NULL;
    struct tensor *dims = kept ? kernel_out(c, y + 2 * step, &r, st) : NULL;
    if (!dims)
        return false;
    const size_t item = dtype_size(values->dtype);
    for (int64_t i = 0; i < values->num_elems; i++) {
        const int64_t *row = rows + i * b->rank;
        if (!inside(b, row))
            continue;
        for (int64_t d = 0; d < b->rank; d++)
            tensor_i64(to)[at * b->rank + d] = row[d] - b->start[d];
        if (!elems_copy(values->dtype, (char *)kept->data + (size_t)at++ * item,
                        (const char *)values->data + (size_t)i * item, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    for (int64_t d = 0; d < b->rank; d++)
        tensor_i64(dims)[d] = b->end[d] - b->start[d];
    return true;
}

static bool rank_ok(int64_t rank, struct status *st)
{
    return rank <= SHAPE_MAX_RANK ||
           status_invalid(st, "too many dimensions: %lld", (long long)rank);
}

/* --- slice --- */

static bool vector_of(const struct kctx *c, int i, const char *what, int64_t rank,
                      struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (tensor_rank(t) != 1 || t->num_elems != rank)
        return status_invalid(st, "Expected %s to be a vector of length %lld but got length %lld",
                              what, (long long)rank, (long long)t->num_elems);
    return true;
}

/* A box that leaves the tensor is cut off there. */
static bool slice_run(struct kctx *c, struct status *st)
{
    if (!sparse_check(c, 0, st))
        return false;
    const struct tensor *dims = kernel_in(c, 2);
    struct box b = {.rank = dims->num_elems};
    if (!rank_ok(b.rank, st) || !vector_of(c, 3, "start", b.rank, st) ||
        !vector_of(c, 4, "size", b.rank, st))
        return false;
    for (int64_t d = 0; d < b.rank; d++) {
        const int64_t dim = tensor_i64(dims)[d], start = tensor_i64(kernel_in(c, 3))[d],
                      size = tensor_i64(kernel_in(c, 4))[d];
        if (start < 0 || size < 0)
            return status_invalid(st,
                                  "dimension %lld: neither start, %lld, nor size, %lld, may be "
                                  "negative",
                                  (long long)d, (long long)start, (long long)size);
        b.start[d] = start < dim ? start : dim;
        b.end[d] = size < dim - b.start[d] ? b.start[d] + size : dim;
    }
    return take(c, &b, 0, 0, 1, st);
}

static int64_t num_elements(const struct shape *s)
{
    int64_t n = s->rank < 0 ? DIM_UNKNOWN : 1;
    for (int i = 0; i < s->rank; i++)
        n = infer_dim_mul(n, infer_dim(s, i));
    return n;
}

static bool slice_shape(struct infer_ctx *c, struct status *st)
{
    (void)st; /* what the pieces look like is the kernel's to ask, as in TensorFlow */
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, num_elements(infer_input(c, 2))));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, infer_input(c, 2));
    return true;
}

static bool slice_grad(struct grad_ctx *g, struct status *st)
{
    const struct output in[] = {grad_dy(g, 1), grad_in(g, 0), grad_in(g, 3), grad_out(g, 0)};
    grad_set(g, 1, grad_opv(g, "SparseSliceGrad", 4, in, 0, NULL));
    return grad_done(g, st);
}

OP_DEF(sparse_slice) = {
    .name = "SparseSlice",
    .summary = "A box of a sparse tensor.",
    .inputs = {"indices: int64", "values: T", "shape: int64", "start: int64", "size: int64"},
    .outputs = {"output_indices: int64", "output_values: T", "output_shape: int64"},
    .attrs = {"T: type"},
    .shape = slice_shape,
    .grad = slice_grad,
};
#define TYPES                                                                                      \
    "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "         \
    "complex128"
KERNEL_DEF(sparse_slice_cpu) = {.op = "SparseSlice",
                                .device = "CPU",
                                .types = {"T: {" TYPES ", bool, string, resource, variant}"},
                                .run = slice_run};

/* --- its gradient --- */

static bool is_row(const int64_t *in, const int64_t *start, const int64_t *out, int64_t rank)
{
    for (int64_t d = 0; d < rank; d++) {
        if (in[d] < start[d] || in[d] - start[d] != out[d])
            return false;
    }
    return true;
}

static bool check_grad(const struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *in = kernel_in(c, 1), *start = kernel_in(c, 2),
                        *out = kernel_in(c, 3);
    if (tensor_rank(in) != 2 || tensor_rank(out) != 2 || tensor_rank(dy) != 1 ||
        tensor_rank(start) != 1)
        return status_invalid(st, "Input and output indices should be matrices, the gradient and "
                                  "start vectors");
    if (tensor_dim(in, 1) != start->num_elems || tensor_dim(out, 1) != start->num_elems)
        return status_invalid(st,
                              "The input and output should have the same ndims: got: %lld and "
                              "%lld, with a start of %lld",
                              (long long)tensor_dim(in, 1), (long long)tensor_dim(out, 1),
                              (long long)start->num_elems);
    if (dy->num_elems != tensor_dim(out, 0))
        return status_invalid(st,
                              "Number of elements in backprop_val_grad and rows in "
                              "output_indices should match, got: %lld and %lld",
                              (long long)dy->num_elems, (long long)tensor_dim(out, 0));
    return true;
}

static bool slice_grad_run(struct kctx *c, struct status *st)
{
    if (!check_grad(c, st))
        return false;
    const struct tensor *dy = kernel_in(c, 0), *in = kernel_in(c, 1), *out = kernel_in(c, 3);
    const int64_t n = tensor_dim(in, 0), rank = tensor_dim(in, 1);
    const struct shape v = shape_1(n);
    struct tensor *dx = kernel_out(c, 0, &v, st);
    if (!dx)
        return false;
    const size_t item = dtype_size(dx->dtype);
    int64_t at = 0;
    if (n > 0)
        memset(dx->data, 0, tensor_bytes(dx));
    for (int64_t i = 0; i < n && at < dy->num_elems; i++) {
        if (is_row(tensor_i64(in) + i * rank, tensor_i64(kernel_in(c, 2)),
                   tensor_i64(out) + at * rank, rank))
            memcpy((char *)dx->data + (size_t)i * item,
                   (const char *)dy->data + (size_t)at++ * item, item);
    }
    return at == dy->num_elems ||
           status_fail(st, STATUS_INTERNAL,
                       "Elements of backprop_val_grad aren't all propagated. Num elements:%lld, "
                       "used: %lld",
                       (long long)dy->num_elems, (long long)at);
}

static bool slice_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    if (!infer_want_rank(c, infer_input(c, 1), 2, &in, st))
        return false;
    infer_set(c, 0, infer_vector(c, infer_dim(in, 0)));
    return true;
}

OP_DEF(sparse_slice_grad) = {
    .name = "SparseSliceGrad",
    .summary = "The gradient of SparseSlice's values.",
    .inputs = {"backprop_val_grad: T", "input_indices: int64", "input_start: int64",
               "output_indices: int64"},
    .outputs = {"val_grad: T"},
    .attrs = {"T: numbertype"},
    .shape = slice_grad_shape,
    .no_grad = "undefined: as in TensorFlow",
};
KERNEL_DEF(sparse_slice_grad_cpu) = {
    .op = "SparseSliceGrad", .device = "CPU", .types = {"T: {" TYPES "}"}, .run = slice_grad_run};

/* --- split --- */

static bool split_run(struct kctx *c, struct status *st)
{
    if (!kernel_want_scalar(c, 0, st) || !sparse_check(c, 1, st))
        return false;
    const struct tensor *dims = kernel_in(c, 3);
    const int64_t dim = tensor_i64(kernel_in(c, 0))[0], n = attrs_int(kernel_attrs(c), "num_split");
    struct box b = {.rank = dims->num_elems};
    if (!rank_ok(b.rank, st))
        return false;
    if (dim < 0 || dim >= b.rank)
        return status_invalid(st, "Input split_dim should be between 0 and rank (%lld), got %lld",
                              (long long)b.rank, (long long)dim);
    const int64_t whole = tensor_i64(dims)[dim];
    if (n < 1 || n > whole)
        return status_invalid(st,
                              "Input num_split should be between 1 and the splitting dimension "
                              "size (%lld), got %lld",
                              (long long)whole, (long long)n);
    for (int64_t d = 0; d < b.rank; d++)
        b.end[d] = tensor_i64(dims)[d];
    b.end[dim] = 0;
    for (int64_t k = 0; k < n; k++) { /* what is left over goes to the first ones */
        b.start[dim] = b.end[dim];
        b.end[dim] += whole / n + (k < whole % n);
        if (!take(c, &b, 1, (int)k, (int)n, st))
            return false;
    }
    return true;
}

static bool split_shape(struct infer_ctx *c, struct status *st)
{
    const int n = infer_num_outputs(c) / 3;
    const struct shape *dims = infer_input(c, 3);
    (void)st;
    for (int k = 0; k < n; k++) {
        infer_set(c, k, infer_matrix(c, DIM_UNKNOWN, num_elements(dims)));
        infer_set(c, n + k, infer_vector(c, DIM_UNKNOWN));
        infer_set(c, 2 * n + k, dims);
    }
    return true;
}

OP_DEF(sparse_split) = {
    .name = "SparseSplit",
    .summary = "A sparse tensor in pieces along a dimension.",
    .inputs = {"split_dim: int64", "indices: int64", "values: T", "shape: int64"},
    .outputs = {"output_indices: num_split * int64", "output_values: num_split * T",
                "output_shape: num_split * int64"},
    .attrs = {"num_split: int >= 1", "T: type"},
    .shape = split_shape,
    .no_grad = "undefined: as in TensorFlow",
};
KERNEL_DEF(sparse_split_cpu) = {.op = "SparseSplit",
                                .device = "CPU",
                                .types = {"T: {" TYPES ", bool, string, resource, variant}"},
                                .run = split_run};
