/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedInstanceNorm: each image's channels brought to mean 0 and variance 1.
 * QuantizedBatchNormWithGlobalNormalization: a factor and a term for each channel, from statistics
 * that are given. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "op/qrange.h"

static const char NO_GRAD[] = "undefined: TensorFlow registers none";
static const char NO_KERNEL[] = "TensorFlow has one of quint8 alone";

/* --- QuantizedInstanceNorm --- */

static bool instance_init(struct kernel *k, void *state, struct status *st)
{
    const float min = attrs_float(k->attrs, "given_y_min");
    const float max = attrs_float(k->attrs, "given_y_max");
    (void)state;
    return !attrs_bool(k->attrs, "output_range_given") || min < max ||
           status_invalid(st, "given_y_min must be less than given_y_max : %g >= %g", (double)min,
                          (double)max);
}

/* Image `x` of `pixels` times `channels` integers as reals, normalised. */
static void normalise(const uint8_t *x, int64_t pixels, int64_t channels, float epsilon,
                      const struct qrange_floats *from, float *y)
{
    for (int64_t k = 0; k < channels; k++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < pixels; i++)
            sum += (double)qrange_float_real(from, x[i * channels + k]);
        const float mean = (float)(sum / (double)pixels);
        for (int64_t i = 0; i < pixels; i++) {
            const float d = qrange_float_real(from, x[i * channels + k]) - mean;
            squares += (double)(d * d);
            y[i * channels + k] = d;
        }
        const float variance = (float)(squares / (double)pixels);
        const float factor = 1 / sqrtf(variance + epsilon);
        for (int64_t i = 0; i < pixels; i++)
            y[i * channels + k] *= factor;
    }
}

static struct qrange range_of(const struct attrs *attrs, const float *y, int64_t n)
{
    if (attrs_bool(attrs, "output_range_given"))
        return (struct qrange){attrs_float(attrs, "given_y_min"),
                               attrs_float(attrs, "given_y_max")};
    struct qrange r = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; i++) {
        r.min = fminf(r.min, y[i]);
        r.max = fmaxf(r.max, y[i]);
    }
    const float least = attrs_float(attrs, "min_separation");
    if (!(r.max - r.min >= least))
        r.max = r.min + least;
    return r;
}

static bool instance_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct qrange in;
    if (!qrange_in(c, 1, &in, st))
        return false;
    if (!(in.min < in.max))
        return status_invalid(st, "input_min must be less than input_max : %g >= %g",
                              (double)in.min, (double)in.max);
    if (tensor_rank(x) != 4)
        return status_bad_shape(st, "input must be 4-dimensional: ", &x->shape);
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    float *reals =
        y ? kernel_scratch(c, max_i64(x->num_elems, 1) * (int64_t)sizeof *reals, st) : NULL;
    if (!reals)
        return false;
    const struct qrange_floats from = qrange_floats(in, DT_QUINT8);
    const int64_t pixels = tensor_dim(x, 1) * tensor_dim(x, 2), channels = tensor_dim(x, 3);
    const int64_t image = pixels * channels;
    const float epsilon = attrs_float(kernel_attrs(c), "variance_epsilon");
    for (int64_t i = 0; x->num_elems > 0 && i < tensor_dim(x, 0); i++)
        normalise((const uint8_t *)x->data + i * image, pixels, channels, epsilon, &from,
                  reals + i * image);
    const struct qrange out = range_of(kernel_attrs(c), reals, x->num_elems);
    const struct qrange_floats to = qrange_floats(out, DT_QUINT8);
    for (int64_t i = 0; i < x->num_elems; i++)
        qtype_put(y, i, qrange_float_nearest(&to, reals[i]));
    return qrange_out(c, 1, out, st);
}

static bool instance_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st))
        return false;
    infer_set(c, 0, x);
    qrange_infer_limits(c, 1);
    return qrange_infer_scalars(c, 1, st);
}

