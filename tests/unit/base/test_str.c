/* SPDX-License-Identifier: Apache-2.0 */
/* Texts: pieces, numbers at their limits, distances, growth. */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"

static void test_str__compare(void **state UNUSED)
{
    struct str none = str_of(NULL), abc = str_of("abc");
    assert_true(str_eq(none, str_of("")));
    assert_true(str_is(abc, "abc"));
    assert_false(str_is(abc, "abd"));
    assert_false(str_is(abc, "ab"));
    assert_true(str_starts(abc, "ab"));
    assert_true(str_starts(none, ""));
    assert_false(str_starts(abc, "abcd"));
    assert_true(str_ends(abc, "bc"));
    assert_true(str_ends(none, ""));
    assert_false(str_ends(none, "a"));
}

static void test_str__trim(void **state UNUSED)
{
    assert_true(str_is(str_trim(str_of(" \t a b\r\n")), "a b"));
    assert_true(str_is(str_trim(str_of(" \t\v\f ")), ""));
    assert_true(str_is(str_trim(str_of(NULL)), ""));
}

static void test_str__split(void **state UNUSED)
{
    struct str rest = str_of("a,,b,"), piece;
    const char *expected[] = {"a", "", "b"};
    for (int i = 0; i < 3; i++) {
        assert_true(str_split(&rest, ',', &piece));
        assert_true(str_is(piece, expected[i]));
    }
    assert_false(str_split(&rest, ',', &piece));
    rest = str_of("");
    assert_false(str_split(&rest, ',', &piece));
    rest = str_of(NULL);
    assert_false(str_split(&rest, ',', &piece));
    rest = str_make("a\0b", 3);
    assert_true(str_split(&rest, '\0', &piece) && piece.n == 1 && rest.n == 1);
}

static void test_str__whole_numbers(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"+12", true, 12},
        {"0009", true, 9},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1x", false, 0},
        {"0x10", false, 0},
        {"--1", false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t v = 77;
        bool ok = str_to_i64(str_of(cases[i].text), &v);
        if (ok != cases[i].ok || v != (ok ? cases[i].value : 77))
            fail_msg("\"%s\" gave %d, %lld", cases[i].text, ok, (long long)v);
    }
    int64_t v;
    assert_false(str_to_i64(str_of(NULL), &v));
    assert_true(str_to_i64(str_make("123456", 3), &v) && v == 123);
}

static void test_str__doubles(void **state UNUSED)
{
    double v = 0;
    assert_true(str_to_double(str_of("1.5e3"), &v) && v == 1500);
    assert_true(str_to_double(str_of("-0"), &v) && v == 0 && signbit(v));
    assert_true(str_to_double(str_of("inf"), &v) && isinf(v));
    assert_true(str_to_double(str_of("-inf"), &v) && v < 0);
    assert_true(str_to_double(str_of("nan"), &v) && isnan(v));
    assert_true(str_to_double(str_of("0x1p-1"), &v) && v == 0.5);
    assert_true(str_to_double(str_of("4.9e-324"), &v) && v > 0);
    assert_true(str_to_double(str_make("12345", 2), &v) && v == 12);
    const char *bad[] = {"", " 1", "1 ", "1e999", "-1e999", "1,5", "x", ".", "1e", "--1"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (str_to_double(str_of(bad[i]), &v))
            fail_msg("\"%s\" passed for a number", bad[i]);
    assert_false(str_to_double(str_of(NULL), &v));
    assert_false(str_to_double(str_make("1\0", 2), &v));
    char *digits = mem_alloc(5001);
    memset(digits, '1', 5000);
    digits[5000] = '\0';
    assert_true(str_to_double(str_make(digits, 300), &v) && v > 1e298);
    assert_false(str_to_double(str_of(digits), &v));
    mem_free(digits);
}

static void test_str__doubles_ignore_the_locale(void **state UNUSED)
{
    const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < ARRAY_LEN(names) && !set; i++)
        set = setlocale(LC_ALL, names[i]) != NULL;
    if (!set)
        skip();
    double v;
    assert_true(str_to_double(str_of("2.5"), &v) && v == 2.5);
    assert_false(str_to_double(str_of("2,5"), &v));
    setlocale(LC_ALL, "C");
}

static void test_str__nearer(void **state UNUSED)
{
    int best = INT_MAX;
    assert_false(str_nearer("MatMul", "Conv2D", &best));
    assert_true(str_nearer("MatMull", "BatMul", &best));
    assert_true(str_nearer("MatMull", "MatMul", &best));
    assert_int_equal(best, 1);
    assert_false(str_nearer("MatMull", "MatMal", &best));
    best = INT_MAX;
    assert_false(str_nearer("", "ab", &best));
    assert_true(str_nearer("a", "b", &best));
}

static void test_str__distance(void **state UNUSED)
{
    assert_int_equal(str_distance("", ""), 0);
    assert_int_equal(str_distance("MatMul", "MatMul"), 0);
    assert_int_equal(str_distance("MatMul", "Matmul"), 1);
    assert_int_equal(str_distance("", "abc"), 3);
    assert_int_equal(str_distance("abc", ""), 3);
    assert_int_equal(str_distance("kitten", "sitting"), 3);
    assert_int_equal(str_distance("abcd", "bcd"), 1);
    char a[400], b[400];
    memset(a, 'a', 399);
    memset(b, 'a', 399);
    a[399] = b[399] = '\0';
    assert_int_equal(str_distance(a, b), 0);
    b[0] = 'b';
    assert_int_equal(str_distance(a, b), 399);
    a[256] = b[256] = '\0';
    assert_int_equal(str_distance(a, b), 1);
}

static void test_str__buffer_grows(void **state UNUSED)
{
    struct strbuf b = {0};
    assert_string_equal(strbuf_text(&b), "");
    strbuf_add(&b, NULL, 0);
    assert_string_equal(strbuf_text(&b), "");
    for (int i = 0; i < 1000; i++) {
        strbuf_putc(&b, 'x');
        strbuf_puts(&b, "ab");
        strbuf_printf(&b, "%d", i % 10);
    }
    assert_int_equal(b.n, 4000);
    assert_int_equal(b.p[b.n], 0);
    assert_string_equal(b.p + 3996, "xab9");
    strbuf_printf(&b, "%0500d", 1);
    assert_int_equal(b.n, 4500);
    strbuf_clear(&b);
    assert_string_equal(strbuf_text(&b), "");
    strbuf_puts(&b, "end");
    char *taken = strbuf_take(&b);
    assert_string_equal(taken, "end");
    assert_null(b.p);
    mem_free(taken);
    taken = strbuf_take(&b);
    assert_string_equal(taken, "");
    mem_free(taken);
    strbuf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_str__compare),
        cmocka_unit_test(test_str__trim),
        cmocka_unit_test(test_str__split),
        cmocka_unit_test(test_str__whole_numbers),
        cmocka_unit_test(test_str__doubles),
        cmocka_unit_test(test_str__doubles_ignore_the_locale),
        cmocka_unit_test(test_str__distance),
        cmocka_unit_test(test_str__nearer),
        cmocka_unit_test(test_str__buffer_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
