/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and its gradients against the definition, over shapes, layouts and types. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/conv.h"

struct shape_case {
    int64_t batch, in_h, in_w, in_c, out_c, filter_h, filter_w, stride_h, stride_w, dil_h, dil_w;
    bool same;
};

/* clang-format off */
static const struct shape_case cases[] = {
    {2,  5,  6,  3,  4, 3, 3, 1, 1, 1, 1, true},
    {3,  7,  5, 16, 32, 3, 3, 1, 1, 1, 1, true},
    {2,  8,  8,  1, 16, 5, 5, 1, 1, 1, 1, true},
    {5, 14, 14, 16, 16, 5, 5, 1, 1, 1, 1, false},
    {2,  9, 11,  4,  5, 3, 2, 2, 3, 1, 1, true},
    {2, 10, 10,  8,  8, 3, 3, 2, 2, 1, 1, false},
    {1, 12, 13,  3,  7, 3, 3, 1, 1, 2, 3, true},
    {2,  9,  9,  5,  6, 2, 2, 3, 3, 2, 2, false},
    {4,  6,  6,  8, 12, 1, 1, 1, 1, 1, 1, true},
    {2,  7,  7,  8, 12, 1, 1, 2, 2, 1, 1, true},
    {1,  3,  3,  2,  3, 5, 5, 1, 1, 1, 1, true},
    {2,  4,  4,  2,  3, 1, 4, 1, 1, 1, 1, false},
    {0,  4,  4,  2,  3, 3, 3, 1, 1, 1, 1, true},
    {2,  4,  4,  2,  0, 3, 3, 1, 1, 1, 1, true},
    {3, 12,  8,  1, 16, 3, 8, 1, 1, 1, 1, false}, /* filters as wide as the image */
    {2,  9,  4,  3,  8, 2, 4, 2, 3, 2, 1, false},
    {2,  9,  1,  4,  8, 3, 1, 2, 1, 2, 1, true},
    {40, 56, 64, 1, 32, 4, 64, 1, 1, 1, 1, false},
    {33, 28, 28, 2, 16, 3, 3, 1, 1, 1, 1, true}, /* dear enough to be cut */
    {1,  7, 18, 32, 40, 3, 3, 1, 1, 1, 1, true}, /* whole and part vectors, direct loops */
    {2,  9,  9, 33, 65, 3, 2, 2, 2, 2, 1, true},
    {1, 70, 150, 4, 8, 2, 3, 1, 1, 1, 1, false}, /* an image in strips */
    {1,  3,  2, 32, 32, 5, 5, 1, 1, 1, 1, true},
    {13, 11, 9, 16, 48, 3, 3, 1, 1, 1, 1, true}, /* the fast way */
    {20, 10, 7, 32, 16, 5, 5, 1, 1, 1, 1, false},
    {25, 11, 32, 1, 48, 2, 32, 1, 1, 1, 1, false}, /* along lines, each number of taps */
    {9,  21, 64, 1, 32, 3, 64, 1, 1, 1, 1, false},
    {3,  4, 53, 32, 32, 1, 4, 1, 1, 1, 1, true},
    {2, 42, 3, 48, 32, 5, 1, 1, 1, 1, 1, true},
    {4, 5, 19, 32, 48, 1, 6, 1, 1, 1, 1, false},
    {3, 17, 3, 32, 32, 7, 1, 1, 1, 1, 1, true},
    {2, 46, 46, 16, 9, 1, 1, 1, 1, 1, 1, true}, /* 1 x 1, positions enough to be a product */
    {3, 40, 37, 4, 32, 1, 1, 1, 1, 1, 1, false},
    {5, 30, 28, 48, 5, 1, 1, 1, 1, 1, 1, true},
    {1, 64, 65, 13,  3, 1, 1, 1, 1, 1, 1, true},
    {1, 64, 64,  2,  0, 1, 1, 1, 1, 1, 1, true},
    {3,  3,  2, 160, 192, 3, 3, 1, 1, 1, 1, true}, /* few positions, a large filter */
    {1,  4,  3, 96, 130, 5, 5, 2, 1, 1, 1, true},
    {2,  6,  5, 170, 176, 3, 3, 1, 1, 2, 2, false},
};
/* clang-format on */

