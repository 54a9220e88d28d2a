/* SPDX-License-Identifier: Apache-2.0 */
/* needs: grpc */
/* The server's side: ports, and a call's way from its arrival to its reply.
 *
 * Each method is registered with gRPC and always has a few slots waiting, so that a request comes
 * in one event, its bytes included. The handler runs at once, on the network's thread. A reply that
 * is given while the handler runs goes out when it returns, in one batch with the watch for the
 * client's leaving; otherwise that watch is started when the handler returns. Where there is a
 * token, a request's bytes are not read before its proof was. */
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/lock.h"
#include "dist/rpc_auth.h"
#include "dist/rpc_grpc_api.h"

enum { SLOTS_PER_METHOD = 4, MAX_ERROR_BYTES = 3072, HANDSHAKE_MS = 20000 };

struct rpc_server {
    const struct rpc_grpc *g;
    grpc_server *server;
    struct rpc_handler *handlers;
    void **methods; /* gRPC's, by handler */
    int num_handlers;
    int port;
    struct rpc_secrets secrets;
    struct auth_server *auth; /* of a token on plain channels; NULL: none */
    char *bearer;             /* of a token over TLS: what the client sends; NULL: none */
    struct net_tag closed;    /* fired when gRPC has no call of this server any more */
    /* guarded by lock */
    struct lock lock;
    struct cond changed;
    int64_t live; /* slots and calls */
    bool stopping, is_closed, stopped;
};

struct slot { /* waits for one call of a method; owned by gRPC's event */
    struct net_tag tag;
    struct rpc_server *server;
    int method; /* index; num_handlers: any other */
    grpc_call *call;
    grpc_byte_buffer *payload;
    gpr_timespec deadline;
    grpc_metadata_array metadata;
    grpc_call_details details;
};

/* Who looks at a call when: the handler runs, then it is open, until replied. */
enum { CALL_IN_HANDLER, CALL_OPEN, CALL_REPLIED };
/* What came of the wish to know of the client's leaving. */
enum { WATCH_NONE, WATCH_SET, WATCH_RUNNING, WATCH_LEFT, WATCH_OVER };

struct rpc_call { /* counted: the reply, and the watch for the client's leaving where it is apart */
    struct net_tag replied, left, arrived;
    int refs;  /* atomic */
    int phase; /* atomic; CALL_* */
    struct rpc_server *server;
    const struct rpc_handler *handler;
    grpc_call *call;
    grpc_byte_buffer *payload;
    struct rpc_msg request;
    char *peer;     /* NULL: nobody has asked */
    bool proven;    /* the client knows the token */
    int cancelled;  /* gRPC's answer to the watch */
    uint32_t watch; /* atomic; WATCH_* */
    pid_t watch_thread;
    void (*on_cancel)(void *arg);
    void *on_cancel_arg;
    struct rpc_msg reply; /* given, not yet sent */
    struct status status;
    grpc_byte_buffer *sent;
};

static pid_t thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static void server_add_live(struct rpc_server *s, int64_t n)
{
    lock_take(&s->lock);
    s->live += n;
    if (s->live == 0)
        cond_broadcast(&s->changed);
    lock_drop(&s->lock);
}

/* --- a call --- */

