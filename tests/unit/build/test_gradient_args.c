/* SPDX-License-Identifier: Apache-2.0 */
/* What leat_gradients can be asked for beyond the gradients: nodes placed with the ops that they
 * belong to, gates, the ways to add; names and order are those of tf.gradients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

/* sin(x) + cos(x) + exp(x) + tanh(x), all of one x */
static TF_Output four(struct made *m, TF_Output *x)
{
    *x = leat_identity(m->g, leat_const_float(m->g, 0.5F), .name = "x");
    TF_Output parts[4] = {leat_sin(m->g, *x), leat_cos(m->g, *x), leat_exp(m->g, *x),
                          leat_tanh(m->g, *x)};
    return leat_add_n(m->g, parts, 4, .name = "y");
}

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

static const char *class_of(struct made *m, const char *name, char *text, size_t n)
{
    TF_Operation *op = TF_GraphOperationByName(m->g, name);
    if (!op)
        fail_msg("there is no %s", name);
    TF_AttrMetadata meta = TF_OperationGetAttrMetadata(op, "_class", m->st);
    if (TF_GetCode(m->st) != TF_OK || meta.list_size != 1)
        return "";
    void *value;
    size_t len;
    TF_OperationGetAttrStringList(op, "_class", &value, &len, 1, text, n, m->st);
    text[len < n ? len : n - 1] = 0;
    memmove(text, value, len);
    return text;
}

static const char *input(struct made *m, const char *name, int i)
{
    TF_Operation *op = TF_GraphOperationByName(m->g, name);
    if (!op)
        fail_msg("there is no %s", name);
    return TF_OperationName(TF_OperationInput((TF_Input){op, i}).oper);
}

static void test_gradient_args__sums(void **state)
{
    (void)state;
    static const char *const names[] = {"gradients/AddN", "gradients/x_gradient_sum/AddN_2",
                                        "gradients/AccumulateNV2"};
    float first = 0;
    for (int how = LEAT_ADD_N; how <= LEAT_AGGREGATE_ACCUMULATE_N; how++) {
        struct made m;
        void *mine = NULL;
        assert_int_equal(made_setup(&mine), 0);
        m = *(struct made *)mine;
        TF_Output x, y = four(&m, &x);
        struct leat_grad d;
        assert_true(
            leat_gradients(m.g, &y, 1, &x, 1, &d, .aggregation = (enum leat_aggregation)how));
        assert_string_equal(TF_OperationName(d.values.oper), names[how]);
        const float got = run(&m, d.values);
        first = how == 0 ? got : first;
        assert_true(got - first < 1e-6F && first - got < 1e-6F);
        char text[64];
        if (how == LEAT_ADD_N) {
            assert_string_equal(class_of(&m, names[0], text, sizeof text),
                                "loc:@gradients/Sin_grad/mul");
            assert_string_equal(input(&m, names[0], 3), "gradients/Tanh_grad/TanhGrad");
        }
        assert_false(
            leat_gradients(m.g, &y, 1, &x, 1, &d, .aggregation = (enum leat_aggregation)7));
        assert_int_equal(made_teardown(&mine), 0);
    }
}

static void test_gradient_args__placed(void **state)
{
    struct made m = *(struct made *)*state;
    TF_Output a = leat_identity(m.g, leat_const_float(m.g, 3), .name = "a");
    TF_Output y = {NULL, 0}, d = {NULL, 0};
    leat_with_device(m.g, "/job:worker/task:1")
        y = leat_square(m.g, a, .name = "y");
    leat_with_device(m.g, "/job:ps")
        d = leat_gradient(m.g, y, a, .colocate = 1);
    char text[64];
    assert_string_equal(TF_OperationDevice(d.oper), "/job:worker/task:1");
    assert_string_equal(class_of(&m, TF_OperationName(d.oper), text, sizeof text), "loc:@y");
    assert_string_equal(class_of(&m, "gradients/Fill", text, sizeof text), "loc:@y");
}

static void test_gradient_args__gated(void **state)
{
    struct made m = *(struct made *)*state;
    TF_Output a = leat_identity(m.g, leat_const_float(m.g, 3), .name = "a");
    TF_Output b = leat_identity(m.g, leat_const_float(m.g, 5), .name = "b");
    TF_Output y = leat_mul(m.g, a, b, .name = "y"), xs[2] = {a, b};
    struct leat_grad d[2];
    assert_true(leat_gradients(m.g, &y, 1, xs, 2, d, .gate = 1));
    assert_string_equal(TF_OperationName(d[0].values.oper),
                        "gradients/y_grad/tuple/control_dependency");
    assert_string_equal(TF_OperationName(d[1].values.oper),
                        "gradients/y_grad/tuple/control_dependency_1");
    TF_Operation *gate;
    assert_int_equal(TF_OperationGetControlInputs(d[1].values.oper, &gate, 1), 1);
    assert_string_equal(TF_OperationName(gate), "gradients/y_grad/tuple/group_deps");
    assert_int_equal(TF_OperationNumControlInputs(gate), 2);
    assert_true(run(&m, d[0].values) == 5 && run(&m, d[1].values) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_args__sums),
        cmocka_unit_test_setup_teardown(test_gradient_args__placed, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_gradient_args__gated, made_setup, made_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