static struct math_conv_shape make_shape(const struct shape_case *c, int dtype, bool nchw)
{
    struct status st = {0};
    int64_t h[2], w[2];
    assert_true(
        math_conv_output_size(c->in_h, c->filter_h, c->dil_h, c->stride_h, c->same, h, &st));
    assert_true(
        math_conv_output_size(c->in_w, c->filter_w, c->dil_w, c->stride_w, c->same, w, &st));
    return (struct math_conv_shape){.dtype = dtype,
                                    .nchw = nchw,
                                    .batch = c->batch,
                                    .in_h = c->in_h,
                                    .in_w = c->in_w,
                                    .in_c = c->in_c,
                                    .out_h = h[0],
                                    .out_w = w[0],
                                    .out_c = c->out_c,
                                    .filter_h = c->filter_h,
                                    .filter_w = c->filter_w,
                                    .stride_h = c->stride_h,
                                    .stride_w = c->stride_w,
                                    .dilation_h = c->dil_h,
                                    .dilation_w = c->dil_w,
                                    .pad_top = h[1],
                                    .pad_left = w[1]};
}

static int64_t x_index(const struct math_conv_shape *s, int64_t b, int64_t h, int64_t w, int64_t c)
{
    return s->nchw ? ((b * s->in_c + c) * s->in_h + h) * s->in_w + w
                   : ((b * s->in_h + h) * s->in_w + w) * s->in_c + c;
}

static int64_t y_index(const struct math_conv_shape *s, int64_t b, int64_t h, int64_t w, int64_t c)
{
    return s->nchw ? ((b * s->out_c + c) * s->out_h + h) * s->out_w + w
                   : ((b * s->out_h + h) * s->out_w + w) * s->out_c + c;
}

struct data {
    struct math_conv_shape s;
    int64_t nx, ny, nf;
    void *x, *y, *f, *dy, *dx, *df, *bias;
    double *want_y, *want_dx, *want_df;
};

/* Every term of the three sums once. */
static void reference(struct data *d)
{
    const struct math_conv_shape *s = &d->s;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t oh = 0; oh < s->out_h; oh++)
            for (int64_t ow = 0; ow < s->out_w; ow++)
                for (int64_t kh = 0; kh < s->filter_h; kh++)
                    for (int64_t kw = 0; kw < s->filter_w; kw++) {
                        const int64_t h = oh * s->stride_h - s->pad_top + kh * s->dilation_h;
                        const int64_t w = ow * s->stride_w - s->pad_left + kw * s->dilation_w;
                        if (h < 0 || h >= s->in_h || w < 0 || w >= s->in_w)
                            continue;
                        for (int64_t ic = 0; ic < s->in_c; ic++)
                            for (int64_t oc = 0; oc < s->out_c; oc++) {
                                const int64_t xi = x_index(s, b, h, w, ic),
                                              yi = y_index(s, b, oh, ow, oc);
                                const int64_t fi =
                                    ((kh * s->filter_w + kw) * s->in_c + ic) * s->out_c + oc;
                                const double x = test_get(s->dtype, d->x, xi),
                                             f = test_get(s->dtype, d->f, fi);
                                const double dy = test_get(s->dtype, d->dy, yi);
                                d->want_y[yi] += x * f;
                                d->want_dx[xi] += dy * f;
                                d->want_df[fi] += dy * x;
                            }
                    }
}

/* What is wanted is zero still. */
static void data_draw(struct data *d, const struct shape_case *c, int dtype, bool nchw)
{
    d->s = make_shape(c, dtype, nchw);
    const struct math_conv_shape *s = &d->s;
    d->nx = s->batch * s->in_h * s->in_w * s->in_c;
    d->ny = s->batch * s->out_h * s->out_w * s->out_c;
    d->nf = s->filter_h * s->filter_w * s->in_c * s->out_c;
    d->x = test_array(dtype, d->nx), d->f = test_array(dtype, d->nf),
    d->dy = test_array(dtype, d->ny);
    d->bias = test_array(dtype, s->out_c);
    d->y = test_array(dtype, d->ny), d->dx = test_array(dtype, d->nx),
    d->df = test_array(dtype, d->nf);
    d->want_y = test_zeros(DT_DOUBLE, d->ny), d->want_dx = test_zeros(DT_DOUBLE, d->nx);
    d->want_df = test_zeros(DT_DOUBLE, d->nf);
}

