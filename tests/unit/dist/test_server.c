/* SPDX-License-Identifier: Apache-2.0 */
/* Servers and sessions with a target, by the public functions: two tasks in this process, a client
 * over the network and one that is told the server's own target. Skipped, counted, without gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dist/rpc.h"
#include "leat/leat.h"

static TF_Status *s;
static TF_Server *ps, *worker;
static char cluster[200];

static bool have_grpc(void)
{
    struct status st = {0};
    bool have = rpc_available(&st);
    if (!have)
        print_message("skipped: %s\n", status_message(&st));
    status_clear(&st);
    return have;
}

static void must(void)
{
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
}

/* A port that nobody has; held until the server binds it, but for a moment. */
static int free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t n = sizeof a;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&a, n) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static TF_Server *start(const char *job)
{
    struct leat_server_args a = {
        .cluster = cluster, .job = job, .failure_deadline_ms = 20000, .start_timeout_ms = 20000};
    TF_Server *server = leat_server_new(&a, s);
    must();
    TF_ServerStart(server, s);
    must();
    return server;
}

static int set_up(void **state)
{
    (void)state;
    s = TF_NewStatus();
    if (!have_grpc())
        return 0;
    snprintf(cluster, sizeof cluster, "ps=localhost:%d;worker=localhost:%d", free_port(),
             free_port());
    ps = start("ps");
    worker = start("worker");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteServer(worker);
    TF_DeleteServer(ps);
    ps = worker = NULL;
    TF_DeleteStatus(s);
    return 0;
}

/* A variable on the ps, assigned and read by a session at the target. */
static void train_at(const char *target)
{
    TF_Graph *g = TF_NewGraph();
    TF_Output w, x, y;
    float got = 0;
    leat_with_device(g, "/job:ps/task:0") {
        w = leat_variable(g, "w", leat_const_float(g, 3.0f));
    }
    leat_with_device(g, "/job:worker/task:0") {
        x = leat_placeholder(g, .dtype = TF_FLOAT);
        y = leat_mul(g, w, x);
    }
    TF_Session *session = leat_session_new(g, s, .target = target, .timeout_ms = 60000);
    must();
    leat_run_op(session, leat_global_variables_initializer(g), leat_no_feeds(), s);
    must();
    leat_run(session, s, .feeds = leat_feeds(leat_feed_number(x, 2)),
             .fetches = leat_fetches(leat_fetch(y, &got, 1)));
    must();
    assert_true(got == 6.0f);
    TF_Output z = leat_add(g, y, y); /* the graph grows */
    leat_run(session, s, .feeds = leat_feeds(leat_feed_number(x, 2)),
             .fetches = leat_fetches(leat_fetch(z, &got, 1)));
    must();
    assert_true(got == 12.0f);
    leat_session_close(session);
    TF_DeleteGraph(g);
}

static void test_server__session_in_process(void **state)
{
    (void)state;
    if (!ps)
        skip();
    train_at(TF_ServerTarget(worker));
}

static void test_server__session_over_the_network(void **state)
{
    char target[100];
    (void)state;
    if (!ps)
        skip();
    const char *port = strrchr(TF_ServerTarget(worker), ':');
    snprintf(target, sizeof target, "grpc://127.0.0.1%s", port); /* another name: no short cut */
    train_at(target);
}

static void check_error(TF_Code code, const char *words)
{
    if (TF_GetCode(s) != code || !strstr(TF_Message(s), words))
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
}

static void test_server__devices_of_all_tasks(void **state)
{
    (void)state;
    if (!ps)
        skip();
    TF_Graph *g = TF_NewGraph();
    TF_Session *session = leat_session_new(g, s, .target = TF_ServerTarget(ps));
    must();
    TF_DeviceList *l = TF_SessionListDevices(session, s);
    must();
    assert_int_equal(TF_DeviceListCount(l), 2);
    assert_string_equal(TF_DeviceListName(l, 1, s), "/job:worker/replica:0/task:0/device:CPU:0");
    TF_DeleteDeviceList(l);
    leat_session_close(session);
    TF_DeleteGraph(g);
}

