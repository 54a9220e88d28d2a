/* SPDX-License-Identifier: Apache-2.0 */
/* Failpoints: specs, counts, the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "death.h"

/* The outcomes of n looks, as text. */
static void looks(char *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = FAILPOINT("here") ? 'F' : '.';
    out[n] = '\0';
}

static void test_failpoint__off_by_default(void **state UNUSED)
{
    assert_false(FAILPOINT("here"));
    assert_int_equal(failpoint_armed, 0);
    assert_int_equal(failpoint_count("here"), 0);
}

static void test_failpoint__specs(void **state UNUSED)
{
    static const char *const cases[][2] = {
        {"on", "FFFFF"}, {"1", "F...."},   {"3", "..F.."},    {"2+", ".FFFF"},
        {"0%", "....."}, {"off", "....."}, {"100%", "FFFFF"}, {"900%", "FFFFF"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char seen[8];
        assert_true(failpoint_set("here", cases[i][0]));
        looks(seen, 5);
        assert_string_equal(seen, cases[i][1]);
    }
    failpoint_clear_all();
    assert_int_equal(failpoint_armed, 0);
}

static void test_failpoint__probability_is_a_fixed_sequence(void **state UNUSED)
{
    char first[1001], second[1001];
    assert_true(failpoint_set("here", "30%"));
    looks(first, 1000);
    assert_true(failpoint_set("here", "30%"));
    looks(second, 1000);
    assert_string_equal(first, second);
    int fails = 0;
    for (int i = 0; i < 1000; i++)
        fails += first[i] == 'F';
    assert_in_range(fails, 200, 400);
    assert_int_equal(failpoint_count("here"), 1000);
    failpoint_clear_all();
}

static void test_failpoint__refuses_nonsense(void **state UNUSED)
{
    const char *bad[] = {"", "yes", "0", "-1", "0+", "+", "%", "x%", "99999999999999999999"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (failpoint_set("here", bad[i]))
            fail_msg("\"%s\" passed for a spec", bad[i]);
    assert_false(failpoint_set("", "on"));
    assert_false(failpoint_set("a name that is far too long to be that of any failpoint", "on"));
    char name[3] = "aa";
    int made = 0;
    for (; made < 100 && failpoint_set(name, "on"); made++)
        name[1 - made % 2]++;
    assert_in_range(made, 16, 99);
    failpoint_clear_all();
}

static void look_with_env(void *arg)
{
    setenv("LEAT_FAILPOINTS", arg, 1);
    int first = FAILPOINT("here"), second = FAILPOINT("here"), other = FAILPOINT("there");
    _exit(first | second << 1 | other << 2);
}

static void test_failpoint__environment(void **state UNUSED)
{
    char text[512], good[] = "here=2, there=on", bad[] = "here=maybe,there,=,there=on";
    assert_int_equal(WEXITSTATUS(run_in_child(look_with_env, good, text, sizeof text)), 6);
    assert_int_equal(WEXITSTATUS(run_in_child(look_with_env, bad, text, sizeof text)), 4);
    assert_non_null(strstr(text, "LEAT_FAILPOINTS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failpoint__environment), /* before this process reads its own */
        cmocka_unit_test(test_failpoint__off_by_default),
        cmocka_unit_test(test_failpoint__specs),
        cmocka_unit_test(test_failpoint__probability_is_a_fixed_sequence),
        cmocka_unit_test(test_failpoint__refuses_nonsense),
    };
    unsetenv("LEAT_FAILPOINTS");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
