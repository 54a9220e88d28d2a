/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: each block once, the same blocks for any thread count, closures, forks, signals. No
 * test depends on which thread got there first. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <float.h>
#include <math.h>
#include <sched.h>
#include <signal.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "base/lock.h"
#include "base/pool.h"
#include "death.h"

#define DEAR 1e6 /* ns an item: worth any waking */

enum { MAX_N = 5000 };

struct seen {
    int64_t n, grain;
    int marks[MAX_N]; /* each item once: written by its block alone */
    int num_bad;      /* atomic; blocks that were not where they belong */
    int num_blocks;   /* atomic */
};

static void mark(void *arg, int64_t begin, int64_t end)
{
    struct seen *s = arg;
    bool ok = begin % s->grain == 0 && end == min_i64(begin + s->grain, s->n) && begin < end;
    __atomic_fetch_add(&s->num_bad, !ok, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->num_blocks, 1, __ATOMIC_RELAXED);
    for (int64_t i = begin; i < end; i++)
        s->marks[i]++;
}

static void check_loop(struct pool *p, int64_t n, int64_t grain, double cost_ns)
{
    static __thread struct seen s;
    s = (struct seen){.n = n, .grain = grain};
    pool_loop(p, n, grain, cost_ns, mark, &s);
    assert_int_equal(s.num_bad, 0);
    assert_int_equal(s.num_blocks, (n + grain - 1) / grain);
    for (int64_t i = 0; i < n; i++)
        if (s.marks[i] != 1)
            fail_msg("item %d of %d by %d was done %d times", (int)i, (int)n, (int)grain,
                     s.marks[i]);
}

static void test_pool__each_block_once(void **state UNUSED)
{
    static const int64_t ns[] = {0, 1, 2, 7, 64, 999, 1000, 1001, MAX_N};
    static const int64_t grains[] = {1, 2, 3, 64, 1000, MAX_N};
    static const double costs[] = {0, -1, 1, 100, DEAR};
    for (int threads = 1; threads <= 5; threads += 2) {
        struct pool *p = pool_new("test", threads);
        for (size_t i = 0; i < ARRAY_LEN(ns); i++)
            for (size_t k = 0; k < ARRAY_LEN(grains); k++)
                for (size_t c = 0; c < ARRAY_LEN(costs); c++)
                    check_loop(p, ns[i], grains[k], costs[c]);
        pool_free(p);
    }
    check_loop(NULL, 1000, 7, DEAR);
}

static void count_calls(void *arg, int64_t begin, int64_t end)
{
    assert_true(begin < end);
    ++*(int *)arg;
}

static void test_pool__odd_arguments(void **state UNUSED)
{
    int calls = 0;
    pool_loop(NULL, -5, 1, 1, count_calls, &calls);
    assert_int_equal(calls, 0);
    pool_loop(NULL, 3, 0, 1, count_calls, &calls);
    assert_int_equal(calls, 3);
    pool_loop(NULL, INT64_MAX, INT64_MAX - 1, 1e300, count_calls, &calls);
    assert_int_equal(calls, 5);
    struct pool *p = pool_new("test", 2);
    calls = 0;
    pool_loop(p, 10, 2, NAN, count_calls, &calls); /* nobody else takes part */
    assert_int_equal(calls, 5);
    pool_free(p);
    pool_free(NULL);
}

/* Sums in blocks, combined in order. */
struct sums {
    const float *x;
    int64_t grain;
    float partial[MAX_N];
};

static void sum_block(void *arg, int64_t begin, int64_t end)
{
    struct sums *s = arg;
    float sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += s->x[i];
    s->partial[begin / s->grain] = sum;
}

static void test_pool__sums_do_not_depend_on_threads(void **state UNUSED)
{
    static float x[MAX_N];
    for (int i = 0; i < MAX_N; i++)
        x[i] = 1.0f / (float)(i * 7 % 1013 + 1);
    float first = 0;
    for (int threads = 1; threads <= 6; threads++) {
        struct pool *p = pool_new("test", threads);
        static struct sums s;
        s = (struct sums){.x = x, .grain = 37};
        pool_loop(p, MAX_N, s.grain, DEAR, sum_block, &s);
        float sum = 0;
        for (int64_t b = 0; b * s.grain < MAX_N; b++)
            sum += s.partial[b];
        if (threads == 1)
            first = sum;
        assert_true(sum == first);
        pool_free(p);
    }
}

