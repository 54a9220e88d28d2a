/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* Parameter servers with a process that stands by: whoever is killed, frozen or thawed while
 * clients count, each counter in the end is what was acknowledged, and no step fails. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "counting.h"

static struct faults_cluster c;
static struct faults_task *ps, *standby, *witness, *worker;

/* --- tests --- */

static int set_up(void **state)
{
    (void)state;
    if (!faults_available())
        return 0;
    faults_init_standby(&c, 1, 2);
    ps = faults_task(&c, "ps", 0);
    standby = faults_standby(&c, 0);
    witness = faults_task(&c, "worker", 0);
    worker = faults_task(&c, "worker", 1);
    faults_start_all(&c);
    counting_start(worker);
    faults_wait_in_sync(&c, 0);
    counting_wait(50);
    return 0;
}

/* Values and messages are cut small, so that the table takes many of both. */
static int set_up_pieces(void **state)
{
    setenv("LEAT_FAILPOINTS", "replica_pieces=on", 1);
    int result = set_up(state);
    unsetenv("LEAT_FAILPOINTS");
    return result;
}

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    return 0;
}

static void test_standby__ps_killed(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_catch(&c, ps);
    faults_kill(ps);
    counting_wait(50);
    counting_check();
}

/* It comes back, stands by, and takes over again. */
static void test_standby__both_killed_in_turn(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_catch(&c, ps);
    faults_kill(ps);
    counting_wait(50);
    faults_start(&c, ps);
    faults_wait_in_sync(&c, 0);
    counting_wait(50);
    faults_catch(&c, standby);
    faults_kill(standby);
    counting_wait(50);
    counting_check();
}

/* Each row of the table holds its number, as it did. */
static void check_whole(void)
{
    static float table[COUNTING_ROWS * 2];
    struct counters *k;
    TF_Status *s = TF_NewStatus();
    counting_stop();
    counting_first(&k);
    leat_run(k->session, s,
             .fetches = leat_fetches(leat_fetch(k->table, table, COUNTING_ROWS * 2)));
    assert_int_equal(TF_GetCode(s), TF_OK);
    for (int i = 0; i < COUNTING_ROWS * 2; i++) {
        if (i / 2 != COUNTING_ROW && table[i] != (float)(i / 2))
            fail_msg("row %d has %g", i / 2, (double)table[i]);
    }
    TF_DeleteStatus(s);
}

static void test_standby__in_pieces(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_catch(&c, ps);
    faults_kill(ps);
    counting_wait(50);
    check_whole();
    counting_check();
}

/* Frozen, replaced, thawed: what it had under way counts once, and it stands by. */
static void test_standby__ps_frozen_and_thawed(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_catch(&c, ps);
    counting_wait(50);
    faults_signal(ps, SIGCONT);
    faults_wait_in_sync(&c, 0);
    counting_wait(50);
    faults_catch(&c, standby);
    faults_kill(standby);
    counting_wait(50);
    counting_check();
}

static void test_standby__standby_killed_and_back(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_catch(&c, standby);
    faults_kill(standby);
    counting_wait(50); /* alone */
    faults_start(&c, standby);
    faults_wait_in_sync(&c, 0);
    faults_catch(&c, ps);
    faults_kill(ps);
    counting_wait(50);
    counting_check();
}

/* Nobody decides then; the pair goes on. */
static void test_standby__witness_killed_and_back(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_kill(witness);
    counting_wait(100);
    faults_start(&c, witness);
    faults_wait_in_sync(&c, 0);
    faults_catch(&c, ps);
    faults_kill(ps);
    counting_wait(50);
    counting_check();
}

