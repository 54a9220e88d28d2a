/* SPDX-License-Identifier: Apache-2.0 */
/* leat_while_loop and leat_cond: names as TensorFlow 1.15's, values, what is brought in, nests,
 * variables, gradients, and callbacks that do not give what they must. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

static float run(struct made *m, TF_Output x, float v, TF_Output y)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_Session *s = TF_NewSession(m->g, o, m->st);
    TF_DeleteSessionOptions(o);
    assert_no_error(m);
    TF_Operation *init = leat_global_variables_initializer(m->g);
    TF_SessionRun(s, NULL, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *const *)&init, 1,
                  NULL, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_OK);
    TF_Tensor *in = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof v), *out = NULL;
    memcpy(TF_TensorData(in), &v, sizeof v);
    TF_SessionRun(s, NULL, &x, &in, x.oper != NULL, &y, &out, 1, NULL, 0, NULL, m->st);
    if (TF_GetCode(m->st) != TF_OK)
        print_error("%s\n", TF_Message(m->st));
    assert_int_equal(TF_GetCode(m->st), TF_OK);
    float got = *(float *)TF_TensorData(out);
    TF_DeleteTensor(in);
    TF_DeleteTensor(out);
    TF_DeleteSession(s, m->st);
    return got;
}

static TF_Output scalar_in(struct made *m)
{
    return leat_placeholder(m->g, .dtype = TF_FLOAT, .shape = leat_shape(), .name = "x");
}

static TF_Output below_ten(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_float(g, 10));
}

static void times(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    next[0] = leat_mul(g, v[0], *(TF_Output *)data);
}

static void test_control_flow__a_loop_and_its_names(void **state)
{
    struct made *m = *state;
    TF_Output x = scalar_in(m), w = leat_const_float(m->g, 3, .name = "w"), y;
    assert_int_equal(leat_while_loop(m->g, below_ten, times, &x, 1, &y, .data = &w), 1);
    static const char *const names[] = {"while/Enter",    "while/Merge",         "while/Less",
                                        "while/LoopCond", "while/Switch",        "while/Identity",
                                        "while/Mul",      "while/NextIteration", "while/Exit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!TF_GraphOperationByName(m->g, names[i]))
            print_error("no node %s\n", names[i]);
        assert_non_null(TF_GraphOperationByName(m->g, names[i]));
    }
    assert_true(run(m, x, 2, y) == 18);
    assert_true(run(m, x, 20, y) == 20);
    TF_Output d = leat_gradient(m->g, y, x), dw = leat_gradient(m->g, y, w);
    assert_true(run(m, x, 2, d) == 9);
    assert_true(run(m, x, 2, dw) == 12);
}

static void square(TF_Graph *g, TF_Output *out, void *data)
{
    TF_Output x = *(TF_Output *)data;
    out[0] = leat_mul(g, x, x);
}

static void constant(TF_Graph *g, TF_Output *out, void *data)
{
    (void)data;
    out[0] = leat_const_float(g, 7);
}

static void test_control_flow__a_branch(void **state)
{
    struct made *m = *state;
    TF_Output x = scalar_in(m), y;
    TF_Output positive = leat_greater(m->g, x, leat_const_float(m->g, 0));
    assert_int_equal(leat_cond(m->g, positive, square, constant, &y, 1, .data = &x), 1);
    assert_true(run(m, x, 3, y) == 9);
    assert_true(run(m, x, -3, y) == 7);
    TF_Output d = leat_gradient(m->g, y, x);
    assert_true(run(m, x, 3, d) == 6);
    assert_true(run(m, x, -3, d) == 0);
}

/* A loop of branches that hold loops, with values from every level. */
struct levels {
    TF_Output x, v, i;
};

static TF_Output two_turns(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_float(g, 2));
}

static void inner_turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    struct levels *l = data;
    next[0] = leat_add(g, v[0], leat_const_float(g, 1));
    next[1] = leat_sin(g, leat_add(g, leat_mul(g, v[1], l->x), l->v));
}

static void with_loop(TF_Graph *g, TF_Output *out, void *data)
{
    struct levels *l = data;
    TF_Output start[2] = {leat_const_float(g, 0), l->v}, end[2];
    leat_while_loop(g, two_turns, inner_turn, start, 2, end, .data = l);
    out[0] = end[1];
}

static void without(TF_Graph *g, TF_Output *out, void *data)
{
    struct levels *l = data;
    out[0] = leat_mul(g, l->v, l->x);
}

