/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of random numbers: uniform, normal, truncated normal, uniform integers. The streams are
 * TensorFlow's: a seed gives the same numbers. */
#include "op/infer.h"
#include "ops/random/seeds.h"

enum { BLOCKS_PER_OUTPUT = 256 }; /* what TensorFlow sets aside for one number */

bool seeds_only_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    seeds_init(state, k);
    return true;
}

void seeds_only_release(void *state)
{
    struct seeds *s = state;
    if (s->lock.name) /* init ran */
        lock_release_memory(&s->lock);
}

static bool random_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, 0, &s, st))
        return false;
    infer_set(c, 0, s);
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
    struct tensor *out = shaped_out(c, st);
    if (!out)
        return false;
    struct math_philox g = seeds_reserve(kernel_state(c), out->num_elems, BLOCKS_PER_OUTPUT);
    if (out->num_elems > 0)
        math_random_fill(kernel_pool(c), &g, dist, out->dtype, out->data, out->num_elems);
    return true;
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

#define RANDOM(id, op_name, text, run_fn)                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"shape: T"},                                                                    \
        .outputs = {"output: dtype"},                                                              \
        .attrs = {"seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}",     \
                  "T: {int32, int64}"},                                                            \
        .flags = OP_STATEFUL,                                                                      \
        .shape = random_shape,                                                                     \
        .no_grad = "its only input is a shape",                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct seeds),                                   \
                            .init = seeds_only_init,                                               \
                            .release = seeds_only_release,                                         \
                            .run = run_fn}
RANDOM(random_uniform, "RandomUniform", "Numbers uniform in [0, 1).", uniform_run);
RANDOM(random_standard_normal, "RandomStandardNormal",
       "Numbers of the normal distribution with mean 0 and deviation 1.", normal_run);
RANDOM(truncated_normal, "TruncatedNormal",
       "Normal numbers, redrawn where they are more than two deviations from 0.", truncated_run);

/* --- integers --- */

static bool int_run(struct kctx *c, struct status *st)
{
    if (tensor_rank(kernel_in(c, 1)) != 0)
        return status_invalid(st, "minval must be 0-D, got rank %d", tensor_rank(kernel_in(c, 1)));
    if (tensor_rank(kernel_in(c, 2)) != 0)
        return status_invalid(st, "maxval must be 0-D, got rank %d", tensor_rank(kernel_in(c, 2)));
    struct tensor *out = shaped_out(c, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    struct math_int_range range = {tensor_index(kernel_in(c, 1), 0),
                                   tensor_index(kernel_in(c, 2), 0)};
    if (range.lo >= range.hi)
        return status_invalid(st, "Need minval < maxval, got %lld >= %lld", (long long)range.lo,
                              (long long)range.hi);
    struct math_philox g = seeds_reserve(kernel_state(c), out->num_elems, BLOCKS_PER_OUTPUT);
    math_random_fill_int(kernel_pool(c), &g, range, out->dtype, out->data, out->num_elems);
    return true;
}

static bool int_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, 1), 0, &s, st) &&
           infer_want_rank(c, infer_input(c, 2), 0, &s, st) && random_shape(c, st);
}

OP_DEF(random_uniform_int) = {
    .name = "RandomUniformInt",
    .summary = "Integers uniform between a least one and the one behind the greatest.",
    .inputs = {"shape: T", "minval: Tout", "maxval: Tout"},
    .outputs = {"output: Tout"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}"},
    .flags = OP_STATEFUL,
    .shape = int_shape,
    .no_grad = "undefined: integers have none",
};
KERNEL_DEF(random_uniform_int_cpu) = {.op = "RandomUniformInt",
                                      .device = "CPU",
                                      .state_bytes = sizeof(struct seeds),
                                      .init = seeds_only_init,
                                      .release = seeds_only_release,
                                      .run = int_run};
