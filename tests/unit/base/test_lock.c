/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and conditions between threads; the rank rule where it is compiled in. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/event.h"
#include "base/lock.h"
#include "death.h"

static struct lock shared = LOCK_INIT("shared", LOCK_RANK_KERNEL);
static int64_t counter; /* shared */

static void *count_up(void *arg UNUSED)
{
    for (int i = 0; i < 20000; i++) {
        lock_take(&shared);
        counter++;
        lock_drop(&shared);
    }
    return NULL;
}

static void test_lock__excludes(void **state UNUSED)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(counter, 80000);
}

struct turns {
    struct lock lock;
    struct cond changed;
    int turn; /* lock */
};

static void *answer(void *arg)
{
    struct turns *t = arg;
    for (int i = 0; i < 500; i++) {
        lock_take(&t->lock);
        while (t->turn % 2 == 0)
            cond_wait(&t->changed, &t->lock);
        t->turn++;
        cond_signal(&t->changed);
        lock_drop(&t->lock);
    }
    return NULL;
}

static void test_lock__conditions_hand_turns_over(void **state UNUSED)
{
    struct turns t = {0};
    lock_init(&t.lock, "turns", LOCK_RANK_STEP);
    cond_init(&t.changed);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, answer, &t), 0);
    for (int i = 0; i < 500; i++) {
        lock_take(&t.lock);
        while (t.turn % 2 == 1)
            assert_true(cond_wait_until(&t.changed, &t.lock, INT64_MAX));
        t.turn++;
        cond_broadcast(&t.changed);
        lock_drop(&t.lock);
    }
    pthread_join(other, NULL);
    assert_int_equal(t.turn, 1000);
    cond_release(&t.changed);
    lock_release_memory(&t.lock);
}

/* Each event lies on the stack of who waits for it, and is gone as soon as it has happened. */
struct asked {
    struct lock lock;
    struct event *event; /* lock; NULL: nobody waits */
    int64_t *answer;     /* lock */
};

static void *answer_events(void *arg)
{
    struct asked *a = arg;
    for (int64_t i = 0; i < 500;) {
        lock_take(&a->lock);
        struct event *e = a->event;
        int64_t *answer = a->answer;
        a->event = NULL;
        lock_drop(&a->lock);
        if (!e)
            continue;
        *answer = ++i;
        event_set(e);
    }
    return NULL;
}

static void test_lock__events_happen_once(void **state UNUSED)
{
    struct asked a = {0};
    pthread_t other;
    lock_init(&a.lock, "asked", LOCK_RANK_LEAF);
    assert_int_equal(pthread_create(&other, NULL, answer_events, &a), 0);
    for (int64_t i = 1; i <= 500; i++) {
        int64_t answer = 0;
        struct event e = {0};
        lock_take(&a.lock);
        a.event = &e;
        a.answer = &answer;
        lock_drop(&a.lock);
        assert_true(event_wait_or_stop(&e));
        assert_int_equal(answer, i);
        assert_true(event_wait_or_stop(&e));
    }
    pthread_join(other, NULL);
    lock_release_memory(&a.lock);
}

static bool say_stop(void *asked)
{
    ++*(int *)asked;
    return true;
}

static void test_lock__events_ask_whether_to_stop(void **state UNUSED)
{
    struct event e = {0};
    int asked = 0;
    thread_set_stop(say_stop, &asked);
    assert_false(event_wait_or_stop(&e));
    assert_int_equal(asked, 1);
    event_set(&e);
    assert_true(event_wait_or_stop(&e));
    assert_int_equal(asked, 1);
    thread_set_stop(NULL, NULL);
}

static void test_lock__deadlines_pass(void **state UNUSED)
{
    struct turns t = {0};
    lock_init(&t.lock, "turns", LOCK_RANK_STEP);
    cond_init(&t.changed);
    lock_take(&t.lock);
    assert_false(cond_wait_until(&t.changed, &t.lock, -5));
    assert_false(cond_wait_until(&t.changed, &t.lock, 0));
    int64_t deadline = clock_now_ns() + 3000000;
    while (cond_wait_until(&t.changed, &t.lock, deadline))
        continue;
    assert_true(clock_now_ns() >= deadline);
    lock_drop(&t.lock);
    cond_release(&t.changed);
    lock_release_memory(&t.lock);
}

static void test_lock__clocks(void **state UNUSED)
{
    int64_t a = clock_now_ns(), b = clock_now_ns();
    assert_true(a > 0 && b >= a);
    assert_true(clock_wall_us() > (int64_t)1500000000 * 1000000);
}

#ifdef LEAT_ASSERTS

static struct lock low = LOCK_INIT("lowly", LOCK_RANK_SESSION);
static struct lock high = LOCK_INIT("lofty", LOCK_RANK_POOL);

static void take_falling(void *arg UNUSED)
{
    lock_take(&high);
    lock_take(&low);
}

static struct lock variables[2] = {LOCK_INIT("first", LOCK_RANK_VARIABLE),
                                   LOCK_INIT("second", LOCK_RANK_VARIABLE)};

static void take_variables(void *arg)
{
    int first = *(int *)arg;
    lock_take(&variables[first]);
    lock_take(&variables[1 - first]);
    lock_drop(&variables[0]);
    lock_drop(&variables[1]);
}

static void take_twice(void *arg UNUSED)
{
    lock_take(&low);
    lock_take(&low);
}

static void drop_untaken(void *arg UNUSED)
{
    lock_drop(&low);
}

/* Out of order: the drops may be in any order, and the rule is about what is still held. */
static void take_rising(void *arg UNUSED)
{
    lock_take(&low);
    lock_take(&high);
    lock_drop(&low);
    lock_drop(&high);
    lock_take(&low);
    lock_drop(&low);
}

static void test_lock__ranks_only_rise(void **state UNUSED)
{
    char text[512];
    int status = run_in_child(take_falling, NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "lowly"));
    assert_non_null(strstr(text, "lofty"));
    status = run_in_child(take_twice, NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = run_in_child(drop_untaken, NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    int first = 0; /* variables rise by address */
    assert_int_equal(run_in_child(take_variables, &first, text, sizeof text), 0);
    first = 1;
    status = run_in_child(take_variables, &first, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_int_equal(run_in_child(take_rising, NULL, text, sizeof text), 0);
}

#else

static void test_lock__ranks_only_rise(void **state UNUSED)
{
    skip(); /* not compiled in */
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock__excludes),
        cmocka_unit_test(test_lock__conditions_hand_turns_over),
        cmocka_unit_test(test_lock__events_happen_once),
        cmocka_unit_test(test_lock__events_ask_whether_to_stop),
        cmocka_unit_test(test_lock__deadlines_pass),
        cmocka_unit_test(test_lock__clocks),
        cmocka_unit_test(test_lock__ranks_only_rise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
