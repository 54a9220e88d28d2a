/* SPDX-License-Identifier: Apache-2.0 */
/* Peers: seen, lost, back as another, gone with a goodbye, never there; tasks that know no
 * heartbeat; and what calls, watches and those who wait for devices are told. The tasks are servers
 * of this process. Skipped, counted, where there is no gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/lock.h"
#include "base/mem.h"
#include "dist/peers.h"

#define HOLD "/leat.Test/Hold"

static struct status st;

/* A task that answers heartbeats, or as TensorFlow's does. */
static struct task {
    struct rpc_server *server;
    int port;
    const char *name;
    uint64_t incarnation;
    bool tensorflow;
    bool refuses; /* heartbeats */
} task;

/* --- what callbacks saw; guarded by lock --- */
static struct lock lock = LOCK_INIT("test_peers", LOCK_RANK_LEAF);
static struct cond changed = {PTHREAD_COND_INITIALIZER};
static int num_done;
static struct status last;
static int64_t last_devices;
static struct rpc_call *held;
static int num_held, num_goodbyes, num_beats;

static void note(const struct status *s, int64_t devices)
{
    lock_take(&lock);
    status_clear(&last);
    status_copy(&last, s);
    last_devices = devices;
    num_done++;
    cond_broadcast(&changed);
    lock_drop(&lock);
}

static void wait_for(const int *counter, int value)
{
    lock_take(&lock);
    while (*counter < value)
        cond_wait(&changed, &lock);
    lock_drop(&lock);
}

static int count_of(const int *counter)
{
    lock_take(&lock);
    const int n = *counter;
    lock_drop(&lock);
    return n;
}

static void on_devices(void *arg, const struct status *s,
                       const struct pb_device_attributes_vec *devices)
{
    (void)arg;
    note(s, devices->n);
}

static void on_reply(void *arg, const struct status *s, struct rpc_msg *reply)
{
    (void)arg;
    (void)reply;
    note(s, -1);
}

static void on_watch(void *arg, const struct status *why)
{
    (void)arg;
    note(why, -2);
}

/* --- the task --- */

static void reply_with(struct rpc_call *c, const void *message)
{
    struct strbuf b = {0};
    struct rpc_msg m = {0};
    struct status none = {0};
    assert_true(pb_encode(message, &b, &none));
    rpc_msg_add_strbuf(&m, &b);
    rpc_call_reply(c, &m, &none);
    strbuf_release(&b);
}

static void add_device(struct arena *a, struct pb_device_attributes_vec *list,
                       const struct task *now)
{
    struct pb_device_attributes *d = pb_add_msg(a, list, &pb_device_attributes_desc);
    d->name = str_of(arena_printf(a, "%s/device:CPU:0", now->name));
    d->device_type = str_of("CPU");
    d->incarnation = now->incarnation;
}

static void heartbeat(void *arg, struct rpc_call *c)
{
    struct arena a = {0};
    struct pb_leat_peer_heartbeat_request *in;
    struct pb_leat_peer_heartbeat_response *r = pb_new(&a, &pb_leat_peer_heartbeat_response_desc);
    struct str bytes = rpc_msg_flat(rpc_call_request(c), &a);
    struct status own = {0};
    (void)arg;
    lock_take(&lock);
    num_beats++;
    const struct task now = task; /* the tests change it */
    cond_broadcast(&changed);
    lock_drop(&lock);
    assert_true(pb_leat_peer_heartbeat_request_decode(&a, bytes.p, bytes.n, 0, &in, &own));
    r->task = str_of(now.name);
    r->incarnation = now.incarnation;
    if (in->want_devices)
        add_device(&a, &r->device, &now);
    if (now.refuses) {
        (void)status_fail(&own, STATUS_UNAVAILABLE, "not now");
        rpc_call_reply(c, NULL, &own);
        status_clear(&own);
    } else {
        reply_with(c, r);
    }
    arena_release(&a);
}

static void get_status(void *arg, struct rpc_call *c)
{
    struct arena a = {0};
    struct pb_get_status_response *r = pb_new(&a, &pb_get_status_response_desc);
    (void)arg;
    lock_take(&lock);
    const struct task now = task;
    lock_drop(&lock);
    add_device(&a, &r->device_attributes, &now);
    reply_with(c, r);
    arena_release(&a);
}

