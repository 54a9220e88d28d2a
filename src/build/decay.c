/* SPDX-License-Identifier: Apache-2.0 */
/* Learning-rate decays, as leat/decay.h says. Nodes are those of TensorFlow 1.15, but for the
 * choice between constants, which 1.15 makes by conditionals and this file by Select. */
#include <math.h>
#include <stdio.h>

#include "build/mk.h"
#include "leat/decay.h"

static const double pi = 3.14159265358979323846;

void leat_decay_args_init(struct leat_decay_args *args)
{
    *args = (struct leat_decay_args){LEAT_DECAY_DEFAULTS_};
}

/* The scope of a decay; false, and no scope, when the arguments are not as they must be. */
static bool open_decay(const struct leat_decay_args *a, const char *name)
{
    if (!a || !a->g)
        return false;
    if (!leat_valid(a->global_step)) {
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "%s: global_step is required", name);
        return false;
    }
    if (!(a->decay_steps > 0)) {
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: .decay_steps must be positive, not %g", name, a->decay_steps);
        return false;
    }
    leat_push_composite(a->g, a->name, name, a->made_at);
    return true;
}

/* A number that a formula needs as a tensor: named Cast/x, Cast_1/x... */
static TF_Output number(TF_Graph *g, double value)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "Cast")
        y = mk_scalar(g, "x", TF_FLOAT, value);
    return y;
}

