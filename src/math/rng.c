/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 and the distributions made from it.
 *
 * Philox: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11. What each op
 * draws, in which order and from which counter, is a fact of TensorFlow 1.15, found by running it.
 */
#include "math/rng.h"

#include <math.h>
#include <sys/random.h>

#include "base/lock.h"
#include "math/simd/rng_simd.h"
#include "tensor/dtype.h"

void math_philox_init(struct math_philox *g, uint64_t seed, uint64_t seed2)
{
    *g = (struct math_philox){
        .counter = {0, 0, (uint32_t)seed2, (uint32_t)(seed2 >> 32)},
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
    };
}

void math_philox_skip(struct math_philox *g, uint64_t blocks)
{
    const uint64_t low = (uint64_t)g->counter[1] << 32 | g->counter[0];
    const uint64_t sum = low + blocks;
    g->counter[0] = (uint32_t)sum;
    g->counter[1] = (uint32_t)(sum >> 32);
    if (sum < blocks && ++g->counter[2] == 0)
        g->counter[3]++;
}

static void philox_block(const struct math_philox *g, uint32_t out[4])
{
    uint32_t c0 = g->counter[0], c1 = g->counter[1], c2 = g->counter[2], c3 = g->counter[3];
    uint32_t k0 = g->key[0], k1 = g->key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c0, b = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

void math_philox_next(struct math_philox *g, uint32_t out[4])
{
    philox_block(g, out);
    math_philox_skip(g, 1);
}

struct math_philox math_philox_reserve(struct math_philox *g, int64_t num, int64_t multiplier)
{
    const struct math_philox mine = *g;
    math_philox_skip(g, (uint64_t)num * (uint64_t)multiplier);
    return mine;
}

uint64_t math_random_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed || seed == 0)
        seed = (uint64_t)clock_now_ns() ^ (uint64_t)(uintptr_t)&seed;
    return seed ? seed : 1;
}

/* The key and counter of a stateless op are themselves a block of Philox over the two seeds. */
void math_philox_init_stateless(struct math_philox *g, uint64_t seed0, uint64_t seed1)
{
    struct math_philox scramble = {
        .counter = {0, 0, (uint32_t)seed1, (uint32_t)(seed1 >> 32)},
        .key = {0x3ec8f720u, 0x02461e29u},
    };
    scramble.counter[0] = (uint32_t)seed0;
    scramble.counter[1] = (uint32_t)(seed0 >> 32);
    uint32_t mix[4];
    math_philox_next(&scramble, mix);
    *g = (struct math_philox){.counter = {0, 0, mix[2], mix[3]}, .key = {mix[0], mix[1]}};
}

void math_philox_stream_init(struct math_philox_stream *s, const struct math_philox *g)
{
    s->gen = *g;
    s->used = 4;
}

uint32_t math_philox_u32(struct math_philox_stream *s)
{
    if (s->used == 4) {
        math_philox_next(&s->gen, s->words);
        s->used = 0;
    }
    return s->words[s->used++];
}

uint64_t math_philox_u64(struct math_philox_stream *s)
{
    const uint32_t low = math_philox_u32(s);
    return low | (uint64_t)math_philox_u32(s) << 32;
}

/* The upper bits become the fraction of a number in [1, 2). */
float math_u32_to_float(uint32_t x)
{
    const union {
        uint32_t bits;
        float value;
    } u = {.bits = 127u << 23 | (x & 0x7fffffu)};
    return u.value - 1.0f;
}

double math_u64_to_double(uint32_t low, uint32_t high)
{
    const union {
        uint64_t bits;
        double value;
    } u = {.bits = (uint64_t)1023 << 52 | (uint64_t)(low & 0xfffffu) << 32 | high};
    return u.value - 1.0;
}

float math_philox_float(struct math_philox_stream *s)
{
    return math_u32_to_float(math_philox_u32(s));
}

double math_philox_double(struct math_philox_stream *s)
{
    const uint32_t first = math_philox_u32(s);
    return math_u64_to_double(first, math_philox_u32(s));
}

uint32_t math_philox_below(struct math_philox_stream *s, uint32_t n)
{
    /* A power of two takes the low bits; else the lowest numbers, which one value too
     * many would share, are redrawn. */
    if ((n & (n - 1)) == 0)
        return math_philox_u32(s) & (n - 1);
    const uint32_t first = UINT32_MAX % n + 1;
    for (;;) {
        const uint32_t x = math_philox_u32(s);
        if (x >= first)
            return x % n;
    }
}

