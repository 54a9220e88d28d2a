/* SPDX-License-Identifier: Apache-2.0 */
/* Diag and DiagPart: the diagonal of a tensor of even rank, whose second half of dims repeats the
 * first. */
#include "op/grad.h"
#include "ops/matrix/batch.h"

static bool diag_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &in, st))
        return false;
    if (in->rank > SHAPE_MAX_RANK / 2)
        return status_invalid(st, "Diag: rank %d is too high", in->rank);
    infer_set(c, 0, infer_concat(c, in, in));
    return true;
}

static bool diag_part_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *out;
    if (in->rank < 0)
        return true;
    if (in->rank == 0 || in->rank % 2 != 0)
        return status_invalid(st, "Input must have even and non-zero rank, input rank is %d",
                              in->rank);
    int half = in->rank / 2;
    out = infer_slice(c, in, 0, half);
    for (int i = 0; i < half; i++) {
        int64_t dim;
        if (!infer_merge_dim(infer_dim(in, i), infer_dim(in, half + i), &dim, st))
            return false;
        out = infer_with_dim(c, out, i, dim);
    }
    infer_set(c, 0, out);
    return true;
}

static bool diag_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op1(g, "DiagPart", grad_dy(g, 0)));
    return grad_done(g, st);
}

static bool diag_part_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op1(g, "Diag", grad_dy(g, 0)));
    return grad_done(g, st);
}

static bool diag_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in);
    if (rank < 1)
        return status_invalid(st, "Input must be at least rank 1, got 0");
    if (rank > SHAPE_MAX_RANK / 2)
        return status_invalid(st, "Diag: rank %d is too high", rank);
    struct shape shape = matrix_shape(in, 0, shape_dims(&in->shape), rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    memset(out->data, 0, tensor_bytes(out));
    matrix_copy_strided(dtype_size(in->dtype), out->data, in->num_elems + 1, in->data, 1,
                        in->num_elems);
    return true;
}

static bool diag_part_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in), half = rank / 2;
    if (rank == 0 || rank % 2 != 0)
        return status_invalid(st, "The rank of the tensor should be even and positive, got %d",
                              rank);
    for (int i = 0; i < half; i++) {
        if (tensor_dim(in, i) != tensor_dim(in, half + i))
            return status_invalid(st, "Invalid shape: dimensions %d and %d do not match.", i,
                                  half + i);
    }
    struct shape shape = matrix_shape(in, half, NULL, 0);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    matrix_copy_strided(dtype_size(in->dtype), out->data, 1, in->data, out->num_elems + 1,
                        out->num_elems);
    return true;
}

#define TENSOR_DIAG_OP(id, op_name, text, shape_fn, grad_fn, run_fn, ...)                          \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, "         \
                            "complex128}"},                                                        \
                  .shape = shape_fn,                                                               \
                  .grad = grad_fn,                                                                 \
                  .no_kernel = "half and bfloat16 have MatrixDiag",                                \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T: {float, double, int32, int64, complex64, complex128}"},  \
                            .run = run_fn}

TENSOR_DIAG_OP(diag, "Diag", "A tensor of twice the rank, with the given diagonal.", diag_shape,
               diag_grad, diag_run, .inputs = {"diagonal: T"}, .outputs = {"output: T"});
TENSOR_DIAG_OP(diag_part, "DiagPart", "The diagonal of a tensor of even rank.", diag_part_shape,
               diag_part_grad, diag_part_run, .inputs = {"input: T"}, .outputs = {"diagonal: T"});
