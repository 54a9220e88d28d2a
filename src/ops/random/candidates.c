/* SPDX-License-Identifier: Apache-2.0 */
/* Candidate sampling: classes drawn at random for a loss over few of very many classes, and how
 * often each class is expected among them. Seeded samplers draw what TensorFlow's draw, step after
 * step.
 *
 * Workload: some tens to thousands of samples a step. A sampler without repetition redraws what it
 * has; a table in scratch memory knows what that is. */
#include <float.h>
#include <math.h>

#include "op/infer.h"
#include "ops/random/seeds.h"
#include "ops/random/unigram.h"

enum {
    WORDS_PER_SAMPLE = 2048,   /* of 32 bits: what TensorFlow sets aside */
    TRIES_PER_CHECK = 1 << 16, /* redraws between looks at cancellation */
};

struct sampler {
    struct seeds seeds; /* first: seeds_only_release gets it */
    bool unique;
    int64_t num_true, num_sampled, range;
    double log_range;            /* log1p(range) */
    struct unigram_fixed fixed;  /* FixedUnigram */
    struct lock lock;            /* of counts */
    struct unigram_counts learn; /* LearnedUnigram, ThreadUnsafeUnigram; guarded by lock */
    int64_t (*draw)(const struct sampler *s, struct math_philox_stream *r);
    float (*probability)(const struct sampler *s, int64_t class_id);
};

/* --- the distributions --- */

static int64_t uniform_draw(const struct sampler *s, struct math_philox_stream *r)
{
    return (int64_t)math_philox_below64(r, (uint64_t)s->range);
}

static float uniform_probability(const struct sampler *s, int64_t class_id)
{
    (void)class_id;
    return 1.0f / (float)s->range;
}

/* Class k is about as likely as 1 / (k + 1): classes are sorted by falling frequency. */
static int64_t log_uniform_draw(const struct sampler *s, struct math_philox_stream *r)
{
    const int64_t x = (int64_t)exp(math_philox_double(r) * s->log_range) - 1;
    return x % s->range; /* rounding can reach range itself */
}

static float log_uniform_probability(const struct sampler *s, int64_t class_id)
{
    const double k = (double)class_id;
    return (float)(log((k + 2.0) / (k + 1.0)) / s->log_range);
}

static int64_t fixed_draw(const struct sampler *s, struct math_philox_stream *r)
{
    return unigram_fixed_draw(&s->fixed, r);
}

static float fixed_probability(const struct sampler *s, int64_t class_id)
{
    return unigram_fixed_probability(&s->fixed, class_id);
}

static int64_t learned_draw(const struct sampler *s, struct math_philox_stream *r)
{
    return unigram_counts_draw(&s->learn, r);
}

static float learned_probability(const struct sampler *s, int64_t class_id)
{
    return unigram_counts_probability(&s->learn, class_id);
}

/* --- making one --- */

static void common_init(struct sampler *s, const struct kernel *k)
{
    seeds_init(&s->seeds, k);
    lock_init(&s->lock, "class counts", LOCK_RANK_RESOURCE); /* held while numbers are drawn */
    s->unique = attrs_bool(k->attrs, "unique");
    s->num_true = attrs_int(k->attrs, "num_true");
    s->num_sampled = attrs_int(k->attrs, "num_sampled");
    s->range =
        attrs_find(k->attrs, "range_max") ? attrs_int(k->attrs, "range_max") : s->num_sampled;
}

static void sampler_release(void *state)
{
    struct sampler *s = state;
    unigram_fixed_release(&s->fixed);
    unigram_counts_release(&s->learn);
    if (s->lock.name)
        lock_release_memory(&s->lock);
    seeds_only_release(&s->seeds);
}

static bool uniform_init(struct kernel *k, void *state, struct status *st)
{
    struct sampler *s = state;
    (void)st;
    common_init(s, k);
    s->draw = uniform_draw;
    s->probability = uniform_probability;
    return true;
}

static bool log_uniform_init(struct kernel *k, void *state, struct status *st)
{
    struct sampler *s = state;
    (void)st;
    common_init(s, k);
    s->log_range = log1p((double)s->range);
    s->draw = log_uniform_draw;
    s->probability = log_uniform_probability;
    return true;
}

static bool fixed_init(struct kernel *k, void *state, struct status *st)
{
    struct sampler *s = state;
    common_init(s, k);
    s->draw = fixed_draw;
    s->probability = fixed_probability;
    return unigram_fixed_init(&s->fixed, k->attrs, st);
}