/* A loop of two blocks that each wait for the other: only two threads can end it. */
static void meet(void *arg, int64_t begin UNUSED, int64_t end UNUSED)
{
    int *here = arg;
    __atomic_fetch_add(here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(here, __ATOMIC_SEQ_CST) % 2 != 0)
        sched_yield();
}

static void test_pool__dear_loops_are_shared(void **state UNUSED)
{
    struct pool *p = pool_new("test", 2);
    for (int i = 0; i < 200; i++) {
        int here = 0;
        pool_loop(p, 2, 1, DEAR, meet, &here);
        assert_int_equal(here, 2);
        if (i % 20 == 0) /* let the worker fall asleep: it has to be woken then */
            usleep(300);
    }
    pool_free(p);
}

static void meet_many(void *arg, int64_t begin UNUSED, int64_t end UNUSED)
{
    int *here = arg;
    __atomic_fetch_add(here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(here, __ATOMIC_SEQ_CST) < 12)
        sched_yield();
}

static void test_pool__a_loop_wakes_as_many_as_it_has_blocks(void **state UNUSED)
{
    struct pool *p = pool_new("test", 12);
    for (int i = 0; i < 10; i++) {
        int here = 0;
        pool_loop(p, 12, 1, DEAR, meet_many, &here);
        assert_int_equal(here, 12);
        usleep(200);
    }
    pool_free(p);
}

static void note_thread(void *arg, int64_t begin, int64_t end UNUSED)
{
    ((pthread_t *)arg)[begin] = pthread_self();
}

static void test_pool__cheap_loops_stay_with_the_caller(void **state UNUSED)
{
    struct pool *p = pool_new("test", 4);
    pthread_t threads[100];
    pool_loop(p, 100, 1, 100, note_thread, threads);
    for (int i = 0; i < 100; i++)
        assert_true(pthread_equal(threads[i], pthread_self()));
    assert_true(pool_ok(p));
    pool_free(p);
}

struct nest {
    struct pool *pool;
    int num_strayed; /* atomic; inner blocks on another thread than the outer one's */
    int64_t total;   /* atomic */
};

struct inner {
    struct nest *nest;
    pthread_t thread;
};

static void inner_block(void *arg, int64_t begin, int64_t end)
{
    struct inner *in = arg;
    bool strayed = !pthread_equal(in->thread, pthread_self()) || !pool_in_loop();
    __atomic_fetch_add(&in->nest->num_strayed, strayed, __ATOMIC_RELAXED);
    __atomic_fetch_add(&in->nest->total, end - begin, __ATOMIC_RELAXED);
}

static void outer_block(void *arg, int64_t begin UNUSED, int64_t end UNUSED)
{
    struct inner in = {arg, pthread_self()};
    pool_loop(in.nest->pool, 100, 3, DEAR, inner_block, &in);
}

static void test_pool__inner_loops_run_where_they_are(void **state UNUSED)
{
    struct nest nest = {.pool = pool_new("test", 3)};
    assert_false(pool_in_loop());
    pool_loop(nest.pool, 50, 1, DEAR, outer_block, &nest);
    assert_false(pool_in_loop());
    assert_int_equal(nest.num_strayed, 0);
    assert_int_equal(nest.total, 5000);
    pool_free(nest.pool);
}

static void *call_loops(void *arg)
{
    for (int i = 0; i < 60; i++)
        check_loop(arg, 1000 + i, 11, DEAR);
    return NULL;
}

static void test_pool__many_callers_at_once(void **state UNUSED)
{
    /* more callers than there are slots for shared loops */
    enum { CALLERS = 40 };
    struct pool *p = pool_new("test", 3);
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_loops, p), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    pool_free(p);
}

/* The first block of a loop that stays open until the other caller has run all of its loops. */
struct held_open {
    struct pool *pool;
    int others_done; /* atomic */
};

static void wait_for_others(void *arg, int64_t begin UNUSED, int64_t end UNUSED)
{
    struct held_open *h = arg;
    while (!__atomic_load_n(&h->others_done, __ATOMIC_SEQ_CST))
        sched_yield();
}

static void *call_loops_then_tell(void *arg)
{
    struct held_open *h = arg;
    call_loops(h->pool);
    __atomic_store_n(&h->others_done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void test_pool__a_slow_loop_holds_up_no_other_caller(void **state UNUSED)
{
    struct held_open h = {.pool = pool_new("test", 3)};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, call_loops_then_tell, &h), 0);
    pool_loop(h.pool, 3, 1, DEAR, wait_for_others, &h);
    pthread_join(other, NULL);
    pool_free(h.pool);
}