static void call_unref(struct rpc_call *c)
{
    if (__atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    const struct rpc_grpc *g = c->server->g;
    rpc_msg_clear(&c->request);
    if (c->sent)
        g->grpc_byte_buffer_destroy(c->sent);
    if (c->payload)
        g->grpc_byte_buffer_destroy(c->payload);
    if (c->peer)
        g->gpr_free(c->peer);
    g->grpc_call_unref(c->call);
    struct rpc_server *s = c->server;
    status_clear(&c->status);
    mem_free(c);
    server_add_live(s, -1);
}

static void call_replied(struct net_tag *tag, bool ok)
{
    (void)ok; /* where the client is gone it fails, and nobody is left to be told */
    call_unref((struct rpc_call *)tag);
}

static void call_run_watch(struct rpc_call *c)
{
    __atomic_store_n(&c->watch_thread, thread_id(), __ATOMIC_RELAXED);
    c->on_cancel(c->on_cancel_arg);
    __atomic_store_n(&c->watch, WATCH_OVER, __ATOMIC_RELEASE);
    futex_wake(&c->watch, INT32_MAX);
}

static bool watch_moves(struct rpc_call *c, uint32_t *from, uint32_t to)
{
    return __atomic_compare_exchange_n(&c->watch, from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static void call_left(struct net_tag *tag, bool ok)
{
    (void)ok;
    struct rpc_call *c = (struct rpc_call *)((char *)tag - offsetof(struct rpc_call, left));
    uint32_t now = __atomic_load_n(&c->watch, __ATOMIC_ACQUIRE);
    while (c->cancelled && (now == WATCH_NONE || now == WATCH_SET)) {
        uint32_t to = now == WATCH_NONE ? WATCH_LEFT : WATCH_RUNNING;
        if (!watch_moves(c, &now, to))
            continue;
        if (to == WATCH_RUNNING)
            call_run_watch(c);
        break;
    }
    call_unref(c);
}

void rpc_call_on_cancel(struct rpc_call *c, void (*fn)(void *arg), void *arg)
{
    c->on_cancel = fn;
    c->on_cancel_arg = arg;
    uint32_t now = WATCH_NONE;
    if (watch_moves(c, &now, WATCH_SET))
        return;
    if (now == WATCH_LEFT && watch_moves(c, &now, WATCH_RUNNING))
        call_run_watch(c);
}

/* Afterwards on_cancel is not running, but perhaps on this very thread. */
static void call_end_watch(struct rpc_call *c)
{
    uint32_t now = __atomic_load_n(&c->watch, __ATOMIC_ACQUIRE);
    while (now != WATCH_OVER) {
        if (now != WATCH_RUNNING) {
            if (watch_moves(c, &now, WATCH_OVER))
                return;
        } else if (__atomic_load_n(&c->watch_thread, __ATOMIC_RELAXED) == thread_id()) {
            return;
        } else {
            futex_wait(&c->watch, WATCH_RUNNING);
            now = __atomic_load_n(&c->watch, __ATOMIC_ACQUIRE);
        }
    }
}

/* Starts the batch of the reply; watch: with the wait for the client's leaving in it. */
static void call_send(struct rpc_call *c, bool watch)
{
    const struct rpc_grpc *g = c->server->g;
    struct str text = str_of(status_message(&c->status));
    text.n = (size_t)min_i64((int64_t)text.n, MAX_ERROR_BYTES);
    grpc_slice details = g->grpc_slice_from_copied_buffer(text.p, text.n);
    grpc_op ops[4] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}};
    size_t n = 1;
    if (status_ok(&c->status)) {
        c->sent = rpc_grpc_pack(&c->reply);
        ops[n++] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = c->sent};
    }
    ops[n++] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
                         .data.send_status_from_server = {
                             .status = (grpc_status_code)c->status.code,
                             .status_details = status_ok(&c->status) ? NULL : &details}};
    if (watch)
        ops[n++] = (grpc_op){.op = GRPC_OP_RECV_CLOSE_ON_SERVER,
                             .data.recv_close_on_server.cancelled = &c->cancelled};
    grpc_call_error error =
        g->grpc_call_start_batch(c->call, ops, n, net_tag_begin(&c->replied), NULL);
    g->grpc_slice_unref(details);
    if (error != GRPC_CALL_OK) {
        ASSERT(!"gRPC refuses a reply");
        g->grpc_call_cancel(c->call, NULL);
        call_unref(c);
    }
}

