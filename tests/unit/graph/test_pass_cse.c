/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: which nodes are one, and which only look alike. */
#include "pass_fixture.h"

static const struct pass_options on = {.cse = true};

static void test_cse__merges_equal_nodes_and_what_reads_them(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL), y = p_in(g, "y", DT_FLOAT, -1, NULL);
    struct output a = p_op2(g, "Mul", "a", x, y), b = p_op2(g, "Mul", "b", y, x);
    struct output c = p_op2(g, "Sub", "c", x, y), d = p_op2(g, "Sub", "d", y, x);
    struct output ea = p_op1(g, "Exp", "ea", a), eb = p_op1(g, "Exp", "eb", b);
    struct output s = p_op2(g, "Sub", "s", ea, eb), t = p_op2(g, "Sub", "t", c, d);
    struct rgraph *r = p_run(g, on, 2, s.node, t.node);
    assert_int_equal(p_count(r, "Mul"), 1);
    assert_int_equal(p_count(r, "Exp"), 1);
    struct rnode *n = p_find(r, "s");
    assert_ptr_equal(n->inputs[0].node, n->inputs[1].node);
    p_want(r, "t", "Sub(c,d)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_cse__merges_constants_bit_by_bit(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output a = p_f32(g, "a", 0.0f), b = p_f32(g, "b", -0.0f), c = p_f32(g, "c", 0.0f);
    struct output s = p_op2(g, "RealDiv", "s", p_op2(g, "RealDiv", "ab", a, b), c);
    struct rgraph *r = p_run(g, on, 1, s.node);
    struct rnode *ab = p_find(r, "ab"), *last = p_find(r, "s");
    assert_ptr_equal(ab->inputs[0].node, last->inputs[1].node);
    assert_ptr_not_equal(ab->inputs[0].node, ab->inputs[1].node);
    assert_int_equal(p_count(r, "Const"), 2);
    rgraph_free(r);
    r = p_run(g, (struct pass_options){.cse = true, .max_folded_bytes = 2}, 1, s.node);
    p_want(r, "s", "RealDiv(ab,c)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_cse__attrs_and_control_inputs_tell_nodes_apart(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
    struct output y = p_in(g, "y", DT_FLOAT, -1, NULL);
    struct output a = p_with(g, "LeakyRelu", "a", x, "alpha", attr_float(0.25f), NULL);
    struct output b = p_with(g, "LeakyRelu", "b", x, "alpha", attr_float(0.5f), NULL);
    struct output c = p_with(g, "LeakyRelu", "c", x, "alpha", attr_float(0.25f), y.node);
    struct output d = p_with(g, "LeakyRelu", "d", x, "alpha", attr_float(0.25f), y.node);
    struct output s = p_op2(g, "Sub", "s", a, b), t = p_op2(g, "Sub", "t", c, d);
    struct rgraph *r = p_run(g, on, 2, s.node, t.node);
    p_want(r, "s", "Sub(a,b)");
    assert_int_equal(p_count(r, "LeakyRelu"), 3);
    rgraph_free(r);
    graph_unref(g);
}

static void test_cse__leaves_random_fetched_and_references_alone(void **state UNUSED)
{
    struct graph *g = graph_new();
    int two = 2;
    struct output n = p_ints(g, "n", 1, &two);
    struct output a = p_with(g, "RandomUniform", "a", n, "dtype", attr_type(DT_FLOAT), NULL);
    struct output b = p_with(g, "RandomUniform", "b", n, "dtype", attr_type(DT_FLOAT), NULL);
    struct node_desc *d = node_desc_new(g, "VariableV2", "v");
    struct shape s = shape_scalar();
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    node_desc_attr(d, "shape", attr_shape(&s));
    struct output v = t_out(t_finish(d), 0);
    struct output early = p_op1(g, "Identity", "early", v), late = p_op1(g, "Identity", "late", v);
    struct output x = p_op2(g, "Sub", "x", a, b), y = p_op2(g, "Sub", "y", early, late);
    struct output f1 = p_op1(g, "Neg", "f1", n), f2 = p_op1(g, "Neg", "f2", n);
    struct rgraph *r = p_run(g, on, 4, x.node, y.node, f1.node, f2.node);
    p_want(r, "x", "Sub(a,b)");
    p_want(r, "y", "Sub(early,late)");
    p_want(r, "f1", "Neg(n)");
    p_want(r, "f2", "Neg(n)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_cse__a_long_chain_twice_becomes_one(void **state UNUSED)
{
    enum { LEN = 20000 };
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL), a = x, b = x;
    for (int i = 0; i < LEN; i++) {
        char name[32];
        snprintf(name, sizeof name, "a%d", i);
        a = p_op1(g, "Neg", name, a);
        snprintf(name, sizeof name, "b%d", i);
        b = p_op1(g, "Neg", name, b);
    }
    struct rgraph *r = p_run(g, on, 1, p_op2(g, "Sub", "s", a, b).node);
    assert_int_equal(p_count(r, "Neg"), LEN);
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cse__merges_equal_nodes_and_what_reads_them),
        cmocka_unit_test(test_cse__merges_constants_bit_by_bit),
        cmocka_unit_test(test_cse__attrs_and_control_inputs_tell_nodes_apart),
        cmocka_unit_test(test_cse__leaves_random_fetched_and_references_alone),
        cmocka_unit_test(test_cse__a_long_chain_twice_becomes_one),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
