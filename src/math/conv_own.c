/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution as matrix products: the windows of some output positions are laid out as rows of a
 * matrix (im2col) in the thread's scratch, in strips of about a MiB, and multiplied by the
 * filter, which is stored as the very matrix that is needed. A 1 x 1 filter without stride needs
 * no copy. */
#include "math/conv_plan.h"

#include "math/scratch.h"
#include "tensor/dtype.h"

#ifndef __clang__
#pragma GCC optimize("O3") /* the additions below are meant for the vectoriser */
#endif

#define STRIP_ITEMS (256 << 10) /* elements of the laid out matrix at a time */

bool conv_is_pointwise(const struct math_conv_shape *s)
{
    return s->filter_h == 1 && s->filter_w == 1 && s->stride_h == 1 && s->stride_w == 1 &&
           s->pad_top == 0 && s->pad_left == 0 && s->in_h == s->out_h && s->in_w == s->out_w;
}

/* Output positions in a strip of one image, and strips in an image. */
static int64_t strip_positions(const struct math_conv *plan)
{
    const int64_t all = plan->shape.out_h * plan->shape.out_w;
    return max_i64(1, min_i64(all, STRIP_ITEMS / max_i64(plan->filter_items, 1)));
}

static int64_t strips_of(const struct math_conv *plan)
{
    const int64_t all = plan->shape.out_h * plan->shape.out_w, p = strip_positions(plan);
    return (all + p - 1) / p;
}

static void *strip_scratch(const struct math_conv *plan)
{
    return math_scratch(MATH_SCRATCH_ROWS,
                        (size_t)(strip_positions(plan) * plan->filter_items * plan->item));
}

/* One row of one window: filter_w pixels from column w0 on, clipped to the image. */
static char *window_row_copy(const struct math_conv *plan, const char *row, int64_t w0, char *to)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t pixel = s->in_c * plan->item;
    if (s->dilation_w == 1) {
        const int64_t skip = min_i64(max_i64(-w0, 0), s->filter_w);
        const int64_t end = max_i64(skip, min_i64(s->filter_w, s->in_w - w0));
        memset(to, 0, (size_t)(skip * pixel));
        if (end > skip)
            memcpy(to + skip * pixel, row + (w0 + skip) * pixel, (size_t)((end - skip) * pixel));
        memset(to + end * pixel, 0, (size_t)((s->filter_w - end) * pixel));
        return to + s->filter_w * pixel;
    }
    for (int64_t k = 0; k < s->filter_w; k++, to += pixel) {
        const int64_t w = w0 + k * s->dilation_w;
        if (w >= 0 && w < s->in_w)
            memcpy(to, row + w * pixel, (size_t)pixel);
        else
            memset(to, 0, (size_t)pixel);
    }
    return to;
}

void conv_lay_out(const struct math_conv *plan, const char *image, int64_t p0, int64_t num,
                  char *to)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t row_bytes = s->in_w * s->in_c * plan->item;
    const int64_t window_bytes = s->filter_w * s->in_c * plan->item;
    for (int64_t p = p0; p < p0 + num; p++) {
        const int64_t h0 = p / s->out_w * s->stride_h - s->pad_top;
        const int64_t w0 = p % s->out_w * s->stride_w - s->pad_left;
        for (int64_t k = 0; k < s->filter_h; k++) {
            const int64_t h = h0 + k * s->dilation_h;
            if (h >= 0 && h < s->in_h) {
                to = window_row_copy(plan, image + h * row_bytes, w0, to);
            } else {
                memset(to, 0, (size_t)window_bytes);
                to += window_bytes;
            }
        }
    }
}

#define ADD_INTO(T, name, PLUS)                                                                    \
    static void add_##name(void *to, const void *from, int64_t n)                                  \
    {                                                                                              \
        T *t = to;                                                                                 \
        const T *f = from;                                                                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            t[i] = PLUS(t[i], f[i]);                                                               \
    }
#define PLUS_PLAIN(a, b) ((a) + (b))
#define PLUS_F16(a, b) f16_from_f32(f16_to_f32(a) + f16_to_f32(b))
#define PLUS_BF16(a, b) bf16_from_f32(bf16_to_f32(a) + bf16_to_f32(b))
ADD_INTO(float, f32, PLUS_PLAIN)
ADD_INTO(double, f64, PLUS_PLAIN)
ADD_INTO(uint32_t, i32, PLUS_PLAIN)
ADD_INTO(struct f16, f16, PLUS_F16)
ADD_INTO(struct bf16, bf16, PLUS_BF16)
#undef ADD_INTO

