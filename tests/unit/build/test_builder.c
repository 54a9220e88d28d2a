/* SPDX-License-Identifier: Apache-2.0 */
/* Op wrappers, scopes, and the first error with its place. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

static void test_builder__expressions_nest(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(2, 2), .name = "x");
    TF_Output y = leat_add(
        g, leat_relu(g, leat_matmul(g, x, leat_matmul(g, x, x, .name = "inner"), .transpose_b = 1)),
        leat_concat(g, leat_const_int(g, 0), (TF_Output[]){x, x}, 2), .name = "sum");
    assert_null(y.oper); /* [2, 2] + [4, 2] */
    assert_error(m, "Dimensions must be equal");
    y = leat_max_pool(g, leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(1, 4, 4, 1)),
                      .ksize = leat_ints(1, 2, 2, 1), .strides = leat_ints(1, 2, 2, 1),
                      .padding = "SAME");
    int64_t dims[4];
    assert_int_equal(leat_static_shape(g, y, dims, 4), 4);
    assert_true(dims[1] == 2 && dims[2] == 2);
    assert_int_equal(leat_dtype(g, y), TF_FLOAT);
    TF_Operation *none = leat_no_op(g, .name = "nothing");
    assert_non_null(none);
    TF_Output parts = leat_unpack(g, x, .num = 2);
    assert_string_equal(TF_OperationName(leat_output(parts, 1).oper), "Unpack");
    assert_no_error(m);
}

static void test_builder__first_error_tells_its_line(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    char at[64];
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(2, 3));
    assert_int_equal(leat_graph_ok(g), 1);
    snprintf(at, sizeof at, "test_builder.c:%d", __LINE__ + 1);
    TF_Output bad = leat_matmul(g, x, x);
    bad = leat_relu(g, leat_neg(g, bad)); /* passes through */
    (void)leat_cast(g, x);                /* another error: not the first */
    assert_null(bad.oper);
    assert_int_equal(leat_graph_ok(g), 0);
    leat_graph_status(g, m->st);
    assert_int_equal(TF_GetCode(m->st), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(m->st), at));
    assert_non_null(strstr(TF_Message(m->st), "node 'MatMul' (MatMul)"));
    assert_null(leat_session_new(g, m->st));
    assert_non_null(strstr(TF_Message(m->st), at));
    leat_graph_clear_status(g);
    (void)leat_neg(g, bad);
    assert_error(m, "Neg: input 'x' is not a valid output");
    (void)leat_cast(g, x);
    assert_error(m, "the attr 'DstT' must be given");
    (void)leat_conv2d(g, x, x, .padding = "SAME");
    assert_error(m, "the attr 'strides' must be given");
    (void)leat_add_n(g, NULL, 2);
    assert_error(m, "AddN: input 'inputs'");
    (void)leat_add_n(g, &x, -1);
    assert_error(m, "AddN: input 'inputs'");
    (void)leat_conv2d(g, x, x, .strides = {NULL, 4}, .padding = "SAME");
    assert_error(m, "attr 'strides': a list of 4 values");
    (void)leat_placeholder(g, .dtype = TF_FLOAT, .shape = {NULL, 255});
    assert_error(m, "attr 'shape': a shape of 255 dims");
    (void)leat_placeholder(g, .dtype = (TF_DataType)77);
    assert_error(m, "attr 'dtype'");
    (void)leat_const_array(g, TF_FLOAT, NULL, leat_shape(2));
    assert_error(m, "no data");
    (void)leat_constant(g, NULL);
    assert_error(m, "no tensor");
    (void)leat_neg(g, x, .name = "no good");
    assert_error(m, "'no good' is not a valid node name");
    assert_null(leat_neg(NULL, x).oper);
    assert_int_equal(leat_graph_ok(g), 1);
}

static void test_builder__functions_without_macros(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct leat_placeholder_args p;
    struct leat_max_pool_args a;
    int64_t dims[] = {1, 4, 4, 1}, window[] = {1, 2, 2, 1};
    leat_placeholder_args_init(&p);
    p.dtype = TF_FLOAT;
    p.shape = (struct leat_shape){dims, 4};
    TF_Output x = leat_placeholder_fn(g, &p);
    leat_max_pool_args_init(&a);
    assert_string_equal(a.data_format, "NHWC");
    assert_int_equal(a.ksize.n, LEAT_NOT_GIVEN);
    a.ksize = a.strides = (struct leat_ints){window, 4};
    a.padding = "VALID";
    assert_non_null(leat_max_pool_fn(g, x, &a).oper);
    assert_non_null(leat_relu_fn(g, x, NULL).oper);
    assert_no_error(m);
    assert_null(leat_max_pool_fn(g, x, NULL).oper);
    assert_error(m, "the attr 'ksize' must be given");
}

