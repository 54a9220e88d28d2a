/* SPDX-License-Identifier: Apache-2.0 */
/* Chains give, bit for bit, what their steps give one by one: every pair of the ops that are taken
 * two at a time, and random chains of single elements and arrays, over sizes that end in part of a
 * block, NaN included. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/chain.h"
#include "math/stream.h"

enum { MOST = 700 };

static const uint8_t ops[] = {MATH_CHAIN_ADD,    MATH_CHAIN_SUB,  MATH_CHAIN_MUL,   MATH_CHAIN_MAX,
                              MATH_CHAIN_MIN,    MATH_CHAIN_DIV,  MATH_CHAIN_R_SUB, MATH_CHAIN_NEG,
                              MATH_CHAIN_SQUARE, MATH_CHAIN_RELU, MATH_CHAIN_R_MAX};

#define STEP(T)                                                                                    \
    static T step_##T(int op, T x, T y)                                                            \
    {                                                                                              \
        switch (op) {                                                                              \
        case MATH_CHAIN_ADD:                                                                       \
            return x + y;                                                                          \
        case MATH_CHAIN_SUB:                                                                       \
            return x - y;                                                                          \
        case MATH_CHAIN_MUL:                                                                       \
            return x * y;                                                                          \
        case MATH_CHAIN_MAX:                                                                       \
            return y > x ? y : x;                                                                  \
        case MATH_CHAIN_MIN:                                                                       \
            return y < x ? y : x;                                                                  \
        case MATH_CHAIN_DIV:                                                                       \
            return x / y;                                                                          \
        case MATH_CHAIN_R_SUB:                                                                     \
            return y - x;                                                                          \
        case MATH_CHAIN_NEG:                                                                       \
            return -x;                                                                             \
        case MATH_CHAIN_SQUARE:                                                                    \
            return x * x;                                                                          \
        case MATH_CHAIN_RELU:                                                                      \
            return 0 > x ? 0 : x;                                                                  \
        default:                                                                                   \
            return x > y ? x : y;                                                                  \
        }                                                                                          \
    }

STEP(float)
STEP(double)

static void check(int dtype, struct math_chain_step *steps, int num, int64_t n, bool stream)
{
    const size_t item = dtype_size(dtype);
    char *x = test_array(dtype, n), *z = test_zeros(dtype, n), *y[MATH_CHAIN_STEPS];
    test_set(dtype, x, n / 3, NAN, 0);
    for (int i = 0; i < num; i++)
        steps[i].y = y[i] = test_array(dtype, n);
    const struct math_chain c = {.steps = steps, .num = num, .stream = stream};
    if (dtype == DT_FLOAT)
        math_chain_f32(&c, (float *)z, (float *)x, n);
    else
        math_chain_f64(&c, (double *)z, (double *)x, n);
    math_stream_end();
    for (int64_t at = 0; at < n; at++)
        for (int i = 0; i < num; i++) {
            const int64_t from = steps[i].single ? 0 : at;
            if (dtype == DT_FLOAT)
                ((float *)x)[at] = step_float(steps[i].op, ((float *)x)[at], ((float *)y[i])[from]);
            else
                ((double *)x)[at] =
                    step_double(steps[i].op, ((double *)x)[at], ((double *)y[i])[from]);
        }
    for (int64_t at = 0; at < n; at++)
        if (!isnan(test_get(dtype, x, at)) || !isnan(test_get(dtype, z, at)))
            assert_memory_equal(x + at * (int64_t)item, z + at * (int64_t)item, item);
    for (int i = 0; i < num; i++)
        free(y[i]);
    free(x);
    free(z);
}

static void test_chain__pairs_of_steps(void **state)
{
    (void)state;
    for (size_t a = 0; a < ARRAY_LEN(ops); a++)
        for (size_t b = 0; b < ARRAY_LEN(ops); b++)
            for (int singles = 0; singles < 4; singles++) {
                struct math_chain_step steps[] = {{.op = ops[a], .single = singles & 1},
                                                  {.op = ops[b], .single = singles >> 1}};
                check(DT_FLOAT, steps, 2, 256 + 37, false);
                check(DT_DOUBLE, steps, 2, 128 + 21, false);
            }
}

static void test_chain__random_steps(void **state)
{
    (void)state;
    test_seed(7);
    for (int i = 0; i < 300; i++) {
        struct math_chain_step steps[MATH_CHAIN_STEPS] = {{0}};
        const int num = i == 0 ? MATH_CHAIN_STEPS : 1 + (int)test_below(9);
        for (int s = 0; s < num; s++) {
            steps[s].op = ops[test_below(ARRAY_LEN(ops))];
            steps[s].single = test_below(4) != 0;
        }
        check(i % 2 ? DT_DOUBLE : DT_FLOAT, steps, num, 1 + test_below(MOST), i % 5 == 0);
    }
}

static int run(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain__pairs_of_steps),
                                       cmocka_unit_test(test_chain__random_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
