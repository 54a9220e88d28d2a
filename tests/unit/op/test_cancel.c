/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation: callbacks once, removal that waits, parents and children, threads. */
#include <pthread.h>

#include "op/cancel.h"
#include "op_fixture.h"

static struct status st;

static void count(void *arg)
{
    __atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

static void test_cancel__calls_each_callback_once(void **state UNUSED)
{
    int a = 0, b = 0;
    struct cancel *c = cancel_new(NULL);
    assert_true(cancel_check(c, &st));
    assert_true(cancel_check(NULL, &st));
    uint64_t ta = cancel_add(c, count, &a), tb = cancel_add(c, count, &b);
    assert_true(ta != 0 && tb != 0 && ta != tb);
    assert_true(cancel_remove(c, ta));
    assert_false(cancel_remove(c, ta));
    cancel_fire(c, STATUS_DEADLINE_EXCEEDED, "too slow");
    cancel_fire(c, STATUS_CANCELLED, "again");
    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    assert_false(cancel_remove(c, tb));
    assert_true(cancel_fired(c));
    assert_false(cancel_check(c, &st));
    assert_failed_with(&st, STATUS_DEADLINE_EXCEEDED, "too slow");
    assert_int_equal(cancel_add(c, count, &a), 0);
    assert_false(cancel_remove(c, 0));
    assert_int_equal(a, 0);
    cancel_unref(c);
    cancel_unref(NULL);
}

static void test_cancel__children_follow_their_parent(void **state UNUSED)
{
    int n = 0;
    struct cancel *parent = cancel_new(NULL), *child = cancel_new(parent);
    struct cancel *gone = cancel_new(parent);
    cancel_unref(gone);
    cancel_add(child, count, &n);
    cancel_fire(parent, STATUS_ABORTED, "parent");
    assert_int_equal(n, 1);
    assert_false(cancel_check(child, &st));
    assert_failed_with(&st, STATUS_ABORTED, "parent");
    struct cancel *late = cancel_new(parent);
    assert_true(cancel_fired(late));
    cancel_unref(parent); /* the children hold it */
    cancel_unref(late);
    cancel_unref(child);
}

static void test_cancel__a_child_alone_does_not_reach_its_parent(void **state UNUSED)
{
    struct cancel *parent = cancel_new(NULL), *child = cancel_new(parent);
    cancel_fire(child, STATUS_OK, NULL);
    assert_false(cancel_fired(parent));
    assert_false(cancel_check(child, &st));
    assert_failed_with(&st, STATUS_CANCELLED, "cancelled");
    cancel_unref(child);
    cancel_unref(parent);
}

struct self {
    struct cancel *child;
    uint64_t token;
    bool removed;
};

static void remove_self(void *arg)
{
    struct self *s = arg;
    s->removed = cancel_remove(s->child, s->token);
    cancel_unref(s->child); /* the user's last one, while parent and child are firing */
}

static void test_cancel__a_callback_may_end_what_calls_it(void **state UNUSED)
{
    struct cancel *parent = cancel_new(NULL);
    struct self s = {.child = cancel_new(parent), .removed = true};
    s.token = cancel_add(s.child, remove_self, &s);
    cancel_fire(parent, STATUS_CANCELLED, "x");
    assert_false(s.removed);
    cancel_unref(parent);
}

struct racer {
    struct cancel *c;
    int runs, bad;
};

static void *add_and_remove(void *arg)
{
    struct racer *r = arg;
    for (int i = 0; i < 300; i++) {
        int hits = 0;
        struct cancel *child = cancel_new(r->c);
        uint64_t token = cancel_add(child, count, &hits);
        bool removed = cancel_remove(child, token);
        /* hits lies on this stack: after the removal nobody may write to it */
        if (token && removed == (__atomic_load_n(&hits, __ATOMIC_RELAXED) > 0))
            r->bad++;
        cancel_unref(child);
        __atomic_fetch_add(&r->runs, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void test_cancel__removal_waits_for_a_running_callback(void **state UNUSED)
{
    for (int round = 0; round < 5; round++) {
        struct cancel *c = cancel_new(NULL);
        struct racer racers[3];
        pthread_t threads[3];
        for (int i = 0; i < 3; i++) {
            racers[i] = (struct racer){.c = c};
            assert_int_equal(pthread_create(&threads[i], NULL, add_and_remove, &racers[i]), 0);
        }
        while (__atomic_load_n(&racers[0].runs, __ATOMIC_RELAXED) < 50 * round)
            sched_yield();
        cancel_fire(c, STATUS_CANCELLED, "race");
        for (int i = 0; i < 3; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(racers[i].bad, 0);
        }
        cancel_unref(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel__calls_each_callback_once),
        cmocka_unit_test(test_cancel__children_follow_their_parent),
        cmocka_unit_test(test_cancel__a_child_alone_does_not_reach_its_parent),
        cmocka_unit_test(test_cancel__a_callback_may_end_what_calls_it),
        cmocka_unit_test(test_cancel__removal_waits_for_a_running_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
