/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients through loops and branches against differences of values: powers, constants of the
 * loop, branches in loops, nests, loops that turn never, two variables that change places. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grad/grad_walk.h"
#include "net.h"

typedef struct output (*build_fn)(struct net *n, struct output x);

static const struct output none = {NULL, 0};

static struct output slope_of(struct net *n, struct output y, struct output x, struct status *st)
{
    struct grad_request r = {.ys = &y, .xs = &x, .num_ys = 1, .num_xs = 1, .dense = true};
    struct grad_value dx = {0};
    return grad_walk(n->g, &r, &dx, st) ? dx.values : none;
}

static void check_at(build_fn build, float x0)
{
    const float h = 1e-2f;
    struct status st = {0};
    struct net n;
    net_init(&n, 1, 2);
    struct output x = net_placeholder(&n), y = build(&n, x);
    struct output dx = slope_of(&n, y, x, &st);
    net_must(status_ok(&st), &st);
    const float got = net_run(&n, x, x0, dx, &st);
    net_must(status_ok(&st), &st);
    const float up = net_run(&n, x, x0 + h, y, &st), down = net_run(&n, x, x0 - h, y, &st);
    net_must(status_ok(&st), &st);
    const float want = (up - down) / (2 * h);
    if (!(fabsf(got - want) <= 2e-2f * (1 + fabsf(want))))
        print_error("at %g: slope %g, differences say %g\n", x0, got, want);
    assert_true(fabsf(got - want) <= 2e-2f * (1 + fabsf(want)));
    net_release(&n);
}

/* A loop of `turns` turns over one variable; body gets (v, turn, invariant of x). */
struct turn {
    struct net *n;
    struct output v, i, x;
};
static struct output repeat(struct net *n, const char *frame, float turns, struct output start,
                            struct output x, struct output (*body)(struct turn *t))
{
    struct net_loop l = {.n = n, .frame = frame};
    struct net_var vars[2] = {net_loop_var(&l, net_const(n, 0, start)), net_loop_var(&l, start)};
    struct output limit = net_loop_invariant(&l, net_const(n, turns, start));
    net_loop_cond(&l, net_op2(n, "Less", vars[0].now, limit), vars, 2);
    struct turn t = {n, vars[1].body, vars[0].body, net_loop_invariant(&l, x)};
    struct output next = body(&t);
    net_loop_end(&l, &vars[0], net_op2(n, "Add", vars[0].body, net_const(n, 1, vars[0].body)));
    return net_loop_end(&l, &vars[1], next);
}

static struct output times_x(struct turn *t)
{
    return net_op2(t->n, "Mul", t->v, t->x);
}

static struct output sine(struct turn *t)
{
    return net_op1(t->n, "Sin", net_op2(t->n, "Mul", t->v, net_op2(t->n, "Add", t->x, t->i)));
}

static struct output power(struct net *n, struct output x)
{
    return repeat(n, "power", 3, x, x, times_x);
}

static struct output never(struct net *n, struct output x)
{
    return repeat(n, "never", 0, x, x, times_x);
}

static struct output sines(struct net *n, struct output x)
{
    return repeat(n, "sines", 4, x, x, sine);
}

/* Below 1.5 turns the branch taken is v * x, then sin(v). */
static struct output branch(struct turn *t)
{
    struct net *n = t->n;
    struct output early = net_op2(n, "Less", t->i, net_const(n, 1.5f, t->i));
    struct node *v = net_op2(n, "Switch", t->v, early).node,
                *x = net_op2(n, "Switch", t->x, early).node;
    struct output yes = net_op2(n, "Mul", (struct output){v, 1}, (struct output){x, 1});
    struct output no = net_op1(n, "Sin", (struct output){v, 0});
    return net_merge(n, no, yes);
}

static struct output branches(struct net *n, struct output x)
{
    return repeat(n, "branches", 4, x, x, branch);
}

static struct output inner(struct turn *t)
{
    struct output v = repeat(t->n, "inner", 2, t->v, t->x, sine);
    return net_op2(t->n, "Mul", v, t->x);
}

static struct output nest(struct net *n, struct output x)
{
    return repeat(n, "outer", 3, x, x, inner);
}

static struct output middle(struct turn *t)
{
    return repeat(t->n, "middle", 2, net_op2(t->n, "Add", t->v, t->x), t->x, inner);
}

static struct output deep_nest(struct net *n, struct output x)
{
    return repeat(n, "top", 2, x, x, middle);
}

