/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 120 */
/* Data planes: tensors come by shared memory where both tasks have it, by gRPC where one has not,
 * or where the memory cannot be read; another process is linked anew. A transfer that is cancelled
 * ends. Which plane carried them is seen by counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "dist/worker_impl.h"
#include "unit/dist/cluster.h"

enum {
    GRPC = PB_LEAT_PEER_PLANE_GRPC,
    SHARED = PB_LEAT_PEER_PLANE_SHARED,
    UCX = PB_LEAT_PEER_PLANE_UCX
};

#define PS "device: '/job:ps/task:0' "
#define WORKER "device: '/job:worker/task:0' "
#define T_FLOAT "attr { key: 'T' value { type: DT_FLOAT } } "
#define CONST(name, on, type, shape, values)                                                       \
    "node { name: '" name "' op: 'Const' " on "attr { key: 'dtype' value { type: " type            \
    " } } attr { key: 'value' value { tensor { dtype: " type " tensor_shape { " shape " } " values \
    " } } } } "

/* Three million numbers of the ps, each what is fed, added up at the worker. */
static const char graph[] =
    CONST("dims", PS, "DT_INT32", "dim { size: 1 }",
          "int_val: 3000000") "node { name: 'x' op: 'Placeholder' " PS
                              "attr { key: 'dtype' value { type: DT_FLOAT } } } "
                              "node { name: 'xs' op: 'Fill' input: 'dims' input: 'x' " PS T_FLOAT
                              "attr { key: 'index_type' value { type: DT_INT32 } } } " CONST(
                                  "axis", WORKER, "DT_INT32", "dim { size: 1 }",
                                  "int_val: 0") "node { name: 'sum' op: 'Sum' input: 'xs' input: "
                                                "'axis' " WORKER T_FLOAT
                                                "attr { key: 'Tidx' value { type: DT_INT32 } } } ";

static struct cluster c;
static struct status st;

static bool begin(const char *ps, const char *worker)
{
    static const char *const jobs[] = {"ps", "worker"};
    cluster_protocols[0] = ps;
    cluster_protocols[1] = worker;
    return cluster_start(&c, jobs, 2);
}

static void end(char *session)
{
    client_close(&c, 1, session);
    mem_free(session);
    cluster_stop(&c);
    cluster_protocols[0] = cluster_protocols[1] = NULL;
}

static int64_t received(int plane)
{
    return planes_counts(c.tasks[1].worker->planes).received[plane];
}

static bool run_sum(const char *session, float x, struct tensor *out)
{
    struct client_feed feed = client_feed_float("x:0", x);
    const struct client_run r = {
        .session = session, .feeds = &feed, .num_feeds = 1, .fetches = "sum:0"};
    bool ok = client_run(&c, 1, &r, out, &st);
    tensor_clear(&feed.value);
    return ok;
}

static void sum_is_right(const char *session, float x)
{
    struct tensor out = {0};
    client_must(run_sum(session, x, &out), &st);
    assert_true(tensor_f32(&out)[0] == 3000000 * x);
    tensor_clear(&out);
}

/* Steps until tensors come by the plane: linking is on the way meanwhile. */
static void sum_until(const char *session, int plane)
{
    const int64_t before = received(plane);
    for (int i = 0; received(plane) == before; i++)
        sum_is_right(session, (float)(i % 5 + 1));
}

static void test_plane__shared_memory_where_both_have_it(void **state UNUSED)
{
    if (!begin("grpc+ucx", "grpc+ucx"))
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, SHARED);
    const int64_t by_grpc = received(GRPC);
    for (int i = 0; i < 4; i++)
        sum_is_right(session, (float)i);
    assert_int_equal(received(GRPC), by_grpc);
    assert_int_equal(planes_counts(c.tasks[1].worker->planes).links, 1);
    end(session);
}

static void by_grpc_alone(const char *ps, const char *worker)
{
    if (!begin(ps, worker))
        skip();
    char *session = client_session(&c, 1, graph, "");
    for (int i = 0; i < 4; i++)
        sum_is_right(session, (float)i);
    assert_int_equal(received(SHARED), 0);
    assert_int_equal(received(GRPC), 4);
    assert_int_equal(planes_counts(c.tasks[1].worker->planes).links, 0);
    end(session);
}

static void test_plane__grpc_where_one_lacks_it(void **state UNUSED)
{
    by_grpc_alone("grpc", "grpc+ucx");
    by_grpc_alone("grpc+ucx", "grpc");
    by_grpc_alone("grpc", "grpc");
}

