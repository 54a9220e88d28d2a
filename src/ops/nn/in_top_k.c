/* SPDX-License-Identifier: Apache-2.0 */
/* InTopK and InTopKV2: whether fewer than k predictions of a row exceed the target's. A target
 * outside the classes, or a row with a value that is not finite, is never in. */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"

static bool in_top_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *p, *t;
    int64_t rows;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &p, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &t, st) ||
        !infer_merge_dim(infer_dim(p, 0), infer_dim(t, 0), &rows, st))
        return false;
    infer_set(c, 0, infer_vector(c, rows));
    return true;
}

static bool row_in(const float *row, int64_t classes, int64_t target, int64_t k)
{
    if (target < 0 || target >= classes || !isfinite(row[target]))
        return false;
    int64_t above = 0;
    for (int64_t i = 0; i < classes; i++) {
        if (!isfinite(row[i]))
            return false;
        above += row[i] > row[target];
    }
    return above < k;
}

static bool run(struct kctx *c, int64_t k, struct status *st)
{
    const struct tensor *p = kernel_in(c, 0), *t = kernel_in(c, 1);
    if (p->shape.rank != 2)
        return status_invalid(st, "predictions must be 2-dimensional");
    if (t->shape.rank != 1)
        return status_invalid(st, "targets must be 1-dimensional");
    int64_t rows = tensor_dim(p, 0), classes = tensor_dim(p, 1);
    if (rows != t->num_elems)
        return status_invalid(st,
                              "First dimension of predictions %lld must match length of targets "
                              "%lld",
                              (long long)rows, (long long)t->num_elems);
    struct tensor *y = kernel_out(c, 0, &t->shape, st);
    if (!y)
        return false;
    for (int64_t r = 0; r < rows; r++)
        tensor_bool(y)[r] = row_in(tensor_f32(p) + r * classes, classes, tensor_index(t, r), k);
    return true;
}

static bool in_top_k_run(struct kctx *c, struct status *st)
{
    return run(c, attrs_int(kernel_attrs(c), "k"), st);
}

static bool in_top_k_v2_run(struct kctx *c, struct status *st)
{
    if (!kernel_want_scalar(c, 2, st))
        return false;
    return run(c, tensor_index(kernel_in(c, 2), 0), st);
}

OP_DEF(in_top_k) = {
    .name = "InTopK",
    .summary = "Whether each row's target is among its k greatest predictions.",
    .inputs = {"predictions: float", "targets: T"},
    .outputs = {"precision: bool"},
    .attrs = {"k: int", "T: {int32, int64} = DT_INT32"},
    .shape = in_top_shape,
    .no_grad = "undefined: a truth value has no slope",
};
KERNEL_DEF(in_top_k_cpu) = {.op = "InTopK", .device = "CPU", .run = in_top_k_run};

OP_DEF(in_top_k_v2) = {
    .name = "InTopKV2",
    .summary = "InTopK whose k is an input.",
    .inputs = {"predictions: float", "targets: T", "k: T"},
    .outputs = {"precision: bool"},
    .attrs = {"T: {int32, int64} = DT_INT32"},
    .shape = in_top_shape,
    .no_grad = "undefined: a truth value has no slope",
};
KERNEL_DEF(in_top_k_v2_cpu) = {.op = "InTopKV2", .device = "CPU", .run = in_top_k_v2_run};
