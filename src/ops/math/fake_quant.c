/* SPDX-License-Identifier: Apache-2.0 */
/* FakeQuantWithMinMaxArgs, Vars and VarsPerChannel, and their gradients: values rounded to what few
 * bits between min and max can tell, kept as float. */
#include <math.h>
#include <string.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct quant { /* of a kernel */
    float low, high;
    float min, max; /* Args only */
};

struct range { /* moved so that zero is told exactly */
    float min, max, scale;
};

static bool quant_init(struct kernel *k, void *state, struct status *st)
{
    struct quant *q = state;
    int64_t bits = attrs_int(k->attrs, "num_bits");
    if (bits < 2 || bits > 16)
        return status_invalid(st, "num_bits must be between 2 and 16, inclusive");
    q->low = attrs_bool(k->attrs, "narrow_range") ? 1 : 0;
    q->high = (float)((1 << bits) - 1);
    return true;
}

static bool args_init(struct kernel *k, void *state, struct status *st)
{
    struct quant *q = state;
    if (!quant_init(k, state, st))
        return false;
    q->min = attrs_float(k->attrs, "min");
    q->max = attrs_float(k->attrs, "max");
    return q->min < q->max || status_invalid(st, "min has to be smaller than max, was: %g >= %g",
                                             (double)q->min, (double)q->max);
}

static struct range nudge(const struct quant *q, float min, float max)
{
    struct range r = {.scale = (max - min) / (q->high - q->low)};
    float zero = q->low - min / r.scale;
    zero = zero < q->low ? q->low : zero > q->high ? q->high : roundf(zero);
    r.min = (q->low - zero) * r.scale;
    r.max = (q->high - zero) * r.scale;
    return r;
}

static inline float round_one(const struct range *r, float inverse, float x)
{
    float in = x > r->max ? r->max : x; /* a NaN stays one */
    in = in < r->min ? r->min : in;
    return floorf((in - r->min) * inverse + 0.5f) * r->scale + r->min;
}

/* n values, every step-th. */
static void round_all(const struct quant *q, float min, float max, const float *x, float *y,
                      int64_t n, int64_t step)
{
    struct range r = nudge(q, min, max);
    float inverse = 1 / r.scale;
    bool zero = min == 0 && max == 0;
    for (int64_t i = 0; i < n; i++)
        y[i * step] = zero ? 0 : round_one(&r, inverse, x[i * step]);
}

struct back { /* n values of each, every step-th */
    const float *dy, *x;
    float *dx;
    int64_t n, step;
};

/* dx, and what min and max get. */
static void back_all(const struct quant *q, const float *limits, const struct back *b,
                     float *d_limits)
{
    struct range r = nudge(q, limits[0], limits[1]);
    bool zero = limits[0] == 0 && limits[1] == 0;
    double below = 0, above = 0;
    for (int64_t i = 0; i < b->n; i++) {
        float v = b->x[i * b->step], d = b->dy[i * b->step];
        bool inside = zero || (v >= r.min && v <= r.max);
        /* products, as in TensorFlow: NaN and infinities come through where 0 is passed on */
        b->dx[i * b->step] = d * (inside ? 1.0f : 0.0f);
        below += zero ? 0 : (double)(d * (v < r.min ? 1.0f : 0.0f));
        above += zero ? 0 : (double)(d * (v > r.max ? 1.0f : 0.0f));
    }
    d_limits[0] = (float)below;
    d_limits[1] = (float)above;
}

static bool args_run(struct kctx *c, struct status *st)
{
    const struct quant *q = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    struct tensor *y = kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!y)
        return false;
    round_all(q, q->min, q->max, tensor_f32(x), tensor_f32(y), x->num_elems, 1);
    return true;
}

static bool same_shapes(const struct kctx *c, struct status *st)
{
    return shape_equal(&kernel_in(c, 0)->shape, &kernel_in(c, 1)->shape) ||
           status_invalid(st, "gradient and input must be the same size");
}

static bool args_back_run(struct kctx *c, struct status *st)
{
    const struct quant *q = kernel_state(c);
    const struct tensor *dy = kernel_in(c, 0), *x = kernel_in(c, 1);
    float unused[2];
    struct tensor *dx = same_shapes(c, st) ? kernel_out(c, 0, &x->shape, st) : NULL;
    if (!dx)
        return false;
    struct back b = {tensor_f32(dy), tensor_f32(x), tensor_f32(dx), x->num_elems, 1};
    back_all(q, (float[]){q->min, q->max}, &b, unused);
    return true;
}

