/* SPDX-License-Identifier: Apache-2.0 */
/* Lu: factors of square matrices with rows exchanged, row p[i] of the input being row i of L U. L,
 * whose diagonal is 1, stands below the diagonal of U. Single precision is computed in double. */
#include <complex.h>

#include "op/grad.h"
#include "ops/matrix/batch.h"
#include "ops/matrix/complex_items.h"

static bool lu_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *batch;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_merge_dim(infer_dim(in, -2), infer_dim(in, -1), &n, st))
        return false;
    batch = infer_slice(c, in, 0, -2);
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, n, n)));
    infer_set(c, 1, infer_concat(c, batch, infer_vector(c, n)));
    return true;
}

static void exchange(double _Complex *a, double _Complex *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double _Complex t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* In place; false: a column has no pivot. */
static bool factor(double _Complex *a, int64_t *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        rows[i] = i;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k, swapped = rows[k];
        for (int64_t i = k + 1; i < n; i++)
            if (cabs(a[i * n + k]) > cabs(a[best * n + k]))
                best = i;
        if (!(cabs(a[best * n + k]) > 0))
            return false;
        rows[k] = rows[best];
        rows[best] = swapped;
        if (best != k)
            exchange(a + k * n, a + best * n, n);
        for (int64_t i = k + 1; i < n; i++) {
            double _Complex m = a[i * n + k] /= a[k * n + k];
            for (int64_t j = k + 1; j < n; j++)
                a[i * n + j] -= m * a[k * n + j];
        }
    }
    return true;
}

static bool lu_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "Input tensor 0 must have rank >= 2, got shape ", in);
    const struct matrix_batch m = matrix_batch_of(in);
    const int64_t n = m.rows;
    if (m.rows != m.cols)
        return status_invalid(st, "Input matrix must be square.");
    struct shape rows_shape = matrix_shape(in, 1, NULL, 0);
    struct tensor *lu = kernel_out(c, 0, &in->shape, st);
    struct tensor *p = lu ? kernel_out(c, 1, &rows_shape, st) : NULL;
    shape_clear(&rows_shape);
    if (!p || in->num_elems == 0)
        return p != NULL;
    double _Complex *a = kernel_scratch(c, n * n * (int64_t)sizeof *a, st);
    int64_t *rows = a ? kernel_scratch(c, n * (int64_t)sizeof *rows, st) : NULL;
    if (!rows)
        return false;
    for (int64_t i = 0; i < m.num; i++) {
        complex_load(in, i * n * n, n * n, a);
        if (!factor(a, rows, n))
            return status_invalid(st, "Input is not invertible.");
        complex_store(lu, i * n * n, n * n, a);
        for (int64_t k = 0; k < n; k++) {
            if (p->dtype == DT_INT32)
                tensor_i32(p)[i * n + k] = (int32_t)rows[k];
            else
                tensor_i64(p)[i * n + k] = rows[k];
        }
    }
    return true;
}

OP_DEF(lu) = {
    .name = "Lu",
    .summary = "Factors L U of square matrices whose rows are exchanged.",
    .inputs = {"input: T"},
    .outputs = {"lu: T", "p: output_idx_type"},
    .attrs = {"T: {double, float, half, complex64, complex128}",
              "output_idx_type: {int32, int64} = DT_INT32"},
    .shape = lu_shape,
    .no_kernel = "half is too narrow to decompose matrices",
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(lu_cpu) = {.op = "Lu",
                      .device = "CPU",
                      .types = {"T: {float, double, complex64, complex128}"},
                      .run = lu_run,
                      .flags = KERNEL_EXPENSIVE};
