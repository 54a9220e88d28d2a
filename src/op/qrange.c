/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised numbers: types, ranges, the steps between. */
#include "op/qrange.h"

#include <math.h>

int64_t qtype_lowest(int dtype)
{
    switch (dtype) {
    case DT_QINT8:
        return INT8_MIN;
    case DT_QINT16:
        return INT16_MIN;
    case DT_QINT32:
        return INT32_MIN;
    default:
        return 0;
    }
}

int64_t qtype_highest(int dtype)
{
    switch (dtype) {
    case DT_QINT8:
        return INT8_MAX;
    case DT_QUINT8:
        return UINT8_MAX;
    case DT_QINT16:
        return INT16_MAX;
    case DT_QUINT16:
        return UINT16_MAX;
    default:
        return INT32_MAX;
    }
}

int64_t qtype_get(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_QINT8:
        return ((const int8_t *)t->data)[i];
    case DT_QUINT8:
        return ((const uint8_t *)t->data)[i];
    case DT_QINT16:
        return ((const int16_t *)t->data)[i];
    case DT_QUINT16:
        return ((const uint16_t *)t->data)[i];
    default:
        return ((const int32_t *)t->data)[i];
    }
}

void qtype_put(struct tensor *t, int64_t i, int64_t value)
{
    value = max_i64(qtype_lowest(t->dtype), min_i64(qtype_highest(t->dtype), value));
    switch (dtype_size(t->dtype)) {
    case 1:
        ((uint8_t *)t->data)[i] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)t->data)[i] = (uint16_t)value;
        break;
    default:
        ((uint32_t *)t->data)[i] = (uint32_t)value;
    }
}

bool qrange_in(struct kctx *c, int i, struct qrange *out, struct status *st)
{
    return kernel_scalar_float(c, i, "the least of a range", &out->min, st) &&
           kernel_scalar_float(c, i + 1, "the greatest of a range", &out->max, st);
}

bool qrange_unary(struct kctx *c, struct qrange *r, struct tensor **y, struct status *st)
{
    return qrange_in(c, 1, r, st) && (*y = kernel_out(c, 0, &kernel_in(c, 0)->shape, st));
}

bool qrange_out(struct kctx *c, int i, struct qrange r, struct status *st)
{
    struct shape s = shape_scalar();
    struct tensor *min = kernel_out(c, i, &s, st);
    struct tensor *max = min ? kernel_out(c, i + 1, &s, st) : NULL;
    if (!max)
        return false;
    tensor_f32(min)[0] = r.min;
    tensor_f32(max)[0] = r.max;
    return true;
}

double qrange_step(struct qrange r, int dtype)
{
    double steps = (double)(qtype_highest(dtype) - qtype_lowest(dtype)) + 1;
    return (double)(r.max - r.min) * (steps / (steps - 1)) / steps;
}

double qrange_real(struct qrange r, int dtype, int64_t q)
{
    double step = qrange_step(r, dtype);
    float rounded = (float)step; /* zero lies on a step of a float's precision */
    if (r.max == r.min)
        return (double)r.min;
    return (double)(roundf(r.min / rounded) * rounded) + (double)(q - qtype_lowest(dtype)) * step;
}

int64_t qrange_nearest(struct qrange r, int dtype, double x)
{
    int64_t low = qtype_lowest(dtype), high = qtype_highest(dtype);
    double steps = (double)(high - low) + 1;
    double per_real = steps / ((double)(r.max - r.min) * (steps / (steps - 1)));
    if (r.max == r.min)
        return 0;
    double q = round(x * per_real) - round((double)r.min * per_real) + (double)low;
    return q >= (double)high ? high : q > (double)low ? (int64_t)q : low;
}

int64_t qrange_zero(struct qrange r, int dtype)
{
    int64_t low = qtype_lowest(dtype);
    double steps = (double)(qtype_highest(dtype) - low) + 1;
    double per_real = steps / ((double)(r.max - r.min) * (steps / (steps - 1)));
    double zero = r.max == r.min ? 0 : -round((double)r.min * per_real);
    return zero > -1e18 && zero < 1e18 ? (int32_t)(uint32_t)((int64_t)zero + low) : low;
}

struct qrange qrange_of_product(struct qrange a, struct qrange b, int dtype)
{
    float steps = (float)(qtype_highest(dtype) - qtype_lowest(dtype));
    float step = (a.max - a.min) / steps * ((b.max - b.min) / steps);
    return (struct qrange){step * (float)INT32_MIN, step * (float)INT32_MAX};
}

struct qrange_floats qrange_floats(struct qrange r, int dtype)
{
    const double low = (double)qtype_lowest(dtype), steps = (double)qtype_highest(dtype) - low;
    struct qrange_floats f = {.lowest = (float)low, .highest = (float)qtype_highest(dtype)};
    const bool none = r.max == r.min;
    f.scale = none ? 0 : (float)(steps / (double)(r.max - r.min));
    f.step = (float)((double)(r.max - r.min) / steps);
    f.first = roundf(r.min * f.scale) - (float)low;
    f.least = (none ? r.min : roundf(r.min / f.step) * f.step) - (float)low * f.step;
    return f;
}

int64_t qrange_float_nearest(const struct qrange_floats *f, float x)
{
    float q = roundf(x * f->scale) - f->first;
    q = fminf(fmaxf(q, f->lowest), f->highest);
    return q >= 2147483648.f ? INT32_MAX : (int64_t)q;
}

bool qrange_infer_scalars(struct infer_ctx *c, int first, struct status *st)
{
    const struct shape *s;
    for (int i = first; i < infer_num_inputs(c); i++) {
        if (!infer_want_rank(c, infer_input(c, i), 0, &s, st))
            return false;
    }
    return true;
}

void qrange_infer_limits(struct infer_ctx *c, int first)
{
    infer_set(c, first, infer_scalar(c));
    infer_set(c, first + 1, infer_scalar(c));
}

bool qrange_infer_unchanged(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_input(c, 0));
    for (int i = 1; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_scalar(c));
    return qrange_infer_scalars(c, 1, st);
}
