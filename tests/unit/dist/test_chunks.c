/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 120 */
/* Tensors in pieces: what is offered comes whole, to another task too; wrong requests are refused.
 * The failpoint `chunks` stands for tensors that are too big for a message. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "dist/chunks.h"
#include "tensor/block.h"
#include "unit/dist/cluster.h"

static struct status st;

static struct pb_leat_peer_offer *offer_of(struct arena *a, const struct pb_recv_tensor_response *r)
{
    struct pb_leat_peer_offer *p;
    assert_true(chunks_offered(r));
    const struct pb_any *any = r->transport_options;
    assert_true(pb_leat_peer_offer_decode(a, any->value.p, any->value.n, 0, &p, &st));
    return p;
}

static void refuses(struct offers *o, struct pb_leat_peer_fetch_request *q, int64_t offset,
                    int64_t length, int code)
{
    struct rpc_msg m = {0};
    q->offset = offset;
    q->length = length;
    assert_false(offers_fetch(o, q, &m, &st));
    assert_int_equal(st.code, code);
    assert_int_equal(m.n, 0);
    status_clear(&st);
}

static void test_offers__give_their_bytes_until_they_go(void **state UNUSED)
{
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct tensor t;
    struct shape shape = shape_2(10, 10);
    assert_true(tensor_new(&t, DT_INT32, &shape, &st));
    for (int i = 0; i < 100; i++)
        tensor_i32(&t)[i] = i;
    assert_false(offers_wants(&t));
    struct offers *o = offers_new();
    struct pb_recv_tensor_response *r = pb_recv_tensor_response_new(&a);
    assert_true(offers_add(o, 7, &t, PB_LEAT_PEER_PLANE_GRPC, &a, r, &st));
    struct pb_leat_peer_fetch_request *q = pb_leat_peer_fetch_request_new(&a);
    q->id = offer_of(&a, r)->id;
    q->offset = 40;
    q->length = 80;
    assert_true(offers_fetch(o, q, &m, &st));
    assert_int_equal(m.bytes, 80);
    assert_ptr_equal(m.v[0].p, (char *)t.data + 40); /* the tensor's own bytes, not copied */
    rpc_msg_clear(&m);
    refuses(o, q, 321, 80, STATUS_INVALID_ARGUMENT);
    refuses(o, q, -1, 80, STATUS_INVALID_ARGUMENT);
    refuses(o, q, 0, -1, STATUS_INVALID_ARGUMENT);
    refuses(o, q, INT64_MAX, 1, STATUS_INVALID_ARGUMENT);
    refuses(o, q, 0, INT64_MAX, STATUS_INVALID_ARGUMENT);
    offers_drop_step(o, 8);
    q->offset = 0;
    q->length = 400;
    assert_true(offers_fetch(o, q, &m, &st));
    rpc_msg_clear(&m);
    offers_drop_step(o, 7);
    refuses(o, q, 0, 400, STATUS_ABORTED);
    assert_true(tensor_is_sole(&t));
    tensor_clear(&t);
    offers_free(o);
    arena_release(&a);
}

#define PS "device: '/job:ps/task:0' "
#define WORKER "device: '/job:worker/task:0' "
#define T_FLOAT "attr { key: 'T' value { type: DT_FLOAT } } "
#define CONST(name, on, type, shape, values)                                                       \
    "node { name: '" name "' op: 'Const' " on "attr { key: 'dtype' value { type: " type            \
    " } } attr { key: 'value' value { tensor { dtype: " type " tensor_shape { " shape " } " values \
    " } } } } "

/* 5,000,001 twos of the ps, added up at the worker: twenty pieces. */
static const char big[] = CONST("dims", PS, "DT_INT32", "dim { size: 1 }", "int_val: 5000001")
    CONST("two", PS, "DT_FLOAT", "",
          "float_val: 2") "node { name: 'twos' op: 'Fill' input: 'dims' input: 'two' " PS
        T_FLOAT "attr { key: 'index_type' value { type: DT_INT32 } } } " CONST(
            "axis", WORKER, "DT_INT32", "dim { size: 1 }",
            "int_val: 0") "node { name: 'sum' op: 'Sum' input: 'twos' input: 'axis' " WORKER T_FLOAT
                          "attr { key: 'Tidx' value { type: DT_INT32 } } } ";

static int64_t kept_bytes(void)
{
    struct buffer_stats s;
    buffer_stats(&s);
    return s.kept;
}

/* What the steps of a session left for the next ones goes with the last session. */
static void test_chunks__the_memory_goes_with_the_session(void **state UNUSED)
{
    static const char *const jobs[] = {"ps", "worker"};
    struct cluster c = {0};
    if (!cluster_start(&c, jobs, 2))
        skip();
    char *session = client_session(&c, 1, big, "");
    assert_true(client_float(&c, 1, session, "sum:0") == 10000002.0f);
    assert_true(BLOCK_KEEPS_NONE || kept_bytes() > 20000000);
    client_close(&c, 1, session);
    while (kept_bytes() > 1000000)
        sched_yield();
    mem_free(session);
    cluster_stop(&c);
}

static void test_chunks__a_tensor_comes_whole_to_another_task(void **state UNUSED)
{
    static const char *const jobs[] = {"ps", "worker"};
    struct cluster c = {0};
    if (!cluster_start(&c, jobs, 2))
        skip();
    assert_true(failpoint_set("chunks", "on"));
    char *session = client_session(&c, 1, big, "");
    for (int i = 0; i < 3; i++)
        assert_true(client_float(&c, 1, session, "sum:0") == 10000002.0f);
    assert_true(failpoint_count("chunks") >= 3);
    failpoint_clear_all();
    client_close(&c, 1, session);
    mem_free(session);
    cluster_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offers__give_their_bytes_until_they_go),
        cmocka_unit_test(test_chunks__the_memory_goes_with_the_session),
        cmocka_unit_test(test_chunks__a_tensor_comes_whole_to_another_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
