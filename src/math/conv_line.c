/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution along lines: filters of one row or one column, by simd/conv_line_simd.h's blocks of
 * tiles over a batch. Sentences of word vectors take two fifths of the products then.
 *
 * Rounding, what is not finite, and the gradient by the input are as in conv_fast.c: about 2e-6 of
 * the largest output; results that are not finite are seen, and the caller computes the whole again
 * another way; the gradient is a convolution with the filter turned round. Blocks are cut by
 * shape. */
#include "math/conv_plan.h"

#include "base/cpu.h"
#include "math/scratch.h"
#include "math/simd/conv_line_simd.h"
#include "tensor/dtype.h"

#define BLOCK_BYTES (384 << 10)      /* at points, inputs and outputs */
#define FILTER_ITEMS_MAX (32 * 1024) /* in_c * out_c: the filter at points stays in a cache */
#define CHANNELS_MIN 32              /* or the ways to the points and back cost too much */
#define TILES_MIN 48                 /* and the filter's */
#define TILES_OF_A_PART 128          /* of a partial gradient, at least */

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The geometry of a pass; false: not for us. */
static bool line_make(const struct math_conv *plan, enum conv_pass pass, struct conv_line *out)
{
    const struct math_conv_shape *s = &plan->shape;
    const bool along_h = s->filter_w == 1;
    const int64_t r = along_h ? s->filter_h : s->filter_w;
    const int64_t pad = along_h ? s->pad_top : s->pad_left;
    if (s->dtype != DT_FLOAT || (!along_h && s->filter_h != 1) || r < CONV_LINE_TAPS_MIN ||
        r > CONV_LINE_TAPS_MAX || s->stride_h != 1 || s->stride_w != 1 || s->dilation_h != 1 ||
        s->dilation_w != 1 || pad >= r || (along_h ? s->pad_left : s->pad_top) != 0 ||
        (along_h ? s->in_w != s->out_w : s->in_h != s->out_h))
        return false;
    if (min_i64(s->in_c, s->out_c) < CHANNELS_MIN || s->in_c % CONV_LINE_CHANNELS ||
        s->out_c % CONV_LINE_CHANNELS || s->in_c > FILTER_ITEMS_MAX / CHANNELS_MIN ||
        s->out_c > FILTER_ITEMS_MAX / CHANNELS_MIN || s->in_c * s->out_c > FILTER_ITEMS_MAX)
        return false;
    struct conv_line d = {.lines = along_h ? s->in_w : s->in_h, .pad = pad, .filter = r};
    d.in = (struct conv_line_at){s->in_w, s->in_c, s->in_c, s->in_w * s->in_c, plan->in_items};
    d.out =
        (struct conv_line_at){s->out_w, s->out_c, s->out_c, s->out_w * s->out_c, plan->out_items};
    if (along_h) {
        d.in = (struct conv_line_at){s->in_h, s->in_c, d.in.line, s->in_c, plan->in_items};
        d.out = (struct conv_line_at){s->out_h, s->out_c, d.out.line, s->out_c, plan->out_items};
    }
    if (pass == CONV_BACKWARD_DATA) {
        const struct conv_line_at in = d.in;
        d.in = d.out, d.out = in, d.pad = r - 1 - pad;
    }
    d.tile = CONV_LINE_POINTS + 1 - r;
    d.tiles = ceil_div(d.out.pixels, d.tile);
    const int64_t bytes =
        CONV_LINE_POINTS * (d.in.channels + d.out.channels) * (int64_t)sizeof(float);
    d.most = min_i64(192, max_i64(12, BLOCK_BYTES / bytes / 12 * 12));
    *out = d;
    return true;
}

bool conv_line_serves(const struct math_conv *plan, enum conv_pass pass)
{
    struct conv_line d;
    if (cpu_level() != CPU_AVX512 || !line_make(plan, pass, &d))
        return false;
    /* Products, against those of all taps: the last tile of a line may reach far beyond it. */
    return d.tiles * d.lines * plan->shape.batch >= TILES_MIN &&
           2 * d.out.pixels * d.filter >= 3 * d.tiles * CONV_LINE_POINTS;
}

static int64_t filter_at_points(const struct math_conv *plan)
{
    return CONV_LINE_POINTS * plan->shape.in_c * plan->shape.out_c * (int64_t)sizeof(float);
}

/* Partial gradients by the filter: fewer than by other ways, since each has all the points. */
static int64_t num_partials(const struct math_conv *plan, const struct conv_line *d)
{
    const int64_t tiles = plan->shape.batch * d->lines * d->tiles;
    int64_t num = plan->partials;
    while (num > 1 && tiles / num < TILES_OF_A_PART)
        num /= 2;
    return num;
}

int64_t conv_line_scratch_bytes(const struct math_conv *plan, enum conv_pass pass)
{
    const int64_t filter = plan->filter_items * plan->shape.out_c * plan->item;
    if (pass == CONV_BACKWARD_FILTER)
        return plan->partials * filter_at_points(plan);
    return filter_at_points(plan) + (pass == CONV_BACKWARD_DATA ? filter : 0);
}

