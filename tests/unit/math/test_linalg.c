/* SPDX-License-Identifier: Apache-2.0 */
/* Decompositions: what they promise holds (factors multiply to the matrix, vectors are
 * orthonormal), for each type, square and oblong; errors for what has no answer; skipped where
 * LAPACK is absent. */
#include "math_test.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "math/linalg.h"

static const int dtypes[] = {DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128};
#define EACH_TYPE(t) for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)

static double complex at(int dtype, const void *a, int64_t i)
{
    return test_get(dtype, a, i) + test_get_im(dtype, a, i) * I;
}

/* k elements of a matrix, from `first`, `step` apart, conjugated if asked. */
struct line {
    const void *p;
    int64_t first, step;
    bool conj;
};

static double complex dot(int dtype, struct line a, struct line b, int64_t k)
{
    double complex sum = 0;
    for (int64_t q = 0; q < k; q++) {
        const double complex x = at(dtype, a.p, a.first + q * a.step),
                             y = at(dtype, b.p, b.first + q * b.step);
        sum += (a.conj ? conj(x) : x) * (b.conj ? conj(y) : y);
    }
    return sum;
}

static void close_to(int dtype, double complex got, double complex want, const char *what)
{
    const double tol = 2000 * test_eps(dtype);
    if (!(cabs(got - want) <= tol * (1 + cabs(want))))
        fail_msg("%s of %s: %g%+gi, wanted %g%+gi", what, dtype_name(dtype), creal(got), cimag(got),
                 creal(want), cimag(want));
}

static void *lend(enum math_linalg_task task, int dtype, int64_t m, int64_t n)
{
    const int64_t bytes = math_linalg_scratch_bytes(task, dtype, m, n);
    assert_true(bytes >= 0);
    return aligned_alloc(64, (size_t)(bytes + 127) / 64 * 64);
}

/* Well conditioned: random with a heavy diagonal. */
static void *matrix(int dtype, int64_t n)
{
    void *a = test_array(dtype, n * n);
    for (int64_t i = 0; i < n; i++)
        test_set(dtype, a, i * n + i, test_get(dtype, a, i * n + i) + (i % 2 ? 3 : -3), 0.5);
    return a;
}

static bool absent(void)
{
    if (math_linalg_available())
        return false;
    struct status st = {0};
    float one = 1, y;
    assert_false(math_cholesky(DT_FLOAT, 1, &one, &y, &st));
    assert_int_equal(st.code, STATUS_UNIMPLEMENTED);
    status_clear(&st);
    return true;
}

static void test_linalg__solve_and_inverse(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    {
        const int dt = dtypes[t];
        for (int64_t n = 0; n < 12; n += n < 4 ? 1 : 7)
            for (int adjoint = 0; adjoint < 2; adjoint++) {
                struct status st = {0};
                const int64_t k = 3;
                void *a = matrix(dt, n), *b = test_array(dt, n * k), *x = test_zeros(dt, n * k),
                     *y = test_zeros(dt, n * n);
                void *scratch = lend(MATH_LINALG_SOLVE, dt, n, k);
                const struct math_solve s = {.dtype = dt,
                                             .n = n,
                                             .num_rhs = k,
                                             .a = a,
                                             .b = b,
                                             .x = x,
                                             .adjoint = adjoint,
                                             .scratch = scratch};
                assert_true(math_solve(&s, &st));
                free(scratch);
                scratch = lend(MATH_LINALG_INVERSE, dt, n, n);
                assert_true(math_inverse(dt, n, a, y, adjoint, scratch, &st));
                free(scratch);
                for (int64_t i = 0; i < n; i++) {
                    const int64_t ai = adjoint ? i : i * n, step = adjoint ? n : 1;
                    for (int64_t j = 0; j < k; j++)
                        close_to(dt,
                                 dot(dt, (struct line){a, ai, step, adjoint},
                                     (struct line){x, j, k, false}, n),
                                 at(dt, b, i * k + j), "a x");
                    for (int64_t j = 0; j < n; j++)
                        close_to(dt,
                                 dot(dt, (struct line){a, ai, step, adjoint},
                                     (struct line){y, j, n, false}, n),
                                 i == j, "a inverse(a)");
                }
                free(a), free(b), free(x), free(y);
            }
    }
}