/* min and max, inputs i and i + 1: scalars, or a number for each channel of x. */
static bool check_limits(const struct kctx *c, const struct tensor *x, int i, bool channels,
                         int64_t *n, struct status *st)
{
    if (channels && tensor_rank(x) < 1)
        return status_invalid(st, "input must be at least a vector");
    *n = channels ? tensor_dim(x, tensor_rank(x) - 1) : 1;
    for (int k = i; k < i + 2; k++) {
        const struct tensor *t = kernel_in(c, k);
        if ((channels && tensor_rank(t) != 1) || t->num_elems != *n)
            return status_invalid(st, "%s has incorrect size, expected %lld was %lld",
                                  k == i ? "min" : "max", (long long)*n, (long long)t->num_elems);
    }
    return true;
}

static bool vars_run_with(struct kctx *c, bool channels, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    int64_t n;
    struct tensor *y =
        check_limits(c, x, 1, channels, &n, st) ? kernel_out(c, 0, &x->shape, st) : NULL;
    if (!y)
        return false;
    for (int64_t i = 0; i < n; i++)
        round_all(kernel_state(c), tensor_f32(kernel_in(c, 1))[i], tensor_f32(kernel_in(c, 2))[i],
                  tensor_f32(x) + i, tensor_f32(y) + i, x->num_elems / n, n);
    return true;
}

static bool vars_run(struct kctx *c, struct status *st)
{
    return vars_run_with(c, false, st);
}

static bool channels_run(struct kctx *c, struct status *st)
{
    return vars_run_with(c, true, st);
}

static bool vars_back_with(struct kctx *c, bool channels, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *x = kernel_in(c, 1);
    int64_t n;
    if (!same_shapes(c, st) || !check_limits(c, x, 2, channels, &n, st))
        return false;
    struct tensor *dx = kernel_out(c, 0, &x->shape, st);
    struct tensor *d_min = dx ? kernel_out(c, 1, &kernel_in(c, 2)->shape, st) : NULL;
    struct tensor *d_max = d_min ? kernel_out(c, 2, &kernel_in(c, 3)->shape, st) : NULL;
    if (!d_max)
        return false;
    for (int64_t i = 0; i < n; i++) {
        float limits[] = {tensor_f32(kernel_in(c, 2))[i], tensor_f32(kernel_in(c, 3))[i]}, d[2];
        struct back b = {tensor_f32(dy) + i, tensor_f32(x) + i, tensor_f32(dx) + i,
                         x->num_elems / n, n};
        back_all(kernel_state(c), limits, &b, d);
        tensor_f32(d_min)[i] = d[0];
        tensor_f32(d_max)[i] = d[1];
    }
    return true;
}

static bool vars_back_run(struct kctx *c, struct status *st)
{
    return vars_back_with(c, false, st);
}

static bool channels_back_run(struct kctx *c, struct status *st)
{
    return vars_back_with(c, true, st);
}

/* --- shapes and gradients --- */

/* Limits of this rank behind `first`; outputs 1 and 2, where there are any, are like them. */
static bool infer_limits(struct infer_ctx *c, int first, int rank, struct status *st)
{
    const struct shape *x = infer_input(c, 0), *s;
    int64_t n = DIM_UNKNOWN;
    if (first == 2 && !infer_merge(c, x, infer_input(c, 1), &x, st))
        return false;
    if (rank && !infer_want_rank_min(c, x, 1, &x, st))
        return false;
    n = rank ? infer_dim(x, -1) : n;
    for (int i = first; i < first + 2; i++) {
        if (!infer_want_rank(c, infer_input(c, i), rank, &s, st) ||
            (rank && !infer_merge_dim(n, infer_dim(s, 0), &n, st)))
            return false;
    }
    infer_set(c, 0, x);
    for (int i = 1; i < infer_num_outputs(c); i++)
        infer_set(c, i, rank ? infer_vector(c, n) : infer_scalar(c));
    return true;
}

static bool vars_shape(struct infer_ctx *c, struct status *st)
{
    return infer_limits(c, 1, 0, st);
}

static bool channels_shape(struct infer_ctx *c, struct status *st)
{
    return infer_limits(c, 1, 1, st);
}

static bool vars_back_shape(struct infer_ctx *c, struct status *st)
{
    return infer_limits(c, 2, 0, st);
}

static bool channels_back_shape(struct infer_ctx *c, struct status *st)
{
    return infer_limits(c, 2, 1, st);
}

