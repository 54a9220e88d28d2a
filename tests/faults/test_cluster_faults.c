/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* Tasks that are killed, frozen, restarted, late, not who they should be, or no tasks at all: each
 * time the step ends with the error that names the task, within the deadline and some slack, and
 * what is left of the cluster works on. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "cluster.h"
#include "leat/leat.h"

static struct faults_cluster c;
static struct faults_task *ps, *worker;

/* w on the ps, y = w + x on the worker, a queue on the ps that nobody fills. */
static struct model {
    TF_Graph *g;
    TF_Status *s;
    TF_Session *session;
    TF_Output w, x, y, taken;
    TF_Operation *init;
} m;

static void build(const char *target)
{
    static const TF_DataType types[] = {TF_FLOAT};
    m = (struct model){.g = TF_NewGraph(), .s = TF_NewStatus()};
    leat_with_device(m.g, "/job:ps/task:0") {
        m.w = leat_variable(m.g, "w", leat_const_float(m.g, 3));
        TF_Output q = leat_fifo_queue(m.g, .component_types = {types, 1});
        m.taken = leat_queue_dequeue(m.g, q, .component_types = {types, 1});
    }
    leat_with_device(m.g, "/job:worker/task:0") {
        m.x = leat_placeholder(m.g, .dtype = TF_FLOAT);
        m.y = leat_add(m.g, m.w, m.x);
    }
    m.init = leat_global_variables_initializer(m.g);
    m.session = leat_session_new(m.g, m.s, .target = target);
    assert_int_equal(TF_GetCode(m.s), TF_OK);
}

static void drop(void)
{
    leat_session_close(m.session);
    TF_DeleteGraph(m.g);
    TF_DeleteStatus(m.s);
    m = (struct model){0};
}

static void must(void)
{
    if (TF_GetCode(m.s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(m.s), TF_Message(m.s));
}

static void initialise(void)
{
    leat_run_op(m.session, m.init, leat_no_feeds(), m.s);
    must();
}

static float step(void)
{
    float got = 0;
    TF_SetStatus(m.s, TF_OK, "");
    leat_run(m.session, m.s, .feeds = leat_feeds(leat_feed_number(m.x, 2)),
             .fetches = leat_fetches(leat_fetch(m.y, &got, 1)));
    return got;
}

static float run_init(void)
{
    TF_SetStatus(m.s, TF_OK, "");
    leat_run_op(m.session, m.init, leat_no_feeds(), m.s);
    return 0;
}

/* Until it does not end for a task that is not seen again yet, or whose graphs are to be registered
 * anew. */
static float repeat(float (*f)(void))
{
    int64_t until = clock_now_ns() + faults_deadline_ms() * 30000000;
    for (;;) {
        float got = f();
        bool again = TF_GetCode(m.s) == TF_UNAVAILABLE || TF_GetCode(m.s) == TF_ABORTED;
        if (!again || clock_now_ns() > until)
            return got;
        usleep(20000);
    }
}

static void wait_in_queue(void)
{
    float got = 0;
    TF_SetStatus(m.s, TF_OK, "");
    leat_run(m.session, m.s, .fetches = leat_fetches(leat_fetch(m.taken, &got, 1)));
}

static void check(TF_Code code, const char *words)
{
    if (TF_GetCode(m.s) != code || !strstr(TF_Message(m.s), words))
        fail_msg("%d: %s", TF_GetCode(m.s), TF_Message(m.s));
}

static int set_up(void **state)
{
    (void)state;
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
    if (m.g)
        drop();
    faults_clear(&c);
    return 0;
}

/* Does it to the task in another process, once a step may be under way: when is not told, as any
 * instant has to do. */
static pid_t later(struct faults_task *t, int sig)
{
    pid_t pid = fork();
    if (pid == 0) {
        usleep((useconds_t)faults_deadline_ms() * 200);
        kill(t->pid, sig);
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

static void reap(struct faults_task *t, pid_t helper)
{
    int status;
    assert_int_equal(waitpid(helper, &status, 0), helper);
    if (!t)
        return;
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    t->pid = 0;
}

/* A wait on the ps's queue, while the task is killed or frozen. */
static void check_during_wait(struct faults_task *t, int sig, const char *words)
{
    faults_start_all(&c);
    build(faults_target(worker));
    initialise();
    int64_t from = clock_now_ns();
    pid_t helper = later(t, sig);
    wait_in_queue();
    int64_t ms = (clock_now_ns() - from) / 1000000;
    check(TF_UNAVAILABLE, words);
    if (ms > faults_deadline_ms() * 20) /* a machine may be slow; no hang is what counts */
        fail_msg("it took %lld ms", (long long)ms);
    reap(sig == SIGKILL ? t : NULL, helper);
}

static void test_cluster__ps_killed_in_a_step(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    check_during_wait(ps, SIGKILL, "/job:ps/replica:0/task:0 at 127.0.0.1:");
    faults_start(&c, ps);
    repeat(step);
    check(TF_FAILED_PRECONDITION, "uninitialized"); /* another ps: its state is gone */
    repeat(run_init);
    must();
    float y = repeat(step); /* its plan may be the old ps's still, ABORTED once more */
    must();
    assert_true(y == 5);
}

static void test_cluster__ps_frozen_in_a_step(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    check_during_wait(ps, SIGSTOP, "/job:ps/replica:0/task:0 at 127.0.0.1:");
    check(TF_UNAVAILABLE, "lost: no answer after ");
    faults_signal(ps, SIGCONT);
    repeat(step);
    must(); /* the same process: its state is there */
    assert_true(step() == 5);
}

static void test_cluster__master_killed_in_a_step(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    check_during_wait(worker, SIGKILL, "/job:worker/replica:0/task:0 at 127.0.0.1:");
}

static void test_cluster__master_frozen_in_a_step(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    check_during_wait(worker, SIGSTOP, "/job:worker/replica:0/task:0 at 127.0.0.1:");
}

static void test_cluster__ps_slow_to_start(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_start(&c, worker);
    build(faults_target(worker));
    TF_SetStatus(m.s, TF_OK, "");
    leat_session_close(m.session);
    m.session = leat_session_new(m.g, m.s, .target = faults_target(worker),
                                 .timeout_ms = faults_deadline_ms());
    leat_run_op(m.session, m.init, leat_no_feeds(), m.s);
    check(TF_DEADLINE_EXCEEDED, ""); /* nobody is there: the time of the step ends the wait */
    faults_start(&c, ps);
    leat_session_close(m.session);
    TF_SetStatus(m.s, TF_OK, "");
    m.session = leat_session_new(m.g, m.s, .target = faults_target(worker));
    initialise();
    assert_true(step() == 5);
}

static void test_cluster__two_tasks_with_one_index(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_start_all(&c);
    int port = worker->port; /* what should be the worker is the ps once more */
    faults_kill(worker);
    struct faults_cluster other = c;
    snprintf(other.spec, sizeof other.spec, "ps=127.0.0.1:%d", port);
    struct faults_task twin = {.job = "ps", .port = port};
    faults_start(&other, &twin);
    build(faults_target(ps));
    leat_session_close(m.session);
    m.session =
        leat_session_new(m.g, m.s, .target = faults_target(ps), .timeout_ms = faults_deadline_ms());
    TF_DeleteDeviceList(TF_SessionListDevices(m.session, m.s));
    assert_int_equal(TF_GetCode(m.s), TF_DEADLINE_EXCEEDED);
    faults_kill(&twin);
}

static int connect_to(const struct faults_task *t)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)t->port),
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
    return fd;
}