static void test_linalg__determinant(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    {
        const int dt = dtypes[t];
        struct status st = {0};
        void *a = test_zeros(dt, 9), *scratch = lend(MATH_LINALG_DETERMINANT, dt, 3, 3);
        const double v[] = {0, 2, 1, 4, 0, 3, 1, 5, 6};
        for (int i = 0; i < 9; i++)
            test_set(dt, a, i, v[i], 0);
        char det[16], sign[16], log_abs[16];
        struct math_determinant d = {.dtype = dt,
                                     .n = 3,
                                     .a = a,
                                     .det = det,
                                     .sign = sign,
                                     .log_abs = log_abs,
                                     .scratch = scratch};
        assert_true(math_determinant(&d, &st));
        close_to(dt, at(dt, det, 0), -22, "det"); /* 0(0-15) - 2(24-3) + 1(20-0) */
        close_to(dt, at(dt, sign, 0), -1, "sign");
        close_to(dt, at(dt, log_abs, 0), log(22), "log");
        for (int i = 0; i < 3; i++)
            test_set(dt, a, i, 0, 0); /* singular */
        assert_true(math_determinant(&d, &st));
        assert_true(at(dt, det, 0) == 0 && at(dt, sign, 0) == 0 &&
                    creal(at(dt, log_abs, 0)) == -INFINITY);
        d.n = 0;
        assert_true(math_determinant(&d, &st));
        assert_true(at(dt, det, 0) == 1 && at(dt, sign, 0) == 1 && at(dt, log_abs, 0) == 0);
        free(a), free(scratch);
    }
    /* the product of the diagonal overflows on the way */
    double big[16] = {1e200, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1e-200, 0, 0, 0, 0, 1e-199}, det;
    struct status st = {0};
    void *scratch = lend(MATH_LINALG_DETERMINANT, DT_DOUBLE, 4, 4);
    const struct math_determinant d = {
        .dtype = DT_DOUBLE, .n = 4, .a = big, .det = &det, .scratch = scratch};
    assert_true(math_determinant(&d, &st));
    test_close(det, 10, 1e-10, 0, "det", 0);
    free(scratch);
}

/* A Hermitian matrix; with a heavy diagonal positive definite. */
static void *hermitian(int dt, int64_t n, double diagonal)
{
    void *a = test_array(dt, n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double complex v = at(dt, a, i * n + j);
            test_set(dt, a, i * n + j, creal(v) + (i == j ? diagonal : 0), i == j ? 0 : cimag(v));
            test_set(dt, a, j * n + i, creal(v) + (i == j ? diagonal : 0), i == j ? 0 : -cimag(v));
        }
    return a;
}

static void test_linalg__cholesky(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    {
        const int dt = dtypes[t];
        const int64_t n = 9;
        struct status st = {0};
        void *a = hermitian(dt, n, 12), *l = test_zeros(dt, n * n);
        assert_true(math_cholesky(dt, n, a, l, &st));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                close_to(
                    dt,
                    dot(dt, (struct line){l, i * n, 1, false}, (struct line){l, j * n, 1, true}, n),
                    at(dt, a, i * n + j), "l l^h");
                assert_true(j <= i || at(dt, l, i * n + j) == 0);
            }
        test_set(dt, a, 0, -1, 0);
        assert_false(math_cholesky(dt, n, a, l, &st));
        assert_non_null(strstr(status_message(&st), "Cholesky decomposition was not successful"));
        status_clear(&st);
        free(a), free(l);
    }
}

static void test_linalg__triangular_systems(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    {
        const int dt = dtypes[t];
        const int64_t n = 6, k = 4;
        for (int form = 0; form < 4; form++) {
            const bool lower = form & 1, adjoint = form & 2;
            struct status st = {0};
            void *a = matrix(dt, n), *clean = matrix(dt, n), *b = test_array(dt, n * k),
                 *x = test_zeros(dt, n * k);
            memcpy(clean, a, (size_t)(n * n) * dtype_size(dt));
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++)
                    if (lower ? j > i : j < i) {
                        test_set(dt, clean, i * n + j, 0, 0);
                        test_set(dt, a, i * n + j, NAN, 0); /* not read */
                    }
            const struct math_triangular s = {.dtype = dt,
                                              .n = n,
                                              .num_rhs = k,
                                              .t = a,
                                              .b = b,
                                              .x = x,
                                              .lower = lower,
                                              .adjoint = adjoint};
            assert_true(math_triangular_solve(&s, &st));
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < k; j++)
                    close_to(
                        dt,
                        dot(dt, (struct line){clean, adjoint ? i : i * n, adjoint ? n : 1, adjoint},
                            (struct line){x, j, k, false}, n),
                        at(dt, b, i * k + j), "t x");
            test_set(dt, a, 7 * 2, 0, 0);
            assert_false(math_triangular_solve(&s, &st));
            assert_string_equal(status_message(&st), "Input matrix is not invertible.");
            status_clear(&st);
            free(a), free(clean), free(b), free(x);
        }
    }
}