static bool learned_init(struct kernel *k, void *state, struct status *st)
{
    struct sampler *s = state;
    common_init(s, k);
    s->draw = learned_draw;
    s->probability = learned_probability;
    return unigram_counts_init(&s->learn, s->range, st);
}

/* --- sampling --- */

struct batch {
    struct kctx *c;
    const struct sampler *s;
    struct math_philox_stream random;
    int64_t *samples;
    int64_t tries;
    int64_t *table; /* of samples, -1: free; for unique ones */
    uint64_t mask;
};

static bool remember(struct batch *b, int64_t class_id)
{
    uint64_t at = (uint64_t)class_id * 0x9e3779b97f4a7c15u >> 20 & b->mask;
    for (; b->table[at] >= 0; at = (at + 1) & b->mask)
        if (b->table[at] == class_id)
            return false;
    b->table[at] = class_id;
    return true;
}

static bool table_init(struct batch *b, struct status *st)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)b->s->num_sampled)
        size *= 2;
    b->table = kernel_scratch(b->c, (int64_t)(size * sizeof *b->table), st);
    if (!b->table)
        return false;
    memset(b->table, 0xff, size * sizeof *b->table);
    b->mask = size - 1;
    return true;
}

static bool draw_unique(struct batch *b, struct status *st)
{
    if (b->s->num_sampled > b->s->range)
        return status_invalid(st, "Sampler's range is too small.");
    if (!table_init(b, st))
        return false;
    for (int64_t have = 0; have < b->s->num_sampled;) {
        if (++b->tries % TRIES_PER_CHECK == 0 && kernel_cancelled(b->c))
            return status_fail(st, STATUS_CANCELLED, "the step was cancelled");
        if (b->tries >= INT32_MAX)
            return status_invalid(st, "%lld different classes were not found in %lld draws",
                                  (long long)b->s->num_sampled, (long long)b->tries);
        const int64_t x = b->s->draw(b->s, &b->random);
        if (remember(b, x))
            b->samples[have++] = x;
    }
    return true;
}

static bool draw_batch(struct batch *b, struct status *st)
{
    if (b->s->unique)
        return draw_unique(b, st);
    for (int64_t i = 0; i < b->s->num_sampled; i++)
        b->samples[i] = b->s->draw(b->s, &b->random);
    b->tries = b->s->num_sampled;
    return true;
}

/* With redraws: the chance that a class is among what `tries` draws found. */
static void expect(const struct batch *b, const int64_t *classes, int64_t n, float *out)
{
    const float count = (float)b->s->num_sampled, tries = (float)b->tries;
    for (int64_t i = 0; i < n; i++) {
        const float p = b->s->probability(b->s, classes[i]);
        out[i] = b->tries == b->s->num_sampled ? p * count : -expm1f(tries * log1pf(-p));
    }
}

struct outputs {
    const struct tensor *classes;
    struct tensor *samples, *true_expected, *sampled_expected;
};

static bool outputs_init(struct kctx *c, struct outputs *o, struct status *st)
{
    const struct sampler *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) != 2)
        return status_invalid(st, "true_classes must be a matrix");
    if (tensor_dim(in, 1) != s->num_true)
        return status_invalid(st,
                              "true_classes must have num_true columns, expected: %lld was: %lld",
                              (long long)tensor_dim(in, 1), (long long)s->num_true);
    if (s->num_sampled > INT32_MAX)
        return status_invalid(st, "num_sampled must fit in 32 bits");
    const struct shape vector = shape_1(s->num_sampled);
    o->classes = in;
    o->samples = kernel_out(c, 0, &vector, st);
    o->true_expected = o->samples ? kernel_out(c, 1, &in->shape, st) : NULL;
    o->sampled_expected = o->true_expected ? kernel_out(c, 2, &vector, st) : NULL;
    return o->sampled_expected != NULL;
}

static bool sample(struct kctx *c, const struct outputs *o, struct status *st)
{
    struct sampler *s = kernel_state(c);
    const struct math_philox g =
        seeds_reserve(&s->seeds, s->num_sampled * (WORDS_PER_SAMPLE / 4), 1);
    struct batch b = {.c = c, .s = s, .samples = tensor_i64(o->samples)};
    math_philox_stream_init(&b.random, &g);
    if (!draw_batch(&b, st))
        return false;
    expect(&b, tensor_i64(o->classes), o->classes->num_elems, tensor_f32(o->true_expected));
    expect(&b, b.samples, s->num_sampled, tensor_f32(o->sampled_expected));
    return true;
}

