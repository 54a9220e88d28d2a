/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over the loopback: replies, errors, cancellation from both ends, deadlines, waiting for a
 * server, limits, ports. Skipped, counted, where there is no gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/lock.h"
#include "dist/rpc.h"
#include "op/cancel.h"

#define ECHO "/leat.Test/Echo"
#define FAIL "/leat.Test/Fail"
#define HOLD "/leat.Test/Hold"

static struct status st;

/* What the handlers saw; guarded by lock. */
static struct lock lock = LOCK_INIT("test_rpc", LOCK_RANK_LEAF);
static struct cond changed = {PTHREAD_COND_INITIALIZER};
static struct rpc_call *held;
static int num_held, num_left, num_released;

static void signal_change(int *counter)
{
    lock_take(&lock);
    (*counter)++;
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

static void echo_release(void *owner)
{
    mem_free(owner);
    signal_change(&num_released);
}

static void echo(void *arg, struct rpc_call *c)
{
    struct rpc_msg m = {0};
    struct arena a = {0};
    struct str all = rpc_msg_flat(rpc_call_request(c), &a);
    assert_int_equal(all.n, rpc_call_request(c)->bytes);
    rpc_msg_add_copy(&m, all.p, all.n);
    rpc_msg_add_copy(&m, arg, strlen(arg));
    arena_release(&a);
    rpc_call_reply(c, &m, &(struct status){0});
}

static void refuse(void *arg UNUSED, struct rpc_call *c)
{
    struct arena a = {0};
    struct str all = rpc_msg_flat(rpc_call_request(c), &a);
    struct status why = {0};
    int code = all.p[0];
    char *text = mem_strndup(all.p + 1, all.n - 1);
    (void)status_fail(&why, code, "%s", text);
    mem_free(text);
    arena_release(&a);
    rpc_call_reply(c, NULL, &why);
    status_clear(&why);
}

static void hold_left(void *arg)
{
    struct status why = {0};
    (void)status_fail(&why, STATUS_CANCELLED, "the client left");
    rpc_call_reply(arg, NULL, &why);
    status_clear(&why);
    signal_change(&num_left);
}

static void hold(void *arg UNUSED, struct rpc_call *c)
{
    rpc_call_on_cancel(c, hold_left, c);
    lock_take(&lock);
    held = c;
    num_held++;
    cond_broadcast(&changed);
    lock_drop(&lock);
}

static struct rpc_call *take_held(void)
{
    lock_take(&lock);
    while (!held)
        cond_wait(&changed, &lock);
    struct rpc_call *c = held;
    held = NULL;
    lock_drop(&lock);
    return c;
}

static const struct rpc_handler handlers[] = {
    {ECHO, echo, (void *)(uintptr_t) "!"}, {FAIL, refuse, NULL}, {HOLD, hold, NULL}};

static struct rpc_server *server_at(const char *address)
{
    const char *bind[] = {address};
    return rpc_server_new(
        &(struct rpc_server_options){
            .bind = bind, .num_bind = 1, .handlers = handlers, .num_handlers = ARRAY_LEN(handlers)},
        &st);
}

static struct rpc_channel *channel_to(int port)
{
    char *address = mem_printf("127.0.0.1:%d", port);
    struct rpc_channel *c = rpc_channel_new(address, NULL, false, &st);
    assert_non_null(c);
    mem_free(address);
    return c;
}

struct rig {
    struct rpc_server *server;
    struct rpc_channel *channel;
};

static int rig_up(void **state)
{
    struct rig *r = mem_new(struct rig);
    *state = r;
    num_held = num_left = num_released = 0;
    held = NULL;
    if (!rpc_available(&st)) {
        assert_int_equal(st.code, STATUS_UNIMPLEMENTED);
        status_clear(&st);
        return 0;
    }
    r->server = server_at("127.0.0.1:0");
    assert_non_null(r->server);
    r->channel = channel_to(rpc_server_port(r->server));
    return 0;
}

static int rig_down(void **state)
{
    struct rig *r = *state;
    rpc_channel_unref(r->channel);
    rpc_server_free(r->server);
    mem_free(r);
    status_clear(&st);
    return 0;
}

static struct rig *rig_of(void **state)
{
    struct rig *r = *state;
    if (!r->server)
        skip();
    return r;
}

static bool call_text(struct rpc_channel *c, const char *path, const char *text,
                      const struct rpc_options *o, struct cancel *cancel, struct strbuf *out)
{
    struct rpc_msg request = {0}, reply = {0};
    rpc_msg_add_copy(&request, text, strlen(text));
    bool ok = rpc_call_wait(c, path, &request, o, cancel, &reply, &st);
    assert_int_equal(request.n, 0);
    struct arena a = {0};
    struct str all = rpc_msg_flat(&reply, &a);
    strbuf_clear(out);
    strbuf_add(out, all.p, all.n);
    arena_release(&a);
    rpc_msg_clear(&reply);
    return ok;
}

static void assert_fails(int code, const char *words)
{
    if (st.code != code || !strstr(status_message(&st), words))
        print_error("%d: %s\n", st.code, status_message(&st));
    assert_int_equal(st.code, code);
    assert_non_null(strstr(status_message(&st), words));
    status_clear(&st);
}

static void test_rpc__a_reply_comes_back(void **state)
{
    struct rig *r = rig_of(state);
    struct strbuf out = {0};
    assert_true(call_text(r->channel, ECHO, "water", NULL, NULL, &out));
    assert_string_equal(strbuf_text(&out), "water!");
    assert_true(call_text(r->channel, ECHO, "", NULL, NULL, &out));
    assert_string_equal(strbuf_text(&out), "!");
    strbuf_release(&out);
}

static void test_rpc__errors_keep_code_and_text(void **state)
{
    struct rig *r = rig_of(state);
    struct strbuf out = {0};
    for (int code = 1; code <= 16; code++) {
        char text[] = {(char)code, 'n', 'o', ' ', 'w', 'a', 't', 'e', 'r', 0};
        assert_false(call_text(r->channel, FAIL, text, NULL, NULL, &out));
        assert_fails(code, "no water");
        assert_int_equal(out.n, 0);
    }
    assert_false(call_text(r->channel, FAIL, "\2Stream removed", NULL, NULL, &out));
    assert_fails(STATUS_UNAVAILABLE, "Stream removed");
    assert_false(call_text(r->channel, "/leat.Test/Nothing", "", NULL, NULL, &out));
    assert_fails(STATUS_UNIMPLEMENTED, "/leat.Test/Nothing");
    strbuf_release(&out);
}

static void test_rpc__long_errors_are_cut(void **state)
{
    struct rig *r = rig_of(state);
    struct strbuf out = {0};
    char *text = mem_zalloc(10001);
    memset(text, 'x', 10000);
    text[0] = STATUS_INTERNAL;
    assert_false(call_text(r->channel, FAIL, text, NULL, NULL, &out));
    assert_int_equal(strlen(status_message(&st)), 3072);
    assert_fails(STATUS_INTERNAL, "xxx");
    mem_free(text);
    strbuf_release(&out);
}

static void test_rpc__pieces_arrive_whole_and_are_released_once(void **state)
{
    struct rig *r = rig_of(state);
    struct rpc_msg request = {0}, reply = {0};
    size_t n = 0;
    for (int i = 0; i < 300; i++) {
        size_t bytes = (size_t)(i * i);
        if (i % 100 == 99)
            bytes = (size_t)i << 15;
        uint8_t *p = mem_alloc(bytes + 1);
        for (size_t k = 0; k < bytes; k++)
            p[k] = (uint8_t)((n + k) * 7);
        struct rpc_piece *piece;
        request.v = vec_reserve(request.v, &request.cap, request.n + 1, sizeof *request.v);
        piece = &request.v[request.n++];
        *piece = (struct rpc_piece){.p = p, .n = bytes, .owner = p, .release = echo_release};
        request.bytes += bytes;
        n += bytes;
    }
    assert_true(rpc_call_wait(r->channel, ECHO, &request, NULL, NULL, &reply, &st));
    assert_int_equal(reply.bytes, n + 1);
    size_t at = 0;
    for (int64_t i = 0; i < reply.n; i++)
        for (size_t k = 0; k < reply.v[i].n; k++, at++)
            if (at < n && reply.v[i].p[k] != (uint8_t)(at * 7))
                fail_msg("byte %zu is wrong", at);
    assert_int_equal(at, n + 1);
    rpc_msg_clear(&reply);
    wait_for(&num_released, 300);
    assert_int_equal(num_released, 300);
}

static void test_rpc__buffers_are_kept_and_given_back(void **state)
{
    struct rig *r = rig_of(state);
    struct buffer *b = buffer_new(DT_UINT8, 5 << 20, &st);
    memset(b->data, 'a', b->bytes);
    struct rpc_msg request = {0}, reply = {0};
    rpc_msg_add_buffer(&request, b, b->data, 5 << 20);
    assert_int_equal(request.n, 5);
    assert_true(rpc_call_wait(r->channel, ECHO, &request, NULL, NULL, &reply, &st));
    assert_int_equal(reply.bytes, (5 << 20) + 1);
    rpc_msg_clear(&reply);
    /* the reply came, so the request had gone out, but its last reference may go a little later */
    while (__atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) != 1)
        sched_yield();
    buffer_unref(b);
}