/* Columns of a rows x cols matrix are orthonormal. */
static void orthonormal(int dt, const void *q, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < cols; i++)
        for (int64_t j = 0; j < cols; j++)
            close_to(
                dt,
                dot(dt, (struct line){q, i, cols, true}, (struct line){q, j, cols, false}, rows),
                i == j, "q^h q");
}

static const int64_t oblong[][2] = {{5, 5}, {7, 3}, {3, 7}, {1, 4}, {4, 1}, {0, 3}, {3, 0}};

static void test_linalg__qr(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    {
        const int dt = dtypes[t];
        for (size_t s = 0; s < sizeof oblong / sizeof *oblong; s++)
            for (int full = 0; full < 2; full++) {
                struct status st = {0};
                const int64_t m = oblong[s][0], n = oblong[s][1], p = full ? m : min_i64(m, n);
                void *a = test_array(dt, m * n), *q = test_zeros(dt, m * p),
                     *r = test_zeros(dt, p * n);
                void *scratch = lend(full ? MATH_LINALG_QR_FULL : MATH_LINALG_QR, dt, m, n);
                const struct math_qr d = {.dtype = dt,
                                          .m = m,
                                          .n = n,
                                          .full = full,
                                          .a = a,
                                          .q = q,
                                          .r = r,
                                          .scratch = scratch};
                assert_true(math_qr(&d, &st));
                orthonormal(dt, q, m, p);
                for (int64_t i = 0; i < m; i++)
                    for (int64_t j = 0; j < n; j++)
                        close_to(dt,
                                 dot(dt, (struct line){q, i * p, 1, false},
                                     (struct line){r, j, n, false}, p),
                                 at(dt, a, i * n + j), "q r");
                for (int64_t i = 0; i < p; i++)
                    for (int64_t j = 0; j < min_i64(i, n); j++)
                        assert_true(at(dt, r, i * n + j) == 0);
                free(a), free(q), free(r), free(scratch);
            }
    }
}

static void svd_check(int dt, int64_t m, int64_t n, bool full)
{
    struct status st = {0};
    const int64_t p = min_i64(m, n), u_cols = full ? m : p, v_cols = full ? n : p;
    const int real = dtype_real_of(dt);
    void *a = test_array(dt, m * n), *u = test_zeros(dt, m * u_cols),
         *v = test_zeros(dt, n * v_cols);
    void *s = test_zeros(real, p), *only = test_zeros(real, p);
    void *scratch = lend(full ? MATH_LINALG_SVD_FULL : MATH_LINALG_SVD_THIN, dt, m, n);
    struct math_svd d = {.dtype = dt,
                         .m = m,
                         .n = n,
                         .full = full,
                         .a = a,
                         .s = s,
                         .u = u,
                         .v = v,
                         .scratch = scratch};
    assert_true(math_svd(&d, &st));
    free(scratch);
    orthonormal(dt, u, m, u_cols);
    orthonormal(dt, v, n, v_cols);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double complex sum = 0;
            for (int64_t k = 0; k < p; k++)
                sum += at(dt, u, i * u_cols + k) * test_get(real, s, k) *
                       conj(at(dt, v, j * v_cols + k));
            close_to(dt, sum, at(dt, a, i * n + j), "u s v^h");
        }
    d.u = d.v = NULL, d.s = only;
    d.scratch = lend(MATH_LINALG_SVD, dt, m, n);
    assert_true(math_svd(&d, &st));
    for (int64_t k = 0; k < p; k++) {
        close_to(dt, test_get(real, only, k), test_get(real, s, k), "s");
        assert_true(k == 0 || test_get(real, s, k - 1) >= test_get(real, s, k));
    }
    free(d.scratch), free(a), free(u), free(v), free(s), free(only);
}

