/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: making and sharing, comparing, counting with overflow, printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/shape.h"

static void expect_print(struct shape s, const char *expected)
{
    struct strbuf b = {0};
    shape_print(&s, &b);
    assert_string_equal(strbuf_text(&b), expected);
    strbuf_release(&b);
    shape_clear(&s);
}

static void test_print(void **state)
{
    (void)state;
    expect_print(shape_scalar(), "[]");
    expect_print(shape_unknown(), "<unknown>");
    expect_print(shape_2(2, 3), "[2,3]");
    expect_print(shape_2(-1, 3), "[?,3]");
    expect_print(shape_of_rank(5), "[?,?,?,?,?]");
    expect_print(shape_make((int64_t[]){1, 2, 3, 4, 5, INT64_MAX}, 6),
                 "[1,2,3,4,5,9223372036854775807]");
    expect_print(shape_make(NULL, -1), "<unknown>");
}

static void test_sharing(void **state)
{
    (void)state;
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < SHAPE_MAX_RANK; i++)
        dims[i] = i;
    for (int rank = 0; rank <= SHAPE_MAX_RANK; rank += rank < 8 ? 1 : 41) {
        struct shape a = shape_make(dims, rank), b = shape_copy(&a);
        assert_true(shape_equal(&a, &b));
        shape_clear(&a);
        assert_int_equal(a.rank, 0);
        for (int i = 0; i < rank; i++)
            assert_int_equal(shape_dim(&b, i), i);
        shape_clear(&b);
        shape_clear(&b);
    }
}

static void test_compare(void **state)
{
    (void)state;
    struct shape a = shape_2(2, 3), b = shape_2(-1, 3), c = shape_2(2, 4), u = shape_unknown(),
                 d = shape_1(2);
    assert_true(shape_equal(&a, &a) && shape_equal(&b, &b) && shape_equal(&u, &u));
    assert_false(shape_equal(&a, &b) || shape_equal(&a, &u) || shape_equal(&a, &d));
    assert_true(shape_compatible(&a, &b) && shape_compatible(&u, &c) && shape_compatible(&c, &u));
    assert_false(shape_compatible(&a, &c) || shape_compatible(&a, &d));
    assert_true(shape_compatible(&b, &a));
    assert_true(shape_known(&a));
    assert_false(shape_known(&b) || shape_known(&u));
}

static void expect_elems(struct shape s, int64_t expected)
{
    struct status st = {0};
    int64_t n = -1;
    assert_true(shape_num_elems(&s, &n, &st));
    assert_int_equal(n, expected);
    assert_true(status_ok(&st));
    shape_clear(&s);
}

static void expect_no_elems(struct shape s)
{
    struct status st = {0};
    int64_t n = -1;
    assert_false(shape_num_elems(&s, &n, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    assert_int_equal(n, -1);
    status_clear(&st);
    shape_clear(&s);
}

static void test_count(void **state)
{
    (void)state;
    const int64_t half = (int64_t)1 << 32;
    expect_elems(shape_scalar(), 1);
    expect_elems(shape_3(2, 3, 4), 24);
    expect_elems(shape_3(2, 0, 4), 0);
    expect_elems(shape_1(INT64_MAX), INT64_MAX);
    expect_elems(shape_3(half, half, 0), 0);
    expect_elems(shape_3(0, half, half), 0);
    expect_elems(shape_make((int64_t[]){1, 2, 3, 4, 5, 6}, 6), 720);
    expect_no_elems(shape_2(half, half));
    expect_no_elems(shape_2(INT64_MAX, 2));
    expect_no_elems(shape_2(-1, 0));
    expect_no_elems(shape_2(0, -1));
    expect_no_elems(shape_2(0, INT64_MIN));
    expect_no_elems(shape_unknown());
    expect_no_elems(shape_of_rank(9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