OP_DEF(quantized_instance_norm) = {
    .name = "QuantizedInstanceNorm",
    .summary = "Each image's channels of quantised numbers, with mean 0 and variance 1.",
    .inputs = {"x: T", "x_min: float", "x_max: float"},
    .outputs = {"y: T", "y_min: float", "y_max: float"},
    .attrs = {"T: " QTYPES, "output_range_given: bool = false", "given_y_min: float = 0",
              "given_y_max: float = 0", "variance_epsilon: float = 9.99999975e-06",
              "min_separation: float = 0.00100000005"},
    .shape = instance_shape,
    .no_grad = NO_GRAD,
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(quantized_instance_norm_cpu) = {.op = "QuantizedInstanceNorm",
                                           .device = "CPU",
                                           .types = {"T: {quint8}"},
                                           .init = instance_init,
                                           .run = instance_run};

/* --- QuantizedBatchNormWithGlobalNormalization --- */

enum { T, MEAN, VARIANCE, BETA, GAMMA, OPERANDS }; /* each with its range: inputs 3 i and on */

static float operand(const struct kctx *c, const struct qrange *r, int which, int64_t i)
{
    const struct tensor *t = kernel_in(c, 3 * which);
    return (float)qrange_real(r[which], t->dtype, qtype_get(t, i));
}

/* The factor and the term of each channel, over the result's range. */
static void channel_steps(struct kctx *c, const struct qrange *r, struct qrange out, int64_t n,
                          int32_t *factor, int32_t *term)
{
    const float epsilon = attrs_float(kernel_attrs(c), "variance_epsilon");
    const bool scaled = attrs_bool(kernel_attrs(c), "scale_after_normalization");
    for (int64_t i = 0; i < n; i++) {
        float f = 1 / sqrtf(operand(c, r, VARIANCE, i) + epsilon);
        if (scaled)
            f *= operand(c, r, GAMMA, i);
        const float t = -operand(c, r, MEAN, i) * f + operand(c, r, BETA, i);
        factor[i] = (int32_t)qrange_nearest(out, DT_QINT32, (double)f);
        term[i] = (int32_t)qrange_nearest(out, DT_QINT32, (double)t);
    }
}

static bool batch_operands(struct kctx *c, struct qrange *r, struct status *st)
{
    static const char *const names[] = {"input", "mean", "var", "beta", "gamma"};
    for (int i = 0; i < OPERANDS; i++) {
        const struct tensor *t = kernel_in(c, 3 * i);
        if (!qrange_in(c, 3 * i + 1, &r[i], st))
            return false;
        if (tensor_rank(t) == (i == T ? 4 : 1))
            continue;
        char words[48];
        snprintf(words, sizeof words, "%s must be %d-dimensional", names[i], i == T ? 4 : 1);
        return status_bad_shape(st, words, &t->shape);
    }
    const int64_t channels = tensor_dim(kernel_in(c, T), 3);
    for (int i = MEAN; i < OPERANDS; i++) {
        const int64_t n = kernel_in(c, 3 * i)->num_elems;
        if (n != channels)
            return status_invalid(st, "%s has %lld elements, the input %lld channels", names[i],
                                  (long long)n, (long long)channels);
    }
    return true;
}

static bool batch_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    const struct qrange out = {-(1 << 20), 1 << 20}; /* room for most models' numbers */
    struct qrange r[OPERANDS];
    if (!batch_operands(c, r, st))
        return false;
    const int64_t n = tensor_dim(x, 3);
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    int32_t *factor = y ? kernel_scratch(c, max_i64(2 * n, 1) * (int64_t)sizeof *factor, st) : NULL;
    if (!factor)
        return false;
    channel_steps(c, r, out, n, factor, factor + n);
    const int64_t one = qrange_nearest(out, DT_QINT32, 1);
    int32_t to[256];
    for (int q = 0; q < 256; q++)
        to[q] =
            (int32_t)qrange_nearest(out, DT_QINT32, (double)(float)qrange_real(r[T], DT_QUINT8, q));
    for (int64_t i = 0; i < x->num_elems; i++) {
        const uint32_t q = (uint32_t)to[((const uint8_t *)x->data)[i]];
        const int32_t product = (int32_t)(q * (uint32_t)factor[i % n]);
        ((int32_t *)y->data)[i] =
            (int32_t)((uint32_t)(product / one) + (uint32_t)factor[n + i % n]);
    }
    return qrange_out(c, 1, out, st);
}

static bool batch_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *s;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st))
        return false;
    int64_t channels = infer_dim(x, 3);
    for (int i = MEAN; i < OPERANDS; i++) {
        if (!infer_want_rank(c, infer_input(c, 3 * i), 1, &s, st) ||
            !infer_merge_dim(channels, infer_dim(s, 0), &channels, st))
            return false;
    }
    for (int i = 0; i < 3 * OPERANDS; i++) {
        if (i % 3 != 0 && !infer_want_rank(c, infer_input(c, i), 0, &s, st))
            return false;
    }
    infer_set(c, 0, infer_with_dim(c, x, 3, channels));
    qrange_infer_limits(c, 1);
    return true;
}

OP_DEF(quantized_batch_norm_with_global_normalization) = {
    .name = "QuantizedBatchNormWithGlobalNormalization",
    .summary = "Images of quantised numbers brought to a mean and a variance that are given.",
    .inputs = {"t: Tinput", "t_min: float", "t_max: float", "m: Tinput", "m_min: float",
               "m_max: float", "v: Tinput", "v_min: float", "v_max: float", "beta: Tinput",
               "beta_min: float", "beta_max: float", "gamma: Tinput", "gamma_min: float",
               "gamma_max: float"},
    .outputs = {"result: out_type", "result_min: float", "result_max: float"},
    .attrs = {"Tinput: " QTYPES, "out_type: " QTYPES, "variance_epsilon: float",
              "scale_after_normalization: bool"},
    .shape = batch_shape,
    .no_grad = NO_GRAD,
    .no_kernel = "TensorFlow has one of quint8 to qint32 alone",
};
KERNEL_DEF(quantized_batch_norm_with_global_normalization_cpu) = {
    .op = "QuantizedBatchNormWithGlobalNormalization",
    .device = "CPU",
    .types = {"Tinput: {quint8}", "out_type: {qint32}"},
    .run = batch_run};
