/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients that a program gives: called by leat_gradients in TensorFlow's scope, for overridden
 * types, in loops; their errors; the library's own called for one node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

static float run(struct made *m, TF_Output y)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_Session *s = TF_NewSession(m->g, o, m->st);
    TF_DeleteSessionOptions(o);
    TF_Tensor *out = NULL;
    TF_SessionRun(s, NULL, NULL, NULL, 0, &y, &out, 1, NULL, 0, NULL, m->st);
    if (TF_GetCode(m->st) != TF_OK)
        fail_msg("%s", TF_Message(m->st));
    float got = *(float *)TF_TensorData(out);
    TF_DeleteTensor(out);
    TF_DeleteSession(s, m->st);
    return got;
}

struct seen {
    int calls, num_dys, num_dxs;
    int fail; /* 1: without words, 2: with */
    bool builtin;
};

/* dx = dy * 10 * x, or the library's own doubled */
static int ten(void *data, TF_Graph *g, TF_Operation *op, const struct leat_grad *dys, int num_dys,
               struct leat_grad *dxs, int num_dxs)
{
    struct seen *s = data;
    s->calls++;
    s->num_dys = num_dys;
    s->num_dxs = num_dxs;
    leat_push_scope(g, "left"); /* and left open */
    leat_pop(g);
    if (s->fail == 2)
        (void)leat_fail(g, NULL, TF_DATA_LOSS, "my own words");
    if (s->fail)
        return 0;
    if (s->builtin) {
        if (!leat_call_gradient(g, "Square", op, dys, dxs))
            return 0;
        dxs[0].values = leat_add(g, dxs[0].values, dxs[0].values);
        return 1;
    }
    TF_Output x = TF_OperationInput((TF_Input){op, 0});
    TF_Output slope = leat_mul(g, x, leat_const_float(g, 10, .name = "ten"));
    dxs[0].values = leat_mul(g, dys[0].values, slope, .name = "dx");
    leat_push_scope(g, "open");
    return 1;
}

static void test_user_gradients__override_a_type(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct seen s = {0};
    TF_Output x = leat_const_float(g, 3);
    leat_set_gradient_function(g, "Ten", ten, &s);
    leat_push_attr_string(g, "Square", "_gradient_op_type", "Ten");
    TF_Output y = leat_square(g, x);
    leat_pop(g);
    TF_Output d = leat_gradient(g, leat_neg(g, y), x);
    assert_no_error(m);
    assert_string_equal(leat_current_scope(g), "");
    assert_true(s.calls == 1 && s.num_dys == 1 && s.num_dxs == 1);
    assert_string_equal(TF_OperationName(d.oper), "gradients/Square_grad/dx");
    assert_non_null(TF_GraphOperationByName(g, "gradients/Square_grad/ten"));
    assert_true(run(m, d) == -30);
    s.builtin = true;
    assert_true(run(m, leat_gradient(g, y, x)) == 12);
    assert_no_error(m);
    assert_true(run(m, leat_gradient(g, leat_square(g, x), x)) ==
                6); /* another node's is its own */
    leat_set_gradient_function(g, "Square", ten, &s);
    s.builtin = false;
    assert_true(run(m, leat_gradient(g, leat_square(g, x), x)) == 30);
    leat_set_gradient_function(g, "Square", NULL, NULL);
    assert_true(run(m, leat_gradient(g, leat_square(g, x), x)) == 6);
    leat_push_attr_string(g, NULL, "_gradient_op_type", "Identity");
    y = leat_floor(g, x); /* which has none of its own that passes */
    leat_pop(g);
    assert_true(run(m, leat_gradient(g, y, x)) == 1);
    leat_set_gradient_function(NULL, "Everywhere", ten, &s);
    leat_push_attr_string(g, NULL, "_gradient_op_type", "Everywhere");
    y = leat_floor(g, x);
    leat_pop(g);
    assert_true(run(m, leat_gradient(g, y, x)) == 30);
    leat_set_gradient_function(NULL, "Everywhere", NULL, NULL);
}

static void test_user_gradients__none(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_const_float(g, 3);
    struct leat_grad d;
    leat_push_attr_string(g, NULL, "_gradient_op_type", "Nobody");
    TF_Output y = leat_square(g, x);
    leat_pop(g);
    assert_int_equal(leat_gradients(g, &y, 1, &x, 1, &d), 0);
    leat_graph_status(g, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_NOT_FOUND);
    assert_error(m, "No gradient defined for operation 'Square' (op type: Square)");
    leat_set_no_gradient(g, "Nobody");
    assert_int_equal(leat_gradients(g, &y, 1, &x, 1, &d), 1);
    assert_false(leat_valid(d.values));
    assert_no_error(m);
}

static void test_user_gradients__errors(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct seen s = {.fail = 1};
    TF_Output x = leat_const_float(g, 3), y = leat_square(g, x);
    struct leat_grad d;
    leat_set_gradient_function(g, "Square", ten, &s);
    assert_int_equal(leat_gradients(g, &y, 1, &x, 1, &d), 0);
    assert_false(leat_valid(d.values));
    assert_error(m, "A gradient function gave up");
    s.fail = 2;
    assert_int_equal(leat_gradients(g, &y, 1, &x, 1, &d), 0);
    leat_graph_status(g, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_DATA_LOSS);
    assert_error(m, "my own words");
    assert_int_equal(leat_call_gradient(g, NULL, NULL, NULL, NULL), 0);
    assert_error(m, "leat_call_gradient");
    struct leat_grad dy = {.values = x};
    assert_int_equal(leat_call_gradient(g, "NoSuchOp", y.oper, &dy, &d), 0);
    assert_error(m, "No gradient defined for operation 'Square' (op type: NoSuchOp)");
    assert_int_equal(leat_call_gradient(g, NULL, y.oper, &dy, &d), 1);
    assert_true(run(m, d.values) == 18);
    assert_int_equal(leat_call_gradient(NULL, NULL, y.oper, &dy, &d), 0);
    leat_set_gradient_function(g, NULL, ten, &s);
    leat_set_no_gradient(g, "");
    assert_no_error(m);
}

static TF_Output more(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_float(g, 100));
}

static void turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    (void)data;
    leat_push_attr_string(g, "Square", "_gradient_op_type", "Ten");
    next[0] = leat_square(g, v[0]);
    leat_pop(g);
}

static void test_user_gradients__in_loops(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct seen s = {0};
    TF_Output x = leat_const_float(g, 3), y;
    leat_set_gradient_function(g, "Ten", ten, &s);
    assert_int_equal(leat_while_loop(g, more, turn, &x, 1, &y), 1); /* 9, 81, 6561 */
    TF_Output d = leat_gradient(g, y, x);
    assert_no_error(m);
    assert_true(run(m, d) == 10.F * 3 * 10 * 9 * 10 * 81);
    s.builtin = true;
    assert_true(run(m, leat_gradient(g, y, x)) == 4.F * 3 * 4 * 9 * 4 * 81);
    assert_no_error(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                                    \
    cmocka_unit_test_setup_teardown(test_user_gradients__##name, made_setup, made_teardown)
        T(override_a_type),
        T(none),
        T(errors),
        T(in_loops),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
