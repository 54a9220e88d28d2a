/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against the definition: every type, transposition, odd size, stride, epilogue. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/gemm.h"
#include "math/simd/gemm_simd.h"

static const int dtypes[] = {DT_FLOAT, DT_DOUBLE,    DT_HALF,       DT_BFLOAT16,
                             DT_INT32, DT_COMPLEX64, DT_COMPLEX128, DT_INT64};

struct product {
    struct math_gemm g;
    int dtype;
    void *a, *b, *c, *bias, *before;
    int64_t num_c;
    double *wide_a, *wide_b; /* made by product_check */
};

/* Rows of A, B and C lie `slack` elements further apart than they must. */
static struct product product_make(int dtype, int64_t m, int64_t n, int64_t k, int trans, int slack)
{
    struct product p = {.dtype = dtype};
    struct math_gemm *g = &p.g;
    *g =
        (struct math_gemm){.m = m, .n = n, .k = k, .trans_a = trans & 1, .trans_b = trans >> 1 & 1};
    g->lda = (g->trans_a ? m : k) + slack;
    g->ldb = (g->trans_b ? k : n) + slack;
    g->ldc = n + slack;
    p.num_c = m * g->ldc;
    g->a = p.a = test_array(dtype, (g->trans_a ? k : m) * g->lda);
    g->b = p.b = test_array(dtype, (g->trans_b ? n : k) * g->ldb);
    g->c = p.c = test_array(dtype, p.num_c);
    p.bias = test_array(dtype, n);
    p.before = test_zeros(dtype, p.num_c);
    memcpy(p.before, p.c, (size_t)p.num_c * dtype_size(dtype));
    return p;
}

static void product_free(struct product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->bias);
    free(p->before);
}

/* One element of C as it should be, and its imaginary part. */
static double wanted(const struct product *p, int64_t i, int64_t j, double *im_out)
{
    const struct math_gemm *g = &p->g;
    double re = 0, im = 0;
    if (g->beta)
        re = test_get(p->dtype, p->before, i * g->ldc + j),
        im = test_get_im(p->dtype, p->before, i * g->ldc + j);
    const int64_t a_step = g->trans_a ? g->lda : 1, b_step = g->trans_b ? 1 : g->ldb;
    const double *a = p->wide_a + (g->trans_a ? i : i * g->lda);
    const double *b = p->wide_b + (g->trans_b ? j * g->ldb : j);
    for (int64_t q = 0; q < g->k; q++)
        re += a[q * a_step] * b[q * b_step];
    if (p->dtype == DT_COMPLEX64 || p->dtype == DT_COMPLEX128) {
        for (int64_t q = 0; q < g->k; q++) {
            const double x =
                test_get_im(p->dtype, g->a, a - p->wide_a + q * a_step) * (g->conj_a ? -1 : 1);
            const double y =
                test_get_im(p->dtype, g->b, b - p->wide_b + q * b_step) * (g->conj_b ? -1 : 1);
            re -= x * y;
            im += a[q * a_step] * y + x * b[q * b_step];
        }
    }
    if (g->bias)
        re += test_get(p->dtype, g->bias, j), im += test_get_im(p->dtype, g->bias, j);
    switch (g->act) {
    case MATH_ACT_RELU:
        re = re > 0 ? re : 0;
        break;
    case MATH_ACT_RELU6:
        re = re > 6 ? 6 : (re > 0 ? re : 0);
        break;
    case MATH_ACT_ELU:
        re = re > 0 ? re : expm1(re);
        break;
    case MATH_ACT_TANH:
        re = tanh(re);
        break;
    case MATH_ACT_SIGMOID:
        re = 1 / (1 + exp(-re));
        break;
    default:
        break;
    }
    *im_out = im;
    return re;
}

static double *widen(int dtype, const void *x, int64_t n)
{
    double *y = test_zeros(DT_DOUBLE, n);
    for (int64_t i = 0; i < n; i++)
        y[i] = test_get(dtype, x, i);
    return y;
}