uint64_t math_philox_below64(struct math_philox_stream *s, uint64_t n)
{
    if ((n & (n - 1)) == 0)
        return math_philox_u64(s) & (n - 1);
    const uint64_t first = UINT64_MAX % n + 1;
    for (;;) {
        const uint64_t x = math_philox_u64(s);
        if (x >= first)
            return x % n;
    }
}

/* ---- Box-Muller: two words (float) or four (double) give two normal numbers. */

static void normal_pair_float(uint32_t x0, uint32_t x1, float out[2])
{
    float u = math_u32_to_float(x0);
    if (u < 1.0e-7f) /* keeps the logarithm finite */
        u = 1.0e-7f;
    const float v = (float)(2 * M_PI * (double)math_u32_to_float(x1));
    const float r = sqrtf(-2.0f * logf(u));
    out[0] = sinf(v) * r;
    out[1] = cosf(v) * r;
}

static void normal_pair_double(const uint32_t x[4], double out[2])
{
    double u = math_u64_to_double(x[0], x[1]);
    if (u < 1.0e-7)
        u = 1.0e-7;
    const double v = 2 * M_PI * math_u64_to_double(x[2], x[3]);
    const double r = sqrt(-2.0 * log(u));
    out[0] = sin(v) * r;
    out[1] = cos(v) * r;
}

void math_philox_uniforms(struct math_philox *g, double out[2])
{
    uint32_t x[4];
    math_philox_next(g, x);
    out[0] = math_u64_to_double(x[0], x[1]);
    out[1] = math_u64_to_double(x[2], x[3]);
}

void math_philox_normals(struct math_philox *g, double out[2])
{
    uint32_t x[4];
    math_philox_next(g, x);
    normal_pair_double(x, out);
}

/* ---- filling: group i of the output comes from the generator skipped to its own place. */

struct fill {
    struct math_philox g;
    enum math_dist dist;
    int dtype;
    char *out;
    int64_t n;
    struct math_int_range range;
};

static float half_unit(uint32_t x)
{
    const uint16_t bits = (uint16_t)(15u << 10 | (x & 0x3ffu));
    return f16_to_f32((struct f16){bits}) - 1.0f;
}

static float bf16_unit(uint32_t x)
{
    const struct bf16 v = {(uint16_t)(127u << 7 | (x & 0x7fu))};
    return bf16_to_f32(v) - 1.0f;
}

static void group_uniform(const uint32_t w[4], int dtype, double out[4])
{
    for (int i = 0; i < 4; i++) {
        if (dtype == DT_HALF)
            out[i] = (double)half_unit(w[i]);
        else if (dtype == DT_BFLOAT16)
            out[i] = (double)bf16_unit(w[i]);
        else
            out[i] = (double)math_u32_to_float(w[i]);
    }
    if (dtype == DT_DOUBLE) {
        out[0] = math_u64_to_double(w[0], w[1]);
        out[1] = math_u64_to_double(w[2], w[3]);
    }
}

static void group_normal(const uint32_t w[4], int dtype, double out[4])
{
    if (dtype == DT_DOUBLE) {
        normal_pair_double(w, out);
        return;
    }
    float pair[2];
    for (int i = 0; i < 4; i += 2) {
        normal_pair_float(w[i], w[i + 1], pair);
        out[i] = (double)pair[0];
        out[i + 1] = (double)pair[1];
    }
}

/* Draws on until `num` numbers lie within two deviations. */
static void group_truncated(const struct math_philox *g, int dtype, int num, double out[4])
{
    struct math_philox_stream s;
    math_philox_stream_init(&s, g);
    for (int have = 0; have < num;) {
        double pair[2];
        if (dtype == DT_DOUBLE) {
            uint32_t w[4];
            for (int i = 0; i < 4; i++)
                w[i] = math_philox_u32(&s);
            normal_pair_double(w, pair);
        } else {
            const uint32_t a = math_philox_u32(&s), b = math_philox_u32(&s);
            float f[2];
            normal_pair_float(a, b, f);
            pair[0] = (double)f[0], pair[1] = (double)f[1];
        }
        for (int i = 0; i < 2 && have < num; i++)
            if (fabs(pair[i]) < 2)
                out[have++] = pair[i];
    }
}

