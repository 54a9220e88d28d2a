/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and branches: frames, iterations, dead values; on one device and spread over several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/runtime/net.h"

static const struct output none = {0};
static const char *const cpu[] = {"/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"};

static float run(struct net *n, struct output x, float v, struct output fetch)
{
    struct status st = {0};
    float got = net_run(n, x, v, fetch, &st);
    net_must(status_ok(&st), &st);
    return got;
}

/* for (i = 0; i < limit; i++) sum += (i + 1) * step; the parts on devices where[0..3]: counter,
 * condition, sum, product. All of it is in the branch that x is in. */
static struct output add_loop(struct net *n, struct output x, float limit, const char *const *where,
                              const char *frame)
{
    struct net_loop l = {.n = n, .frame = frame};
    struct net_var v[2];
    n->device = where[0];
    v[0] = net_loop_var(&l, net_const(n, 0, x));
    n->device = where[2];
    v[1] = net_loop_var(&l, x);
    n->device = where[3];
    struct output step = net_loop_invariant(&l, net_const(n, 0.5f, x));
    n->device = where[1];
    struct output end = net_const(n, limit, v[0].now);
    net_loop_cond(&l, net_op2(n, "Less", v[0].now, end), v, 2);
    n->device = where[0];
    struct output next = net_op2(n, "Add", v[0].body, net_const(n, 1, v[0].body));
    (void)net_loop_end(&l, &v[0], next);
    n->device = where[3];
    struct output product = net_op2(n, "Mul", next, step);
    n->device = where[2];
    struct output sum = net_loop_end(&l, &v[1], net_op2(n, "Add", v[1].body, product));
    n->device = NULL;
    return sum;
}

static float add_loop_result(float x, int limit)
{
    for (int i = 0; i < limit; i++)
        x += (float)(i + 1) * 0.5f;
    return x;
}

static void test_loops__run_on_one_device(void **state)
{
    (void)state;
    static const char *const here[4];
    struct net n;
    net_init(&n, 1, 1);
    struct output x = net_placeholder(&n);
    struct output sum = add_loop(&n, x, 100, here, "w");
    struct output never = add_loop(&n, x, 0, here, "v");
    for (int k = 0; k < 3; k++) {
        assert_true(run(&n, x, (float)k, sum) == add_loop_result((float)k, 100));
        assert_true(run(&n, x, (float)k, never) == (float)k);
    }
    net_release(&n);
}

static void test_loops__every_way_to_spread_a_loop_over_devices(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 4, 4);
    struct output x = net_placeholder(&n);
    for (int k = 0; k < 256; k += k < 16 ? 1 : 7) {
        const char *where[4] = {cpu[k & 3], cpu[k >> 2 & 3], cpu[k >> 4 & 3], cpu[k >> 6 & 3]};
        char frame[16];
        snprintf(frame, sizeof frame, "w%d", k);
        struct output sum = add_loop(&n, x, 12, where, frame);
        assert_true(run(&n, x, 3, sum) == add_loop_result(3, 12));
        assert_true(run(&n, x, 4, sum) == add_loop_result(4, 12));
    }
    net_release(&n);
}

/* for (i = 0; i < turns; i++) for (j = 0; j <= i; j++) x += 1, the inner loop on another device. */
static struct output nested(struct net *n, struct output x, float turns, const char *outer,
                            const char *inner, const char *inner_sum)
{
    struct net_loop a = {.n = n, .frame = "outer", .parallel = 3};
    struct net_loop b = {.n = n, .frame = "inner", .parallel = 2};
    struct net_var v[2], w[2];
    n->device = outer;
    v[0] = net_loop_var(&a, net_const(n, 0, none));
    v[1] = net_loop_var(&a, x);
    net_loop_cond(&a, net_op2(n, "Less", v[0].now, net_const(n, turns, v[0].now)), v, 2);
    n->device = inner;
    w[0] = net_loop_var(&b, net_const(n, 0, v[0].body));
    struct output end = net_loop_invariant(&b, v[0].body);
    n->device = inner_sum;
    w[1] = net_loop_var(&b, v[1].body);
    n->device = inner;
    net_loop_cond(&b, net_op2(n, "LessEqual", w[0].now, end), w, 2);
    (void)net_loop_end(&b, &w[0], net_op2(n, "Add", w[0].body, net_const(n, 1, w[0].body)));
    n->device = inner_sum;
    struct output more = net_op2(n, "Add", w[1].body, net_const(n, 1, w[1].body));
    struct output sum = net_loop_end(&b, &w[1], more);
    n->device = outer;
    (void)net_loop_end(&a, &v[0], net_op2(n, "Add", v[0].body, net_const(n, 1, v[0].body)));
    struct output all = net_loop_end(&a, &v[1], sum);
    n->device = NULL;
    return all;
}