struct line_job {
    struct conv_line d;
    const float *x, *filter;
    float *y;
    const struct math_conv *plan;
    const struct math_conv_args *epilogue; /* forward: bias and activation; else NULL */
    float *sums;                           /* filter gradients at points, one a part */
    int64_t lines, partials;               /* lines of the whole batch */
    int odd;                               /* atomic: something is not finite */
};

/* A block with the thread's scratch. */
static struct conv_line_block block_new(const struct line_job *j)
{
    const struct conv_line *d = &j->d;
    const int64_t in = CONV_LINE_POINTS * conv_line_pitch(d, d->in.channels);
    const int64_t out = CONV_LINE_POINTS * conv_line_pitch(d, d->out.channels);
    const int64_t zeros = max_i64(d->in.channels, d->out.channels);
    float *room = math_scratch(MATH_SCRATCH_ROWS, (size_t)(in + out + zeros) * sizeof(float));
    memset(room + in + out, 0, (size_t)zeros * sizeof(float));
    return (struct conv_line_block){.d = d,
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
    struct line_job *j = arg;
    struct conv_line_block b = block_new(j);
    const int64_t tiles = j->lines * j->d.tiles;
    const struct math_conv_args *e = j->epilogue;
    if (e && e->act <= MATH_ACT_RELU) {
        b.bias = e->bias;
        b.relu = e->act == MATH_ACT_RELU;
    }
    for (int64_t i = begin; i < end && b.finite; i++) {
        b.first = i * j->d.most;
        b.num = min_i64(j->d.most, tiles - b.first);
        SIMD_CALL(conv_line_forward)(&b);
    }
    if (!b.finite)
        __atomic_store_n(&j->odd, 1, __ATOMIC_RELAXED);
}

static bool convolve(struct line_job *j, struct pool *pool)
{
    const struct math_conv *plan = j->plan;
    const int64_t blocks = ceil_div(j->lines * j->d.tiles, j->d.most);
    const double cost = 0.5 * plan->cost_ns * (double)plan->shape.batch / (double)blocks;
    pool_loop(pool, blocks, 1, cost, forward_run, j);
    if (j->odd)
        return false;
    if (j->epilogue && j->epilogue->act > MATH_ACT_RELU)
        conv_epilogue(plan, pool, j->epilogue, j->y, j->lines * j->d.out.pixels);
    return true;
}

bool conv_line_forward(const struct math_conv *plan, struct pool *pool,
                       const struct math_conv_args *a, void *scratch)
{
    struct line_job j = {.plan = plan, .x = a->x, .filter = scratch, .y = a->y, .epilogue = a};
    if (!line_make(plan, CONV_FORWARD, &j.d))
        return false;
    j.lines = plan->shape.batch * j.d.lines;
    SIMD_CALL(conv_line_filter)(&j.d, a->filter, scratch);
    return convolve(&j, pool);
}

bool conv_line_backward_data(const struct math_conv *plan, struct pool *pool,
                             const struct math_conv_args *a, void *scratch)
{
    struct line_job j = {.plan = plan, .x = a->dy, .filter = scratch, .y = a->dx};
    if (!line_make(plan, CONV_BACKWARD_DATA, &j.d))
        return false;
    j.lines = plan->shape.batch * j.d.lines;
    float *turned = (float *)((char *)scratch + filter_at_points(plan));
    conv_turn_filter(&plan->shape, a->filter, turned);
    SIMD_CALL(conv_line_filter)(&j.d, turned, scratch);
    return convolve(&j, pool);
}

static void filter_run(void *arg, int64_t begin, int64_t end)
{
    const struct line_job *j = arg;
    const struct conv_line *d = &j->d;
    const int64_t items = CONV_LINE_POINTS * d->in.channels * d->out.channels;
    struct conv_line_block b = block_new(j);
    for (int64_t i = begin; i < end; i++) {
        b.sum = j->sums + i * items;
        memset(b.sum, 0, (size_t)items * sizeof(float));
        int64_t first = conv_share(j->lines, j->partials, i) * d->tiles;
        const int64_t last = conv_share(j->lines, j->partials, i + 1) * d->tiles;
        const int64_t blocks = ceil_div(last - first, d->most);
        for (int64_t k = 0; k < blocks; k++) { /* of nearly the same size */
            b.first = first + conv_share(last - first, blocks, k);
            b.num = first + conv_share(last - first, blocks, k + 1) - b.first;
            SIMD_CALL(conv_line_backward_filter)(&b);
        }
    }
}

bool conv_line_backward_filter(const struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *a, void *scratch)
{
    struct line_job j = {.plan = plan,
                         .x = a->x,
                         .y = (float *)(uintptr_t)a->dy, /* read only */
                         .sums = scratch};
    if (!line_make(plan, CONV_BACKWARD_FILTER, &j.d))
        return false;
    j.lines = plan->shape.batch * j.d.lines;
    j.partials = num_partials(plan, &j.d);
    const double cost = 0.5 * plan->cost_ns * (double)plan->shape.batch / (double)j.partials;
    pool_loop(pool, j.partials, 1, cost, filter_run, &j);
    const int64_t items = CONV_LINE_POINTS * j.d.in.channels * j.d.out.channels;
    for (int64_t k = 1; k < j.partials; k++)
        conv_add(DT_FLOAT, j.sums, j.sums + k * items, items);
    return SIMD_CALL(conv_line_filter_back)(&j.d, j.sums, a->dfilter);
}
