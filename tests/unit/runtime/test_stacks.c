/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of a step: order, limits, closing, both kinds of handle, pushes and pops in loops and in
 * branches; and ControlTrigger, which such loops count their turns behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/runtime/net.h"

static const struct output none = {0};

/* dtype 0: the types follow from the inputs. `after` may be NULL. */
static struct output make(struct net *n, const char *op, int dtype, int num,
                          const struct output *in, struct node *after)
{
    struct status st = {0};
    char *name = graph_unique_name(n->g, op, true);
    struct node_desc *d = node_desc_new(n->g, op, name);
    free(name);
    for (int i = 0; i < num; i++)
        node_desc_input(d, in[i]);
    if (after)
        node_desc_control(d, after);
    if (dtype)
        node_desc_attr(d, "elem_type", attr_type(dtype));
    struct node *made = node_finish(d, &st);
    net_must(made != NULL, &st);
    return (struct output){made, 0};
}

static struct output stack_of(struct net *n, int dtype, int32_t max)
{
    struct status st = {0};
    struct tensor t = {0};
    net_must(tensor_from(&t, DT_INT32, NULL, 0, &max, &st), &st);
    char *name = graph_unique_name(n->g, "max", true);
    struct node_desc *d = node_desc_new(n->g, "Const", name);
    free(name);
    node_desc_attr(d, "dtype", attr_type(DT_INT32));
    node_desc_attr(d, "value", attr_tensor(&t));
    tensor_clear(&t);
    struct output size = {node_finish(d, &st), 0};
    net_must(size.node != NULL, &st);
    return make(n, "StackV2", dtype, 1, &size, NULL);
}

static struct output push(struct net *n, struct output stack, struct output v, struct node *after)
{
    return make(n, "StackPushV2", 0, 2, (struct output[]){stack, v}, after);
}

static struct output pop(struct net *n, struct output stack, struct node *after)
{
    return make(n, "StackPopV2", DT_FLOAT, 1, &stack, after);
}

/* 10 a + b */
static struct output digits(struct net *n, struct output a, struct output b)
{
    return net_op2(n, "Add", net_op2(n, "Mul", a, net_const(n, 10, none)), b);
}

static float run(struct net *n, struct output x, float v, struct output fetch)
{
    struct status st = {0};
    float got = net_run(n, x, v, fetch, &st);
    net_must(status_ok(&st), &st);
    return got;
}

static void fails(struct net *n, struct output x, float v, struct output fetch, const char *words)
{
    struct status st = {0};
    (void)net_run(n, x, v, fetch, &st);
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    if (!strstr(status_message(&st), words))
        fail_msg("\"%s\" is not in: %s", words, status_message(&st));
    status_clear(&st);
}

static void test_stacks__last_in_first_out(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 2);
    struct output x = net_placeholder(&n);
    for (int old = 0; old < 2; old++) {
        struct output s =
            old ? make(&n, "Stack", DT_FLOAT, 0, NULL, NULL) : stack_of(&n, DT_FLOAT, -1);
        const char *push_op = old ? "StackPush" : "StackPushV2";
        const char *pop_op = old ? "StackPop" : "StackPopV2";
        struct node *after = NULL;
        for (int i = 0; i < 20; i++) {
            struct output v = i == 17 ? x : net_const(&n, (float)(i % 10), none);
            after = make(&n, push_op, 0, 2, (struct output[]){s, v}, after).node;
        }
        struct output a = make(&n, pop_op, DT_FLOAT, 1, &s, after);
        struct output b = make(&n, pop_op, DT_FLOAT, 1, &s, a.node);
        struct output c = make(&n, pop_op, DT_FLOAT, 1, &s, b.node);
        struct output all = digits(&n, digits(&n, a, b), c);
        assert_true(run(&n, x, 3, all) == 983);
        assert_true(run(&n, x, 4, all) == 984); /* each step has a stack of its own */
    }
    net_release(&n);
}

