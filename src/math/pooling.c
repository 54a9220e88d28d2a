/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing pooling out: by image and by runs of channels. */
#include "math/pooling.h"

#include "math/simd/pooling_simd.h"
#include "tensor/dtype.h"

bool math_pooling_supports(int dtype, bool max)
{
    if (dtype_is_float(dtype))
        return true;
    return max &&
           (dtype == DT_INT8 || dtype == DT_UINT8 || dtype == DT_INT16 || dtype == DT_UINT16 ||
            dtype == DT_INT32 || dtype == DT_INT64 || dtype == DT_QINT8 || dtype == DT_QUINT8);
}

struct job {
    struct pooling_piece piece; /* all but the place */
    int64_t runs;               /* of channels, in an image */
    bool as_vectors;            /* pooling_max_f32 does it */
};

static int64_t run_channels(const struct math_pooling *s)
{
    return s->nchw ? 1 : POOLING_CHANNELS;
}

static void job_run(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    for (int64_t i = begin; i < end; i++) {
        struct pooling_piece p = j->piece;
        const int64_t width = run_channels(p.s);
        p.image = i / j->runs;
        p.channel = i % j->runs * width;
        p.num_channels = min_i64(width, p.s->channels - p.channel);
        if (j->as_vectors)
            SIMD_CALL(pooling_max_f32)(&p);
        else
            SIMD_CALL(pooling_run)(&p);
    }
}

static void run(struct pool *pool, const struct pooling_piece *piece)
{
    const struct math_pooling *s = piece->s;
    struct job j = {.piece = *piece};
    j.as_vectors = s->dtype == DT_FLOAT && !s->nchw &&
                   (piece->task == POOLING_MAX || piece->task == POOLING_MAX_GRAD);
    const int64_t width = run_channels(s);
    j.runs = (s->channels + width - 1) / width;
    const double taps =
        (double)s->out_h * (double)s->out_w * (double)s->window_h * (double)s->window_w;
    double cost = 50 + taps * (s->nchw ? 1 : (double)min_i64(width, s->channels) * 0.15 + 2);
    if (piece->task == POOLING_MAX_GRAD ||
        piece->task == POOLING_AVG_GRAD) /* all of dx is written */
        cost += 0.2 * (double)s->in_h * (double)s->in_w * (double)min_i64(width, s->channels);
    const int64_t n = s->batch * j.runs;
    pool_loop(pool, n, pool_grain(n, cost), cost, job_run, &j);
}

void math_maxpool(struct pool *pool, const struct math_pooling *s, const void *x, void *y)
{
    const struct pooling_piece p = {.s = s, .task = POOLING_MAX, .x = x, .y = y};
    run(pool, &p);
}

void math_maxpool_argmax(struct pool *pool, const struct math_pooling *s,
                         const struct math_maxpool_argmax *a)
{
    const struct pooling_piece p = {.s = s,
                                    .task = POOLING_ARGMAX,
                                    .x = a->x,
                                    .y = a->y,
                                    .argmax = a->argmax,
                                    .include_batch = a->include_batch};
    run(pool, &p);
}

void math_maxpool_grad(struct pool *pool, const struct math_pooling *s, const void *x,
                       const void *dy, void *dx)
{
    const struct pooling_piece p = {.s = s, .task = POOLING_MAX_GRAD, .x = x, .from = dy, .y = dx};
    run(pool, &p);
}

void math_maxpool_relu_grad(struct pool *pool, const struct math_pooling *s, const void *x,
                            const void *dy, void *dx)
{
    const struct pooling_piece p = {
        .s = s, .task = POOLING_MAX_GRAD, .x = x, .from = dy, .y = dx, .relu = true};
    run(pool, &p);
}

void math_maxpool_grad_grad(struct pool *pool, const struct math_pooling *s, const void *x,
                            const void *ddx, void *ddy)
{
    const struct pooling_piece p = {
        .s = s, .task = POOLING_MAX_GRAD_GRAD, .x = x, .from = ddx, .y = ddy};
    run(pool, &p);
}

void math_avgpool(struct pool *pool, const struct math_pooling *s, const void *x, void *y)
{
    const struct pooling_piece p = {.s = s, .task = POOLING_AVG, .x = x, .y = y};
    run(pool, &p);
}

void math_avgpool_grad(struct pool *pool, const struct math_pooling *s, const void *dy, void *dx)
{
    const struct pooling_piece p = {.s = s, .task = POOLING_AVG_GRAD, .from = dy, .y = dx};
    run(pool, &p);
}