static void test_linalg__svd(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    for (size_t s = 0; s < sizeof oblong / sizeof *oblong; s++)
        for (int full = 0; full < 2; full++)
            svd_check(dtypes[t], oblong[s][0], oblong[s][1], full);
}

static void test_linalg__eigenvectors(void **state)
{
    (void)state;
    if (absent())
        skip();
    EACH_TYPE(t)
    for (int64_t n = 0; n < 10; n += 3) {
        const int dt = dtypes[t], real = dtype_real_of(dt);
        struct status st = {0};
        void *a = hermitian(dt, n, 0), *w = test_zeros(real, n), *only = test_zeros(real, n),
             *v = test_zeros(dt, n * n);
        struct math_eigh d = {.dtype = dt,
                              .n = n,
                              .a = a,
                              .w = w,
                              .v = v,
                              .scratch = lend(MATH_LINALG_EIGH_VECTORS, dt, n, n)};
        assert_true(math_eigh(&d, &st));
        free(d.scratch);
        orthonormal(dt, v, n, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < n; k++)
                close_to(
                    dt,
                    dot(dt, (struct line){a, i * n, 1, false}, (struct line){v, k, n, false}, n),
                    test_get(real, w, k) * at(dt, v, i * n + k), "a v");
        d.v = NULL, d.w = only, d.scratch = lend(MATH_LINALG_EIGH, dt, n, n);
        assert_true(math_eigh(&d, &st));
        for (int64_t k = 0; k < n; k++) {
            close_to(dt, test_get(real, only, k), test_get(real, w, k), "w");
            assert_true(k == 0 || test_get(real, w, k - 1) <= test_get(real, w, k));
        }
        free(d.scratch), free(a), free(w), free(only), free(v);
    }
}

static void test_linalg__what_has_no_answer_is_an_error(void **state)
{
    (void)state;
    if (absent())
        skip();
    struct status st = {0};
    const float zero[4] = {0};
    float y[4];
    void *scratch = lend(MATH_LINALG_SVD_FULL, DT_FLOAT, 2, 2);
    void *more = lend(MATH_LINALG_INVERSE, DT_FLOAT, 2, 2);
    assert_false(math_inverse(DT_FLOAT, 2, zero, y, false, more, &st));
    assert_string_equal(status_message(&st), "Input matrix is not invertible.");
    status_clear(&st);
    assert_false(math_inverse(DT_INT32, 2, zero, y, false, more, &st));
    assert_int_equal(st.code, STATUS_UNIMPLEMENTED);
    status_clear(&st);
    assert_false(math_inverse(DT_FLOAT, 1 << 20, zero, y, false, more, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    const float bad[4] = {NAN, 1, 1, 1};
    float s[2], u[4], v[4];
    const struct math_svd d = {.dtype = DT_FLOAT,
                               .m = 2,
                               .n = 2,
                               .full = true,
                               .a = bad,
                               .s = s,
                               .u = u,
                               .v = v,
                               .scratch = scratch};
    if (!math_svd(&d, &st))
        assert_non_null(strstr(status_message(&st), "finite"));
    else
        assert_true(isnan(s[0]));
    status_clear(&st);
    assert_int_equal(math_linalg_scratch_bytes(MATH_LINALG_SVD, DT_FLOAT, INT64_MAX, 2), -1);
    assert_int_equal(math_linalg_scratch_bytes(MATH_LINALG_SVD, DT_INT32, 2, 2), -1);
    free(scratch), free(more);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linalg__solve_and_inverse),
        cmocka_unit_test(test_linalg__determinant),
        cmocka_unit_test(test_linalg__cholesky),
        cmocka_unit_test(test_linalg__triangular_systems),
        cmocka_unit_test(test_linalg__qr),
        cmocka_unit_test(test_linalg__svd),
        cmocka_unit_test(test_linalg__eigenvectors),
        cmocka_unit_test(test_linalg__what_has_no_answer_is_an_error),
    };
    return cmocka_run_group_tests_name("math/linalg", tests, NULL, NULL);
}

int main(void)
{
    return run();
}
