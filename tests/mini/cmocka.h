/* SPDX-License-Identifier: Apache-2.0 */
/* The part of cmocka that our unit tests use, for targets that have none (cross builds).
 *
 * Same names, meaning and closing lines; one group of tests a program. A failed check prints where
 * it stands and jumps out of the test. Include it where cmocka.h would be, after setjmp.h. */
#ifndef LEAT_TESTS_MINI_CMOCKA_H
#define LEAT_TESTS_MINI_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

enum { MINI_PASSED, MINI_FAILED, MINI_SKIPPED };

static struct {
    jmp_buf out;
    const char *file;
    int line;
} mini;

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL, NULL                                                                    \
    }
#define cmocka_unit_test_setup(f, s)                                                               \
    {                                                                                              \
#f, f, s, NULL, NULL                                                                       \
    }
#define cmocka_unit_test_teardown(f, t)                                                            \
    {                                                                                              \
#f, f, NULL, t, NULL                                                                       \
    }
#define cmocka_unit_test_setup_teardown(f, s, t)                                                   \
    {                                                                                              \
#f, f, s, t, NULL                                                                          \
    }
#define cmocka_unit_test_prestate(f, p)                                                            \
    {                                                                                              \
#f, f, NULL, NULL, p                                                                       \
    }
#define cmocka_unit_test_prestate_setup_teardown(f, s, t, p)                                       \
    {                                                                                              \
#f, f, s, t, p                                                                             \
    }

__attribute__((noreturn, unused, format(printf, 3, 4))) static void
mini_fail(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("[  ERROR   ] --- ");
    vprintf(fmt, args);
    printf("\n[   LINE   ] --- %s:%d: error: Failure!\n", file, line);
    va_end(args);
    longjmp(mini.out, MINI_FAILED);
}

__attribute__((unused)) static void mini_check(int ok, const char *text, const char *file, int line)
{
    if (!ok)
        mini_fail(file, line, "%s", text);
}

__attribute__((unused)) static void mini_check_int(uintmax_t a, uintmax_t b, int want_equal,
                                                   const char *file, int line)
{
    if ((a == b) != want_equal)
        mini_fail(file, line, "0x%jx %s 0x%jx", a, want_equal ? "!=" : "==", b);
}

__attribute__((unused)) static void mini_check_text(const char *a, const char *b, int want_equal,
                                                    const char *file, int line)
{
    if ((strcmp(a, b) == 0) != want_equal)
        mini_fail(file, line, "\"%s\" %s \"%s\"", a, want_equal ? "!=" : "==", b);
}

__attribute__((unused)) static void mini_check_bytes(const void *a, const void *b, size_t n,
                                                     const char *file, int line)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            mini_fail(file, line, "difference at byte %zu: 0x%02x != 0x%02x", i, x[i], y[i]);
}

__attribute__((unused)) static void mini_check_range(uintmax_t x, uintmax_t low, uintmax_t high,
                                                     const char *file, int line)
{
    if (x < low || x > high)
        mini_fail(file, line, "%ju is not within %ju..%ju", x, low, high);
}

#define MINI_INT(x) ((uintmax_t)(uintptr_t)(x))
#define assert_true(x) mini_check(!!(x), #x, __FILE__, __LINE__)
#define assert_false(x) mini_check(!(x), "!(" #x ")", __FILE__, __LINE__)
#define assert_null(p) mini_check((p) == NULL, #p " == NULL", __FILE__, __LINE__)
#define assert_non_null(p) mini_check((p) != NULL, #p " != NULL", __FILE__, __LINE__)
#define assert_int_equal(a, b) mini_check_int(MINI_INT(a), MINI_INT(b), 1, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) mini_check_int(MINI_INT(a), MINI_INT(b), 0, __FILE__, __LINE__)
#define assert_ptr_equal(a, b) mini_check_int(MINI_INT(a), MINI_INT(b), 1, __FILE__, __LINE__)
#define assert_ptr_not_equal(a, b) mini_check_int(MINI_INT(a), MINI_INT(b), 0, __FILE__, __LINE__)
#define assert_string_equal(a, b) mini_check_text(a, b, 1, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) mini_check_text(a, b, 0, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) mini_check_bytes(a, b, n, __FILE__, __LINE__)
#define assert_in_range(x, low, high)                                                              \
    mini_check_range(MINI_INT(x), MINI_INT(low), MINI_INT(high), __FILE__, __LINE__)
#define fail() mini_fail(__FILE__, __LINE__, "fail()")
#define fail_msg(...) mini_fail(__FILE__, __LINE__, __VA_ARGS__)
#define skip() longjmp(mini.out, MINI_SKIPPED)
#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)

__attribute__((unused)) static int mini_run_one(const struct CMUnitTest *test, void *group_state)
{
    void *state = test->initial_state ? test->initial_state : group_state;
    void **at = &state;
    if (test->setup_func && test->setup_func(at) != 0)
        return MINI_FAILED;
    int outcome = setjmp(mini.out);
    if (outcome == 0)
        test->test_func(at);
    if (test->teardown_func && test->teardown_func(at) != 0)
        return MINI_FAILED;
    return outcome;
}

__attribute__((unused)) static int mini_run(const struct CMUnitTest *tests, size_t n,
                                            CMFixtureFunction setup, CMFixtureFunction teardown)
{
    static const char *const words[] = {"      OK", " FAILED ", "SKIPPED "};
    static const char *const sums[] = {"PASSED ", "FAILED ", "SKIPPED"};
    int counts[3] = {0, 0, 0};
    void *state = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("[==========] Running %zu test(s).\n", n);
    int ready = !setup || setup(&state) == 0;
    for (size_t i = 0; i < n; i++) {
        printf("[ RUN      ] %s\n", tests[i].name);
        int outcome = ready ? mini_run_one(&tests[i], state) : MINI_FAILED;
        counts[outcome]++;
        printf("[ %s ] %s\n", words[outcome], tests[i].name);
    }
    if (teardown && teardown(&state) != 0)
        counts[MINI_FAILED]++;
    printf("[==========] %zu test(s) run.\n", n);
    for (int i = 0; i < 3; i++)
        if (counts[i] || i == MINI_PASSED)
            printf("[  %s ] %d test(s).\n", sums[i], counts[i]);
    return counts[MINI_FAILED];
}

#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    mini_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    mini_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

#endif
