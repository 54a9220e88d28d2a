/* SPDX-License-Identifier: Apache-2.0 */
/* Steps with C arrays, and gradients: what a training program does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

static void test_run__trains_a_line(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    static const float xs[] = {0, 0, 0, 1, 1, 0, 1, 1}, ts[] = {1, 3, 0, 2};
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 2));
    TF_Output t = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 1));
    TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(2, 1)));
    TF_Output b = leat_variable(g, "b", leat_zeros(g, leat_shape(1)), .resource = 1);
    TF_Output error = leat_square(g, leat_sub(g, leat_add(g, leat_matmul(g, x, w), b), t));
    TF_Output loss = leat_mean(g, error, leat_const_ints(g, ((int32_t[]){0, 1}), leat_shape(2)));
    struct leat_grad d[2];
    assert_int_equal(leat_gradients(g, &loss, 1, ((TF_Output[]){w, b}), 2, d), 1);
    TF_Output rate = leat_const_float(g, 0.1f);
    TF_Output step_w = leat_apply_gradient_descent(g, w, rate, d[0].values);
    TF_Operation *step_b = leat_resource_apply_gradient_descent(g, b, rate, d[1].values);
    TF_Operation *init = leat_global_variables_initializer(g);
    assert_no_error(m);
    TF_Session *s = leat_session_new(g, m->st, .threads = 1);
    assert_non_null(s);
    assert_int_equal(leat_run_op(s, init, leat_no_feeds(), m->st), 1);
    float last = 0, got[2], bias;
    for (int i = 0; i < 200; i++) {
        if (!leat_run(s, m->st,
                      .feeds = leat_feeds(leat_feed(x, xs, leat_shape(4, 2)),
                                          leat_feed(t, ts, leat_shape(4, 1))),
                      .fetches = leat_fetches(leat_fetch(loss, &last, 1)),
                      .targets = leat_opers(step_w.oper, step_b)))
            fail_msg("%s", TF_Message(m->st));
    }
    assert_true(last < 1e-6f);
    assert_int_equal(
        leat_run(s, m->st, .fetches = leat_fetches(leat_fetch(w, got, 2), leat_fetch(b, &bias, 1))),
        1);
    assert_true(fabsf(got[0] + 1) < 1e-2f && fabsf(got[1] - 2) < 1e-2f && fabsf(bias - 1) < 1e-2f);
    leat_session_close(s);
}

static void test_run__errors(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    float v[4];
    TF_Tensor *kept = (TF_Tensor *)v;
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(2));
    TF_Output logs = leat_check_numerics(g, leat_log(g, x), .message = "logs");
    TF_Session *s = leat_session_new(g, m->st);
    struct leat_feeds feed = leat_feeds(leat_feed(x, ((float[]){1, -1}), leat_shape(2)));
    assert_int_equal(
        leat_run(s, m->st, .feeds = feed, .fetches = leat_fetches(leat_fetch(logs, v, 2))), 0);
    assert_non_null(strstr(TF_Message(m->st), "made at "));
    assert_non_null(strstr(TF_Message(m->st), "test_leat_run.c:"));
    assert_int_equal(
        leat_run(s, m->st, .feeds = feed, .fetches = leat_fetches(leat_fetch(x, v, 3))), 0);
    TF_Output y = leat_neg(g, x);
    assert_int_equal(
        leat_run(s, m->st, .feeds = feed,
                 .fetches = leat_fetches(leat_fetch_tensor(y, &kept), leat_fetch(y, v, 3))),
        0);
    assert_non_null(strstr(TF_Message(m->st), "has 2 elements, room is for 3"));
    assert_int_equal(
        leat_run(s, m->st, .feeds = feed, .fetches = leat_fetches(leat_fetch(y, (double *)v, 2))),
        0);
    assert_non_null(strstr(TF_Message(m->st), "is of type float, asked for as double"));
    assert_int_equal(leat_run(s, m->st, .feeds = leat_feeds(leat_feed(x, v, leat_shape(-1))),
                              .fetches = leat_fetches(leat_fetch(y, v, 2))),
                     0);
    assert_true(isnan(leat_run_number(s, y, feed, m->st)));
    assert_true(isnan(leat_run_number(s, y, leat_no_feeds(), NULL)));
    TF_Output bad = leat_matmul(g, x, x);
    assert_int_equal(
        leat_run(s, m->st, .feeds = feed, .fetches = leat_fetches(leat_fetch(bad, v, 2))), 0);
    assert_non_null(strstr(TF_Message(m->st), "node 'MatMul' (MatMul) made at"));
    assert_int_equal(leat_run(NULL, m->st), 0);
    assert_int_equal(leat_run(s, m->st), 0);
    leat_session_close(s);
    leat_graph_clear_status(g);
}

static void test_run__settings(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    float v = 0;
    TF_Output y = leat_neg(g, leat_const_float(g, 3));
    TF_Session *s =
        leat_session_new(g, m->st, .threads = 2, .no_optimizer = 1, .timeout_ms = 1000000,
                         .config = "inter_op_parallelism_threads: 1 graph_options { "
                                   "place_pruned_graph: true }");
    if (!s)
        fail_msg("%s", TF_Message(m->st));
    TF_Buffer *metadata = TF_NewBuffer();
    assert_int_equal(leat_run(s, m->st, .fetches = leat_fetches(leat_fetch(y, &v, 1)),
                              .timeout_ms = 1000000, .metadata = metadata),
                     1);
    assert_true(v == -3);
    assert_true(metadata->length > 0);
    TF_DeleteBuffer(metadata);
    assert_int_equal(leat_run(s, m->st, .fetches = leat_fetches(leat_fetch(y, &v, 1)),
                              .options = "no_such_option: 1"),
                     0);
    assert_non_null(strstr(TF_Message(m->st), "no_such_option"));
    assert_int_equal(
        leat_run(s, m->st, .fetches = leat_fetches(leat_fetch(y, &v, 1)), .timeout_ms = -1), 0);
    assert_non_null(strstr(TF_Message(m->st), "less than 0"));
    leat_session_close(s);
    assert_null(leat_session_new(g, m->st, .timeout_ms = -5));
    assert_non_null(strstr(TF_Message(m->st), ".timeout_ms = -5"));
    assert_null(leat_session_new(g, m->st, .config = "no_such_field: 1"));
    assert_int_equal(TF_GetCode(m->st), TF_INVALID_ARGUMENT);
}

static void test_run__numbers_in_and_out(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output a = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape());
    TF_Output h = leat_placeholder(g, .dtype = TF_HALF, .shape = leat_shape());
    TF_Session *s =
        leat_session_new(g, m->st, .cpu_devices = 2, .config = "log_device_placement: false");
    assert_non_null(s);
    assert_true(leat_run_number(s, leat_neg(g, a), leat_feeds(leat_feed_number(a, 3)), m->st) ==
                -3);
    assert_true(leat_run_number(s, leat_neg(g, h), leat_feeds(leat_feed_number(h, 0.5)), m->st) ==
                -0.5);
    TF_Output ones = leat_const_filled_fn(g, leat_shape(3), 2, NULL);
    float v[3];
    assert_int_equal(leat_run(s, m->st, .fetches = leat_fetches(leat_fetch(ones, v, 3))), 1);
    assert_true(v[0] == 2 && v[2] == 2);
    leat_session_close(s);
    assert_null(leat_session_new(g, m->st, .config = "no such field"));
    leat_session_close(NULL);
}

static void test_gradients__names_and_slices(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output w = leat_variable(g, "w", leat_ones(g, leat_shape(3, 1))), y;
    leat_with_scope(g, "q")
        y = leat_matmul(g, leat_const_floats(g, ((float[]){1, 2, 3}), leat_shape(1, 3)), w);
    leat_with_device(g, "/cpu:0")
        assert_non_null(leat_gradient(g, y, w).oper);
    TF_Operation *op = TF_GraphOperationByName(g, "gradients/q/MatMul_grad/MatMul_1");
    assert_non_null(op);
    assert_string_equal(TF_OperationDevice(op), "/device:CPU:0");
    assert_non_null(TF_GraphOperationByName(g, "gradients/grad_ys_0"));
    assert_non_null(TF_GraphOperationByName(g, "gradients/Fill"));
    struct leat_grad d[2];
    TF_Output rows = leat_gather(g, w, leat_const_ints(g, ((int32_t[]){1, 1}), leat_shape(2)));
    TF_Output other = leat_variable(g, "o", leat_ones(g, leat_shape(1)));
    assert_int_equal(leat_gradients(g, &rows, 1, ((TF_Output[]){w, other}), 2, d), 1);
    assert_true(leat_grad_is_sparse(d[0]));
    assert_false(leat_valid(d[1].values));
    TF_Output dense = leat_grad_dense(g, d[0]);
    assert_no_error(m);
    TF_Session *s = leat_session_new(g, m->st);
    float v[3];
    if (!leat_run(s, m->st, .targets = leat_opers(leat_global_variables_initializer(g))) ||
        !leat_run(s, m->st, .fetches = leat_fetches(leat_fetch(dense, v, 3))))
        fail_msg("%s", TF_Message(m->st));
    assert_true(v[0] == 0 && v[1] == 2 && v[2] == 0);
    leat_session_close(s);
    assert_null(leat_gradient(g, y, other).oper);
    assert_error(m, "'q/MatMul' does not depend on 'o'");
    assert_int_equal(leat_gradients(g, &y, 1, &w, 1, NULL), 0);
    assert_error(m, "or a NULL array");
    TF_Output none = {NULL, 0};
    assert_int_equal(leat_gradients(g, &none, 1, &w, 1, d), 0);
    assert_error(m, "y 0 is not a valid output of the graph");
    assert_int_equal(leat_gradients(g, &y, 1, &w, 1, d, .grad_ys = &(TF_Output){y.oper, 9}), 0);
    assert_error(m, "");
    assert_int_equal(leat_gradients(g, &y, 1, &w, 1, d, .stop_gradients = {&none, 1}), 0);
    assert_error(m, "stop_gradients 0 is not a valid output");
}

static void test_gradients__stop_where_told(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_const_float(g, 3), sq = leat_square(g, x), y = leat_mul(g, sq, x);
    TF_Output two = leat_const_float(g, 2);
    TF_Output free = leat_gradient(g, y, x),
              held = leat_gradient(g, y, x, .stop_gradients = {&sq, 1});
    TF_Output scaled = leat_gradient(g, y, x, .grad_ys = &two);
    TF_Session *s = leat_session_new(g, m->st);
    assert_true(leat_run_number(s, free, leat_no_feeds(), m->st) == 27);
    assert_true(leat_run_number(s, held, leat_no_feeds(), m->st) == 9);
    assert_true(leat_run_number(s, scaled, leat_no_feeds(), m->st) == 54);
    leat_session_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_run__trains_a_line),
        T(test_run__errors),
        T(test_run__settings),
        T(test_run__numbers_in_and_out),
        T(test_gradients__names_and_slices),
        T(test_gradients__stop_where_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