static void test_loops__nest(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct net n;
        net_init(&n, 4, 2);
        struct output x = net_placeholder(&n);
        struct output all = nested(&n, x, 9, cpu[0], cpu[k & 1], cpu[k & 2]);
        assert_true(run(&n, x, 100, all) == 145);
        assert_true(run(&n, x, 1, all) == 46);
        net_release(&n);
    }
}

/* cond(p, loop, x * 10): a loop in a branch that may not be taken. */
static void test_loops__in_a_branch_that_may_be_dead(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct net n;
        net_init(&n, 4, 2);
        struct output x = net_placeholder(&n);
        struct output p = net_op2(&n, "Less", x, net_const(&n, 0, none));
        struct node *sw = net_op2(&n, "Switch", x, p).node;
        const char *where[4] = {cpu[0], cpu[k & 1], cpu[k & 2], cpu[k]};
        struct output taken = net_op1(&n, "Identity", (struct output){sw, 1});
        struct output sum = add_loop(&n, taken, 5, where, "w");
        struct output ten = net_op2(&n, "Mul", (struct output){sw, 0}, net_const(&n, 10, none));
        struct output both = net_merge(&n, sum, ten);
        assert_true(run(&n, x, 2, both) == 20);
        assert_true(run(&n, x, -1, both) == add_loop_result(-1, 5));
        assert_true(run(&n, x, 3, both) == 30);
        struct status st = {0};
        (void)net_run(&n, x, 2, sum, &st);
        assert_non_null(strstr(status_message(&st), "does not have value"));
        status_clear(&st);
        net_release(&n);
    }
}

/* A branch inside the body: odd turns add, even ones subtract; the branches on devices. */
static struct output zigzag(struct net *n, struct output x, float turns, const char *a,
                            const char *b)
{
    struct net_loop l = {.n = n, .frame = "zigzag"};
    struct net_var v[2];
    v[0] = net_loop_var(&l, net_const(n, 0, none));
    v[1] = net_loop_var(&l, x);
    net_loop_cond(&l, net_op2(n, "Less", v[0].now, net_const(n, turns, v[0].now)), v, 2);
    struct output i = v[0].body, two = net_const(n, 2, i), one = net_const(n, 1, i);
    struct output odd = net_op2(n, "Equal", net_op2(n, "FloorMod", i, two), one);
    struct node *sw = net_op2(n, "Switch", v[1].body, odd).node;
    n->device = a;
    struct output up = net_op2(n, "Add", (struct output){sw, 1}, i);
    n->device = b;
    struct output down = net_op2(n, "Sub", (struct output){sw, 0}, i);
    n->device = NULL;
    (void)net_loop_end(&l, &v[0], net_op2(n, "Add", i, one));
    return net_loop_end(&l, &v[1], net_merge(n, up, down));
}

static void test_loops__with_branches_inside(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct net n;
        net_init(&n, 4, 3);
        struct output x = net_placeholder(&n);
        struct output z = zigzag(&n, x, 31, cpu[k & 1], cpu[k & 2]);
        assert_true(run(&n, x, 7, z) == 7 - 15);
        net_release(&n);
    }
}

