/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling against the definition: windows clipped, first maximum wins, padding never counts. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/pooling.h"

struct arrays {
    struct math_pooling s;
    int64_t nx, ny;
    void *x, *y, *moved, *back;
    int64_t *argmax;
};

static int64_t place(const struct math_pooling *s, int64_t b, int64_t pixel, int64_t pixels,
                     int64_t c)
{
    return s->nchw ? (b * s->channels + c) * pixels + pixel
                   : (b * pixels + pixel) * s->channels + c;
}

/* Calls visit for each element of each window, in row-major order. */
typedef void (*visit_fn)(void *arg, int64_t x_at, int64_t y_at, int64_t nhwc_at, int64_t count);

static void each_window(const struct math_pooling *s, visit_fn visit, void *arg)
{
    const int64_t in = s->in_h * s->in_w, out = s->out_h * s->out_w;
    for (int64_t i = 0; i < s->batch * out * s->channels; i++) {
        const int64_t b = i / (out * s->channels), o = i / s->channels % out, c = i % s->channels;
        const int64_t h0 = o / s->out_w * s->stride_h - s->pad_top,
                      w0 = o % s->out_w * s->stride_w - s->pad_left;
        const int64_t rows = min_i64(h0 + s->window_h, s->in_h) - max_i64(h0, 0),
                      cols = min_i64(w0 + s->window_w, s->in_w) - max_i64(w0, 0);
        for (int64_t h = max_i64(h0, 0); h < min_i64(h0 + s->window_h, s->in_h); h++)
            for (int64_t w = max_i64(w0, 0); w < min_i64(w0 + s->window_w, s->in_w); w++) {
                const int64_t pixel = h * s->in_w + w;
                visit(arg, place(s, b, pixel, in, c), place(s, b, o, out, c),
                      pixel * s->channels + c, rows * cols);
            }
    }
}

struct expect {
    const struct arrays *a;
    double *best, *sum;
    int64_t *at, *nhwc_at;
    double *spread; /* average gradient */
};

static void expect_visit(void *arg, int64_t x_at, int64_t y_at, int64_t nhwc_at, int64_t count)
{
    struct expect *e = arg;
    const int dt = e->a->s.dtype;
    const double v = test_get(dt, e->a->x, x_at);
    if (e->at[y_at] < 0 || v > e->best[y_at]) {
        e->best[y_at] = v;
        e->at[y_at] = x_at;
        e->nhwc_at[y_at] = nhwc_at;
    }
    e->sum[y_at] += v / (double)count;
    e->spread[x_at] += test_get(dt, e->a->moved, y_at) / (double)count;
}

static void max_check(struct arrays *a, struct expect *e)
{
    const struct math_pooling *s = &a->s;
    const double eps = 8 * test_eps(s->dtype);
    struct pool *pool = test_pool(2);
    math_maxpool(pool, s, a->x, a->y);
    for (int64_t i = 0; i < a->ny; i++)
        assert_true(test_get(s->dtype, a->y, i) == e->best[i]);
    memset(a->y, 0, (size_t)a->ny * dtype_size(s->dtype));
    for (int fold = 0; fold < 2; fold++) {
        const struct math_maxpool_argmax m = {
            .x = a->x, .y = fold ? a->y : NULL, .argmax = a->argmax, .include_batch = fold};
        math_maxpool_argmax(pool, s, &m);
        for (int64_t i = 0; i < a->ny; i++) {
            const int64_t image = i / (s->out_h * s->out_w * s->channels);
            assert_int_equal(a->argmax[i],
                             e->nhwc_at[i] + (fold ? image * s->in_h * s->in_w * s->channels : 0));
            assert_true(!fold || test_get(s->dtype, a->y, i) == e->best[i]);
        }
    }
    double *want = test_zeros(DT_DOUBLE, a->nx);
    for (int64_t i = 0; i < a->ny; i++)
        want[e->at[i]] += test_get(s->dtype, a->moved, i);
    math_maxpool_grad(pool, s, a->x, a->moved, a->back);
    for (int64_t i = 0; i < a->nx; i++)
        test_close(test_get(s->dtype, a->back, i), want[i], eps, eps * 9, "dx", i);
    math_maxpool_grad_grad(pool, s, a->x, a->back, a->y);
    for (int64_t i = 0; i < a->ny; i++)
        assert_true(test_get(s->dtype, a->y, i) == test_get(s->dtype, a->back, e->at[i]));
    free(want);
}

static void avg_check(struct arrays *a, struct expect *e)
{
    const double eps = 8 * test_eps(a->s.dtype);
    math_avgpool(test_pool(2), &a->s, a->x, a->y);
    for (int64_t i = 0; i < a->ny; i++)
        test_close(test_get(a->s.dtype, a->y, i), e->sum[i], eps, eps * 4, "avg", i);
    math_avgpool_grad(test_pool(2), &a->s, a->moved, a->back);
    for (int64_t i = 0; i < a->nx; i++)
        test_close(test_get(a->s.dtype, a->back, i), e->spread[i], eps, eps * 9, "avg dx", i);
}

