/* SPDX-License-Identifier: Apache-2.0 */
/* Random tensors from a generator that stands in a resource variable: a vector of int64 whose first
 * two numbers are the counter of Philox and whose third is its key. A draw moves the counter on, by
 * as much as TensorFlow does, under the variable's lock; the numbers are TensorFlow's. */
#include "ops/random/kept.h"

#include "op/infer.h"

enum {
    ALGORITHM_PHILOX = 1,
    STATE_WORDS = 3,
    BLOCKS_PER_OUTPUT = 256, /* what TensorFlow sets aside for one number */
};

static uint64_t add_carrying(uint64_t *low, uint64_t blocks)
{
    *low += blocks;
    return *low < blocks;
}

/* The generator as it is, or NULL's place; the variable is left `blocks` further on. */
static bool take_from(const struct tensor *t, struct math_philox *g, uint64_t blocks,
                      struct status *st)
{
    if (t->dtype != DT_INT64)
        return status_invalid(st, "dtype of RNG state variable must be int64, not %s",
                              dtype_name(t->dtype));
    if (tensor_rank(t) != 1)
        return status_invalid(st, "RNG state must have one and only one dimension, not %d",
                              tensor_rank(t));
    if (t->num_elems < STATE_WORDS)
        return status_invalid(
            st, "For the Philox algorithm, the size of state must be at least 3; got %lld",
            (long long)t->num_elems);
    uint64_t *state = t->data;
    for (int i = 0; i < 4; i++)
        g->counter[i] = (uint32_t)(state[i / 2] >> 32 * (i % 2));
    for (int i = 0; i < 2; i++)
        g->key[i] = (uint32_t)(state[2] >> 32 * i);
    state[1] += add_carrying(&state[0], blocks);
    return true;
}

bool kept_check_algorithm(const struct kctx *c, int i, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (tensor_rank(t) != 0)
        return status_invalid(st, "algorithm must be of shape [], not of rank %d", tensor_rank(t));
    return tensor_index(t, 0) == ALGORITHM_PHILOX ||
           status_invalid(st, "Unsupported algorithm id: %lld", (long long)tensor_index(t, 0));
}

bool kept_take(struct kctx *c, struct math_philox *g, uint64_t blocks, struct status *st)
{
    struct variable *v = (struct variable *)resource_from_input(c, 0, &variable_type, st);
    struct tensor *t;
    bool ok = v && variable_write_begin(v, false, &t, st);
    if (ok) {
        ok = take_from(t, g, blocks, st);
        variable_write_end(v);
    }
    variable_unref(v);
    return ok;
}

/* Output 0, of the shape in input i. */
static struct tensor *shaped_out(struct kctx *c, int i, struct status *st)
{
    struct shape shape = {0};
    if (!kernel_want_vector(c, i, st) || !kernel_shape_from(kernel_in(c, i), &shape, st))
        return NULL;
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out;
}

/* Output 0 and a generator for it. shape: the input that has it, behind the algorithm if it is 2 */
static struct tensor *begin(struct kctx *c, int shape, struct math_philox *g, int64_t blocks_per,
                            struct status *st)
{
    struct tensor *out =
        shape == 2 && !kept_check_algorithm(c, 1, st) ? NULL : shaped_out(c, shape, st);
    if (!out)
        return NULL;
    const uint64_t n = (uint64_t)out->num_elems;
    const uint64_t blocks =
        blocks_per > 0 ? n * (uint64_t)blocks_per : (n * dtype_size(out->dtype) + 15) / 16;
    return kept_take(c, g, blocks, st) ? out : NULL;
}

static bool fill(struct kctx *c, int shape, enum math_dist dist, struct status *st)
{
    struct math_philox g;
    struct tensor *out = begin(c, shape, &g, BLOCKS_PER_OUTPUT, st);
    if (out && out->num_elems > 0)
        math_random_fill(kernel_pool(c), &g, dist, out->dtype, out->data, out->num_elems);
    return out != NULL;
}

static bool uniform_run(struct kctx *c, struct status *st)
{
    return fill(c, 2, MATH_DIST_UNIFORM, st);
}

