/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of one and of several tables, whose gradients stay slices; the losses that sample,
 * with fixed candidates, against TensorFlow 1.15.5's numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "leat/leat.h"

static TF_Graph *g;
static TF_Status *s;
static float table[8][3]; /* -1, -0.9, ... */
static const int32_t numbers[5] = {7, 0, 3, 3, 5};

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++)
        table[i / 3][i % 3] = (float)i / 10 - 1;
    g = TF_NewGraph();
    s = TF_NewStatus();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return 0;
}

static void expect_near(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5F * fabsf(want[i]) + 1e-6F))
            fail_msg("element %d is %.9g, not %.9g", i, (double)got[i], (double)want[i]);
}

static TF_Session *start_session(void)
{
    TF_Operation *init = leat_global_variables_initializer(g);
    leat_graph_status(g, s);
    assert_string_equal(TF_Message(s), "");
    TF_Session *session = leat_session_new(g, s);
    assert_true(leat_run_op(session, init, leat_no_feeds(), s));
    return session;
}

/* The rows of table k of n: 3, 3 and 2 of 8 in three. */
static TF_Output make_part(int k, int n, enum leat_partition_strategy strategy, bool resource)
{
    float rows[8][3];
    int64_t num = 0;
    for (int i = 0; i < 8; i++) {
        int each = 8 / n, extra = 8 % n;
        int at = i < extra * (each + 1) ? i / (each + 1) : (i - extra) / each;
        if ((strategy == LEAT_PARTITION_MOD ? i % n : at) == k)
            memcpy(rows[num++], table[i], sizeof table[i]);
    }
    const char *name = k == 0 ? "t0" : k == 1 ? "t1" : "t2";
    return leat_variable(g, name, leat_const_floats(g, rows, leat_shape(num, 3)),
                         .resource = resource);
}

/* The rows asked for come, whatever the tables; the gradients are slices; a step of descent by the
 * sum of all changes each row as often as it was asked for. */
static void look_up(int n, enum leat_partition_strategy strategy, bool resource)
{
    TF_Output parts[3], ids = leat_const_ints(g, numbers, leat_shape(5));
    struct leat_grad grads[3];
    for (int i = 0; i < n; i++)
        parts[i] = make_part(i, n, strategy, resource);
    struct leat_outputs tables = {parts, n};
    TF_Output rows = leat_embedding_lookup(g, tables, ids, strategy),
              sum = leat_reduce_sum(g, rows);
    assert_true(leat_gradients(g, &sum, 1, parts, n, grads));
    for (int i = 0; i < n; i++)
        assert_true(leat_grad_is_sparse(grads[i]));
    leat_optimizer *opt = leat_gradient_descent(g, 1);
    TF_Operation *train = leat_minimize(opt, sum);
    leat_optimizer_free(opt);
    TF_Session *session = start_session();
    float got[5][3];
    assert_true(leat_run(session, s, .fetches = leat_fetches(leat_fetch(rows, &got[0][0], 15))));
    for (int i = 0; i < 5; i++)
        expect_near(got[i], table[numbers[i]], 3);
    assert_true(leat_run_op(session, train, leat_no_feeds(), s));
    assert_true(leat_run(session, s, .fetches = leat_fetches(leat_fetch(rows, &got[0][0], 15))));
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++)
            expect_near(&got[i][k],
                        &(const float){table[numbers[i]][k] - (float)(numbers[i] == 3 ? 2 : 1)}, 1);
    leat_session_close(session);
    TF_DeleteGraph(g);
    g = TF_NewGraph();
}

static void test_embedding__rows_and_sparse_gradients(void **state)
{
    (void)state;
    for (int resource = 0; resource < 2; resource++)
        for (int n = 1; n <= 3; n++) {
            look_up(n, LEAT_PARTITION_MOD, resource);
            look_up(n, LEAT_PARTITION_DIV, resource);
        }
}

static void test_embedding__max_norm(void **state)
{
    static const float want[15] = {0.528016865F,
                                   0.576018512F,
                                   0.62401998F,
                                   -0.638876557F,
                                   -0.574988842F,
                                   -0.511101246F,
                                   -0.100000024F,
                                   0,
                                   0.100000024F,
                                   -0.100000024F,
                                   0,
                                   0.100000024F,
                                   0.476731271F,
                                   0.572077513F,
                                   0.667423785F};
    (void)state;
    float got[15];
    TF_Output params = leat_const_floats(g, table, leat_shape(8, 3));
    TF_Output ids = leat_const_ints(g, numbers, leat_shape(5));
    TF_Output rows = leat_embedding_lookup(g, leat_outputs(params), ids, .max_norm = 1);
    TF_Session *session = start_session();
    assert_true(leat_run(session, s, .fetches = leat_fetches(leat_fetch(rows, got, 15))));
    expect_near(got, want, 15);
    leat_session_close(session);
}

