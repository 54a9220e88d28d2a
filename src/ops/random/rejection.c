/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the gamma and Poisson distributions, by rejection: each output has a piece of the
 * stream for itself, so that outputs may be computed in any order.
 *
 * Gamma: G. Marsaglia and W. Tsang, "A simple method for generating gamma variables", 2000.
 * Poisson: for small rates products of uniform numbers (D. Knuth); else W. Hoermann, "The
 * transformed rejection method for generating Poisson random variables", 1993. */
#include <math.h>

#include "op/grad.h"
#include "op/infer.h"
#include "ops/random/numbers.h"
#include "ops/random/seeds.h"

enum { BLOCKS_PER_OUTPUT = 256 };

/* --- one number --- */

static double gamma_number(double alpha, struct math_philox *g)
{
    struct uniforms us = {.left = 0};
    if (alpha == 1)
        return -log1p(-uniforms_next(&us, g));
    if (!(alpha > 0) || isinf(alpha))
        return alpha == 0 ? 0 : isinf(alpha) && alpha > 0 ? INFINITY : NAN;
    const bool small = alpha < 1;
    const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3), c = 1.0 / 3 / sqrt(d);
    double normals[2];
    for (int left = 0;;) {
        if (left == 0) {
            math_philox_normals(g, normals);
            left = 2;
        }
        const double x = normals[--left];
        double v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        const double u = uniforms_next(&us, g);
        /* The first test spares the logarithms most of the time. */
        if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + d * (1 - v + log(v)))
            return small ? d * v * pow(uniforms_next(&us, g), 1 / alpha) : d * v;
    }
}

static double poisson_small(double rate, double most, struct math_philox *g)
{
    struct uniforms us = {.left = 0};
    const double end = exp(-rate);
    double product = 1, x = 0;
    for (;; x++) {
        product *= uniforms_next(&us, g);
        if (product <= end && x <= most)
            return x;
    }
}

static double poisson_large(double rate, double most, struct math_philox *g)
{
    struct uniforms us = {.left = 0};
    const double log_rate = log(rate), b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    for (;;) {
        const double u = uniforms_next(&us, g) - 0.5, v = uniforms_next(&us, g);
        const double near = 0.5 - fabs(u);
        const double k = floor((2 * a / near + b) * u + rate + 0.43);
        if (k > most)
            continue;
        if (near >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
            return k;
        if (k < 0 || (near < 0.013 && v > near))
            continue;
        const double s = log(v * inverse_alpha / (a / (near * near) + b));
        if (s <= -rate + k * log_rate - lgamma_r(k + 1, &(int){0}))
            return k;
    }
}

/* The greatest number of the type. */
static double most_of(int dtype)
{
    switch (dtype) {
    case DT_HALF:
        return 65504;
    case DT_FLOAT:
        return (double)__FLT_MAX__;
    case DT_INT32:
        return INT32_MAX;
    case DT_INT64:
        return (double)INT64_MAX;
    default:
        return __DBL_MAX__;
    }
}

static double poisson_number(double rate, int dtype, struct math_philox *g)
{
    const double most = most_of(dtype);
    if (!isfinite(rate) || rate < 0)
        return NAN;
    /* A rate far above the type's greatest number has no number to give. */
    if (rate > 2 * most)
        return most;
    return rate < 10 ? poisson_small(rate, most, g) : poisson_large(rate, most, g);
}

/* --- a tensor of them --- */

struct draw {
    struct tensor *out;
    const struct tensor *params;
    int64_t num; /* numbers for each parameter */
    struct math_philox g;
    bool gamma;
};

/* Numbers [begin, end), counted parameter by parameter, which lie across the output. */
static void draw_some(void *arg, int64_t begin, int64_t end)
{
    const struct draw *d = arg;
    for (int64_t i = begin; i < end; i++) {
        const int64_t param = i / d->num, sample = i % d->num;
        struct math_philox g = d->g;
        math_philox_skip(&g, (uint64_t)i * BLOCKS_PER_OUTPUT);
        const double x = number_at(d->params, param);
        const double y = d->gamma ? gamma_number(x, &g) : poisson_number(x, d->out->dtype, &g);
        number_put(d->out, sample * d->params->num_elems + param, y);
    }
}

static struct tensor *joined_out(struct kctx *c, struct status *st)
{
    struct shape first = {0};
    const struct tensor *params = kernel_in(c, 1);
    if (!kernel_want_vector(c, 0, st) || !kernel_shape_from(kernel_in(c, 0), &first, st))
        return NULL;
    int64_t dims[2 * SHAPE_MAX_RANK];
    const int rank = first.rank + tensor_rank(params);
    memcpy(dims, shape_dims(&first), (size_t)first.rank * sizeof *dims);
    memcpy(dims + first.rank, shape_dims(&params->shape),
           (size_t)tensor_rank(params) * sizeof *dims);
    shape_clear(&first);
    if (rank > SHAPE_MAX_RANK) {
        status_invalid(st, "%s: the output would have %d dimensions", c->kernel->op->name, rank);
        return NULL;
    }
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out;
}

static bool run(struct kctx *c, bool gamma, struct status *st)
{
    struct tensor *out = joined_out(c, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    struct draw d = {.out = out, .params = kernel_in(c, 1), .gamma = gamma};
    d.num = out->num_elems / d.params->num_elems;
    d.g = seeds_reserve(kernel_state(c), out->num_elems, BLOCKS_PER_OUTPUT);
    kernel_loop(c, out->num_elems, 100, draw_some, &d);
    return true;
}

static bool gamma_run(struct kctx *c, struct status *st)
{
    return run(c, true, st);
}

static bool poisson_run(struct kctx *c, struct status *st)
{
    return run(c, false, st);
}

static bool joined_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, 0, &s, st))
        return false;
    infer_set(c, 0, infer_concat(c, s, infer_input(c, 1)));
    return true;
}

