/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* Synchronous training over take-overs of its ps: accumulators, tokens, the global step and the
 * variable are the ps's, whose two processes are killed and frozen in turn. Gradients are sent,
 * each with a number of its own, until it has been taken over three times; no step fails, every two
 * make one update, and in the end the variable is what their sum makes it: none was lost, none
 * counted twice. */
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
#include "leat/cluster.h"
#include "leat/leat.h"

enum { WORKERS = 2 };

static struct faults_cluster c;
static struct faults_task *ps, *standby;
static int64_t over; /* atomic: gradients that were sent, and counted */
static pthread_mutex_t numbers = PTHREAD_MUTEX_INITIALIZER;
static int64_t taken, last; /* guarded by it: the last number that was given, and is to be given */

static struct worker {
    TF_Graph *g;
    TF_Session *session;
    TF_Status *s;
    TF_Output w, x, step;
    TF_Output local_step, tokens_left, gathered; /* said when it stands still */
    TF_Operation *train, *tokens, *init;
    leat_optimizer *sgd, *sync;
    leat_coordinator *coordinator;
    pthread_t thread;
    bool running, failed; /* failed: atomic; s says why */
} workers[WORKERS];

static void must(TF_Status *s)
{
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
}

static TF_Output find_output(TF_Graph *g, const char *type, const char *name)
{
    TF_Operation *op;
    size_t at = 0;
    while ((op = TF_GraphNextOperation(g, &at))) {
        if (strcmp(TF_OperationOpType(op), type) == 0 && strstr(TF_OperationName(op), name))
            return (TF_Output){op, 0};
    }
    fail_msg("there is no %s %s", type, name);
    return (TF_Output){0};
}

static void add_numbers(struct worker *k)
{
    k->local_step = find_output(k->g, "VariableV2", "sync_rep_local_step");
    k->tokens_left = find_output(k->g, "QueueSizeV2", "sync_token_q_Size");
    TF_Output a = find_output(k->g, "ResourceConditionalAccumulator", "");
    leat_with_device(k->g, TF_OperationDevice(a.oper))
        k->gathered = leat_resource_accumulator_num_accumulated(k->g, a);
}

/* The gradient of w is x. Without tokens in the beginning each gradient is of the step that it
 * counts for, and none is stale. */
static void build(struct worker *k, int index)
{
    char device[64];
    *k = (struct worker){.g = TF_NewGraph(), .s = TF_NewStatus()};
    snprintf(device, sizeof device, "/job:worker/task:%d", index);
    leat_device_setter *setter = leat_replica_device_setter(.ps_tasks = 1, .worker_device = device);
    leat_with_replica_devices(k->g, setter)
    {
        k->step = leat_create_global_step(k->g);
        k->w = leat_variable(k->g, "w", leat_const_double(k->g, 0));
        k->x = leat_placeholder(k->g, .dtype = TF_DOUBLE);
        k->sgd = leat_gradient_descent(k->g, .learning_rate = 1);
        k->sync = leat_sync_replicas(k->sgd, .replicas_to_aggregate = WORKERS,
                                     .total_num_replicas = WORKERS);
        k->train = leat_minimize(k->sync, leat_mul(k->g, k->w, k->x), .global_step = k->step);
        k->tokens = leat_sync_init_tokens(k->sync, 0);
    }
    add_numbers(k);
    leat_device_setter_free(setter);
    k->init = leat_global_variables_initializer(k->g);
    k->coordinator = leat_coordinator_new();
    k->session =
        leat_session_new(k->g, k->s, .target = faults_target(faults_task(&c, "worker", index)));
    must(k->s);
}

/* 0: there are no more. */
static int64_t take_number(void)
{
    pthread_mutex_lock(&numbers);
    const int64_t i = taken < last ? ++taken : 0;
    pthread_mutex_unlock(&numbers);
    return i;
}

/* So many more, and what makes their number even. */
static int64_t end_numbers(int64_t more)
{
    pthread_mutex_lock(&numbers);
    const int64_t n = last = taken + more + (taken + more) % WORKERS;
    pthread_mutex_unlock(&numbers);
    return n;
}

static void *send_gradients(void *arg)
{
    struct worker *k = arg;
    int64_t i;
    while (TF_GetCode(k->s) == TF_OK && (i = take_number()) != 0) {
        leat_run(k->session, k->s, .feeds = leat_feeds(leat_feed_number(k->x, (double)i)),
                 .targets = leat_opers(k->train));
        if (TF_GetCode(k->s) == TF_OK)
            __atomic_fetch_add(&over, 1, __ATOMIC_ACQ_REL);
    }
    __atomic_store_n(&k->failed, TF_GetCode(k->s) != TF_OK, __ATOMIC_RELEASE);
    return NULL;
}

