/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* Tasks that are killed while tensors travel by shared memory or by UCX: the step ends with the
 * error that names the task, the others live on, and what comes back is used again. Which step a
 * kill falls into is left to chance: each must end the same way. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "cluster.h"
#include "leat/leat.h"

enum { VALUES = 6000000, ROUNDS = 4, STEPS = 6 };

static struct faults_cluster c;
static struct faults_task *ps, *worker;

/* Many numbers of the ps, added up at the worker. */
static struct model {
    TF_Graph *g;
    TF_Status *s;
    TF_Session *session;
    TF_Output x, sum;
} m;

static void build(void)
{
    m = (struct model){.g = TF_NewGraph(), .s = TF_NewStatus()};
    TF_Output xs = {0};
    leat_with_device(m.g, "/job:ps/task:0") {
        m.x = leat_placeholder(m.g, .dtype = TF_FLOAT);
        xs = leat_fill(m.g, leat_const_ints(m.g, ((int32_t[]){VALUES}), leat_shape(1)), m.x);
    }
    leat_with_device(m.g, "/job:worker/task:0") {
        m.sum = leat_sum(m.g, xs, leat_const_int(m.g, 0));
    }
    m.session = leat_session_new(m.g, m.s, .target = faults_target(worker));
    assert_int_equal(TF_GetCode(m.s), TF_OK);
}

static void drop(void)
{
    leat_session_close(m.session);
    TF_DeleteGraph(m.g);
    TF_DeleteStatus(m.s);
    m = (struct model){0};
}

static bool step(float x)
{
    float got = 0;
    TF_SetStatus(m.s, TF_OK, "");
    leat_run(m.session, m.s, .feeds = leat_feeds(leat_feed_number(m.x, x)),
             .fetches = leat_fetches(leat_fetch(m.sum, &got, 1)));
    if (TF_GetCode(m.s) == TF_OK && got != VALUES * x)
        fail_msg("the sum is %g, not %g", (double)got, (double)(VALUES * x));
    return TF_GetCode(m.s) == TF_OK;
}

/* Until the tasks have found each other (anew). */
static void step_until_it_works(void)
{
    const int64_t until = clock_now_ns() + faults_deadline_ms() * 30000000;
    while (!step(1)) {
        if (clock_now_ns() > until)
            fail_msg("%d: %s", TF_GetCode(m.s), TF_Message(m.s));
        usleep(20000);
    }
}

static int steps_over;  /* atomic */
static int steps_until; /* the kill */

static void *killer(void *task)
{
    struct faults_task *t = task;
    while (__atomic_load_n(&steps_over, __ATOMIC_ACQUIRE) < steps_until)
        usleep(500);
    kill(t->pid, SIGKILL);
    return NULL;
}

/* The first ones fall into the making of the link, or near it. */
static void kill_between(struct faults_task *t, int round)
{
    pthread_t thread;
    int status;
    const int64_t from = clock_now_ns();
    steps_over = 0;
    steps_until = round * 2 % (STEPS + 1);
    assert_int_equal(pthread_create(&thread, NULL, killer, t), 0);
    while (step(2))
        __atomic_add_fetch(&steps_over, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&steps_over, STEPS, __ATOMIC_RELEASE);
    const int64_t ms = (clock_now_ns() - from) / 1000000;
    if (TF_GetCode(m.s) != TF_UNAVAILABLE || !strstr(TF_Message(m.s), t->job))
        fail_msg("%d: %s", TF_GetCode(m.s), TF_Message(m.s));
    if (ms > faults_deadline_ms() * 60) /* a machine may be slow; no hang is what counts */
        fail_msg("it took %lld ms", (long long)ms);
    pthread_join(thread, NULL);
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    t->pid = 0;
    faults_start(&c, t);
}

/* LEAT_TEST_ROUNDS: more of them. */
static int rounds(void)
{
    const char *text = getenv("LEAT_TEST_ROUNDS");
    return text ? (int)strtol(text, NULL, 10) : ROUNDS;
}

static void check_kills(const char *planes)
{
    if (!c.n)
        skip();
    setenv("LEAT_PLANES", planes, 1);
    faults_start_all(&c);
    build();
    for (int i = 0; i < rounds(); i++) {
        step_until_it_works();
        kill_between(ps, i);
        assert_int_equal(waitpid(worker->pid, NULL, WNOHANG), 0); /* it lives */
    }
    drop();
    for (int i = 0; i < rounds(); i++) { /* its master goes too */
        build();
        step_until_it_works();
        kill_between(worker, i);
        assert_int_equal(waitpid(ps->pid, NULL, WNOHANG), 0);
        drop();
    }
    build();
    step_until_it_works();
    for (int i = 0; i < STEPS; i++)
        assert_true(step((float)i));
    drop();
}

static void test_planes__tasks_killed_while_memory_is_read(void **state)
{
    (void)state;
    check_kills("shared");
}

static void test_planes__tasks_killed_while_ucx_sends(void **state)
{
    (void)state;
    check_kills("ucx");
}

static int set_up(void **state)
{
    (void)state;
    c = (struct faults_cluster){0};
    setenv("LEAT_PROTOCOL", "grpc+ucx", 1);
    setenv("LEAT_INSECURE", "1", 1); /* else there is no UCX; the addresses are the loopback's */
    setenv("UCX_TLS", "tcp", 1);
    setenv("UCX_NET_DEVICES", "lo", 1);
    if (!faults_available())
        return 0;
    faults_init(&c, 1, 1);
    ps = faults_task(&c, "ps", 0);
    worker = faults_task(&c, "worker", 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    unsetenv("LEAT_PLANES");
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_planes__tasks_killed_while_memory_is_read),
        TEST(test_planes__tasks_killed_while_ucx_sends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
