/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by Winograd's way: simd/conv_fast_simd.h's blocks of tiles over a batch. 3 x 3 and
 * 5 x 5 filters without strides then take a quarter and a third of the products.
 *
 * Rounding is that of a sum a few times as long (about 2e-6 of the largest output, from 1e-6 on);
 * an input reaches all outputs of its tile, if only by rounding. So infinities, NaN and what
 * overflows would spread: results that are not finite are seen, and the caller computes the whole
 * again another way. Whether this is so hangs on values alone, never on threads. Blocks of tiles
 * are cut by shape; the gradient by the input is a convolution with the filter turned round. */
#include "math/conv_plan.h"

#include "base/cpu.h"
#include "math/scratch.h"
#include "math/simd/conv_fast_simd.h"
#include "tensor/dtype.h"

#define BLOCK_BYTES                                                                                \
    (448 << 10)               /* at points, inputs and outputs: half of the second cache level     \
                               */
#define FILTER_ITEMS_MAX 8192 /* in_c * out_c: the filter at points stays there too */
#define TILES_MIN 48          /* or the filter's way to the points costs too much */
#define CHANNELS_MAX 512

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The geometry of a pass; false: not for us. */
static bool fast_make(const struct math_conv *plan, enum conv_pass pass, struct conv_fast *out)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t r = s->filter_h;
    if (s->dtype != DT_FLOAT || (r != 3 && r != 5) || s->filter_w != r || s->stride_h != 1 ||
        s->stride_w != 1 || s->dilation_h != 1 || s->dilation_w != 1 || s->pad_top >= r ||
        s->pad_left >= r || s->in_c > CHANNELS_MAX || s->out_c > CHANNELS_MAX || s->in_c < 1 ||
        s->out_c < 1 || s->in_c % CONV_FAST_CHANNELS || s->out_c % CONV_FAST_CHANNELS ||
        s->in_c * s->out_c > FILTER_ITEMS_MAX)
        return false;
    struct conv_fast d = {s->in_h,  s->in_w,    s->in_c,     s->out_h,   s->out_w,
                          s->out_c, s->pad_top, s->pad_left, .filter = r};
    if (pass == CONV_BACKWARD_DATA)
        d = (struct conv_fast){s->out_h,   s->out_w, s->out_c,           s->in_h,
                               s->in_w,    s->in_c,  r - 1 - s->pad_top, r - 1 - s->pad_left,
                               .filter = r};
    d.tile = CONV_FAST_SIDE + 1 - r;
    d.tiles_h = ceil_div(d.out_h, d.tile);
    d.tiles_w = ceil_div(d.out_w, d.tile);
    const int64_t bytes = CONV_FAST_POINTS * (d.in_c + d.out_c) * (int64_t)sizeof(float);
    d.most = min_i64(96, max_i64(12, BLOCK_BYTES / bytes / 12 * 12));
    *out = d;
    return true;
}

bool conv_fast_serves(const struct math_conv *plan, enum conv_pass pass)
{
    struct conv_fast d;
    if (cpu_level() != CPU_AVX512 || !fast_make(plan, pass, &d))
        return false;
    /* Products, against those of all taps: tiles may reach far beyond a small image. */
    const int64_t tiles = d.tiles_h * d.tiles_w;
    return tiles * plan->shape.batch >= TILES_MIN &&
           2 * d.out_h * d.out_w * d.filter * d.filter >= 3 * tiles * CONV_FAST_POINTS;
}

static int64_t filter_at_points(const struct math_conv *plan)
{
    return CONV_FAST_POINTS * plan->shape.in_c * plan->shape.out_c * (int64_t)sizeof(float);
}

int64_t conv_fast_scratch_bytes(const struct math_conv *plan, enum conv_pass pass)
{
    const int64_t filter = plan->filter_items * plan->shape.out_c * plan->item;
    if (pass == CONV_BACKWARD_FILTER)
        return plan->partials * filter_at_points(plan);
    return filter_at_points(plan) + (pass == CONV_BACKWARD_DATA ? filter : 0);
}

struct fast_job {
    struct conv_fast d;
    const float *x, *filter;
    float *y;
    const struct math_conv *plan;
    const struct math_conv_args *epilogue; /* forward: bias and activation; else NULL */
    float *sums;                           /* filter gradients at points, one a part */
    int64_t batch, partials;
    int odd; /* atomic: something is not finite */
};

/* A block with the thread's scratch. */
static struct conv_fast_block block_new(const struct fast_job *j)
{
    const struct conv_fast *d = &j->d;
    const int64_t in = CONV_FAST_POINTS * conv_fast_pitch(d, d->in_c);
    const int64_t out = CONV_FAST_POINTS * conv_fast_pitch(d, d->out_c);
    const int64_t zeros = max_i64(d->in_c, d->out_c);
    float *room = math_scratch(MATH_SCRATCH_ROWS, (size_t)(in + out + zeros) * sizeof(float));
    memset(room + in + out, 0, (size_t)zeros * sizeof(float));
    return (struct conv_fast_block){.d = d,
                                    .x = j->x,
                                    .y = j->y,
                                    .filter = j->filter,
                                    .at_in = room,
                                    .at_out = room + in,
                                    .zeros = room + in + out,
                                    .finite = true};
}

