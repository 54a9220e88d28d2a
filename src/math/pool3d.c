/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling over three dimensions: see volume.h. */
#include <math.h>

#include "math/volume.h"

struct job {
    const struct math_volume *v;
    const float *x, *y, *dy;
    float *to;
};

/* A window clipped to the volume. */
struct clipped {
    int64_t from[3], to[3];
};

static struct clipped clip(const struct math_volume *v, const int64_t at[3])
{
    struct clipped c;
    for (int i = 0; i < 3; i++) {
        const int64_t start = at[i] * v->stride[i] - v->pad[i];
        c.from[i] = max_i64(start, 0);
        c.to[i] = min_i64(start + v->window[i], v->in[i]);
    }
    return c;
}

static int64_t clipped_size(const struct clipped *c)
{
    int64_t n = 1;
    for (int i = 0; i < 3; i++)
        n *= max_i64(c->to[i] - c->from[i], 0);
    return n;
}

/* Runs body for each window of the depths [begin, end) of batch * out[0]: `o` is the place of its
 * first channel in y, `w` the clipped window, `image` the place of the volume in x. */
#define EACH_WINDOW(...)                                                                           \
    for (int64_t bd = begin; bd < end; bd++) {                                                     \
        const int64_t image = bd / v->out[0] * v->in[0] * v->in[1] * v->in[2] * v->in_c;           \
        int64_t at[3] = {bd % v->out[0], 0, 0};                                                    \
        for (at[1] = 0; at[1] < v->out[1]; at[1]++) {                                              \
            for (at[2] = 0; at[2] < v->out[2]; at[2]++) {                                          \
                const int64_t o = ((bd * v->out[1] + at[1]) * v->out[2] + at[2]) * v->in_c;        \
                const struct clipped w = clip(v, at);                                              \
                __VA_ARGS__                                                                        \
            }                                                                                      \
        }                                                                                          \
    }
/* In a window: `i` is the place of each element's first channel in x. */
#define EACH_ELEMENT(...)                                                                          \
    for (int64_t d = w.from[0]; d < w.to[0]; d++) {                                                \
        for (int64_t h = w.from[1]; h < w.to[1]; h++) {                                            \
            for (int64_t q = w.from[2]; q < w.to[2]; q++) {                                        \
                const int64_t i = image + ((d * v->in[1] + h) * v->in[2] + q) * v->in_c;           \
                for (int64_t c = 0; c < v->in_c; c++)                                              \
                    __VA_ARGS__                                                                    \
            }                                                                                      \
        }                                                                                          \
    }

static void max_part(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct math_volume *v = j->v;
    EACH_WINDOW({
        float *y = j->to + o;
        for (int64_t c = 0; c < v->in_c; c++)
            y[c] = -INFINITY;
        EACH_ELEMENT({ y[c] = j->x[i + c] > y[c] ? j->x[i + c] : y[c]; })
    })
}

static void average_part(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct math_volume *v = j->v;
    EACH_WINDOW({
        float *y = j->to + o;
        for (int64_t c = 0; c < v->in_c; c++)
            y[c] = 0;
        EACH_ELEMENT({ y[c] += j->x[i + c]; })
        const float n = (float)clipped_size(&w);
        for (int64_t c = 0; c < v->in_c; c++)
            y[c] /= n;
    })
}

static void max_grad_part(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct math_volume *v = j->v;
    EACH_WINDOW({
        const float *y = j->y + o, *dy = j->dy + o;
        EACH_ELEMENT({ j->to[i + c] += j->x[i + c] == y[c] ? dy[c] : 0; })
    })
}

static void average_grad_part(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct math_volume *v = j->v;
    EACH_WINDOW({
        const float *dy = j->dy + o;
        const float n = (float)clipped_size(&w);
        EACH_ELEMENT({ j->to[i + c] += dy[c] / n; })
    })
}

static void max_grad_grad_part(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct math_volume *v = j->v;
    EACH_WINDOW({
        const float *y = j->y + o;
        float *to = j->to + o;
        for (int64_t c = 0; c < v->in_c; c++) {
            to[c] = 0;
            bool found = false;
            for (int64_t d = w.from[0]; d < w.to[0] && !found; d++) {
                for (int64_t h = w.from[1]; h < w.to[1] && !found; h++) {
                    for (int64_t q = w.from[2]; q < w.to[2] && !found; q++) {
                        const int64_t i = image + ((d * v->in[1] + h) * v->in[2] + q) * v->in_c + c;
                        found = j->x[i] == y[c];
                        to[c] = found ? j->dy[i] : 0;
                    }
                }
            }
        }
    })
}

/* Over every depth of every output; those that add to dx share a volume's between none. */
static void run(struct pool *pool, struct job *j, pool_loop_fn fn, bool adds)
{
    const struct math_volume *v = j->v;
    const double window = (double)v->window[0] * (double)v->window[1] * (double)v->window[2];
    const double cost =
        20 + window * (double)v->out[1] * (double)v->out[2] * (2 + 0.5 * (double)v->in_c);
    const int64_t depths = v->batch * v->out[0];
    if (adds) {
        memset(j->to, 0,
               (size_t)(v->batch * v->in[0] * v->in[1] * v->in[2] * v->in_c) * sizeof(float));
        pool_loop(pool, depths, max_i64(v->out[0], 1), cost, fn, j);
    } else {
        pool_loop(pool, depths, pool_grain(depths, cost), cost, fn, j);
    }
}

void math_maxpool3d(struct pool *pool, const struct math_volume *v, const float *x, float *y)
{
    run(pool, &(struct job){.v = v, .x = x, .to = y}, max_part, false);
}

void math_avgpool3d(struct pool *pool, const struct math_volume *v, const float *x, float *y)
{
    run(pool, &(struct job){.v = v, .x = x, .to = y}, average_part, false);
}

void math_maxpool3d_grad(struct pool *pool, const struct math_volume *v,
                         const struct math_maxpool3d_grad *g)
{
    run(pool, &(struct job){.v = v, .x = g->x, .y = g->y, .dy = g->dy, .to = g->dx}, max_grad_part,
        true);
}

void math_maxpool3d_grad_grad(struct pool *pool, const struct math_volume *v, const float *x,
                              const float *y, const float *ddx, float *ddy)
{
    run(pool, &(struct job){.v = v, .x = x, .y = y, .dy = ddx, .to = ddy}, max_grad_grad_part,
        false);
}

void math_avgpool3d_grad(struct pool *pool, const struct math_volume *v, const float *dy, float *dx)
{
    run(pool, &(struct job){.v = v, .dy = dy, .to = dx}, average_grad_part, true);
}
