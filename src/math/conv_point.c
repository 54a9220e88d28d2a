/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of float NHWC images by a 1 x 1 filter without strides: all positions of the batch
 * are the rows of one matrix, channels its columns.
 *
 * Forward and by the input that is a tall matrix times the filter, which gemm does. By the filter
 * it is a sum over all positions: cut into parts by the images alone, each summed by one thread,
 * parts added in order. Of the two sides' channels the fewer lie along vectors, so the sum may come
 * out transposed. */
#include "math/conv_plan.h"

#include "math/simd/gemm_simd.h"
#include "math/transpose.h"
#include "tensor/dtype.h"

#define VECTOR 16                /* floats of the widest level's */
#define FILTER_BYTES (256 << 10) /* it stays in the second cache level */
#define POSITIONS_MIN 4096       /* fewer: what is gained is not worth it */

/* How well channels lie along vectors; 0: not at all. */
static int fitness(int64_t channels)
{
    if (channels % VECTOR != 0 || channels == VECTOR)
        return channels == VECTOR;
    return channels % (3 * VECTOR) == 0 || channels % (4 * VECTOR) == 0 ? 3 : 2;
}

/* The sum comes out as out_c x in_c: the better fitting channels lie along vectors, of two that fit
 * alike the fewer. */
static bool is_turned(const struct math_conv_shape *s)
{
    const int in = fitness(s->in_c), out = fitness(s->out_c);
    return in > out || (in == out && s->in_c < s->out_c);
}

bool conv_point_serves(const struct math_conv *plan, enum conv_pass pass)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t columns = pass == CONV_FORWARD ? s->out_c : s->in_c;
    if (s->dtype != DT_FLOAT || !conv_is_pointwise(s) || s->in_c < 1 || s->out_c < 1 ||
        plan->filter_items * s->out_c * plan->item > FILTER_BYTES ||
        s->batch * s->out_h * s->out_w < POSITIONS_MIN)
        return false;
    if (pass != CONV_BACKWARD_FILTER)
        return s->batch * s->out_h * s->out_w / GEMM_TALL >= columns;
    return fitness(s->in_c) > 0 || fitness(s->out_c) > 0;
}

/* Sums of the parts, and before them where they are added up. */
int64_t conv_point_scratch_bytes(const struct math_conv *plan, enum conv_pass pass)
{
    const int64_t filter = plan->filter_items * plan->shape.out_c * plan->item;
    return pass == CONV_BACKWARD_FILTER ? (plan->partials + 1) * filter : 0;
}

struct point_job {
    const struct math_conv *plan;
    const struct math_conv_args *a;
    bool turned;
    float *sums;
};

static void filter_run(void *arg, int64_t begin, int64_t end)
{
    const struct point_job *j = arg;
    const struct math_conv *plan = j->plan;
    const struct math_conv_shape *s = &plan->shape;
    struct math_gemm g = {.m = s->in_c, .n = s->out_c, .lda = s->in_c, .ldb = s->out_c};
    if (j->turned) {
        g.m = g.lda = s->out_c;
        g.n = g.ldb = s->in_c;
    }
    g.ldc = g.n;
    g.trans_a = true;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = conv_share(s->batch, plan->partials, i);
        const float *x = (const float *)j->a->x + first * plan->in_items;
        const float *dy = (const float *)j->a->dy + first * plan->out_items;
        g.k = (conv_share(s->batch, plan->partials, i + 1) - first) * s->out_h * s->out_w;
        g.a = j->turned ? dy : x;
        g.b = j->turned ? x : dy;
        g.c = j->sums + i * s->in_c * s->out_c;
        SIMD_CALL(gemm_long_f32)(&g);
    }
}

void conv_point_backward_filter(const struct math_conv *plan, struct pool *pool,
                                const struct math_conv_args *a, void *scratch)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t n = s->in_c * s->out_c;
    struct point_job j = {.plan = plan, .a = a, .turned = is_turned(s)};
    float *to = j.turned ? scratch : a->dfilter;
    j.sums = plan->partials > 1 ? (float *)scratch + n : to;
    const double cost = plan->cost_ns * (double)s->batch / (double)plan->partials;
    pool_loop(pool, plan->partials, 1, cost, filter_run, &j);
    if (plan->partials > 1)
        conv_sum_partials(plan, j.sums, to);
    if (!j.turned)
        return;
    const struct math_transpose t = {.item = sizeof(float),
                                     .x = to,
                                     .y = a->dfilter,
                                     .rank = 2,
                                     .dims = (const int64_t[]){s->out_c, s->in_c},
                                     .perm = (const int[]){1, 0}};
    math_transpose(NULL, &t);
}