static void product_check(struct product *p)
{
    const struct math_gemm *g = &p->g;
    p->wide_a = widen(p->dtype, g->a, (g->trans_a ? g->k : g->m) * g->lda);
    p->wide_b = widen(p->dtype, g->b, (g->trans_b ? g->n : g->k) * g->ldb);
    const double eps = 4 * test_eps(p->dtype);
    char name[128];
    snprintf(name, sizeof name, "%s %lldx%lldx%lld%s%s", dtype_name(p->dtype), (long long)g->m,
             (long long)g->n, (long long)g->k, g->trans_a ? " ta" : "", g->trans_b ? " tb" : "");
    for (int64_t i = 0; i < g->m; i++) {
        for (int64_t j = 0; j < g->ldc; j++) {
            const int64_t at = i * g->ldc + j;
            if (j >= g->n) { /* between rows nothing is written */
                assert_true(test_get(p->dtype, p->c, at) == test_get(p->dtype, p->before, at));
                continue;
            }
            double im;
            const double re = wanted(p, i, j, &im);
            const double slack = eps * (8 + (double)g->k / 2);
            test_close(test_get(p->dtype, p->c, at), re, eps, slack, name, at);
            test_close(test_get_im(p->dtype, p->c, at), im, eps, slack, name, at);
        }
    }
    free(p->wide_a);
    free(p->wide_b);
}

static void test_gemm__agrees_with_the_definition(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {
        {1, 1, 1},     {1, 7, 5},    {7, 1, 5},     {1, 1, 300},   {3, 5, 7},     {13, 17, 19},
        {16, 16, 16},  {15, 9, 64},  {17, 16, 2},   {33, 12, 31},  {64, 64, 64},  {65, 63, 64},
        {64, 16, 65},  {14, 32, 9},  {15, 33, 40},  {29, 47, 3},   {100, 10, 33}, {2, 130, 70},
        {4, 65, 20},   {5, 3, 1000}, {31, 64, 64},  {1, 300, 200}, {300, 1, 200}, {0, 5, 3},
        {5, 0, 3},     {5, 3, 0},    {97, 99, 101}, {33, 2, 64},   {47, 3, 97},   {32, 6, 150},
        {34, 12, 65},  {50, 11, 1},  {65, 10, 128}, {37, 117, 19}, {61, 53, 200}, {23, 145, 31},
        {18, 21, 700},
    };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (int trans = 0; trans < 4; trans++)
                for (int variant = 0; variant < 3; variant++) {
                    struct product p = product_make(dtypes[t], sizes[s][0], sizes[s][1],
                                                    sizes[s][2], trans, variant == 1 ? 3 : 0);
                    p.g.beta = variant == 1;
                    p.g.conj_a = variant == 2, p.g.conj_b = variant == 1;
                    if (variant == 2)
                        p.g.bias = p.bias;
                    if (variant == 2 && test_get_im(dtypes[t], p.b, 0) == 0)
                        p.g.act = MATH_ACT_RELU;
                    math_gemm(NULL, dtypes[t], &p.g);
                    product_check(&p);
                    product_free(&p);
                }
}

/* Sizes that cross every block border of the scheme, and the library's. */
static void test_gemm__large_and_odd_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{130, 150, 1100}, {513, 70, 200},  {61, 1200, 130},
                                       {200, 256, 512},  {120, 301, 300}, {450, 270, 260},
                                       {40, 1024, 70},   {20, 300, 1024}, {30, 20, 1024}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 2; t++)
            for (int trans = 0; trans < 4; trans++) {
                struct product p =
                    product_make(dtypes[t], sizes[s][0], sizes[s][1], sizes[s][2], trans, 0);
                p.g.bias = p.bias, p.g.act = MATH_ACT_RELU;
                math_gemm(test_pool(2), dtypes[t], &p.g);
                product_check(&p);
                product_free(&p);
            }
}

/* A tall A, whose rows pass through the caches: rows apart, added to, with an epilogue. */
static void test_gemm__tall(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{4100, 35, 30}, {1100, 64, 200}, {270, 37, 1100},
                                       {4097, 16, 50}, {1111, 150, 90}, {5000, 48, 8}};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
        for (int t = 0; t < 2; t++)
            for (int variant = 0; variant < 4; variant++) {
                struct product p = product_make(dtypes[t], sizes[s][0], sizes[s][1], sizes[s][2],
                                                variant & 2, variant == 1 ? 3 : 0);
                p.g.beta = variant & 1;
                if (variant != 2)
                    p.g.bias = p.bias, p.g.act = MATH_ACT_RELU;
                math_gemm(test_pool(2), dtypes[t], &p.g);
                product_check(&p);
                product_free(&p);
            }
}

