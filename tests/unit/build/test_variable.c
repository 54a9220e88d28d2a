/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, their initializers and scopes: the nodes are those that TensorFlow 1.15.5 makes for
 * the same program in Python. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

static void test_variable__nodes_of_a_reference(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 784));
    TF_Output w = leat_variable(g, "W", leat_zeros(g, leat_shape(784, 10)));
    (void)leat_matmul(g, x, w);
    leat_with_scope(g, "l") {
        TF_Output v = leat_variable(g, "v", leat_zeros(g, leat_shape(2)));
        (void)leat_variable(g, "v", leat_zeros(g, leat_shape(2)));
        (void)leat_variable(g, NULL, leat_zeros(g, leat_shape(2)), .trainable = 0);
        (void)leat_assign(g, v, leat_const_floats(g, ((float[]){4, 5}), leat_shape(2)));
    }
    assert_no_error(m);
    assert_graph(g, "Placeholder Placeholder\n"
                    "zeros/shape_as_tensor Const\n"
                    "zeros/Const Const\n"
                    "zeros Fill(zeros/shape_as_tensor, zeros/Const)\n"
                    "W VariableV2\n"
                    "W/Assign Assign(W, zeros) loc:W\n"
                    "W/read Identity(W) loc:W\n"
                    "MatMul MatMul(Placeholder, W/read)\n"
                    "l/zeros Const\n"
                    "l/v VariableV2\n"
                    "l/v/Assign Assign(l/v, l/zeros) loc:l/v\n"
                    "l/v/read Identity(l/v) loc:l/v\n"
                    "l/zeros_1 Const\n"
                    "l/v_1 VariableV2\n"
                    "l/v_1/Assign Assign(l/v_1, l/zeros_1) loc:l/v_1\n"
                    "l/v_1/read Identity(l/v_1) loc:l/v_1\n"
                    "l/zeros_2 Const\n"
                    "l/Variable VariableV2\n"
                    "l/Variable/Assign Assign(l/Variable, l/zeros_2) loc:l/Variable\n"
                    "l/Variable/read Identity(l/Variable) loc:l/Variable\n"
                    "l/Const Const\n"
                    "l/Assign Assign(l/v, l/Const) loc:l/v\n");
    TF_Output items[8];
    assert_int_equal(leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, items, 8), 4);
    assert_string_equal(TF_OperationName(items[0].oper), "W");
    assert_int_equal(leat_get_collection(g, LEAT_GLOBAL_VARIABLES, "l/", NULL, 0), 3);
    assert_int_equal(leat_get_collection(g, LEAT_TRAINABLE_VARIABLES, NULL, NULL, 0), 3);
}

static void test_variable__nodes_of_a_resource(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output r = leat_variable(g, "r", leat_const_float(g, 1), .resource = 1);
    (void)leat_assign(g, r, leat_const_float(g, 2));
    (void)leat_assign_add(g, r, leat_const_float(g, 1));
    (void)leat_identity(g, r);
    assert_no_error(m);
    assert_graph(g, "Const Const\n"
                    "r VarHandleOp loc:r\n"
                    "r/IsInitialized/VarIsInitializedOp VarIsInitializedOp(r)\n"
                    "r/Assign AssignVariableOp(r, Const)\n"
                    "r/Read/ReadVariableOp ReadVariableOp(r)\n"
                    "Const_1 Const\n"
                    "AssignVariableOp AssignVariableOp(r, Const_1)\n"
                    "ReadVariableOp ReadVariableOp(r, ^AssignVariableOp)\n"
                    "Const_2 Const\n"
                    "AssignAddVariableOp AssignAddVariableOp(r, Const_2)\n"
                    "ReadVariableOp_1 ReadVariableOp(r, ^AssignAddVariableOp)\n"
                    "Identity/ReadVariableOp ReadVariableOp(r)\n"
                    "Identity Identity(Identity/ReadVariableOp)\n");
}

