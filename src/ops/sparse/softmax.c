/* SPDX-License-Identifier: Apache-2.0 */
/* SparseSoftmax: along the last axis, over the entries that there are. Entries are in order, so a
 * row's stand together. */
#include <math.h>

#include "op/grad.h"
#include "ops/sparse/coords.h"

#define SOFTMAX(T, exp_fn)                                                                         \
    static void softmax_##T(const T *x, T *y, int64_t n)                                           \
    {                                                                                              \
        T top = x[0], sum = 0;                                                                     \
        for (int64_t i = 1; i < n; i++)                                                            \
            top = x[i] > top ? x[i] : top;                                                         \
        for (int64_t i = 0; i < n; i++) {                                                          \
            y[i] = exp_fn(x[i] - top);                                                             \
            sum += y[i];                                                                           \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] /= sum;                                                                           \
    }
SOFTMAX(float, expf)
SOFTMAX(double, exp)

static bool check_order(const struct tensor *ix, struct status *st)
{
    int64_t rank = tensor_dim(ix, 1);
    for (int64_t i = 1; i < tensor_dim(ix, 0); i++) {
        int way = coords_compare(tensor_i64(ix) + (i - 1) * rank, tensor_i64(ix) + i * rank, rank);
        if (way >= 0)
            return status_invalid(st,
                                  "indices[%lld] is %s. Many sparse ops require sorted indices.",
                                  (long long)i, way ? "out of order" : "repeated");
    }
    return true;
}

static bool softmax_run(struct kctx *c, struct status *st)
{
    if (!sparse_check(c, 0, st))
        return false;
    const struct tensor *ix = kernel_in(c, 0), *x = kernel_in(c, 1);
    int64_t rank = tensor_dim(ix, 1), n = x->num_elems;
    if (rank < 2)
        return status_invalid(st, "Input should have rank >= 2, but received rank: %lld",
                              (long long)rank);
    if (!sparse_check_inside(ix, tensor_i64(kernel_in(c, 2)), "input", st) || !check_order(ix, st))
        return false;
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y)
        return false;
    const int64_t *rows = tensor_i64(ix);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1;
             end < n && coords_compare(rows + begin * rank, rows + end * rank, rank - 1) == 0;)
            end++;
        if (x->dtype == DT_FLOAT)
            softmax_float(tensor_f32(x) + begin, tensor_f32(y) + begin, end - begin);
        else
            softmax_double(tensor_f64(x) + begin, tensor_f64(y) + begin, end - begin);
    }
    return true;
}

static bool softmax_shape(struct infer_ctx *c, struct status *st)
{
    int64_t n, rank;
    if (!sparse_infer(c, 0, &n, &rank, st))
        return false;
    infer_set(c, 0, infer_vector(c, n));
    return true;
}

/* y (dy - sum(y dy)), the sums being those of rows. */
static bool softmax_grad(struct grad_ctx *g, struct status *st)
{
    struct output y = grad_out(g, 0), dy = grad_dy(g, 0);
    struct output in[] = {grad_in(g, 0), grad_mul(g, y, dy), grad_in(g, 2),
                          grad_const_i32s(g, (int32_t[]){-1}, 1)};
    struct output sums = grad_opv(g, "SparseReduceSum", 4, in, 1,
                                  (struct attr[]){{(char *)"keep_dims", attr_bool(true)}});
    struct output all[] = {grad_in(g, 0), dy, grad_in(g, 2), grad_neg(g, sums)};
    grad_set(g, 1, grad_mul(g, grad_opv(g, "SparseDenseCwiseAdd", 4, all, 0, NULL), y));
    return grad_done(g, st);
}

OP_DEF(sparse_softmax) = {
    .name = "SparseSoftmax",
    .summary = "Softmax along the last axis over a sparse tensor's entries.",
    .inputs = {"sp_indices: int64", "sp_values: T", "sp_shape: int64"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, double}"},
    .shape = softmax_shape,
    .grad = softmax_grad,
};
KERNEL_DEF(sparse_softmax_cpu) = {
    .op = "SparseSoftmax", .device = "CPU", .types = {"T: {float, double}"}, .run = softmax_run};