static bool sampler_run(struct kctx *c, struct status *st)
{
    struct outputs o;
    return outputs_init(c, &o, st) && sample(c, &o, st);
}

/* Draws by the counts so far, then counts the step's true classes. */
static bool learned_run(struct kctx *c, struct status *st)
{
    struct sampler *s = kernel_state(c);
    struct outputs o;
    if (!outputs_init(c, &o, st))
        return false;
    const int64_t *classes = tensor_i64(o.classes);
    for (int64_t i = 0; i < o.classes->num_elems; i++)
        if (classes[i] < 0 || classes[i] >= s->range)
            return status_invalid(st, "true_classes: %lld is not in [0, %lld)",
                                  (long long)classes[i], (long long)s->range);
    lock_take(&s->lock);
    const bool ok = sample(c, &o, st);
    for (int64_t i = 0; ok && i < o.classes->num_elems; i++)
        unigram_counts_add(&s->learn, classes[i]);
    lock_drop(&s->lock);
    return ok;
}

static bool all_run(struct kctx *c, struct status *st)
{
    struct outputs o;
    if (!outputs_init(c, &o, st))
        return false;
    for (int64_t i = 0; i < o.samples->num_elems; i++) {
        tensor_i64(o.samples)[i] = i;
        tensor_f32(o.sampled_expected)[i] = 1;
    }
    for (int64_t i = 0; i < o.true_expected->num_elems; i++)
        tensor_f32(o.true_expected)[i] = 1;
    return true;
}

static bool sampler_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *classes;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &classes, st))
        return false;
    const int64_t num_sampled = attrs_int(infer_attrs(c), "num_sampled");
    infer_set(c, 0, infer_vector(c, num_sampled));
    infer_set(c, 1, infer_matrix(c, infer_dim(classes, 0), attrs_int(infer_attrs(c), "num_true")));
    infer_set(c, 2, infer_vector(c, num_sampled));
    return true;
}

/* clang-format off */
#define SAMPLER(id, op_name, text, init_fn, run_fn, ...)                                           \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"true_classes: int64"},                                                         \
        .outputs = {"sampled_candidates: int64", "true_expected_count: float",                     \
                    "sampled_expected_count: float"},                                              \
        .attrs = {"num_true: int >= 1", "num_sampled: int >= 1", "unique: bool", __VA_ARGS__,      \
                  "seed: int = 0", "seed2: int = 0"},                                              \
        .flags = OP_STATEFUL,                                                                      \
        .shape = sampler_shape,                                                                    \
        .no_grad = "undefined: classes are drawn, not computed",                                   \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct sampler),                                 \
                            .init = init_fn,                                                       \
                            .release = sampler_release,                                            \
                            .run = run_fn}
/* clang-format on */

SAMPLER(uniform_candidate_sampler, "UniformCandidateSampler",
        "Classes drawn with equal chances, and the expected counts of these and of the true ones.",
        uniform_init, sampler_run, "range_max: int >= 1");
SAMPLER(log_uniform_candidate_sampler, "LogUniformCandidateSampler",
        "Classes drawn by Zipf's law, lower numbers more often, and the expected counts.",
        log_uniform_init, sampler_run, "range_max: int >= 1");
SAMPLER(fixed_unigram_candidate_sampler, "FixedUnigramCandidateSampler",
        "Classes drawn by weights from a list or a file, and the expected counts.", fixed_init,
        sampler_run, "range_max: int >= 1", "vocab_file: string = ''", "distortion: float = 1",
        "num_reserved_ids: int = 0", "num_shards: int >= 1 = 1", "shard: int >= 0 = 0",
        "unigrams: list(float) = []");
SAMPLER(learned_unigram_candidate_sampler, "LearnedUnigramCandidateSampler",
        "Classes drawn by how often they have been true so far, and the expected counts.",
        learned_init, learned_run, "range_max: int >= 1");
SAMPLER(thread_unsafe_unigram_candidate_sampler, "ThreadUnsafeUnigramCandidateSampler",
        "The same as LearnedUnigramCandidateSampler.", learned_init, learned_run,
        "range_max: int >= 1");

