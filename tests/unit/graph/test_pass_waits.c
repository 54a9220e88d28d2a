/* SPDX-License-Identifier: Apache-2.0 */
/* Waits: what is computed only to be waited for goes, and order and death stay. */
#include "pass_fixture.h"

static const struct pass_options on = {.waits = true};

static struct output in2(struct graph *g, const char *name)
{
    return p_in(g, name, DT_FLOAT, 2, (int64_t[]){3, 3});
}

/* A node that reads x and waits for others, whose list ends with NULL. */
static struct node *waiter(struct graph *g, const char *op, const char *name, struct output x, ...)
{
    struct node_desc *d = node_desc_new(g, op, name);
    if (x.node)
        node_desc_input(d, x);
    va_list ap;
    va_start(ap, x);
    for (struct node *n; (n = va_arg(ap, struct node *));)
        node_desc_control(d, n);
    va_end(ap);
    return t_finish(d);
}

static const struct output none = {NULL, 0};

static struct output variable(struct graph *g, const char *name)
{
    struct shape s = shape_2(3, 3);
    struct node_desc *d = node_desc_new(g, "VariableV2", name);
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    node_desc_attr(d, "shape", attr_shape(&s));
    return t_out(t_finish(d), 0);
}

/* The gate of a product's gradients, of which one is asked for. */
static void test_waits__a_gradient_that_nobody_asked_for_goes(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), w = variable(g, "w"), read = p_op1(g, "Identity", "read", w);
    struct output dy = p_op1(g, "Exp", "dy", p_op2(g, "MatMul", "y", x, read));
    struct output dx = p_op2(g, "MatMul", "dx", dy, read), dw = p_op2(g, "MatMul", "dw", x, dy);
    struct node *gate = waiter(g, "NoOp", "gate", none, dx.node, dw.node, NULL);
    waiter(g, "Identity", "of_x", dx, gate, NULL);
    struct output of_w = t_out(waiter(g, "Identity", "of_w", dw, gate, NULL), 0);
    struct node *step = p_op2(g, "AssignSub", "step", w, of_w).node;
    struct rgraph *r = p_run(g, on, 1, step);
    p_want(r, "dx", NULL);
    p_want(r, "gate", NULL);
    p_want(r, "of_w", "Identity(dw)"); /* the read is before y, which is before dy */
    p_want(r, "step", "AssignSub(w,of_w)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_waits__a_read_stays_before_an_update(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output w = variable(g, "w"), read = p_op1(g, "Identity", "read", w);
    struct output p = p_op1(g, "Neg", "p", p_op1(g, "Exp", "q", read));
    struct output one = in2(g, "one");
    struct output value = t_out(waiter(g, "Identity", "value", one, p.node, NULL), 0);
    struct node *step = p_op2(g, "AssignAdd", "step", w, value).node;
    struct rgraph *r = p_run(g, on, 2, step, p_op1(g, "Abs", "e", read).node);
    p_want(r, "p", NULL);
    p_want(r, "q", NULL);
    p_want(r, "value", "Identity(one,^read)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_waits__what_is_read_is_waited_for(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), p = p_op1(g, "Exp", "p", x);
    struct output q = p_op1(g, "Neg", "q", p_op1(g, "Abs", "p2", p));
    struct node *e = waiter(g, "Identity", "e", x, q.node, NULL);
    struct rgraph *r = p_run(g, on, 2, e, p_op1(g, "Neg", "n", p).node);
    p_want(r, "q", NULL);
    p_want(r, "e", "Identity(x,^p)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_waits__a_fetch_stays(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), p = p_op1(g, "Exp", "p", x);
    struct node *e = waiter(g, "Identity", "e", x, p.node, NULL);
    struct rgraph *r = p_run(g, on, 2, e, p.node);
    p_want(r, "e", "Identity(x,^p)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_waits__checks_and_effects_stay(void **state UNUSED)
{
    struct graph *g = graph_new();
    int two = 2;
    struct shape s = shape_2(3, 3);
    struct output x = in2(g, "x"), n = p_ints(g, "n", 1, &two);
    struct output checked = p_with(g, "EnsureShape", "checked", x, "shape", attr_shape(&s), NULL);
    struct output finite =
        p_with(g, "CheckNumerics", "finite", x, "message", attr_string(str_of("bad")), NULL);
    struct output drawn =
        p_with(g, "RandomUniform", "drawn", n, "dtype", attr_type(DT_FLOAT), NULL);
    struct output above = p_op1(g, "Neg", "above", checked);
    struct node *e = waiter(g, "Identity", "e", x, above.node, finite.node, drawn.node, NULL);
    struct rgraph *r = p_run(g, on, 1, e);
    p_want(r, "above", NULL);
    p_want(r, "e", "Identity(x,^checked,^finite,^drawn)");
    rgraph_free(r);
    graph_unref(g);
}

/* An output of a Switch may be dead where the Switch is not. */
static void test_waits__readers_of_a_switch_stay(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), pred = p_in(g, "p", DT_BOOL, 0, NULL);
    struct node *sw = t_node(g, "Switch", "sw", 2, x, pred);
    struct output yes = p_op1(g, "Identity", "yes", t_out(sw, 1));
    struct output far = p_op1(g, "Exp", "far", yes);
    struct node *e = waiter(g, "Identity", "e", x, far.node, NULL);
    struct rgraph *r = p_run(g, on, 1, e);
    p_want(r, "far", NULL);
    p_want(r, "e", "Identity(x,^yes)");
    p_want(r, "yes", "Identity(sw:1)");
    rgraph_free(r);
    graph_unref(g);
}

/* A Merge is alive when one branch is; a ControlTrigger always. */
static void test_waits__no_word_of_death_through_a_merge(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), pred = p_in(g, "p", DT_BOOL, 0, NULL);
    struct node *sw = t_node(g, "Switch", "sw", 2, x, pred);
    struct output yes = p_op1(g, "Identity", "yes", t_out(sw, 1));
    struct node *m = t_list(g, "Merge", "m", 2, yes, x);
    struct node *e = waiter(g, "Identity", "e", t_out(m, 0), yes.node, NULL);
    struct node *t = waiter(g, "ControlTrigger", "t", none, yes.node, NULL);
    struct node *f = waiter(g, "Identity", "f", x, t, yes.node, NULL);
    struct node *h = waiter(g, "Identity", "h", p_op1(g, "Neg", "n", yes), yes.node, NULL);
    struct rgraph *r = p_run(g, on, 3, e, f, h);
    p_want(r, "e", "Identity(m,^yes)");
    p_want(r, "f", "Identity(x,^t,^yes)");
    p_want(r, "h", "Identity(n)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_waits__many_for_many_meet_in_one_node(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), parts[3], two[2];
    for (int i = 0; i < 3; i++) {
        char name[8], other[8], own[8];
        snprintf(name, sizeof name, "p%d", i);
        snprintf(other, sizeof other, "r%d", i);
        snprintf(own, sizeof own, "w%d", i);
        parts[i] = p_op1(g, "Exp", name, p_op1(g, "Identity", other, variable(g, own)));
    }
    struct node *gate =
        waiter(g, "NoOp", "gate", none, parts[0].node, parts[1].node, parts[2].node, NULL);
    for (int i = 0; i < 2; i++)
        two[i] = t_out(waiter(g, "Identity", i ? "b" : "a", x, gate, NULL), 0);
    struct rgraph *r = p_run(g, on, 2, two[0].node, two[1].node);
    p_want(r, "gate", "NoOp(^r0,^r1,^r2)");
    p_want(r, "a", "Identity(x,^gate)");
    p_want(r, "b", "Identity(x,^gate)");
    assert_int_equal(p_count(r, "Exp"), 0);
    rgraph_free(r);
    graph_unref(g);
}

static void test_waits__off_means_off(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output x = in2(g, "x"), p = p_op1(g, "Exp", "p", x);
    struct node *e = waiter(g, "Identity", "e", x, p.node, NULL);
    struct rgraph *r = p_run(g, (struct pass_options){.cse = true}, 1, e);
    p_want(r, "e", "Identity(x,^p)");
    p_want(r, "p", "Exp(x)");
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits__a_gradient_that_nobody_asked_for_goes),
        cmocka_unit_test(test_waits__a_read_stays_before_an_update),
        cmocka_unit_test(test_waits__what_is_read_is_waited_for),
        cmocka_unit_test(test_waits__a_fetch_stays),
        cmocka_unit_test(test_waits__checks_and_effects_stay),
        cmocka_unit_test(test_waits__readers_of_a_switch_stay),
        cmocka_unit_test(test_waits__no_word_of_death_through_a_merge),
        cmocka_unit_test(test_waits__many_for_many_meet_in_one_node),
        cmocka_unit_test(test_waits__off_means_off),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