static void test_variable__shared_by_name(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output a[2];
    leat_with_variable_scope(g, "s", LEAT_NO_REUSE)
        a[0] = leat_get_variable(g, "c", leat_shape(3), .initializer = leat_init_constant(2));
    leat_with_variable_scope(g, "s", LEAT_REUSE) {
        a[1] = leat_get_variable(g, "c", leat_shape(3));
        (void)leat_get_variable(g, "d", leat_shape(3));
        assert_error(m, "Variable s/d does not exist");
        (void)leat_get_variable(g, "c", leat_shape(4));
        assert_error(m, "Trying to share variable s/c");
        (void)leat_get_variable(g, "c", leat_shape(3), .dtype = TF_DOUBLE);
        assert_error(m, "Trying to share variable s/c");
    }
    leat_with_variable_scope(g, "s", LEAT_NO_REUSE) {
        (void)leat_get_variable(g, "c", leat_shape(3));
        assert_error(m, "Variable s/c already exists, disallowed.");
    }
    assert_ptr_equal(a[0].oper, a[1].oper);
    assert_graph(g, "s/c/Initializer/Const Const loc:s/c\n"
                    "s/c VariableV2 loc:s/c\n"
                    "s/c/Assign Assign(s/c, s/c/Initializer/Const) loc:s/c\n"
                    "s/c/read Identity(s/c) loc:s/c\n");
}

static void test_variable__default_initializer_is_glorot(void **state)
{
    struct made *m = *state;
    (void)leat_get_variable(m->g, "v", leat_shape(3, 4));
    assert_no_error(m);
    assert_graph(m->g, "v/Initializer/random_uniform/shape Const loc:v\n"
                       "v/Initializer/random_uniform/min Const loc:v\n"
                       "v/Initializer/random_uniform/max Const loc:v\n"
                       "v/Initializer/random_uniform/RandomUniform "
                       "RandomUniform(v/Initializer/random_uniform/shape) loc:v\n"
                       "v/Initializer/random_uniform/sub Sub(v/Initializer/random_uniform/max, "
                       "v/Initializer/random_uniform/min) loc:v\n"
                       "v/Initializer/random_uniform/mul "
                       "Mul(v/Initializer/random_uniform/RandomUniform, "
                       "v/Initializer/random_uniform/sub) loc:v\n"
                       "v/Initializer/random_uniform Add(v/Initializer/random_uniform/mul, "
                       "v/Initializer/random_uniform/min) loc:v\n"
                       "v VariableV2 loc:v\n"
                       "v/Assign Assign(v, v/Initializer/random_uniform) loc:v\n"
                       "v/read Identity(v) loc:v\n");
    TF_Operation *op = TF_GraphOperationByName(m->g, "v/Initializer/random_uniform/max");
    TF_Tensor *t = NULL;
    TF_OperationGetAttrTensor(op, "value", &t, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_OK);
    /* sqrt(6 / (3 + 4)) */
    assert_true(*(float *)TF_TensorData(t) > 0.92581f && *(float *)TF_TensorData(t) < 0.92583f);
    TF_DeleteTensor(t);
}

static void test_variable__initializers_join_devices(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output v = leat_variable(g, "v", leat_zeros(g, leat_shape(2)));
    leat_with_device(g, "/job:ps")
        leat_with_device(g, "/cpu:0")
            (void)leat_variable(g, "d", leat_ones(g, leat_shape(2)));
    (void)leat_global_variables_initializer(g);
    (void)leat_variables_initializer(g, &v, 1, "x");
    assert_no_error(m);
    assert_graph(g, "zeros Const\n"
                    "v VariableV2\n"
                    "v/Assign Assign(v, zeros) loc:v\n"
                    "v/read Identity(v) loc:v\n"
                    "ones Const @/job:ps/device:CPU:0\n"
                    "d VariableV2 @/job:ps/device:CPU:0\n"
                    "d/Assign Assign(d, ones) @/job:ps/device:CPU:0 loc:d\n"
                    "d/read Identity(d) @/job:ps/device:CPU:0 loc:d\n"
                    "init/NoOp NoOp(^v/Assign)\n"
                    "init/NoOp_1 NoOp(^d/Assign) @/job:ps/device:CPU:0\n"
                    "init NoOp(^init/NoOp, ^init/NoOp_1)\n"
                    "x NoOp(^v/Assign)\n");
}