static void test_rpc__what_is_cancelled_already_does_not_begin(void **state)
{
    struct rig *r = rig_of(state);
    struct cancel *cancel = cancel_new(NULL);
    struct strbuf out = {0};
    cancel_fire(cancel, STATUS_DEADLINE_EXCEEDED, "enough");
    assert_false(call_text(r->channel, ECHO, "x", NULL, cancel, &out));
    assert_fails(STATUS_DEADLINE_EXCEEDED, "enough");
    cancel_unref(cancel);
    strbuf_release(&out);
}

struct done {
    int num, code;
};

static void on_done(void *arg, const struct status *why, struct rpc_msg *reply UNUSED)
{
    struct done *d = arg;
    d->code = why->code;
    signal_change(&d->num);
}

static struct rpc_request *start_hold(struct rig *r, struct done *d, int64_t timeout_ms)
{
    struct rpc_msg request = {0};
    return rpc_start(r->channel, HOLD, &request, &(struct rpc_options){.timeout_ms = timeout_ms},
                     on_done, d);
}

static void test_rpc__a_call_under_way_is_cancelled(void **state)
{
    struct rig *r = rig_of(state);
    struct done d = {0};
    struct rpc_request *q = start_hold(r, &d, 0);
    (void)take_held();
    rpc_request_cancel(q);
    wait_for(&d.num, 1);
    assert_int_equal(d.code, STATUS_CANCELLED);
    wait_for(&num_left, 1);
    rpc_request_cancel(q);
    rpc_request_unref(q);
}