static void data_make(struct data *d, const struct shape_case *c, int dtype, bool nchw)
{
    data_draw(d, c, dtype, nchw);
    reference(d);
}

static void data_free(struct data *d)
{
    void *all[] = {d->x,  d->y,    d->f,      d->dy,      d->dx,
                   d->df, d->bias, d->want_y, d->want_dx, d->want_df};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void compare(int dtype, const void *got, const double *want, int64_t n, double terms,
                    const char *what)
{
    const double eps = 4 * test_eps(dtype);
    char name[64];
    snprintf(name, sizeof name, "%s of %s", what, dtype_name(dtype));
    for (int64_t i = 0; i < n; i++)
        test_close(test_get(dtype, got, i), want[i], eps, eps * (8 + terms / 2), name, i);
}

static void *lend(int64_t bytes)
{
    return aligned_alloc(64, (size_t)(bytes + 127) / 64 * 64);
}

/* By the fast ways (math/conv_fast.c, conv_line.c) rounding counts a few times. */
static double rounding(const struct math_conv_shape *s)
{
    const bool square = s->filter_h == s->filter_w && (s->filter_h == 3 || s->filter_h == 5);
    const bool line = s->filter_h == 1 || s->filter_w == 1 || s->filter_w == s->in_w;
    const bool may_be_fast =
        s->dtype == DT_FLOAT && (line || (square && s->in_c % 16 == 0 && s->out_c % 16 == 0));
    return may_be_fast ? 3 : 1;
}

static void check(const struct shape_case *c, int dtype, bool nchw, int threads)
{
    struct data d;
    struct status st = {0};
    struct math_conv *plan;
    data_make(&d, c, dtype, nchw);
    const struct math_conv_shape *s = &d.s;
    assert_true(math_conv_new(s, &plan, &st));
    struct math_conv_args a = {
        .x = d.x, .filter = d.f, .y = d.y, .dy = d.dy, .dx = d.dx, .dfilter = d.df};
    struct pool *pool = threads ? test_pool(threads) : NULL;
    const double taps = rounding(s) * (double)(s->filter_h * s->filter_w);
    a.scratch = lend(math_conv_forward_scratch_bytes(plan));
    assert_true(math_conv_forward(plan, pool, &a, &st));
    compare(dtype, d.y, d.want_y, d.ny, taps * (double)s->in_c, "y");
    /* bias, relu and a remembered filter, twice */
    a.bias = d.bias, a.act = MATH_ACT_RELU, a.filter_version = 7;
    for (int pass = 0; pass < 2; pass++)
        assert_true(math_conv_forward(plan, pool, &a, &st));
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t p = 0; p < s->out_h * s->out_w; p++)
            for (int64_t oc = 0; oc < s->out_c; oc++) {
                double *v = &d.want_y[y_index(s, b, p / s->out_w, p % s->out_w, oc)];
                *v += test_get(dtype, d.bias, oc);
                *v = *v > 0 ? *v : 0;
            }
    compare(dtype, d.y, d.want_y, d.ny, taps * (double)s->in_c, "relu(y + bias)");
    free(a.scratch);
    a.scratch = lend(math_conv_backward_data_scratch_bytes(plan));
    assert_true(math_conv_backward_data(plan, pool, &a, &st));
    compare(dtype, d.dx, d.want_dx, d.nx,
            taps * (double)s->out_c * (dtype == DT_HALF || dtype == DT_BFLOAT16 ? 9 : 1), "dx");
    free(a.scratch);
    a.scratch = lend(math_conv_backward_filter_scratch_bytes(plan));
    assert_true(math_conv_backward_filter(plan, pool, &a, &st));
    compare(dtype, d.df, d.want_df, d.nf,
            rounding(s) * (double)(s->batch * s->out_h * s->out_w) *
                (dtype == DT_HALF || dtype == DT_BFLOAT16 ? 9 : 1),
            "dfilter");
    free(a.scratch);
    math_conv_free(plan);
    data_free(&d);
}

static void test_conv__agrees_with_the_definition(void **state)
{
    (void)state;
    const int dtypes[] = {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_BFLOAT16, DT_INT32};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (int nchw = 0; nchw < 2; nchw++)
                check(&cases[i], dtypes[t], nchw, i % 2 ? 2 : 0);
}