static void goodbye(void *arg, struct rpc_call *c)
{
    struct status none = {0};
    (void)arg;
    lock_take(&lock);
    num_goodbyes++;
    lock_drop(&lock);
    rpc_call_reply(c, NULL, &none);
}

static void hold(void *arg, struct rpc_call *c)
{
    (void)arg;
    lock_take(&lock);
    held = c;
    num_held++;
    cond_broadcast(&changed);
    lock_drop(&lock);
}

static void release_held(void)
{
    struct status none = {0};
    lock_take(&lock);
    struct rpc_call *c = held;
    held = NULL;
    lock_drop(&lock);
    if (c)
        rpc_call_reply(c, NULL, &none);
}

/* On the port that it had, if it had one. */
static void task_start(void)
{
    char *bind = mem_printf("127.0.0.1:%d", task.port);
    struct rpc_handler all[] = {
        {"/tensorflow.WorkerService/GetStatus", get_status, NULL},
        {HOLD, hold, NULL},
        {"/leat.Peer/Heartbeat", heartbeat, NULL},
        {"/leat.Peer/Goodbye", goodbye, NULL},
    };
    struct rpc_server_options o = {.bind = (const char *const *)&bind,
                                   .num_bind = 1,
                                   .handlers = all,
                                   .num_handlers = task.tensorflow ? 2 : 4};
    task.server = rpc_server_new(&o, &st);
    if (!task.server)
        fail_msg("%s", status_message(&st));
    else
        task.port = rpc_server_port(task.server);
    mem_free(bind);
}

static void task_stop(void)
{
    release_held();
    rpc_server_free(task.server);
    task.server = NULL;
}

static int set_up(void **state)
{
    (void)state;
    task = (struct task){.name = "/job:ps/replica:0/task:0", .incarnation = 77};
    num_done = num_held = num_goodbyes = num_beats = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    status_clear(&st);
    status_clear(&last);
    return 0;
}

static int64_t scale(void)
{
    const char *text = getenv("LEAT_TEST_DEADLINE_MS");
    return text ? atoll(text) : 1000;
}

static struct peers *new_peers(int64_t failure_ms, int64_t start_ms)
{
    struct spec s;
    char *text = mem_printf("ps=127.0.0.1:%d;worker=127.0.0.1:1", task.port);
    assert_true(spec_from_text(text, &s, &st));
    assert_true(spec_set_task(&s, "worker", 0, &st));
    struct peers *p = peers_new(&s, NULL, &(struct peer_deadlines){failure_ms, start_ms});
    peers_set_self(p, "/job:worker/replica:0/task:0", 5);
    spec_clear(&s);
    mem_free(text);
    return p;
}

static void check_last(int code, const char *words)
{
    if (last.code != code || !strstr(status_message(&last), words))
        fail_msg("%s: %s", status_code_name(last.code), status_message(&last));
}

static bool no_grpc(void)
{
    bool have = rpc_available(&st);
    if (!have)
        print_message("skipped: %s\n", status_message(&st));
    status_clear(&st);
    return !have;
}

/* --- the tests --- */

static void see(struct peer *p)
{
    int before = num_done;
    peer_devices(p, 0, on_devices, NULL);
    wait_for(&num_done, before + 1);
    check_last(0, "");
    assert_int_equal(last_devices, 1);
    assert_true(peer_incarnation(p) == task.incarnation);
}