/* The same of decay_steps: an integer is converted by a node. */
static TF_Output steps_number(TF_Graph *g, double steps)
{
    TF_Output y = MK_NONE;
    if (steps != (double)(int32_t)steps)
        return number(g, steps);
    leat_with_scope(g, "Cast") {
        TF_Output x = mk_scalar(g, "x", TF_INT32, steps);
        TF_OperationDescription *d = leat_begin(g, "Cast", leat_current_scope(g), NULL);
        if (d) {
            leat_add_input(d, x);
            TF_SetAttrType(d, "DstT", TF_FLOAT);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

static TF_Output rate_number(const struct leat_decay_args *a)
{
    return mk_scalar(a->g, "initial_learning_rate", TF_FLOAT, a->learning_rate);
}

static TF_Output step_number(const struct leat_decay_args *a)
{
    return mk_cast(a->g, a->global_step, TF_FLOAT);
}

/* t / T, rounded down for stairs. */
static TF_Output part_of(const struct leat_decay_args *a, TF_Output step, TF_Output steps)
{
    TF_Output part = mk_math(a->g, "RealDiv", "truediv", mk_t(step), mk_t(steps));
    return a->staircase ? mk_unary(a->g, "Floor", NULL, part) : part;
}

/* The product that ends a decay, named as its scope, which ends. */
static TF_Output close_product(TF_Graph *g, const char *op, TF_Output rate, TF_Output factor)
{
    TF_Output y = mk_op(g, op, leat_current_scope(g), leat_outputs(rate, factor));
    leat_pop(g);
    return y;
}

/* r base^(t/T); base a tensor or, made in here, a number. */
static TF_Output exponential(const struct leat_decay_args *a, const char *name, struct mk_arg base)
{
    TF_Graph *g = a->g;
    if (!open_decay(a, name))
        return MK_NONE;
    TF_Output rate = rate_number(a);
    TF_Output steps = steps_number(g, a->decay_steps);
    if (base.is_number)
        base = mk_t(number(g, base.value));
    TF_Output part = part_of(a, step_number(a), steps);
    return close_product(g, "Mul", rate, mk_math(g, "Pow", "Pow", base, mk_t(part)));
}

TF_Output leat_exponential_decay_fn(const struct leat_decay_args *a)
{
    return a ? exponential(a, "ExponentialDecay", mk_n(a->decay_rate)) : MK_NONE;
}

TF_Output leat_natural_exp_decay_fn(const struct leat_decay_args *a)
{
    if (!a || !a->g)
        return MK_NONE;
    TF_Output base = MK_NONE, negative = MK_NONE;
    leat_with_caller(a->g, a->made_at) {
        leat_with_scope(a->g, "Neg") {
            TF_Output k = mk_scalar(a->g, "x", TF_FLOAT, a->decay_rate);
            negative = mk_unary(a->g, "Neg", leat_current_scope(a->g), k);
        }
        base = mk_unary(a->g, "Exp", NULL, negative);
    }
    return exponential(a, "ExponentialDecay", mk_t(base));
}

TF_Output leat_inverse_time_decay_fn(const struct leat_decay_args *a)
{
    if (!open_decay(a, "InverseTimeDecay"))
        return MK_NONE;
    TF_Graph *g = a->g;
    TF_Output rate = rate_number(a);
    TF_Output steps = steps_number(g, a->decay_steps);
    TF_Output k = number(g, a->decay_rate);
    TF_Output part = part_of(a, step_number(a), steps);
    TF_Output one = mk_cast(g, mk_i32(g, "Const", 1), TF_FLOAT);
    TF_Output slope = mk_math(g, "Mul", "Mul", mk_t(k), mk_t(part));
    TF_Output down = mk_math(g, "Add", "Add", mk_t(one), mk_t(slope));
    return close_product(g, "RealDiv", rate, down);
}

/* How many times as long a cycle is so that step lies in it: ceil(t / T), 1 at step 0. */
static TF_Output cycles(const struct leat_decay_args *a, TF_Output step)
{
    TF_Graph *g = a->g;
    TF_Output start = mk_math(g, "Equal", "Equal", mk_t(step), mk_n(0)), y = MK_NONE;
    leat_with_scope(g, "cond") {
        TF_Output one = mk_scalar(g, "Const", TF_FLOAT, 1);
        TF_Output part = mk_math(g, "RealDiv", "truediv", mk_t(step), mk_n(a->decay_steps));
        TF_Output up = mk_unary(g, "Ceil", NULL, part);
        y = mk_op(g, "Select", "Merge", leat_outputs(start, one, up));
    }
    return y;
}

TF_Output leat_polynomial_decay_fn(const struct leat_decay_args *a)
{
    if (!open_decay(a, "PolynomialDecay"))
        return MK_NONE;
    TF_Graph *g = a->g;
    TF_Output rate = rate_number(a);
    TF_Output end = number(g, a->end_learning_rate);
    TF_Output power = number(g, a->power);
    TF_Output step = step_number(a);
    TF_Output steps = steps_number(g, a->decay_steps);
    if (a->cycle)
        steps = mk_math(g, "Mul", "Mul", mk_t(steps), mk_t(cycles(a, step)));
    else
        step = mk_math(g, "Minimum", "Minimum", mk_t(step), mk_n(a->decay_steps));
    TF_Output part = mk_math(g, "RealDiv", "truediv", mk_t(step), mk_t(steps));
    TF_Output height = mk_math(g, "Sub", "sub", mk_t(rate), mk_t(end));
    TF_Output left = mk_math(g, "Sub", "sub", mk_n(1), mk_t(part));
    TF_Output curve = mk_math(g, "Pow", "Pow", mk_t(left), mk_t(power));
    TF_Output above = mk_math(g, "Mul", "Mul", mk_t(height), mk_t(curve));
    return close_product(g, "Add", above, end);
}

/* min(t, T), and a part of it. */
static TF_Output bounded_step(const struct leat_decay_args *a, TF_Output steps)
{
    return mk_math(a->g, "Minimum", "Minimum", mk_t(step_number(a)), mk_t(steps));
}

/* 1 + cos(pi x) */
static TF_Output wave(TF_Graph *g, TF_Output x)
{
    TF_Output c = mk_scalar(g, "Const", TF_FLOAT, pi);
    TF_Output angle = mk_math(g, "Mul", "mul", mk_t(c), mk_t(x));
    TF_Output cosine = mk_unary(g, "Cos", NULL, angle);
    return mk_math(g, "AddV2", "add", mk_n(1), mk_t(cosine));
}

TF_Output leat_cosine_decay_fn(const struct leat_decay_args *a)
{
    if (!open_decay(a, "CosineDecay"))
        return MK_NONE;
    TF_Graph *g = a->g;
    TF_Output rate = rate_number(a);
    TF_Output steps = steps_number(g, a->decay_steps);
    TF_Output step = bounded_step(a, steps);
    TF_Output part = mk_math(g, "RealDiv", "truediv", mk_t(step), mk_t(steps));
    TF_Output half = mk_math(g, "Mul", "mul", mk_n(0.5), mk_t(wave(g, part)));
    TF_Output scaled = mk_math(g, "Mul", "mul", mk_n(1 - a->alpha), mk_t(half));
    TF_Output decayed = mk_math(g, "AddV2", "add", mk_t(scaled), mk_n(a->alpha));
    TF_Output y = mk_math(g, "Mul", "Mul", mk_t(rate), mk_t(decayed));
    leat_pop(g);
    return y;
}

/* Which restart a part of the first period lies in, and how far. */
static void locate_restart(const struct leat_decay_args *a, TF_Output part, TF_Output t_mul,
                           TF_Output *restart, TF_Output *fraction)
{
    TF_Graph *g = a->g;
    if (a->t_mul == 1) {
        *restart = mk_unary(g, "Floor", NULL, part);
        *fraction = mk_math(g, "Sub", "sub", mk_t(part), mk_t(*restart));
        return;
    }
    /* periods before the i-th take (1 - t_mul^i) / (1 - t_mul) first periods */
    TF_Output rest = mk_math(g, "Sub", "sub", mk_n(1), mk_t(t_mul));
    TF_Output grown = mk_math(g, "Mul", "mul", mk_t(part), mk_t(rest));
    TF_Output left = mk_math(g, "Sub", "sub", mk_n(1), mk_t(grown));
    TF_Output log_left = mk_unary(g, "Log", NULL, left);
    TF_Output log_mul = mk_unary(g, "Log", NULL, t_mul);
    TF_Output periods = mk_math(g, "RealDiv", "truediv", mk_t(log_left), mk_t(log_mul));
    *restart = mk_unary(g, "Floor", NULL, periods);
    TF_Output length = mk_math(g, "Pow", "pow", mk_t(t_mul), mk_t(*restart));
    TF_Output up = mk_math(g, "Sub", "sub", mk_n(1), mk_t(length));
    TF_Output down = mk_math(g, "Sub", "sub", mk_n(1), mk_t(t_mul));
    TF_Output before = mk_math(g, "RealDiv", "truediv", mk_t(up), mk_t(down));
    TF_Output since = mk_math(g, "Sub", "sub", mk_t(part), mk_t(before));
    TF_Output again = mk_math(g, "Pow", "pow", mk_t(t_mul), mk_t(*restart));
    *fraction = mk_math(g, "RealDiv", "truediv", mk_t(since), mk_t(again));
}

TF_Output leat_cosine_decay_restarts_fn(const struct leat_decay_args *a)
{
    if (!open_decay(a, "SGDRDecay"))
        return MK_NONE;
    TF_Graph *g = a->g;
    TF_Output restart = MK_NONE, fraction = MK_NONE;
    TF_Output rate = rate_number(a);
    TF_Output steps = steps_number(g, a->decay_steps);
    TF_Output alpha = number(g, a->alpha);
    TF_Output t_mul = number(g, a->t_mul);
    TF_Output m_mul = number(g, a->m_mul);
    TF_Output part = mk_math(g, "RealDiv", "truediv", mk_t(step_number(a)), mk_t(steps));
    leat_with_scope(g, "cond")
        locate_restart(a, part, t_mul, &restart, &fraction);
    TF_Output height = mk_math(g, "Pow", "pow", mk_t(m_mul), mk_t(restart));
    TF_Output half = mk_math(g, "Mul", "mul", mk_n(0.5), mk_t(height));
    TF_Output curve = mk_math(g, "Mul", "mul", mk_t(half), mk_t(wave(g, fraction)));
    TF_Output rest = mk_math(g, "Sub", "sub", mk_n(1), mk_t(alpha));
    TF_Output scaled = mk_math(g, "Mul", "mul", mk_t(rest), mk_t(curve));
    TF_Output decayed = mk_math(g, "AddV2", "add", mk_t(scaled), mk_t(alpha));
    return close_product(g, "Mul", rate, decayed);
}

/* (alpha + linear) (1 + cos(2 pi num_periods x)) / 2 + beta, times the rate: the end of both linear
 * ones. */
static TF_Output close_linear(TF_Graph *g, TF_Output rate, TF_Output linear, TF_Output part,
                              const TF_Output *numbers)
{
    TF_Output periods = mk_math(g, "Mul", "mul", mk_n(2), mk_t(numbers[0]));
    TF_Output turn = mk_math(g, "Mul", "mul", mk_t(periods), mk_t(part));
    TF_Output half = mk_math(g, "Mul", "mul", mk_n(0.5), mk_t(wave(g, turn)));
    TF_Output raised = mk_math(g, "AddV2", "add", mk_t(numbers[1]), mk_t(linear));
    TF_Output curve = mk_math(g, "Mul", "mul", mk_t(raised), mk_t(half));
    TF_Output decayed = mk_math(g, "AddV2", "add", mk_t(curve), mk_t(numbers[2]));
    return close_product(g, "Mul", rate, decayed);
}

TF_Output leat_linear_cosine_decay_fn(const struct leat_decay_args *a)
{
    if (!open_decay(a, "LinearCosineDecay"))
        return MK_NONE;
    TF_Graph *g = a->g;
    TF_Output rate = rate_number(a), numbers[3];
    TF_Output steps = steps_number(g, a->decay_steps);
    numbers[0] = number(g, a->num_periods);
    numbers[1] = number(g, a->alpha);
    numbers[2] = number(g, a->beta);
    TF_Output step = bounded_step(a, steps);
    TF_Output left = mk_math(g, "Sub", "sub", mk_t(steps), mk_t(step));
    TF_Output linear = mk_math(g, "RealDiv", "truediv", mk_t(left), mk_t(steps));
    TF_Output part = mk_math(g, "RealDiv", "truediv", mk_t(step), mk_t(steps));
    return close_linear(g, rate, linear, part, numbers);
}

/* A normal number of mean 0 and this deviation, drawn each time. */
static TF_Output noise(TF_Graph *g, TF_Output deviation)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "random_normal") {
        int64_t seed, seed2;
        TF_Output shape = mk_i32s(g, "shape", (struct leat_ints){NULL, 0});
        TF_Output mean = mk_scalar(g, "mean", TF_FLOAT, 0);
        TF_OperationDescription *d = leat_begin(g, "RandomStandardNormal", NULL, NULL);
        if (!d)
            return MK_NONE;
        leat_get_seed(g, LEAT_INT_NOT_GIVEN, &seed, &seed2);
        leat_add_input(d, shape);
        TF_SetAttrType(d, "dtype", TF_FLOAT);
        TF_SetAttrInt(d, "seed", seed);
        TF_SetAttrInt(d, "seed2", seed2);
        TF_Output unit = leat_output_of(leat_finish(d), 0);
        TF_Output scaled = mk_math(g, "Mul", "mul", mk_t(unit), mk_t(deviation));
        y = mk_op(g, "Add", leat_current_scope(g), leat_outputs(scaled, mean));
    }
    return y;
}

TF_Output leat_noisy_linear_cosine_decay_fn(const struct leat_decay_args *a)
{
    if (!open_decay(a, "NoisyLinearCosineDecay"))
        return MK_NONE;
    TF_Graph *g = a->g;
    TF_Output rate = rate_number(a), numbers[3];
    TF_Output steps = steps_number(g, a->decay_steps);
    TF_Output variance = number(g, a->initial_variance);
    TF_Output fall = number(g, a->variance_decay);
    numbers[0] = number(g, a->num_periods);
    numbers[1] = number(g, a->alpha);
    numbers[2] = number(g, a->beta);
    TF_Output step = bounded_step(a, steps);
    TF_Output left = mk_math(g, "Sub", "sub", mk_t(steps), mk_t(step));
    TF_Output linear = mk_math(g, "RealDiv", "truediv", mk_t(left), mk_t(steps));
    TF_Output next = mk_math(g, "AddV2", "add", mk_n(1), mk_t(step));
    TF_Output fallen = mk_math(g, "Pow", "Pow", mk_t(next), mk_t(fall));
    TF_Output now = mk_math(g, "RealDiv", "truediv", mk_t(variance), mk_t(fallen));
    TF_Output deviation = mk_unary(g, "Sqrt", NULL, now);
    TF_Output noisy = mk_math(g, "AddV2", "add", mk_t(linear), mk_t(noise(g, deviation)));
    TF_Output part = mk_math(g, "RealDiv", "truediv", mk_t(step), mk_t(steps));
    return close_linear(g, rate, noisy, part, numbers);
}

TF_Output leat_piecewise_constant(TF_Graph *g, TF_Output global_step, struct leat_ints boundaries,
                                  struct leat_floats values)
{
    if (boundaries.n < 1 || values.n != boundaries.n + 1 || !leat_valid(global_step))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "piecewise_constant: %d boundaries need %d values and a step, not %d",
                         boundaries.n, boundaries.n + 1, values.n);
    for (int i = 1; i < boundaries.n; i++)
        if (boundaries.v[i] <= boundaries.v[i - 1])
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                             "piecewise_constant: boundary %lld is not above %lld",
                             (long long)boundaries.v[i], (long long)boundaries.v[i - 1]);
    TF_Output y = MK_NONE;
    leat_with_scope(g, "PiecewiseConstant") {
        y = mk_scalar(g, "value", TF_FLOAT, values.v[boundaries.n]);
        for (int i = boundaries.n - 1; i >= 0; i--) {
            TF_Output here = mk_math(g, "LessEqual", "LessEqual", mk_t(global_step),
                                     mk_n((double)boundaries.v[i]));
            TF_Output value = mk_scalar(g, "value", TF_FLOAT, values.v[i]);
            y = mk_op(g, "Select", NULL, leat_outputs(here, value, y));
        }
    }
    return y;
}