/* An error in iteration 3 of a loop over devices ends the step, and names the node. */
static void test_loops__fail_as_a_whole(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 4, 2);
    struct output x = net_placeholder(&n);
    struct net_loop l = {.n = &n, .frame = "w"};
    n.device = cpu[0];
    struct net_var v = net_loop_var(&l, x);
    net_loop_cond(&l, net_op2(&n, "Less", v.now, net_const(&n, 10, v.now)), &v, 1);
    n.device = cpu[1];
    struct output checked = net_check(&n, net_op1(&n, "Log", v.body));
    n.device = cpu[2];
    struct output next = net_op2(&n, "Add", v.body, net_const(&n, 1, v.body));
    struct output end = net_loop_end(&l, &v, net_op2(&n, "Maximum", next, checked));
    for (int k = 0; k < 20; k++) {
        struct status st = {0};
        assert_true(run(&n, x, 1, end) == 10);
        (void)net_run(&n, x, -3, end, &st);
        assert_non_null(strstr(status_message(&st), "{{node CheckNumerics}}"));
        status_clear(&st);
    }
    net_release(&n);
}

/* Three loops inside each other, the innermost fails in its second turn. */
static void test_loops__end_with_what_is_inside(void **state)
{
    (void)state;
    static const char *const names[3] = {"a", "b", "c"};
    struct net n;
    net_init(&n, 1, 2);
    struct output x = net_placeholder(&n), value = x;
    struct net_loop l[3];
    struct net_var v[3];
    for (int i = 0; i < 3; i++) {
        l[i] = (struct net_loop){.n = &n, .frame = names[i]};
        v[i] = net_loop_var(&l[i], value);
        struct output end = net_const(&n, 5, v[i].now);
        net_loop_cond(&l[i], net_op2(&n, "Less", v[i].now, end), &v[i], 1);
        value = v[i].body;
    }
    struct output checked = net_check(&n, net_op1(&n, "Log", value));
    value = net_op2(&n, "Maximum", net_op2(&n, "Add", value, net_const(&n, -1, value)), checked);
    for (int i = 2; i >= 0; i--)
        value = net_loop_end(&l[i], &v[i], value);
    struct status st = {0};
    for (int k = 0; k < 5; k++) {
        (void)net_run(&n, x, 1, value, &st);
        assert_non_null(strstr(status_message(&st), "{{node CheckNumerics}}"));
        status_clear(&st);
        assert_true(run(&n, x, 5, value) == 5);
    }
    net_release(&n);
}

/* A value behind an Enter without a Merge comes once: on another device it would be awaited in each
 * turn. */
static void test_loops__refuse_to_wait_for_what_never_comes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct net n;
        net_init(&n, 2, 1);
        struct output x = net_placeholder(&n);
        struct net_loop l = {.n = &n, .frame = "w"};
        struct net_var v = net_loop_var(&l, x);
        struct output once = net_op1(&n, "Neg", net_op1(&n, "Identity", v.now.node->inputs[0]));
        net_loop_cond(&l, net_op2(&n, "Less", v.now, net_const(&n, 3, v.now)), &v, 1);
        n.device = cpu[k];
        struct output far = net_op1(&n, "Neg", once);
        n.device = NULL;
        struct output first = net_merge(&n, far, v.body);
        struct output end =
            net_loop_end(&l, &v, net_op2(&n, "Add", first, net_const(&n, 1, first)));
        struct status st = {0};
        float got = net_run(&n, x, 1, end, &st);
        if (k == 0)
            assert_true(status_ok(&st) && got == 3);
        else
            assert_non_null(strstr(status_message(&st), "does not come in each iteration"));
        status_clear(&st);
        net_release(&n);
    }
}

static void test_loops__refuse_edges_between_frames(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 1);
    struct output x = net_placeholder(&n), y = net_op1(&n, "Neg", x);
    struct net_loop l = {.n = &n, .frame = "w"};
    struct net_var v = net_loop_var(&l, x);
    net_loop_cond(&l, net_op2(&n, "Less", v.now, y), &v, 1);
    struct output end = net_loop_end(&l, &v, net_op1(&n, "Neg", v.body));
    struct status st = {0};
    (void)net_run(&n, x, 1, end, &st);
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(status_message(&st), "different frames"));
    status_clear(&st);
    net_release(&n);
}

#define TEST(name) cmocka_unit_test(test_loops__##name)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(run_on_one_device),
        TEST(every_way_to_spread_a_loop_over_devices),
        TEST(nest),
        TEST(in_a_branch_that_may_be_dead),
        TEST(with_branches_inside),
        TEST(fail_as_a_whole),
        TEST(end_with_what_is_inside),
        TEST(refuse_to_wait_for_what_never_comes),
        TEST(refuse_edges_between_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