static TF_Output four_turns(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_float(g, 4));
}

static void outer_turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    struct levels l = {*(TF_Output *)data, v[1], v[0]};
    TF_Output early = leat_less(g, v[0], leat_const_float(g, 2));
    next[0] = leat_add(g, v[0], leat_const_float(g, 1));
    leat_cond(g, early, with_loop, without, &next[1], 1, .data = &l);
}

static float nest_by_hand(float x)
{
    float v = x;
    for (int i = 0; i < 4; i++) {
        float u = v;
        for (int k = 0; k < 2 && i < 2; k++)
            u = sinf(u * x + v);
        v = i < 2 ? u : v * x;
    }
    return v;
}

static void test_control_flow__nests(void **state)
{
    struct made *m = *state;
    TF_Output x = scalar_in(m), end[2];
    TF_Output start[2] = {leat_const_float(m->g, 0), x};
    assert_int_equal(leat_while_loop(m->g, four_turns, outer_turn, start, 2, end, .data = &x), 1);
    TF_Output d = leat_gradient(m->g, end[1], x);
    static const float at[] = {.5F, .8F, 1.2F};
    for (int i = 0; i < 3; i++) {
        assert_true(fabsf(run(m, x, at[i], end[1]) - nest_by_hand(at[i])) < 1e-5F);
        float slope = (nest_by_hand(at[i] + 1e-2F) - nest_by_hand(at[i] - 1e-2F)) / 2e-2F;
        assert_true(fabsf(run(m, x, at[i], d) - slope) < 1e-2F);
    }
}

static void test_control_flow__variables_may_be_used(void **state)
{
    struct made *m = *state;
    TF_Output w = leat_variable(m->g, "w", leat_const_float(m->g, 2)), x = scalar_in(m), y;
    assert_int_equal(leat_while_loop(m->g, below_ten, times, &x, 1, &y, .data = &w), 1);
    assert_true(run(m, x, 3, y) == 12);
    assert_true(run(m, x, 3, leat_gradient(m->g, y, w)) == 12);
}

/* --- callbacks that do not give what they must --- */

static void nothing(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    (void)g, (void)v, (void)next, (void)data;
}

static void another_type(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    (void)data;
    next[0] = leat_less(g, v[0], v[0]);
    leat_push_scope(g, "left open");
}

static void no_result(TF_Graph *g, TF_Output *out, void *data)
{
    (void)g, (void)out, (void)data;
}

static void a_bool(TF_Graph *g, TF_Output *out, void *data)
{
    (void)data;
    out[0] = leat_const_bool(g, 1);
}

static TF_Output no_condition(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)g, (void)data;
    return v[0];
}

static void test_control_flow__errors(void **state)
{
    struct made *m = *state;
    TF_Output x = scalar_in(m), y = x, p = leat_const_bool(m->g, 1);
    assert_int_equal(leat_while_loop(m->g, below_ten, nothing, &x, 1, &y), 0);
    assert_error(m, "value 0 is not a valid output");
    assert_null(y.oper);
    assert_int_equal(leat_while_loop(m->g, below_ten, another_type, &x, 1, &y), 0);
    leat_graph_clear_status(m->g);
    assert_string_equal(leat_current_scope(m->g), "");
    assert_int_equal(leat_while_loop(m->g, no_condition, times, &x, 1, &y, .data = &x), 0);
    assert_error(m, "bool");
    assert_int_equal(leat_while_loop(m->g, below_ten, NULL, &x, 1, &y), 0);
    assert_error(m, "NULL");
    assert_int_equal(leat_while_loop(m->g, below_ten, times, &x, 0, &y), 0);
    assert_error(m, "0 values");
    assert_int_equal(leat_cond(m->g, p, no_result, constant, &y, 1), 0);
    assert_error(m, "result 0 of the true branch is not a valid output");
    assert_int_equal(leat_cond(m->g, p, a_bool, constant, &y, 1), 0);
    assert_error(m, "value 0 is of type bool here, float there");
    assert_int_equal(leat_cond(m->g, x, constant, constant, &y, 1), 0);
    assert_error(m, "bool");
    assert_null(y.oper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                                    \
    cmocka_unit_test_setup_teardown(test_control_flow__##name, made_setup, made_teardown)
        T(a_loop_and_its_names), T(a_branch), T(nests), T(variables_may_be_used), T(errors),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