/* ---- closures ---- */

struct tally {
    struct lock lock;
    struct cond changed;
    struct pool *pool;
    int num_run, num_on_caller, num_more; /* lock */
    pthread_t caller;
};

static void tally_init(struct tally *t, int threads)
{
    *t = (struct tally){.pool = pool_new("test", threads), .caller = pthread_self()};
    lock_init(&t->lock, "tally", LOCK_RANK_KERNEL);
    cond_init(&t->changed);
}

static void tally_wait(struct tally *t, int num_run)
{
    lock_take(&t->lock);
    while (t->num_run < num_run)
        cond_wait(&t->changed, &t->lock);
    lock_drop(&t->lock);
}

static void tally_release(struct tally *t)
{
    pool_free(t->pool);
    cond_release(&t->changed);
    lock_release_memory(&t->lock);
}

static void run_one(void *arg)
{
    struct tally *t = arg;
    lock_take(&t->lock);
    t->num_run++;
    t->num_on_caller += pthread_equal(t->caller, pthread_self()) != 0;
    bool more = t->num_more > 0;
    t->num_more -= more;
    cond_broadcast(&t->changed);
    lock_drop(&t->lock);
    if (more)
        pool_submit(t->pool, run_one, t);
}

static void test_pool__closures_run_elsewhere(void **state UNUSED)
{
    for (int threads = 1; threads <= 4; threads++) {
        struct tally t;
        tally_init(&t, threads);
        for (int i = 0; i < 1000; i++)
            pool_submit(t.pool, run_one, &t);
        tally_wait(&t, 1000);
        usleep(200); /* asleep by now, most likely */
        pool_submit(t.pool, run_one, &t);
        tally_wait(&t, 1001);
        assert_int_equal(t.num_on_caller, 0);
        tally_release(&t);
    }
}

static void test_pool__free_runs_what_is_queued(void **state UNUSED)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct tally t;
        tally_init(&t, threads);
        t.num_more = 100; /* some submit others while the pool is being freed */
        for (int i = 0; i < 500; i++)
            pool_submit(t.pool, run_one, &t);
        pool_free(t.pool);
        t.pool = NULL;
        assert_int_equal(t.num_run, 600);
        tally_release(&t);
    }
}

static void loop_inside(void *arg)
{
    struct tally *t = arg;
    check_loop(t->pool, 2000, 9, DEAR);
    run_one(t);
}

static void test_pool__closures_may_run_loops(void **state UNUSED)
{
    struct tally t;
    tally_init(&t, 3);
    for (int i = 0; i < 50; i++) {
        pool_submit(t.pool, loop_inside, &t);
        check_loop(t.pool, 500, 9, DEAR);
    }
    tally_wait(&t, 50);
    tally_release(&t);
}

static void test_pool__without_threads_the_caller_does_it(void **state UNUSED)
{
    struct tally t;
    tally_init(&t, 4);
    assert_true(failpoint_set("pool_thread", "on"));
    check_loop(t.pool, 1000, 10, DEAR);
    pool_submit(t.pool, run_one, &t);
    assert_int_equal(t.num_on_caller, 1);
    failpoint_clear_all();
    pool_submit(t.pool, run_one, &t);
    tally_wait(&t, 2);
    assert_int_equal(t.num_on_caller, 1);
    tally_release(&t);
}

/* ---- its threads ---- */

static void look_at_thread(void *arg)
{
    struct tally *t = arg;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    int wrong = !sigismember(&mask, SIGTERM) + !sigismember(&mask, SIGUSR1) +
                !sigismember(&mask, SIGPROF) + sigismember(&mask, SIGSEGV);
    volatile float smallest = FLT_MIN, half = 0.5f;
#if defined(__x86_64__) || defined(__aarch64__)
    wrong += smallest * half != 0;
#endif
    lock_take(&t->lock);
    t->num_more = wrong;
    lock_drop(&t->lock);
}

static void test_pool__threads_block_signals_and_flush_denormals(void **state UNUSED)
{
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    struct tally t;
    tally_init(&t, 2);
    t.num_more = -1;
    pool_submit(t.pool, look_at_thread, &t);
    pool_free(t.pool);
    t.pool = NULL;
    assert_int_equal(t.num_more, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < 32; s++)
        assert_int_equal(sigismember(&before, s), sigismember(&after, s));
    tally_release(&t);
}

