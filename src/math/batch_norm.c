/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing batch normalisation out: groups of rows, their sums merged in order. */
#include "math/batch_norm.h"

#include "math/simd/batch_norm_simd.h"

enum { MOST_GROUPS = 32, FEW_ROWS = 256 };

/* Rows of a group: a rule of the shape alone. */
static int64_t group_rows(int64_t rows, int64_t channels)
{
    const int64_t least = max_i64(4 * BATCH_NORM_BLOCK / max_i64(channels, 1), 1);
    return max_i64((rows + MOST_GROUPS - 1) / MOST_GROUPS, least);
}

int64_t math_batch_norm_scratch_bytes(int64_t rows, int64_t channels)
{
    const int64_t group = group_rows(rows, channels), groups = (rows + group - 1) / group;
    return max_i64(groups, 1) * 2 * channels * (int64_t)sizeof(double);
}

struct stats_job {
    const float *x;
    int64_t rows, channels, group;
    double *parts; /* of each group: means, squares */
};

static void stats_part(void *arg, int64_t begin, int64_t end)
{
    const struct stats_job *j = arg;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = i * j->group, n = min_i64(j->group, j->rows - first);
        double *part = j->parts + i * 2 * j->channels;
        SIMD_CALL(batch_norm_stats)
        (j->x + first * j->channels, n, j->channels, part, part + j->channels);
    }
}

/* One row after the other. */
static void few_stats(const float *x, int64_t rows, int64_t channels, float *mean, float *variance)
{
    const float share = 1 / (float)rows;
    for (int64_t c = 0; c < channels; c++)
        mean[c] = variance[c] = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < channels; c++)
            mean[c] += x[r * channels + c];
    for (int64_t c = 0; c < channels; c++)
        mean[c] *= share;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < channels; c++) {
            const float d = x[r * channels + c] - mean[c];
            variance[c] += d * d;
        }
    }
    for (int64_t c = 0; c < channels; c++)
        variance[c] *= share;
}

/* The parts of the groups become the first one's. */
static void merge_groups(const struct stats_job *j, int64_t groups)
{
    double *mean = j->parts, *squares = j->parts + j->channels;
    for (int64_t i = 1; i < groups; i++) {
        const double m = (double)(i * j->group);
        const double n = (double)min_i64(j->group, j->rows - i * j->group);
        const double *part = j->parts + i * 2 * j->channels;
        for (int64_t c = 0; c < j->channels; c++) {
            const double d = part[c] - mean[c];
            mean[c] += d * (n / (m + n));
            squares[c] += part[j->channels + c] + d * d * (m * n / (m + n));
        }
    }
}

void math_batch_norm_stats(struct pool *pool, const float *x, int64_t rows, int64_t channels,
                           float *mean, float *variance, void *scratch)
{
    if (rows <= FEW_ROWS) {
        few_stats(x, rows, channels, mean, variance);
        return;
    }
    struct stats_job j = {x, rows, channels, group_rows(rows, channels), scratch};
    const int64_t groups = (rows + j.group - 1) / j.group;
    pool_loop(pool, groups, 1, 0.15 * (double)j.group * (double)channels, stats_part, &j);
    merge_groups(&j, groups);
    for (int64_t c = 0; c < channels; c++) {
        mean[c] = (float)j.parts[c];
        variance[c] = (float)(j.parts[channels + c] / (double)rows);
    }
}

static void sums_part(void *arg, int64_t begin, int64_t end)
{
    const struct math_batch_norm_sums *s = arg;
    const int64_t group = group_rows(s->rows, s->channels);
    for (int64_t i = begin; i < end; i++) {
        double *part = (double *)s->scratch + i * 2 * s->channels;
        SIMD_CALL(batch_norm_sums)
        (s, i * group, min_i64((i + 1) * group, s->rows), part, part + s->channels);
    }
}

void math_batch_norm_sums(struct pool *pool, const struct math_batch_norm_sums *s)
{
    struct math_batch_norm_sums j = *s;
    const int64_t group = group_rows(s->rows, s->channels), groups = (s->rows + group - 1) / group;
    pool_loop(pool, groups, 1, 0.15 * (double)group * (double)s->channels, sums_part, &j);
    for (int64_t c = 0; c < s->channels; c++)
        s->dy_sum[c] = s->product_sum[c] = 0;
    for (int64_t i = 0; i < groups; i++) {
        const double *part = (const double *)s->scratch + i * 2 * s->channels;
        for (int64_t c = 0; c < s->channels; c++) {
            s->dy_sum[c] += part[c];
            s->product_sum[c] += part[s->channels + c];
        }
    }
}

static void apply_part(void *arg, int64_t begin, int64_t end)
{
    SIMD_CALL(batch_norm_apply)(arg, begin, end);
}

void math_batch_norm_apply(struct pool *pool, const struct math_batch_norm_apply *a)
{
    struct math_batch_norm_apply j = *a;
    const int64_t group = group_rows(a->rows, a->channels);
    pool_loop(pool, a->rows, group, 0.15 * (double)a->channels, apply_part, &j);
}

static void grad_part(void *arg, int64_t begin, int64_t end)
{
    SIMD_CALL(batch_norm_grad)(arg, begin, end);
}

void math_batch_norm_grad(struct pool *pool, const struct math_batch_norm_grad *g)
{
    struct math_batch_norm_grad j = *g;
    const int64_t group = group_rows(g->rows, g->channels);
    pool_loop(pool, g->rows, group, 0.2 * (double)g->channels, grad_part, &j);
}