static void fill_store(const struct fill *f, int64_t at, double v)
{
    switch (f->dtype) {
    case DT_FLOAT:
        ((float *)(void *)f->out)[at] = (float)v;
        break;
    case DT_DOUBLE:
        ((double *)(void *)f->out)[at] = v;
        break;
    case DT_HALF:
        ((struct f16 *)(void *)f->out)[at] = f16_from_f32((float)v);
        break;
    default:
        ((struct bf16 *)(void *)f->out)[at] = bf16_from_f32((float)v);
    }
}

/* The plain case, which dropout draws on: whole groups of uniform floats. Returns those done. */
static int64_t fill_uniform(const struct fill *f, int64_t begin, int64_t end)
{
    struct math_philox g = f->g;
    math_philox_skip(&g, (uint64_t)begin);
    const int64_t whole = min_i64(end, f->n / 4) - begin;
    if (f->dist != MATH_DIST_UNIFORM || f->dtype != DT_FLOAT || whole <= 0)
        return 0;
    return SIMD_CALL(rng_uniform)(&g, (float *)(void *)f->out + 4 * begin, whole);
}

static void fill_run(void *arg, int64_t begin, int64_t end)
{
    const struct fill *f = arg;
    begin += fill_uniform(f, begin, end);
    const int group = f->dtype == DT_DOUBLE ? 2 : 4;
    /* A group of truncated numbers owns 256 blocks for each four words it could need. */
    const int64_t skip = f->dist == MATH_DIST_TRUNCATED_NORMAL ? 64 * group : 1;
    struct math_philox g = f->g;
    math_philox_skip(&g, (uint64_t)(begin * skip));
    for (int64_t i = begin; i < end; i++) {
        double v[4];
        uint32_t w[4];
        if (f->dist == MATH_DIST_TRUNCATED_NORMAL) {
            group_truncated(&g, f->dtype, group, v);
        } else {
            philox_block(&g, w);
            if (f->dist == MATH_DIST_UNIFORM)
                group_uniform(w, f->dtype, v);
            else
                group_normal(w, f->dtype, v);
        }
        math_philox_skip(&g, (uint64_t)skip);
        for (int l = 0; l < group && i * group + l < f->n; l++)
            fill_store(f, i * group + l, v[l]);
    }
}

void math_random_fill(struct pool *pool, const struct math_philox *g, enum math_dist dist,
                      int dtype, void *out, int64_t n)
{
    const int group = dtype == DT_DOUBLE ? 2 : 4;
    struct fill f = {.g = *g, .dist = dist, .dtype = dtype, .out = out, .n = n};
    const int64_t groups = (n + group - 1) / group;
    const double cost = dist == MATH_DIST_UNIFORM ? (dtype == DT_FLOAT ? 2 : 12) : 60;
    pool_loop(pool, groups, pool_grain(groups, cost), cost, fill_run, &f);
}

static void fill_int_run(void *arg, int64_t begin, int64_t end)
{
    const struct fill *f = arg;
    const uint64_t span = (uint64_t)f->range.hi - (uint64_t)f->range.lo;
    struct math_philox g = f->g;
    math_philox_skip(&g, (uint64_t)begin);
    for (int64_t i = begin; i < end; i++) {
        uint32_t w[4];
        philox_block(&g, w);
        math_philox_skip(&g, 1);
        if (f->dtype == DT_INT32) {
            for (int l = 0; l < 4 && i * 4 + l < f->n; l++)
                ((uint32_t *)(void *)f->out)[i * 4 + l] =
                    (uint32_t)f->range.lo + w[l] % (uint32_t)span;
        } else {
            for (int l = 0; l < 2 && i * 2 + l < f->n; l++) {
                const uint64_t x = w[2 * l] | (uint64_t)w[2 * l + 1] << 32;
                ((uint64_t *)(void *)f->out)[i * 2 + l] = (uint64_t)f->range.lo + x % span;
            }
        }
    }
}

void math_random_fill_int(struct pool *pool, const struct math_philox *g,
                          struct math_int_range range, int dtype, void *out, int64_t n)
{
    struct fill f = {.g = *g, .dtype = dtype, .out = out, .n = n, .range = range};
    ASSERT(range.lo < range.hi);
    const int64_t group = dtype == DT_INT32 ? 4 : 2, groups = (n + group - 1) / group;
    pool_loop(pool, groups, pool_grain(groups, 10), 10, fill_int_run, &f);
}