static void compare_threads(const struct shape_case *c)
{
    struct data d[2];
    for (int k = 0; k < 2; k++) {
        struct status st = {0};
        struct math_conv *plan;
        test_seed(3);
        data_draw(&d[k], c, DT_FLOAT, false);
        assert_true(math_conv_new(&d[k].s, &plan, &st));
        struct math_conv_args a = {.x = d[k].x,
                                   .filter = d[k].f,
                                   .y = d[k].y,
                                   .dy = d[k].dy,
                                   .dx = d[k].dx,
                                   .dfilter = d[k].df};
        a.scratch = lend(max_i64(max_i64(math_conv_forward_scratch_bytes(plan),
                                         math_conv_backward_data_scratch_bytes(plan)),
                                 math_conv_backward_filter_scratch_bytes(plan)));
        struct pool *pool = k ? test_pool(3) : NULL;
        assert_true(math_conv_forward(plan, pool, &a, &st));
        assert_true(math_conv_backward_data(plan, pool, &a, &st));
        assert_true(math_conv_backward_filter(plan, pool, &a, &st));
        free(a.scratch);
        math_conv_free(plan);
    }
    assert_memory_equal(d[0].y, d[1].y, (size_t)d[0].ny * 4);
    assert_memory_equal(d[0].dx, d[1].dx, (size_t)d[0].nx * 4);
    assert_memory_equal(d[0].df, d[1].df, (size_t)d[0].nf * 4);
    data_free(&d[0]);
    data_free(&d[1]);
}

static void test_conv__the_thread_count_changes_no_bit(void **state)
{
    (void)state;
    const struct shape_case shapes[] = {{37, 14, 14, 16, 32, 5, 5, 1, 1, 1, 1, true},
                                        {64, 56, 96, 1, 96, 3, 96, 1, 1, 1, 1, false},
                                        {8, 24, 24, 128, 144, 1, 1, 1, 1, 1, 1, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare_threads(&shapes[i]);
}

/* One element of a 1 x 1 filter's gradient: row ic, column oc. */
static double gradient_wanted(const struct data *d, int64_t ic, int64_t oc)
{
    double sum = 0;
    for (int64_t p = 0; p < d->s.batch * d->s.out_h * d->s.out_w; p++)
        sum += test_get(DT_FLOAT, d->x, p * d->s.in_c + ic) *
               test_get(DT_FLOAT, d->dy, p * d->s.out_c + oc);
    return sum;
}

/* So many positions that the sum over them is formed in parts. */
static void test_conv__a_pointwise_filter_is_summed_over_all_images(void **state)
{
    (void)state;
    const struct shape_case shapes[] = {{8, 24, 24, 128, 144, 1, 1, 1, 1, 1, 1, true},
                                        {8, 24, 24, 144, 128, 1, 1, 1, 1, 1, 1, true}};
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        struct data d;
        struct status st = {0};
        struct math_conv *plan;
        data_draw(&d, &shapes[i], DT_FLOAT, false);
        assert_true(math_conv_new(&d.s, &plan, &st));
        struct math_conv_args a = {.x = d.x, .dy = d.dy, .dfilter = d.df};
        a.scratch = lend(math_conv_backward_filter_scratch_bytes(plan));
        assert_true(math_conv_backward_filter(plan, test_pool(3), &a, &st));
        for (int64_t at = 0; at < d.nf; at += 97) {
            const double eps = 4 * test_eps(DT_FLOAT);
            test_close(test_get(DT_FLOAT, d.df, at),
                       gradient_wanted(&d, at / d.s.out_c, at % d.s.out_c), eps, eps * 2000,
                       "dfilter", at);
        }
        free(a.scratch);
        math_conv_free(plan);
        data_free(&d);
    }
}

/* Infinities and NaN go where their terms go, and nowhere else, whoever computes. */
static void check_special(const struct shape_case *c, double x, double dy)
{
    struct data d;
    struct status st = {0};
    struct math_conv *plan;
    data_draw(&d, c, DT_FLOAT, false);
    test_set(DT_FLOAT, d.x, d.nx / 2, x, 0);
    test_set(DT_FLOAT, d.dy, d.ny / 3, dy, 0);
    reference(&d);
    assert_true(math_conv_new(&d.s, &plan, &st));
    struct math_conv_args a = {
        .x = d.x, .filter = d.f, .y = d.y, .dy = d.dy, .dx = d.dx, .dfilter = d.df};
    a.scratch = lend(max_i64(
        max_i64(math_conv_forward_scratch_bytes(plan), math_conv_backward_data_scratch_bytes(plan)),
        math_conv_backward_filter_scratch_bytes(plan)));
    assert_true(math_conv_forward(plan, test_pool(2), &a, &st));
    assert_true(math_conv_backward_data(plan, test_pool(2), &a, &st));
    assert_true(math_conv_backward_filter(plan, test_pool(2), &a, &st));
    compare(DT_FLOAT, d.y, d.want_y, d.ny, 800, "y");
    compare(DT_FLOAT, d.dx, d.want_dx, d.nx, 800, "dx");
    compare(DT_FLOAT, d.df, d.want_df, d.nf, 3000, "dfilter");
    free(a.scratch);
    math_conv_free(plan);
    data_free(&d);
}

static void test_conv__specials_reach_their_own_outputs_alone(void **state)
{
    (void)state;
    const struct shape_case fast[] = {{13, 11, 9, 16, 48, 3, 3, 1, 1, 1, 1, true},
                                      {20, 10, 7, 32, 16, 5, 5, 1, 1, 1, 1, false},
                                      {9, 21, 64, 1, 32, 3, 64, 1, 1, 1, 1, false},
                                      {2, 46, 46, 16, 3, 1, 1, 1, 1, 1, 1, true}};
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        check_special(&fast[i], (double)NAN, (double)INFINITY);
        check_special(&fast[i], (double)-INFINITY, (double)NAN);
    }
}

