/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that count: each on a thread and with a graph of its own. */
#include "counting.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "leat/leat.h"

enum { CLIENTS = 3, ROWS = COUNTING_ROWS };

static void must(TF_Status *s)
{
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
}

static void counters_open(struct counters *k, const struct faults_task *at)
{
    static float start[ROWS * 2];
    static const float ones[2] = {1, 1};
    for (int i = 0; i < ROWS * 2; i++)
        start[i] = i / 2 == COUNTING_ROW ? 0 : (float)(i / 2);
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = k->g = TF_NewGraph();
    leat_with_device(g, "/job:ps/task:0") {
        TF_Output one = leat_const_double(g, 1);
        k->dense = leat_variable(g, "dense", leat_const_double(g, 0));
        k->handle = leat_variable(g, "handle", leat_const_double(g, 0), .resource = 1);
        k->table = leat_variable(g, "table", leat_const_floats(g, start, leat_shape(ROWS, 2)));
        TF_Output a = leat_assign_add(g, k->dense, one), b = leat_assign_add(g, k->handle, one);
        TF_Output d = leat_scatter_add(g, k->table, leat_const_int(g, COUNTING_ROW),
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
static bool counting;

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

void counting_wait(int64_t more)
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

void counting_start(const struct faults_task *worker)
{
    TF_Status *s = TF_NewStatus();
    counting_close(); /* those of a test that failed as it began */
    stop = false;
    memset(clients, 0, sizeof clients);
    for (int i = 0; i < CLIENTS; i++)
        counters_open(&clients[i].k, worker);
    leat_run_op(clients[0].k.session, clients[0].k.init, leat_no_feeds(), s);
    must(s);
    TF_DeleteStatus(s);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i].thread, NULL, count, &clients[i]), 0);
    counting = true;
}

void counting_stop(void)
{
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < CLIENTS && counting; i++)
        pthread_join(clients[i].thread, NULL);
    counting = false;
}

void counting_first(struct counters **k)
{
    *k = &clients[0].k;
}

const char *counting_error(int i)
{
    return i < CLIENTS ? clients[i].error : NULL;
}

void counting_close(void)
{
    counting_stop();
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].k.g)
            counters_close(&clients[i].k);
        clients[i].k = (struct counters){0};
    }
}

void counting_check(void)
{
    double dense = 0, handle = 0;
    static float table[ROWS * 2];
    TF_Status *s = TF_NewStatus();
    counting_stop();
    const struct counters *k = &clients[0].k;
    leat_run(k->session, s,
             .fetches =
                 leat_fetches(leat_fetch(k->dense, &dense, 1), leat_fetch(k->handle, &handle, 1),
                              leat_fetch(k->table, table, ROWS * 2)));
    must(s);
    const double low = (double)sum(false), high = low + (double)sum(true);
    print_message("%g acknowledged, %g failed; %g %g %g\n", low, high - low, dense, handle,
                  (double)table[COUNTING_ROW * 2]);
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].failed > 0)
            print_message("client %d: %s\n", i, clients[i].error);
    }
    counting_close();
    if (dense < low || dense > high || handle < low || handle > high ||
        table[COUNTING_ROW * 2] < low || table[COUNTING_ROW * 2] > high)
        fail_msg("%g acknowledged, %g failed; but %g %g %g", low, high - low, dense, handle,
                 (double)table[COUNTING_ROW * 2]);
    TF_DeleteStatus(s);
}
