/* SPDX-License-Identifier: Apache-2.0 */
/* KmeansPlusPlusInitialization: rows to begin k-means with, each drawn with a probability that
 * grows with its squared distance from those that were drawn (D. Arthur and S. Vassilvitskii,
 * "k-means++", 2007); of several draws the one that leaves the least sum of distances counts. */
#include <math.h>
#include <string.h>

#include "math/rng.h"
#include "op/infer.h"
#include "op/kernel.h"

struct seeding {
    const float *points;
    int64_t n, dims, tries;
    float *nearest; /* squared distances from the rows drawn so far */
    float *now, *best, *sums;
    struct math_philox_stream stream;
};

/* now[i]: nearest[i], were row `row` drawn too. Their sum. */
static float with_row(struct seeding *s, int64_t row, bool first)
{
    const float *a = s->points + row * s->dims;
    float total = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const float *b = s->points + i * s->dims;
        float d = 0;
        for (int64_t k = 0; k < s->dims; k++)
            d += (b[k] - a[k]) * (b[k] - a[k]);
        s->now[i] = first || d < s->nearest[i] ? d : s->nearest[i];
        total += s->now[i];
    }
    return total;
}

static int64_t draw_row(struct seeding *s, bool first)
{
    if (first)
        return (int64_t)math_philox_below64(&s->stream, (uint64_t)s->n);
    const float at = math_philox_float(&s->stream) * s->sums[s->n - 1];
    int64_t low = 0, high = s->n - 1; /* the first whose sum reaches `at` */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->sums[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t next_row(struct seeding *s, bool first)
{
    float least = 0, sum = 0;
    int64_t chosen = -1;
    for (int64_t i = 0; !first && i < s->n; i++)
        s->sums[i] = sum += s->nearest[i];
    for (int64_t t = 0; t < s->tries; t++) {
        const int64_t row = draw_row(s, first);
        const float total = with_row(s, row, first);
        if (chosen >= 0 && !(total < least))
            continue;
        chosen = row;
        least = total;
        float *was = s->best;
        s->best = s->now;
        s->now = was;
    }
    float *was = s->nearest;
    s->nearest = s->best;
    s->best = was;
    return chosen;
}

static bool read(const struct kctx *c, struct seeding *s, int64_t *num, struct status *st)
{
    const struct tensor *points = kernel_in(c, 0);
    if (tensor_rank(points) != 2)
        return status_invalid(st, "points must be a matrix, not of rank %d", tensor_rank(points));
    for (int i = 1; i < 4; i++) {
        if (!kernel_want_scalar(c, i, st))
            return false;
    }
    *num = tensor_i64(kernel_in(c, 1))[0];
    s->points = tensor_f32(points);
    s->n = tensor_dim(points, 0);
    s->dims = tensor_dim(points, 1);
    if (s->n <= 0)
        return status_invalid(st, "Expected points.rows() > 0.");
    if (*num <= 0)
        return status_invalid(st, "Expected num_to_sample > 0.");
    if (*num > s->n)
        return status_invalid(st, "Expected num_to_sample <= points.rows(). %lld vs %lld.",
                              (long long)*num, (long long)s->n);
    const int64_t retries = tensor_i64(kernel_in(c, 3))[0];
    if (retries > INT32_MAX)
        return status_invalid(st, "num_retries_per_sample is too large: %lld", (long long)retries);
    s->tries = 1 + (retries < 0 ? 2 + (int64_t)log((double)*num) : retries);
    return true;
}

static bool seeding_run(struct kctx *c, struct status *st)
{
    struct seeding s = {.n = 0};
    struct math_philox g;
    int64_t num = 0;
    if (!read(c, &s, &num, st))
        return false;
    const struct shape shape = shape_2(num, s.dims);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    float *room = out ? kernel_scratch(c, 4 * s.n * (int64_t)sizeof *room, st) : NULL;
    if (!room)
        return false;
    s.nearest = room;
    s.now = room + s.n;
    s.best = room + 2 * s.n;
    s.sums = room + 3 * s.n;
    math_philox_init(&g, (uint64_t)tensor_i64(kernel_in(c, 2))[0], 0);
    math_philox_stream_init(&s.stream, &g);
    for (int64_t i = 0; i < num; i++)
        memcpy(tensor_f32(out) + i * s.dims, s.points + next_row(&s, i == 0) * s.dims,
               (size_t)s.dims * sizeof *s.points);
    return true;
}

OP_DEF(kmeans_plus_plus_initialization) = {
    .name = "KmeansPlusPlusInitialization",
    .summary = "Rows of points to begin k-means with, far from each other.",
    .inputs = {"points: float", "num_to_sample: int64", "seed: int64",
               "num_retries_per_sample: int64"},
    .outputs = {"samples: float"},
    .shape = infer_unknown_outputs,
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(kmeans_plus_plus_initialization_cpu) = {
    .op = "KmeansPlusPlusInitialization", .device = "CPU", .run = seeding_run};
