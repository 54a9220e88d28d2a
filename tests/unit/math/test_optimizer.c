/* SPDX-License-Identifier: Apache-2.0 */
/* Updates: one step of each rule against values that TensorFlow 1.15.5 printed for the same
 * numbers; other types, lengths and sparse rows against the float rule. */
#include "math_test.h"

#include <stdlib.h>
#include <string.h>

#include "math/optimizer.h"

enum { N = 5 };

static const double first[4][N] = {{0.5, -1.25, 2, 0.1, -0.3},
                                   {0.1, 0.2, 0.3, 0.4, 0.5},
                                   {0.3, -2, 0.1, 0.7, -0.05},
                                   {0.02, 0.03, 0.5, 0.01, 0.2}};
static const double gradient[N] = {1, -0.5, 0.25, 0, 3};

/* clang-format off */
static const struct rule {
    struct math_update u;
    int slots[3];   /* which rows of `first` they start from */
    double var[N], slot[3][N];
} rules[] = {
    {{.kind = MATH_OPT_SGD, .lr = 0.1}, {0}, {0.4, -1.2, 1.975, 0.1, -0.6}, {{0}}},
    {{.kind = MATH_OPT_ADAM, .beta1_power = 0.81, .beta2_power = 0.98, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-7}, {2, 1},
     {0.49165839, -1.2192478, 1.998431, 0.092548326, -0.30248156},
     {{0.37000003, -1.8499999, 0.11500001, 0.63, 0.25500005}, {0.10899999, 0.2005, 0.29762501, 0.396, 0.58499992}}},
    {{.kind = MATH_OPT_ADAM, .beta1_power = 0.81, .beta2_power = 0.98, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-7, .nesterov = true}, {2, 1},
     {0.49023807, -1.2214919, 1.9982468, 0.093293495, -0.30515289},
     {{0.37000003, -1.8499999, 0.11500001, 0.63, 0.25500005}, {0.10899999, 0.2005, 0.29762501, 0.396, 0.58499992}}},
    {{.kind = MATH_OPT_MOMENTUM, .lr = 0.1, .momentum = 0.9}, {1},
     {0.391, -1.218, 1.948, 0.064, -0.645}, {{1.09, -0.32, 0.52, 0.36, 3.45}}},
    {{.kind = MATH_OPT_MOMENTUM, .lr = 0.1, .momentum = 0.9, .nesterov = true}, {1},
     {0.3019, -1.1712, 1.9282, 0.0676, -0.9105}, {{1.09, -0.32, 0.52, 0.36, 3.45}}},
    {{.kind = MATH_OPT_ADAGRAD, .lr = 0.1, .update_slots = true}, {1},
     {0.40465373, -1.1754644, 1.9584773, 0.1, -0.39733288}, {{1.1, 0.45, 0.3625, 0.4, 9.5}}},
    {{.kind = MATH_OPT_ADAGRAD, .lr = 0.1, .update_slots = true, .epsilon = 1e-3}, {1},
     {0.40474457, -1.1755754, 1.9585462, 0.1, -0.39730132}, {{1.1, 0.45, 0.3625, 0.4, 9.5}}},
    {{.kind = MATH_OPT_ADAGRAD, .lr = 0.1}, {1},
     {0.18377224, -1.1381966, 1.9543564, 0.1, -0.72426409}, {{0.1, 0.2, 0.3, 0.4, 0.5}}},
    {{.kind = MATH_OPT_RMSPROP, .lr = 0.1, .rho = 0.9, .momentum = 0.5, .epsilon = 1e-3}, {1, 2},
     {0.12118563, -0.13983679, 1.9025207, -0.25, -0.53310329},
     {{0.19, 0.205, 0.27625, 0.36, 1.35}, {0.37881437, -1.1101632, 0.097479291, 0.35, 0.23310328}}},
    {{.kind = MATH_OPT_CENTERED_RMSPROP, .lr = 0.1, .rho = 0.9, .momentum = 0.5, .epsilon = 1e-3}, {1, 2, 3},
     {0.11235967, -0.13969517, 1.8399704, -0.25, -0.55839747},
     {{0.19, 0.205, 0.27625, 0.36, 1.35}, {0.38764033, -1.1103048, 0.16002971, 0.35, 0.25839746}, {0.118, -0.023, 0.475, 0.009, 0.48}}},
    {{.kind = MATH_OPT_ADADELTA, .lr = 0.1, .rho = 0.9, .epsilon = 1e-3}, {1, 2},
     {0.37446451, NAN, 1.9849108, 0.1, NAN}, {{0.19, 0.205, 0.27625, 0.36, 1.35}, {0.42759162, NAN, 0.092276819, 0.63, NAN}}},
    {{.kind = MATH_OPT_FTRL, .lr = 0.1, .l1 = 0.05, .l2 = 0.02, .lr_power = -0.5}, {1, 2},
     {0.219689, -0.036318477, 0.11337508, -0.1021281, -0.32484215},
     {{1.1, 0.45, 0.3625, 0.4, 9.5}, {-2.362905, 0.29508448, -0.7371434, 0.7, 10.075301}}},
    {{.kind = MATH_OPT_FTRL, .lr = 0.1, .l1 = 0.05, .l2 = 0.02, .lr_power = -0.3}, {1, 2},
     {0.12479048, 0.041173205, 0.055845819, -0.085116655, -0.32291973},
     {{1.1, 0.45, 0.3625, 0.4, 9.5}, {-1.3390927, -0.37567186, -0.46412554, 0.7, 6.4076252}}},
    {{.kind = MATH_OPT_FTRL, .lr = 0.1, .l1 = 0.05, .l2 = 0.02, .l2_shrinkage = 0.3, .lr_power = -0.5}, {1, 2},
     {0.1911938, 0.060003456, -0.068119191, -0.11155532, -0.31900972},
     {{1.1, 0.45, 0.3625, 0.4, 9.5}, {-2.0629051, -0.45491552, 0.46285662, 0.76, 9.8953009}}},
};
/* clang-format on */
static const int num_slots[] = {
    [MATH_OPT_SGD] = 0,     [MATH_OPT_MOMENTUM] = 1, [MATH_OPT_ADAM] = 2,
    [MATH_OPT_ADAGRAD] = 1, [MATH_OPT_RMSPROP] = 2,  [MATH_OPT_CENTERED_RMSPROP] = 3,
    [MATH_OPT_FTRL] = 2,    [MATH_OPT_ADADELTA] = 2};

