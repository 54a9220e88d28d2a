/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes that take part in every node: attributes, functions that see nodes; raw inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

/* The text attribute `name` of the node, or "": in the caller's buffer. */
static const char *attr_text(TF_Graph *g, const char *node, const char *name, char *text)
{
    TF_Status *st = TF_NewStatus();
    TF_Operation *op = TF_GraphOperationByName(g, node);
    assert_non_null(op);
    memset(text, 0, 64);
    TF_OperationGetAttrString(op, name, text, 63, st);
    if (TF_GetCode(st) != TF_OK)
        text[0] = 0;
    TF_DeleteStatus(st);
    return text;
}

static void test_node_scopes__attributes(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    char t[64];
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(2));
    leat_push_attr_string(g, "Square", "_gradient_op_type", "Square");
    leat_push_attr(g, NULL, "_flag", "\x12\x01q", 3); /* s: "q" */
    TF_Output y = leat_square(g, x);
    (void)leat_neg(g, x);
    leat_push_attr_string(g, NULL, "_gradient_op_type", "Other");
    (void)leat_square(g, x);
    (void)leat_neg(g, x);
    leat_push_attr_string(g, "Square", "_gradient_op_type", NULL);
    (void)leat_square(g, x);
    (void)leat_neg(g, x);
    leat_pop(g);
    leat_pop(g);
    struct leat_grad dx;
    leat_push_attr_string(g, "Mul", "_dtype", "x");
    leat_push_attr_string(g, "Mul", "T", "ignored: Mul declares it");
    assert_int_equal(leat_gradients(g, &y, 1, &x, 1, &dx), 1);
    for (int i = 0; i < 4; i++)
        leat_pop(g);
    (void)leat_square(g, x);
    assert_no_error(m);
    assert_string_equal(attr_text(g, "Square", "_gradient_op_type", t), "Square");
    assert_string_equal(attr_text(g, "Square", "_flag", t), "q");
    assert_string_equal(attr_text(g, "Neg", "_gradient_op_type", t), "");
    assert_string_equal(attr_text(g, "Neg", "_flag", t), "q");
    assert_string_equal(attr_text(g, "Square_1", "_gradient_op_type", t), "Other");
    assert_string_equal(attr_text(g, "Neg_1", "_gradient_op_type", t), "Other");
    assert_string_equal(attr_text(g, "Square_2", "_gradient_op_type", t), "");
    assert_string_equal(attr_text(g, "Neg_2", "_gradient_op_type", t), "Other");
    assert_string_equal(attr_text(g, "gradients/Square_grad/Mul", "_dtype", t), "x");
    assert_string_equal(attr_text(g, "gradients/Square_grad/Mul", "_flag", t), "q");
    assert_string_equal(attr_text(g, "Square_3", "_flag", t), "");
    leat_push_attr(g, NULL, "_bad", "\x12\x7f", 2);
    leat_pop(g);
    assert_error(m, "leat_push_attr: attribute '_bad': ");
    leat_push_attr(g, NULL, NULL, NULL, 0);
    leat_pop(g);
    assert_error(m, "an attribute without a name");
    leat_push_attr(NULL, NULL, "_x", NULL, 0);
    leat_push_attr_string(NULL, NULL, "_x", "y");
    assert_int_equal(TF_GraphOperationByName(g, "nothing") != NULL, 0);
}

struct seen {
    char text[1000];
    const char *fail_at; /* the op at which to fail */
    bool tell;           /* by an error of its own */
};

static int see(void *arg, TF_Graph *g, TF_Operation *op)
{
    struct seen *s = arg;
    size_t n = strlen(s->text);
    snprintf(s->text + n, sizeof s->text - n, "%s ", TF_OperationName(op));
    if (s->fail_at && strcmp(s->fail_at, TF_OperationOpType(op)) == 0) {
        if (s->tell)
            (void)leat_fail(g, NULL, TF_DATA_LOSS, "my own words");
        return 0;
    }
    if (strcmp(TF_OperationOpType(op), "Neg") == 0)
        (void)leat_identity(g, leat_output_of(op, 0));
    return 1;
}

static TF_Output more(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_float(g, 3));
}

static void turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    next[0] = leat_add(g, v[0], *(TF_Output *)data);
}