/* A long sum of products of two rows. */
static void test_gemm__long(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{6, 64, 1000}, {256, 64, 97}, {31, 48, 200}, {17, 16, 300},
                                       {9, 32, 193},  {1, 80, 50},   {64, 160, 95}, {100, 112, 1}};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
        for (int variant = 0; variant < 2; variant++) {
            struct product p =
                product_make(DT_FLOAT, sizes[s][0], sizes[s][1], sizes[s][2], 1, variant ? 5 : 0);
            p.g.beta = variant;
            SIMD_CALL(gemm_long_f32)(&p.g);
            product_check(&p);
            product_free(&p);
        }
}

static void test_gemm__epilogues(void **state)
{
    (void)state;
    for (int act = MATH_ACT_NONE; act <= MATH_ACT_SIGMOID; act++)
        for (int t = 0; t < 2; t++)
            for (int shape = 0; shape < 3; shape++) {
                struct product p =
                    product_make(dtypes[t], shape == 1 ? 1 : 20, shape == 2 ? 1 : 37, 8, 0, 0);
                p.g.act = act, p.g.bias = p.bias;
                math_gemm(NULL, dtypes[t], &p.g);
                product_check(&p);
                /* the epilogue alone, over what C already holds */
                memcpy(p.c, p.before, (size_t)p.num_c * dtype_size(dtypes[t]));
                p.g.k = 0, p.g.beta = 1;
                math_bias_act(test_pool(2), dtypes[t], &p.g);
                product_check(&p);
                product_free(&p);
            }
    /* NaN goes through relu, and a product of nothing is zero whatever C held */
    float a[2] = {NAN, -1}, b[1] = {1}, c[2] = {NAN, NAN};
    struct math_gemm g = {.m = 2,
                          .n = 1,
                          .k = 1,
                          .a = a,
                          .b = b,
                          .c = c,
                          .lda = 1,
                          .ldb = 1,
                          .ldc = 1,
                          .act = MATH_ACT_RELU};
    math_gemm_f32(NULL, &g);
    assert_true(isnan(c[0]) && c[1] == 0);
    g.k = 0, g.act = MATH_ACT_NONE;
    math_gemm_f32(NULL, &g);
    assert_true(c[0] == 0 && c[1] == 0);
}

static void test_gemm__the_thread_count_changes_no_bit(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{512, 300, 400}, {40, 3000, 500},  {700, 200, 400},
                                       {900, 289, 300}, {4100, 10, 1030}, {300, 64, 64},
                                       {4500, 64, 100}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 3; t++) {
            struct product p =
                product_make(dtypes[t], sizes[s][0], sizes[s][1], sizes[s][2], (int)s % 4, 0);
            const size_t bytes = (size_t)p.num_c * dtype_size(dtypes[t]);
            math_gemm(NULL, dtypes[t], &p.g);
            memcpy(p.before, p.c, bytes);
            for (int threads = 1; threads <= 4; threads++) {
                memset(p.c, 0xff, bytes);
                math_gemm(test_pool(threads), dtypes[t], &p.g);
                assert_memory_equal(p.c, p.before, bytes);
            }
            product_free(&p);
        }
}

/* Own kernels: an element's sum does not depend on which rows and columns are computed with it. */
static void test_gemm__own_sums_do_not_depend_on_the_split(void **state)
{
    (void)state;
    struct product p = product_make(DT_FLOAT, 50, 70, 900, 0, 0);
    SIMD_CALL(gemm_own_f32)(&p.g);
    memcpy(p.before, p.c, (size_t)p.num_c * 4);
    for (int64_t i = 0; i < 50; i += 8)
        for (int64_t j = 0; j < 70; j += 9) {
            struct math_gemm g = p.g;
            g.m = min_i64(8, 50 - i), g.n = min_i64(9, 70 - j);
            g.a = (float *)p.a + i * g.lda, g.b = (float *)p.b + j,
            g.c = (float *)p.c + i * g.ldc + j;
            SIMD_CALL(gemm_own_f32)(&g);
        }
    assert_memory_equal(p.c, p.before, (size_t)p.num_c * 4);
    product_free(&p);
}

/* Where they are said to, parts of a product and sums have the bits of the whole and of two steps.
 */
