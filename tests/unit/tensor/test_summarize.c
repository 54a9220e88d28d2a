/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text: what TensorFlow 1.15.5 printed for the same tensors (inside Print's brackets). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/tensor.h"

static struct tensor make(int dtype, const int64_t *dims, int rank, const void *elems)
{
    struct tensor t = {0};
    struct status st = {0};
    assert_true(tensor_from(&t, dtype, dims, rank, elems, &st));
    return t;
}

static void expect_of(struct tensor t, int64_t max, const char *expected)
{
    struct strbuf b = {0};
    tensor_summarize(&t, max, &b);
    assert_string_equal(strbuf_text(&b), expected);
    strbuf_release(&b);
    tensor_clear(&t);
}

/* 0, 1, 2... in the given shape. */
static void expect_count(int64_t max, const int64_t *dims, int rank, const char *expected)
{
    int64_t v[24];
    for (int i = 0; i < 24; i++)
        v[i] = i;
    expect_of(make(DT_INT64, dims, rank, v), max, expected);
}
#define COUNT(max, expected, ...)                                                                  \
    expect_count(max, (int64_t[]){__VA_ARGS__},                                                    \
                 (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), expected)

static void test_brackets(void **state)
{
    (void)state;
    const char *all = "[[0 1 2 3][4 5 6 7][8 9 10 11]][[12 13 14 15][16 17 18 19][20 21 22 23]]";
    COUNT(100, all, 2, 3, 4);
    COUNT(-1, all, 2, 3, 4);
    COUNT(24, all, 2, 3, 4);
    COUNT(12, "[[0 1 2 3][4 5 6 7][8 9 10 11]]...", 2, 3, 4);
    COUNT(10, "[[0 1 2 3][4 5 6 7][8 9...]]...", 2, 3, 4);
    COUNT(3, "[[0 1 2...]]...", 2, 3, 4);
    COUNT(0, "...", 2, 3, 4);
    COUNT(1, "[0...]...", 2, 3);
    COUNT(3, "[0 1 2]...", 2, 3);
    COUNT(4, "[0 1 2][3...]...", 2, 3);
    COUNT(6, "[0 1 2][3 4 5]", 2, 3);
    COUNT(0, "...", 6);
    COUNT(2, "0 1...", 6);
    COUNT(5, "0 1 2 3 4...", 6);
    COUNT(6, "0 1 2 3 4 5", 6);
    COUNT(2, "[0][1]...", 4, 1);
    COUNT(3, "[[0][1][2]]...", 1, 4, 1);
    COUNT(5, "", 0);
    COUNT(5, "", 2, 0);
    COUNT(5, "", 0, 3);
    COUNT(0, "", 2, 0, 3);
    expect_count(1, NULL, 0, "0");
    expect_count(0, NULL, 0, "...");
}

#define ROW(id, type, expected, ...)                                                               \
    expect_of(make(DT_##id, (int64_t[]){(int64_t)(sizeof((type[]){__VA_ARGS__}) / sizeof(type))},  \
                   1, (type[]){__VA_ARGS__}),                                                      \
              -1, expected)

static void test_floats(void **state)
{
    (void)state;
    ROW(FLOAT, float,
        "1 1.5 0.1 0.333333343 1e+10 1e-10 1e+20 123456792 inf -inf -0 3.4e+38 100000 1e+06 "
        "1000000.5",
        1, 1.5, 0.1f, 1.f / 3, 1e10f, 1e-10f, 1e20f, 123456789.f, INFINITY, -INFINITY, -0.f,
        3.4e38f, 100000, 1000000, 1000000.5f);
    ROW(FLOAT, float, "1.17549435e-38 16777216 1e+15 1e+16 123456.703 9999995 3.14159274",
        1.17549435e-38f, 16777217.f, 1e15f, 1e16f, 123456.7f, 9999995.f, 3.14159274f);
    ROW(FLOAT, float, "nan -nan", copysignf(NAN, 1), copysignf(NAN, -1));
    ROW(DOUBLE, double,
        "1 0.1 0.33333333333333331 10000000000 1e-10 123456789 -0 3.4e+38 1e-45 1000000.5 nan -nan",
        1, 0.1, 1. / 3, 1e10, 1e-10, 123456789, -0., 3.4e38, 1e-45, 1000000.5, copysign(NAN, 1),
        copysign(NAN, -1));
    ROW(DOUBLE, double, "1.17549435e-38 16777217 1e+15 1e+16 123456.7 9999995", 1.17549435e-38,
        16777217, 1e15, 1e16, 123456.7, 9999995);
    ROW(HALF, struct f16, "1 1.5 0.0999755859 0.333251953 inf 0 -0", {0x3c00}, {0x3e00}, {0x2e66},
        {0x3555}, {0x7c00}, {0}, {0x8000});
}

static void test_others(void **state)
{
    (void)state;
    ROW(BOOL, bool, "1 0 1", true, false, true);
    ROW(INT8, int8_t, "1 -128", 1, -128);
    ROW(UINT8, uint8_t, "1 255", 1, 255);
    ROW(INT16, int16_t, "-32768", -32768);
    ROW(UINT16, uint16_t, "65535", 65535);
    ROW(INT32, int32_t, "-2147483648", INT32_MIN);
    ROW(UINT32, uint32_t, "4294967295", UINT32_MAX);
    ROW(INT64, int64_t, "-9223372036854775808", INT64_MIN);
    ROW(UINT64, uint64_t, "18446744073709551615", UINT64_MAX);
    ROW(QINT8, int8_t, "-1 127", -1, 127);
    ROW(QUINT8, uint8_t, "128 255", 128, 255);
    ROW(QINT16, int16_t, "-1 32767", -1, 32767);
    ROW(QUINT16, uint16_t, "32768 65535", 32768, 65535);
    ROW(QINT32, int32_t, "? ?", 1, 2);
    ROW(COMPLEX64, struct c64, "? ?", {1, 2}, {3, 4});
    int64_t square[] = {2, 2};
    struct bf16 b[4] = {{0}};
    struct c128 c[4] = {{0}};
    expect_of(make(DT_BFLOAT16, square, 2, b), 100, "? ? ? ?");
    expect_of(make(DT_BFLOAT16, square, 2, b), 3, "? ? ?...");
    expect_of(make(DT_COMPLEX128, square, 2, c), 2, "? ?...");
}

static struct tensor strings(const int64_t *dims, int rank, const char *const *texts)
{
    struct tensor t = {0};
    struct status st = {0};
    struct shape s = shape_make(dims, rank);
    assert_true(tensor_new(&t, DT_STRING, &s, &st));
    for (int64_t i = 0; i < t.num_elems; i++)
        assert_true(tstr_set(&tensor_str(&t)[i], texts[i], strlen(texts[i])));
    return t;
}

static void test_strings(void **state)
{
    (void)state;
    const char *escaped[] = {"a", "b\n\"'\\\xff", "\t\r\x7f\xc3\xa9?\x01"};
    const char *letters[] = {"a", "b", "c", "d"};
    expect_of(strings((int64_t[]){3}, 1, escaped), 100,
              "a b\\n\\\"\\'\\\\\\377 \\t\\r\\177\\303\\251?\\001");
    expect_of(strings((int64_t[]){2, 2}, 2, letters), 3, "[a b][c...]...");
    expect_of(strings(NULL, 0, letters), 3, "a");
    struct tensor t = strings(NULL, 0, letters);
    assert_true(tstr_set(tensor_str(&t), "b\0c", 3));
    expect_of(t, 1, "b\\000c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
