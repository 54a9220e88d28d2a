/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeAndDequantize and its versions: reals rounded to what integers of some bits can stand
 * for, zero being one of them. */
#include <float.h>
#include <math.h>

#include "op/grad.h"
#include "op/qrange.h"

struct trip {
    int64_t bits;
    bool is_signed, given, narrow, half_up;
    double min, max;
    double most; /* of the type */
};

/* Computed in float or double, as the type is. */
#define TRIP(T, ROUND, FLOOR)                                                                      \
    static void trip_##T(const struct trip *k, const T *x, T *y, int64_t n)                        \
    {                                                                                              \
        int64_t low = k->is_signed ? -((int64_t)1 << (k->bits - 1)) + k->narrow : 0;               \
        int64_t high = ((int64_t)1 << (k->bits - k->is_signed)) - 1;                               \
        T min = (T)k->min, max = (T)k->max, l = (T)low, h = (T)high, back;                         \
        T by_min = l * min > 0 ? l / min : (T)k->most,                                             \
          by_max = h * max > 0 ? h / max : (T)k->most;                                             \
        T scale = by_min < by_max ? by_min : by_max;                                               \
        if (by_min < by_max) {                                                                     \
            back = min / l;                                                                        \
            max = h * back;                                                                        \
        } else {                                                                                   \
            back = max / h;                                                                        \
            min = l * back;                                                                        \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T v = x[i];                                                                            \
            if (k->given) {                                                                        \
                v = v > max ? max : v;                                                             \
                v = v < min ? min : v;                                                             \
            }                                                                                      \
            y[i] = (k->half_up ? FLOOR(v * scale + (T)0.5) : ROUND(v * scale)) * back;             \
        }                                                                                          \
    }                                                                                              \
    static void limits_##T(struct trip *k, const T *x, int64_t n)                                  \
    {                                                                                              \
        T min = n ? x[0] : 0, max = min;                                                           \
        for (int64_t i = 1; i < n; i++) {                                                          \
            min = x[i] < min ? x[i] : min;                                                         \
            max = x[i] > max ? x[i] : max;                                                         \
        }                                                                                          \
        k->min = (double)min;                                                                      \
        k->max = (double)max;                                                                      \
    }
TRIP(float, rintf, floorf)
TRIP(double, rint, floor)
#undef TRIP

static bool round_trip(struct kctx *c, struct trip *k, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    const struct attrs *attrs = kernel_attrs(c);
    k->is_signed = attrs_bool(attrs, "signed_input");
    k->given = attrs_bool(attrs, "range_given");
    k->narrow = attrs_bool(attrs, "narrow_range");
    k->half_up = str_is(attrs_string(attrs, "round_mode"), "HALF_UP");
    k->most = x->dtype == DT_FLOAT ? (double)FLT_MAX : DBL_MAX;
    if (k->bits <= 0 || k->bits >= (k->is_signed ? 62 : 63))
        return status_invalid(st, "num_bits is out of range: %lld with signed_input_ %d",
                              (long long)k->bits, (int)k->is_signed);
    if (k->given && !(k->min <= k->max))
        return status_invalid(st, "Invalid range: input_min %g > input_max %g", k->min, k->max);
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y || x->num_elems == 0)
        return y != NULL;
    if (!k->given && x->dtype == DT_FLOAT)
        limits_float(k, tensor_f32(x), x->num_elems);
    else if (!k->given)
        limits_double(k, tensor_f64(x), x->num_elems);
    if (x->dtype == DT_FLOAT)
        trip_float(k, tensor_f32(x), tensor_f32(y), x->num_elems);
    else
        trip_double(k, tensor_f64(x), tensor_f64(y), x->num_elems);
    return true;
}

static bool run_v1(struct kctx *c, struct status *st)
{
    const struct attrs *attrs = kernel_attrs(c);
    struct trip k = {.bits = attrs_int(attrs, "num_bits")};
    k.min = (double)attrs_float(attrs, "input_min");
    k.max = (double)attrs_float(attrs, "input_max");
    return round_trip(c, &k, st);
}