static void test_stacks__what_cannot_be(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 1);
    struct output x = net_placeholder(&n);
    struct output s = stack_of(&n, DT_FLOAT, 2);
    struct output a = push(&n, s, x, NULL), b = push(&n, s, x, a.node);
    assert_true(run(&n, x, 5, b) == 5);
    fails(&n, x, 5, push(&n, s, x, b.node), "overflowed its max_size (2)");
    struct output again = push(&n, s, x, pop(&n, s, b.node).node);
    assert_true(run(&n, x, 5, again) == 5);
    fails(&n, none, 0, pop(&n, stack_of(&n, DT_FLOAT, -1), NULL), "is empty when calling Pop().");
    fails(&n, x, 1, push(&n, stack_of(&n, DT_INT32, -1), x, NULL), "Must have type 3 but got 1");
    struct node *closed = make(&n, "StackCloseV2", 0, 1, &s, b.node).node;
    fails(&n, x, 5, push(&n, s, x, closed), "has already been closed.");
    fails(&n, x, 5, pop(&n, s, closed), "has already been closed.");
    struct node *twice = make(&n, "StackCloseV2", 0, 1, &s, closed).node;
    assert_true(run(&n, x, 5, net_const(&n, 1, (struct output){twice, 0})) == 1);
    net_release(&n);
}

static void test_stacks__keep_what_a_loop_computed(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 2);
    struct output x = net_placeholder(&n), s = stack_of(&n, DT_FLOAT, -1);
    struct net_loop l[] = {{.n = &n, .frame = "there"}, {.n = &n, .frame = "back"}};
    struct output value = x;
    for (int k = 0; k < 2; k++) {
        struct net_var v[2] = {net_loop_var(&l[k], net_const(&n, 0, value)),
                               net_loop_var(&l[k], value)};
        struct output stack = net_loop_invariant(&l[k], s);
        struct output more = net_op2(&n, "Less", v[0].now, net_const(&n, 5, v[0].now));
        net_loop_cond(&l[k], more, v, 2);
        (void)net_loop_end(&l[k], &v[0],
                           net_op2(&n, "Add", v[0].body, net_const(&n, 1, v[0].body)));
        struct output factor = net_const(&n, k ? 0.5f : 2, v[1].body), next;
        if (k)
            next = net_op2(&n, "Add", net_op2(&n, "Mul", v[1].body, factor),
                           pop(&n, stack, v[1].body.node));
        else
            next = net_op2(&n, "Mul", push(&n, stack, v[1].body, NULL), factor);
        value = net_loop_end(&l[k], &v[1], next);
    }
    assert_true(run(&n, x, 1, value) == 6); /* 32/2 + 16, 32/2 + 8, 24/2 + 4, ... */
    assert_true(run(&n, x, 3, value) == 18);
    net_release(&n);
}

static void test_stacks__a_push_in_an_untaken_branch(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 1);
    struct output x = net_placeholder(&n), s = stack_of(&n, DT_FLOAT, -1);
    struct output sw = net_op2(&n, "Switch", x, net_op2(&n, "Less", x, net_const(&n, 0, none)));
    struct output pushed = push(&n, s, (struct output){sw.node, 1}, NULL);
    struct output either = net_merge(&n, pushed, sw);
    struct output got = pop(&n, s, either.node);
    assert_true(run(&n, x, -7, got) == -7);
    fails(&n, x, 7, got, "is empty when calling Pop().");
    net_release(&n);
}

static void test_control_trigger__is_alive_behind_what_is_dead(void **state)
{
    (void)state;
    static const char *const cpu[] = {"/cpu:0", "/cpu:1"};
    for (int k = 0; k < 4; k++) {
        struct net n;
        net_init(&n, 2, 1);
        struct output x = net_placeholder(&n);
        struct output yes = net_op2(&n, "Less", x, net_const(&n, 0, none));
        struct output sw = net_op2(&n, "Switch", x, k & 1 ? net_bool(&n, false) : yes);
        struct output dead = net_op1(&n, "Neg", (struct output){sw.node, 1});
        n.device = cpu[k >> 1];
        struct output no_op = make(&n, "NoOp", 0, 0, NULL, dead.node);
        struct output trigger = make(&n, "ControlTrigger", 0, 0, NULL, no_op.node);
        fails(&n, x, 1, net_const(&n, 1, no_op), "does not have value");
        assert_true(run(&n, x, 1, net_const(&n, 2, trigger)) == 2);
        net_release(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacks__last_in_first_out),
        cmocka_unit_test(test_stacks__what_cannot_be),
        cmocka_unit_test(test_stacks__keep_what_a_loop_computed),
        cmocka_unit_test(test_stacks__a_push_in_an_untaken_branch),
        cmocka_unit_test(test_control_trigger__is_alive_behind_what_is_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