static void check(const struct math_pooling *shape, int dtype, bool nchw)
{
    struct arrays a = {.s = *shape};
    a.s.dtype = dtype, a.s.nchw = nchw;
    a.nx = a.s.batch * a.s.in_h * a.s.in_w * a.s.channels;
    a.ny = a.s.batch * a.s.out_h * a.s.out_w * a.s.channels;
    a.x = test_array(dtype, a.nx), a.y = test_zeros(dtype, a.ny), a.moved = test_array(dtype, a.ny),
    a.back = test_array(dtype, a.nx);
    a.argmax = test_zeros(DT_INT64, a.ny);
    struct expect e = {&a,
                       test_zeros(DT_DOUBLE, a.ny),
                       test_zeros(DT_DOUBLE, a.ny),
                       test_zeros(DT_INT64, a.ny),
                       test_zeros(DT_INT64, a.ny),
                       test_zeros(DT_DOUBLE, a.nx)};
    memset(e.at, 0xff, (size_t)a.ny * 8);
    each_window(&a.s, expect_visit, &e);
    max_check(&a, &e);
    if (math_pooling_supports(dtype, false))
        avg_check(&a, &e);
    free(a.x), free(a.y), free(a.moved), free(a.back), free(a.argmax);
    free(e.best), free(e.sum), free(e.at), free(e.nhwc_at), free(e.spread);
}

static void test_pooling__agrees_with_the_definition(void **state)
{
    (void)state;
    /* clang-format off */
    static const struct math_pooling shapes[] = {
        {.batch = 2, .channels = 3,  .in_h = 4, .in_w = 6, .out_h = 2, .out_w = 3, .window_h = 2, .window_w = 2, .stride_h = 2, .stride_w = 2},
        {.batch = 3, .channels = 70, .in_h = 5, .in_w = 5, .out_h = 3, .out_w = 3, .window_h = 3, .window_w = 3, .stride_h = 2, .stride_w = 2, .pad_top = 1, .pad_left = 1},
        {.batch = 1, .channels = 1,  .in_h = 7, .in_w = 3, .out_h = 7, .out_w = 3, .window_h = 4, .window_w = 2, .stride_h = 1, .stride_w = 1, .pad_top = 1},
        {.batch = 2, .channels = 16, .in_h = 6, .in_w = 6, .out_h = 2, .out_w = 2, .window_h = 1, .window_w = 2, .stride_h = 3, .stride_w = 4},
        {.batch = 1, .channels = 5,  .in_h = 3, .in_w = 4, .out_h = 1, .out_w = 1, .window_h = 3, .window_w = 4, .stride_h = 1, .stride_w = 1},
        {.batch = 2, .channels = 150, .in_h = 23, .in_w = 1, .out_h = 1, .out_w = 1, .window_h = 23, .window_w = 1, .stride_h = 1, .stride_w = 1},
        {.batch = 1, .channels = 69, .in_h = 6, .in_w = 7, .out_h = 3, .out_w = 4, .window_h = 5, .window_w = 4, .stride_h = 1, .stride_w = 2, .pad_top = 1},
        {.batch = 0, .channels = 5,  .in_h = 3, .in_w = 4, .out_h = 1, .out_w = 1, .window_h = 3, .window_w = 4, .stride_h = 1, .stride_w = 1},
    };
    /* clang-format on */
    const int types[] = {DT_FLOAT, DT_DOUBLE, DT_HALF,   DT_BFLOAT16, DT_INT8,
                         DT_UINT8, DT_INT16,  DT_UINT16, DT_INT32,    DT_INT64};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (int nchw = 0; nchw < 2; nchw++)
                check(&shapes[i], types[t], nchw);
    assert_false(math_pooling_supports(DT_STRING, true) || math_pooling_supports(DT_INT32, false));
}

static void test_pooling__infinities_and_nan(void **state)
{
    (void)state;
    const struct math_pooling s = {.dtype = DT_FLOAT,
                                   .batch = 1,
                                   .channels = 1,
                                   .in_h = 1,
                                   .in_w = 6,
                                   .out_h = 1,
                                   .out_w = 3,
                                   .window_h = 1,
                                   .window_w = 2,
                                   .stride_h = 1,
                                   .stride_w = 2};
    const float x[6] = {-INFINITY, -INFINITY, NAN, 3, NAN, NAN}, dy[3] = {1, 2, 3};
    float y[3], dx[6];
    math_maxpool(NULL, &s, x, y);
    assert_true(y[0] == -INFINITY && y[1] == 3);
    math_maxpool_grad(NULL, &s, x, dy, dx);
    assert_true(dx[0] == 1 && dx[1] == 0 && dx[2] == 2 && dx[4] == 3);
}

/* Of equal maxima the first wins, of NaN alone the first place; whichever loop serves. */
static void test_pooling__wide_windows_with_ties_and_nan(void **state)
{
    (void)state;
    enum { H = 40, C = 131 };
    const struct math_pooling s = {.dtype = DT_FLOAT,
                                   .batch = 1,
                                   .channels = C,
                                   .in_h = H,
                                   .in_w = 1,
                                   .out_h = 1,
                                   .out_w = 1,
                                   .window_h = H,
                                   .window_w = 1,
                                   .stride_h = 1,
                                   .stride_w = 1};
    static float x[H * C], dx[H * C], y[C], dy[C];
    for (int c = 0; c < C; c++) {
        dy[c] = (float)(c + 1);
        for (int h = 0; h < H; h++)
            x[h * C + c] = c % 5 == 4 ? NAN : h == c % H ? NAN : h == 3 || h == 7 ? 2 : (float)-h;
    }
    math_maxpool(NULL, &s, x, y);
    math_maxpool_grad(NULL, &s, x, dy, dx);
    for (int c = 0; c < C; c++) {
        const int winner = c % 5 == 4 ? 0 : c % H == 3 ? 7 : 3;
        assert_true(y[c] == (c % 5 == 4 ? -INFINITY : 2));
        for (int h = 0; h < H; h++)
            assert_true(dx[h * C + c] == (h == winner ? dy[c] : 0));
    }
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pooling__agrees_with_the_definition),
        cmocka_unit_test(test_pooling__infinities_and_nan),
        cmocka_unit_test(test_pooling__wide_windows_with_ties_and_nan),
    };
    return cmocka_run_group_tests_name("math/pooling", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