/* A node on a variable runs where that is, whatever device it asks for; a read asks for none. */
static void test_variable__decides_where_its_nodes_are(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output v, read, w;
    leat_with_device(g, "/cpu:1") {
        v = leat_variable(g, "v", leat_zeros(g, leat_shape(2)), .resource = 1);
        w = leat_variable(g, "w", leat_zeros(g, leat_shape(2)));
    }
    TF_Output value = leat_const_floats(g, ((float[]){1, 2}), leat_shape(2));
    TF_Operation *assign = NULL;
    leat_with_device(g, "/cpu:0") {
        assign = leat_assign_variable_op(g, v, value);
        read = leat_neg(g, v);
        (void)leat_op_assign(g, w, value);
    }
    assert_no_error(m);
    assert_string_equal(TF_OperationDevice(assign), "/device:CPU:0");
    assert_string_equal(TF_OperationDevice(TF_GraphOperationByName(g, "Neg/ReadVariableOp")),
                        "/device:CPU:1");
    TF_Session *session = leat_session_new(g, m->st, .cpu_devices = 2);
    float got[2] = {0, 0};
    assert_true(leat_run_op(session, leat_global_variables_initializer(g), leat_no_feeds(), m->st));
    assert_true(leat_run_op(session, assign, leat_no_feeds(), m->st));
    assert_true(leat_run(session, m->st, .fetches = leat_fetches(leat_fetch(read, got, 2))));
    assert_true(got[0] == -1 && got[1] == -2);
    leat_session_close(session);
}

static void test_variable__errors(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 2));
    assert_null(leat_variable(g, "a", x).oper);
    assert_error(m, "initial_value must have a shape specified");
    assert_null(leat_variable(g, "b", (TF_Output){NULL, 0}).oper);
    assert_error(m, "is not a valid output");
    assert_null(leat_variables_initializer(g, &x, 1, NULL));
    assert_error(m, "output 0 is no variable");
    assert_null(leat_zeros(g, leat_unknown_shape()).oper);
    assert_error(m, "a known shape is wanted");
    assert_null(leat_zeros(g, leat_shape(3, -1)).oper);
    assert_error(m, "dimension 1 is -1");
    assert_null(leat_ones(g, leat_shape(2), .dtype = TF_RESOURCE).oper);
    assert_error(m, "20 is not the number of a type of values");
    assert_null(leat_zeros(g, leat_shape(INT64_MAX, INT64_MAX)).oper);
    assert_error(m, "dimension 0 is");
}

static void test_variable__seeds_follow_1_15(void **state)
{
    struct made *m = *state;
    int64_t seed = -1, seed2 = -1;
    leat_get_seed(m->g, LEAT_INT_NOT_GIVEN, &seed, &seed2);
    assert_true(seed == 0 && seed2 == 0);
    leat_get_seed(m->g, 3, &seed, &seed2);
    assert_true(seed == 87654321 && seed2 == 3);
    leat_set_random_seed(m->g, 7);
    (void)leat_const_float(m->g, 1);
    leat_get_seed(m->g, LEAT_INT_NOT_GIVEN, &seed, &seed2);
    assert_true(seed == 7 && seed2 == 1); /* one node so far */
    leat_set_random_seed(m->g, 0);
    leat_get_seed(m->g, 0, &seed, &seed2);
    assert_true(seed == 0 && seed2 == 2147483647);
    leat_set_random_seed(m->g, -1);
    leat_get_seed(m->g, 5, &seed, &seed2);
    assert_true(seed == 2147483646 && seed2 == 5);
}

#define T(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_variable__nodes_of_a_reference),
        T(test_variable__nodes_of_a_resource),
        T(test_variable__shared_by_name),
        T(test_variable__default_initializer_is_glorot),
        T(test_variable__initializers_join_devices),
        T(test_variable__decides_where_its_nodes_are),
        T(test_variable__errors),
        T(test_variable__seeds_follow_1_15),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