void rpc_call_reply(struct rpc_call *c, struct rpc_msg *reply, const struct status *st)
{
    call_end_watch(c);
    if (!status_ok(st))
        status_copy(&c->status, st);
    else if (reply && reply->bytes > (size_t)RPC_HARD_MAX)
        status_exhausted(&c->status, "rpc: a reply of %zu bytes; at most %lld can be sent",
                         reply->bytes, (long long)RPC_HARD_MAX);
    else if (reply)
        rpc_msg_append(&c->reply, reply);
    if (reply)
        rpc_msg_clear(reply);
    rpc_msg_clear(&c->request);
    int phase = CALL_IN_HANDLER;
    if (!__atomic_compare_exchange_n(&c->phase, &phase, CALL_REPLIED, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        call_send(c, false);
}

/* The handler has returned: sends its reply, or watches the client until there is one. */
static void call_after_handler(struct rpc_call *c)
{
    int phase = CALL_IN_HANDLER;
    __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED); /* the watch's */
    if (!__atomic_compare_exchange_n(&c->phase, &phase, CALL_OPEN, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        __atomic_fetch_sub(&c->refs, 1, __ATOMIC_RELAXED);
        call_send(c, true);
        return;
    }
    grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER,
                  .data.recv_close_on_server.cancelled = &c->cancelled};
    if (c->server->g->grpc_call_start_batch(c->call, &op, 1, net_tag_begin(&c->left), NULL) !=
        GRPC_CALL_OK) {
        ASSERT(!"gRPC refuses a watch");
        call_unref(c);
    }
}

const struct rpc_msg *rpc_call_request(const struct rpc_call *c)
{
    return &c->request;
}

const char *rpc_call_peer(struct rpc_call *c)
{
    if (!c->peer)
        c->peer = c->server->g->grpc_call_get_peer(c->call);
    return c->peer ? c->peer : "?";
}

bool rpc_call_is_trusted(struct rpc_call *c)
{
    return c->proven || c->server->secrets.ca || rpc_peer_is_own(rpc_call_peer(c));
}

/* --- proof of the token --- */

static void authenticate(void *arg, struct rpc_call *c)
{
    struct rpc_server *s = arg;
    struct arena a = {0};
    struct rpc_msg reply = {0};
    struct status st = {0};
    uint8_t welcome[AUTH_WELCOME];
    if (c->request.bytes != AUTH_HELLO)
        status_invalid(&st, "rpc: a challenge of another kind");
    else if (auth_welcome(s->auth, rpc_msg_flat(&c->request, &a), welcome, &st))
        rpc_msg_add_copy(&reply, welcome, sizeof welcome);
    rpc_call_reply(c, &reply, &st);
    status_clear(&st);
    arena_release(&a);
}

static bool call_proves(struct rpc_call *c, const grpc_metadata_array *metadata, struct status *st)
{
    const struct rpc_server *s = c->server;
    if (s->auth && c->handler->run != authenticate) {
        c->proven = auth_check(s->auth, str_of(c->handler->path),
                               rpc_grpc_metadata_find(metadata, AUTH_KEY), st);
        return c->proven;
    }
    if (s->bearer) {
        uint8_t got[SHA256_BYTES], wanted[SHA256_BYTES];
        struct str has = str_of(s->bearer), sent = rpc_grpc_metadata_find(metadata, AUTH_BEARER);
        hmac_sha256(has, &sent, 1, got);
        hmac_sha256(has, &has, 1, wanted);
        c->proven = hmac_equal(got, wanted);
        return c->proven ||
               status_fail(st, STATUS_UNAUTHENTICATED, "rpc: a call without the token");
    }
    return true;
}

/* --- arrivals --- */

static void slot_fire(struct net_tag *tag, bool ok);

static void slot_wait(struct rpc_server *s, int method)
{
    const struct rpc_grpc *g = s->g;
    struct slot *slot = mem_new(struct slot);
    *slot = (struct slot){.tag.fire = slot_fire, .server = s, .method = method};
    g->grpc_metadata_array_init(&slot->metadata);
    g->grpc_call_details_init(&slot->details);
    server_add_live(s, 1);
    void *tag = net_tag_begin(&slot->tag);
    grpc_call_error error =
        method < s->num_handlers
            ? g->grpc_server_request_registered_call(
                  s->server, s->methods[method], &slot->call, &slot->deadline, &slot->metadata,
                  s->secrets.token ? NULL : &slot->payload, g->queue, g->queue, tag)
            : g->grpc_server_request_call(s->server, &slot->call, &slot->details, &slot->metadata,
                                          g->queue, g->queue, tag);
    if (error != GRPC_CALL_OK) {
        ASSERT(!"gRPC refuses to take calls");
        slot_fire(&slot->tag, false);
    }
}

static void unknown_method(struct rpc_call *c, const grpc_call_details *d)
{
    struct status st = {0};
    status_unimplemented(&st, "there is no method %.*s here", (int)GRPC_SLICE_LENGTH(d->method),
                         (const char *)GRPC_SLICE_START_PTR(d->method));
    rpc_call_reply(c, NULL, &st);
    status_clear(&st);
}

static void call_refuse(struct rpc_call *c, struct status *st)
{
    rpc_call_reply(c, NULL, st);
    status_clear(st);
}

static void call_handle(struct rpc_call *c)
{
    struct status st = {0};
    if (c->payload) {
        rpc_grpc_unpack(c->payload, &c->request);
        c->payload = NULL;
        c->handler->run(c->handler->arg, c);
    } else { /* the client ended the call without a message, or left */
        status_invalid(&st, "a call without a request message");
        call_refuse(c, &st);
    }
    call_after_handler(c);
}

static void call_arrived(struct net_tag *tag, bool ok)
{
    (void)ok;
    call_handle((struct rpc_call *)((char *)tag - offsetof(struct rpc_call, arrived)));
}

static void call_ask_for_payload(struct rpc_call *c)
{
    grpc_op op = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &c->payload};
    if (c->server->g->grpc_call_start_batch(c->call, &op, 1, net_tag_begin(&c->arrived), NULL) !=
        GRPC_CALL_OK)
        call_handle(c);
}

