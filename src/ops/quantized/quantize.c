/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeV2 and Dequantize, in the three ways to lay integers over a range: MIN_COMBINED (the
 * least stands for the least), MIN_FIRST (the same, with zero exactly on an integer), SCALED (zero
 * for zero). */
#include <float.h>
#include <math.h>

#include "op/qrange.h"

enum mode { MIN_COMBINED, MIN_FIRST, SCALED };

static enum mode mode_of(const struct attrs *attrs)
{
    struct str name = attrs_string(attrs, "mode");
    return str_is(name, "MIN_FIRST") ? MIN_FIRST : str_is(name, "SCALED") ? SCALED : MIN_COMBINED;
}

static bool quantize_init(struct kernel *k, void *state, struct status *st)
{
    bool even = str_is(attrs_string(k->attrs, "round_mode"), "HALF_TO_EVEN");
    (void)state;
    return !even || mode_of(k->attrs) == SCALED ||
           status_invalid(st,
                          "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode "
                          "is '%.*s'.",
                          (int)attrs_string(k->attrs, "mode").n, attrs_string(k->attrs, "mode").p);
}

/* The range with zero inside and of some width. */
static struct qrange widened(struct qrange r)
{
    float min = fminf(0, r.min);
    float least = fmaxf(1, fmaxf(fabsf(r.min), fabsf(r.max))) / 100;
    return (struct qrange){min, fmaxf(0, fmaxf(r.max, min + least))};
}

/* For SCALED: the factor at which neither end leaves the type; the range becomes the type's. */
static float fit_scale(struct qrange *r, int dtype)
{
    float low = (float)qtype_lowest(dtype), high = (float)qtype_highest(dtype);
    float by_min = low * r->min > 0 ? low / r->min : FLT_MAX;
    float by_max = high * r->max > 0 ? high / r->max : FLT_MAX;
    float scale = fminf(by_min, by_max);
    *r = (struct qrange){low / scale, high / scale};
    return scale;
}

static int64_t to_integer(double x)
{
    return x > -1e15 && x < 1e15 ? (int64_t)x : x > 0 ? (int64_t)1e15 : x < 0 ? -(int64_t)1e15 : 0;
}

static bool quantize_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct qrange r;
    if (!qrange_in(c, 1, &r, st))
        return false;
    if (r.max < r.min)
        return status_invalid(st, "min_range must not be greater than max_range: %g, %g",
                              (double)r.min, (double)r.max);
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y)
        return false;
    r = widened(r);
    enum mode mode = mode_of(kernel_attrs(c));
    bool even = str_is(attrs_string(kernel_attrs(c), "round_mode"), "HALF_TO_EVEN");
    int64_t low = qtype_lowest(y->dtype);
    float scale = mode == SCALED
                      ? fit_scale(&r, y->dtype)
                      : (float)((double)(qtype_highest(y->dtype) - low) / (double)(r.max - r.min));
    for (int64_t i = 0; i < x->num_elems; i++) {
        float v = fmaxf(fminf(tensor_f32(x)[i], r.max), r.min);
        if (mode == MIN_FIRST)
            qtype_put(y, i, qrange_nearest(r, y->dtype, (double)tensor_f32(x)[i]));
        else if (mode == SCALED)
            qtype_put(y, i, to_integer((double)(even ? rintf(v * scale) : roundf(v * scale))));
        else
            qtype_put(y, i, to_integer((double)roundf((v - r.min) * scale + (float)low)));
    }
    return qrange_out(c, 1, r, st);
}

OP_DEF(quantize_v2) = {
    .name = "QuantizeV2",
    .summary = "Reals as integers over a range.",
    .inputs = {"input: float", "min_range: float", "max_range: float"},
    .outputs = {"output: T", "output_min: float", "output_max: float"},
    .attrs = {"T: " QTYPES, "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'",
              "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'"},
    .shape = qrange_infer_unchanged,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(quantize_v2_cpu) = {
    .op = "QuantizeV2", .device = "CPU", .init = quantize_init, .run = quantize_run};

static bool dequantize_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct qrange r;
    struct tensor *y;
    if (!qrange_unary(c, &r, &y, st))
        return false;
    enum mode mode = mode_of(kernel_attrs(c));
    int64_t low = qtype_lowest(x->dtype);
    float scale = (float)((double)(r.max - r.min) / (double)(qtype_highest(x->dtype) - low));
    float first = r.max == r.min ? r.min : roundf(r.min / scale) * scale;
    if (mode == SCALED) {
        float by_max = r.max / (float)qtype_highest(x->dtype);
        scale = low ? fmaxf(r.min / (float)low, by_max) : by_max;
    }
    for (int64_t i = 0; i < x->num_elems; i++) {
        int64_t q = qtype_get(x, i);
        if (mode == MIN_FIRST)
            tensor_f32(y)[i] = first + (float)(q - low) * scale;
        else if (mode == SCALED)
            tensor_f32(y)[i] = (float)q * scale;
        else
            tensor_f32(y)[i] = (float)(q - low) * scale + r.min;
    }
    return true;
}

OP_DEF(dequantize) = {
    .name = "Dequantize",
    .summary = "The reals that integers over a range stand for.",
    .inputs = {"input: T", "min_range: float", "max_range: float"},
    .outputs = {"output: float"},
    .attrs = {"T: " QTYPES, "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"},
    .shape = qrange_infer_unchanged,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(dequantize_cpu) = {.op = "Dequantize", .device = "CPU", .run = dequantize_run};
