/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses: the first error wins, texts are joined, ownership moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

static void test_status__zeroed_is_ok(void **state UNUSED)
{
    struct status s = {0};
    assert_true(status_ok(&s));
    assert_string_equal(status_message(&s), "");
    status_clear(&s);
    assert_true(status_ok(&s));
}

static void test_status__first_error_wins(void **state UNUSED)
{
    struct status s = {0};
    assert_false(status_fail(&s, STATUS_NOT_FOUND, "no %s, %d times", "such", 3));
    assert_false(status_invalid(&s, "later"));
    assert_int_equal(s.code, STATUS_NOT_FOUND);
    assert_string_equal(status_message(&s), "no such, 3 times");
    status_clear(&s);
    assert_false(status_internal(&s, "again"));
    assert_string_equal(status_message(&s), "again");
    status_clear(&s);
}

static void test_status__long_messages_are_whole(void **state UNUSED)
{
    struct status s = {0};
    status_invalid(&s, "%05000d|", 7);
    assert_int_equal(strlen(status_message(&s)), 5001);
    assert_string_equal(status_message(&s) + 4999, "7|");
    status_clear(&s);
}

static void test_status__append_and_prepend(void **state UNUSED)
{
    struct status s = {0};
    status_append(&s, " nothing %d", 1);
    status_prepend(&s, "nothing");
    assert_true(status_ok(&s));
    assert_string_equal(status_message(&s), "");
    status_exhausted(&s, "full");
    status_append(&s, " [node '%s']", "x");
    status_prepend(&s, "%s: ", "Add");
    assert_string_equal(status_message(&s), "Add: full [node 'x']");
    /* its own message as an argument */
    status_append(&s, "; %s", status_message(&s));
    assert_string_equal(status_message(&s), "Add: full [node 'x']; Add: full [node 'x']");
    status_clear(&s);
}

static void test_status__move_and_copy(void **state UNUSED)
{
    struct status a = {0}, b = {0}, c = {0};
    status_move(&a, &b);
    assert_true(status_ok(&a));
    status_not_found(&b, "b");
    status_copy(&c, &b);
    status_move(&a, &b);
    assert_true(status_ok(&b));
    assert_int_equal(a.code, STATUS_NOT_FOUND);
    status_invalid(&b, "second");
    status_move(&a, &b);
    assert_true(status_ok(&b));
    assert_string_equal(status_message(&a), "b");
    assert_string_equal(status_message(&c), "b");
    status_copy(&a, &a);
    status_move(&a, &a);
    assert_string_equal(status_message(&a), "b");
    status_clear(&a);
    status_clear(&c);
}

static void test_status__code_names(void **state UNUSED)
{
    assert_string_equal(status_code_name(0), "OK");
    assert_string_equal(status_code_name(3), "INVALID_ARGUMENT");
    assert_string_equal(status_code_name(16), "UNAUTHENTICATED");
    assert_string_equal(status_code_name(17), "UNKNOWN");
    assert_string_equal(status_code_name(-1), "UNKNOWN");
    assert_string_equal(status_code_name(INT32_MAX), "UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__zeroed_is_ok),
        cmocka_unit_test(test_status__first_error_wins),
        cmocka_unit_test(test_status__long_messages_are_whole),
        cmocka_unit_test(test_status__append_and_prepend),
        cmocka_unit_test(test_status__move_and_copy),
        cmocka_unit_test(test_status__code_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
