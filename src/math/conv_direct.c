/* SPDX-License-Identifier: Apache-2.0 */
/* Direct convolution of float NHWC images: simd/conv_simd.h's loops over strips of output rows.
 *
 * A strip's input rows are copied to the thread's scratch with their padding, unless the rows can
 * be read where they lie. The gradient by the input (stride 1) is a convolution of the output's
 * gradient with the filter turned round and transposed. Strips are cut by shape alone. */
#include "math/conv_plan.h"

#include "math/scratch.h"
#include "math/simd/conv_simd.h"
#include "math/transpose.h"
#include "tensor/dtype.h"

#define STRIP_BYTES (96 << 10) /* of padded input rows: they stay in the second cache level */

/* One pass as a forward convolution of `x` images, or the filter's gradient of one. */
struct direct {
    struct conv_direct d;
    int64_t in_w, in_c, pad_left;
    int64_t x_items, y_items; /* of an image */
    int64_t width;            /* columns that the outputs of a row read, padding included */
    bool copied;
    int64_t strip, strips; /* output rows of one, and how many in an image */
};

/* Nothing below can wrap: the widest products are of three of these. */
static bool sizes_moderate(const struct math_conv_shape *s)
{
    const int64_t sizes[] = {s->in_h,     s->in_w,       s->in_c,     s->out_h,    s->out_w,
                             s->out_c,    s->filter_h,   s->filter_w, s->stride_h, s->stride_w,
                             s->pad_left, s->dilation_h, s->pad_top};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        if (sizes[i] > 1 << 20)
            return false;
    return true;
}

/* The geometry of a pass; a shape that the loops cannot do is false. */
static bool direct_make(const struct math_conv *plan, enum conv_pass pass, struct direct *out)
{
    const bool backward_data = pass == CONV_BACKWARD_DATA;
    const struct math_conv_shape *s = &plan->shape;
    if (s->dtype != DT_FLOAT || s->dilation_w != 1 || s->filter_h < 1 || s->filter_w < 1 ||
        (backward_data && (s->stride_h != 1 || s->stride_w != 1)) || !sizes_moderate(s))
        return false;
    struct direct p = {.in_w = s->in_w, .in_c = s->in_c, .pad_left = s->pad_left};
    p.d = (struct conv_direct){s->in_h,
                               s->out_h,
                               s->out_w,
                               s->out_c,
                               s->filter_h,
                               .stride_h = s->stride_h,
                               .dilation_h = s->dilation_h,
                               .pad_top = s->pad_top};
    p.x_items = plan->in_items;
    p.y_items = plan->out_items;
    if (backward_data) {
        p.d.in_h = s->out_h;
        p.d.out_h = s->in_h;
        p.d.out_w = s->in_w;
        p.d.out_c = s->in_c;
        p.d.pad_top = (s->filter_h - 1) * s->dilation_h - s->pad_top;
        p.in_w = s->out_w;
        p.in_c = s->out_c;
        p.pad_left = s->filter_w - 1 - s->pad_left;
        p.x_items = plan->out_items;
        p.y_items = plan->in_items;
    }
    if (p.pad_left < 0 || p.d.out_w < 1 || p.d.out_h < 1 || p.in_w < 1 || p.in_c < 1)
        return false;
    p.d.run = s->filter_w * p.in_c;
    p.d.step = s->stride_w * p.in_c;
    p.width = (p.d.out_w - 1) * s->stride_w + s->filter_w;
    p.copied = (p.pad_left > 0 || p.width > p.in_w) &&
               (pass != CONV_BACKWARD_FILTER || p.in_c < CONV_TAP_CHANNELS);
    p.d.pitch = (p.copied ? p.width : p.in_w) * p.in_c;
    p.d.in_w = p.copied ? p.width : p.in_w;
    p.d.left = p.copied ? 0 : p.pad_left;
    p.d.in_c = p.in_c;
    p.d.filter_w = s->filter_w;
    p.d.stride_w = s->stride_w;
    const int64_t window = (s->filter_h - 1) * s->dilation_h + 1;
    const int64_t rows = STRIP_BYTES / 4 / p.d.pitch - window;
    p.strip = max_i64(1, min_i64(p.d.out_h, rows / s->stride_h + 1));
    p.strips = (p.d.out_h + p.strip - 1) / p.strip;
    *out = p;
    /* A strip of one row may still be large: then windows as a matrix do as well. */
    return (window + (p.strip - 1) * s->stride_h) * p.d.pitch * 4 <= 8 * STRIP_BYTES;
}

bool conv_direct_serves(const struct math_conv *plan, enum conv_pass pass)
{
    struct direct p;
    return direct_make(plan, pass, &p) && p.d.out_c >= 8;
}

int64_t conv_direct_scratch_bytes(const struct math_conv *plan, enum conv_pass pass)
{
    const int64_t filter = plan->filter_items * plan->shape.out_c * plan->item;
    if (pass == CONV_BACKWARD_DATA)
        return filter;
    return pass == CONV_BACKWARD_FILTER && plan->partials > 1 ? plan->partials * filter : 0;
}

/* Output rows [begin, end) of an image find their input rows from the pointer that is returned:
 * where row 0 would lie. */