static void start_training(void)
{
    taken = over = 0;
    last = INT64_MAX;
    for (int i = 0; i < WORKERS; i++)
        build(&workers[i], i);
    leat_run_op(workers[0].session, workers[0].init, leat_no_feeds(), workers[0].s);
    must(workers[0].s);
    leat_sync_start_chief(workers[0].sync, workers[0].session, workers[0].coordinator,
                          workers[0].tokens, workers[0].s);
    must(workers[0].s);
    leat_sync_start_worker(workers[1].sync, workers[1].session, workers[1].s);
    must(workers[1].s);
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_create(&workers[i].thread, NULL, send_gradients, &workers[i]), 0);
        workers[i].running = true;
    }
}

static void fail_stuck(void)
{
    int64_t local[WORKERS] = {0}, step = 0;
    int32_t tokens = 0, gathered = 0;
    TF_Status *s = TF_NewStatus();
    for (int i = 0; i < WORKERS; i++)
        leat_run(workers[i].session, s,
                 .fetches = leat_fetches(leat_fetch(workers[i].local_step, &local[i], 1)),
                 .timeout_ms = 2000);
    struct worker *k = &workers[1];
    leat_run(k->session, s,
             .fetches =
                 leat_fetches(leat_fetch(k->step, &step, 1), leat_fetch(k->tokens_left, &tokens, 1),
                              leat_fetch(k->gathered, &gathered, 1)),
             .timeout_ms = 2000);
    fail_msg("%lld gradients, and no more: step %lld, %d gathered, %d tokens; the workers are at "
             "%lld and %lld (%s)",
             (long long)over, (long long)step, gathered, tokens, (long long)local[0],
             (long long)local[1], TF_Message(s));
}

/* Until so many have gone well. */
static void wait_gradients(int64_t want)
{
    const int64_t until = clock_now_ns() + faults_deadline_ms() * 40000000;
    while (__atomic_load_n(&over, __ATOMIC_ACQUIRE) < want) {
        for (int i = 0; i < WORKERS; i++) {
            if (__atomic_load_n(&workers[i].failed, __ATOMIC_ACQUIRE))
                must(workers[i].s);
        }
        if (leat_should_stop(workers[0].coordinator)) {
            (void)!leat_join(workers[0].coordinator, 10, workers[0].s);
            fail_msg("the chief's updates end: %s", TF_Message(workers[0].s));
        }
        if (clock_now_ns() > until)
            fail_stuck();
        usleep(1000);
    }
}

static void wait_more(int64_t n)
{
    wait_gradients(__atomic_load_n(&over, __ATOMIC_ACQUIRE) + n);
}

static void check_training(void)
{
    double w = 0;
    int64_t step = 0;
    struct worker *chief = &workers[0];
    const int64_t n = end_numbers(20);
    wait_gradients(n);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        workers[i].running = false;
    }
    for (int i = 0; i < WORKERS; i++)
        must(workers[i].s);
    leat_run(chief->session, chief->s,
             .fetches =
                 leat_fetches(leat_fetch(chief->w, &w, 1), leat_fetch(chief->step, &step, 1)));
    must(chief->s);
    const double sum = (double)n * (double)(n + 1) / 2;
    if (step != n / WORKERS || w != -sum / WORKERS)
        fail_msg("step %lld, not %lld; w %.17g, not %.17g", (long long)step,
                 (long long)(n / WORKERS), w, -sum / WORKERS);
}

static void test_sync_failover__each_gradient_counts_once(void **state)
{
    (void)state;
    const char *tier = getenv("LEAT_TIER");
    if (!c.n)
        skip();
    if (!tier || strcmp(tier, "full") != 0) {
        print_message("skipped: in the full tier\n");
        skip();
    }
    start_training();
    wait_more(20);
    faults_catch(&c, ps);
    faults_kill(ps);
    wait_more(30);
    faults_start(&c, ps);
    faults_catch(&c, standby); /* it serves now */
    wait_more(30);
    faults_signal(standby, SIGCONT);
    faults_wait_in_sync(&c, 0);
    wait_more(10);
    faults_catch(&c, ps);
    faults_kill(ps);
    check_training();
}

/* --- --- */

static int set_up(void **state)
{
    (void)state;
    if (!faults_available())
        return 0;
    faults_init_standby(&c, 1, WORKERS);
    ps = faults_task(&c, "ps", 0);
    standby = faults_standby(&c, 0);
    faults_start_all(&c);
    faults_wait_in_sync(&c, 0);
    return 0;
}

static void close_worker(struct worker *k)
{
    if (!k->g)
        return;
    if (k->running)
        pthread_join(k->thread, NULL); /* the tasks are gone, so its step has ended */
    leat_request_stop(k->coordinator, NULL);
    leat_session_close(k->session);
    (void)!leat_join(k->coordinator, 10, NULL);
    leat_coordinator_free(k->coordinator);
    leat_optimizer_free(k->sync);
    leat_optimizer_free(k->sgd);
    TF_DeleteGraph(k->g);
    TF_DeleteStatus(k->s);
    *k = (struct worker){0};
}

static int tear_down(void **state)
{
    (void)state;
    const bool failed = workers[0].running;
    if (failed)
        faults_clear(&c);
    for (int i = 0; i < WORKERS; i++)
        close_worker(&workers[i]);
    faults_clear(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sync_failover__each_gradient_counts_once, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
