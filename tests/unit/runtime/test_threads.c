/* SPDX-License-Identifier: Apache-2.0 */
/* One session and its graph from many threads: steps beside new nodes, beside steps that run out of
 * time, and while the session closes. Under tsan it says whether what they share is guarded. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/runtime/net.h"

enum { THREADS = 6, ROUNDS = 40 };

struct crowd {
    struct net n;
    struct output x, next, endless;
    pthread_barrier_t begun; /* every thread has done a step */
    int wrong;               /* atomic */
};

struct member {
    struct crowd *c;
    int id;
    pthread_t thread;
};

static void count_wrong(struct crowd *c, bool holds)
{
    if (!holds)
        __atomic_fetch_add(&c->wrong, 1, __ATOMIC_RELAXED);
}

/* x + 1; and a loop that goes on until the step is stopped, across two devices. */
static void crowd_init(struct crowd *c)
{
    net_init(&c->n, 2, 3);
    struct net *n = &c->n;
    c->x = net_placeholder(n);
    c->next = net_op2(n, "Add", c->x, net_const(n, 1, (struct output){0}));
    struct net_loop l = {.n = n, .frame = "endless"};
    struct net_var v = net_loop_var(&l, c->x);
    struct output end = net_loop_invariant(&l, net_const(n, 1e30f, (struct output){0}));
    net_loop_cond(&l, net_op2(n, "Less", v.now, end), &v, 1);
    n->device = "/cpu:1";
    struct output more = net_op2(n, "Add", v.body, net_const(n, 1, v.body));
    n->device = NULL;
    c->endless = net_loop_end(&l, &v, more);
    assert_int_equal(pthread_barrier_init(&c->begun, NULL, THREADS + 1), 0);
}

static void crowd_release(struct crowd *c)
{
    pthread_barrier_destroy(&c->begun);
    net_release(&c->n);
}

static void start(struct crowd *c, struct member *m, void *(*work)(void *))
{
    for (int i = 0; i < THREADS; i++) {
        m[i] = (struct member){.c = c, .id = i};
        assert_int_equal(pthread_create(&m[i].thread, NULL, work, &m[i]), 0);
    }
}

static void join(struct member *m)
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(m[i].thread, NULL);
}

/* The code that a step ends with; *got is its value when that is OK. */
static int step(struct crowd *c, struct output fetch, float v, const struct run_options *o,
                float *got)
{
    struct status st = {0};
    struct tensor feed = {0}, out = {0};
    struct run_args a = {.feeds = &c->x,
                         .feed_values = &feed,
                         .num_feeds = 1,
                         .fetches = &fetch,
                         .fetch_values = &out,
                         .num_fetches = 1,
                         .options = o};
    bool ok = tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st) && session_run(c->n.s, &a, &st);
    int code = st.code;
    *got = ok ? tensor_f32(&out)[0] : 0;
    status_clear(&st);
    tensor_clear(&feed);
    tensor_clear(&out);
    return code;
}

static void step_right(struct crowd *c, int round)
{
    float v = (float)(round % 5), got;
    count_wrong(c, step(c, c->next, v, NULL, &got) == STATUS_OK && got == v + 1);
}

/* --- the graph grows while it runs --- */

static void *step_or_build(void *arg)
{
    struct member *m = arg;
    struct net mine = m->c->n; /* the same graph and session */
    struct output last = m->c->x;
    for (int k = 0; k < ROUNDS; k++) {
        if (m->id % 2 == 0) {
            step_right(m->c, k);
            continue;
        }
        float got;
        last = net_op2(&mine, "Add", last, net_const(&mine, 2, (struct output){0}));
        count_wrong(m->c,
                    step(m->c, last, 1, NULL, &got) == STATUS_OK && got == 1 + 2 * (float)(k + 1));
    }
    return NULL;
}

static void test_threads__step_beside_new_nodes(void **state)
{
    (void)state;
    struct crowd c = {0};
    struct member m[THREADS];
    crowd_init(&c);
    start(&c, m, step_or_build);
    join(m);
    assert_int_equal(c.wrong, 0);
    crowd_release(&c);
}

/* --- some steps run out of time --- */

static void *step_or_run_out(void *arg)
{
    struct member *m = arg;
    struct run_options o = {.timeout_ms = 5 + m->id};
    float got;
    for (int k = 0; k < ROUNDS / 4; k++) {
        if (m->id % 2 == 0)
            step_right(m->c, k);
        else
            count_wrong(m->c, step(m->c, m->c->endless, 0, &o, &got) == STATUS_DEADLINE_EXCEEDED);
    }
    return NULL;
}

static void test_threads__step_beside_steps_that_time_out(void **state)
{
    (void)state;
    struct crowd c = {0};
    struct member m[THREADS];
    crowd_init(&c);
    start(&c, m, step_or_run_out);
    join(m);
    assert_int_equal(c.wrong, 0);
    crowd_release(&c);
}

/* --- the session closes --- */

static void *step_until_closed(void *arg)
{
    struct member *m = arg;
    float got;
    step_right(m->c, 1);
    pthread_barrier_wait(&m->c->begun);
    int code = STATUS_OK;
    while (code == STATUS_OK)
        code = step(m->c, m->id % 2 ? m->c->endless : m->c->next, 1, NULL, &got);
    count_wrong(m->c, code == STATUS_CANCELLED);
    return NULL;
}

static void test_threads__close_while_steps_run(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct crowd c = {0};
        struct member m[THREADS];
        struct status st = {0};
        crowd_init(&c);
        start(&c, m, step_until_closed);
        pthread_barrier_wait(&c.begun);
        net_must(session_close(c.n.s, &st), &st);
        join(m);
        assert_int_equal(c.wrong, 0);
        crowd_release(&c);
    }
}

#define TEST(name) cmocka_unit_test(test_threads__##name)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(step_beside_new_nodes),
        TEST(step_beside_steps_that_time_out),
        TEST(close_while_steps_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
