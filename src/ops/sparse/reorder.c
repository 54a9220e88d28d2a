/* SPDX-License-Identifier: Apache-2.0 */
/* SparseReorder: the entries in the order of their coordinates. Entries that are in order already
 * are handed on without a copy. */
#include <string.h>

#include "op/grad.h"
#include "ops/sparse/coords.h"

static bool ordered(const int64_t *rows, int64_t n, int64_t rank)
{
    for (int64_t i = 1; i < n; i++) {
        if (coords_compare(rows + (i - 1) * rank, rows + i * rank, rank) > 0)
            return false;
    }
    return true;
}

static bool reorder_run(struct kctx *c, struct status *st)
{
    if (!sparse_check(c, 0, st))
        return false;
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1);
    int64_t n = tensor_dim(ix, 0), rank = tensor_dim(ix, 1);
    const int64_t *rows = tensor_i64(ix);
    if (ordered(rows, n, rank)) {
        kernel_out_share(c, 0, ix);
        kernel_out_share(c, 1, values);
        return true;
    }
    int64_t *order = kernel_scratch(c, 2 * n * (int64_t)sizeof(*order), st);
    struct tensor *to = order ? kernel_out(c, 0, &ix->shape, st) : NULL;
    struct tensor *y = to ? kernel_out(c, 1, &values->shape, st) : NULL;
    if (!y)
        return false;
    coords_sort(rows, n, rank, order);
    size_t item = dtype_size(y->dtype);
    for (int64_t i = 0; i < n; i++) {
        memcpy(tensor_i64(to) + i * rank, rows + order[i] * rank, (size_t)rank * sizeof(*rows));
        if (!elems_copy(y->dtype, (char *)y->data + (size_t)i * item,
                        (const char *)values->data + (size_t)order[i] * item, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool reorder_shape(struct infer_ctx *c, struct status *st)
{
    int64_t n, rank;
    if (!sparse_infer(c, 0, &n, &rank, st))
        return false;
    infer_set(c, 0, infer_matrix(c, n, rank));
    infer_set(c, 1, infer_vector(c, n));
    return true;
}

/* The numbers of the entries, put in the same order, say where each one went. */
static bool reorder_grad(struct grad_ctx *g, struct status *st)
{
    struct output shape = grad_shape(g, grad_in(g, 1));
    struct output zero = grad_const_i32(g, 0), one = grad_const_i32(g, 1);
    struct output n = grad_reshape(g, shape, grad_const_i32s(g, NULL, 0));
    struct output in[] = {grad_in(g, 0), grad_op3(g, "range=Range", zero, n, one), grad_in(g, 2)};
    struct node *moved = grad_nodev(g, "SparseReorder", 3, in, 0, NULL);
    struct output back = grad_op1(g, "InvertPermutation", grad_node_out(g, moved, 1));
    grad_set(g, 1, grad_op3(g, "GatherV2", grad_dy(g, 1), back, zero));
    return grad_done(g, st);
}

OP_DEF(sparse_reorder) = {
    .name = "SparseReorder",
    .summary = "Puts the entries of a sparse tensor into the order of their coordinates.",
    .inputs = {"input_indices: int64", "input_values: T", "input_shape: int64"},
    .outputs = {"output_indices: int64", "output_values: T"},
    .attrs = {"T: type"},
    .shape = reorder_shape,
    .grad = reorder_grad,
};
KERNEL_DEF(sparse_reorder_cpu) = {
    .op = "SparseReorder",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = reorder_run,
};
