/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation of a run of rows at this instruction level.
 *
 * Columns are taken in strips of at most BATCH_NORM_WIDTH. Where there are few channels, several
 * rows are seen as one wide row, and the strip's sums are folded at the end. */
#include "math/simd/batch_norm_simd.h"

#include "math/simd/lanes.h"

/* A strip of columns of some rows: `wide` joined rows of `width` floats, each `stride` after the
 * one before, and `rest` floats of the rows that did not fill one. */
struct strip {
    int64_t first; /* offset of the first element in the array */
    int64_t stride, wide, width, rest;
    int64_t channels, fold; /* width = channels * fold */
};

static int64_t fold_of(int64_t channels)
{
    return channels > BATCH_NORM_WIDTH / 4 ? 1 : BATCH_NORM_WIDTH / 2 / channels;
}

/* Columns [col, col + n) of rows [begin, end). */
static struct strip strip_of(int64_t channels, int64_t begin, int64_t end, int64_t col)
{
    const int64_t fold = fold_of(channels), rows = end - begin;
    struct strip s = {.first = begin * channels + col, .stride = channels * fold, .fold = fold};
    s.channels = min_i64(channels - col, BATCH_NORM_WIDTH);
    s.wide = rows / fold;
    s.width = s.channels * fold;
    s.rest = rows % fold * channels; /* none where fold is 1 */
    return s;
}

/* Repeats n values up to a width. */
static void spread(const float *v, int64_t n, int64_t width, float *out)
{
    for (int64_t i = 0; i < width; i++)
        out[i] = v[i % n];
}

static void fold_sums(const struct strip *s, const float *acc, double *out)
{
    for (int64_t c = 0; c < s->channels; c++)
        out[c] = 0;
    for (int64_t k = 0; k < s->fold; k++) {
        for (int64_t c = 0; c < s->channels; c++)
            out[c] += (double)acc[k * s->channels + c];
    }
}

/* Runs body for each vector of columns: `at` the column, `n` how many lanes count. */
#define EACH_VECTOR(width, body)                                                                   \
    for (int64_t at = 0; at < (width); at += VF_LANES) {                                           \
        const int64_t n = min_i64(VF_LANES, (width)-at);                                           \
        if (n == VF_LANES) {                                                                       \
            body(vf_load, vf_store)                                                                \
        } else {                                                                                   \
            body(LOAD_N, STORE_N)                                                                  \
        }                                                                                          \
    }
#define LOAD_N(p) vf_load_n((p), n)
#define STORE_N(p, v) vf_store_n((p), (v), n)

/* acc = sums of the columns, or of their squared distances from mean. */
static void add_columns(const float *x, const struct strip *s, float *acc)
{
#define BODY(load, store)                                                                          \
    vf sum = vf_splat(0);                                                                          \
    const float *p = x + s->first + at;                                                            \
    for (int64_t r = 0; r < s->wide; r++, p += s->stride)                                          \
        sum += load(p);                                                                            \
    store(acc + at, sum);
    EACH_VECTOR(s->width, BODY)
#undef BODY
    const float *last = x + s->first + s->wide * s->stride;
    for (int64_t i = 0; i < s->rest; i++)
        acc[i] += last[i];
}

static void add_squares(const float *x, const struct strip *s, const float *mean, float *acc)
{
#define BODY(load, store)                                                                          \
    vf sum = vf_splat(0);                                                                          \
    const vf m = load(mean + at);                                                                  \
    const float *p = x + s->first + at;                                                            \
    for (int64_t r = 0; r < s->wide; r++, p += s->stride) {                                        \
        const vf d = load(p) - m;                                                                  \
        sum += d * d;                                                                              \
    }                                                                                              \
    store(acc + at, sum);
    EACH_VECTOR(s->width, BODY)
#undef BODY
    const float *last = x + s->first + s->wide * s->stride;
    for (int64_t i = 0; i < s->rest; i++)
        acc[i] += (last[i] - mean[i]) * (last[i] - mean[i]);
}

/* Joins what n more rows gave to what m rows had given (Chan, Golub and LeVeque's rule). */
static void merge(double m, double n, int64_t channels, const double *mean_n,
                  const double *squares_n, double *mean, double *squares)
{
    for (int64_t c = 0; c < channels; c++) {
        const double d = mean_n[c] - mean[c];
        mean[c] += d * (n / (m + n));
        squares[c] += squares_n[c] + d * d * (m * n / (m + n));
    }
}

void LEAT_FN(batch_norm_stats)(const float *x, int64_t rows, int64_t channels, double *mean,
                               double *squares)
{
    const int64_t fold = fold_of(channels);
    const int64_t block = max_i64(BATCH_NORM_BLOCK / (channels * fold), 1) * fold;
    float acc[BATCH_NORM_WIDTH], about[BATCH_NORM_WIDTH];
    double sum[BATCH_NORM_WIDTH], square[BATCH_NORM_WIDTH];
    for (int64_t begin = 0; begin < rows; begin += block) {
        const int64_t end = min_i64(begin + block, rows), n = end - begin;
        for (int64_t col = 0; col < channels; col += BATCH_NORM_WIDTH) {
            const struct strip s = strip_of(channels, begin, end, col);
            add_columns(x, &s, acc);
            fold_sums(&s, acc, sum);
            for (int64_t c = 0; c < s.channels; c++)
                about[c] = (float)(sum[c] / (double)n);
            spread(about, s.channels, s.width, about);
            add_squares(x, &s, about, acc);
            fold_sums(&s, acc, square);
            /* About the block's true mean, not about the float that stood for it. */
            for (int64_t c = 0; c < s.channels; c++) {
                const double true_mean = sum[c] / (double)n, d = true_mean - (double)about[c];
                square[c] = square[c] - d * d * (double)n;
                square[c] = square[c] < 0 ? 0 : square[c];
                sum[c] = true_mean;
            }
            if (begin == 0) {
                memcpy(mean + col, sum, (size_t)s.channels * sizeof sum[0]);
                memcpy(squares + col, square, (size_t)s.channels * sizeof square[0]);
            } else {
                merge((double)begin, (double)n, s.channels, sum, square, mean + col, squares + col);
            }
        }
    }
}