static void test_plane__memory_that_cannot_be_read_comes_by_grpc(void **state UNUSED)
{
    if (!begin("grpc+ucx", "grpc+ucx"))
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, SHARED);
    const int64_t by_grpc = received(GRPC);
    assert_true(failpoint_set("shared_read", "1"));
    sum_is_right(session, 7);
    assert_int_equal(received(GRPC), by_grpc + 1);
    failpoint_clear_all();
    sum_until(session, SHARED); /* linked anew */
    assert_true(planes_counts(c.tasks[1].worker->planes).links >= 2);
    end(session);
}

static void test_plane__another_process_is_linked_anew(void **state UNUSED)
{
    if (!begin("grpc+ucx", "grpc+ucx"))
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, SHARED);
    cluster_restart(&c, 0);
    struct tensor out = {0};
    while (!run_sum(session, 1, &out)) /* ABORTED: another incarnation */
        status_clear(&st);
    tensor_clear(&out);
    sum_until(session, SHARED);
    assert_true(planes_counts(c.tasks[1].worker->planes).links >= 2);
    end(session);
}

/* Steps that are given up at any time; the next one is whole. */
static void give_up_steps(const char *session)
{
    struct client_feed feed = client_feed_float("x:0", 3);
    int ended = 0;
    for (int i = 0; i < 400 && ended < 10; i++) {
        struct tensor out = {0};
        const struct client_run r = {.session = session,
                                     .feeds = &feed,
                                     .num_feeds = 1,
                                     .fetches = "sum:0",
                                     .timeout_ms = 1 + i % 4};
        if (client_run(&c, 1, &r, &out, &st)) {
            assert_true(tensor_f32(&out)[0] == 9000000);
        } else {
            assert_int_equal(st.code, STATUS_DEADLINE_EXCEEDED);
            ended++;
        }
        status_clear(&st);
        tensor_clear(&out);
    }
    tensor_clear(&feed.value);
    sum_is_right(session, 4);
}

static void test_plane__steps_given_up_leave_nothing(void **state UNUSED)
{
    if (!begin("grpc+ucx", "grpc+ucx"))
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, SHARED);
    give_up_steps(session);
    sum_until(session, SHARED);
    end(session);
}

/* --- who asks wrongly --- */

static int link_code(const struct pb_leat_peer_link_request *q)
{
    char address[40];
    struct rpc_msg request = {0}, reply = {0};
    struct rpc_options o = {.timeout_ms = 20000};
    snprintf(address, sizeof address, "127.0.0.1:%d", rpc_server_port(c.tasks[0].server));
    struct rpc_channel *channel = rpc_channel_new(address, NULL, true, &st);
    assert_non_null(channel);
    client_must(wire_put(&request, q, &st), &st);
    int code = STATUS_OK;
    if (!rpc_call_wait(channel, PLANE_LINK, &request, &o, NULL, &reply, &st))
        code = st.code;
    status_clear(&st);
    rpc_msg_clear(&reply);
    rpc_channel_unref(channel);
    return code;
}

static void links_are_refused(struct arena *a)
{
    struct pb_leat_peer_link_request *q = pb_leat_peer_link_request_new(a);
    static char much[1 << 20];
    q->task = str_of("/job:worker/replica:0/task:0");
    assert_int_equal(link_code(q), STATUS_UNIMPLEMENTED); /* no plane */
    q->plane = -1;
    assert_int_equal(link_code(q), STATUS_UNIMPLEMENTED);
    q->plane = 1000;
    assert_int_equal(link_code(q), STATUS_UNIMPLEMENTED);
    q->plane = UCX;
    if (!planes_has(c.tasks[0].worker->planes, UCX)) {
        assert_int_equal(link_code(q), STATUS_UNIMPLEMENTED);
        return;
    }
    assert_int_equal(link_code(q), STATUS_FAILED_PRECONDITION); /* the version */
    q->version = str_of("1.13.1");
    q->address = str_make(much, sizeof much);
    int code = link_code(q);
    assert_true(code == STATUS_INVALID_ARGUMENT || code == STATUS_FAILED_PRECONDITION);
    q->address = str_of("no address");
    code = link_code(q);
    assert_true(code == STATUS_INVALID_ARGUMENT || code == STATUS_FAILED_PRECONDITION);
}

