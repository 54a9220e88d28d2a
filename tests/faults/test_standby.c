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
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "cluster.h"
#include "leat/leat.h"

enum { CLIENTS = 3, ROWS = 64 };

static struct faults_cluster c;
static struct faults_task *ps, *standby, *witness, *worker;

/* A dense counter, one behind a handle, and a table of which one row counts. */
struct counters {
    TF_Graph *g;
    TF_Session *session;
    TF_Output dense, handle, table;
    TF_Operation *init, *add;
};

static void must(TF_Status *s)
{
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
}

static void counters_open(struct counters *k, const struct faults_task *at)
{
    static const float zeros[ROWS * 2], ones[2] = {1, 1};
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = k->g = TF_NewGraph();
    leat_with_device(g, "/job:ps/task:0") {
        TF_Output one = leat_const_double(g, 1);
        k->dense = leat_variable(g, "dense", leat_const_double(g, 0));
        k->handle = leat_variable(g, "handle", leat_const_double(g, 0), .resource = 1);
        k->table = leat_variable(g, "table", leat_const_floats(g, zeros, leat_shape(ROWS, 2)));
        TF_Output a = leat_assign_add(g, k->dense, one), b = leat_assign_add(g, k->handle, one);
        TF_Output d = leat_scatter_add(g, k->table, leat_const_int(g, 7),
                                       leat_const_floats(g, ones, leat_shape(2)));
        k->add = leat_group(g, (TF_Operation *[]){a.oper, b.oper, d.oper}, 3, "add");
        k->handle = leat_variable_value(g, k->handle);
    }
    k->init = leat_global_variables_initializer(g);
    k->session = leat_session_new(g, s, .target = faults_target(at));
    must(s);
    TF_DeleteStatus(s);
}

static void counters_close(struct counters *k)
{
    leat_session_close(k->session);
    TF_DeleteGraph(k->g);
}

/* --- clients --- */

struct client {
    struct counters k;
    pthread_t thread;
    int64_t acknowledged, failed; /* atomic */
    char error[300];              /* the first; read when the thread is over */
};
static struct client clients[CLIENTS];
static bool stop; /* atomic */

static void *count(void *arg)
{
    struct client *me = arg;
    TF_Status *s = TF_NewStatus();
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        TF_SetStatus(s, TF_OK, "");
        leat_run_op(me->k.session, me->k.add, leat_no_feeds(), s);
        const bool ok = TF_GetCode(s) == TF_OK;
        if (!ok && me->failed == 0)
            snprintf(me->error, sizeof me->error, "%d: %s", TF_GetCode(s), TF_Message(s));
        __atomic_fetch_add(ok ? &me->acknowledged : &me->failed, 1, __ATOMIC_ACQ_REL);
        if (!ok)
            usleep(10000);
    }
    TF_DeleteStatus(s);
    return NULL;
}

static int64_t sum(bool failed)
{
    int64_t n = 0;
    for (int i = 0; i < CLIENTS; i++)
        n += __atomic_load_n(failed ? &clients[i].failed : &clients[i].acknowledged,
                             __ATOMIC_ACQUIRE);
    return n;
}

/* Until so many more steps have gone well. */
static void wait_for_steps(int64_t more)
{
    const int64_t until = clock_now_ns() + faults_deadline_ms() * 40000000,
                  want = sum(false) + more;
    while (sum(false) < want) {
        if (clock_now_ns() > until)
            fail_msg("no step goes well any more (%s%s%s)", clients[0].error, clients[1].error,
                     clients[2].error);
        usleep(1000);
    }
}

static void start_counting(void)
{
    TF_Status *s = TF_NewStatus();
    stop = false;
    memset(clients, 0, sizeof clients);
    for (int i = 0; i < CLIENTS; i++)
        counters_open(&clients[i].k, worker);
    leat_run_op(clients[0].k.session, clients[0].k.init, leat_no_feeds(), s);
    must(s);
    TF_DeleteStatus(s);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i].thread, NULL, count, &clients[i]), 0);
}

/* Nothing that was acknowledged is lost, nothing was done twice. */
static void check_counters(void)
{
    double dense = 0, handle = 0;
    float table[ROWS * 2];
    TF_Status *s = TF_NewStatus();
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i].thread, NULL);
    const struct counters *k = &clients[0].k;
    leat_run(k->session, s,
             .fetches =
                 leat_fetches(leat_fetch(k->dense, &dense, 1), leat_fetch(k->handle, &handle, 1),
                              leat_fetch(k->table, table, ROWS * 2)));
    must(s);
    const double low = (double)sum(false), high = low + (double)sum(true);
    print_message("%g acknowledged, %g failed; %g %g %g\n", low, high - low, dense, handle,
                  (double)table[14]);
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].failed > 0)
            print_message("client %d: %s\n", i, clients[i].error);
        counters_close(&clients[i].k);
    }
    if (dense < low || dense > high || handle < low || handle > high || table[14] < low ||
        table[14] > high)
        fail_msg("%g acknowledged, %g failed; but %g %g %g", low, high - low, dense, handle,
                 (double)table[14]);
    TF_DeleteStatus(s);
}

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
    start_counting();
    faults_wait_in_sync(&c, 0);
    wait_for_steps(50);
    return 0;
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
    faults_kill(ps);
    wait_for_steps(50);
    check_counters();
}

/* It comes back, stands by, and takes over again. */
static void test_standby__both_killed_in_turn(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_kill(ps);
    wait_for_steps(50);
    faults_start(&c, ps);
    faults_wait_in_sync(&c, 0);
    wait_for_steps(50);
    faults_kill(standby);
    wait_for_steps(50);
    check_counters();
}

/* Frozen, replaced, thawed: what it had under way counts once, and it stands by. */
static void test_standby__ps_frozen_and_thawed(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_signal(ps, SIGSTOP);
    wait_for_steps(50);
    faults_signal(ps, SIGCONT);
    faults_wait_in_sync(&c, 0);
    wait_for_steps(50);
    faults_kill(standby);
    wait_for_steps(50);
    check_counters();
}

static void test_standby__standby_killed_and_back(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_kill(standby);
    wait_for_steps(50); /* alone */
    faults_start(&c, standby);
    faults_wait_in_sync(&c, 0);
    faults_kill(ps);
    wait_for_steps(50);
    check_counters();
}

/* Nobody decides then; the pair goes on. */
static void test_standby__witness_killed_and_back(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_kill(witness);
    wait_for_steps(100);
    faults_start(&c, witness);
    faults_wait_in_sync(&c, 0);
    faults_kill(ps);
    wait_for_steps(50);
    check_counters();
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
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        if (clients[i].failed > 0 && !strstr(clients[i].error, "/job:ps/replica:0/task:0"))
            fail_msg("%s", clients[i].error);
    }
    const struct counters *k = &clients[0].k;
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
    must(s);
    double dense = -1;
    leat_run(k->session, s, .fetches = leat_fetches(leat_fetch(k->dense, &dense, 1)));
    must(s);
    assert_true(dense == 0);
    for (int i = 0; i < CLIENTS; i++)
        counters_close(&clients[i].k);
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
        cmocka_unit_test_setup_teardown(test_standby__both_lost, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
