/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and scans against the definition; NaN, empty reductions, thread counts. */
#include "math_test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "math/reduce.h"

static const int all_types[] = {DT_FLOAT, DT_DOUBLE, DT_HALF,      DT_BFLOAT16,   DT_INT8,
                                DT_UINT8, DT_INT16,  DT_UINT16,    DT_INT32,      DT_UINT32,
                                DT_INT64, DT_UINT64, DT_COMPLEX64, DT_COMPLEX128, DT_BOOL};

static bool whole_type(int dtype)
{
    return test_eps(dtype) == 0;
}

/* Rounds to what the integer type can hold. */
static double wrap(int dtype, double v)
{
    switch (dtype) {
    case DT_INT8:
        return (int8_t)(int64_t)v;
    case DT_UINT8:
        return (uint8_t)(int64_t)v;
    case DT_INT16:
        return (int16_t)(int64_t)v;
    case DT_UINT16:
        return (uint16_t)(int64_t)v;
    default:
        return v;
    }
}

struct pair {
    double re, im;
};

static struct pair step(enum math_reduce_op op, int dtype, struct pair a, struct pair b)
{
    switch (op) {
    case MATH_REDUCE_SUM:
    case MATH_REDUCE_MEAN:
        return (struct pair){wrap(dtype, a.re + b.re), a.im + b.im};
    case MATH_REDUCE_PROD:
        return (struct pair){wrap(dtype, a.re * b.re - a.im * b.im), a.re * b.im + a.im * b.re};
    case MATH_REDUCE_MAX:
    case MATH_REDUCE_ANY:
        return b.re > a.re ? b : a;
    default:
        return b.re < a.re ? b : a;
    }
}

static struct pair start(enum math_reduce_op op)
{
    const double one[MATH_REDUCE_NUM] = {[MATH_REDUCE_PROD] = 1,
                                         [MATH_REDUCE_MAX] = -INFINITY,
                                         [MATH_REDUCE_MIN] = INFINITY,
                                         [MATH_REDUCE_ALL] = 1};
    return (struct pair){one[op], 0};
}

static struct pair finish(enum math_reduce_op op, int dtype, struct pair a, int64_t num)
{
    if (op != MATH_REDUCE_MEAN)
        return a;
    a.re /= (double)num, a.im /= (double)num;
    if (whole_type(dtype))
        a.re = trunc(a.re);
    return a;
}

static void compare(enum math_reduce_op op, int dtype, const void *y, int64_t i, struct pair want,
                    double num)
{
    const double eps = 4 * test_eps(dtype),
                 slack =
                     op <= MATH_REDUCE_MEAN ? eps * (1 + (eps < 1e-12 ? num : 4 * sqrt(num))) : eps;
    const double rel = op == MATH_REDUCE_PROD ? eps * (1 + num) : eps;
    char name[64];
    snprintf(name, sizeof name, "op %d of %s", (int)op, dtype_name(dtype));
    test_close(test_get(dtype, y, i), want.re, rel, slack, name, i);
    test_close(test_get_im(dtype, y, i), want.im, rel, slack, name, i);
}

static void check(enum math_reduce_op op, int dtype, const int64_t size[3], int threads)
{
    const int64_t outer = size[0], num = size[1], inner = size[2];
    void *x = test_array(dtype, outer * num * inner), *y = test_array(dtype, outer * inner);
    if (op == MATH_REDUCE_PROD && num > 6) /* keep products in range */
        for (int64_t i = 0; i < outer * num * inner; i++)
            test_set(dtype, x, i,
                     i % 5 ? 1 : (test_eps(dtype) > 0x1p-20 || whole_type(dtype) ? 1 : 1.0001), 0);
    const struct math_reduce r = {
        .op = op, .dtype = dtype, .x = x, .y = y, .outer = outer, .num = num, .inner = inner};
    math_reduce(threads ? test_pool(threads) : NULL, &r);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t c = 0; c < inner; c++) {
            struct pair a = start(op);
            for (int64_t i = 0; i < num; i++) {
                const int64_t at = (o * num + i) * inner + c;
                a = step(op, dtype, a,
                         (struct pair){test_get(dtype, x, at), test_get_im(dtype, x, at)});
            }
            compare(op, dtype, y, o * inner + c, finish(op, dtype, a, num), (double)num);
        }
    free(x);
    free(y);
}