static void test_pool__thread_counts(void **state UNUSED)
{
    assert_true(pool_default_threads() >= 1);
    static const int asked[] = {0, 1, 3, 1000000};
    for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
        struct pool *p = pool_new("a name longer than any thread's", asked[i]);
        assert_int_equal(pool_num_threads(p), asked[i] == 0   ? pool_default_threads()
                                              : asked[i] <= 3 ? asked[i]
                                                              : 1024);
        pool_free(p);
    }
}

static void test_pool__grain_is_a_rule_of_shape(void **state UNUSED)
{
    assert_int_equal(pool_grain(0, 1), 1);
    assert_int_equal(pool_grain(-3, 1), 1);
    assert_int_equal(pool_grain(1000, 1), 1000);
    assert_int_equal(pool_grain(1000, 1e9), 1);
    assert_int_equal(pool_grain(1000, 1000), 50);
    assert_int_equal(pool_grain(1000000, 0), 1000000);
    assert_int_equal(pool_grain(1000000, -1), 1000000);
    assert_int_equal(pool_grain(1000000, 1e-300), 1000000);
    assert_int_equal(pool_grain(1000000, 1), 50048);
    assert_int_equal(pool_grain(INT64_MAX, 1) % 64, 0);
    assert_int_equal(pool_grain(600, 50000.0 / 590), 600);
}

/* ---- forks ---- */

static void child_of_used_pool(void *arg)
{
    struct tally *t = arg;
    t->caller = pthread_self();
    bool ok = !pool_ok(t->pool);
    check_loop(t->pool, 1000, 10, DEAR);
    t->num_run = t->num_on_caller = t->num_more = 0;
    pool_submit(t->pool, run_one, t);
    ok = ok && t->num_on_caller == 1;
    pool_free(t->pool);
    _exit(ok ? 7 : 8);
}

static void child_of_fresh_pool(void *arg)
{
    struct tally *t = arg;
    bool ok = pool_ok(t->pool);
#ifndef __SANITIZE_THREAD__ /* which refuses threads in the child of a process that had some */
    int here = 0;
    pool_loop(t->pool, 2, 1, DEAR, meet, &here);
    ok = ok && here == 2 && pool_ok(t->pool);
#endif
    pool_free(t->pool);
    _exit(ok ? 7 : 8);
}

static void test_pool__after_fork(void **state UNUSED)
{
    char text[256];
    struct tally used, fresh;
    if (getenv("LEAT_EMULATED"))
        skip(); /* qemu-user starts no threads in the child of a process that had some */
    tally_init(&used, 3);
    tally_init(&fresh, 3);
    check_loop(used.pool, 1000, 10, DEAR);
    assert_int_equal(WEXITSTATUS(run_in_child(child_of_fresh_pool, &fresh, text, 256)), 7);
    assert_int_equal(WEXITSTATUS(run_in_child(child_of_used_pool, &used, text, 256)), 7);
    assert_true(pool_ok(used.pool));
    assert_true(pool_ok(fresh.pool));
    check_loop(used.pool, 1000, 10, DEAR);
    tally_release(&used);
    tally_release(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool__each_block_once),
        cmocka_unit_test(test_pool__odd_arguments),
        cmocka_unit_test(test_pool__sums_do_not_depend_on_threads),
        cmocka_unit_test(test_pool__dear_loops_are_shared),
        cmocka_unit_test(test_pool__a_loop_wakes_as_many_as_it_has_blocks),
        cmocka_unit_test(test_pool__cheap_loops_stay_with_the_caller),
        cmocka_unit_test(test_pool__inner_loops_run_where_they_are),
        cmocka_unit_test(test_pool__many_callers_at_once),
        cmocka_unit_test(test_pool__a_slow_loop_holds_up_no_other_caller),
        cmocka_unit_test(test_pool__closures_run_elsewhere),
        cmocka_unit_test(test_pool__free_runs_what_is_queued),
        cmocka_unit_test(test_pool__closures_may_run_loops),
        cmocka_unit_test(test_pool__without_threads_the_caller_does_it),
        cmocka_unit_test(test_pool__threads_block_signals_and_flush_denormals),
        cmocka_unit_test(test_pool__thread_counts),
        cmocka_unit_test(test_pool__grain_is_a_rule_of_shape),
        cmocka_unit_test(test_pool__after_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
