/* SPDX-License-Identifier: Apache-2.0 */
/* Random streams against TensorFlow 1.15.5: what its kernels gave for seed 87654321 and seed2 5, as
 * first and last values and, for what needs no libm, as a hash of all bits. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/rng.h"

/* clang-format off */
static const struct stream {
    int dtype;
    enum math_dist dist;
    int64_t n;
    double head[4], last;         /* bfloat16: bit patterns */
    uint64_t hash, second_hash;   /* of a first call and of a second */
} streams[] = {
{DT_FLOAT, MATH_DIST_UNIFORM, 7, {0.3883112668991089, 0.6636828184127808, 0.1919107437133789, 0.7060526609420776}, 0.7096301317214966, 0xa1b5a821f6744a, 0x6a4edb5892ee3c76},
{DT_FLOAT, MATH_DIST_NORMAL, 7, {-1.178082823753357, -0.7099413871765137, -1.7481579780578613, -0.4953722655773163}, -0.6639286875724792, 0, 0},
{DT_FLOAT, MATH_DIST_TRUNCATED_NORMAL, 7, {-1.178082823753357, -0.7099413871765137, -1.7481579780578613, -0.4953722655773163}, -0.9056705236434937, 0, 0},
{DT_DOUBLE, MATH_DIST_UNIFORM, 7, {0.10649075668991137, 0.5352865750082818, 0.7054680331168384, 0.6770410754680747}, 0.3061111284814635, 0xca345b8385c7c733, 0x14403f2edbb9193},
{DT_DOUBLE, MATH_DIST_NORMAL, 7, {-0.46540936664254984, -2.0646521014272525, -0.7490927202357748, -0.36965894530492355}, -0.8142288358432652, 0, 0},
{DT_DOUBLE, MATH_DIST_TRUNCATED_NORMAL, 7, {-0.46540936664254984, -0.7490927202357748, -0.49661495908212616, 0.8547184961461154}, -0.528490746320437, 0, 0},
{DT_HALF, MATH_DIST_UNIFORM, 7, {0.0458984375, 0.8896484375, 0.1328125, 0.9833984375}, 0.2900390625, 0xc8cfdbabb1401700, 0x2a0f2186395b2a36},
{DT_HALF, MATH_DIST_NORMAL, 7, {-1.177734375, -0.7099609375, -1.748046875, -0.495361328125}, -0.6640625, 0, 0},
{DT_HALF, MATH_DIST_TRUNCATED_NORMAL, 7, {-1.177734375, -0.7099609375, -1.748046875, -0.495361328125}, -0.90576171875, 0, 0},
{DT_BFLOAT16, MATH_DIST_UNIFORM, 7, {16060, 15856, 15744, 16222}, 16036, 0x76db177648a12373, 0x53d15ac563ded3ce},
{DT_BFLOAT16, MATH_DIST_NORMAL, 7, {49047, 48950, 49120, 48894}, 48938, 0, 0},
{DT_FLOAT, MATH_DIST_UNIFORM, 100001, {0.3883112668991089, 0.6636828184127808, 0.1919107437133789, 0.7060526609420776}, 0.8213908672332764, 0x37e2efdbb0450338, 0xd2177c6cfe62c7a8},
{DT_FLOAT, MATH_DIST_NORMAL, 100001, {-1.178082823753357, -0.7099413871765137, -1.7481579780578613, -0.4953722655773163}, 0.1646614670753479, 0, 0},
{DT_FLOAT, MATH_DIST_TRUNCATED_NORMAL, 100001, {-1.178082823753357, -0.7099413871765137, -1.7481579780578613, -0.4953722655773163}, 0.10571441799402237, 0, 0},
{DT_DOUBLE, MATH_DIST_UNIFORM, 100001, {0.10649075668991137, 0.5352865750082818, 0.7054680331168384, 0.6770410754680747}, 0.45473872848102714, 0xd1960a8fb206f3ea, 0xad993c367aae8a3b},
{DT_DOUBLE, MATH_DIST_NORMAL, 100001, {-0.46540936664254984, -2.0646521014272525, -0.7490927202357748, -0.36965894530492355}, -0.9370743885843748, 0, 0},
{DT_DOUBLE, MATH_DIST_TRUNCATED_NORMAL, 100001, {-0.46540936664254984, -0.7490927202357748, -0.49661495908212616, 0.8547184961461154}, 1.281595006845744, 0, 0},
{DT_HALF, MATH_DIST_UNIFORM, 100001, {0.0458984375, 0.8896484375, 0.1328125, 0.9833984375}, 0.833984375, 0x6f1ab7afcbc8f825, 0x54b7ed27fc478363},
{DT_HALF, MATH_DIST_TRUNCATED_NORMAL, 100001, {-1.177734375, -0.7099609375, -1.748046875, -0.495361328125}, 0.105712890625, 0, 0},
{DT_BFLOAT16, MATH_DIST_UNIFORM, 100001, {16060, 15856, 15744, 16222}, 16172, 0xce1480be08316e49, 0x4d47260b8d5d4015},
};
/* clang-format on */