static void test_gemm__parts_and_sums_are_exact(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{128, 156, 512}, {40, 50, 300}, {130, 400, 256},
                                       {97, 101, 120},  {60, 11, 200}, {6, 30, 256}};
    int cuts = 0, sums = 0;
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
        for (int t = 0; t < 2; t++)
            for (int trans = 0; trans < 4; trans++) {
                const int64_t item = (int64_t)dtype_size(dtypes[t]);
                struct product p =
                    product_make(dtypes[t], sizes[s][0], sizes[s][1], sizes[s][2], trans, 0);
                struct product q =
                    product_make(dtypes[t], sizes[s][0], sizes[s][1], sizes[s][2], trans, 0);
                math_gemm(test_pool(2), dtypes[t], &p.g);
                struct math_gemm part = p.g;
                part.m -= 3, part.n -= 7, part.c = q.c;
                part.a = (char *)p.a + 3 * (p.g.trans_a ? 1 : p.g.lda) * item;
                part.b = (char *)p.b + 7 * (p.g.trans_b ? p.g.ldb : 1) * item;
                if (math_gemm_cuts_exactly(dtypes[t], &p.g, &part)) {
                    math_gemm(test_pool(2), dtypes[t], &part);
                    for (int64_t i = 0; i < part.m; i++)
                        assert_memory_equal((char *)part.c + i * part.ldc * item,
                                            (char *)p.c + ((i + 3) * p.g.ldc + 7) * item,
                                            (size_t)(part.n * item));
                    cuts++;
                }
                part = p.g, part.c = q.c, part.beta = 1;
                if (math_gemm_adds_exactly(&part)) {
                    memcpy(q.c, q.before, (size_t)(q.num_c * item));
                    math_gemm(test_pool(2), dtypes[t], &part);
                    for (int64_t i = 0; i < q.num_c; i++) {
                        if (dtypes[t] == DT_FLOAT)
                            assert_true(((float *)q.c)[i] ==
                                        ((float *)q.before)[i] + ((float *)p.c)[i]);
                        else
                            assert_true(((double *)q.c)[i] ==
                                        ((double *)q.before)[i] + ((double *)p.c)[i]);
                    }
                    sums++;
                }
                product_free(&p);
                product_free(&q);
            }
    assert_true(cuts >= 24 && sums >= 24);
}

static void test_gemm__batches(void **state)
{
    (void)state;
    enum { NUM = 37, M = 5, N = 6, K = 7 };
    const int64_t a_index[NUM] = {[1] = 3, [5] = 2, [36] = 1};
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
        const int dtype = dtypes[t];
        void *a = test_array(dtype, NUM * M * K), *b = test_array(dtype, NUM * K * N),
             *c = test_array(dtype, NUM * M * N);
        const struct math_gemm g = {
            .m = M, .n = N, .k = K, .a = a, .b = b, .c = c, .lda = K, .ldb = N, .ldc = N};
        const struct math_gemm_batch batch = {.num = NUM,
                                              .a_stride = M * K,
                                              .b_stride = K * N,
                                              .c_stride = M * N,
                                              .a_index = a_index};
        math_gemm_batched(test_pool(2), dtype, &g, &batch);
        for (int64_t i = 0; i < NUM; i++) {
            const int64_t item = (int64_t)dtype_size(dtype);
            struct product p = {.dtype = dtype, .g = g};
            p.g.a = (char *)a + a_index[i] * M * K * item;
            p.g.b = (char *)b + i * K * N * item;
            p.c = (char *)c + i * M * N * item;
            p.before = p.c;
            product_check(&p);
        }
        free(a);
        free(b);
        free(c);
    }
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm__agrees_with_the_definition),
        cmocka_unit_test(test_gemm__large_and_odd_sizes),
        cmocka_unit_test(test_gemm__tall),
        cmocka_unit_test(test_gemm__long),
        cmocka_unit_test(test_gemm__epilogues),
        cmocka_unit_test(test_gemm__the_thread_count_changes_no_bit),
        cmocka_unit_test(test_gemm__own_sums_do_not_depend_on_the_split),
        cmocka_unit_test(test_gemm__parts_and_sums_are_exact),
        cmocka_unit_test(test_gemm__batches),
    };
    return cmocka_run_group_tests_name("math/gemm", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
