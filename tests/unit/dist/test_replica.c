/* SPDX-License-Identifier: Apache-2.0 */
/* What a replicated task gives to other tasks: a value leaves when what was changed before it is
 * with the process that stands by. Else that process might take over and give another one, which
 * the other task, having written down what it did with the first, would not look at. The process
 * that stands by is a handler of this test. Skipped, counted, without gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "dist/replica.h"
#include "dist/witness.h"
#include "dist/worker.h"
#include "unit/dist/cluster.h"

#define TASK "/job:ps/replica:0/task:0"
#define PS_CPU TASK "/device:CPU:0"
#define WORKER_CPU "/job:worker/replica:0/task:0/device:CPU:0"
#define FLOAT "attr { key: 'dtype' value { type: DT_FLOAT } } "
#define T_FLOAT "attr { key: 'T' value { type: DT_FLOAT } } "
enum { STEP = 7, STANDBY = 77, PATIENCE_MS = 40000 };

/* v = 5, sent to the worker. */
static const char graph[] =
    "node { name: 'v' op: 'VariableV2' device: '" PS_CPU "' " FLOAT
    "attr { key: 'shape' value { shape {} } } } "
    "node { name: 'five' op: 'Const' device: '" PS_CPU "' " FLOAT
    "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 5 } } } } "
    "node { name: 'set' op: 'Assign' input: 'v' input: 'five' device: '" PS_CPU "' " T_FLOAT "} "
    "node { name: 'read' op: 'Identity' input: 'set' device: '" PS_CPU "' " T_FLOAT "} "
    "node { name: 'send' op: '_Send' input: 'read' device: '" PS_CPU "' " T_FLOAT
    "attr { key: 'tensor_name' value { s: 'x' } } "
    "attr { key: 'send_device' value { s: '" PS_CPU "' } } "
    "attr { key: 'send_device_incarnation' value { i: %lld } } "
    "attr { key: 'recv_device' value { s: '" WORKER_CPU "' } } } ";

static struct rpc_server *others; /* who stands by, and the witness */
static struct witness *witness;
static struct spec spec;
static struct peers *peers;
static struct worker *worker;
static struct replica *replica;
static char *key, *handle;

static struct lock lock;
static struct cond changed;
/* --- guarded by lock --- */
static bool holds;            /* changes are kept waiting from now on */
static struct rpc_call *held; /* what waits; one message is under way at a time */
static uint64_t held_epoch;
static int num_ran, num_came; /* how often the two were called back */
static struct status ran, came;
static float value;

/* --- who stands by --- */

static void reply(struct rpc_call *c, uint64_t epoch)
{
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    struct pb_leat_peer_replicate_response *x = pb_leat_peer_replicate_response_new(&a);
    x->epoch = epoch;
    x->incarnation = STANDBY;
    client_must(wire_put(&m, x, &st), &st);
    rpc_call_reply(c, &m, &st);
    arena_release(&a);
}

static void replicate(void *arg, struct rpc_call *c)
{
    static const struct wire_tensors where = {.number = 11, .named = true};
    struct arena a = {0};
    struct status st = {0};
    struct wire_values values = {0};
    struct pb_leat_peer_replicate_request *q = NULL;
    (void)arg;
    client_must(wire_read(rpc_call_request(c), &pb_leat_peer_replicate_request_desc, &where, &a, &q,
                          &values, &st),
                &st);
    const uint64_t epoch = q->hello ? 0 : q->epoch;
    lock_take(&lock);
    const bool hold = holds && q->change.n > 0 && !held;
    if (hold) {
        held = c;
        held_epoch = epoch;
        cond_broadcast(&changed);
    }
    lock_drop(&lock);
    if (!hold)
        reply(c, epoch);
    wire_values_clear(&values);
    arena_release(&a);
}

static void hold_changes(void)
{
    lock_take(&lock);
    holds = true;
    lock_drop(&lock);
}

/* Of a higher epoch: it has taken over. */
static void answer_held(bool took_over)
{
    lock_take(&lock);
    while (!held)
        cond_wait(&changed, &lock);
    struct rpc_call *c = held;
    held = NULL;
    holds = false;
    lock_drop(&lock);
    reply(c, held_epoch + took_over);
}

/* --- the task --- */

static void start_others(void)
{
    struct status st = {0};
    const char *bind = "127.0.0.1:0";
    struct rpc_handler all[4] = {{"/leat.Peer/Replicate", replicate, NULL}};
    witness = witness_new();
    const int n = 1 + witness_handlers(witness, all + 1, 3);
    others = rpc_server_new(
        &(struct rpc_server_options){
            .bind = &bind, .num_bind = 1, .handlers = all, .num_handlers = n},
        &st);
    client_must(others != NULL, &st);
}

static void nothing(void *arg)
{
    (void)arg;
}

static void start_task(void)
{
    static const struct peer_deadlines deadlines = {PATIENCE_MS, PATIENCE_MS};
    struct status st = {0};
    struct config config;
    char address[40];
    snprintf(address, sizeof address, "127.0.0.1:%d", rpc_server_port(others));
    client_must(spec_from_text("ps=localhost:1;worker=localhost:2", &spec, &st), &st);
    spec.job = mem_strdup("ps");
    peers = peers_new(&spec, NULL, &deadlines);
    config_init(&config);
    worker = worker_new(&spec, peers, &config, &st);
    client_must(worker != NULL, &st);
    config_clear(&config);
    const struct replica_options o = {.task = TASK,
                                      .incarnation = 1,
                                      .other_address = address,
                                      .witness_address = address,
                                      .failure_ms = PATIENCE_MS,
                                      .worker = worker,
                                      .peers = peers,
                                      .decided = nothing,
                                      .over = nothing};
    replica = replica_new(&o);
    worker_set_replica(worker, replica);
    replica_start(replica);
}