/* A link that nobody made: the answer has the value. */
static void test_plane__strange_links_are_refused(void **state UNUSED)
{
    struct arena a = {0};
    if (!begin("grpc+ucx", "grpc+ucx"))
        skip();
    links_are_refused(&a);
    struct pb_leat_peer_link_request *q = pb_leat_peer_link_request_new(&a);
    q->plane = SHARED;
    assert_int_equal(link_code(q), STATUS_OK);
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, SHARED);
    assert_true(failpoint_set("plane_unknown", "1"));
    const int64_t by_grpc = received(GRPC);
    sum_is_right(session, 5);
    assert_int_equal(received(GRPC), by_grpc + 1);
    failpoint_clear_all();
    sum_until(session, SHARED);
    end(session);
    arena_release(&a);
}

/* --- UCX, over TCP --- */

static bool begin_ucx(void)
{
    static const struct rpc_security plain = {.insecure = true};
    setenv("LEAT_PLANES", "ucx", 1);
    setenv("UCX_TLS", "tcp", 1);
    setenv("UCX_NET_DEVICES", "lo", 1);
    cluster_security = &plain;
    if (begin("grpc+ucx", "grpc+ucx") && planes_has(c.tasks[1].worker->planes, UCX))
        return true;
    if (c.num_tasks)
        cluster_stop(&c);
    return false;
}

static void end_ucx(char *session)
{
    end(session);
    cluster_security = NULL;
    unsetenv("LEAT_PLANES");
}

static void test_plane__ucx_where_memory_is_not_shared(void **state UNUSED)
{
    if (!begin_ucx())
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, UCX);
    const int64_t by_grpc = received(GRPC);
    for (int i = 0; i < 8; i++)
        sum_is_right(session, (float)i);
    assert_int_equal(received(GRPC), by_grpc);
    end_ucx(session);
}

static void test_plane__ucx_steps_given_up_leave_nothing(void **state UNUSED)
{
    if (!begin_ucx())
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, UCX);
    give_up_steps(session);
    sum_until(session, UCX);
    end_ucx(session);
}

static void test_plane__ucx_strange_links_are_refused(void **state UNUSED)
{
    struct arena a = {0};
    if (!begin_ucx())
        skip();
    links_are_refused(&a);
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, UCX);
    end_ucx(session);
    arena_release(&a);
}

/* TLS is said to be on: nothing goes beside it. */
static void test_plane__grpc_alone_under_tls(void **state UNUSED)
{
    static char file[] = "cert.pem";
    const struct rpc_security tls = {.cert_file = file, .insecure = true};
    struct spec spec = {0};
    assert_true(spec_from_text("ps=localhost:1;worker=localhost:2", &spec, &st));
    struct peers *peers = peers_new(&spec, &tls, NULL);
    struct planes *p = planes_new(&(struct planes_options){
        .protocol = "grpc+ucx", .task = "/job:ps/replica:0/task:0", .peers = peers});
    assert_false(planes_has(p, SHARED));
    assert_false(planes_has(p, UCX));
    planes_stop(p);
    planes_unref(p);
    peers_free(peers);
    spec_clear(&spec);
}

static void test_plane__ucx_to_another_process_is_linked_anew(void **state UNUSED)
{
    if (!begin_ucx())
        skip();
    char *session = client_session(&c, 1, graph, "");
    sum_until(session, UCX);
    cluster_restart(&c, 0);
    struct tensor out = {0};
    while (!run_sum(session, 1, &out)) /* ABORTED: another incarnation */
        status_clear(&st);
    tensor_clear(&out);
    sum_until(session, UCX);
    assert_true(planes_counts(c.tasks[1].worker->planes).links >= 2);
    end_ucx(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane__shared_memory_where_both_have_it),
        cmocka_unit_test(test_plane__grpc_where_one_lacks_it),
        cmocka_unit_test(test_plane__memory_that_cannot_be_read_comes_by_grpc),
        cmocka_unit_test(test_plane__another_process_is_linked_anew),
        cmocka_unit_test(test_plane__steps_given_up_leave_nothing),
        cmocka_unit_test(test_plane__strange_links_are_refused),
        cmocka_unit_test(test_plane__grpc_alone_under_tls),
        cmocka_unit_test(test_plane__ucx_where_memory_is_not_shared),
        cmocka_unit_test(test_plane__ucx_steps_given_up_leave_nothing),
        cmocka_unit_test(test_plane__ucx_strange_links_are_refused),
        cmocka_unit_test(test_plane__ucx_to_another_process_is_linked_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