static void slot_serve(struct slot *slot)
{
    struct rpc_server *s = slot->server;
    struct status st = {0};
    struct rpc_call *c = mem_new(struct rpc_call);
    *c = (struct rpc_call){.replied.fire = call_replied,
                           .left.fire = call_left,
                           .arrived.fire = call_arrived,
                           .refs = 1,
                           .server = s,
                           .call = slot->call,
                           .payload = slot->payload};
    server_add_live(s, 1);
    if (slot->method == s->num_handlers) {
        unknown_method(c, &slot->details);
        call_after_handler(c);
        return;
    }
    c->handler = &s->handlers[slot->method];
    if (!call_proves(c, &slot->metadata, &st)) {
        call_refuse(c, &st);
        call_after_handler(c);
    } else if (s->secrets.token) {
        call_ask_for_payload(c);
    } else {
        call_handle(c);
    }
}

static void slot_fire(struct net_tag *tag, bool ok)
{
    struct slot *slot = (struct slot *)tag;
    struct rpc_server *s = slot->server;
    if (ok) {
        slot_wait(s, slot->method); /* others may come while this one is handled */
        slot_serve(slot);
    }
    s->g->grpc_metadata_array_destroy(&slot->metadata);
    s->g->grpc_call_details_destroy(&slot->details);
    mem_free(slot);
    server_add_live(s, -1);
}

/* --- the server --- */

static void server_closed(struct net_tag *tag, bool ok)
{
    (void)ok;
    struct rpc_server *s = (struct rpc_server *)((char *)tag - offsetof(struct rpc_server, closed));
    lock_take(&s->lock);
    s->is_closed = true;
    cond_broadcast(&s->changed);
    lock_drop(&s->lock);
}

/* An address of port 0 after the first takes the first's port. */
static bool server_bind(struct rpc_server *s, const char *address, struct status *st)
{
    const struct rpc_grpc *g = s->g;
    grpc_server_credentials *credentials = rpc_grpc_server_credentials(&s->secrets);
    if (!credentials)
        return status_invalid(st, "rpc: the TLS certificate or its key is not in PEM form");
    char *wanted = mem_strdup(address);
    const char *colon = strrchr(address, ':');
    if (s->port > 0 && colon && strcmp(colon, ":0") == 0) {
        mem_free(wanted);
        wanted = mem_printf("%.*s:%d", (int)(colon - address), address, s->port);
    }
    int port = g->grpc_server_add_http2_port(s->server, wanted, credentials);
    g->grpc_server_credentials_release(credentials);
    if (port <= 0)
        status_fail(st, STATUS_UNAVAILABLE,
                    "rpc: the address %s cannot be had: it is in use, or not of this host", wanted);
    mem_free(wanted);
    if (s->port == 0)
        s->port = port;
    return port > 0;
}