static const float *rows_ready(const struct direct *p, const float *x, int64_t begin, int64_t end)
{
    if (!p->copied)
        return x;
    const struct conv_direct *d = &p->d;
    const int64_t reach = (d->filter_h - 1) * d->dilation_h;
    const int64_t first = max_i64(0, begin * d->stride_h - d->pad_top);
    const int64_t last = min_i64(d->in_h, (end - 1) * d->stride_h - d->pad_top + reach + 1);
    const int64_t left = min_i64(p->pad_left, p->width), kept = min_i64(p->in_w, p->width - left);
    const int64_t right = p->width - left - kept, c = p->in_c;
    float *to = math_scratch(MATH_SCRATCH_ROWS,
                             (size_t)(max_i64(last - first, 1) * d->pitch) * sizeof(float));
    float *const base = to - first * d->pitch;
    for (int64_t h = first; h < last; h++, to += d->pitch) {
        memset(to, 0, (size_t)(left * c) * sizeof(float));
        memcpy(to + left * c, x + h * p->in_w * c, (size_t)(kept * c) * sizeof(float));
        memset(to + (left + kept) * c, 0, (size_t)(right * c) * sizeof(float));
    }
    return base;
}

struct direct_job {
    struct direct p;
    const float *x;
    float *y;
    const float *filter;
    const struct math_conv *plan;
    const struct math_conv_args *epilogue; /* forward: bias and activation; else NULL */
    int64_t batch;
    /* filter gradients */
    int64_t partials, filter_items;
    float *dfilter;
};

static void forward_run(void *arg, int64_t begin, int64_t end)
{
    const struct direct_job *j = arg;
    const struct direct *p = &j->p;
    for (int64_t i = begin; i < end; i++) {
        const int64_t image = i / p->strips, row = i % p->strips * p->strip;
        struct conv_rows r = {.d = &p->d,
                              .begin = row,
                              .end = min_i64(row + p->strip, p->d.out_h),
                              .y = j->y + image * p->y_items,
                              .filter = j->filter};
        const bool late = j->epilogue && j->epilogue->act > MATH_ACT_RELU;
        if (j->epilogue && !late) {
            r.bias = j->epilogue->bias;
            r.relu = j->epilogue->act == MATH_ACT_RELU;
        }
        r.x = rows_ready(p, j->x + image * p->x_items, r.begin, r.end);
        if (p->strips == 1 && image + 1 < j->batch) {
            r.next = (const char *)(j->x + (image + 1) * p->x_items);
            r.next_bytes = p->x_items * (int64_t)sizeof(float);
        }
        SIMD_CALL(conv_rows_forward)(&r);
        if (late)
            conv_epilogue(j->plan, NULL, j->epilogue, r.y + r.begin * p->d.out_w * p->d.out_c,
                          (r.end - r.begin) * p->d.out_w);
    }
}

static void run(const struct math_conv *plan, struct pool *pool, struct direct_job *j)
{
    pool_loop(pool, plan->shape.batch * j->p.strips, 1, plan->cost_ns / (double)j->p.strips,
              forward_run, j);
}

void conv_direct_forward(const struct math_conv *plan, struct pool *pool,
                         const struct math_conv_args *a)
{
    struct direct_job j = {.x = a->x,
                           .y = a->y,
                           .filter = a->filter,
                           .plan = plan,
                           .epilogue = a,
                           .batch = plan->shape.batch};
    direct_make(plan, CONV_FORWARD, &j.p);
    run(plan, pool, &j);
}

void conv_turn_filter(const struct math_conv_shape *s, const float *from, float *to)
{
    const int64_t taps = s->filter_h * s->filter_w, n = s->in_c * s->out_c;
    for (int64_t k = 0; k < taps; k++) {
        const struct math_transpose t = {.item = sizeof(float),
                                         .x = from + k * n,
                                         .y = to + (taps - 1 - k) * n,
                                         .rank = 2,
                                         .dims = (const int64_t[]){s->in_c, s->out_c},
                                         .perm = (const int[]){1, 0}};
        math_transpose(NULL, &t);
    }
}

void conv_direct_backward_data(const struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *a, void *scratch)
{
    struct direct_job j = {.x = a->dy, .y = a->dx, .filter = scratch, .batch = plan->shape.batch};
    direct_make(plan, CONV_BACKWARD_DATA, &j.p);
    conv_turn_filter(&plan->shape, a->filter, scratch);
    run(plan, pool, &j);
}

static void filter_run(void *arg, int64_t begin, int64_t end)
{
    const struct direct_job *j = arg;
    const struct direct *p = &j->p;
    for (int64_t i = begin; i < end; i++) {
        float *sum = j->dfilter + i * j->filter_items;
        memset(sum, 0, (size_t)j->filter_items * sizeof(float));
        const int64_t last = conv_share(j->batch, j->partials, i + 1);
        for (int64_t b = conv_share(j->batch, j->partials, i); b < last; b++) {
            for (int64_t row = 0; row < p->d.out_h; row += p->strip) {
                struct conv_rows r = {.d = &p->d,
                                      .begin = row,
                                      .end = min_i64(row + p->strip, p->d.out_h),
                                      .y = j->y + b * p->y_items,
                                      .dfilter = sum};
                r.x = rows_ready(p, j->x + b * p->x_items, r.begin, r.end);
                SIMD_CALL(conv_rows_filter)(&r);
            }
        }
    }
}

void conv_direct_backward_filter(const struct math_conv *plan, struct pool *pool,
                                 const struct math_conv_args *a, void *partial)
{
    struct direct_job j = {.x = a->x,
                           .y = (float *)(uintptr_t)a->dy, /* read only */
                           .batch = plan->shape.batch,
                           .partials = plan->partials,
                           .filter_items = plan->filter_items * plan->shape.out_c};
    j.dfilter = plan->partials > 1 ? partial : a->dfilter;
    direct_make(plan, CONV_BACKWARD_FILTER, &j.p);
    const double cost = plan->cost_ns * (double)j.batch / (double)j.partials;
    pool_loop(pool, j.partials, 1, cost, filter_run, &j);
    if (plan->partials > 1)
        conv_sum_partials(plan, partial, a->dfilter);
}
