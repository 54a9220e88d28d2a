/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients asked for in the body of a loop that is being built, of what is in it; loops that no
 * gradient flows through. Numbers are those of TensorFlow 1.15. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

static void assert_near(float got, float want)
{
    if (got - want > 1e-5F || want - got > 1e-5F)
        fail_msg("%f instead of %f", (double)got, (double)want);
}

enum what { BY_VARIABLE, BY_OUTSIDE, OF_LOOP };

struct inner {
    enum what what;
    TF_Output a, first;
};

static TF_Output thrice(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_int(g, 3));
}

static TF_Output twice(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_int(g, 2));
}

static void times(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    next[0] = leat_add(g, v[0], leat_const_int(g, 1));
    next[1] = leat_mul(g, v[1], ((struct inner *)data)->first);
}

/* r -= 0.01 dy/dx, where y is r^2 a, (r a)^2 or what a loop of two turns makes of them */
static void descend(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    struct inner *in = data;
    TF_Output y, x = in->what == BY_OUTSIDE ? in->a : v[1];
    if (in->what == BY_VARIABLE) {
        y = leat_mul(g, leat_square(g, v[1]), in->a);
    } else if (in->what == BY_OUTSIDE) {
        y = leat_square(g, leat_mul(g, v[1], in->a));
    } else {
        TF_Output vars[2] = {leat_const_int(g, 0), in->a}, out[2];
        struct inner loop = {.first = v[1]};
        (void)leat_while_loop(g, twice, times, vars, 2, out, .data = &loop);
        y = out[1];
    }
    TF_Output d = leat_gradient(g, y, x);
    next[0] = leat_add(g, v[0], leat_const_int(g, 1));
    next[1] = leat_sub(g, v[1], leat_mul(g, d, leat_const_float(g, 0.01F)));
}

static float descend_by(struct made *m, enum what what, TF_Output *after, TF_Output *a)
{
    struct inner in = {.what = what, .a = leat_const_float(m->g, 2, .name = "a")};
    TF_Output vars[2] = {leat_const_int(m->g, 0), leat_const_float(m->g, 1)}, out[2];
    assert_true(leat_while_loop(m->g, thrice, descend, vars, 2, out, .data = &in));
    assert_no_error(m);
    *after = out[1];
    *a = in.a;
    return run(m, out[1]);
}

static void test_gradients_inside__by_a_variable(void **state)
{
    struct made *m = *state;
    TF_Output r, a;
    assert_near(descend_by(m, BY_VARIABLE, &r, &a), 0.884736F);
    /* and the gradient of the whole, through those inside */
    assert_near(run(m, leat_gradient(m->g, r, a)), -0.055296F);
}

static void test_gradients_inside__by_what_is_outside(void **state)
{
    TF_Output r, a;
    assert_near(descend_by(*state, BY_OUTSIDE, &r, &a), 0.8890488F);
}

static void test_gradients_inside__of_a_loop(void **state)
{
    struct made *m = *state;
    TF_Output r, a;
    assert_near(descend_by(m, OF_LOOP, &r, &a), 0.884736F);
    assert_false(leat_valid(leat_gradient(m->g, r, a)));
    assert_error(m, "Second-order gradient for while loops not supported");
}

/* y by what the variable began with: there is no turn to stand in */
static void by_start(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    struct inner *in = data;
    struct leat_grad d;
    TF_Output y = leat_mul(g, v[1], in->a);
    assert_false(leat_gradients(g, &y, 1, &in->first, 1, &d));
    next[0] = leat_add(g, v[0], leat_const_int(g, 1));
    next[1] = y;
}

static void test_gradients_inside__by_the_start(void **state)
{
    struct made *m = *state;
    struct inner in = {.a = leat_const_float(m->g, 2)};
    in.first = leat_identity(m->g, leat_const_float(m->g, 1));
    TF_Output vars[2] = {leat_const_int(m->g, 0), in.first}, out[2];
    (void)leat_while_loop(m->g, thrice, by_start, vars, 2, out, .data = &in);
    assert_error(m, "inside of the loop");
}

static void test_gradients_inside__none_back(void **state)
{
    struct made *m = *state;
    struct inner in = {.first = leat_const_float(m->g, 2)};
    TF_Output vars[2] = {leat_const_int(m->g, 0), leat_const_float(m->g, 1)}, out[2];
    assert_true(leat_while_loop(m->g, thrice, times, vars, 2, out, .data = &in, .no_back_prop = 1));
    struct leat_grad d;
    assert_true(leat_gradients(m->g, &out[1], 1, &in.first, 1, &d));
    assert_false(leat_valid(d.values));
    TF_Output sum = leat_add(m->g, out[1], in.first);
    assert_near(run(m, leat_gradient(m->g, sum, in.first)), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gradients_inside__by_a_variable), TEST(test_gradients_inside__by_what_is_outside),
        TEST(test_gradients_inside__of_a_loop),     TEST(test_gradients_inside__by_the_start),
        TEST(test_gradients_inside__none_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