static bool server_add_method(struct rpc_server *s, const struct rpc_handler *h, struct status *st)
{
    const int i = s->num_handlers;
    s->handlers[i] = *h;
    s->methods[i] = s->g->grpc_server_register_method(
        s->server, h->path, NULL,
        s->secrets.token ? GRPC_SRM_PAYLOAD_NONE : GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
    if (!s->methods[i])
        return status_internal(st, "rpc: the method %s is there twice", h->path);
    s->num_handlers++;
    return true;
}

static bool server_add_methods(struct rpc_server *s, const struct rpc_server_options *o,
                               struct status *st)
{
    s->methods = mem_new_array(void *, o->num_handlers + 1);
    s->handlers = mem_new_array(struct rpc_handler, o->num_handlers + 1);
    for (int i = 0; i < o->num_handlers; i++)
        if (!server_add_method(s, &o->handlers[i], st))
            return false;
    const struct rpc_handler challenge = {AUTH_METHOD, authenticate, s};
    return !s->auth || server_add_method(s, &challenge, st);
}

static bool server_secure(struct rpc_server *s, const struct rpc_server_options *o,
                          struct status *st)
{
    for (int i = 0; i < o->num_bind; i++)
        if (!rpc_may_bind(o->bind[i], o->security, st))
            return false;
    if (!rpc_secrets_read(o->security, &s->secrets, st))
        return false;
    if (s->secrets.token && s->secrets.cert)
        s->bearer = mem_printf("Bearer %s", s->secrets.token);
    else if (s->secrets.token)
        s->auth = auth_server_new(str_of(s->secrets.token));
    return true;
}

static bool server_start(struct rpc_server *s, const struct rpc_server_options *o,
                         struct status *st)
{
    const struct rpc_grpc *g = s->g;
    struct rpc_grpc_args args = {.n = 0};
    if (!server_secure(s, o, st))
        return false;
    rpc_grpc_common_args(&args);
    rpc_grpc_arg_int(&args, GRPC_ARG_ALLOW_REUSEPORT, 0);
    rpc_grpc_arg_int(&args, GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, HANDSHAKE_MS);
    s->server = g->grpc_server_create(&(grpc_channel_args){args.n, args.v}, NULL);
    g->grpc_server_register_completion_queue(s->server, g->queue, NULL);
    if (!server_add_methods(s, o, st))
        return false;
    for (int i = 0; i < o->num_bind; i++)
        if (!server_bind(s, o->bind[i], st))
            return false;
    g->grpc_server_start(s->server);
    for (int i = 0; i < s->num_handlers; i++)
        for (int k = 0; k < SLOTS_PER_METHOD; k++)
            slot_wait(s, i);
    slot_wait(s, s->num_handlers);
    return true;
}

struct rpc_server *rpc_server_new(const struct rpc_server_options *o, struct status *st)
{
    const struct rpc_grpc *g = rpc_grpc_start(st);
    if (!g)
        return NULL;
    struct rpc_server *s = mem_new(struct rpc_server);
    s->g = g;
    s->closed.fire = server_closed;
    lock_init(&s->lock, "rpc_server", LOCK_RANK_LEAF);
    cond_init(&s->changed);
    if (!server_start(s, o, st)) {
        rpc_server_free(s);
        return NULL;
    }
    return s;
}

int rpc_server_port(const struct rpc_server *s)
{
    return s->port;
}

static void server_wait_closed(struct rpc_server *s, int64_t deadline_ns)
{
    lock_take(&s->lock);
    while (!s->is_closed && cond_wait_until(&s->changed, &s->lock, deadline_ns))
        ;
    lock_drop(&s->lock);
}

void rpc_server_stop(struct rpc_server *s, int64_t grace_ms)
{
    ASSERT(!rpc_grpc_on_network_thread());
    lock_take(&s->lock);
    const bool first = !s->stopping;
    s->stopping = true;
    while (!first && !s->stopped)
        cond_wait(&s->changed, &s->lock);
    lock_drop(&s->lock);
    if (!first || !s->server)
        return;
    s->g->grpc_server_shutdown_and_notify(s->server, s->g->queue, net_tag_begin(&s->closed));
    server_wait_closed(s, clock_now_ns() + max_i64(grace_ms, 0) * 1000000);
    s->g->grpc_server_cancel_all_calls(s->server);
    server_wait_closed(s, INT64_MAX);
    lock_take(&s->lock);
    while (s->live > 0)
        cond_wait(&s->changed, &s->lock);
    s->stopped = true;
    cond_broadcast(&s->changed);
    lock_drop(&s->lock);
}

void rpc_server_free(struct rpc_server *s)
{
    if (!s)
        return;
    rpc_server_stop(s, 0);
    if (s->server)
        s->g->grpc_server_destroy(s->server);
    auth_server_free(s->auth);
    mem_free(s->bearer);
    rpc_secrets_clear(&s->secrets);
    mem_free(s->handlers);
    mem_free(s->methods);
    cond_release(&s->changed);
    lock_release_memory(&s->lock);
    mem_free(s);
}
