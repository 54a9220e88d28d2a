/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that nobody else has: their range, and those of a forked process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"

static void test_random__stays_in_its_range(void **state UNUSED)
{
    bool high = false, low = false;
    for (int i = 0; i < 300; i++) {
        const uint64_t n = random_name(9);
        assert_in_range(n, 1, 511);
        high |= n > 255;
        low |= n < 256;
        assert_int_equal(random_name(1), 1);
    }
    assert_true(high && low);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_random__says_nothing_twice(void **state UNUSED)
{
    enum { NUM = 1000 };
    uint64_t v[NUM];
    for (int i = 0; i < NUM; i++)
        v[i] = random_name(64);
    qsort(v, NUM, sizeof *v, by_value);
    for (int i = 1; i < NUM; i++)
        assert_true(v[i - 1] != v[i]);
}

/* Even from what the parent had asked for already. */
static void test_random__of_a_child_are_its_own(void **state UNUSED)
{
    int fds[2];
    uint64_t mine, its = 0;
    (void)random_name(64);
    assert_int_equal(pipe(fds), 0);
    const pid_t child = fork();
    if (child == 0) {
        its = random_name(64);
        _exit(write(fds[1], &its, sizeof its) == sizeof its ? 0 : 1);
    }
    mine = random_name(64);
    assert_true(child > 0 && read(fds[0], &its, sizeof its) == sizeof its);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(fds[0]);
    close(fds[1]);
    assert_true(mine != its);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random__stays_in_its_range),
        cmocka_unit_test(test_random__says_nothing_twice),
        cmocka_unit_test(test_random__of_a_child_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