static void forward_run(void *arg, int64_t begin, int64_t end)
{
    struct fast_job *j = arg;
    struct conv_fast_block b = block_new(j);
    const int64_t tiles = j->batch * j->d.tiles_h * j->d.tiles_w;
    const struct math_conv_args *e = j->epilogue;
    if (e && e->act <= MATH_ACT_RELU) {
        b.bias = e->bias;
        b.relu = e->act == MATH_ACT_RELU;
    }
    for (int64_t i = begin; i < end && b.finite; i++) {
        b.first = i * j->d.most;
        b.num = min_i64(j->d.most, tiles - b.first);
        SIMD_CALL(conv_fast_forward)(&b);
    }
    if (!b.finite)
        __atomic_store_n(&j->odd, 1, __ATOMIC_RELAXED);
}

static bool convolve(struct fast_job *j, struct pool *pool)
{
    const struct math_conv *plan = j->plan;
    const int64_t tiles = j->batch * j->d.tiles_h * j->d.tiles_w;
    const int64_t blocks = ceil_div(tiles, j->d.most);
    /* A third of the products, and the ways to the points and back. */
    const double cost = 0.5 * plan->cost_ns * (double)j->batch / (double)blocks;
    pool_loop(pool, blocks, 1, cost, forward_run, j);
    if (j->odd)
        return false;
    if (j->epilogue && j->epilogue->act > MATH_ACT_RELU)
        conv_epilogue(plan, pool, j->epilogue, j->y, j->batch * j->d.out_h * j->d.out_w);
    return true;
}

bool conv_fast_forward(const struct math_conv *plan, struct pool *pool,
                       const struct math_conv_args *a, void *scratch)
{
    struct fast_job j = {.plan = plan,
                         .x = a->x,
                         .filter = scratch,
                         .y = a->y,
                         .epilogue = a,
                         .batch = plan->shape.batch};
    if (!fast_make(plan, CONV_FORWARD, &j.d))
        return false;
    SIMD_CALL(conv_fast_filter)(&j.d, a->filter, scratch);
    return convolve(&j, pool);
}

bool conv_fast_backward_data(const struct math_conv *plan, struct pool *pool,
                             const struct math_conv_args *a, void *scratch)
{
    struct fast_job j = {
        .plan = plan, .x = a->dy, .filter = scratch, .y = a->dx, .batch = plan->shape.batch};
    if (!fast_make(plan, CONV_BACKWARD_DATA, &j.d))
        return false;
    float *turned = (float *)((char *)scratch + filter_at_points(plan));
    conv_turn_filter(&plan->shape, a->filter, turned);
    SIMD_CALL(conv_fast_filter)(&j.d, turned, scratch);
    return convolve(&j, pool);
}

static void filter_run(void *arg, int64_t begin, int64_t end)
{
    const struct fast_job *j = arg;
    const struct conv_fast *d = &j->d;
    const int64_t items = CONV_FAST_POINTS * d->in_c * d->out_c, tiles = d->tiles_h * d->tiles_w;
    struct conv_fast_block b = block_new(j);
    for (int64_t i = begin; i < end; i++) {
        b.sum = j->sums + i * items;
        memset(b.sum, 0, (size_t)items * sizeof(float));
        const int64_t last = conv_share(j->batch, j->partials, i + 1) * tiles;
        b.first = conv_share(j->batch, j->partials, i) * tiles;
        for (; b.first < last; b.first += d->most) {
            b.num = min_i64(d->most, last - b.first);
            SIMD_CALL(conv_fast_backward_filter)(&b);
        }
    }
}

bool conv_fast_backward_filter(const struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *a, void *scratch)
{
    struct fast_job j = {.plan = plan,
                         .x = a->x,
                         .y = (float *)(uintptr_t)a->dy, /* read only */
                         .sums = scratch,
                         .batch = plan->shape.batch,
                         .partials = plan->partials};
    if (!fast_make(plan, CONV_BACKWARD_FILTER, &j.d))
        return false;
    const double cost = 0.5 * plan->cost_ns * (double)j.batch / (double)j.partials;
    pool_loop(pool, j.partials, 1, cost, filter_run, &j);
    const int64_t items = CONV_FAST_POINTS * j.d.in_c * j.d.out_c;
    for (int64_t k = 1; k < j.partials; k++)
        conv_add(DT_FLOAT, j.sums, j.sums + k * items, items);
    return SIMD_CALL(conv_fast_filter_back)(&j.d, j.sums, a->dfilter);
}
