/* SPDX-License-Identifier: Apache-2.0 */
/* NearestNeighbors: of each point the k nearest centres by squared distance, the nearest first, of
 * equals the first. KMC2ChainInitialization: the end of a Markov chain that walks over candidates
 * and stays longer at those far away (O. Bachem and others, "Fast and Provably Good Seedings for
 * k-Means", 2016). */
#include <math.h>

#include "math/rng.h"
#include "op/infer.h"
#include "op/kernel.h"

struct search {
    const float *points, *centers;
    int64_t num_centers, dims, k;
    int64_t *indices;
    float *distances;
};

static float distance(const float *restrict a, const float *restrict b, int64_t n)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* The best so far stay sorted. */
static void search_points(void *arg, int64_t begin, int64_t end)
{
    const struct search *s = arg;
    for (int64_t p = begin; p < end; p++) {
        int64_t *index = s->indices + p * s->k, n = 0;
        float *best = s->distances + p * s->k;
        for (int64_t c = 0; c < s->num_centers; c++) {
            const float d = distance(s->points + p * s->dims, s->centers + c * s->dims, s->dims);
            if (n == s->k && !(d < best[n - 1]))
                continue;
            int64_t at = n < s->k ? n++ : n - 1;
            for (; at > 0 && d < best[at - 1]; at--) {
                best[at] = best[at - 1];
                index[at] = index[at - 1];
            }
            best[at] = d;
            index[at] = c;
        }
    }
}

static bool nearest_run(struct kctx *c, struct status *st)
{
    const struct tensor *points = kernel_in(c, 0), *centers = kernel_in(c, 1);
    if (tensor_rank(points) != 2)
        return status_invalid(st, "points must be a matrix, not of rank %d", tensor_rank(points));
    if (tensor_rank(centers) != 2)
        return status_invalid(st, "centers must be a matrix, not of rank %d", tensor_rank(centers));
    if (!kernel_want_scalar(c, 2, st))
        return false;
    struct search s = {.points = tensor_f32(points),
                       .centers = tensor_f32(centers),
                       .num_centers = tensor_dim(centers, 0),
                       .dims = tensor_dim(points, 1),
                       .k = tensor_i64(kernel_in(c, 2))[0]};
    if (tensor_dim(points, 0) <= 0)
        return status_invalid(st, "Expected points.rows() > 0.");
    if (s.num_centers <= 0)
        return status_invalid(st, "Expected centers.rows() > 0.");
    if (s.dims != tensor_dim(centers, 1))
        return status_invalid(st, "Expected point_dimensions == center_dimensions: %lld vs %lld.",
                              (long long)s.dims, (long long)tensor_dim(centers, 1));
    if (s.k < 0)
        return status_invalid(st, "k must not be negative: %lld", (long long)s.k);
    s.k = s.k < s.num_centers ? s.k : s.num_centers;
    const struct shape shape = shape_2(tensor_dim(points, 0), s.k);
    struct tensor *index = kernel_out(c, 0, &shape, st);
    struct tensor *best = index ? kernel_out(c, 1, &shape, st) : NULL;
    if (!best)
        return false;
    s.indices = tensor_i64(index);
    s.distances = tensor_f32(best);
    if (s.k > 0)
        kernel_loop(c, tensor_dim(points, 0), (double)s.num_centers * (double)(s.dims + s.k),
                    search_points, &s);
    return true;
}

OP_DEF(nearest_neighbors) = {
    .name = "NearestNeighbors",
    .summary = "The centres nearest to each point, and the squares of their distances.",
    .inputs = {"points: float", "centers: float", "k: int64"},
    .outputs = {"nearest_center_indices: int64", "nearest_center_distances: float"},
    .shape = infer_unknown_outputs,
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(nearest_neighbors_cpu) = {.op = "NearestNeighbors", .device = "CPU", .run = nearest_run};

static bool chain_run(struct kctx *c, struct status *st)
{
    const struct tensor *d = kernel_in(c, 0);
    const struct shape scalar = shape_scalar();
    struct math_philox g;
    struct math_philox_stream stream;
    if (!kernel_want_vector(c, 0, st) || !kernel_want_scalar(c, 1, st))
        return false;
    if (d->num_elems == 0)
        return status_invalid(st, "there are no distances to walk over");
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (!out)
        return false;
    math_philox_init(&g, (uint64_t)tensor_i64(kernel_in(c, 1))[0], 0);
    math_philox_stream_init(&stream, &g);
    const float *distances = tensor_f32(d);
    int64_t at = 0;
    for (int64_t i = 1; i < d->num_elems; i++) {
        const float draw = math_philox_float(&stream);
        if (distances[i] > draw * distances[at])
            at = i;
    }
    tensor_i64(out)[0] = at;
    return true;
}

OP_DEF(kmc2_chain_initialization) = {
    .name = "KMC2ChainInitialization",
    .summary = "Which of the candidates, whose squared distances are given, is the next centre.",
    .inputs = {"distances: float", "seed: int64"},
    .outputs = {"index: int64"},
    .shape = infer_scalars,
    .no_grad = "undefined: an index is no function of distances",
};
KERNEL_DEF(kmc2_chain_initialization_cpu) = {
    .op = "KMC2ChainInitialization", .device = "CPU", .run = chain_run};
