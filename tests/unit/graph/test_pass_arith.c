/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic simplification: what is read past, and what only looks as if it could be. */
#include "pass_fixture.h"

static const struct pass_options on = {.arithmetic = true};
static const int64_t two_by_three[] = {2, 3};

/* y = op(...) over x; what Exp over y reads afterwards. */
static void reads(struct graph *g, struct output y, const char *want)
{
    struct output e = p_op1(g, "Exp", "e", y);
    struct rgraph *r = p_run(g, on, 1, e.node);
    p_want(r, "e", want);
    rgraph_free(r);
    graph_unref(g);
}

static void test_arith__neutral_operands(void **state UNUSED)
{
    static const struct {
        const char *op;
        float value;
        bool left, passed;
    } rows[] = {
        {"Mul", 1, false, true},      {"Mul", 1, true, true},       {"Mul", -1, false, false},
        {"RealDiv", 1, false, true},  {"RealDiv", 1, true, false},  {"Sub", 0, false, true},
        {"Sub", -0.0f, false, false}, {"Sub", 0, true, false},      {"Add", 0, false, false},
        {"Add", -0.0f, false, true},  {"AddV2", -0.0f, true, true}, {"Mul", 0, false, false},
        {"Maximum", 0, false, false}, {"Pow", 1, false, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct graph *g = graph_new();
        struct output x = p_in(g, "x", DT_FLOAT, -1, NULL), c = p_f32(g, "c", rows[i].value);
        struct output y = p_op2(g, rows[i].op, "y", rows[i].left ? c : x, rows[i].left ? x : c);
        reads(g, y, rows[i].passed ? "Exp(x)" : "Exp(y)");
    }
}

static void test_arith__a_vector_of_one_may_widen(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_op1(g, "ZerosLike", "x", p_in(g, "in", DT_INT32, -1, NULL));
    int one = 1;
    struct output y = p_op2(g, "Mul", "y", x, p_ints(g, "one", 1, &one));
    struct rgraph *r = p_run(g, on, 1, p_op1(g, "Neg", "e", y).node);
    p_want(r, "e", "Neg(y)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_arith__whole_numbers_have_one_zero(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_INT32, -1, NULL);
    struct output zero = t_out(t_const_i32(g, "zero", 0), 0);
    struct output y = p_op2(g, "Add", "y", x, zero);
    struct rgraph *r = p_run(g, on, 1, p_op1(g, "Neg", "e", y).node);
    p_want(r, "e", "Neg(x)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_arith__identities_and_pairs(void **state UNUSED)
{
    static const struct {
        const char *first, *second, *want;
    } rows[] = {
        {"Identity", "Identity", "Exp(x)"},
        {"Neg", "Neg", "Exp(x)"},
        {"StopGradient", "Snapshot", "Exp(x)"},
        {"Abs", "Abs", "Exp(a)"},
        {"Neg", "Abs", "Exp(b)"},
        {"Reciprocal", "Reciprocal", "Exp(b)"},
        {"Floor", "Floor", "Exp(a)"},
        {"Relu", "Relu", "Exp(a)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct graph *g = graph_new();
        if (!op_find(rows[i].second))
            continue;
        struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
        reads(g, p_op1(g, rows[i].second, "b", p_op1(g, rows[i].first, "a", x)), rows[i].want);
    }
}

static void test_arith__control_edges_stay_between(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL), w = p_in(g, "w", DT_FLOAT, -1, NULL);
    struct attr_value none = attr_int(0);
    reads(g, p_with(g, "Identity", "y", x, NULL, none, w.node), "Exp(y)");
    g = graph_new();
    x = p_in(g, "x", DT_FLOAT, -1, NULL);
    struct output y = p_op1(g, "Identity", "y", x);
    struct output e = p_with(g, "Exp", "e", y, NULL, none, y.node);
    struct rgraph *r = p_run(g, on, 1, e.node);
    p_want(r, "e", "Exp(x,^y)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_arith__shapes_that_stay(void **state UNUSED)
{
    int same[] = {2, 3}, flat[] = {6};
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, two_by_three);
    reads(g, p_op2(g, "Reshape", "y", x, p_ints(g, "s", 2, same)), "Exp(x)");
    g = graph_new();
    x = p_in(g, "x", DT_FLOAT, -1, NULL);
    reads(g, p_op2(g, "Reshape", "y", x, p_ints(g, "s", 2, same)), "Exp(y)");
    g = graph_new();
    x = p_in(g, "x", DT_FLOAT, 2, two_by_three);
    struct output y = p_op2(g, "Reshape", "y", x, p_ints(g, "f", 1, flat));
    struct output z = p_op2(g, "Reshape", "z", y, p_ints(g, "s", 2, same));
    reads(g, z, "Exp(x)");
    g = graph_new();
    x = p_in(g, "x", DT_FLOAT, 2, two_by_three);
    y = p_op2(g, "ExpandDims", "y", x, t_out(t_const_i32(g, "d", 1), 0));
    z = p_with(g, "Squeeze", "z", y, "squeeze_dims", attr_list(ATTR_INT, (int64_t[]){1}, 1), NULL);
    reads(g, z, "Exp(x)");
}

static void test_arith__reshapes_in_a_row(void **state UNUSED)
{
    int back[] = {3, 2}, flat[] = {6};
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, two_by_three);
    struct output y = p_op2(g, "Reshape", "y", x, p_ints(g, "f", 1, flat));
    struct output z = p_op2(g, "Reshape", "z", y, p_ints(g, "s", 2, back));
    struct rgraph *r = p_run(g, on, 1, p_op1(g, "Exp", "e", z).node);
    p_want(r, "z", "Reshape(x,s)");
    p_want(r, "y", NULL);
    rgraph_free(r);
    graph_unref(g);
}

static void test_arith__packs_and_unpacks(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, two_by_three);
    struct node_desc *d = node_desc_new(g, "Unpack", "u");
    node_desc_input(d, x);
    node_desc_attr(d, "num", attr_int(2));
    struct node *u = t_finish(d);
    struct output p = t_out(t_list(g, "Pack", "p", 2, t_out(u, 0), t_out(u, 1)), 0);
    struct output q = t_out(t_list(g, "Pack", "q", 2, t_out(u, 1), t_out(u, 0)), 0);
    struct output e = p_op1(g, "Exp", "e", p), f = p_op1(g, "Exp", "f", q);
    struct rgraph *r = p_run(g, on, 2, e.node, f.node);
    p_want(r, "e", "Exp(x)");
    p_want(r, "f", "Exp(q)");
    rgraph_free(r);
    d = node_desc_new(g, "Unpack", "v");
    node_desc_input(d, q);
    node_desc_attr(d, "num", attr_int(2));
    e = p_op1(g, "Exp", "e2", t_out(t_finish(d), 1));
    r = p_run(g, on, 1, e.node);
    p_want(r, "e2", "Exp(u)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_arith__sums_along_no_axis(void **state UNUSED)
{
    static const char *const ops[] = {"Sum", "Prod", "Max", "Min", "Mean"};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        struct graph *g = graph_new();
        int zero = 0;
        struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
        struct output y = p_op2(g, ops[i], "y", x, p_ints(g, "none", 0, &zero));
        reads(g, y, "Exp(x)");
        g = graph_new();
        x = p_in(g, "x", DT_FLOAT, -1, NULL);
        y = p_op2(g, ops[i], "y", x, p_ints(g, "one", 1, &zero));
        reads(g, y, "Exp(y)");
    }
}

static void test_arith__fetched_nodes_stay(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL), y = p_op1(g, "Identity", "y", x);
    struct rgraph *r = p_run(g, on, 2, y.node, p_op1(g, "Exp", "e", y).node);
    p_want(r, "y", "Identity(x)");
    p_want(r, "_retval_y_0_0", "_Retval(y)");
    rgraph_free(r);
    r = p_run(g, (struct pass_options){0}, 1, p_op1(g, "Exp", "off", y).node);
    p_want(r, "off", "Exp(y)");
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arith__neutral_operands),
        cmocka_unit_test(test_arith__a_vector_of_one_may_widen),
        cmocka_unit_test(test_arith__whole_numbers_have_one_zero),
        cmocka_unit_test(test_arith__identities_and_pairs),
        cmocka_unit_test(test_arith__control_edges_stay_between),
        cmocka_unit_test(test_arith__shapes_that_stay),
        cmocka_unit_test(test_arith__reshapes_in_a_row),
        cmocka_unit_test(test_arith__packs_and_unpacks),
        cmocka_unit_test(test_arith__sums_along_no_axis),
        cmocka_unit_test(test_arith__fetched_nodes_stay),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