/* Two examples with two true classes each, three candidates; with and without those that hit. */
static void test_sampled__losses_with_fixed_candidates(void **state)
{
    static const float inputs[] = {.5F, -.25F, 1, 1, 2, -1}, true_count[] = {.4F, .2F, .1F, .3F},
                       sampled_count[] = {.5F, .25F, .125F};
    static const float want[4][2] = {{6.70782328F, 7.29436684F},
                                     {5.62344551F, 7.29436684F},
                                     {2.60463977F, 2.32701826F},
                                     {2.53186083F, 2.32701826F}};
    static const int64_t labels[] = {1, 3, 5, 2}, candidates[] = {3, 6, 0};
    (void)state;
    float biases[8];
    for (int i = 0; i < 8; i++)
        biases[i] = (float)i / 7 - 0.5F;
    TF_Output w = leat_const_floats(g, table, leat_shape(8, 3));
    TF_Output b = leat_const_floats(g, biases, leat_shape(8));
    TF_Output l = leat_const_array(g, TF_INT64, labels, leat_shape(2, 2));
    TF_Output i = leat_const_floats(g, inputs, leat_shape(2, 3));
    struct leat_sampled_values v = {leat_const_array(g, TF_INT64, candidates, leat_shape(3)),
                                    leat_const_floats(g, true_count, leat_shape(2, 2)),
                                    leat_const_floats(g, sampled_count, leat_shape(3))};
    for (int k = 0; k < 4; k++) {
        TF_Output y =
            k < 2 ? leat_nce_loss(g, leat_outputs(w), b, l, i, 3, 8, 2, v, k)
                  : leat_sampled_softmax_loss(g, leat_outputs(w), b, l, i, 3, 8, 2, v, k - 2);
        float got[2];
        TF_Session *session = start_session();
        if (!leat_run(session, s, .fetches = leat_fetches(leat_fetch(y, got, 2))))
            fail_msg("%s", TF_Message(s));
        expect_near(got, want[k], 2);
        leat_session_close(session);
    }
}

/* With candidates that are drawn, steps of descent lower both losses; gradients are slices. */
static void test_sampled__losses_train(void **state)
{
    static const float inputs[] = {.5F, -.25F, 1, 1, 2, -1};
    static const int64_t labels[] = {1, 5};
    (void)state;
    for (int softmax = 0; softmax < 2; softmax++) {
        TF_DeleteGraph(g);
        g = TF_NewGraph();
        leat_set_random_seed(g, 3);
        TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(50, 3)));
        TF_Output b = leat_variable(g, "b", leat_zeros(g, leat_shape(50)));
        TF_Output l = leat_const_array(g, TF_INT64, labels, leat_shape(2, 1));
        TF_Output i = leat_const_floats(g, inputs, leat_shape(2, 3));
        TF_Output loss = leat_reduce_mean(
            g, softmax ? leat_sampled_softmax_loss(g, leat_outputs(w), b, l, i, 8, 50)
                       : leat_nce_loss(g, leat_outputs(w), b, l, i, 8, 50));
        struct leat_grad grads[2];
        assert_true(leat_gradients(g, &loss, 1, ((TF_Output[]){w, b}), 2, grads));
        assert_true(leat_grad_is_sparse(grads[0]) && leat_grad_is_sparse(grads[1]));
        leat_optimizer *opt = leat_adagrad(g, 0.5);
        TF_Operation *train = leat_minimize(opt, loss);
        leat_optimizer_free(opt);
        TF_Session *session = start_session();
        double before = leat_run_number(session, loss, leat_no_feeds(), s);
        for (int k = 0; k < 40; k++)
            assert_true(leat_run_op(session, train, leat_no_feeds(), s));
        double after = leat_run_number(session, loss, leat_no_feeds(), s);
        assert_true(isfinite(before) && after < before / 2);
        leat_session_close(session);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_embedding__rows_and_sparse_gradients),
        TEST(test_embedding__max_norm),
        TEST(test_sampled__losses_with_fixed_candidates),
        TEST(test_sampled__losses_train),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