/* Of all 32-bit words; of bytes where they do not fill words. */
static uint64_t hash_of(const void *p, size_t bytes)
{
    uint64_t h = 0;
    for (size_t i = 0; i < bytes;) {
        uint32_t word = ((const uint8_t *)p)[i];
        if (bytes % 4 == 0)
            memcpy(&word, (const uint8_t *)p + i, 4);
        h = h * 1000003 + word;
        i += bytes % 4 == 0 ? 4 : 1;
    }
    return h;
}

static double value(int dtype, const void *p, int64_t i)
{
    return dtype == DT_BFLOAT16 ? (double)((const struct bf16 *)p)[i].bits : test_get(dtype, p, i);
}

static void test_rng__streams_are_those_of_tensorflow(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        const struct stream *s = &streams[k];
        struct math_philox g;
        void *x = test_zeros(s->dtype, s->n);
        const size_t bytes = (size_t)s->n * dtype_size(s->dtype);
        math_philox_init(&g, 87654321, 5);
        struct math_philox mine = math_philox_reserve(&g, s->n, 256);
        math_random_fill(test_pool(2), &mine, s->dist, s->dtype, x, s->n);
        const double tol =
            s->dist == MATH_DIST_UNIFORM
                ? 0
                : (s->dtype == DT_DOUBLE ? 1e-13 : (s->dtype == DT_FLOAT ? 1e-6 : 1e-3));
        for (int i = 0; i < 4; i++)
            test_close(value(s->dtype, x, i), s->head[i], tol, tol, "stream", (int64_t)k);
        test_close(value(s->dtype, x, s->n - 1), s->last, tol, tol, "last of stream", (int64_t)k);
        if (s->hash)
            assert_true(hash_of(x, bytes) == s->hash);
        mine = math_philox_reserve(&g, s->n, 256);
        math_random_fill(NULL, &mine, s->dist, s->dtype, x, s->n);
        if (s->hash)
            assert_true(hash_of(x, bytes) == s->second_hash);
        free(x);
    }
}

static void test_rng__whole_numbers_are_those_of_tensorflow(void **state)
{
    (void)state;
    enum { N = 100001 };
    struct math_philox g;
    int32_t *a = malloc(N * sizeof *a);
    int64_t *b = malloc(N * sizeof *b);
    math_philox_init(&g, 87654321, 5);
    const struct math_int_range small = {-5, 1000}, large = {-5, 1000000000000000};
    math_random_fill_int(test_pool(2), &g, small, DT_INT32, a, N);
    math_random_fill_int(test_pool(2), &g, large, DT_INT64, b, N);
    assert_true(hash_of(a, N * sizeof *a) == 0x4cb28547fd1caaac);
    assert_true(hash_of(b, N * sizeof *b) == 0x775951fdb2bcf0f5);
    math_random_fill_int(NULL, &g, small, DT_INT32, a, 7);
    assert_true(hash_of(a, 7 * sizeof *a) == 0x2eea78fa73e0cd1d);
    const struct math_int_range whole = {INT64_MIN, INT64_MAX}, narrow = {INT32_MIN, INT32_MAX};
    math_random_fill_int(NULL, &g, whole, DT_INT64, b, 9);
    math_random_fill_int(NULL, &g, narrow, DT_INT32, a, 9);
    free(a);
    free(b);
}

