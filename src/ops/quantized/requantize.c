/* SPDX-License-Identifier: Apache-2.0 */
/* From qint32 down to eight bits: Requantize, RequantizationRange (the range that is made use of),
 * and QuantizeDownAndShrinkRange, which is both. */
#include <math.h>

#include "op/qrange.h"

/* The range from the least value (0 at most) to the greatest. */
static struct qrange used_range(const struct tensor *x, struct qrange r)
{
    int64_t low = INT32_MAX, high = INT32_MIN;
    for (int64_t i = 0; i < x->num_elems; i++) {
        low = min_i64(low, ((const int32_t *)x->data)[i]);
        high = max_i64(high, ((const int32_t *)x->data)[i]);
    }
    return (struct qrange){fminf(0, (float)qrange_real(r, DT_QINT32, low)),
                           (float)qrange_real(r, DT_QINT32, high)};
}

/* Parts of 2^16 of an output step, so that each number costs a multiplication and shifts. */
struct fixed {
    int64_t scale, in_offset, out_offset;
};

static int64_t part(double x)
{
    return isfinite(x) && fabs(x) < 1e18 ? (int64_t)x : 0;
}

static struct fixed fixed_of(struct qrange in, struct qrange out)
{
    const double one = 1 << 16;
    float in_range = in.max - in.min, out_range = out.max - out.min;
    float middle = (in.min + in.max) / 2, per_step = out_range == 0 ? 0 : 255 / out_range;
    struct fixed f = {0, part((double)(middle * per_step) * one), 0};
    if (out_range != 0) {
        f.scale = part(255.0 * one * (double)in_range / (double)out_range);
        f.out_offset = part(one * ((double)out.min * 255.0) / (double)out_range);
    }
    return f;
}

static void requantize(const struct tensor *x, struct qrange in, struct tensor *y,
                       struct qrange out)
{
    struct fixed f = fixed_of(in, out);
    const int64_t half = 1 << 15;
    for (int64_t i = 0; i < x->num_elems; i++) {
        int64_t q = ((const int32_t *)x->data)[i];
        if (y->dtype == DT_QUINT8) {
            int64_t sum =
                ((int64_t)((uint64_t)q * (uint64_t)f.scale) >> 32) + f.in_offset - f.out_offset;
            qtype_put(y, i, (sum + half) >> 16);
        } else {
            double real = (double)(float)qrange_real(in, DT_QINT32, q);
            qtype_put(y, i, qrange_nearest(out, y->dtype, real));
        }
    }
}

static bool give(struct kctx *c, struct qrange in, struct qrange out, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y)
        return false;
    requantize(x, in, y, out);
    return qrange_out(c, 1, out, st);
}

static bool requantize_run(struct kctx *c, struct status *st)
{
    struct qrange in, out;
    if (!qrange_in(c, 1, &in, st) || !qrange_in(c, 3, &out, st))
        return false;
    if (out.min > 0)
        return status_invalid(st, "requested_output_min must be <= 0, but got %g", (double)out.min);
    if (out.max < out.min)
        return status_invalid(
            st, "requested_output_max must be >= requested_output_min, but got %g and %g",
            (double)out.max, (double)out.min);
    return give(c, in, out, st);
}

static bool shrink_run(struct kctx *c, struct status *st)
{
    struct qrange in;
    if (!qrange_in(c, 1, &in, st))
        return false;
    struct qrange out = kernel_in(c, 0)->num_elems ? used_range(kernel_in(c, 0), in) : in;
    return give(c, in, out, st);
}

static bool range_run(struct kctx *c, struct status *st)
{
    struct qrange in;
    return qrange_in(c, 1, &in, st) && qrange_out(c, 0, used_range(kernel_in(c, 0), in), st);
}

static bool range_shape(struct infer_ctx *c, struct status *st)
{
    qrange_infer_limits(c, 0);
    return qrange_infer_scalars(c, 1, st);
}

static const char NO_GRAD[] = "undefined: TensorFlow registers none";
static const char NO_KERNEL[] = "TensorFlow has one from qint32 to eight bits alone";

OP_DEF(requantize) = {
    .name = "Requantize",
    .summary = "Quantised numbers over another range, in another type.",
    .inputs = {"input: Tinput", "input_min: float", "input_max: float",
               "requested_output_min: float", "requested_output_max: float"},
    .outputs = {"output: out_type", "output_min: float", "output_max: float"},
    .attrs = {"Tinput: " QTYPES, "out_type: " QTYPES},
    .shape = qrange_infer_unchanged,
    .no_grad = NO_GRAD,
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(requantize_cpu) = {.op = "Requantize",
                              .device = "CPU",
                              .types = {"Tinput: {qint32}", "out_type: {qint8, quint8}"},
                              .run = requantize_run};

OP_DEF(quantize_down_and_shrink_range) = {
    .name = "QuantizeDownAndShrinkRange",
    .summary = "Quantised numbers in fewer bits, over the range that they make use of.",
    .inputs = {"input: Tinput", "input_min: float", "input_max: float"},
    .outputs = {"output: out_type", "output_min: float", "output_max: float"},
    .attrs = {"Tinput: " QTYPES, "out_type: " QTYPES},
    .shape = qrange_infer_unchanged,
    .no_grad = NO_GRAD,
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(quantize_down_and_shrink_range_cpu) = {
    .op = "QuantizeDownAndShrinkRange",
    .device = "CPU",
    .types = {"Tinput: {qint32}", "out_type: {quint8}"},
    .run = shrink_run};

OP_DEF(requantization_range) = {
    .name = "RequantizationRange",
    .summary = "The range that quantised numbers make use of.",
    .inputs = {"input: Tinput", "input_min: float", "input_max: float"},
    .outputs = {"output_min: float", "output_max: float"},
    .attrs = {"Tinput: " QTYPES},
    .shape = range_shape,
    .no_grad = NO_GRAD,
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(requantization_range_cpu) = {
    .op = "RequantizationRange", .device = "CPU", .types = {"Tinput: {qint32}"}, .run = range_run};