/* The first deadlines may pass before the server hears of the call. */
static void test_rpc__deadlines_end_both_ends(void **state)
{
    struct rig *r = rig_of(state);
    for (int64_t ms = 20, heard = 0; heard == 0; ms *= 2) {
        struct done d = {0};
        rpc_request_unref(start_hold(r, &d, ms));
        wait_for(&d.num, 1);
        assert_int_equal(d.code, STATUS_DEADLINE_EXCEEDED);
        lock_take(&lock);
        heard = num_held;
        held = NULL;
        lock_drop(&lock);
    }
    rpc_server_stop(r->server, INT32_MAX);
    assert_int_equal(num_left, num_held);
}

static void *reply_late(void *arg)
{
    struct rpc_msg m = {0};
    rpc_msg_add_copy(&m, "late", 4);
    rpc_call_reply(arg, &m, &(struct status){0});
    return NULL;
}

static void test_rpc__replies_come_from_any_thread(void **state)
{
    struct rig *r = rig_of(state);
    for (int i = 0; i < 200; i++) {
        struct done d = {0};
        rpc_request_unref(start_hold(r, &d, 0));
        struct rpc_call *c = take_held();
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, reply_late, c), 0);
        wait_for(&d.num, 1);
        pthread_join(t, NULL);
        assert_int_equal(d.code, STATUS_OK);
    }
    assert_int_equal(num_left, 0);
}

/* A reply and a cancellation at the same time: each call ends once, whoever wins. */
static void test_rpc__replies_race_with_cancellations(void **state)
{
    struct rig *r = rig_of(state);
    for (int i = 0; i < 200; i++) {
        struct done d = {0};
        struct rpc_request *q = start_hold(r, &d, 0);
        lock_take(&lock);
        while (!held)
            cond_wait(&changed, &lock);
        held = NULL;
        lock_drop(&lock);
        rpc_request_cancel(q);
        rpc_request_unref(q);
        wait_for(&d.num, 1);
        assert_int_equal(d.code, STATUS_CANCELLED);
    }
    wait_for(&num_left, 200);
}

static void test_rpc__stopping_ends_calls_under_way(void **state)
{
    struct rig *r = rig_of(state);
    struct done d = {0};
    rpc_request_unref(start_hold(r, &d, 0));
    (void)take_held();
    rpc_server_stop(r->server, 0);
    assert_int_equal(num_left, 1);
    wait_for(&d.num, 1);
    assert_int_not_equal(d.code, STATUS_OK);
    rpc_server_stop(r->server, 0);
}

static void test_rpc__a_server_that_comes_later_is_waited_for(void **state)
{
    struct rig *r = rig_of(state);
    int port = rpc_server_port(r->server);
    struct strbuf out = {0};
    rpc_server_free(r->server);
    r->server = NULL;
    const struct rpc_options fast = {.fail_fast = true}, slow = {.timeout_ms = 30};
    assert_false(call_text(r->channel, ECHO, "x", &fast, NULL, &out));
    assert_fails(STATUS_UNAVAILABLE, "");
    assert_false(call_text(r->channel, ECHO, "x", &slow, NULL, &out));
    assert_fails(STATUS_DEADLINE_EXCEEDED, "");
    struct done d = {0};
    struct rpc_msg request = {0};
    rpc_msg_add_copy(&request, "x", 1);
    rpc_request_unref(rpc_start(r->channel, ECHO, &request, NULL, on_done, &d));
    char *address = mem_printf("127.0.0.1:%d", port);
    r->server = server_at(address);
    mem_free(address);
    assert_non_null(r->server);
    wait_for(&d.num, 1);
    assert_int_equal(d.code, STATUS_OK);
    strbuf_release(&out);
}

