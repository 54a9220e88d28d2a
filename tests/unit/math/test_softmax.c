/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and cross-entropy against the definition in double; extreme rows; bad labels. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/softmax.h"

static const int dtypes[] = {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_BFLOAT16};

/* Row r's maximum and log of the sum of exponentials above it. */
static void row_sums(int dtype, const void *x, int64_t r, int64_t n, double *max, double *log_sum)
{
    double sum = 0;
    *max = -INFINITY;
    for (int64_t c = 0; c < n; c++)
        *max = fmax(*max, test_get(dtype, x, r * n + c));
    for (int64_t c = 0; c < n; c++)
        sum += exp(test_get(dtype, x, r * n + c) - *max);
    *log_sum = log(sum);
}

static void check(int dtype, int64_t rows, int64_t n)
{
    const double eps = 8 * test_eps(dtype);
    void *x = test_array(dtype, rows * n), *y = test_zeros(dtype, rows * n),
         *dy = test_array(dtype, rows * n), *dx = test_zeros(dtype, rows * n);
    for (int64_t i = 0; i < rows * n; i++)
        test_set(dtype, x, i, 20 * test_get(dtype, x, i), 0);
    for (int is_log = 0; is_log < 2; is_log++) {
        const struct math_softmax s = {
            .dtype = dtype, .log = is_log, .rows = rows, .classes = n, .x = x, .y = y};
        const struct math_softmax_grad g = {
            .dtype = dtype, .log = is_log, .rows = rows, .classes = n, .y = y, .dy = dy, .dx = dx};
        math_softmax(test_pool(2), &s);
        math_softmax_grad(test_pool(2), &g);
        for (int64_t r = 0; r < rows; r++) {
            double max, log_sum, total = 0;
            row_sums(dtype, x, r, n, &max, &log_sum);
            for (int64_t c = 0; c < n; c++) {
                const double p = test_get(dtype, x, r * n + c) - max - log_sum;
                test_close(test_get(dtype, y, r * n + c), is_log ? p : exp(p), eps, eps, "softmax",
                           r * n + c);
                total +=
                    test_get(dtype, dy, r * n + c) * (is_log ? 1 : test_get(dtype, y, r * n + c));
            }
            for (int64_t c = 0; c < n; c++) {
                const double v = test_get(dtype, y, r * n + c), d = test_get(dtype, dy, r * n + c);
                test_close(test_get(dtype, dx, r * n + c),
                           is_log ? d - exp(v) * total : (d - total) * v, eps,
                           eps * (1 + sqrt((double)n)), "dx", r * n + c);
            }
        }
    }
    free(x), free(y), free(dy), free(dx);
}

static void test_softmax__agrees_with_the_definition(void **state)
{
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (int64_t n = 0; n < 100; n += n < 34 ? 1 : 13)
            check(dtypes[t], 5, n);
    check(DT_FLOAT, 3000, 17);
}

static void test_softmax__extreme_rows(void **state)
{
    (void)state;
    float x[4][20], y[4][20];
    for (int c = 0; c < 20; c++) {
        x[0][c] = 1e30f;
        x[1][c] = c == 3 ? 0 : -INFINITY;
        x[2][c] = c == 19 ? NAN : 1;
        x[3][c] = -1e30f * (float)c;
    }
    const struct math_softmax s = {.dtype = DT_FLOAT, .rows = 4, .classes = 20, .x = x, .y = y};
    math_softmax(NULL, &s);
    for (int c = 0; c < 20; c++) {
        test_close((double)y[0][c], 0.05, 1e-6, 0, "equal", c);
        assert_true(y[1][c] == (c == 3));
        assert_true(isnan(y[2][c]));
        assert_true(y[3][c] == (c == 0));
    }
}