static void test_reduce__agrees_with_the_definition(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},     {3, 7, 1},    {5, 1, 4},     {2, 100, 3},
                                       {1, 1000, 10}, {4, 33, 65},  {1, 5000, 1},  {7, 130, 17},
                                       {1, 300, 700}, {2, 9000, 1}, {1, 600, 2000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < sizeof all_types / sizeof *all_types; t++)
            for (int op = 0; op < MATH_REDUCE_NUM; op++)
                if (math_reduce_supports(op, all_types[t]))
                    check(op, all_types[t], sizes[s], s % 2 ? 2 : 0);
}

static void test_reduce__large_reductions_are_cut_and_joined(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {
        {1, 400000, 1}, {1, 40000, 10}, {3, 90000, 1}, {1, 3000, 100}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int op = 0; op <= MATH_REDUCE_MIN; op++) {
            check(op, DT_FLOAT, sizes[s], 2);
            check(op, DT_INT32, sizes[s], 2);
            check(op, DT_HALF, sizes[s], 0);
        }
}

static void test_reduce__the_thread_count_changes_no_bit(void **state)
{
    (void)state;
    enum { N = 1000000 };
    float *x = test_array(DT_FLOAT, N), y[2][1000];
    static const int64_t sizes[][3] = {
        {1, N, 1}, {1, N / 1000, 1000}, {1, N / 7, 7}, {20, N / 20, 1}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int k = 0; k < 2; k++) {
            const struct math_reduce r = {.op = MATH_REDUCE_SUM,
                                          .dtype = DT_FLOAT,
                                          .x = x,
                                          .y = y[k],
                                          .outer = sizes[s][0],
                                          .num = sizes[s][1],
                                          .inner = sizes[s][2]};
            math_reduce(k ? test_pool(4) : NULL, &r);
        }
        assert_memory_equal(y[0], y[1], (size_t)(sizes[s][0] * sizes[s][2]) * 4);
    }
    free(x);
}

static void test_reduce__long_sums_stay_exact(void **state)
{
    (void)state;
    enum { N = 1 << 22 };
    float *x = malloc(N * sizeof *x), y;
    for (int i = 0; i < N; i++)
        x[i] = 0.1f;
    const struct math_reduce r = {.op = MATH_REDUCE_SUM,
                                  .dtype = DT_FLOAT,
                                  .x = x,
                                  .y = &y,
                                  .outer = 1,
                                  .num = N,
                                  .inner = 1};
    math_reduce(NULL, &r);
    test_close((double)y, (double)0.1f * N, 4e-6, 0, "sum", 0);
    free(x);
}