void conv_add(int dtype, void *to, const void *from, int64_t n)
{
    switch (dtype) {
    case DT_FLOAT:
        add_f32(to, from, n);
        break;
    case DT_DOUBLE:
        add_f64(to, from, n);
        break;
    case DT_INT32:
        add_i32(to, from, n);
        break;
    case DT_HALF:
        add_f16(to, from, n);
        break;
    default:
        add_bf16(to, from, n);
    }
}

/* The opposite of window_row_copy: added to a row of the image. */
static void fold_row(const struct math_conv *plan, const char *from, int64_t w0, char *row)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t pixel = s->in_c * plan->item;
    if (s->dilation_w == 1) {
        const int64_t skip = min_i64(max_i64(-w0, 0), s->filter_w);
        const int64_t end = min_i64(s->filter_w, s->in_w - w0);
        if (end > skip)
            conv_add(s->dtype, row + (w0 + skip) * pixel, from + skip * pixel,
                     (end - skip) * s->in_c);
        return;
    }
    for (int64_t j = 0; j < s->filter_w; j++) {
        const int64_t w = w0 + j * s->dilation_w;
        if (w >= 0 && w < s->in_w)
            conv_add(s->dtype, row + w * pixel, from + j * pixel, s->in_c);
    }
}

void conv_fold_back(const struct math_conv *plan, const char *from, int64_t p0, int64_t num,
                    char *image)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t pixel = s->in_c * plan->item;
    for (int64_t p = p0; p < p0 + num; p++) {
        const int64_t h0 = p / s->out_w * s->stride_h - s->pad_top;
        const int64_t w0 = p % s->out_w * s->stride_w - s->pad_left;
        for (int64_t i = 0; i < s->filter_h; i++, from += s->filter_w * pixel) {
            const int64_t h = h0 + i * s->dilation_h;
            if (h >= 0 && h < s->in_h)
                fold_row(plan, from, w0, image + h * s->in_w * pixel);
        }
    }
}

struct own_job {
    const struct math_conv *plan;
    const struct math_conv_args *a;
    int64_t strips;
    char *partial;
};

static struct math_gemm forward_product(const struct math_conv *plan,
                                        const struct math_conv_args *a)
{
    const struct math_conv_shape *s = &plan->shape;
    return (struct math_gemm){.n = s->out_c,
                              .k = plan->filter_items,
                              .b = a->filter,
                              .lda = plan->filter_items,
                              .ldb = s->out_c,
                              .ldc = s->out_c,
                              .bias = a->bias,
                              .act = a->act};
}

static void forward_run(void *arg, int64_t begin, int64_t end)
{
    const struct own_job *j = arg;
    const struct math_conv *plan = j->plan;
    const int64_t positions = plan->shape.out_h * plan->shape.out_w, len = strip_positions(plan);
    struct math_gemm g = forward_product(plan, j->a);
    char *rows = strip_scratch(plan);
    for (int64_t i = begin; i < end; i++) {
        const int64_t image = i / j->strips, p = i % j->strips * len;
        g.m = min_i64(len, positions - p);
        conv_lay_out(plan, (const char *)j->a->x + image * plan->in_items * plan->item, p, g.m,
                     rows);
        g.a = rows;
        g.c = (char *)j->a->y + (image * plan->out_items + p * plan->shape.out_c) * plan->item;
        math_gemm(NULL, plan->shape.dtype, &g);
    }
}

void conv_own_forward(const struct math_conv *plan, struct pool *pool,
                      const struct math_conv_args *a)
{
    const struct math_conv_shape *s = &plan->shape;
    if (conv_is_pointwise(s)) {
        struct math_gemm g = forward_product(plan, a);
        g.m = s->batch * s->out_h * s->out_w;
        g.a = a->x;
        g.c = a->y;
        math_gemm(pool, s->dtype, &g);
        return;
    }
    struct own_job j = {.plan = plan, .a = a, .strips = strips_of(plan)};
    pool_loop(pool, s->batch * j.strips, 1, plan->cost_ns / (double)max_i64(j.strips, 1),
              forward_run, &j);
}