static void refuse(struct math_conv_shape s, int code)
{
    struct status st = {0};
    struct math_conv *plan;
    assert_false(math_conv_new(&s, &plan, &st));
    assert_int_equal(st.code, code);
    assert_true(strlen(status_message(&st)) > 10);
    status_clear(&st);
}

static void test_conv__bad_shapes_are_refused(void **state)
{
    (void)state;
    const struct math_conv_shape good = make_shape(&cases[0], DT_FLOAT, false);
    struct math_conv_shape s = good;
    s.dtype = DT_STRING;
    refuse(s, STATUS_UNIMPLEMENTED);
    s = good, s.batch = -1;
    refuse(s, STATUS_INVALID_ARGUMENT);
    s = good, s.stride_h = 0;
    refuse(s, STATUS_INVALID_ARGUMENT);
    s = good, s.dilation_w = -2;
    refuse(s, STATUS_INVALID_ARGUMENT);
    s = good, s.in_h = INT64_MAX / 4;
    refuse(s, STATUS_INVALID_ARGUMENT);
    s = good, s.filter_h = INT64_MAX / 2, s.dilation_h = 4;
    refuse(s, STATUS_INVALID_ARGUMENT);
    s = good, s.pad_top = -1;
    refuse(s, STATUS_INVALID_ARGUMENT);
    struct status st = {0};
    int64_t out[2];
    assert_false(math_conv_output_size(3, 5, 1, 1, false, out, &st));
    assert_non_null(strstr(status_message(&st), "Computed output size would be negative"));
    status_clear(&st);
    assert_false(math_conv_output_size(3, INT64_MAX, INT64_MAX, 1, true, out, &st));
    status_clear(&st);
    assert_false(math_conv_output_size(3, 1, 1, 0, true, out, &st));
    status_clear(&st);
    assert_true(math_conv_output_size(10, 3, 1, 2, true, out, &st));
    assert_int_equal(out[0], 5);
    assert_int_equal(out[1], 0);
    assert_true(math_conv_output_size(0, 3, 1, 2, true, out, &st));
    assert_int_equal(out[0], 0);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv__agrees_with_the_definition),
        cmocka_unit_test(test_conv__the_thread_count_changes_no_bit),
        cmocka_unit_test(test_conv__a_pointwise_filter_is_summed_over_all_images),
        cmocka_unit_test(test_conv__specials_reach_their_own_outputs_alone),
        cmocka_unit_test(test_conv__bad_shapes_are_refused),
    };
    return cmocka_run_group_tests_name("math/conv", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