/* What nobody has any more is not made up: steps fail, and begin anew when both are back. */
static void test_standby__both_lost(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    TF_Status *s = TF_NewStatus();
    faults_kill(standby);
    faults_kill(ps);
    counting_stop();
    for (int i = 0; counting_error(i); i++) {
        if (counting_error(i)[0] && !strstr(counting_error(i), "/job:ps/replica:0/task:0"))
            fail_msg("%s", counting_error(i));
    }
    struct counters *k;
    counting_first(&k);
    leat_run_op(k->session, k->add, leat_no_feeds(), s);
    if (TF_GetCode(s) != TF_UNAVAILABLE)
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
    faults_start(&c, ps);
    faults_start(&c, standby);
    const int64_t until = clock_now_ns() + faults_deadline_ms() * 40000000;
    do {
        TF_SetStatus(s, TF_OK, "");
        leat_run_op(k->session, k->init, leat_no_feeds(), s);
        usleep(10000);
    } while (TF_GetCode(s) != TF_OK && clock_now_ns() < until);
    assert_int_equal(TF_GetCode(s), TF_OK);
    double dense = -1;
    leat_run(k->session, s, .fetches = leat_fetches(leat_fetch(k->dense, &dense, 1)));
    assert_int_equal(TF_GetCode(s), TF_OK);
    assert_true(dense == 0);
    counting_close();
    TF_DeleteStatus(s);
}

struct waiting { /* in a queue, on a thread */
    TF_Session *session;
    TF_Output taken;
    float got;
    TF_Status *s;
};

static void *take_element(void *arg)
{
    struct waiting *w = arg;
    leat_run(w->session, w->s, .fetches = leat_fetches(leat_fetch(w->taken, &w->got, 1)));
    return NULL;
}

/* The queue is there after a take-over, and who waits in it waits on. */
static void test_standby__a_wait_in_a_queue_goes_on(void **state)
{
    static const TF_DataType types[] = {TF_FLOAT};
    struct waiting w = {.s = TF_NewStatus()};
    pthread_t thread;
    (void)state;
    if (!c.n)
        skip();
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Operation *put = NULL;
    leat_with_device(g, "/job:ps/task:0") {
        TF_Output q = leat_fifo_queue(g, .component_types = {types, 1});
        TF_Output seven = leat_const_float(g, 7);
        w.taken = leat_queue_dequeue(g, q, .component_types = {types, 1});
        put = leat_queue_enqueue(g, q, &seven, 1);
    }
    w.session = leat_session_new(g, s, .target = faults_target(worker));
    assert_int_equal(pthread_create(&thread, NULL, take_element, &w), 0);
    counting_wait(20); /* so that it waits by now, most likely; any instant has to do */
    faults_catch(&c, ps);
    faults_kill(ps);
    counting_wait(50);
    leat_run_op(w.session, put, leat_no_feeds(), s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    pthread_join(thread, NULL);
    if (TF_GetCode(w.s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(w.s), TF_Message(w.s));
    assert_true(w.got == 7);
    counting_check();
    leat_session_close(w.session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(w.s);
    TF_DeleteStatus(s);
}

/* A stage is not replicated: sessions that have one are told of a take-over. */
static void test_standby__a_wait_at_a_stage_ends(void **state)
{
    static const TF_DataType types[] = {TF_FLOAT};
    float got;
    int status;
    (void)state;
    if (!c.n)
        skip();
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output taken = {0};
    leat_with_device(g, "/job:ps/task:0")
        taken = leat_unstage(g, .dtypes = {types, 1});
    TF_Session *session = leat_session_new(g, s, .target = faults_target(worker));
    const pid_t helper = fork();
    if (helper == 0) {
        usleep((useconds_t)faults_deadline_ms() * 200); /* any instant has to do */
        kill(ps->pid, SIGKILL);
        _exit(0);
    }
    leat_run(session, s, .fetches = leat_fetches(leat_fetch(taken, &got, 1)));
    if ((TF_GetCode(s) != TF_UNAVAILABLE && TF_GetCode(s) != TF_ABORTED) ||
        !strstr(TF_Message(s), "/job:ps/replica:0/task:0"))
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
    assert_int_equal(waitpid(helper, &status, 0), helper);
    assert_int_equal(waitpid(ps->pid, &status, 0), ps->pid);
    ps->pid = 0;
    counting_wait(50);
    counting_check();
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_standby__ps_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__both_killed_in_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__ps_frozen_and_thawed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__standby_killed_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__witness_killed_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__in_pieces, set_up_pieces, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__both_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__a_wait_in_a_queue_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby__a_wait_at_a_stage_ends, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
