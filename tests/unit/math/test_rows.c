/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers and scatters: values, bad indices, order of repeated ones. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/rows.h"

static void test_rows__gather(void **state)
{
    (void)state;
    const int64_t widths[] = {1, 3, 4, 8, 16, 500};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int wide = 0; wide < 2; wide++) {
            enum { OUTER = 3, LIMIT = 11, NUM = 29 };
            int32_t narrow[NUM];
            int64_t index[NUM];
            uint8_t *x = test_array(DT_UINT8, OUTER * LIMIT * widths[w]),
                    *y = test_zeros(DT_UINT8, OUTER * NUM * widths[w]);
            for (int i = 0; i < NUM; i++)
                narrow[i] = (int32_t)(index[i] = test_below(LIMIT));
            const struct math_gather g = {.index_dtype = wide ? DT_INT64 : DT_INT32,
                                          .indices = wide ? (void *)index : (void *)narrow,
                                          .num = NUM,
                                          .limit = LIMIT,
                                          .outer = OUTER,
                                          .row_bytes = widths[w],
                                          .x = x,
                                          .y = y};
            for (int bad = 0; bad < 2; bad++) {
                if (bad) {
                    narrow[9] = (int32_t)(index[9] = -1);
                    narrow[20] = (int32_t)(index[20] = LIMIT);
                }
                assert_int_equal(math_gather(test_pool(2), &g), bad ? 9 : -1);
                for (int o = 0; o < OUTER; o++)
                    for (int i = 0; i < NUM; i++)
                        for (int64_t b = 0; b < widths[w]; b++) {
                            const uint8_t got = y[(o * NUM + i) * widths[w] + b];
                            const bool out = index[i] < 0 || index[i] >= LIMIT;
                            assert_int_equal(got,
                                             out ? 0 : x[(o * LIMIT + index[i]) * widths[w] + b]);
                        }
            }
            free(x), free(y);
        }
    const int32_t index[] = {0};
    const struct math_gather none = {.index_dtype = DT_INT32,
                                     .indices = index,
                                     .num = 1,
                                     .limit = 0,
                                     .outer = 0,
                                     .row_bytes = 4};
    assert_int_equal(math_gather(NULL, &none), 0);
}

