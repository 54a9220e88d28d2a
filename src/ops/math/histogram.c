/* SPDX-License-Identifier: Apache-2.0 */
/* HistogramFixedWidth: how many values fall into each of equal bins; what lies outside counts for
 * the first or last one. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"

static double value_at(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_FLOAT:
        return (double)((const float *)t->data)[i];
    case DT_DOUBLE:
        return ((const double *)t->data)[i];
    default:
        return (double)tensor_index(t, i);
    }
}

/* Bins count up to n values; a NaN is in the first. Sums are formed in int32, as they wrap there.
 */
static void count(const struct tensor *x, double low, double step, struct tensor *out)
{
    int64_t bins = out->num_elems;
    for (int64_t i = 0; i < x->num_elems; i++) {
        double at = value_at(x, i) - low;
        at = at > 0 ? at / step : 0;
        int64_t bin = at >= (double)(bins - 1) ? bins - 1 : (int64_t)at;
        if (out->dtype == DT_INT32)
            tensor_i32(out)[bin]++;
        else
            tensor_i64(out)[bin]++;
    }
}

static bool histogram_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *range = kernel_in(c, 1), *bins = kernel_in(c, 2);
    if (tensor_rank(range) != 1 || range->num_elems != 2)
        return status_invalid(st, "value_range should be a vector of 2 elements.");
    if (tensor_rank(bins) != 0)
        return status_invalid(st, "nbins should be a scalar.");
    int32_t n = tensor_i32(bins)[0];
    double low = value_at(range, 0), high = value_at(range, 1);
    if (!(low < high))
        return status_invalid(st,
                              "value_range should satisfy value_range[0] < value_range[1], but got "
                              "'[%g, %g]'",
                              low, high);
    if (n <= 0)
        return status_invalid(st, "nbins should be a positive number, but got '%d'", n);
    struct shape s = shape_1(n);
    struct tensor *out = kernel_out(c, 0, &s, st);
    if (!out)
        return false;
    memset(out->data, 0, tensor_bytes(out));
    count(x, low, (high - low) / n, out);
    return true;
}

static bool histogram_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int64_t two, n;
    bool known;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &s, st) ||
        !infer_want_dim(c, infer_dim(s, 0), 2, &two, st) ||
        !infer_want_rank(c, infer_input(c, 2), 0, &s, st) || !infer_const_int(c, 2, &known, &n, st))
        return false;
    if (known && n <= 0)
        return status_invalid(st, "Requires nbins > 0, but is %lld", (long long)n);
    infer_set(c, 0, infer_vector(c, known ? n : DIM_UNKNOWN));
    return true;
}

OP_DEF(histogram_fixed_width) = {
    .name = "HistogramFixedWidth",
    .summary = "How many values fall into each of equal bins.",
    .inputs = {"values: T", "value_range: T", "nbins: int32"},
    .outputs = {"out: dtype"},
    .attrs = {"T: {int32, int64, float, double}", "dtype: {int32, int64} = DT_INT32"},
    .shape = histogram_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(histogram_fixed_width_cpu) = {
    .op = "HistogramFixedWidth", .device = "CPU", .run = histogram_run};
