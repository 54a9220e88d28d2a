/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory: sizes from outside are refused politely, metadata's lack ends the process. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "death.h"

static void test_mem__sizes_multiply_checked(void **state UNUSED)
{
    int64_t v = -5;
    assert_true(size_mul(1 << 20, 1 << 20, &v));
    assert_int_equal(v, (int64_t)1 << 40);
    assert_true(size_mul(0, INT64_MAX, &v));
    assert_false(size_mul(INT64_MAX, 2, &v));
    assert_false(size_mul(-1, 1, &v));
    assert_false(size_mul(1, -1, &v));
    assert_false(size_add(INT64_MAX, 1, &v));
    assert_true(size_add(INT64_MAX - 1, 1, &v));
    assert_true(mem_array_bytes(3, 8) == 24);
    assert_true(mem_array_bytes(-1, 8) == SIZE_MAX);
    assert_true(mem_array_bytes(INT64_MAX, 8) == SIZE_MAX);
    assert_true(mem_array_bytes(0, 8) == 0);
}

static void test_mem__zero_bytes_are_a_place(void **state UNUSED)
{
    void *a = mem_alloc(0), *b = mem_zalloc(0), *c = mem_realloc(NULL, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(NULL);
}

static void test_mem__aligned_is_aligned_and_clear(void **state UNUSED)
{
    for (size_t align = 16; align <= 4096; align *= 2) {
        unsigned char *p = mem_zalloc_aligned(100, align);
        assert_int_equal((uintptr_t)p % align, 0);
        for (int i = 0; i < 100; i++)
            assert_int_equal(p[i], 0);
        mem_free(p);
    }
}

static void test_mem__texts(void **state UNUSED)
{
    char *a = mem_strdup("abc"), *b = mem_strndup("abcdef", 2), *c = mem_strndup(NULL, 0);
    char *d = mem_printf("%0300d", 5), *e = mem_strndup("ab", 100);
    assert_string_equal(a, "abc");
    assert_string_equal(b, "ab");
    assert_string_equal(c, "");
    assert_int_equal(strlen(d), 300);
    assert_string_equal(e, "ab");
    mem_free(a);
    mem_free(b);
    mem_free(c);
    mem_free(d);
    mem_free(e);
}

static void test_mem__try_gives_or_reports(void **state UNUSED)
{
    struct status st = {0};
    void *p = mem_try(1000, "a list", &st);
    assert_non_null(p);
    mem_free(p);
    p = mem_try(0, "nothing", &st);
    assert_non_null(p);
    mem_free(p);
    assert_true(status_ok(&st));
    size_t too_much[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)cpu_memory_limit() + 1};
    for (size_t i = 0; i < ARRAY_LEN(too_much); i++) {
        assert_null(mem_try(too_much[i], "a hostile list", &st));
        assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
        assert_non_null(strstr(status_message(&st), "bytes for a hostile list"));
        status_clear(&st);
    }
}

static void test_mem__try_has_a_failpoint(void **state UNUSED)
{
    struct status st = {0};
    assert_true(failpoint_set("mem_try", "2"));
    void *a = mem_try(8, "x", &st), *b = mem_try(8, "x", &st), *c = mem_try(8, "x", &st);
    failpoint_clear_all();
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    mem_free(a);
    mem_free(c);
}

static void test_mem__vec_reserve_doubles(void **state UNUSED)
{
    int64_t cap = 0, moves = 0;
    int *items = NULL;
    for (int i = 0; i < 10000; i++) {
        int64_t before = cap;
        items = vec_reserve(items, &cap, i + 1, sizeof *items);
        moves += cap != before;
        items[i] = i;
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(items[i], i);
    assert_true(moves <= 12);
    items = vec_reserve(items, &cap, 50000, sizeof *items);
    assert_true(cap >= 50000);
    assert_int_equal(items[9999], 9999);
    mem_free(items);
}

static void allocate_absurdly(void *arg)
{
    size_t *bytes = arg;
    mem_free(mem_zalloc(*bytes));
}

static void reserve_absurdly(void *arg UNUSED)
{
    int64_t cap = 0;
    mem_free(vec_reserve(NULL, &cap, INT64_MAX, 64));
}

static void test_mem__lack_of_metadata_ends_with_a_message(void **state UNUSED)
{
    char text[256];
    size_t bytes = SIZE_MAX - 3;
    int status = run_in_child(allocate_absurdly, &bytes, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "out of memory"));
    status = run_in_child(reserve_absurdly, NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mem__sizes_multiply_checked),
        cmocka_unit_test(test_mem__zero_bytes_are_a_place),
        cmocka_unit_test(test_mem__aligned_is_aligned_and_clear),
        cmocka_unit_test(test_mem__texts),
        cmocka_unit_test(test_mem__try_gives_or_reports),
        cmocka_unit_test(test_mem__try_has_a_failpoint),
        cmocka_unit_test(test_mem__vec_reserve_doubles),
        cmocka_unit_test(test_mem__lack_of_metadata_ends_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