static bool normal_run(struct kctx *c, struct status *st)
{
    return fill(c, 2, MATH_DIST_NORMAL, st);
}

static bool old_normal_run(struct kctx *c, struct status *st)
{
    return fill(c, 1, MATH_DIST_NORMAL, st);
}

static bool truncated_run(struct kctx *c, struct status *st)
{
    return fill(c, 2, MATH_DIST_TRUNCATED_NORMAL, st);
}

/* Words as they come; range > 0: modulo it, from `low` up. */
static void fill_words(struct math_philox_stream *s, struct tensor *out, uint64_t low,
                       uint64_t range)
{
    const bool wide = dtype_size(out->dtype) == 8;
    for (int64_t i = 0; i < out->num_elems; i++) {
        uint64_t word = wide ? math_philox_u64(s) : math_philox_u32(s);
        word = range ? low + word % range : word;
        if (wide)
            ((uint64_t *)out->data)[i] = word;
        else
            ((uint32_t *)out->data)[i] = (uint32_t)word;
    }
}

static bool full_run(struct kctx *c, struct status *st)
{
    struct math_philox g;
    struct math_philox_stream s;
    struct tensor *out = begin(c, 2, &g, BLOCKS_PER_OUTPUT, st);
    if (!out)
        return false;
    math_philox_stream_init(&s, &g);
    fill_words(&s, out, 0, 0);
    return true;
}

static uint64_t unsigned_at(const struct tensor *t)
{
    return t->dtype == DT_UINT64 ? *(const uint64_t *)t->data : *(const uint32_t *)t->data;
}

static bool unsigned_run(struct kctx *c, struct status *st)
{
    const uint64_t low = unsigned_at(kernel_in(c, 3)), high = unsigned_at(kernel_in(c, 4));
    struct math_philox g;
    struct math_philox_stream s;
    if (low >= high)
        return status_invalid(st, "Need minval < maxval, got %llu >= %llu", (unsigned long long)low,
                              (unsigned long long)high);
    struct tensor *out = begin(c, 2, &g, 0, st);
    if (!out)
        return false;
    math_philox_stream_init(&s, &g);
    fill_words(&s, out, low, high - low);
    return true;
}

static bool int_run(struct kctx *c, struct status *st)
{
    struct math_philox g;
    for (int i = 3; i < 5; i++)
        if (tensor_rank(kernel_in(c, i)) != 0)
            return status_invalid(st, "%s must be 0-D, got rank %d", i == 3 ? "minval" : "maxval",
                                  tensor_rank(kernel_in(c, i)));
    const int type = kernel_output_type(c, 0);
    if (type == DT_UINT32 || type == DT_UINT64)
        return unsigned_run(c, st);
    struct math_int_range range = {tensor_index(kernel_in(c, 3), 0),
                                   tensor_index(kernel_in(c, 4), 0)};
    if (range.lo >= range.hi)
        return status_invalid(st, "Need minval < maxval, got %lld >= %lld", (long long)range.lo,
                              (long long)range.hi);
    struct tensor *out = begin(c, 2, &g, BLOCKS_PER_OUTPUT, st);
    if (out && out->num_elems > 0)
        math_random_fill_int(kernel_pool(c), &g, range, out->dtype, out->data, out->num_elems);
    return out != NULL;
}

static bool skip_run(struct kctx *c, struct status *st)
{
    struct math_philox g;
    return kept_check_algorithm(c, 1, st) && kernel_want_scalar(c, 2, st) &&
           kept_take(c, &g, (uint64_t)tensor_index(kernel_in(c, 2), 0) * BLOCKS_PER_OUTPUT, st);
}

static bool nondeterministic_run(struct kctx *c, struct status *st)
{
    struct math_philox g;
    struct math_philox_stream s;
    struct tensor *out = shaped_out(c, 0, st);
    if (!out)
        return false;
    math_philox_init(&g, math_random_seed(), math_random_seed());
    math_philox_stream_init(&s, &g);
    fill_words(&s, out, 0, 0);
    return true;
}