static void backward_data_run(void *arg, int64_t begin, int64_t end)
{
    const struct own_job *j = arg;
    const struct math_conv *plan = j->plan;
    const struct math_conv_shape *s = &plan->shape;
    const int64_t positions = s->out_h * s->out_w, len = strip_positions(plan);
    struct math_gemm g = {.n = plan->filter_items,
                          .k = s->out_c,
                          .b = j->a->filter,
                          .lda = s->out_c,
                          .ldb = s->out_c,
                          .ldc = plan->filter_items,
                          .trans_b = true};
    char *rows = strip_scratch(plan);
    for (int64_t image = begin; image < end; image++) {
        char *dx = (char *)j->a->dx + image * plan->in_items * plan->item;
        memset(dx, 0, (size_t)(plan->in_items * plan->item));
        for (int64_t p = 0; p < positions; p += len) {
            g.m = min_i64(len, positions - p);
            g.a = (const char *)j->a->dy + (image * plan->out_items + p * s->out_c) * plan->item;
            g.c = rows;
            math_gemm(NULL, s->dtype, &g);
            conv_fold_back(plan, rows, p, g.m, dx);
        }
    }
}

void conv_own_backward_data(const struct math_conv *plan, struct pool *pool,
                            const struct math_conv_args *a)
{
    const struct math_conv_shape *s = &plan->shape;
    if (conv_is_pointwise(s)) {
        const struct math_gemm g = {.m = s->batch * s->out_h * s->out_w,
                                    .n = s->in_c,
                                    .k = s->out_c,
                                    .a = a->dy,
                                    .b = a->filter,
                                    .c = a->dx,
                                    .lda = s->out_c,
                                    .ldb = s->out_c,
                                    .ldc = s->in_c,
                                    .trans_b = true};
        math_gemm(pool, s->dtype, &g);
        return;
    }
    struct own_job j = {.plan = plan, .a = a};
    pool_loop(pool, s->batch, 1, 1.5 * plan->cost_ns, backward_data_run, &j);
}

void conv_sum_partials(const struct math_conv *plan, const void *partial, void *dfilter)
{
    const int64_t n = plan->filter_items * plan->shape.out_c;
    memcpy(dfilter, partial, (size_t)(n * plan->item));
    for (int64_t i = 1; i < plan->partials; i++)
        conv_add(plan->shape.dtype, dfilter, (const char *)partial + i * n * plan->item, n);
}

/* The filter gradient of one part of the batch. */
static void backward_filter_run(void *arg, int64_t begin, int64_t end)
{
    const struct own_job *j = arg;
    const struct math_conv *plan = j->plan;
    const struct math_conv_shape *s = &plan->shape;
    const int64_t positions = s->out_h * s->out_w, len = strip_positions(plan);
    const bool direct = conv_is_pointwise(s);
    struct math_gemm g = {.m = plan->filter_items,
                          .n = s->out_c,
                          .lda = plan->filter_items,
                          .ldb = s->out_c,
                          .ldc = s->out_c,
                          .trans_a = true};
    char *rows = direct ? NULL : strip_scratch(plan);
    for (int64_t i = begin; i < end; i++) {
        g.c = j->partial + i * plan->filter_items * s->out_c * plan->item;
        g.beta = 0;
        const int64_t last = conv_share(s->batch, plan->partials, i + 1);
        for (int64_t b = conv_share(s->batch, plan->partials, i); b < last; b++) {
            const char *image = (const char *)j->a->x + b * plan->in_items * plan->item;
            for (int64_t p = 0; p < positions; p += len, g.beta = 1) {
                g.k = min_i64(len, positions - p);
                if (!direct)
                    conv_lay_out(plan, image, p, g.k, rows);
                g.a = direct ? image + p * s->in_c * plan->item : rows;
                g.b = (const char *)j->a->dy + (b * plan->out_items + p * s->out_c) * plan->item;
                math_gemm(NULL, s->dtype, &g);
            }
        }
    }
}

void conv_own_backward_filter(const struct math_conv *plan, struct pool *pool,
                              const struct math_conv_args *a, void *partial)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t n = plan->filter_items * s->out_c;
    if (s->batch == 0 || s->out_h * s->out_w == 0) {
        memset(a->dfilter, 0, (size_t)(n * plan->item));
        return;
    }
    struct own_job j = {.plan = plan, .a = a};
    j.partial = plan->partials > 1 ? partial : a->dfilter;
    const double cost = plan->cost_ns * (double)s->batch / (double)plan->partials;
    pool_loop(pool, plan->partials, 1, cost, backward_filter_run, &j);
    if (plan->partials == 1)
        return;
    conv_sum_partials(plan, partial, a->dfilter);
}