/* Garbage, connections that say nothing, and half a request: others are served all the same. */
static void test_cluster__garbage_on_the_port(void **state)
{
    static const char half[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0";
    int fds[40];
    (void)state;
    if (!c.n)
        skip();
    faults_start_all(&c);
    for (int i = 0; i < 40; i++) {
        char noise[512];
        for (size_t k = 0; k < sizeof noise; k++)
            noise[k] = (char)(k * 31 + (size_t)i * 17);
        fds[i] = connect_to(i % 2 ? ps : worker);
        const char *what = i % 3 ? noise : half;
        if (i % 4 && send(fds[i], what, i % 3 ? sizeof noise : sizeof half - 1, MSG_NOSIGNAL) < 0)
            print_message("refused early\n");
    }
    build(faults_target(worker));
    initialise();
    assert_true(step() == 5);
    for (int i = 0; i < 40; i++)
        close(fds[i]);
}

/* Connections that say a byte now and then, for as long as steps run: nobody waits for them. */
static void test_cluster__slow_loris(void **state)
{
    static const char begin[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0";
    enum { LORISES = 60 };
    int fds[LORISES];
    (void)state;
    if (!c.n)
        skip();
    faults_start_all(&c);
    for (int i = 0; i < LORISES; i++)
        fds[i] = connect_to(i % 2 ? ps : worker);
    build(faults_target(worker));
    initialise();
    for (size_t at = 0; at < sizeof begin; at++) {
        for (int i = 0; i < LORISES; i++)
            (void)!send(fds[i], &begin[at], 1, MSG_NOSIGNAL); /* it may be thrown out by now */
        assert_true(step() == 5);
        must();
    }
    for (int i = 0; i < LORISES; i++)
        close(fds[i]);
    drop();
    assert_int_equal(faults_end(worker), 0);
    assert_int_equal(faults_end(ps), 0);
}

/* It leaves cleanly while others go on: they do, steps that need it say so, and the ps stays. */
static void test_cluster__a_worker_finishes_early(void **state)
{
    int status = 0;
    float got = 0;
    (void)state;
    if (!c.n)
        skip();
    faults_init(&c, 1, 2);
    ps = faults_task(&c, "ps", 0);
    worker = faults_task(&c, "worker", 0);
    faults_start_all(&c);
    build(faults_target(worker));
    TF_Output other = {0};
    leat_with_device(m.g, "/job:worker/task:1")
        other = leat_add(m.g, m.w, leat_const_float(m.g, 1));
    initialise();
    leat_run(m.session, m.s, .fetches = leat_fetches(leat_fetch(other, &got, 1)));
    must();
    assert_true(got == 4);
    assert_int_equal(faults_end(faults_task(&c, "worker", 1)), 0);
    assert_true(step() == 5);
    must();
    leat_run(m.session, m.s, .fetches = leat_fetches(leat_fetch(other, &got, 1)));
    check(TF_UNAVAILABLE, "/job:worker/replica:0/task:1");
    assert_true(step() == 5);
    must();
    drop();
    assert_int_equal(waitpid(ps->pid, &status, WNOHANG), 0);
    assert_int_equal(faults_end(worker), 0);
    assert_int_equal(faults_end(ps), 0);
}

/* A client that is gone in a step: its session's wait does not keep the ps from ending. */
static void test_cluster__a_client_vanishes(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_start_all(&c);
    pid_t client = fork();
    if (client == 0) {
        setenv("LEAT_FAULTS_CLIENT", faults_target(worker), 1);
        execl("/proc/self/exe", "client", (char *)NULL);
        _exit(127);
    }
    usleep((useconds_t)faults_deadline_ms() * 500);
    kill(client, SIGKILL);
    reap(NULL, client);
    build(faults_target(worker));
    initialise();
    assert_true(step() == 5);
    drop();
    assert_int_equal(faults_end(worker), 0);
    assert_int_equal(faults_end(ps), 0);
}

/* A ps ends by itself when all workers have left cleanly; one that was killed has not, and is
 * waited for until it has come back and left. */
static void test_cluster__a_ps_ends_after_the_goodbyes(void **state)
{
    int status = -1;
    (void)state;
    if (!c.n)
        skip();
    faults_init(&c, 1, 2);
    ps = faults_task(&c, "ps", 0);
    worker = faults_task(&c, "worker", 0);
    struct faults_task *second = faults_task(&c, "worker", 1);
    setenv("LEAT_PS_EXIT", "1", 1);
    faults_start_all(&c);
    unsetenv("LEAT_PS_EXIT");
    build(faults_target(worker));
    initialise();
    assert_true(step() == 5);
    drop();
    faults_kill(second);
    assert_int_equal(faults_end(worker), 0);
    faults_start(&c, worker); /* it may serve again, which takes longer than a goodbye */
    build(faults_target(worker));
    assert_true(step() == 5); /* by the same ps: w has its value */
    must();
    drop();
    faults_start(&c, second);
    assert_int_equal(faults_end(second), 0);
    assert_int_equal(waitpid(ps->pid, &status, WNOHANG), 0); /* the first one is there */
    assert_int_equal(faults_end(worker), 0);
    assert_int_equal(waitpid(ps->pid, &status, 0), ps->pid);
    ps->pid = 0;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_cluster__wrong_specs(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    const char *const wrong[] = {"ps=h", "ps=a:1;ps=b:1", "ps=192.0.2.1:1", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct leat_server_args a = {.cluster = wrong[i], .job = "ps"};
        TF_Status *s = TF_NewStatus();
        assert_null(leat_server_new(&a, s));
        assert_int_not_equal(TF_GetCode(s), TF_OK);
        TF_DeleteStatus(s);
    }
}

/* What the process does that vanishes: it waits in a queue for ever. */
static int client_main(const char *target)
{
    build(target);
    leat_run_op(m.session, m.init, leat_no_feeds(), m.s);
    wait_in_queue();
    return 0;
}

int main(void)
{
    const char *client = getenv("LEAT_FAULTS_CLIENT");
    if (client)
        return client_main(client);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_cluster__ps_killed_in_a_step),
        TEST(test_cluster__ps_frozen_in_a_step),
        TEST(test_cluster__master_killed_in_a_step),
        TEST(test_cluster__master_frozen_in_a_step),
        TEST(test_cluster__ps_slow_to_start),
        TEST(test_cluster__two_tasks_with_one_index),
        TEST(test_cluster__garbage_on_the_port),
        TEST(test_cluster__slow_loris),
        TEST(test_cluster__a_worker_finishes_early),
        TEST(test_cluster__a_client_vanishes),
        TEST(test_cluster__a_ps_ends_after_the_goodbyes),
        TEST(test_cluster__wrong_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