/* The five parameters, `copies` times over, in a type. */
struct arrays {
    void *var, *grad, *slot[3];
};

static struct arrays arrays_make(const struct rule *r, int dtype, int64_t copies)
{
    struct arrays a = {test_zeros(dtype, copies * N), test_zeros(dtype, copies * N), {0}};
    for (int64_t i = 0; i < copies * N; i++) {
        test_set(dtype, a.var, i, first[0][i % N], 0);
        test_set(dtype, a.grad, i, gradient[i % N], 0);
    }
    for (int k = 0; k < 3; k++) {
        a.slot[k] = test_zeros(dtype, copies * N);
        for (int64_t i = 0; i < copies * N; i++)
            test_set(dtype, a.slot[k], i, first[r->slots[k]][i % N], 0);
    }
    return a;
}

static void arrays_free(struct arrays *a)
{
    free(a->var), free(a->grad), free(a->slot[0]), free(a->slot[1]), free(a->slot[2]);
}

static struct math_update bind(const struct rule *r, int dtype, const struct arrays *a, int64_t n)
{
    struct math_update u = r->u;
    u.dtype = dtype, u.n = n, u.var = a->var, u.grad = a->grad;
    for (int k = 0; k < num_slots[u.kind]; k++)
        u.slot[k] = a->slot[k];
    return u;
}