static void test_builder__scopes_make_names_unique(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = leat_const_float(g, 1);
    for (int i = 0; i < 2; i++) {
        leat_with_scope(g, "a") {
            (void)leat_add(g, x, x);
            leat_with_scope(g, "b")
                (void)leat_add(g, x, x);
            leat_with_scope(g, "a/")
                (void)leat_add(g, x, x, .name = "again");
            leat_with_scope(g, NULL)
                (void)leat_add(g, x, x);
            if (i == 1)
                break;
        }
    }
    assert_string_equal(leat_current_scope(g), "");
    assert_no_error(m);
    assert_graph(g, "Const Const\n"
                    "a/Add Add(Const, Const)\n"
                    "a/b/Add Add(Const, Const)\n"
                    "a/again Add(Const, Const)\n"
                    "Add Add(Const, Const)\n"
                    "a_1/Add Add(Const, Const)\n"
                    "a_1/b/Add Add(Const, Const)\n"
                    "a/again_1 Add(Const, Const)\n"
                    "Add_1 Add(Const, Const)\n");
    leat_with_scope(g, "no good")
        (void)leat_add(g, x, x);
    assert_error(m, "'no good' is not a valid scope name");
}

static void test_builder__devices_control_and_colocation(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output a = leat_const_float(g, 1), d;
    leat_with_control_dependencies(g, &a.oper, 1) {
        TF_Output b = leat_add(g, leat_const_float(g, 2), a); /* waits through its input */
        leat_with_control_dependencies(g, NULL, 0)
            (void)leat_const_float(g, 3, .name = "free");
        (void)leat_neg(g, b);
    }
    leat_with_device(g, "/job:ps")
        leat_with_device(g, "/gpu")
            d = leat_neg(g, a);
    leat_with_device(g, "/cpu:1")
        leat_with_colocation(g, d.oper)
            (void)leat_neg(g, a);
    leat_with_device(g, "/cpu:1")
        leat_with_device(g, NULL)
            (void)leat_neg(g, a);
    assert_no_error(m);
    assert_graph(g, "Const Const\n"
                    "Const_1 Const(^Const)\n"
                    "Add Add(Const_1, Const)\n"
                    "free Const\n"
                    "Neg Neg(Add)\n"
                    "Neg_1 Neg(Const) @/job:ps/device:GPU:*\n"
                    "Neg_2 Neg(Const) @/job:ps/device:GPU:* loc:Neg_1\n"
                    "Neg_3 Neg(Const)\n");
    leat_with_device(g, "cpu zero")
        assert_error(m, "Malformed device specification 'cpu zero'");
    TF_Operation *null = NULL;
    leat_with_control_dependencies(g, &null, 1)
        assert_error(m, "control dependency 0 is not an operation");
    leat_pop(g); /* nothing is open */
}

static void *other_thread(void *arg)
{
    TF_Graph *g = arg;
    leat_push_scope(g, "theirs");
    (void)leat_fail(g, LEAT_HERE, TF_ABORTED, "their %s", "error");
    return leat_graph_ok(g) ? g : NULL;
}

static void test_builder__threads_have_their_own_scopes(void **state)
{
    struct made *m = *state;
    pthread_t thread;
    void *result = m;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, m->g), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result); /* it sees its own error */
    assert_string_equal(leat_current_scope(m->g), "");
    assert_no_error(m);
}

static void *builds_many(void *arg)
{
    TF_Graph *g = arg;
    for (int i = 0; i < 50; i++) {
        leat_with_scope(g, "shared") {
            TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(2)));
            leat_add_to_collection(g, "sums", leat_add(g, w, w));
            (void)leat_get_collection(g, "sums", NULL, NULL, 0);
        }
    }
    return leat_graph_ok(g) ? g : NULL;
}

static void test_builder__many_threads_build_one_graph(void **state)
{
    struct made *m = *state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, builds_many, m->g), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, m->g);
    }
    assert_int_equal(leat_get_collection(m->g, "sums", "shared", NULL, 0), 200);
    assert_int_equal(leat_get_collection(m->g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0), 200);
    assert_non_null(leat_global_variables_initializer(m->g));
    assert_no_error(m);
}

static void test_builder__composites_pass_the_callers_line(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    leat_push_composite(g, NULL, "layer", "user.c:7");
    TF_Output x = leat_const_floats(g, ((float[]){1, 2}), leat_shape(2));
    leat_push_composite(g, "sub", "layer", "library.c:9");
    TF_Output y = leat_matmul(g, x, x);
    leat_pop(g);
    leat_pop(g);
    assert_null(y.oper);
    assert_error(m, "node 'layer/sub/MatMul' (MatMul) made at user.c:7");
}

#define T(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_builder__expressions_nest),
        T(test_builder__first_error_tells_its_line),
        T(test_builder__functions_without_macros),
        T(test_builder__scopes_make_names_unique),
        T(test_builder__devices_control_and_colocation),
        T(test_builder__threads_have_their_own_scopes),
        T(test_builder__many_threads_build_one_graph),
        T(test_builder__composites_pass_the_callers_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