OP_DEF(all_candidate_sampler) = {
    .name = "AllCandidateSampler",
    .summary = "All classes, each expected once: to test what works on samples.",
    .inputs = {"true_classes: int64"},
    .outputs = {"sampled_candidates: int64", "true_expected_count: float",
                "sampled_expected_count: float"},
    .attrs = {"num_true: int >= 1", "num_sampled: int >= 1", "unique: bool", "seed: int = 0",
              "seed2: int = 0"},
    .flags = OP_STATEFUL,
    .shape = sampler_shape,
    .no_grad = "undefined: classes are counted, not computed",
};
KERNEL_DEF(all_candidate_sampler_cpu) = {.op = "AllCandidateSampler",
                                         .device = "CPU",
                                         .state_bytes = sizeof(struct sampler),
                                         .init = uniform_init,
                                         .release = sampler_release,
                                         .run = all_run};

/* --- ComputeAccidentalHits --- */

static int compare_ids(const void *a, const void *b)
{
    const int64_t *x = a, *y = b; /* class, place */
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The last place of a class among n sorted pairs of class and place, or -1. */
static int64_t last_place(const int64_t *pairs, int64_t n, int64_t class_id)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (pairs[2 * mid] <= class_id)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 && pairs[2 * low - 2] == class_id ? pairs[2 * low - 1] : -1;
}

static bool hits_run(struct kctx *c, struct status *st)
{
    const struct tensor *classes = kernel_in(c, 0), *samples = kernel_in(c, 1);
    const int64_t num_true = attrs_int(kernel_attrs(c), "num_true"), n = samples->num_elems;
    if (tensor_rank(classes) != 2 || tensor_dim(classes, 1) != num_true)
        return status_invalid(st, "true_candidates must be a batch_size * num_true matrix");
    if (tensor_rank(samples) != 1)
        return status_invalid(st, "sampled_candidates must be a vector, which is typically an "
                                  "output from CandidateSampler");
    if (tensor_dim(classes, 0) > INT32_MAX)
        return status_invalid(st, "true_candidates has too many rows");
    int64_t *pairs = kernel_scratch(c, (2 * n + classes->num_elems) * (int64_t)sizeof *pairs, st);
    if (!pairs)
        return false;
    int64_t *places = pairs + 2 * n, hits = 0;
    for (int64_t i = 0; i < n; i++)
        pairs[2 * i] = tensor_i64(samples)[i], pairs[2 * i + 1] = i;
    qsort(pairs, (size_t)n, 2 * sizeof *pairs, compare_ids);
    for (int64_t i = 0; i < classes->num_elems; i++) {
        places[i] = last_place(pairs, n, tensor_i64(classes)[i]);
        hits += places[i] >= 0;
    }
    const struct shape shape = shape_1(hits);
    struct tensor *row = kernel_out(c, 0, &shape, st);
    struct tensor *id = row ? kernel_out(c, 1, &shape, st) : NULL;
    struct tensor *weight = id ? kernel_out(c, 2, &shape, st) : NULL;
    if (!weight)
        return false;
    for (int64_t i = 0, at = 0; i < classes->num_elems; i++)
        if (places[i] >= 0) {
            tensor_i32(row)[at] = (int32_t)(i / num_true);
            tensor_i64(id)[at] = places[i];
            tensor_f32(weight)[at++] = -FLT_MAX;
        }
    return true;
}

static bool hits_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int64_t columns;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &s, st) ||
        !infer_want_dim(c, infer_dim(s, 1), attrs_int(infer_attrs(c), "num_true"), &columns, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &s, st))
        return false;
    for (int i = 0; i < 3; i++)
        infer_set(c, i, infer_vector(c, DIM_UNKNOWN));
    return true;
}

OP_DEF(compute_accidental_hits) = {
    .name = "ComputeAccidentalHits",
    .summary = "Where sampled classes are true ones: row, place among the samples, and a weight "
               "that takes them out.",
    .inputs = {"true_classes: int64", "sampled_candidates: int64"},
    .outputs = {"indices: int32", "ids: int64", "weights: float"},
    .attrs = {"num_true: int", "seed: int = 0", "seed2: int = 0"},
    .shape = hits_shape,
    .no_grad = "undefined: it compares integers",
};
KERNEL_DEF(compute_accidental_hits_cpu) = {
    .op = "ComputeAccidentalHits", .device = "CPU", .run = hits_run};