/* By alpha: dx/dalpha of each number, summed over the numbers of an alpha. */
static bool gamma_grad(struct grad_ctx *g, struct status *st)
{
    struct output alpha = grad_in(g, 1), zero = grad_const_i32(g, 0), one = grad_const_i32(g, 1);
    struct output count = grad_shape(g, grad_in(g, 0)); /* [dimensions in front of alpha's] */
    struct output ones = grad_op2(g, "Fill", count, one);
    struct output dims[] = {ones, grad_shape(g, alpha), zero};
    struct grad_build join = {
        .op = "concat=ConcatV2", .inputs = dims, .num_inputs = 3, .list_sizes = (int[]){2, 1}};
    struct output spread = grad_reshape(g, alpha, grad_node_out(g, grad_node(g, &join), 0));
    struct output dx = grad_op2(g, "RandomGammaGrad", spread, grad_out(g, 0));
    struct output num = grad_reshape(g, count, grad_const_i32s(g, (int32_t[]){0}, 0));
    struct output axes = grad_op3(g, "range=Range", zero, num, one);
    grad_set(g, 1, grad_op2(g, "Sum", grad_mul(g, grad_dy(g, 0), dx), axes));
    return grad_done(g, st);
}

OP_DEF(random_gamma) = {
    .name = "RandomGamma",
    .summary = "Numbers of gamma distributions, `shape` of them for each alpha.",
    .inputs = {"shape: S", "alpha: T"},
    .outputs = {"output: T"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}", "T: {half, float, double}"},
    .flags = OP_STATEFUL,
    .shape = joined_shape,
    .grad = gamma_grad,
};
KERNEL_DEF(random_gamma_cpu) = {.op = "RandomGamma",
                                .device = "CPU",
                                .state_bytes = sizeof(struct seeds),
                                .init = seeds_only_init,
                                .release = seeds_only_release,
                                .run = gamma_run};

OP_DEF(random_poisson_v2) = {
    .name = "RandomPoissonV2",
    .summary = "Numbers of Poisson distributions, `shape` of them for each rate.",
    .inputs = {"shape: S", "rate: R"},
    .outputs = {"output: dtype"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}",
              "R: {half, float, double, int32, int64} = DT_DOUBLE",
              "dtype: {half, float, double, int32, int64} = DT_INT64"},
    .flags = OP_STATEFUL,
    .shape = joined_shape,
    .no_grad = "undefined: the numbers are whole",
};
KERNEL_DEF(random_poisson_v2_cpu) = {.op = "RandomPoissonV2",
                                     .device = "CPU",
                                     .state_bytes = sizeof(struct seeds),
                                     .init = seeds_only_init,
                                     .release = seeds_only_release,
                                     .run = poisson_run};

OP_DEF(random_poisson) = {
    .name = "RandomPoisson",
    .summary = "The former RandomPoissonV2.",
    .inputs = {"shape: S", "rate: dtype"},
    .outputs = {"output: dtype"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}",
              "dtype: {half, float, double}"},
    .flags = OP_STATEFUL,
    .deprecated_at = 25,
    .deprecated_why = "Replaced by RandomPoissonV2",
    .shape = joined_shape,
    .no_grad = "undefined: the numbers are whole",
};
KERNEL_DEF(random_poisson_cpu) = {.op = "RandomPoisson",
                                  .device = "CPU",
                                  .state_bytes = sizeof(struct seeds),
                                  .init = seeds_only_init,
                                  .release = seeds_only_release,
                                  .run = poisson_run};
