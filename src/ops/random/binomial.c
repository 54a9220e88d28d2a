/* SPDX-License-Identifier: Apache-2.0 */
/* StatefulRandomBinomial: how many of so many trials succeed. Few expected successes are counted by
 * the geometric gaps between them; else W. Hoermann, "The generation of binomial random variates",
 * 1993 (BTRS). Probabilities above a half count failures. */
#include "ops/random/kept.h"
#include "ops/random/numbers.h"

enum { MOST_TRIES = 100, BLOCKS_PER_OUTPUT = 256, SHAPE = 2, COUNTS = 3, PROBS = 4 };
static const double FEW = 10;

static double by_gaps(double count, double prob, struct math_philox *g)
{
    struct uniforms us = {.left = 0};
    double sum = 0, n = 0;
    for (;; n++) {
        sum += ceil(log(uniforms_next(&us, g)) / log1p(-prob));
        if (!(sum <= count))
            return n;
    }
}

/* What Stirling's formula leaves of log k!. */
static double stirling_rest(double k)
{
    static const double small[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                   0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                   0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                   0.00833056343336287};
    if (k <= 9)
        return small[k > 0 ? (int)k : 0];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

static double by_rejection(double count, double prob, struct math_philox *g)
{
    struct uniforms us = {.left = 0};
    const double dev = sqrt(count * prob * (1 - prob));
    const double b = 1.15 + 2.53 * dev, a = -0.0873 + 0.0248 * b + 0.01 * prob;
    const double middle = count * prob + 0.5, tight = 0.92 - 4.2 / b;
    const double odds = prob / (1 - prob), alpha = (2.83 + 5.1 / b) * dev;
    const double mode = floor((count + 1) * prob);
    for (;;) {
        const double u = uniforms_next(&us, g) - 0.5;
        double v = uniforms_next(&us, g);
        const double near = 0.5 - fabs(u), k = floor((2 * a / near + b) * u + middle);
        if (near >= 0.07 && v <= tight)
            return k;
        if (k < 0 || k > count)
            continue;
        v = log(v * alpha / (a / (near * near) + b));
        const double most = (mode + 0.5) * log((mode + 1) / (odds * (count - mode + 1))) +
                            (count + 1) * log((count - mode + 1) / (count - k + 1)) +
                            (k + 0.5) * log(odds * (count - k + 1) / (k + 1)) +
                            stirling_rest(mode) + stirling_rest(count - mode) - stirling_rest(k) -
                            stirling_rest(count - k);
        if (v <= most)
            return k;
    }
}

static double number(double count, double prob, struct math_philox *g)
{
    if (count <= 0 || prob <= 0)
        return 0;
    if (prob >= 1)
        return count;
    if (isnan(count) || isnan(prob))
        return NAN;
    const bool often = prob > 0.5;
    const double p = often ? 1 - prob : prob;
    const double n = count * p >= FEW ? by_rejection(count, p, g) : by_gaps(count, p, g);
    return often ? count - n : n;
}

static bool binomial_run(struct kctx *c, struct status *st)
{
    static const char *const names[] = {"counts", "probs"};
    struct batches all = {.num = 0};
    struct math_philox g;
    if (!kept_check_algorithm(c, 1, st) || !batches_begin(c, SHAPE, names, 2, &all, st))
        return false;
    const uint64_t blocks = (uint64_t)batches_blocks(&all, MOST_TRIES) * BLOCKS_PER_OUTPUT;
    if (!kept_take(c, &g, blocks, st))
        return false;
    const int64_t n = all.out->num_elems;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = i / all.each;
        number_put(all.out, i,
                   number(number_at(kernel_in(c, COUNTS), batches_param(c, COUNTS, k)),
                          number_at(kernel_in(c, PROBS), batches_param(c, PROBS, k)), &g));
    }
    return true;
}

static bool binomial_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, 1), 0, &s, st) && batches_shape(c, SHAPE, st);
}

OP_DEF(stateful_random_binomial) = {
    .name = "StatefulRandomBinomial",
    .summary = "Numbers of binomial distributions from a kept generator.",
    .inputs = {"resource: resource", "algorithm: int64", "shape: S", "counts: T", "probs: T"},
    .outputs = {"output: dtype"},
    .attrs = {"S: {int32, int64}", "T: {half, float, double, int32, int64} = DT_DOUBLE",
              "dtype: {half, float, double, int32, int64} = DT_INT64"},
    .flags = OP_STATEFUL,
    .shape = binomial_shape,
    .no_grad = "undefined: the numbers are whole",
};
KERNEL_DEF(stateful_random_binomial_cpu) = {
    .op = "StatefulRandomBinomial", .device = "CPU", .run = binomial_run};