static void test_rpc__a_port_is_not_shared(void **state)
{
    struct rig *r = rig_of(state);
    char *address = mem_printf("127.0.0.1:%d", rpc_server_port(r->server));
    assert_null(server_at(address));
    assert_fails(STATUS_UNAVAILABLE, address);
    rpc_server_free(r->server);
    r->server = server_at(address);
    assert_non_null(r->server);
    mem_free(address);
}

static void test_rpc__no_proxy_is_asked(void **state)
{
    struct rig *r = rig_of(state);
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("grpc_proxy", "http://127.0.0.1:1", 1);
    char *address = mem_printf("localhost:%d", rpc_server_port(r->server));
    struct rpc_channel *c = rpc_channel_new(address, NULL, true, &st);
    struct strbuf out = {0};
    assert_true(call_text(c, ECHO, "x", &(struct rpc_options){.fail_fast = true}, NULL, &out));
    unsetenv("http_proxy");
    unsetenv("grpc_proxy");
    rpc_channel_unref(c);
    mem_free(address);
    strbuf_release(&out);
}

static void hard_limit_release(void *owner UNUSED)
{
    num_released++;
}

static void test_rpc__messages_beyond_the_limit_are_refused(void **state)
{
    struct rig *r = rig_of(state);
    struct rpc_msg request = {0}, reply = {0};
    /* never read: it is refused before */
    struct rpc_piece piece = {
        .p = (const uint8_t *)"", .n = (size_t)RPC_HARD_MAX + 1, .release = hard_limit_release};
    request.v = vec_reserve(request.v, &request.cap, 1, sizeof *request.v);
    request.v[request.n++] = piece;
    request.bytes = piece.n;
    assert_false(rpc_call_wait(r->channel, ECHO, &request, NULL, NULL, &reply, &st));
    assert_fails(STATUS_RESOURCE_EXHAUSTED, "2147483648 bytes");
    assert_int_equal(num_released, 1);
}

static void test_rpc__channels_of_their_own_have_their_own_connection(void **state)
{
    struct rig *r = rig_of(state);
    char *address = mem_printf("127.0.0.1:%d", rpc_server_port(r->server));
    struct strbuf out = {0};
    struct rpc_channel *own = rpc_channel_new(address, NULL, true, &st);
    assert_true(call_text(own, ECHO, "1", NULL, NULL, &out));
    assert_true(call_text(r->channel, ECHO, "1", NULL, NULL, &out));
    mem_free(address);
    rpc_channel_unref(own);
    strbuf_release(&out);
}

static int socket_to(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void test_rpc__garbage_on_the_port_harms_nobody(void **state)
{
    struct rig *r = rig_of(state);
    struct strbuf out = {0};
    for (int i = 0; i < 20; i++) {
        int fd = socket_to(rpc_server_port(r->server));
        uint8_t bytes[4096];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(k * 31 + (size_t)i * 7);
        if (i % 2)
            memcpy(bytes, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
        assert_true(write(fd, bytes, sizeof bytes) > 0);
        assert_true(call_text(r->channel, ECHO, "x", NULL, NULL, &out));
        close(fd);
    }
    strbuf_release(&out);
}

/* clang-format off */
#define T(name) cmocka_unit_test_setup_teardown(name, rig_up, rig_down)
/* clang-format on */

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_rpc__a_reply_comes_back),
        T(test_rpc__errors_keep_code_and_text),
        T(test_rpc__long_errors_are_cut),
        T(test_rpc__pieces_arrive_whole_and_are_released_once),
        T(test_rpc__buffers_are_kept_and_given_back),
        T(test_rpc__what_is_cancelled_already_does_not_begin),
        T(test_rpc__a_call_under_way_is_cancelled),
        T(test_rpc__deadlines_end_both_ends),
        T(test_rpc__replies_come_from_any_thread),
        T(test_rpc__replies_race_with_cancellations),
        T(test_rpc__stopping_ends_calls_under_way),
        T(test_rpc__a_server_that_comes_later_is_waited_for),
        T(test_rpc__a_port_is_not_shared),
        T(test_rpc__no_proxy_is_asked),
        T(test_rpc__messages_beyond_the_limit_are_refused),
        T(test_rpc__channels_of_their_own_have_their_own_connection),
        T(test_rpc__garbage_on_the_port_harms_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