static void test_peers__seen_called_and_lost(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(scale(), 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    assert_non_null(p);
    see(p);
    assert_true(peer_watch(p, on_watch, NULL) != 0);
    struct rpc_msg m = {0};
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_held, 1);
    int before = num_done;
    release_held();
    wait_for(&num_done, before + 1);
    check_last(0, "");
    task_stop();
    wait_for(&num_done, before + 2); /* the watch */
    check_last(STATUS_UNAVAILABLE, "/job:ps/replica:0/task:0 at 127.0.0.1:");
    check_last(STATUS_UNAVAILABLE, " lost: connection ");
    assert_true(peer_watch(p, on_watch, NULL) == 0);
    assert_null(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    check_last(STATUS_UNAVAILABLE, "lost: ");
    peers_free(set);
}

static void test_peers__back_as_another(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    see(p);
    uint64_t token = peer_watch(p, on_watch, NULL);
    lock_take(&lock);
    task.incarnation = 78;
    lock_drop(&lock);
    peers_heard(set, str_of(task.name), 78, false); /* it calls, as another: it is asked at once */
    wait_for(&num_done, 2);
    check_last(STATUS_ABORTED, "came back as another process");
    peer_unwatch(p, token);
    see(p);
    task_stop();
    peers_free(set);
}

/* What was begun with the new process before a heartbeat told of it goes on. */
static void test_peers__back_as_who_is_called_already(void **state)
{
    struct rpc_msg m = {0};
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    see(p);
    (void)peer_watch(p, on_watch, NULL);
    rpc_request_unref(peer_start_at(p, 78, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_held, 1);
    lock_take(&lock);
    task.incarnation = 78;
    lock_drop(&lock);
    peer_settle(p, 0, on_devices, NULL);
    wait_for(&num_done, 3); /* the watch, and who settles */
    assert_true(peer_incarnation(p) == 78);
    release_held();
    wait_for(&num_done, 4);
    check_last(0, "");
    rpc_request_unref(peer_start_at(p, 78, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_held, 2);
    lock_take(&lock);
    task.incarnation = 79;
    lock_drop(&lock);
    peers_heard(set, str_of(task.name), 79, false);
    wait_for(&num_done, 5);
    check_last(STATUS_ABORTED, "came back as another process");
    task_stop();
    peers_free(set);
}

static void test_peers__never_seen(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start(); /* for a port that nobody has afterwards */
    task_stop();
    struct peers *set = new_peers(60000, scale());
    struct peer *p = peers_find(set, "ps", 0, &st);
    peer_devices(p, 0, on_devices, NULL);
    wait_for(&num_done, 1);
    check_last(STATUS_DEADLINE_EXCEEDED, "was never seen: connection refused; waited ");
    struct rpc_msg m = {0};
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_done, 2);
    check_last(STATUS_DEADLINE_EXCEEDED, "was never seen");
    peers_free(set);
}

static void test_peers__waits_for_one_that_comes_late(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    task_stop();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    struct rpc_msg m = {0};
    peer_devices(p, 0, on_devices, NULL);
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    task_start();
    wait_for(&num_done, 1);
    check_last(0, "");
    wait_for(&num_held, 1);
    release_held();
    wait_for(&num_done, 2);
    check_last(0, "");
    task_stop();
    peers_free(set);
}

static void test_peers__another_task_answers(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task.name = "/job:ps/replica:0/task:3";
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    peer_devices(p, scale(), on_devices, NULL);
    wait_for(&num_done, 1);
    check_last(STATUS_DEADLINE_EXCEEDED, "/job:ps/replica:0/task:3 answers there");
    task_stop();
    peers_free(set);
}

static void test_peers__of_tensorflow(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task.tensorflow = true;
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    see(p);
    task_stop();
    peers_free(set);
}

static void test_peers__hello_and_goodbye(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    see(p);
    assert_false(peers_all_left(set, "worker"));
    assert_true(peer_watch(p, on_watch, NULL) != 0);
    peers_heard(set, str_of(task.name), task.incarnation, false);
    assert_false(peers_all_left(set, "worker"));
    peers_heard(set, str_of("/job:no/replica:0/task:0"), 1, true);
    peers_heard(set, str_of(task.name), task.incarnation, true);
    wait_for(&num_done, 2);
    check_last(STATUS_UNAVAILABLE, "has left the cluster");
    assert_true(peers_all_left(set, "worker"));
    assert_false(peers_all_left(set, "ps"));
    peers_goodbye(set, 60000);
    assert_int_equal(count_of(&num_goodbyes), 1);
    task_stop();
    peers_free(set);
}

/* What it sent before it left may come afterwards, and it answers for a while. */
static void test_peers__a_goodbye_stays(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    see(p);
    peers_heard(set, str_of(task.name), task.incarnation, false);
    peers_heard(set, str_of(task.name), task.incarnation, true);
    peers_heard(set, str_of(task.name), task.incarnation, false);
    assert_true(peers_all_left(set, "worker"));
    lock_take(&lock);
    const int before = num_beats;
    lock_drop(&lock);
    peers_heard(set, str_of(task.name), 78, false); /* the next one; the old one answers us */
    assert_false(peers_all_left(set, "worker"));
    wait_for(&num_beats, before + 2);
    assert_true(peer_watch(p, on_watch, NULL) == 0);
    peer_devices(p, 0, on_devices, NULL);
    check_last(STATUS_UNAVAILABLE, "has left the cluster");
    peers_heard(set, str_of(task.name), 78, true);
    assert_true(peers_all_left(set, "worker"));
    task_stop();
    peers_free(set);
}

/* A goodbye goes to who stands by as well. */
static void test_peers__goodbye_to_who_stands_by(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    char *address = mem_printf("127.0.0.1:%d", task.port);
    peers_set_standby(set, "ps", 0, address);
    peers_goodbye(set, 60000);
    assert_int_equal(count_of(&num_goodbyes), 2);
    mem_free(address);
    task_stop();
    peers_free(set);
}

/* A call to the first process, which was gone before it was seen, is not waited for. */
static void test_peers__moved_before_it_was_seen(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    struct rpc_server *first = task.server;
    task.port = 0;
    task_start();
    rpc_server_free(first);
    char *address = mem_printf("127.0.0.1:%d", task.port);
    peers_set_standby(set, "ps", 0, address);
    struct rpc_msg m = {0};
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_done, 1);
    check_last(STATUS_ABORTED, "came back as another process");
    assert_string_equal(peer_address(p), address);
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_held, 1);
    release_held();
    wait_for(&num_done, 2);
    check_last(0, "");
    mem_free(address);
    task_stop();
    peers_free(set);
}

