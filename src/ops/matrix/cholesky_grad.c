/* SPDX-License-Identifier: Apache-2.0 */
/* needs: openblas */
/* CholeskyGrad: the gradient of Cholesky as one op, which graphs of others hold: with P the lower
 * part of L^T dL and its diagonal halved, the symmetric part of L^-T P L^-1. */
#include <math.h>

#include "math/gemm.h"
#include "math/linalg.h"
#include "ops/matrix/batch.h"

static bool grad_shape_fn(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &s, st) ||
        !infer_merge_dim(infer_dim(s, -2), infer_dim(s, -1), &n, st))
        return false;
    infer_set(c, 0, infer_concat(c, infer_slice(c, s, 0, -2), infer_matrix(c, n, n)));
    return true;
}

#define PARTS(name, T)                                                                             \
    static void halve_##name(T *p, int64_t n)                                                      \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            p[i * n + i] *= (T)0.5;                                                                \
            for (int64_t j = i + 1; j < n; j++)                                                    \
                p[i * n + j] = 0;                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void transpose_##name(const T *x, T *y, int64_t n)                                      \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < n; j++)                                                        \
                y[j * n + i] = x[i * n + j];                                                       \
    }                                                                                              \
    static void even_##name(const T *x, T *y, int64_t n)                                           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < n; j++)                                                        \
                y[i * n + j] = (T)0.5 * (x[i * n + j] + x[j * n + i]);                             \
    }
PARTS(f32, float)
PARTS(f64, double)
#undef PARTS

/* One matrix; p and q have room for one each. */
static bool one(struct kctx *c, const void *l, const void *dl, void *y, void *const room[2],
                int64_t n, struct status *st)
{
    const int dtype = kernel_in(c, 0)->dtype;
    const bool f32 = dtype == DT_FLOAT;
    void *p = room[0], *q = room[1];
    math_gemm(kernel_pool(c), dtype,
              &(struct math_gemm){.m = n,
                                  .n = n,
                                  .k = n,
                                  .a = l,
                                  .b = dl,
                                  .c = p,
                                  .lda = n,
                                  .ldb = n,
                                  .ldc = n,
                                  .trans_a = true});
    f32 ? halve_f32(p, n) : halve_f64(p, n);
    struct math_triangular t = {.dtype = dtype,
                                .n = n,
                                .num_rhs = n,
                                .t = l,
                                .b = p,
                                .x = p,
                                .lower = true,
                                .adjoint = true};
    if (!math_triangular_solve(&t, st))
        return false;
    f32 ? transpose_f32(p, q, n) : transpose_f64(p, q, n);
    t.b = t.x = q;
    if (!math_triangular_solve(&t, st))
        return false;
    f32 ? even_f32(q, y, n) : even_f64(q, y, n);
    return true;
}

/* TensorFlow's answer to a factor with zeros on its diagonal. */
static void fill_nan(int dtype, void *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (dtype == DT_FLOAT)
            ((float *)y)[i] = NAN;
        else
            ((double *)y)[i] = NAN;
}

static bool run(struct kctx *c, struct status *st)
{
    const struct tensor *l = kernel_in(c, 0), *dl = kernel_in(c, 1);
    if (tensor_rank(l) < 2)
        return matrix_fail_shape(st, "Input tensor 0 must have rank >= 2, got shape ", l);
    const struct matrix_batch m = matrix_batch_of(l);
    if (m.rows != m.cols)
        return status_invalid(st, "Input matrix must be square.");
    if (!shape_equal(&l->shape, &dl->shape))
        return status_invalid(st, "Inputs (L and grad) must have the same shape.");
    struct tensor *out = kernel_out(c, 0, &l->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    const int64_t size = m.rows * m.rows * (int64_t)dtype_size(l->dtype);
    char *room = kernel_scratch(c, 2 * size, st);
    if (!room)
        return false;
    for (int64_t i = 0; i < m.num; i++) {
        char *y = (char *)out->data + i * size;
        if (one(c, (char *)l->data + i * size, (char *)dl->data + i * size, y,
                (void *[]){room, room + size}, m.rows, st))
            continue;
        if (st->code != STATUS_INVALID_ARGUMENT)
            return false;
        status_clear(st);
        fill_nan(l->dtype, y, m.rows * m.rows);
    }
    return true;
}

OP_DEF(cholesky_grad) = {
    .name = "CholeskyGrad",
    .summary = "The gradient of Cholesky by its input, made symmetric.",
    .inputs = {"l: T", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {half, float, double}"},
    .shape = grad_shape_fn,
    .no_grad = "undefined: Cholesky's gradient does not use it",
    .no_kernel = "half is too narrow to decompose matrices",
};
KERNEL_DEF(cholesky_grad_cpu) = {.op = "CholeskyGrad",
                                 .device = "CPU",
                                 .types = {"T: {float, double}"},
                                 .run = run,
                                 .flags = KERNEL_EXPENSIVE};

OP_DEF(batch_cholesky_grad) = {
    .name = "BatchCholeskyGrad",
    .summary = "The former name of CholeskyGrad.",
    .inputs = {"l: T", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, double}"},
    .deprecated_at = 13,
    .deprecated_why = "Use CholeskyGrad instead.",
    .shape = grad_shape_fn,
    .no_grad = "undefined: Cholesky's gradient does not use it",
};
KERNEL_DEF(batch_cholesky_grad_cpu) = {
    .op = "BatchCholeskyGrad", .device = "CPU", .run = run, .flags = KERNEL_EXPENSIVE};