static void test_optimizer__steps_are_those_of_tensorflow(void **state)
{
    (void)state;
    const int types[] = {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_BFLOAT16};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int t = 0; t < 4; t++)
            for (int64_t copies = 1; copies < 400; copies += 123) {
                const int dt = types[t];
                /* what a narrow type stores is off by a rounding or two before and after */
                const double tol = dt == DT_HALF || dt == DT_BFLOAT16 ? 40 * test_eps(dt) : 2e-6;
                struct arrays a = arrays_make(&rules[i], dt, copies);
                const struct math_update u = bind(&rules[i], dt, &a, copies * N);
                math_update(test_pool(2), &u);
                for (int64_t k = 0; k < copies * N; k++) {
                    test_close(test_get(dt, a.var, k), rules[i].var[k % N], tol, tol, "var",
                               (int64_t)i);
                    for (int s = 0; s < num_slots[u.kind]; s++)
                        test_close(test_get(dt, a.slot[s], k), rules[i].slot[s][k % N], tol, tol,
                                   "slot", (int64_t)i);
                }
                arrays_free(&a);
            }
}

static void test_optimizer__the_thread_count_changes_no_bit(void **state)
{
    (void)state;
    const int64_t copies = 40000;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct arrays a = arrays_make(&rules[i], DT_FLOAT, copies),
                      b = arrays_make(&rules[i], DT_FLOAT, copies);
        const struct math_update u = bind(&rules[i], DT_FLOAT, &a, copies * N),
                                 v = bind(&rules[i], DT_FLOAT, &b, copies * N);
        math_update(NULL, &u);
        math_update(test_pool(3), &v);
        assert_memory_equal(a.var, b.var, (size_t)(copies * N) * 4);
        arrays_free(&a), arrays_free(&b);
    }
}

/* Rows of a sparse update, one after another, are dense updates of those rows. */
static void test_optimizer__sparse_rows(void **state)
{
    (void)state;
    enum { ROWS = 7, ITEMS = 10 };
    const int64_t wide[] = {3, 0, 3, 6};
    const int32_t narrow[] = {3, 0, 3, 6};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].u.kind == MATH_OPT_ADAM)
            continue;
        for (int form = 0; form < 2; form++) {
            struct arrays a = arrays_make(&rules[i], DT_FLOAT, ROWS * ITEMS / N),
                          b = arrays_make(&rules[i], DT_FLOAT, ROWS * ITEMS / N);
            const struct math_update u = bind(&rules[i], DT_FLOAT, &a, 0);
            const struct math_sparse_rows rows = {.index_dtype = form ? DT_INT64 : DT_INT32,
                                                  .indices = form ? (const void *)wide : narrow,
                                                  .num = 4,
                                                  .limit = ROWS,
                                                  .row_items = ITEMS};
            assert_int_equal(math_update_sparse(test_pool(2), &u, &rows), -1);
            for (int k = 0; k < 4; k++) {
                struct math_update d = bind(&rules[i], DT_FLOAT, &b, ITEMS);
                d.var = (float *)b.var + wide[k] * ITEMS, d.grad = (float *)b.grad + k * ITEMS;
                for (int s = 0; s < num_slots[d.kind]; s++)
                    d.slot[s] = (float *)b.slot[s] + wide[k] * ITEMS;
                math_update(NULL, &d);
            }
            assert_memory_equal(a.var, b.var, ROWS * ITEMS * 4);
            for (int s = 0; s < 3; s++)
                assert_memory_equal(a.slot[s], b.slot[s], ROWS * ITEMS * 4);
            struct math_sparse_rows bad = rows;
            bad.limit = 6;
            assert_int_equal(math_update_sparse(NULL, &u, &bad), 3);
            assert_memory_equal(a.var, b.var, ROWS * ITEMS * 4);
            arrays_free(&a), arrays_free(&b);
        }
    }
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizer__steps_are_those_of_tensorflow),
        cmocka_unit_test(test_optimizer__the_thread_count_changes_no_bit),
        cmocka_unit_test(test_optimizer__sparse_rows),
    };
    return cmocka_run_group_tests_name("math/optimizer", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