static void test_rng__stateless_seeds_are_scrambled_as_tensorflow_does(void **state)
{
    (void)state;
    float x[7];
    struct math_philox g;
    math_philox_init_stateless(&g, 87654321, 5);
    math_random_fill(NULL, &g, MATH_DIST_UNIFORM, DT_FLOAT, x, 7);
    assert_true(hash_of(x, sizeof x) == 0xff2ddbf10b51f73a);
    math_philox_init_stateless(&g, (uint64_t)-3, 5);
    math_random_fill(NULL, &g, MATH_DIST_NORMAL, DT_FLOAT, x, 7);
    test_close((double)x[0], 0.9187574982643127, 1e-6, 0, "normal", 0);
    test_close((double)x[6], -0.6701635122299194, 1e-6, 0, "normal", 6);
}

/* UniformCandidateSampler and LogUniformCandidateSampler draw so. */
static void test_rng__bounded_draws_are_those_of_tensorflow(void **state)
{
    (void)state;
    static const struct {
        uint64_t n, want[5];
    } draws[] = {
        {1000, {135, 8, 416, 361, 200}},
        {1024, {47, 136, 408, 297, 896}},
        {6917529027641081861u,
         {5103972076791903274u, 5177556204193878147u, 1813195445233207694u, 4019858350393071478u,
          5348395730366706084u}},
    };
    for (size_t k = 0; k < 3; k++) {
        struct math_philox g;
        struct math_philox_stream s;
        math_philox_init(&g, 87654321, 5);
        math_philox_stream_init(&s, &g);
        for (int i = 0; i < 5; i++)
            assert_true(math_philox_below64(&s, draws[k].n) == draws[k].want[i]);
    }
    const int64_t want[] = {1, 39, 129, 106, 0, 51, 7, 541};
    struct math_philox g;
    struct math_philox_stream s;
    math_philox_init(&g, 87654321, 5);
    math_philox_stream_init(&s, &g);
    for (int i = 0; i < 8; i++)
        assert_int_equal((int64_t)(exp(math_philox_double(&s) * log(1001)) - 1), want[i]);
    for (int i = 0; i < 100; i++)
        assert_true(math_philox_below(&s, 7) < 7 && math_philox_below(&s, 8) < 8 &&
                    math_philox_float(&s) < 1);
}

static void test_rng__skipping_carries(void **state)
{
    (void)state;
    struct math_philox a, b;
    uint32_t x[4], y[4];
    math_philox_init(&a, 1, UINT64_MAX);
    b = a;
    math_philox_skip(&a, UINT64_MAX);
    math_philox_skip(&a, 1);
    assert_true(a.counter[0] == 0 && a.counter[1] == 0 && a.counter[2] == 0 && a.counter[3] == 0);
    for (int i = 0; i < 1000; i++)
        math_philox_next(&b, x);
    math_philox_init(&a, 1, UINT64_MAX);
    math_philox_skip(&a, 999);
    math_philox_next(&a, y);
    assert_memory_equal(x, y, sizeof x);
    assert_true(math_random_seed() != 0 && math_random_seed() != math_random_seed());
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rng__streams_are_those_of_tensorflow),
        cmocka_unit_test(test_rng__whole_numbers_are_those_of_tensorflow),
        cmocka_unit_test(test_rng__stateless_seeds_are_scrambled_as_tensorflow_does),
        cmocka_unit_test(test_rng__bounded_draws_are_those_of_tensorflow),
        cmocka_unit_test(test_rng__skipping_carries),
    };
    return cmocka_run_group_tests_name("math/rng", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