static double combine(enum math_scatter_op op, double a, double b)
{
    switch (op) {
    case MATH_SCATTER_UPDATE:
        return b;
    case MATH_SCATTER_ADD:
        return a + b;
    case MATH_SCATTER_SUB:
        return a - b;
    case MATH_SCATTER_MUL:
        return a * b;
    case MATH_SCATTER_DIV:
        return a / b;
    case MATH_SCATTER_MIN:
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

static void scatter_check(enum math_scatter_op op, int dt, int64_t items, bool scalar)
{
    enum { LIMIT = 8, NUM = 12 };
    int32_t index[NUM];
    void *table = test_array(dt, LIMIT * items), *updates = test_array(dt, NUM * items);
    double *want = malloc((size_t)(LIMIT * items) * sizeof *want);
    for (int i = 0; i < NUM; i++)
        index[i] = (int32_t)test_below(LIMIT); /* some repeat */
    for (int64_t i = 0; i < NUM * items; i++)
        if (test_get(dt, updates, i) == 0 || op == MATH_SCATTER_MUL || op == MATH_SCATTER_DIV)
            test_set(dt, updates, i, op == MATH_SCATTER_DIV ? 2 : 1, 0);
    if (dt == DT_COMPLEX64 || dt == DT_COMPLEX128) /* the real axis is enough here */
        for (int64_t i = 0; i < NUM * items; i++) {
            test_set(dt, updates, i, test_get(dt, updates, i), 0);
            test_set(dt, table, i % (LIMIT * items), test_get(dt, table, i % (LIMIT * items)), 0);
        }
    for (int64_t i = 0; i < LIMIT * items; i++)
        want[i] = test_get(dt, table, i);
    for (int i = 0; i < NUM; i++)
        for (int64_t c = 0; c < items; c++) {
            double *v = &want[index[i] * items + c];
            *v = combine(op, *v, test_get(dt, updates, scalar ? 0 : i * items + c));
            if (test_eps(dt) == 0)
                *v = trunc(*v);
            if (dt == DT_UINT8 || dt == DT_BOOL)
                *v = (uint8_t)(int)*v;
            else if (dt == DT_UINT16)
                *v = (uint16_t)(int)*v;
            else if (dt == DT_UINT32)
                *v = (uint32_t)(int64_t)*v;
            else if (dt == DT_INT8)
                *v = (int8_t)(int)*v;
        }
    const struct math_scatter s = {.op = op,
                                   .dtype = dt,
                                   .index_dtype = DT_INT32,
                                   .indices = index,
                                   .num = NUM,
                                   .limit = LIMIT,
                                   .row_items = items,
                                   .updates = updates,
                                   .scalar = scalar,
                                   .table = table};
    assert_int_equal(math_scatter(test_pool(2), &s), -1);
    for (int64_t i = 0; i < LIMIT * items; i++)
        test_close(test_get(dt, table, i), want[i], 30 * test_eps(dt), 30 * test_eps(dt),
                   dtype_name(dt), i);
    free(table), free(updates), free(want);
}

static void test_rows__scatter(void **state)
{
    (void)state;
    const int types[] = {DT_FLOAT, DT_DOUBLE,    DT_HALF,      DT_BFLOAT16, DT_INT8,
                         DT_UINT8, DT_INT16,     DT_UINT16,    DT_INT32,    DT_UINT32,
                         DT_INT64, DT_COMPLEX64, DT_COMPLEX128};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int op = 0; op <= MATH_SCATTER_MAX; op++)
            for (int scalar = 0; scalar < 2; scalar++)
                if (math_scatter_supports(op, types[t]) &&
                    !(types[t] == DT_UINT32 && op == MATH_SCATTER_SUB))
                    for (int64_t items = 1; items < 1000; items = items * 7 + 2)
                        scatter_check(op, types[t], items, scalar);
}

/* Enough to be shared out by rows: the same sums, to the bit, as one after the other. */
static void test_rows__scatter_of_many_rows_keeps_their_order(void **state)
{
    (void)state;
    enum { ROWS = 37, ITEMS = 48, NUM = 20000 };
    float *table = calloc(ROWS * ITEMS, sizeof *table);
    float *expected = calloc(ROWS * ITEMS, sizeof *expected);
    float *updates = calloc((size_t)NUM * ITEMS, sizeof *updates);
    int64_t *indices = calloc(NUM, sizeof *indices);
    for (int64_t i = 0; i < NUM; i++) {
        indices[i] = i * i % 101 % (ROWS + 1) - (i % 977 == 0); /* some are bad, and skipped */
        for (int64_t c = 0; c < ITEMS; c++) {
            const float x = (float)((i * 31 + c * 7) % 1013) / 7;
            updates[i * ITEMS + c] = x;
            if (indices[i] >= 0 && indices[i] < ROWS)
                expected[indices[i] * ITEMS + c] += x;
        }
    }
    const struct math_scatter s = {.op = MATH_SCATTER_ADD,
                                   .dtype = DT_FLOAT,
                                   .index_dtype = DT_INT64,
                                   .indices = indices,
                                   .num = NUM,
                                   .limit = ROWS,
                                   .row_items = ITEMS,
                                   .table = table,
                                   .updates = updates,
                                   .skip_bad = true};
    assert_true(math_scatter(test_pool(2), &s) >= 0);
    assert_memory_equal(table, expected, ROWS * ITEMS * sizeof *table);
    free(table);
    free(expected);
    free(updates);
    free(indices);
}

static void test_rows__scatter_refuses_bad_indices_whole(void **state)
{
    (void)state;
    float table[4] = {1, 2, 3, 4}, updates[3] = {10, 20, 30};
    const int64_t index[] = {1, 4, 2};
    struct math_scatter s = {.op = MATH_SCATTER_ADD,
                             .dtype = DT_FLOAT,
                             .index_dtype = DT_INT64,
                             .indices = index,
                             .num = 3,
                             .limit = 4,
                             .row_items = 1,
                             .updates = updates,
                             .table = table};
    assert_int_equal(math_scatter(NULL, &s), 1);
    assert_true(table[1] == 2 && table[2] == 3);
    s.skip_bad = true;
    assert_int_equal(math_scatter(NULL, &s), 1);
    assert_true(table[1] == 12 && table[2] == 33);
    int32_t whole[2] = {INT32_MIN, 7}, by[2] = {-1, 0};
    const int64_t both[] = {0, 1};
    s = (struct math_scatter){.op = MATH_SCATTER_DIV,
                              .dtype = DT_INT32,
                              .index_dtype = DT_INT64,
                              .indices = both,
                              .num = 2,
                              .limit = 2,
                              .row_items = 1,
                              .updates = by,
                              .table = whole};
    assert_int_equal(math_scatter(NULL, &s), -1);
    assert_true(whole[0] == INT32_MIN && whole[1] == 0);
    assert_int_equal(math_find_bad_index(DT_INT64, both, 2, 1), 1);
    assert_false(math_scatter_supports(MATH_SCATTER_ADD, DT_STRING) ||
                 math_scatter_supports(MATH_SCATTER_UPDATE, DT_STRING));
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows__gather),
        cmocka_unit_test(test_rows__scatter),
        cmocka_unit_test(test_rows__scatter_of_many_rows_keeps_their_order),
        cmocka_unit_test(test_rows__scatter_refuses_bad_indices_whole),
    };
    return cmocka_run_group_tests_name("math/rows", tests, NULL, NULL);
}

int main(void)
{
    return run();
}
