/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that train, share their variables, and normalise; the LSTM cell's numbers. */
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

static int set_up(void **state)
{
    (void)state;
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

static TF_Session *start_session(void)
{
    TF_Operation *init = leat_global_variables_initializer(g);
    leat_graph_status(g, s);
    assert_string_equal(TF_Message(s), "");
    TF_Session *session = leat_session_new(g, s);
    assert_true(leat_run_op(session, init, leat_no_feeds(), s));
    return session;
}

/* Images of vertical or horizontal stripes are told apart by convolution, pooling, normalisation
 * and two dense layers, after the moving averages' updates were waited for. */
static void test_layers__a_small_network_learns(void **state)
{
    enum { N = 16, SIDE = 8 };
    static float images[N][SIDE][SIDE];
    static int32_t labels[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        labels[i] = i % 2;
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++)
                images[i][r][c] = (float)(((i % 2 ? r : c) + i / 2) % 2) + 0.1F * (float)(i % 5);
    }
    leat_set_random_seed(g, 1);
    TF_Output x = leat_const_floats(g, images, leat_shape(N, SIDE, SIDE, 1));
    TF_Output z = leat_const_ints(g, labels, leat_shape(N));
    TF_Output h =
        leat_layers_conv2d(g, x, 4, leat_ints(3), .padding = LEAT_SAME, .activation = LEAT_RELU);
    h = leat_layers_batch_normalization(g, h, .training = true);
    h = leat_layers_max_pooling2d(g, h, leat_ints(2), leat_ints(2));
    h = leat_layers_average_pooling2d(g, h, leat_ints(2));
    h = leat_layers_dropout(g, leat_layers_flatten(g, h, NULL), 0.1, .training = true);
    h = leat_layers_dense(g, h, 8, .activation = LEAT_TANH);
    TF_Output loss = leat_losses_sparse_softmax_cross_entropy(g, z, leat_layers_dense(g, h, 2));
    TF_Output updates[2];
    assert_int_equal(leat_get_collection(g, LEAT_UPDATE_OPS, NULL, updates, 2), 2);
    TF_Operation *waits[2] = {updates[0].oper, updates[1].oper}, *train = NULL;
    leat_optimizer *opt = leat_adam(g, 0.02);
    leat_with_control_dependencies(g, waits, 2)
        train = leat_minimize(opt, loss);
    leat_optimizer_free(opt);
    TF_Session *session = start_session();
    double before = leat_run_number(session, loss, leat_no_feeds(), s);
    for (int i = 0; i < 60; i++)
        assert_true(leat_run_op(session, train, leat_no_feeds(), s));
    double after = leat_run_number(session, loss, leat_no_feeds(), s);
    assert_true(isfinite(before) && after < 0.2 * before);
    leat_session_close(session);
}

/* What was made in a scope is there again when the scope is entered with reuse. */
static void test_layers__share_variables(void **state)
{
    (void)state;
    TF_Output x = leat_ones(g, leat_shape(2, 3)), y[2];
    for (int i = 0; i < 2; i++)
        leat_with_variable_scope(g, "net", i ? LEAT_REUSE : LEAT_NO_REUSE)
            y[i] = leat_layers_dense(g, x, 2, .name = "fc");
    assert_int_equal(leat_get_collection(g, LEAT_TRAINABLE_VARIABLES, NULL, NULL, 0), 2);
    assert_non_null(TF_GraphOperationByName(g, "net/fc/kernel"));
    TF_Session *session = start_session();
    float a[4], b[4];
    assert_true(leat_run(session, s,
                         .fetches = leat_fetches(leat_fetch(y[0], a, 4), leat_fetch(y[1], b, 4))));
    assert_memory_equal(a, b, sizeof a);
    leat_session_close(session);
}

/* Training normalises by the batch and moves the averages a part of the way; else these serve. */
static void test_layers__batch_normalization_moves_averages(void **state)
{
    static const float rows[] = {1, 2, 3, 6};
    (void)state;
    TF_Output x = leat_const_floats(g, rows, leat_shape(2, 2));
    TF_Output y = leat_layers_batch_normalization(g, x, .training = true, .momentum = 0.9);
    TF_Output updates[2];
    assert_int_equal(leat_get_collection(g, LEAT_UPDATE_OPS, NULL, updates, 2), 2);
    TF_Session *session = start_session();
    float got[4], mean[2], variance[2];
    assert_true(
        leat_run(session, s,
                 .fetches = leat_fetches(leat_fetch(y, got, 4), leat_fetch(updates[0], mean, 2),
                                         leat_fetch(updates[1], variance, 2))));
    assert_true(fabsf(got[0] + 1 / sqrtf(1.001F)) < 1e-5F);
    assert_true(fabsf(got[3] - 2 / sqrtf(4.001F)) < 1e-5F);
    assert_true(fabsf(mean[0] - 0.2F) < 1e-6F && fabsf(mean[1] - 0.4F) < 1e-6F);
    assert_true(fabsf(variance[0] - 1) < 1e-6F && fabsf(variance[1] - 1.3F) < 1e-6F);
    leat_session_close(session);
}

/* Against the formula, computed here: one unit, kernel and bias all 0.5. */
static void test_lstm__one_step(void **state)
{
    (void)state;
    struct leat_lstm_cell cell = leat_basic_lstm_cell(g, 1, 1, 1, NULL);
    TF_Output half = leat_const_filled_fn(g, leat_shape(2, 4), 0.5, NULL);
    TF_Output halves = leat_const_filled_fn(g, leat_shape(4), 0.5, NULL);
    TF_Output set_kernel = leat_assign(g, cell.kernel, half);
    TF_Output set_bias = leat_assign(g, cell.bias, halves);
    TF_Output x = leat_const_filled_fn(g, leat_shape(1, 1), 2, NULL);
    struct leat_lstm_state st = leat_lstm_step(&cell, x, leat_lstm_zero_state(&cell, 1));
    st = leat_lstm_step(&cell, x, st);
    TF_Session *session = start_session();
    assert_true(leat_run(session, s, .targets = leat_opers(set_kernel.oper, set_bias.oper)));
    double c = 0, h = 0;
    for (int i = 0; i < 2; i++) {
        double all = 0.5 * 2 + 0.5 * h + 0.5, gate = 1 / (1 + exp(-all));
        c = c / (1 + exp(-(all + 1))) + gate * tanh(all);
        h = tanh(c) * gate;
    }
    assert_true(fabs(leat_run_number(session, st.c, leat_no_feeds(), s) - c) < 1e-6);
    assert_true(fabs(leat_run_number(session, st.h, leat_no_feeds(), s) - h) < 1e-6);
    leat_session_close(session);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_layers__a_small_network_learns),
        TEST(test_layers__share_variables),
        TEST(test_layers__batch_normalization_moves_averages),
        TEST(test_lstm__one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
