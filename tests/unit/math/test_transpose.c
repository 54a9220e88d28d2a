/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of every item size against the definition. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/transpose.h"

static void check(size_t item, int rank, const int64_t *dims, const int *perm, int threads)
{
    int64_t n = 1, x_step[8], y_dims[8];
    for (int i = rank - 1; i >= 0; i--) {
        x_step[i] = n;
        n *= dims[i];
    }
    for (int i = 0; i < rank; i++)
        y_dims[i] = dims[perm[i]];
    uint8_t *x = malloc((size_t)n * item + 1), *y = malloc((size_t)n * item + 1);
    for (size_t i = 0; i < (size_t)n * item; i++)
        x[i] = (uint8_t)test_bits();
    y[(size_t)n * item] = 0xa5;
    const struct math_transpose t = {
        .item = item, .x = x, .y = y, .rank = rank, .dims = dims, .perm = perm};
    math_transpose(threads ? test_pool(threads) : NULL, &t);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, from = 0;
        for (int k = rank - 1; k >= 0; k--) {
            from += rest % y_dims[k] * x_step[perm[k]];
            rest /= y_dims[k];
        }
        if (memcmp(y + (size_t)i * item, x + (size_t)from * item, item) != 0)
            fail_msg("item size %zu, rank %d, element %lld", item, rank, (long long)i);
    }
    assert_int_equal(y[(size_t)n * item], 0xa5);
    free(x);
    free(y);
}

/* All permutations of `rank` axes, by Heap's recursion. */
static void permute(size_t item, int rank, const int64_t *dims, int *perm, int k)
{
    if (k == rank) {
        check(item, rank, dims, perm, 0);
        return;
    }
    for (int i = k; i < rank; i++) {
        const int a = perm[k];
        perm[k] = perm[i], perm[i] = a;
        permute(item, rank, dims, perm, k + 1);
        perm[i] = perm[k], perm[k] = a;
    }
}

static const size_t items[] = {1, 2, 4, 8, 16};

static void test_transpose__all_permutations(void **state)
{
    (void)state;
    static const int64_t dims[][5] = {{2, 3, 4, 5, 2}, {7, 1, 17, 3, 1}, {33, 2, 2, 18, 1}};
    for (size_t i = 0; i < 5; i++)
        for (size_t d = 0; d < 3; d++)
            for (int rank = 0; rank <= 5; rank++) {
                int perm[5] = {0, 1, 2, 3, 4};
                permute(items[i], rank, dims[d], perm, 0);
            }
}

static void test_transpose__planes_of_all_edges(void **state)
{
    (void)state;
    const int perm[] = {1, 0};
    for (size_t i = 0; i < 5; i++)
        for (int64_t rows = 1; rows < 70; rows += 11)
            for (int64_t cols = 1; cols < 70; cols += 9) {
                const int64_t dims[] = {rows, cols};
                check(items[i], 2, dims, perm, 0);
            }
    const int64_t big[] = {700, 900}, images[] = {6, 40, 50, 33};
    const int to_nchw[] = {0, 3, 1, 2}, to_nhwc[] = {0, 2, 3, 1};
    for (size_t i = 0; i < 5; i++) {
        check(items[i], 2, big, perm, 3);
        check(items[i], 4, images, to_nchw, 3);
        check(items[i], 4, images, to_nhwc, 3);
    }
}

static void test_transpose__empty_and_conjugate(void **state)
{
    (void)state;
    const int64_t dims[] = {3, 0, 2};
    const int perm[] = {2, 0, 1};
    check(4, 3, dims, perm, 0);
    const struct c64 x[6] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
    struct c64 y[6];
    const int64_t plane[] = {2, 3};
    const int swap[] = {1, 0}, same[] = {0, 1};
    struct math_transpose t = {
        .item = 8, .x = x, .y = y, .rank = 2, .dims = plane, .perm = swap, .conj = true};
    math_transpose(NULL, &t);
    assert_true(y[1].re == 7 && y[1].im == -8 && y[4].re == 5 && y[4].im == -6);
    t.perm = same;
    math_transpose(NULL, &t);
    assert_true(y[1].re == 3 && y[1].im == -4 && y[5].im == -12);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose__all_permutations),
        cmocka_unit_test(test_transpose__planes_of_all_edges),
        cmocka_unit_test(test_transpose__empty_and_conjugate),
    };
    return cmocka_run_group_tests_name("math/transpose", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
