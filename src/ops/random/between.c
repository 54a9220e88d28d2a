/* SPDX-License-Identifier: Apache-2.0 */
/* ParameterizedTruncatedNormal: normal numbers of any mean and deviation within any bounds, by
 * rejection (C. Robert, "Simulation of truncated normal variables", 1995): of normal numbers where
 * the bounds leave many, of uniform ones where they are close, else of the tail's exponential.
 *
 * One generator goes through all outputs, as TensorFlow's does on one thread; each batch of them
 * begins with a fresh block. */
#include "ops/random/numbers.h"
#include "ops/random/seeds.h"

enum {
    MOST_TRIES = 1000,
    MEAN = 1, /* inputs */
    NUM_PARAMS = 4,
};

struct batch {
    struct math_philox *g;
    int64_t begin, end; /* outputs */
    void *out;
    const void *params[NUM_PARAMS];
};

static const char TAIL[] = "exponential distribution", CLOSE[] = "uniform", NORMAL[] = "randn";

static bool gave_up(const char *what, struct status *st)
{
    return status_internal(st, "TruncatedNormal %s rejection sampler failed to accept a sample.",
                           what);
}

static void draw(struct math_philox *g, enum math_dist dist, int dtype, void *out, int n)
{
    math_random_fill(NULL, g, dist, dtype, out, n);
    math_philox_skip(g, 1);
}

static float round_half(float x)
{
    return f16_to_f32(f16_from_f32(x));
}

static float get_f16(const void *p, int64_t i)
{
    return f16_to_f32(((const struct f16 *)p)[i]);
}
static void put_f16(void *p, int64_t i, float v)
{
    ((struct f16 *)p)[i] = f16_from_f32(v);
}
#define PLAIN(name, real)                                                                          \
    static real get_##name(const void *p, int64_t i)                                               \
    {                                                                                              \
        return ((const real *)p)[i];                                                               \
    }                                                                                              \
    static void put_##name(void *p, int64_t i, real v)                                             \
    {                                                                                              \
        ((real *)p)[i] = v;                                                                        \
    }
PLAIN(f32, float)
PLAIN(f64, double)
#undef PLAIN

/* R rounds to the type, of which a block gives N. Each way of drawing notes in `tries` how often it
 * failed since it last did not, and ends when `at` is the batch's end. */