static void test_node_scopes__functions_see_nodes(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct seen outer = {0}, inner = {0};
    TF_Output x = leat_const_float(g, 1), y, z;
    leat_push_node_hook(g, see, &outer);
    (void)leat_neg(g, x);
    assert_string_equal(outer.text, "Neg ");
    assert_non_null(TF_GraphOperationByName(g, "Identity"));
    leat_push_node_hook(g, see, &inner);
    assert_int_equal(leat_while_loop(g, more, turn, &x, 1, &y, .data = &x), 1);
    assert_string_equal(inner.text, "while/Enter while/Merge while/Const while/Less while/LoopCond "
                                    "while/Switch while/Identity while/Add/Enter while/Add "
                                    "while/NextIteration while/Exit ");
    assert_string_equal(outer.text + 4, inner.text);
    inner.text[0] = 0;
    z = leat_square(g, x);
    struct leat_grad dx;
    assert_int_equal(leat_gradients(g, &z, 1, &x, 1, &dx), 1);
    assert_non_null(strstr(inner.text, "gradients/Square_grad/Mul "));
    leat_push_node_hook(g, NULL, NULL); /* those around are not told */
    inner.text[0] = 0;
    (void)leat_neg(g, x);
    assert_string_equal(inner.text, "");
    for (int i = 0; i < 3; i++)
        leat_pop(g);
    assert_no_error(m);
}

static void test_node_scopes__functions_fail(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct seen s = {.fail_at = "Mul"};
    TF_Output x = leat_const_float(g, 1), y = leat_square(g, x);
    struct leat_grad dx;
    leat_push_node_hook(g, see, &s);
    assert_int_equal(leat_gradients(g, &y, 1, &x, 1, &dx), 0);
    assert_false(leat_valid(dx.values));
    assert_error(m, "A function that sees nodes gave up");
    s.tell = true;
    (void)leat_mul(g, x, x);
    leat_graph_status(g, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_DATA_LOSS);
    s.fail_at = "Switch";
    leat_graph_clear_status(g);
    assert_int_equal(leat_while_loop(g, more, turn, &x, 1, &y, .data = &x), 0);
    assert_false(leat_valid(y));
    assert_error(m, "my own words");
    assert_string_equal(leat_current_scope(g), "");
    leat_pop(g);
    leat_push_node_hook(NULL, see, &s);
    assert_no_error(m);
}

static void raw_turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    TF_OperationDescription *d = leat_begin(g, "AssignAdd", NULL, NULL);
    leat_add_raw_input(d, *(TF_Output *)data);
    leat_add_raw_input(d, v[0]);
    TF_Output sum = leat_output_of(leat_finish(d), 0);
    d = leat_begin(g, "Identity", "value", NULL);
    leat_add_raw_input(d, *(TF_Output *)data);
    (void)leat_finish(d);
    next[0] = leat_add(g, v[0], leat_identity(g, sum));
}

static void test_node_scopes__raw_inputs(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output v = leat_variable(g, "v", leat_const_float(g, 1));
    TF_OperationDescription *d = leat_begin(g, "Identity", "cooked", NULL);
    leat_add_input(d, v);
    TF_Operation *cooked = leat_finish(d);
    assert_string_equal(TF_OperationName(TF_OperationInput((TF_Input){cooked, 0}).oper), "v/read");
    d = leat_begin(g, "Identity", "raw", NULL);
    leat_add_raw_input(d, v);
    TF_Operation *raw = leat_finish(d);
    assert_string_equal(TF_OperationName(TF_OperationInput((TF_Input){raw, 0}).oper), "v");
    d = leat_begin(g, "AddN", "list", NULL);
    leat_add_raw_input_list(d, (TF_Output[]){v, v}, 2);
    TF_Operation *list = leat_finish(d);
    assert_string_equal(TF_OperationName(TF_OperationInput((TF_Input){list, 1}).oper), "v");
    d = leat_begin(g, "AddN", "none", NULL);
    leat_add_raw_input_list(d, NULL, 0);
    assert_null(leat_finish(d));
    assert_error(m, "AddN");
    leat_add_raw_input(NULL, v);
    leat_add_raw_input_list(NULL, &v, 1);
    TF_Output x = leat_const_float(g, 1), y;
    assert_int_equal(leat_while_loop(g, more, raw_turn, &x, 1, &y, .data = &v), 1);
    TF_Operation *in = TF_GraphOperationByName(g, "while/value");
    assert_non_null(in);
    assert_string_equal(TF_OperationOpType(TF_OperationInput((TF_Input){in, 0}).oper), "RefEnter");
    assert_no_error(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_node_scopes__attributes, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_node_scopes__functions_see_nodes, made_setup,
                                        made_teardown),
        cmocka_unit_test_setup_teardown(test_node_scopes__functions_fail, made_setup,
                                        made_teardown),
        cmocka_unit_test_setup_teardown(test_node_scopes__raw_inputs, made_setup, made_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