/* It answered a call, and is lost before it has answered a heartbeat. */
static void test_peers__lost_before_a_heartbeat(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task.refuses = true;
    task_start();
    struct peers *set = new_peers(scale(), 60000000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    struct rpc_msg m = {0};
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_held, 1);
    release_held();
    wait_for(&num_done, 1);
    check_last(0, "");
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_done, 2);
    check_last(STATUS_UNAVAILABLE, "/job:ps/replica:0/task:0 at 127.0.0.1:");
    check_last(STATUS_UNAVAILABLE, " lost: ");
    task_stop();
    peers_free(set);
}

static void test_peers__freed_while_calls_run(void **state)
{
    (void)state;
    if (no_grpc())
        skip();
    task_start();
    struct peers *set = new_peers(60000, 60000);
    struct peer *p = peers_find(set, "ps", 0, &st);
    struct rpc_msg m = {0};
    rpc_request_unref(peer_start(p, HOLD, &m, 0, on_reply, NULL));
    wait_for(&num_held, 1);
    peers_free(set);
    assert_int_equal(num_done, 1);
    check_last(STATUS_CANCELLED, "has stopped");
    task_stop();
}

static void test_peers__find(void **state)
{
    (void)state;
    struct peers *set = new_peers(1000, 1000);
    assert_int_equal(peers_count(set), 2);
    assert_string_equal(peer_name(peers_at(set, 1)), "/job:worker/replica:0/task:0");
    assert_null(peers_find(set, "ps", 4, &st));
    assert_string_equal(status_message(&st),
                        "/job:ps/task:4 is not in the cluster, which has "
                        "/job:ps/replica:0/task:0, /job:worker/replica:0/task:0");
    peers_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_peers__seen_called_and_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__back_as_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__back_as_who_is_called_already, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_peers__never_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__waits_for_one_that_comes_late, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_peers__another_task_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__of_tensorflow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__hello_and_goodbye, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__a_goodbye_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__goodbye_to_who_stands_by, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__moved_before_it_was_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__lost_before_a_heartbeat, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__freed_while_calls_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_peers__find, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
