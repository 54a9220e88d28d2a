/* SPDX-License-Identifier: Apache-2.0 */
/* SparseTensorDenseAdd: a dense tensor with the entries of a sparse one of its shape added. */
#include <string.h>

#include "math/value_add.h"
#include "op/grad.h"
#include "ops/sparse/coords.h"

static bool same_dims(const struct tensor *dims, const struct tensor *b, struct status *st)
{
    if (dims->num_elems != tensor_rank(b))
        return status_invalid(st,
                              "Two operands have different ranks; received shapes of %lld and %d "
                              "dims",
                              (long long)dims->num_elems, tensor_rank(b));
    for (int d = 0; d < tensor_rank(b); d++) {
        if (tensor_index(dims, d) != tensor_dim(b, d))
            return status_invalid(st,
                                  "Dimension %d does not equal (no broadcasting is supported): "
                                  "sparse side %lld vs dense side %lld",
                                  d, (long long)tensor_index(dims, d), (long long)tensor_dim(b, d));
    }
    return true;
}

static bool add_run(struct kctx *c, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1), *b = kernel_in(c, 3);
    if (!sparse_check(c, 0, st) || !same_dims(kernel_in(c, 2), b, st) ||
        !sparse_check_inside(ix, shape_dims(&b->shape), "the sparse operand", st))
        return false;
    struct tensor *y = kernel_out_forward(c, 3, 0, &b->shape, st);
    if (!y)
        return false;
    if (y->data != b->data && b->num_elems > 0)
        memcpy(y->data, b->data, tensor_bytes(b));
    value_add_fn add = value_add_of(y->dtype);
    size_t item = dtype_size(y->dtype);
    int64_t rank = tensor_dim(ix, 1);
    for (int64_t i = 0; i < values->num_elems; i++) {
        int64_t at = 0;
        for (int d = 0; d < rank; d++)
            at = at * tensor_dim(b, d) + tensor_index(ix, i * rank + d);
        add((char *)y->data + (size_t)at * item, (const char *)values->data + (size_t)i * item, 1);
    }
    return true;
}

static bool add_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 3));
    return true;
}

static bool add_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 1, grad_op2(g, "GatherNd", grad_dy(g, 0), grad_in(g, 0)));
    grad_set(g, 3, grad_dy(g, 0));
    return grad_done(g, st);
}

OP_DEF(sparse_tensor_dense_add) = {
    .name = "SparseTensorDenseAdd",
    .summary = "Adds a sparse tensor to a dense one of the same shape.",
    .inputs = {"a_indices: Tindices", "a_values: T", "a_shape: Tindices", "b: T"},
    .outputs = {"output: T"},
    .attrs = {"T: numbertype", "Tindices: {int32, int64}"},
    .shape = add_shape,
    .grad = add_grad,
};
KERNEL_DEF(sparse_tensor_dense_add_cpu) = {
    .op = "SparseTensorDenseAdd",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128}",
              "Tindices: {int32, int64}"},
    .run = add_run,
};