#define DRAWS(name, real, dtype, N, R, EXP, LOG, SQRT)                                             \
    struct span_##name {                                                                           \
        real mean, scale, low, high; /* bounds in deviations */                                    \
    };                                                                                             \
    static void accept_##name(const struct batch *b, const struct span_##name *s, int64_t at,      \
                              real z)                                                              \
    {                                                                                              \
        put_##name(b->out, at, R(R(z * s->scale) + s->mean));                                      \
    }                                                                                              \
    static void block_##name(const struct batch *b, enum math_dist dist, real *v)                  \
    {                                                                                              \
        double raw[2]; /* room for four of 32 bits */                                              \
        draw(b->g, dist, dtype, raw, N);                                                           \
        for (int i = 0; i < (N); i++)                                                              \
            v[i] = get_##name(raw, i);                                                             \
    }                                                                                              \
    static bool normal_##name(const struct batch *b, const struct span_##name *s,                  \
                              struct status *st)                                                   \
    {                                                                                              \
        int tries = 0;                                                                             \
        for (int64_t at = b->begin; at < b->end;) {                                                \
            real v[N];                                                                             \
            block_##name(b, MATH_DIST_NORMAL, v);                                                  \
            for (int i = 0; i < (N) && at < b->end; i++) {                                         \
                if (v[i] >= s->low && v[i] <= s->high) {                                           \
                    accept_##name(b, s, at++, v[i]);                                               \
                    tries = 0;                                                                     \
                } else if (++tries > MOST_TRIES) {                                                 \
                    return gave_up(NORMAL, st);                                                    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static bool close_##name(const struct batch *b, const struct span_##name *s, real width,       \
                             struct status *st)                                                    \
    {                                                                                              \
        const real most = s->low < 0 ? 0 : R(s->low * s->low);                                     \
        int tries = 0;                                                                             \
        for (int64_t at = b->begin; at < b->end;) {                                                \
            real z[N], u[N];                                                                       \
            block_##name(b, MATH_DIST_UNIFORM, z);                                                 \
            block_##name(b, MATH_DIST_UNIFORM, u);                                                 \
            for (int i = 0; i < (N) && at < b->end; i++) {                                         \
                z[i] = R(R(z[i] * width) + s->low);                                                \
                if (u[i] <= R(EXP(R(R(most - R(z[i] * z[i])) / 2)))) {                             \
                    accept_##name(b, s, at++, z[i]);                                               \
                    tries = 0;                                                                     \
                } else if (++tries >= MOST_TRIES) {                                                \
                    return gave_up(CLOSE, st);                                                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static bool tail_##name(const struct batch *b, const struct span_##name *s, real root,         \
                            struct status *st)                                                     \
    {                                                                                              \
        const real alpha = R(R(s->low + root) / 2);                                                \
        int tries = 0;                                                                             \
        for (int64_t at = b->begin; at < b->end;) {                                                \
            real v[N];                                                                             \
            block_##name(b, MATH_DIST_UNIFORM, v);                                                 \
            for (int i = 0; i < (N) && at < b->end; i += 2) {                                      \
                const real z = R(R(-R(LOG(v[i])) / alpha) + s->low);                               \
                const real x = s->low < alpha ? R(alpha - z) : R(s->low - alpha);                  \
                if (v[i + 1] <= R(EXP(R(R(-x * x) / 2))) && z < s->high) {                         \
                    accept_##name(b, s, at++, z);                                                  \
                    tries = 0;                                                                     \
                } else if (++tries >= MOST_TRIES) {                                                \
                    return gave_up(TAIL, st);                                                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static bool batch_##name(const struct batch *b, struct status *st)                             \
    {                                                                                              \
        const real mean = get_##name(b->params[0], 0), inside = R((real)1.3);                      \
        real dev = get_##name(b->params[1], 0), low = get_##name(b->params[2], 0),                 \
             high = get_##name(b->params[3], 0);                                                   \
        if (!(dev > 0) || !(low < high) || !(isfinite(low) || isfinite(high)))                     \
            return status_invalid(st, "Invalid parameters");                                       \
        if ((isinf(low) && low < 0) || high < mean) {                                              \
            const real was = low;                                                                  \
            low = high;                                                                            \
            high = was;                                                                            \
            dev = -dev;                                                                            \
        }                                                                                          \
        const struct span_##name s = {mean, dev, R(R(low - mean) / dev), R(R(high - mean) / dev)}; \
        const real root = R(SQRT(R(R(s.low * s.low) + 4)));                                        \
        const real enough =                                                                        \
            R(R(2 * R(EXP(R((real)0.5 + R(R(s.low * R(s.low - root)) / 4))))) / R(s.low + root));  \
        const real width = R(s.high - s.low);                                                      \
        if ((s.low < -inside && s.high >= 0) || (s.high > inside && s.low <= 0))                   \
            return normal_##name(b, &s, st);                                                       \
        return width < enough ? close_##name(b, &s, width, st) : tail_##name(b, &s, root, st);     \
    }

#define AS_IS(x) (x)
DRAWS(f16, float, DT_HALF, 4, round_half, expf, logf, sqrtf)
DRAWS(f32, float, DT_FLOAT, 4, AS_IS, expf, logf, sqrtf)
DRAWS(f64, double, DT_DOUBLE, 2, AS_IS, exp, log, sqrt)
#undef DRAWS
#undef AS_IS

/* --- the kernel --- */

static bool between_run(struct kctx *c, struct status *st)
{
    static const char *const names[] = {"means", "stddevs", "minvals", "maxvals"};
    struct batches all = {.last_scalar = true};
    if (!batches_begin(c, 0, names, NUM_PARAMS, &all, st))
        return false;
    const int dtype = all.out->dtype;
    const int64_t n = all.out->num_elems;
    struct math_philox g = seeds_reserve(kernel_state(c), batches_blocks(&all, MOST_TRIES), 1);
    for (int64_t k = 0; k < all.num; k++) {
        struct batch b = {.g = &g, .begin = k * all.each, .out = all.out->data};
        b.end = n - b.begin > all.each ? b.begin + all.each : n;
        for (int i = 0; i < NUM_PARAMS; i++)
            b.params[i] = (const char *)kernel_in(c, MEAN + i)->data +
                          (size_t)batches_param(c, MEAN + i, k) * dtype_size(dtype);
        if (!(dtype == DT_HALF    ? batch_f16(&b, st)
              : dtype == DT_FLOAT ? batch_f32(&b, st)
                                  : batch_f64(&b, st)))
            return false;
    }
    return true;
}

static bool between_shape(struct infer_ctx *c, struct status *st)
{
    return batches_shape(c, 0, st);
}

OP_DEF(parameterized_truncated_normal) = {
    .name = "ParameterizedTruncatedNormal",
    .summary = "Normal numbers that lie within bounds, with means, deviations and bounds of each "
               "row.",
    .inputs = {"shape: T", "means: dtype", "stdevs: dtype", "minvals: dtype", "maxvals: dtype"},
    .outputs = {"output: dtype"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}",
              "T: {int32, int64}"},
    .flags = OP_STATEFUL,
    .shape = between_shape,
    .no_grad = "TensorFlow gives none",
    .no_kernel = "bfloat16: TensorFlow has none",
};
KERNEL_DEF(parameterized_truncated_normal_cpu) = {.op = "ParameterizedTruncatedNormal",
                                                  .device = "CPU",
                                                  .types = {"dtype: {half, float, double}"},
                                                  .state_bytes = sizeof(struct seeds),
                                                  .init = seeds_only_init,
                                                  .release = seeds_only_release,
                                                  .run = between_run};