/* --- shapes: scalars around the shape in input 1 or 2 --- */

static bool shape_from(struct infer_ctx *c, int shape, struct status *st)
{
    const struct shape *s;
    if (shape == 2 && !infer_want_rank(c, infer_input(c, 1), 0, &s, st))
        return false;
    if (!infer_const_shape(c, shape, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool stateful_shape(struct infer_ctx *c, struct status *st)
{
    return shape_from(c, 2, st);
}

static bool old_shape(struct infer_ctx *c, struct status *st)
{
    return shape_from(c, 1, st);
}

static bool skip_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, 1), 0, &s, st) &&
           infer_want_rank(c, infer_input(c, 2), 0, &s, st);
}

static bool nondeterministic_shape(struct infer_ctx *c, struct status *st)
{
    return shape_from(c, 0, st);
}

#define FLOATS "dtype: {half, bfloat16, float, double}", "shape_dtype: {int32, int64}"
#define WORDS "dtype: {int32, int64, uint32, uint64}", "shape_dtype: {int32, int64}"
#define STATEFUL(id, op_name, text, default_type, shape_fn, run_fn, kernel_types, ...)             \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .outputs = {"output: dtype"},                                                    \
                  .attrs = {"dtype: type = " default_type, "shape_dtype: type = DT_INT64"},        \
                  .flags = OP_STATEFUL,                                                            \
                  .shape = shape_fn,                                                               \
                  .no_kernel = "random numbers are of few types",                                  \
                  .no_grad = "undefined: TensorFlow has none",                                     \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .types = {kernel_types}, .run = run_fn}
#define SHAPED .inputs = {"resource: resource", "algorithm: int64", "shape: shape_dtype"}

STATEFUL(stateful_uniform, "StatefulUniform", "Numbers uniform in [0, 1) from a kept generator.",
         "DT_FLOAT", stateful_shape, uniform_run, FLOATS, SHAPED);
STATEFUL(stateful_standard_normal_v2, "StatefulStandardNormalV2",
         "Normal numbers from a kept generator.", "DT_FLOAT", stateful_shape, normal_run, FLOATS,
         SHAPED);
STATEFUL(stateful_standard_normal, "StatefulStandardNormal",
         "Normal numbers from a kept generator of Philox.", "DT_FLOAT", old_shape, old_normal_run,
         FLOATS, .inputs = {"resource: resource", "shape: shape_dtype"}, .deprecated_at = 29,
         .deprecated_why = "Use StatefulStandardNormalV2 instead");
STATEFUL(stateful_truncated_normal, "StatefulTruncatedNormal",
         "Normal numbers within two deviations of 0 from a kept generator.", "DT_FLOAT",
         stateful_shape, truncated_run, FLOATS, SHAPED);
STATEFUL(stateful_uniform_int, "StatefulUniformInt",
         "Integers uniform in [minval, maxval) from a kept generator.", "DT_INT64", stateful_shape,
         int_run, WORDS,
         .inputs = {"resource: resource", "algorithm: int64", "shape: shape_dtype", "minval: dtype",
                    "maxval: dtype"});
STATEFUL(stateful_uniform_full_int, "StatefulUniformFullInt",
         "Integers uniform over all their type has from a kept generator.", "DT_UINT64",
         stateful_shape, full_run, WORDS, SHAPED);
STATEFUL(non_deterministic_ints, "NonDeterministicInts", "Integers that nothing decides.",
         "DT_INT64", nondeterministic_shape, nondeterministic_run, WORDS,
         .inputs = {"shape: shape_dtype"});

OP_DEF(rng_skip) = {
    .name = "RngSkip",
    .summary = "Moves a kept generator on, by so many numbers.",
    .inputs = {"resource: resource", "algorithm: int64", "delta: int64"},
    .flags = OP_STATEFUL,
    .shape = skip_shape,
    .no_grad = "no outputs",
};
KERNEL_DEF(rng_skip_cpu) = {.op = "RngSkip", .device = "CPU", .run = skip_run};
