/* SPDX-License-Identifier: Apache-2.0 */
/* Known shapes, and branches that no run takes. */
#include "pass_fixture.h"

static const struct pass_options shapes_on = {.fold = true}, cut = {.dead_branches = true};

static void test_shapes__known_ones_become_constants(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){2, 3});
    struct output s = p_op1(g, "Shape", "s", x), k = p_op1(g, "Rank", "k", x);
    struct output f = p_op1(g, "Neg", "f", s), h = p_op1(g, "Neg", "h", k);
    struct rgraph *r = p_run(g, shapes_on, 3, p_op1(g, "Exp", "e", x).node,
                             p_op1(g, "Exp", "e2", x).node, p_op2(g, "Sub", "d", f, h).node);
    assert_int_equal(p_count(r, "Shape"), 0);
    assert_int_equal(p_count(r, "Neg"), 0);
    p_want(r, "d", "Sub(f/folded_0,h/folded_0)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_shapes__what_only_the_shape_needs_still_runs(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){2, 3});
    struct output u = p_in(g, "u", DT_FLOAT, 2, (int64_t[]){-1, 3});
    struct output s = p_op1(g, "Shape", "s", x), t = p_op1(g, "Shape", "t", u);
    struct rgraph *r = p_run(g, shapes_on, 3, p_op1(g, "Neg", "e", s).node,
                             p_op1(g, "Neg", "e2", t).node, p_op1(g, "Exp", "eu", u).node);
    p_want(r, "e", "Neg(s)");
    p_want(r, "e2", "Neg(t)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_shapes__a_variable_may_change_its_shape(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct shape s = shape_2(2, 3);
    struct node_desc *d = node_desc_new(g, "VariableV2", "v");
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    node_desc_attr(d, "shape", attr_shape(&s));
    struct output v = p_op1(g, "Exp", "ev", t_out(t_finish(d), 0));
    struct output n = p_op1(g, "Neg", "n", p_op1(g, "Shape", "s", v));
    struct rgraph *r = p_run(g, shapes_on, 2, v.node, n.node);
    p_want(r, "n", "Neg(s)");
    rgraph_free(r);
    graph_unref(g);
}

/* if (pred) Exp(x) else Neg(x), with a constant in one branch, and a Merge of both. */
static struct node *branches(struct graph *g, struct output pred, struct output x)
{
    struct node *sw = t_node(g, "Switch", "sw", 2, x, pred);
    struct output no = p_op1(g, "Neg", "no", t_out(sw, 0));
    struct output yes = p_op1(g, "Exp", "yes", t_out(sw, 1));
    return t_list(g, "Merge", "m", 2, no, yes);
}

static void test_branches__a_constant_predicate_leaves_one(void **state UNUSED)
{
    for (int taken = 0; taken < 2; taken++) {
        struct graph *g = graph_new();
        struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
        struct node *m = branches(g, p_bool(g, "p", taken), x);
        struct rgraph *r = p_run(g, cut, 1, p_op1(g, "Abs", "e", t_out(m, 0)).node);
        p_want(r, "e", taken ? "Abs(yes)" : "Abs(no)");
        p_want(r, taken ? "yes" : "no", taken ? "Exp(x)" : "Neg(x)");
        p_want(r, taken ? "no" : "yes", NULL);
        p_want(r, "sw", NULL);
        p_want(r, "m", NULL);
        rgraph_free(r);
        graph_unref(g);
    }
}

static void test_branches__an_unknown_predicate_leaves_both(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
    struct node *m = branches(g, p_in(g, "p", DT_BOOL, 0, NULL), x);
    struct rgraph *r = p_run(g, cut, 1, p_op1(g, "Abs", "e", t_out(m, 0)).node);
    p_want(r, "m", "Merge(no,yes)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_branches__which_one_was_taken_is_still_told(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
    struct node *m = branches(g, p_bool(g, "p", true), x);
    struct rgraph *r = p_run(g, cut, 1, p_op1(g, "Neg", "e", t_out(m, 1)).node);
    p_want(r, "e", "Neg(m:1)");
    p_want(r, "m", "Merge(no,yes)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_branches__a_dead_fetch_stays_dead(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
    branches(g, p_bool(g, "p", true), x);
    struct node *no = graph_find(g, "no");
    struct rgraph *r = p_run(g, cut, 1, no);
    p_want(r, "no", "Neg(sw)");
    p_want(r, "sw", "Switch(x,p)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_branches__effects_that_are_alive_stay(void **state UNUSED)
{
    struct graph *g = graph_new();
    int two = 2;
    struct output n = p_ints(g, "n", 1, &two);
    struct output a = p_with(g, "RandomUniform", "a", n, "dtype", attr_type(DT_FLOAT), NULL);
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
    struct output pred = p_bool(g, "p", true);
    struct node *sx = t_node(g, "Switch", "sx", 2, x, pred);
    struct node *sa = t_node(g, "Switch", "sa", 2, a, pred);
    struct attr_value none = attr_int(0);
    struct output dead = p_with(g, "RandomUniform", "dead", n, "dtype", attr_type(DT_FLOAT), sa);
    struct output no = p_op2(g, "Sub", "no", t_out(sa, 0), t_out(sx, 0));
    struct output in_no = p_with(g, "Identity", "in_no", no, NULL, none, NULL);
    struct output gone =
        p_with(g, "RandomUniform", "gone", n, "dtype", attr_type(DT_FLOAT), in_no.node);
    struct output left = p_op2(g, "Sub", "left", in_no, gone);
    struct node *m = t_list(g, "Merge", "m", 2, left, t_out(sx, 1));
    struct rgraph *r = p_run(g, cut, 2, p_op1(g, "Abs", "e", t_out(m, 0)).node, dead.node);
    p_want(r, "e", "Abs(x)");
    p_want(r, "a", "RandomUniform(n)");
    p_want(r, "gone", NULL);
    p_want(r, "dead", "RandomUniform(n,^sa)");
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes__known_ones_become_constants),
        cmocka_unit_test(test_shapes__what_only_the_shape_needs_still_runs),
        cmocka_unit_test(test_shapes__a_variable_may_change_its_shape),
        cmocka_unit_test(test_branches__a_constant_predicate_leaves_one),
        cmocka_unit_test(test_branches__an_unknown_predicate_leaves_both),
        cmocka_unit_test(test_branches__which_one_was_taken_is_still_told),
        cmocka_unit_test(test_branches__a_dead_fetch_stays_dead),
        cmocka_unit_test(test_branches__effects_that_are_alive_stay),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