static bool read_limits(const struct kctx *c, struct trip *k, struct status *st)
{
    double *const to[] = {&k->min, &k->max};
    for (int i = 0; i < 2; i++) {
        const struct tensor *t = kernel_in(c, 1 + i);
        if (t->num_elems != 1)
            return status_bad_shape(st, "a limit must be a scalar, got shape ", &t->shape);
        *to[i] = t->dtype == DT_DOUBLE ? tensor_f64(t)[0] : (double)tensor_f32(t)[0];
    }
    return true;
}

static bool run_v2(struct kctx *c, struct status *st)
{
    struct trip k = {.bits = attrs_int(kernel_attrs(c), "num_bits")};
    return read_limits(c, &k, st) && round_trip(c, &k, st);
}

static bool run_v3(struct kctx *c, struct status *st)
{
    const struct tensor *bits = kernel_in(c, 3);
    if (bits->num_elems != 1)
        return status_bad_shape(st, "num_bits must be a scalar, got shape ", &bits->shape);
    struct trip k = {.bits = tensor_i32(bits)[0]};
    return read_limits(c, &k, st) && round_trip(c, &k, st);
}

/* As if nothing were rounded. */
static bool straight_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_dy(g, 0));
    return grad_done(g, st);
}

static bool trip_shape(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_input(c, 0));
    return qrange_infer_scalars(c, 1, st);
}

#define TYPE "T: {bfloat16, half, float, double}"
#define KERNEL_TYPE "T: {float, double}"
static const char WHY[] = "TensorFlow has kernels for float and double alone";

OP_DEF(quantize_and_dequantize) = {
    .name = "QuantizeAndDequantize",
    .summary = "As QuantizeAndDequantizeV2, with the limits as attrs.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"signed_input: bool = true", "num_bits: int = 8", "range_given: bool = false",
              "input_min: float = 0", "input_max: float = 0", TYPE},
    .deprecated_at = 22,
    .deprecated_why = "Replaced by QuantizeAndDequantizeV2",
    .shape = trip_shape,
    .grad = straight_grad,
    .no_kernel = WHY,
};
KERNEL_DEF(quantize_and_dequantize_cpu) = {
    .op = "QuantizeAndDequantize", .device = "CPU", .types = {KERNEL_TYPE}, .run = run_v1};

OP_DEF(quantize_and_dequantize_v2) = {
    .name = "QuantizeAndDequantizeV2",
    .summary = "Reals rounded to those that integers of some bits can stand for.",
    .inputs = {"input: T", "input_min: T", "input_max: T"},
    .outputs = {"output: T"},
    .attrs = {"signed_input: bool = true", "num_bits: int = 8", "range_given: bool = false", TYPE,
              "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'",
              "narrow_range: bool = false"},
    .shape = trip_shape,
    .grad = straight_grad,
    .no_kernel = WHY,
};
KERNEL_DEF(quantize_and_dequantize_v2_cpu) = {
    .op = "QuantizeAndDequantizeV2", .device = "CPU", .types = {KERNEL_TYPE}, .run = run_v2};

OP_DEF(quantize_and_dequantize_v3) = {
    .name = "QuantizeAndDequantizeV3",
    .summary = "As QuantizeAndDequantizeV2, with the number of bits as an input.",
    .inputs = {"input: T", "input_min: T", "input_max: T", "num_bits: int32"},
    .outputs = {"output: T"},
    .attrs = {"signed_input: bool = true", "range_given: bool = true", TYPE,
              "narrow_range: bool = false"},
    .shape = trip_shape,
    .grad = straight_grad,
    .no_kernel = WHY,
};
KERNEL_DEF(quantize_and_dequantize_v3_cpu) = {
    .op = "QuantizeAndDequantizeV3", .device = "CPU", .types = {KERNEL_TYPE}, .run = run_v3};
