/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine is said to be, and the floating-point mode. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fenv.h>
#include <float.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "death.h"

static void exit_with_level(void *arg)
{
    if (arg)
        setenv("LEAT_CPU", arg, 1);
    else
        unsetenv("LEAT_CPU");
    _exit((int)cpu_level());
}

static int level_with(char *wish)
{
    char text[16];
    int status = run_in_child(exit_with_level, wish, text, sizeof text);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_cpu__level_can_only_be_lowered(void **state UNUSED)
{
    char base[] = "base", avx2[] = "avx2", avx512[] = "avx512", odd[] = "abacus";
    int full = level_with(NULL);
    assert_in_range(full, CPU_BASE, CPU_AVX512);
    assert_int_equal(level_with(base), CPU_BASE);
    assert_int_equal(level_with(avx2), min_i64(full, CPU_AVX2));
    assert_int_equal(level_with(avx512), full);
    assert_int_equal(level_with(odd), full);
#ifdef __x86_64__
    /* the compiler's own run-time check knows the same machine */
    assert_true(full < CPU_AVX2 || __builtin_cpu_supports("avx2"));
    assert_true(full < CPU_AVX512 || __builtin_cpu_supports("avx512vl"));
#endif
}

static void test_cpu__level_names(void **state UNUSED)
{
    assert_string_equal(cpu_level_name(CPU_BASE), "base");
    assert_string_equal(cpu_level_name(CPU_AVX512), "avx512");
    assert_string_equal(cpu_level_name((enum cpu_level)9), "unknown");
}

static void test_cpu__sizes_are_plausible(void **state UNUSED)
{
    assert_in_range(cpu_cache_bytes(1), 4 << 10, 16 << 20);
    assert_true(cpu_cache_bytes(2) >= cpu_cache_bytes(1));
    assert_true(cpu_cache_bytes(3) > 0);
    assert_int_equal(cpu_cache_bytes(0), 0);
    assert_int_equal(cpu_cache_bytes(4), 0);
    assert_true(cpu_memory_limit() > 1 << 20);
}

static void exit_with_one_cpu(void *arg UNUSED)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set))
        first++;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    _exit(sched_setaffinity(0, sizeof set, &set) == 0 ? cpu_num_usable() : 99);
}

static void test_cpu__affinity_is_honoured(void **state UNUSED)
{
    char text[16];
    assert_in_range(cpu_num_usable(), 1, sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(WEXITSTATUS(run_in_child(exit_with_one_cpu, NULL, text, sizeof text)), 1);
}

/* Volatile, results too: the compiler may else move arithmetic across a change of mode. */
static volatile float smallest = FLT_MIN, half = 0.5f, one = 1.0f, third = 3.0f;

static void test_cpu__float_mode_flushes_and_comes_back(void **state UNUSED)
{
    fesetround(FE_DOWNWARD);
    volatile float down = one / third;
    uint64_t saved = cpu_float_mode_enter();
    volatile float nearest = one / third, flushed = smallest * half;
    volatile float denormal = 0;
    cpu_float_mode_restore(saved);
    denormal = smallest * half;
    assert_true(fegetround() == FE_DOWNWARD);
    uint64_t again = cpu_float_mode_enter();
    volatile float product = denormal * one;
    cpu_float_mode_restore(again);
    fesetround(FE_TONEAREST);
    assert_true(nearest > down);
    assert_true(denormal > 0);
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(flushed == 0);
    assert_true(product == 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu__level_can_only_be_lowered),
        cmocka_unit_test(test_cpu__level_names),
        cmocka_unit_test(test_cpu__sizes_are_plausible),
        cmocka_unit_test(test_cpu__affinity_is_honoured),
        cmocka_unit_test(test_cpu__float_mode_flushes_and_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