static void xent_check(int dtype, int64_t rows, int64_t n, bool one_row, bool one_col)
{
    const double eps = 8 * test_eps(dtype);
    void *x = test_array(dtype, rows * n), *labels = test_array(dtype, rows * n),
         *loss = test_zeros(dtype, rows), *back = test_zeros(dtype, rows * n);
    struct math_xent s = {.dtype = dtype,
                          .rows = rows,
                          .classes = n,
                          .logits = x,
                          .labels = labels,
                          .logits_row = n,
                          .logits_col = 1,
                          .labels_row = one_row ? 0 : (one_col ? 1 : n),
                          .labels_col = one_col ? 0 : 1,
                          .loss = loss,
                          .backprop = back};
    math_xent(test_pool(2), &s);
    for (int64_t r = 0; r < rows; r++) {
        double max, log_sum, want = 0;
        row_sums(dtype, x, r, n, &max, &log_sum);
        for (int64_t c = 0; c < n; c++) {
            const double l = test_get(dtype, labels, r * s.labels_row + c * s.labels_col),
                         p = test_get(dtype, x, r * n + c) - max - log_sum;
            want -= l * p;
            test_close(test_get(dtype, back, r * n + c), exp(p) - l, eps, eps, "backprop",
                       r * n + c);
        }
        test_close(test_get(dtype, loss, r), want, eps, eps * (1 + (double)n), "loss", r);
    }
    if (!one_row && !one_col) { /* in place, and without the gradient */
        void *again = test_zeros(dtype, rows);
        s.backprop = NULL, s.loss = again;
        math_xent(NULL, &s);
        assert_memory_equal(loss, again, (size_t)rows * dtype_size(dtype));
        s.backprop = x;
        math_xent(NULL, &s);
        assert_memory_equal(loss, again, (size_t)rows * dtype_size(dtype));
        assert_memory_equal(x, back, (size_t)(rows * n) * dtype_size(dtype));
        free(again);
    }
    free(x), free(labels), free(loss), free(back);
}

static void test_softmax__cross_entropy(void **state)
{
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (int64_t n = 0; n < 50; n += 7)
            for (int form = 0; form < 3; form++)
                xent_check(dtypes[t], 9, n, form == 1, form == 2);
}

static void test_softmax__sparse_cross_entropy(void **state)
{
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (int wide = 0; wide < 2; wide++) {
            enum { ROWS = 9, N = 21 };
            const int dt = dtypes[t];
            int32_t narrow[ROWS];
            int64_t labels[ROWS];
            for (int r = 0; r < ROWS; r++)
                narrow[r] = (int32_t)(labels[r] = test_below(N));
            void *x = test_array(dt, ROWS * N), *loss = test_zeros(dt, ROWS),
                 *back = test_zeros(dt, ROWS * N);
            struct math_sparse_xent s = {.dtype = dt,
                                         .label_dtype = wide ? DT_INT64 : DT_INT32,
                                         .rows = ROWS,
                                         .classes = N,
                                         .logits = x,
                                         .labels = wide ? (void *)labels : (void *)narrow,
                                         .loss = loss,
                                         .backprop = back};
            assert_int_equal(math_sparse_xent(test_pool(2), &s), -1);
            for (int r = 0; r < ROWS; r++) {
                double max, log_sum;
                row_sums(dt, x, r, N, &max, &log_sum);
                for (int c = 0; c < N; c++) {
                    const double p = test_get(dt, x, r * N + c) - max - log_sum;
                    test_close(test_get(dt, back, r * N + c), exp(p) - (c == labels[r]),
                               8 * test_eps(dt), 8 * test_eps(dt), "backprop", c);
                    if (c == labels[r])
                        test_close(test_get(dt, loss, r), -p, 8 * test_eps(dt), 8 * test_eps(dt),
                                   "loss", r);
                }
            }
            narrow[4] = (int32_t)(labels[4] = N), narrow[6] = (int32_t)(labels[6] = -1);
            assert_int_equal(math_sparse_xent(test_pool(2), &s), 4);
            assert_true(isnan(test_get(dt, loss, 4)) && isnan(test_get(dt, back, 4 * N + 2)) &&
                        isnan(test_get(dt, loss, 6)) && !isnan(test_get(dt, loss, 5)));
            s.classes = 0;
            assert_int_equal(math_sparse_xent(NULL, &s), 0);
            free(x), free(loss), free(back);
        }
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax__agrees_with_the_definition),
        cmocka_unit_test(test_softmax__extreme_rows),
        cmocka_unit_test(test_softmax__cross_entropy),
        cmocka_unit_test(test_softmax__sparse_cross_entropy),
    };
    return cmocka_run_group_tests_name("math/softmax", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