/* Columns of float to the bit as one addition after the other, on every number of threads. */
static void test_reduce__columns_in_order(void **state)
{
    (void)state;
    enum { N = 600000 };
    float *x = test_array(DT_FLOAT, N), y[1000], want[1000];
    static const int64_t sizes[][3] = {
        {1, N / 2, 2}, {1, N / 6, 6}, {3, 1000, 200}, {2, 300, 1000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t outer = sizes[s][0], num = sizes[s][1], inner = sizes[s][2];
        for (int threads = 1; threads <= 4; threads += 3) {
            const struct math_reduce r = {.op = MATH_REDUCE_SUM,
                                          .dtype = DT_FLOAT,
                                          .x = x + (outer - 1) * num * inner,
                                          .y = y,
                                          .outer = 1,
                                          .num = num,
                                          .inner = inner,
                                          .in_order = true};
            math_reduce(threads > 1 ? test_pool(threads) : NULL, &r);
            for (int64_t c = 0; c < inner; c++) {
                want[c] = 0;
                for (int64_t i = 0; i < num; i++)
                    want[c] += ((const float *)r.x)[i * inner + c];
            }
            assert_memory_equal(y, want, (size_t)inner * sizeof *y);
        }
    }
    free(x);
}

static void test_reduce__nan_and_nothing(void **state)
{
    (void)state;
    for (int n = 1; n < 70; n += 11)
        for (int inner = 1; inner < 40; inner += 19) {
            float x[70 * 40], y[40];
            struct math_reduce r = {.op = MATH_REDUCE_MAX,
                                    .dtype = DT_FLOAT,
                                    .x = x,
                                    .y = y,
                                    .outer = 1,
                                    .num = n,
                                    .inner = inner};
            for (int i = 0; i < n * inner; i++)
                x[i] = NAN;
            math_reduce(NULL, &r);
            assert_true(y[0] == -INFINITY && y[inner - 1] == -INFINITY);
            for (int c = 0; c < inner; c++)
                x[(n - 1) * inner + c] = -5;
            math_reduce(NULL, &r);
            assert_true(y[0] == -5 && y[inner - 1] == -5);
            r.op = MATH_REDUCE_MIN;
            math_reduce(NULL, &r);
            assert_true(y[0] == -5 && y[inner - 1] == -5);
            r.op = MATH_REDUCE_SUM;
            math_reduce(NULL, &r);
            assert_true(n == 1 ? y[0] == -5 : isnan(y[0]));
        }
    static const struct {
        int op, dtype;
        double want;
    } empty[] = {{MATH_REDUCE_SUM, DT_FLOAT, 0},         {MATH_REDUCE_PROD, DT_HALF, 1},
                 {MATH_REDUCE_PROD, DT_COMPLEX64, 1},    {MATH_REDUCE_MAX, DT_FLOAT, -INFINITY},
                 {MATH_REDUCE_MIN, DT_DOUBLE, INFINITY}, {MATH_REDUCE_MAX, DT_INT32, INT32_MIN},
                 {MATH_REDUCE_MIN, DT_UINT8, 255},       {MATH_REDUCE_MEAN, DT_FLOAT, NAN},
                 {MATH_REDUCE_MEAN, DT_INT32, 0},        {MATH_REDUCE_ALL, DT_BOOL, 1},
                 {MATH_REDUCE_ANY, DT_BOOL, 0},          {MATH_REDUCE_MAX, DT_BFLOAT16, -INFINITY}};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        char y[3 * 16];
        const struct math_reduce r = {.op = empty[i].op,
                                      .dtype = empty[i].dtype,
                                      .x = NULL,
                                      .y = y,
                                      .outer = 1,
                                      .num = 0,
                                      .inner = 3};
        math_reduce(NULL, &r);
        for (int k = 0; k < 3; k++)
            test_close(test_get(empty[i].dtype, y, k), empty[i].want, 0, 0, "empty", (int64_t)i);
    }
}

/* Any set of axes: each element of x is added where it belongs. */
static void axes_check(int dtype, enum math_reduce_op op, int rank, const int64_t *dims,
                       unsigned mask)
{
    int64_t total = 1, kept = 1;
    bool reduced[8];
    for (int i = 0; i < rank; i++) {
        reduced[i] = mask >> i & 1;
        total *= dims[i];
        kept *= reduced[i] ? 1 : dims[i];
    }
    void *x = test_array(dtype, total), *y = test_array(dtype, kept);
    struct pair *want = malloc((size_t)(kept + 1) * sizeof *want);
    for (int64_t k = 0; k < kept; k++)
        want[k] = start(op);
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, to = 0, scale = 1;
        for (int k = rank - 1; k >= 0; k--) {
            if (!reduced[k])
                to += rest % dims[k] * scale, scale *= dims[k];
            rest /= dims[k];
        }
        want[to] = step(op, dtype, want[to],
                        (struct pair){test_get(dtype, x, i), test_get_im(dtype, x, i)});
    }
    struct math_reduce_axes r = {
        .op = op, .dtype = dtype, .x = x, .y = y, .rank = rank, .dims = dims, .reduced = reduced};
    const int64_t bytes = math_reduce_axes_scratch_bytes(&r);
    r.scratch = aligned_alloc(64, (size_t)(bytes + 127) / 64 * 64);
    math_reduce_axes(test_pool(2), &r);
    const double num = kept > 0 ? (double)total / (double)kept : 0;
    for (int64_t k = 0; k < kept; k++)
        compare(op, dtype, y, k, total > 0 ? finish(op, dtype, want[k], total / kept) : want[k],
                num);
    free(r.scratch), free(x), free(y), free(want);
}

static void test_reduce__any_set_of_axes(void **state)
{
    (void)state;
    const int64_t dims[] = {3, 4, 1, 5, 2, 6};
    const int types[] = {DT_FLOAT, DT_INT32, DT_HALF, DT_COMPLEX128};
    for (unsigned mask = 0; mask < 64; mask++)
        for (int t = 0; t < 4; t++)
            for (int op = 0; op < 2; op++)
                axes_check(types[t], op, 6, dims, mask);
    axes_check(DT_FLOAT, MATH_REDUCE_MAX, 0, dims, 0);
    const int64_t empty[] = {3, 0, 2, 4};
    for (unsigned mask = 0; mask < 16; mask++)
        axes_check(DT_FLOAT, MATH_REDUCE_SUM, 4, empty, mask);
}

