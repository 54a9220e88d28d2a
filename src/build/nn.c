/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, moments, normalisations and dropout of leat/nn.h. */
#include <math.h>

#include "build/draw.h"
#include "build/mk.h"
#include "leat/nn.h"

void leat_reduce_args_init(struct leat_reduce_args *args)
{
    *args = (struct leat_reduce_args){LEAT_AXIS_NOT_GIVEN_};
}

void leat_batch_normalization_args_init(struct leat_batch_normalization_args *args)
{
    *args = (struct leat_batch_normalization_args){LEAT_BATCH_NORMALIZATION_DEFAULTS_};
}

void leat_l2_normalize_args_init(struct leat_l2_normalize_args *args)
{
    *args = (struct leat_l2_normalize_args){LEAT_L2_NORMALIZE_DEFAULTS_};
}

void leat_dropout_args_init(struct leat_dropout_args *args)
{
    *args = (struct leat_dropout_args){LEAT_DROPOUT_DEFAULTS_};
}

/* ---- reductions ---- */

static TF_Output reduce(const struct leat_reduce_args *a, const char *op)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    leat_with_caller(a->g, a->made_at)
        y = mk_reduce(a->g, op, a->name ? a->name : op, a->x, a->axis, a->keepdims);
    return y;
}

TF_Output leat_reduce_sum_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "Sum");
}

TF_Output leat_reduce_mean_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "Mean");
}

TF_Output leat_reduce_max_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "Max");
}

TF_Output leat_reduce_min_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "Min");
}

TF_Output leat_reduce_prod_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "Prod");
}

TF_Output leat_reduce_any_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "Any");
}

TF_Output leat_reduce_all_fn(const struct leat_reduce_args *a)
{
    return reduce(a, "All");
}

static TF_Output squeeze(TF_Graph *g, TF_Output x, struct leat_ints dims)
{
    TF_OperationDescription *d = leat_begin(g, "Squeeze", NULL, NULL);
    if (!d || !leat_valid(x))
        return MK_NONE;
    leat_add_input(d, x);
    TF_SetAttrIntList(d, "squeeze_dims", dims.v, dims.n);
    return leat_output_of(leat_finish(d), 0);
}

struct leat_mean_and_variance leat_moments_fn(const struct leat_reduce_args *a)
{
    struct leat_mean_and_variance m = {MK_NONE, MK_NONE};
    if (!a || !a->g)
        return m;
    TF_Graph *g = a->g;
    if (a->axis.n < 0) {
        leat_fail(g, a->made_at, TF_INVALID_ARGUMENT, "moments: .axis must be given");
        return m;
    }
    leat_with_composite(g, a->name, "moments", a->made_at) {
        m.mean = mk_reduce(g, "Mean", "mean", a->x, a->axis, true);
        TF_Output fixed = mk_unary(g, "StopGradient", NULL, m.mean);
        TF_Output square = mk_op(g, "SquaredDifference", NULL, leat_outputs(a->x, fixed));
        m.variance = mk_reduce(g, "Mean", "variance", square, a->axis, true);
        if (!a->keepdims && leat_valid(m.variance)) {
            m.mean = squeeze(g, m.mean, a->axis);
            m.variance = squeeze(g, m.variance, a->axis);
        }
    }
    return m;
}

/* ---- normalisation ---- */

TF_Output leat_batch_normalization_fn(const struct leat_batch_normalization_args *a)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "batchnorm", a->made_at) {
        TF_Output wide = mk_math(g, "AddV2", "add", mk_t(a->variance), mk_n(a->variance_epsilon));
        TF_Output factor = mk_unary(g, "Rsqrt", NULL, wide);
        if (leat_valid(a->scale))
            factor = mk_math(g, "Mul", "mul", mk_t(factor), mk_t(a->scale));
        TF_Output scaled = mk_math(g, "Mul", "mul", mk_t(a->x), mk_t(factor));
        TF_Output shift;
        if (leat_valid(a->offset)) {
            shift = mk_math(g, "Mul", "mul", mk_t(a->mean), mk_t(factor));
            shift = mk_math(g, "Sub", "sub", mk_t(a->offset), mk_t(shift));
        } else {
            shift = mk_unary(g, "Neg", NULL, a->mean);
            shift = mk_math(g, "Mul", "mul", mk_t(shift), mk_t(factor));
        }
        y = mk_math(g, "AddV2", "add", mk_t(scaled), mk_t(shift));
    }
    return y;
}

TF_Output leat_l2_normalize_fn(const struct leat_l2_normalize_args *a)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "l2_normalize", a->made_at) {
        TF_Output square = mk_unary(g, "Square", NULL, a->x);
        TF_Output sum = mk_reduce(g, "Sum", "Sum", square, a->axis, true);
        TF_Output bounded = mk_math(g, "Maximum", "Maximum", mk_t(sum), mk_n(a->epsilon));
        TF_Output factor = mk_unary(g, "Rsqrt", NULL, bounded);
        y = mk_op(g, "Mul", leat_current_scope(g), leat_outputs(a->x, factor));
    }
    return y;
}

TF_Output leat_l2_regularizer(TF_Graph *g, TF_Output x, double strength)
{
    TF_Output square = mk_unary(g, "Square", NULL, x);
    TF_Output sum =
        mk_reduce(g, "Sum", "Sum", square, (struct leat_ints){NULL, LEAT_NOT_GIVEN}, false);
    TF_Output scaled = mk_math(g, "Mul", "mul", mk_n(strength), mk_t(sum));
    return mk_math(g, "AddV2", "add", mk_n(0), mk_t(scaled));
}

/* ---- dropout ---- */

static TF_Output drop(const struct leat_dropout_args *a)
{
    TF_Graph *g = a->g;
    TF_DataType dtype = leat_dtype(g, a->x);
    TF_Output rate = leat_valid(a->rate_tensor) ? mk_cast(g, a->rate_tensor, dtype)
                                                : mk_scalar(g, "rate", dtype, a->rate);
    TF_Output shape = leat_valid(a->noise_shape) ? a->noise_shape : mk_shape(g, "Shape", a->x);
    TF_Output random = random_uniform_of(g, shape, dtype, 0, 1, a->seed);
    TF_Output keep = mk_math(g, "Sub", "sub", mk_n(1), mk_t(rate));
    TF_Output scale = mk_math(g, "RealDiv", "truediv", mk_n(1), mk_t(keep));
    TF_Output mask = mk_op(g, "GreaterEqual", NULL, leat_outputs(random, rate));
    TF_Output scaled = mk_math(g, "Mul", "mul", mk_t(a->x), mk_t(scale));
    return mk_math(g, "Mul", "mul", mk_t(scaled), mk_t(mk_cast(g, mask, dtype)));
}

TF_Output leat_dropout_fn(const struct leat_dropout_args *a)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    bool tensor = leat_valid(a->rate_tensor);
    if (!tensor && !(a->rate >= 0 && a->rate < 1))
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                         "dropout: rate must be a scalar tensor or a float in the range [0, 1), "
                         "got %g",
                         a->rate);
    if (!leat_valid(a->x))
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "dropout: x is an invalid output");
    if (!tensor && a->rate == 0)
        return a->x;
    leat_with_composite(a->g, a->name, "dropout", a->made_at)
        y = drop(a);
    return y;
}