static void test_server__state_outlives_sessions(void **state)
{
    float got = 0;
    (void)state;
    if (!ps)
        skip();
    TF_Graph *g = TF_NewGraph();
    TF_Output w = leat_variable(g, "w", leat_const_float(g, 5.0f));
    TF_Session *a = leat_session_new(g, s, .target = TF_ServerTarget(ps));
    leat_run_op(a, leat_global_variables_initializer(g), leat_no_feeds(), s);
    must();
    leat_session_close(a);
    TF_Session *b = leat_session_new(g, s, .target = TF_ServerTarget(ps));
    leat_run(b, s, .fetches = leat_fetches(leat_fetch(w, &got, 1)));
    must();
    assert_true(got == 5.0f);
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetTarget(o, TF_ServerTarget(ps));
    TF_Reset(o, NULL, 0, s);
    must();
    TF_DeleteSessionOptions(o);
    leat_session_close(b);
    TF_Session *c = leat_session_new(g, s, .target = TF_ServerTarget(ps));
    leat_run(c, s, .fetches = leat_fetches(leat_fetch(w, &got, 1)));
    check_error(TF_FAILED_PRECONDITION, "uninitialized");
    leat_session_close(c);
    TF_DeleteGraph(g);
}

static void *close_it(void *session)
{
    TF_CloseSession(session, NULL);
    return NULL;
}

static void test_server__close_ends_a_step(void **state)
{
    char target[100];
    (void)state;
    if (!ps)
        skip();
    snprintf(target, sizeof target, "grpc://127.0.0.1%s", strrchr(TF_ServerTarget(worker), ':'));
    TF_Graph *g = TF_NewGraph();
    const TF_DataType types[] = {TF_FLOAT};
    TF_Output q = leat_fifo_queue(g, .component_types = {types, 1});
    TF_Output x = leat_queue_dequeue(g, q, .component_types = {types, 1});
    TF_Session *session = leat_session_new(g, s, .target = target);
    must();
    pthread_t thread;
    float got;
    assert_int_equal(pthread_create(&thread, NULL, close_it, session), 0);
    leat_run(session, s, .fetches = leat_fetches(leat_fetch(x, &got, 1)));
    check_error(TF_CANCELLED, "losed");
    pthread_join(thread, NULL);
    leat_session_close(session);
    TF_DeleteGraph(g);
}

static void test_server__what_is_refused(void **state)
{
    (void)state;
    if (!ps)
        skip();
    static const struct {
        struct leat_server_args a;
        TF_Code code;
        const char *words;
    } rows[] = {
        {{.cluster = "ps=localhost:0", .job = "worker"}, TF_INTERNAL, "was not defined in cluster"},
        {{.cluster = "ps=localhost:0", .job = "ps", .task = 1}, TF_INVALID_ARGUMENT, "Task 1 was"},
        {{.cluster = "ps=localhost:0"}, TF_INVALID_ARGUMENT, "which task"},
        {{.cluster = "ps=192.0.2.1:0", .job = "ps"}, TF_FAILED_PRECONDITION, "--bind"},
        {{.cluster = "ps=0.0.0.0:0", .job = "ps"}, TF_PERMISSION_DENIED, "LEAT_INSECURE=1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(leat_server_new(&rows[i].a, s));
        check_error(rows[i].code, rows[i].words);
    }
    assert_null(TF_NewServer("x", 1, s));
    check_error(TF_INVALID_ARGUMENT, "Could not parse provided bytes into a ServerDef");
    struct leat_server_args taken = {.cluster = cluster, .job = "ps"};
    assert_null(leat_server_new(&taken, s));
    check_error(TF_UNAVAILABLE, "cannot be had");
    TF_Graph *g = TF_NewGraph();
    assert_null(leat_session_new(g, s, .target = "grpc://foo"));
    check_error(TF_INVALID_ARGUMENT, "Could not interpret \"foo\" as a host-port pair.");
    TF_Session *none = leat_session_new(g, s, .target = "grpc://localhost:1", .timeout_ms = 300);
    must();
    assert_null(TF_SessionListDevices(none, s));
    check_error(TF_DEADLINE_EXCEEDED, "connection refused");
    leat_session_close(none);
    TF_DeleteGraph(g);
}

static void test_server__a_ps_ends_when_the_others_have_left(void **state)
{
    (void)state;
    if (!ps)
        skip();
    setenv("LEAT_PS_EXIT", "1", 1);
    TF_ServerStop(worker, s);
    must();
    TF_ServerJoin(ps, s);
    must();
    unsetenv("LEAT_PS_EXIT");
    TF_ServerStart(ps, s);
    check_error(TF_FAILED_PRECONDITION, "stopped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_server__session_in_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server__session_over_the_network, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server__devices_of_all_tasks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server__state_outlives_sessions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server__close_ends_a_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server__what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_server__a_ps_ends_when_the_others_have_left, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