/* A loop in a branch of a loop. */
static struct output loop_in_branch_turn(struct turn *t)
{
    struct net *n = t->n;
    struct output early = net_op2(n, "Less", t->i, net_const(n, 1.5f, t->i));
    struct node *v = net_op2(n, "Switch", t->v, early).node,
                *x = net_op2(n, "Switch", t->x, early).node;
    struct net_loop l = {.n = n, .frame = "within"};
    struct net_var var = net_loop_var(&l, (struct output){v, 1});
    struct output by = net_loop_invariant(&l, (struct output){x, 1});
    net_loop_cond(&l, net_op2(n, "Less", var.now, net_const(n, 6, var.now)), &var, 1);
    struct output more = net_op2(n, "Add", net_op2(n, "Mul", var.body, var.body), by);
    struct output yes = net_op1(n, "Log", net_loop_end(&l, &var, more));
    struct output no = net_op1(n, "Sin", (struct output){v, 0});
    return net_merge(n, no, yes);
}

static struct output loop_in_branch(struct net *n, struct output x)
{
    return repeat(n, "around", 4, x, x, loop_in_branch_turn);
}

static struct output twice(struct net *n, struct output x)
{
    struct output y = repeat(n, "first", 2, x, x, times_x);
    return net_op2(n, "Mul", repeat(n, "second", 2, y, x, sine), y);
}

static struct output changing_places(struct net *n, struct output x)
{
    struct net_loop l = {.n = n, .frame = "swap"};
    struct net_var v[3] = {net_loop_var(&l, net_const(n, 0, none)), net_loop_var(&l, x),
                           net_loop_var(&l, net_op1(n, "Exp", x))};
    net_loop_cond(&l, net_op2(n, "Less", v[0].now, net_const(n, 3, v[0].now)), v, 3);
    net_loop_end(&l, &v[0], net_op2(n, "Add", v[0].body, net_const(n, 1, v[0].body)));
    struct output a = net_loop_end(&l, &v[1], v[2].body);
    net_loop_end(&l, &v[2], net_op2(n, "Mul", v[1].body, v[2].body));
    return a;
}

#define SLOPES(name)                                                                               \
    static void test_loop_gradients__##name(void **state)                                          \
    {                                                                                              \
        (void)state;                                                                               \
        check_at(name, 0.7f);                                                                      \
        check_at(name, 0.45f);                                                                     \
    }
SLOPES(power)
SLOPES(never)
SLOPES(sines)
SLOPES(branches)
SLOPES(nest)
SLOPES(deep_nest)
SLOPES(loop_in_branch)
SLOPES(twice)
SLOPES(changing_places)

static void test_loop_gradients__second_order_is_refused(void **state)
{
    (void)state;
    struct status st = {0};
    struct net n;
    net_init(&n, 1, 1);
    struct output x = net_placeholder(&n), y = sines(&n, x);
    struct output dx = slope_of(&n, y, x, &st);
    net_must(status_ok(&st), &st);
    slope_of(&n, dx, x, &st);
    assert_int_equal(st.code, STATUS_UNIMPLEMENTED);
    assert_non_null(strstr(st.message, "Second-order gradient for while loops not supported"));
    status_clear(&st);
    net_release(&n);
}

static int levels;

static struct output one_deeper(struct turn *t)
{
    if (levels-- > 0)
        return repeat(t->n, "deep", 1, t->v, t->x, one_deeper);
    return net_op2(t->n, "Mul", t->v, t->x);
}

static void test_loop_gradients__nests_that_are_too_deep_are_refused(void **state)
{
    (void)state;
    struct status st = {0};
    struct net n;
    net_init(&n, 1, 1);
    levels = 200;
    struct output x = net_placeholder(&n), y = repeat(&n, "deep", 1, x, x, one_deeper);
    slope_of(&n, y, x, &st);
    assert_int_equal(st.code, STATUS_UNIMPLEMENTED);
    assert_non_null(strstr(st.message, "nested deeper than"));
    status_clear(&st);
    net_release(&n);
}

static void test_loop_gradients__many_times_in_one_graph(void **state)
{
    (void)state;
    struct status st = {0};
    struct net n;
    net_init(&n, 1, 2);
    struct output x = net_placeholder(&n), y = nest(&n, x);
    float first = 0;
    for (int i = 0; i < 3; i++) {
        struct output dx = slope_of(&n, y, x, &st);
        net_must(status_ok(&st), &st);
        const float v = net_run(&n, x, 0.9f, dx, &st);
        net_must(status_ok(&st), &st);
        first = i ? first : v;
        assert_true(v == first);
    }
    net_release(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_gradients__power),
        cmocka_unit_test(test_loop_gradients__never),
        cmocka_unit_test(test_loop_gradients__sines),
        cmocka_unit_test(test_loop_gradients__branches),
        cmocka_unit_test(test_loop_gradients__nest),
        cmocka_unit_test(test_loop_gradients__deep_nest),
        cmocka_unit_test(test_loop_gradients__loop_in_branch),
        cmocka_unit_test(test_loop_gradients__twice),
        cmocka_unit_test(test_loop_gradients__changing_places),
        cmocka_unit_test(test_loop_gradients__second_order_is_refused),
        cmocka_unit_test(test_loop_gradients__nests_that_are_too_deep_are_refused),
        cmocka_unit_test(test_loop_gradients__many_times_in_one_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