/* The witness was told that who stands by has everything. */
static void wait_in_sync(void)
{
    const struct pb_leat_peer_lease_request look = {.task = str_of(TASK),
                                                    .ask = PB_LEAT_PEER_LEASE_REQUEST_ASK_LOOK};
    uint64_t epoch;
    while (!witness_ask(witness, &look, clock_now_ns(), &epoch))
        usleep(1000);
}

static void register_graph(void)
{
    struct arena a = {0};
    struct status st = {0};
    const struct pb_device_attributes_vec devices = worker_devices(worker, &a);
    const uint64_t incarnation = devices.v[0]->incarnation;
    char *text = mem_printf(graph, (long long)incarnation);
    struct pb_register_graph_request *r = pb_register_graph_request_new(&a);
    key = mem_printf("%s;%016llx;%s;x;0:0", PS_CPU, (unsigned long long)incarnation, WORKER_CPU);
    client_must(pb_graph_def_parse(&a, text, strlen(text), &r->graph_def, &st), &st);
    client_must(worker_create_session(worker, str_of("s"), NULL, false, &st), &st);
    r->session_handle = str_of("s");
    r->create_worker_session_called = true;
    handle = worker_register(worker, r, &st);
    client_must(handle != NULL, &st);
    mem_free(text);
    arena_release(&a);
}

static void run_over(void *arg, const struct status *st, struct wire_values *values,
                     struct strbuf *stats)
{
    (void)arg;
    (void)values;
    (void)stats;
    lock_take(&lock);
    num_ran++;
    status_copy(&ran, st);
    cond_broadcast(&changed);
    lock_drop(&lock);
}

static void value_came(void *arg, const struct status *st, const struct tensor *v, bool dead)
{
    (void)arg;
    lock_take(&lock);
    num_came++;
    status_copy(&came, st);
    value = status_ok(st) && !dead ? *tensor_f32(v) : -1;
    cond_broadcast(&changed);
    lock_drop(&lock);
}

/* What it sends is made, and the change has left for the other process. */
static void run_until_value(void)
{
    const struct worker_run r = {.session = str_of("s"),
                                 .graph = str_of(handle),
                                 .step_id = STEP,
                                 .change_key = 99,
                                 .elsewhere = true};
    worker_run_graph(worker, &r, NULL, run_over, NULL);
    for (bool there = false; !there; usleep(1000)) {
        struct arena a = {0};
        struct wire_values made = {0};
        worker_values_for(worker, STEP, "/job:worker/replica:0/task:0", &a, &made);
        there = made.n > 0;
        wire_values_clear(&made);
        arena_release(&a);
    }
    lock_take(&lock);
    while (!held)
        cond_wait(&changed, &lock);
    lock_drop(&lock);
}

static void ask_for_value(void)
{
    worker_recv_tensor(worker, STEP, str_of(key), 0, NULL, value_came, NULL);
}

static int calls_back(void)
{
    lock_take(&lock);
    const int n = num_ran + num_came;
    lock_drop(&lock);
    return n;
}

static void wait_for_both(void)
{
    lock_take(&lock);
    while (num_ran == 0 || num_came == 0)
        cond_wait(&changed, &lock);
    lock_drop(&lock);
    assert_int_equal(calls_back(), 2);
}

static void test_replica__a_value_leaves_when_what_it_tells_of_is_safe(void **state)
{
    (void)state;
    if (!others)
        skip();
    wait_in_sync();
    register_graph();
    hold_changes();
    run_until_value();
    ask_for_value();
    assert_int_equal(calls_back(), 0);
    answer_held(false);
    wait_for_both();
    client_must(status_ok(&ran), &ran);
    client_must(status_ok(&came), &came);
    assert_true(value == 5);
}

static void test_replica__who_was_replaced_gives_nothing(void **state)
{
    (void)state;
    if (!others)
        skip();
    wait_in_sync();
    register_graph();
    hold_changes();
    run_until_value();
    ask_for_value();
    assert_int_equal(calls_back(), 0);
    answer_held(true);
    wait_for_both();
    assert_int_equal(ran.code, STATUS_ABORTED);
    assert_int_equal(came.code, STATUS_ABORTED);
    assert_non_null(strstr(status_message(&came), "another process serves"));
}

/* --- --- */

static int set_up(void **state)
{
    struct status st = {0};
    (void)state;
    if (!rpc_available(&st)) {
        status_clear(&st);
        return 0;
    }
    lock_init(&lock, "test", LOCK_RANK_LEAF);
    cond_init(&changed);
    holds = false;
    held = NULL;
    num_ran = num_came = 0;
    start_others();
    start_task();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (!others)
        return 0;
    if (held) /* of a test that failed */
        answer_held(false);
    replica_stop(replica);
    replica_free(replica);
    worker_free(worker);
    peers_free(peers);
    rpc_server_free(others);
    witness_free(witness);
    spec_clear(&spec);
    status_clear(&ran);
    status_clear(&came);
    mem_free(key);
    mem_free(handle);
    key = handle = NULL;
    cond_release(&changed);
    lock_release_memory(&lock);
    others = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replica__a_value_leaves_when_what_it_tells_of_is_safe,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_replica__who_was_replaced_gives_nothing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