/* The columns of dy, and of dy * (x - mean). */
static void add_products(const float *x, const float *dy, const struct strip *s, const float *mean,
                         float *acc[2])
{
#define BODY(load, store)                                                                          \
    vf a = vf_splat(0), b = vf_splat(0);                                                           \
    const vf m = load(mean + at);                                                                  \
    const float *p = x + s->first + at, *q = dy + s->first + at;                                   \
    for (int64_t r = 0; r < s->wide; r++, p += s->stride, q += s->stride) {                        \
        const vf g = load(q);                                                                      \
        a += g;                                                                                    \
        b += g * (load(p) - m);                                                                    \
    }                                                                                              \
    store(acc[0] + at, a);                                                                         \
    store(acc[1] + at, b);
    EACH_VECTOR(s->width, BODY)
#undef BODY
    const int64_t last = s->first + s->wide * s->stride;
    for (int64_t i = 0; i < s->rest; i++) {
        acc[0][i] += dy[last + i];
        acc[1][i] += dy[last + i] * (x[last + i] - mean[i]);
    }
}

void LEAT_FN(batch_norm_sums)(const struct math_batch_norm_sums *j, int64_t begin, int64_t end,
                              double *dy_sum, double *product_sum)
{
    const int64_t channels = j->channels, fold = fold_of(channels);
    const int64_t block = max_i64(BATCH_NORM_BLOCK / (channels * fold), 1) * fold;
    float mean[BATCH_NORM_WIDTH], acc_a[BATCH_NORM_WIDTH], acc_b[BATCH_NORM_WIDTH];
    double a[BATCH_NORM_WIDTH], b[BATCH_NORM_WIDTH];
    for (int64_t col = 0; col < channels; col += BATCH_NORM_WIDTH) {
        memset(dy_sum + col, 0, (size_t)min_i64(channels - col, BATCH_NORM_WIDTH) * sizeof a[0]);
        memset(product_sum + col, 0,
               (size_t)min_i64(channels - col, BATCH_NORM_WIDTH) * sizeof a[0]);
        for (int64_t at = begin; at < end; at += block) {
            const struct strip s = strip_of(channels, at, min_i64(at + block, end), col);
            if (at == begin)
                spread(j->mean + col, s.channels, s.width, mean);
            add_products(j->x, j->dy, &s, mean, (float *[]){acc_a, acc_b});
            fold_sums(&s, acc_a, a);
            fold_sums(&s, acc_b, b);
            for (int64_t c = 0; c < s.channels; c++) {
                dy_sum[col + c] += a[c];
                product_sum[col + c] += b[c];
            }
        }
    }
}

void LEAT_FN(batch_norm_apply)(const struct math_batch_norm_apply *a, int64_t begin, int64_t end)
{
    float mean[BATCH_NORM_WIDTH], factor[BATCH_NORM_WIDTH], offset[BATCH_NORM_WIDTH];
    for (int64_t col = 0; col < a->channels; col += BATCH_NORM_WIDTH) {
        const struct strip s = strip_of(a->channels, begin, end, col);
        spread(a->mean + col, s.channels, s.width, mean);
        spread(a->factor + col, s.channels, s.width, factor);
        spread(a->offset + col, s.channels, s.width, offset);
        for (int64_t r = 0; r <= s.wide; r++) {
            const int64_t width = r < s.wide ? s.width : s.rest;
            const float *x = a->x + s.first + r * s.stride;
            float *y = a->y + s.first + r * s.stride;
#define BODY(load, store)                                                                          \
    store(y + at, (load(x + at) - load(mean + at)) * load(factor + at) + load(offset + at));
            EACH_VECTOR(width, BODY)
#undef BODY
        }
    }
}

void LEAT_FN(batch_norm_grad)(const struct math_batch_norm_grad *g, int64_t begin, int64_t end)
{
    float mean[BATCH_NORM_WIDTH], factor[BATCH_NORM_WIDTH], shift[BATCH_NORM_WIDTH],
        slope[BATCH_NORM_WIDTH];
    for (int64_t col = 0; col < g->channels; col += BATCH_NORM_WIDTH) {
        const struct strip s = strip_of(g->channels, begin, end, col);
        spread(g->mean + col, s.channels, s.width, mean);
        spread(g->factor + col, s.channels, s.width, factor);
        spread(g->shift + col, s.channels, s.width, shift);
        spread(g->slope + col, s.channels, s.width, slope);
        for (int64_t r = 0; r <= s.wide; r++) {
            const int64_t width = r < s.wide ? s.width : s.rest;
            const int64_t first = s.first + r * s.stride;
            const float *x = g->x + first, *dy = g->dy + first;
            float *dx = g->dx + first;
#define BODY(load, store)                                                                          \
    const vf moved = (load(x + at) - load(mean + at)) * load(slope + at);                          \
    store(dx + at, load(factor + at) * (load(dy + at) - load(shift + at) - moved));
            EACH_VECTOR(width, BODY)
#undef BODY
        }
    }
}
