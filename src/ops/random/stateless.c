/* SPDX-License-Identifier: Apache-2.0 */
/* Random tensors from a seed that is an input: the same seed, the same numbers, at any time. */
#include "math/rng.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/random/multinomial.h"

/* The generator of the seed in input i. */
static bool seed_in(const struct kctx *c, int i, struct math_philox *g, struct status *st)
{
    const struct tensor *seed = kernel_in(c, i);
    if (tensor_rank(seed) != 1 || seed->num_elems != 2)
        return status_invalid(st, "seed must have shape [2], not rank %d with %lld elements",
                              tensor_rank(seed), (long long)seed->num_elems);
    math_philox_init_stateless(g, (uint64_t)tensor_index(seed, 0), (uint64_t)tensor_index(seed, 1));
    return true;
}

static struct tensor *shaped_out(struct kctx *c, struct status *st)
{
    struct shape shape = {0};
    if (!kernel_want_vector(c, 0, st) || !kernel_shape_from(kernel_in(c, 0), &shape, st))
        return NULL;
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out;
}

static bool fill(struct kctx *c, enum math_dist dist, struct status *st)
{
    struct math_philox g;
    struct tensor *out = seed_in(c, 1, &g, st) ? shaped_out(c, st) : NULL;
    if (out && out->num_elems > 0)
        math_random_fill(kernel_pool(c), &g, dist, out->dtype, out->data, out->num_elems);
    return out != NULL;
}

static bool uniform_run(struct kctx *c, struct status *st)
{
    return fill(c, MATH_DIST_UNIFORM, st);
}

static bool normal_run(struct kctx *c, struct status *st)
{
    return fill(c, MATH_DIST_NORMAL, st);
}

static bool truncated_run(struct kctx *c, struct status *st)
{
    return fill(c, MATH_DIST_TRUNCATED_NORMAL, st);
}

static bool int_run(struct kctx *c, struct status *st)
{
    struct math_philox g;
    if (!seed_in(c, 1, &g, st))
        return false;
    for (int i = 2; i < 4; i++)
        if (tensor_rank(kernel_in(c, i)) != 0)
            return status_invalid(st, "%s must be 0-D, got rank %d", i == 2 ? "minval" : "maxval",
                                  tensor_rank(kernel_in(c, i)));
    struct math_int_range range = {tensor_index(kernel_in(c, 2), 0),
                                   tensor_index(kernel_in(c, 3), 0)};
    struct tensor *out = shaped_out(c, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (range.lo >= range.hi)
        return status_invalid(st, "Need minval < maxval, got %lld >= %lld", (long long)range.lo,
                              (long long)range.hi);
    math_random_fill_int(kernel_pool(c), &g, range, out->dtype, out->data, out->num_elems);
    return true;
}

static bool multinomial_run(struct kctx *c, struct status *st)
{
    struct math_philox g;
    return seed_in(c, 2, &g, st) && multinomial_draw(c, &g, st);
}

/* --- shapes --- */

static bool want_seed(struct infer_ctx *c, int i, struct status *st)
{
    const struct shape *seed;
    int64_t n;
    return infer_want_rank(c, infer_input(c, i), 1, &seed, st) &&
           infer_want_dim(c, infer_dim(seed, 0), 2, &n, st);
}

static bool stateless_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    for (int i = 2; i < infer_num_inputs(c); i++)
        if (!infer_want_rank(c, infer_input(c, i), 0, &s, st))
            return false;
    if (!want_seed(c, 1, st) || !infer_const_shape(c, 0, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool stateless_multinomial_shape(struct infer_ctx *c, struct status *st)
{
    return want_seed(c, 2, st) && multinomial_shape(c, st);
}

#define STATELESS(id, op_name, text, run_fn)                                                       \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"shape: T", "seed: Tseed"},                                           \
                  .outputs = {"output: dtype"},                                                    \
                  .attrs = {"dtype: {half, bfloat16, float, double} = DT_FLOAT",                   \
                            "T: {int32, int64} = DT_INT32", "Tseed: {int32, int64} = DT_INT64"},   \
                  .shape = stateless_shape,                                                        \
                  .no_grad = "its inputs are integers"};                                           \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = run_fn}
STATELESS(stateless_random_uniform, "StatelessRandomUniform",
          "Numbers uniform in [0, 1), decided by the seed.", uniform_run);
STATELESS(stateless_random_normal, "StatelessRandomNormal",
          "Numbers of the normal distribution, decided by the seed.", normal_run);
STATELESS(stateless_truncated_normal, "StatelessTruncatedNormal",
          "Normal numbers within two deviations of 0, decided by the seed.", truncated_run);

OP_DEF(stateless_random_uniform_int) = {
    .name = "StatelessRandomUniformInt",
    .summary = "Integers uniform in [minval, maxval), decided by the seed.",
    .inputs = {"shape: T", "seed: Tseed", "minval: dtype", "maxval: dtype"},
    .outputs = {"output: dtype"},
    .attrs = {"dtype: {int32, int64}", "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"},
    .shape = stateless_shape,
    .no_grad = "its inputs are integers",
};
KERNEL_DEF(stateless_random_uniform_int_cpu) = {
    .op = "StatelessRandomUniformInt", .device = "CPU", .run = int_run};

OP_DEF(stateless_multinomial) = {
    .name = "StatelessMultinomial",
    .summary = "Classes drawn by each row's logits, decided by the seed.",
    .inputs = {"logits: T", "num_samples: int32", "seed: Tseed"},
    .outputs = {"output: output_dtype"},
    .attrs = {"T: realnumbertype", "Tseed: {int32, int64} = DT_INT64",
              "output_dtype: {int32, int64} = DT_INT64"},
    .shape = stateless_multinomial_shape,
    .no_grad = "a draw has no gradient",
    .no_kernel = "TensorFlow has kernels for half, float and double alone",
};
KERNEL_DEF(stateless_multinomial_cpu) = {.op = "StatelessMultinomial",
                                         .device = "CPU",
                                         .types = {"T: {half, float, double}"},
                                         .run = multinomial_run};
