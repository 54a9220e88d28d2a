/* SPDX-License-Identifier: Apache-2.0 */
/* Bincount: how often each number occurs, or the sum of the weights of its occurrences. Numbers
 * past the last bin are left out. */
#include <string.h>

#include "ops/gather/gather.h"

static bool bincount_shape(struct infer_ctx *c, struct status *st)
{
    bool known;
    int64_t size = DIM_UNKNOWN;
    if (!infer_const_int(c, 1, &known, &size, st))
        return false;
    if (known && size < 0)
        return status_invalid(st, "size (%lld) must be non-negative", (long long)size);
    infer_set(c, 0, infer_vector(c, known ? size : DIM_UNKNOWN));
    return true;
}

static bool bincount_run(struct kctx *c, struct status *st)
{
    const struct tensor *arr = kernel_in(c, 0), *size = kernel_in(c, 1), *w = kernel_in(c, 2);
    if (size->num_elems != 1)
        return status_invalid(st, "size must be a scalar");
    int64_t bins = tensor_index(size, 0);
    if (bins < 0)
        return status_invalid(st, "size (%lld) must be non-negative", (long long)bins);
    for (int64_t i = 0; i < arr->num_elems; i++) {
        if (tensor_i32(arr)[i] < 0)
            return status_invalid(st, "Input arr must be non-negative!");
    }
    struct shape vector = shape_1(bins);
    struct tensor *out = kernel_out(c, 0, &vector, st);
    if (!out)
        return false;
    memset(out->data, 0, tensor_bytes(out));
    union {
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } one = {0};
    if (out->dtype == DT_INT32)
        one.i32 = 1;
    else if (out->dtype == DT_INT64)
        one.i64 = 1;
    else if (out->dtype == DT_FLOAT)
        one.f32 = 1;
    else
        one.f64 = 1;
    bool weighted = w->num_elems > 0;
    struct math_scatter s = {.op = MATH_SCATTER_ADD,
                             .dtype = out->dtype,
                             .index_dtype = DT_INT32,
                             .indices = arr->data,
                             .num =
                                 weighted ? min_i64(arr->num_elems, w->num_elems) : arr->num_elems,
                             .limit = bins,
                             .row_items = 1,
                             .updates = weighted ? w->data : &one,
                             .scalar = !weighted,
                             .skip_bad = true,
                             .table = out->data};
    (void)math_scatter(kernel_pool(c), &s);
    return true;
}

OP_DEF(bincount) = {
    .name = "Bincount",
    .summary = "How often each number occurs, or the sum of its weights.",
    .inputs = {"arr: int32", "size: int32", "weights: T"},
    .outputs = {"bins: T"},
    .attrs = {"T: {int32, int64, float, double}"},
    .shape = bincount_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(bincount_cpu) = {.op = "Bincount", .device = "CPU", .run = bincount_run};
