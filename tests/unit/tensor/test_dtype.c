/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: the table, names, sets; half and bfloat16 over all their values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

static void test_sizes(void **state)
{
    (void)state;
    static const size_t sizes[DT_NUM] = {
        [DT_FLOAT] = 4,   [DT_DOUBLE] = 8,      [DT_INT32] = 4,   [DT_UINT8] = 1,
        [DT_INT16] = 2,   [DT_INT8] = 1,        [DT_STRING] = 24, [DT_COMPLEX64] = 8,
        [DT_INT64] = 8,   [DT_BOOL] = 1,        [DT_QINT8] = 1,   [DT_QUINT8] = 1,
        [DT_QINT32] = 4,  [DT_BFLOAT16] = 2,    [DT_QINT16] = 2,  [DT_QUINT16] = 2,
        [DT_UINT16] = 2,  [DT_COMPLEX128] = 16, [DT_HALF] = 2,    [DT_RESOURCE] = 8,
        [DT_VARIANT] = 8, [DT_UINT32] = 4,      [DT_UINT64] = 8,
    };
    for (int t = -5; t < 300; t++) {
        int base = t > DT_REF ? t - DT_REF : t;
        bool valid = base > 0 && base < DT_NUM;
        assert_int_equal(dtype_valid(t), valid);
        assert_int_equal(dtype_size(t), valid ? sizes[base] : 0);
    }
}

static void expect_name(const char *name, int expected)
{
    int t = -1;
    assert_int_equal(dtype_from_name(str_of(name), &t), expected >= 0);
    assert_int_equal(t, expected);
}

static void test_names(void **state)
{
    (void)state;
    for (int t = 1; t < 124; t++)
        if (dtype_valid(t))
            expect_name(dtype_name(t), t);
    assert_string_equal(dtype_name(DT_FLOAT), "float");
    assert_string_equal(dtype_name(DT_REF + DT_HALF), "half_ref");
    assert_string_equal(dtype_name(0), "unknown");
    assert_string_equal(dtype_name(100), "unknown");
    expect_name("float32", DT_FLOAT);
    expect_name("float64_ref", DT_DOUBLE + DT_REF);
    expect_name("float16", DT_HALF);
    expect_name("DT_QUINT16", DT_QUINT16);
    expect_name("DT_STRING_REF", DT_STRING + DT_REF);
    static const char *const wrong[] = {
        "",     "_ref",          "DT_",          "DT__REF", "DT_float", "FLOAT",
        "floa", "float_ref_ref", "DT_FLOAT_ref", "int",     "float "};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        expect_name(wrong[i], -1);
}

static void test_sets(void **state)
{
    (void)state;
    int floats = 0, complexes = 0, integers = 0, quantized = 0, managed = 0;
    for (int t = 1; t < DT_NUM; t++) {
        floats += dtype_is_float(t);
        complexes += dtype_is_complex(t);
        integers += dtype_is_integer(t);
        quantized += dtype_is_quantized(t);
        managed += dtype_is_managed(t);
    }
    assert_int_equal(floats, 4);
    assert_int_equal(complexes, 2);
    assert_int_equal(integers, 8);
    assert_int_equal(quantized, 5);
    assert_int_equal(managed, 3);
    assert_true(dtype_is_float(DT_BFLOAT16) && dtype_is_float(DT_FLOAT + DT_REF));
    assert_false(dtype_is_integer(DT_BOOL) || dtype_is_integer(DT_QINT8) || dtype_is_integer(0));
    assert_false(dtype_is_float(1000) || dtype_is_float(-1));
    assert_int_equal(dtype_real_of(DT_COMPLEX64), DT_FLOAT);
    assert_int_equal(dtype_real_of(DT_COMPLEX128), DT_DOUBLE);
    assert_int_equal(dtype_real_of(DT_INT8), DT_INT8);
}

/* What IEEE 754 says a half is, in double. */
static double half_value(unsigned bits)
{
    double sign = bits & 0x8000 ? -1 : 1;
    unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24));
}

static void test_half_to_float(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 65536; b++) {
        float f = f16_to_f32((struct f16){(uint16_t)b});
        double expected = half_value(b);
        assert_int_equal(isnan(f) != 0, isnan(expected) != 0);
        assert_int_equal(signbit(f) != 0, b >> 15);
        if (!isnan(f))
            assert_true(f == expected);
        if (!isnan(f))
            assert_int_equal(f16_from_f32(f).bits, b);
    }
    assert_int_equal(f16_from_f32(NAN).bits, 0x7e00);
    assert_int_equal(f16_from_f32(-NAN).bits, 0xfe00);
}

static void expect_half(double d, unsigned bits)
{
    assert_int_equal(f16_from_f32((float)d).bits, bits);
    assert_int_equal(f16_from_f32(-(float)d).bits, bits | 0x8000);
}

/* Between two neighbours: below, at and above the middle. All exact in float. */
static void test_half_rounding(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 0x7c00; b++) {
        double low = half_value(b), high = b == 0x7bff ? 65536 : half_value(b + 1);
        double mid = (low + high) / 2, tiny = (high - low) / 1024;
        expect_half(mid, b & 1 ? b + 1 : b);
        expect_half(mid - tiny, b);
        expect_half(mid + tiny, b + 1);
        expect_half(low + tiny, b);
        expect_half(high - tiny, b + 1);
    }
    expect_half(1e-45, 0);
    expect_half(1e30, 0x7c00);
    expect_half(INFINITY, 0x7c00);
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static void test_bfloat16(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < 65536; b++) {
        float f = bf16_to_f32((struct bf16){(uint16_t)b});
        assert_int_equal(bits_of(f), b << 16);
        assert_int_equal(bf16_from_f32(f).bits, isnan(f) ? 0x7fc0 : b);
        if ((b & 0x7fff) >= 0x7f80)
            continue;
        union {
            uint32_t u;
            float f;
        } v = {.u = b << 16 | 0x7fff};
        assert_int_equal(bf16_from_f32(v.f).bits, b);
        v.u++;
        assert_int_equal(bf16_from_f32(v.f).bits, b & 1 ? b + 1 : b);
        v.u++;
        assert_int_equal(bf16_from_f32(v.f).bits, b + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_sets),          cmocka_unit_test(test_half_to_float),
        cmocka_unit_test(test_half_rounding), cmocka_unit_test(test_bfloat16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
