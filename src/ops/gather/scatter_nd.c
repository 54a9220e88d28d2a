/* SPDX-License-Identifier: Apache-2.0 */
/* ScatterNd and the ops that scatter into a copy of a tensor. */
#include <string.h>

#include "ops/gather/gather.h"

static bool scatter_nd_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out, *vector;
    if (!infer_want_rank(c, infer_input(c, 2), 1, &vector, st) ||
        !infer_const_shape(c, 2, &out, st) ||
        !tuples_infer(c, infer_input(c, 0), infer_input(c, 1), out, "output", st))
        return false;
    infer_set(c, 0, out);
    return true;
}

static bool scatter_nd_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 1, grad_op2(g, "GatherNd", grad_dy(g, 0), grad_in(g, 0)));
    return grad_done(g, st);
}

static bool scatter_nd_run(struct kctx *c, struct status *st)
{
    const struct tensor *indices = kernel_in(c, 0), *updates = kernel_in(c, 1);
    const struct tensor *dims = kernel_in(c, 2);
    if (tensor_rank(indices) < 1)
        return gather_fail_shapes(
            st, "Indices shape must have rank at least one. Found:", &indices->shape, "", NULL, "");
    if (tensor_rank(updates) < 1)
        return gather_fail_shapes(
            st, "Updates shape must have rank at least one. Found:", &updates->shape, "", NULL, "");
    if (tensor_rank(dims) != 1)
        return status_invalid(st, "Shape must be a vector");
    struct shape shape;
    int64_t n;
    if (!kernel_shape_from(dims, &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &n, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    if (n == 0 && (indices->num_elems > 0 || updates->num_elems > 0))
        return status_invalid(st, "Indices and updates specified for empty output shape");
    if (!dtype_is_managed(out->dtype))
        memset(out->data, 0, tensor_bytes(out));
    return tuples_scatter(c, MATH_SCATTER_ADD, indices, updates, out, st);
}

OP_DEF(scatter_nd) = {
    .name = "ScatterNd",
    .summary = "A tensor of zeros to which updates are added at the slices that indices name.",
    .inputs = {"indices: Tindices", "updates: T", "shape: Tindices"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tindices: {int32, int64}"},
    .shape = scatter_nd_shape,
    .grad = scatter_nd_grad,
};
KERNEL_DEF(scatter_nd_cpu) = {
    .op = "ScatterNd",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string}"},
    .run = scatter_nd_run,
    .flags = KERNEL_EXPENSIVE,
};

/* --- into a copy of input 0 --- */

static bool copy_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s = infer_input(c, 0);
    infer_set(c, 0, s);
    const bool tensor = strncmp(infer_op(c)->name, "Tensor", 6) == 0;
    if (tensor && !infer_want_rank_min(c, s, 1, &s, st))
        return false;
    return tuples_infer(c, infer_input(c, 1), infer_input(c, 2), s, tensor ? "output" : "input",
                        st);
}

static bool add_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set(g, 0, dy);
    grad_set(g, 2, grad_op2(g, "GatherNd", dy, grad_in(g, 1)));
    return grad_done(g, st);
}

static bool sub_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set(g, 0, dy);
    grad_set(g, 2, grad_neg(g, grad_op2(g, "GatherNd", dy, grad_in(g, 1))));
    return grad_done(g, st);
}

/* What was overwritten had no effect. */
static bool update_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), indices = grad_in(g, 1);
    grad_set(g, 0,
             grad_op3(g, "TensorScatterUpdate", dy, indices, grad_zeros_like(g, grad_in(g, 2))));
    grad_set(g, 2, grad_op2(g, "GatherNd", dy, indices));
    return grad_done(g, st);
}

static bool copy_scatter(struct kctx *c, enum math_scatter_op op, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (in->num_elems == 0 && (kernel_in(c, 1)->num_elems > 0 || kernel_in(c, 2)->num_elems > 0))
        return status_invalid(st, "Indices and updates specified for empty output shape");
    struct tensor *out = kernel_out_forward(c, 0, 0, &in->shape, st);
    if (!out)
        return false;
    if (out->data != in->data && !elems_copy(in->dtype, out->data, in->data, in->num_elems))
        return status_exhausted(st, "no memory to copy strings");
    return tuples_scatter(c, op, kernel_in(c, 1), kernel_in(c, 2), out, st);
}

static bool add_run(struct kctx *c, struct status *st)
{
    return copy_scatter(c, MATH_SCATTER_ADD, st);
}

static bool sub_run(struct kctx *c, struct status *st)
{
    return copy_scatter(c, MATH_SCATTER_SUB, st);
}

static bool update_run(struct kctx *c, struct status *st)
{
    return copy_scatter(c, MATH_SCATTER_UPDATE, st);
}

#define NUMBERS                                                                                    \
    "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "         \
    "complex128"
#define INTO_COPY(id, op_name, text, input, constraint, more, how)                                 \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {input ": T", "indices: Tindices", "updates: T"},                                \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: " constraint, "Tindices: {int32, int64}"},                                   \
        .shape = copy_shape,                                                                       \
        .grad = how##_grad,                                                                        \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {" NUMBERS more "}"},                                                        \
        .run = how##_run,                                                                          \
        .flags = KERNEL_EXPENSIVE,                                                                 \
    }
INTO_COPY(tensor_scatter_add, "TensorScatterAdd",
          "The tensor with updates added at the slices that indices name.", "tensor", "type", "",
          add);
INTO_COPY(tensor_scatter_sub, "TensorScatterSub",
          "The tensor with updates subtracted at the slices that indices name.", "tensor", "type",
          "", sub);
INTO_COPY(tensor_scatter_update, "TensorScatterUpdate",
          "The tensor with the slices that indices name replaced.", "tensor", "type",
          ", bool, string", update);
INTO_COPY(scatter_nd_non_aliasing_add, "ScatterNdNonAliasingAdd",
          "The input with updates added at the slices that indices name.", "input",
          "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
          "bfloat16, uint16, complex128, half, uint32, uint64, bool}",
          ", bool", add);
