/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: pieces are clear, aligned, apart, and live until the release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

static void test_arena__pieces_are_clear_aligned_and_apart(void **state UNUSED)
{
    struct arena a = {0};
    enum { N = 3000 };
    unsigned char *pieces[N];
    size_t sizes[N], sum = 0;
    for (int i = 0; i < N; i++) {
        /* small ones, and now and then one bigger than any block */
        sizes[i] = i % 500 == 499 ? 300000 : (size_t)(i * 37 % 211);
        sum += sizes[i];
        pieces[i] = arena_alloc(&a, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            if (pieces[i][k])
                fail_msg("piece %d is not clear", i);
        memset(pieces[i], i % 251 + 1, sizes[i]);
    }
    assert_int_equal(a.used_bytes, sum);
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            if (pieces[i][k] != i % 251 + 1)
                fail_msg("piece %d was overwritten", i);
    arena_release(&a);
    assert_int_equal(a.used_bytes, 0);
    arena_release(&a);
}

static void test_arena__first_piece_may_be_big(void **state UNUSED)
{
    struct arena a = {0};
    char *big = arena_alloc(&a, 1 << 20), *small = arena_alloc(&a, 10);
    memset(big, 1, 1 << 20);
    assert_int_equal(small[9], 0);
    memset(small, 2, 10);
    assert_int_equal(big[(1 << 20) - 1], 1);
    arena_release(&a);
    small = arena_alloc(&a, 10);
    assert_int_equal(small[0], 0);
    arena_release(&a);
}

static void test_arena__texts(void **state UNUSED)
{
    struct arena a = {0};
    assert_string_equal(arena_strdup(&a, "name"), "name");
    assert_string_equal(arena_strdup(&a, ""), "");
    assert_string_equal(arena_strndup(&a, "name", 2), "na");
    assert_string_equal(arena_strndup(&a, "na", 20), "na");
    assert_string_equal(arena_strndup(&a, NULL, 0), "");
    assert_string_equal(arena_printf(&a, "%s:%d", "x", 3), "x:3");
    char *s = arena_printf(&a, "%0700d", 9);
    assert_int_equal(strlen(s), 700);
    int numbers[] = {1, 2, 3}, *copy = arena_memdup(&a, numbers, sizeof numbers);
    assert_int_equal(copy[2], 3);
    assert_non_null(arena_memdup(&a, NULL, 0));
    struct status_like {
        int64_t x;
    } *one = arena_new(&a, struct status_like), *many = arena_array(&a, struct status_like, 5);
    assert_int_equal(one->x + many[4].x, 0);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena__pieces_are_clear_aligned_and_apart),
        cmocka_unit_test(test_arena__first_piece_may_be_big),
        cmocka_unit_test(test_arena__texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