static bool args_grad(struct grad_ctx *g, struct status *st)
{
    const struct attrs *a = grad_attrs(g);
    struct output in[] = {grad_dy(g, 0), grad_in(g, 0)};
    grad_set(g, 0,
             grad_opv(g, "FakeQuantWithMinMaxArgsGradient", 2, in, 4,
                      (struct attr[]){
                          {(char *)"min", attr_float(attrs_float(a, "min"))},
                          {(char *)"max", attr_float(attrs_float(a, "max"))},
                          {(char *)"num_bits", attr_int(attrs_int(a, "num_bits"))},
                          {(char *)"narrow_range", attr_bool(attrs_bool(a, "narrow_range"))},
                      }));
    return grad_done(g, st);
}

static bool limits_grad(struct grad_ctx *g, const char *op, struct status *st)
{
    const struct attrs *a = grad_attrs(g);
    struct output in[] = {grad_dy(g, 0), grad_in(g, 0), grad_in(g, 1), grad_in(g, 2)};
    struct node *n =
        grad_nodev(g, op, 4, in, 2,
                   (struct attr[]){
                       {(char *)"num_bits", attr_int(attrs_int(a, "num_bits"))},
                       {(char *)"narrow_range", attr_bool(attrs_bool(a, "narrow_range"))},
                   });
    for (int i = 0; i < 3; i++)
        grad_set(g, i, grad_node_out(g, n, i));
    return grad_done(g, st);
}

static bool vars_grad(struct grad_ctx *g, struct status *st)
{
    return limits_grad(g, "FakeQuantWithMinMaxVarsGradient", st);
}

static bool channels_grad(struct grad_ctx *g, struct status *st)
{
    return limits_grad(g, "FakeQuantWithMinMaxVarsPerChannelGradient", st);
}

#define BITS "num_bits: int = 8", "narrow_range: bool = false"
#define KERNEL(id, op_name, init_fn, run_fn)                                                       \
    KERNEL_DEF(id) = {.op = op_name,                                                               \
                      .device = "CPU",                                                             \
                      .state_bytes = sizeof(struct quant),                                         \
                      .init = init_fn,                                                             \
                      .run = run_fn}

OP_DEF(fake_quant_args) = {
    .name = "FakeQuantWithMinMaxArgs",
    .summary = "Values rounded as few bits between two numbers would.",
    .inputs = {"inputs: float"},
    .outputs = {"outputs: float"},
    .attrs = {"min: float = -6", "max: float = 6", BITS},
    .shape = infer_unchanged,
    .grad = args_grad,
};
KERNEL(fake_quant_args_cpu, "FakeQuantWithMinMaxArgs", args_init, args_run);

OP_DEF(fake_quant_args_gradient) = {
    .name = "FakeQuantWithMinMaxArgsGradient",
    .summary = "The gradient of FakeQuantWithMinMaxArgs.",
    .inputs = {"gradients: float", "inputs: float"},
    .outputs = {"backprops: float"},
    .attrs = {"min: float = -6", "max: float = 6", BITS},
    .shape = infer_unchanged,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(fake_quant_args_gradient_cpu, "FakeQuantWithMinMaxArgsGradient", args_init, args_back_run);

#define LIMITS(id, op_name, text, shape_fn, back_shape_fn, grad_fn, run_fn, back_fn)               \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"inputs: float", "min: float", "max: float"},                                   \
        .outputs = {"outputs: float"},                                                             \
        .attrs = {BITS},                                                                           \
        .shape = shape_fn,                                                                         \
        .grad = grad_fn,                                                                           \
    };                                                                                             \
    KERNEL(id##_cpu, op_name, quant_init, run_fn);                                                 \
    OP_DEF(id##_gradient) = {                                                                      \
        .name = op_name "Gradient",                                                                \
        .summary = "The gradient of " op_name ".",                                                 \
        .inputs = {"gradients: float", "inputs: float", "min: float", "max: float"},               \
        .outputs = {"backprops_wrt_input: float", "backprop_wrt_min: float",                       \
                    "backprop_wrt_max: float"},                                                    \
        .attrs = {BITS},                                                                           \
        .shape = back_shape_fn,                                                                    \
        .no_grad = "undefined: TensorFlow registers none",                                         \
    };                                                                                             \
    KERNEL(id##_gradient_cpu, op_name "Gradient", quant_init, back_fn)
LIMITS(fake_quant_vars, "FakeQuantWithMinMaxVars",
       "Values rounded as few bits between two variables would.", vars_shape, vars_back_shape,
       vars_grad, vars_run, vars_back_run);
LIMITS(fake_quant_channels, "FakeQuantWithMinMaxVarsPerChannel",
       "Values rounded as few bits would, each channel between variables of its own.",
       channels_shape, channels_back_shape, channels_grad, channels_run, channels_back_run);