static void test_reduce__arg_reduce(void **state)
{
    (void)state;
    const float x[] = {NAN, 1, 2, 2, 3, 3, NAN, NAN, -1, -1, -2, -3};
    int64_t at[4];
    int32_t narrow[4];
    struct math_arg_reduce a = {.dtype = DT_FLOAT,
                                .out_dtype = DT_INT64,
                                .x = x,
                                .y = at,
                                .outer = 4,
                                .num = 3,
                                .inner = 1};
    math_arg_reduce(NULL, &a);
    assert_true(at[0] == 2 && at[1] == 1 && at[2] == 2 && at[3] == 0);
    a.min = true, a.out_dtype = DT_INT32, a.y = narrow;
    math_arg_reduce(NULL, &a);
    assert_true(narrow[0] == 1 && narrow[1] == 0 && narrow[2] == 2 && narrow[3] == 2);
    a = (struct math_arg_reduce){.dtype = DT_FLOAT,
                                 .out_dtype = DT_INT32,
                                 .x = x,
                                 .y = narrow,
                                 .outer = 1,
                                 .num = 3,
                                 .inner = 4};
    math_arg_reduce(NULL, &a); /* columns: NAN 3 -1, 1 3 -1, 2 NAN -2, 2 NAN -3 */
    assert_true(narrow[0] == 1 && narrow[1] == 1 && narrow[2] == 0 && narrow[3] == 0);
    const float nans[2] = {NAN, NAN};
    a = (struct math_arg_reduce){.dtype = DT_FLOAT,
                                 .out_dtype = DT_INT32,
                                 .x = nans,
                                 .y = narrow,
                                 .outer = 1,
                                 .num = 2,
                                 .inner = 1};
    math_arg_reduce(NULL, &a);
    assert_int_equal(narrow[0], 0);
}

static void test_reduce__scans(void **state)
{
    (void)state;
    const int64_t outer = 3, num = 17, inner = 4;
    for (size_t t = 0; t + 1 < sizeof all_types / sizeof *all_types; t++)
        for (int form = 0; form < 8; form++) {
            const int dt = all_types[t];
            void *x = test_array(dt, outer * num * inner), *y = test_array(dt, outer * num * inner);
            const struct math_scan s = {.prod = form & 1,
                                        .exclusive = form & 2,
                                        .reverse = form & 4,
                                        .dtype = dt,
                                        .x = x,
                                        .y = y,
                                        .outer = outer,
                                        .num = num,
                                        .inner = inner};
            if (s.prod && whole_type(dt))
                for (int64_t i = 0; i < outer * num * inner; i++)
                    test_set(dt, x, i, i % 3 ? 1 : 2, 0);
            math_scan(test_pool(2), &s);
            const enum math_reduce_op op = s.prod ? MATH_REDUCE_PROD : MATH_REDUCE_SUM;
            for (int64_t k = 0; k < outer * inner; k++) {
                struct pair a = start(op);
                for (int64_t r = 0; r < num; r++) {
                    const int64_t at =
                        (k / inner * num + (s.reverse ? num - 1 - r : r)) * inner + k % inner;
                    const struct pair next =
                        step(op, dt, a, (struct pair){test_get(dt, x, at), test_get_im(dt, x, at)});
                    compare(op, dt, y, at, s.exclusive ? a : next, (double)num);
                    a = next;
                }
            }
            free(x), free(y);
        }
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce__agrees_with_the_definition),
        cmocka_unit_test(test_reduce__large_reductions_are_cut_and_joined),
        cmocka_unit_test(test_reduce__the_thread_count_changes_no_bit),
        cmocka_unit_test(test_reduce__long_sums_stay_exact),
        cmocka_unit_test(test_reduce__columns_in_order),
        cmocka_unit_test(test_reduce__nan_and_nothing),
        cmocka_unit_test(test_reduce__any_set_of_axes),
        cmocka_unit_test(test_reduce__arg_reduce),
        cmocka_unit_test(test_reduce__scans),
    };
    return cmocka_run_group_tests_name("math/reduce", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
