/* SPDX-License-Identifier: Apache-2.0 */
/* A client whose step was lost on the way sends it again: where the first had arrived, it is told
 * what happened to that one, not that the second was not wanted. The master is a few handlers of
 * this test. Skipped, counted, without gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "dist/rpc.h"
#include "dist/wire.h"
#include "leat/leat.h"

static int num_steps; /* atomic */
static int lost;      /* how many of them */

static void reply_with(struct rpc_call *c, const void *message, struct status *st)
{
    struct strbuf b = {0};
    struct rpc_msg m = {0};
    if (message && pb_encode(message, &b, st))
        rpc_msg_add_strbuf(&m, &b);
    rpc_call_reply(c, status_ok(st) ? &m : NULL, st);
    strbuf_release(&b);
}

static void create_session(void *arg, struct rpc_call *c)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_create_session_response *r = pb_create_session_response_new(&a);
    (void)arg;
    r->session_handle = str_of("s");
    reply_with(c, r, &st);
    arena_release(&a);
}

static void run_step(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    (void)arg;
    if (__atomic_add_fetch(&num_steps, 1, __ATOMIC_ACQ_REL) <= lost)
        (void)status_fail(&st, STATUS_UNAVAILABLE, "Connection reset by the test");
    else
        (void)status_fail(&st, STATUS_ABORTED,
                          "The same RunStep request was received twice: request_id 5");
    reply_with(c, NULL, &st);
    status_clear(&st);
}

static void close_session(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    (void)arg;
    reply_with(c, NULL, &st);
}

static void check(int num_lost, TF_Code code, const char *words)
{
    struct status st = {0};
    const char *bind = "127.0.0.1:0";
    const struct rpc_handler all[] = {
        {"/tensorflow.MasterService/CreateSession", create_session, NULL},
        {"/tensorflow.MasterService/RunStep", run_step, NULL},
        {"/tensorflow.MasterService/CloseSession", close_session, NULL},
    };
    if (!rpc_available(&st)) {
        status_clear(&st);
        skip();
    }
    num_steps = 0;
    lost = num_lost;
    struct rpc_server *server = rpc_server_new(
        &(struct rpc_server_options){
            .bind = &bind, .num_bind = 1, .handlers = all, .num_handlers = 3},
        &st);
    assert_non_null(server);
    char *target = mem_printf("grpc://127.0.0.1:%d", rpc_server_port(server));
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output one = leat_const_float(g, 1);
    TF_Session *session = leat_session_new(g, s, .target = target);
    assert_int_equal(TF_GetCode(s), TF_OK);
    leat_run_op(session, one.oper, leat_no_feeds(), s);
    if (TF_GetCode(s) != code || !strstr(TF_Message(s), words))
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
    assert_int_equal(num_steps, num_lost + 1);
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    mem_free(target);
    rpc_server_free(server);
}

static void test_repeats__the_first_error_is_told(void **state)
{
    (void)state;
    check(1, TF_UNAVAILABLE, "connection reset");
    check(3, TF_UNAVAILABLE, "connection reset");
}

static void test_repeats__what_was_sent_once_is_told_as_it_is(void **state)
{
    (void)state;
    check(0, TF_ABORTED, "received twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats__the_first_error_is_told),
        cmocka_unit_test(test_repeats__what_was_sent_once_is_told_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
