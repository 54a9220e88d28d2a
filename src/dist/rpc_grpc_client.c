/* SPDX-License-Identifier: Apache-2.0 */
/* needs: grpc */
/* The client's side: channels, and calls of one batch each.
 *
 * On a plain channel with a token a call first makes sure that there is a session with the server
 * (rpc_auth.h): the first calls each begin one, at once, and the last one stays. */
#include <limits.h>

#include "base/lock.h"
#include "dist/rpc_auth.h"
#include "dist/rpc_grpc_api.h"

struct rpc_channel {
    int refs; /* atomic */
    const struct rpc_grpc *g;
    grpc_channel *channel;
    char *bearer, *token; /* what is sent over TLS; what is proven on a plain channel; NULL: none */
    struct lock lock;
    struct auth_session session; /* guarded by lock */
    bool has_session;
};

struct rpc_request { /* counted: the caller's handle, and the event */
    struct net_tag tag;
    int refs; /* atomic */
    const struct rpc_grpc *g;
    grpc_call *call;            /* atomic; NULL: not begun */
    struct rpc_request *asking; /* atomic; for a session; NULL: there was one */
    bool cancelled;             /* atomic */
    rpc_done_fn done;
    void *arg;
    grpc_byte_buffer *sent, *received;
    grpc_metadata_array initial, trailing;
    grpc_metadata proof;
    bool has_proof;
    uint8_t session[AUTH_ID]; /* the proof's */
    grpc_status_code code;
    grpc_slice details;
    gpr_timespec deadline;
    bool fail_fast;
    /* Until there is a session: */
    struct rpc_channel *channel;
    struct rpc_msg message;
    char *path;
    uint8_t hello[AUTH_HELLO];
};

/* --- channels --- */

static void channel_args(struct rpc_grpc_args *args, bool own)
{
    rpc_grpc_common_args(args);
    rpc_grpc_arg_int(args, GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    rpc_grpc_arg_int(args, GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
    rpc_grpc_arg_int(args, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    rpc_grpc_arg_int(args, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    rpc_grpc_arg_int(args, GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000); /* one attempt's time */
    rpc_grpc_arg_int(args, GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1000);
    rpc_grpc_arg_int(args, GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, INT_MAX);
    rpc_grpc_arg_int(args, GRPC_ARG_ENABLE_RETRIES, 0);
    if (own)
        rpc_grpc_arg_int(args, GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
}

struct rpc_channel *rpc_channel_new(const char *address, const struct rpc_security *security,
                                    bool own, struct status *st)
{
    const struct rpc_grpc *g = rpc_grpc_start(st);
    struct rpc_secrets secrets;
    if (!g || !rpc_secrets_read(security, &secrets, st))
        return NULL;
    grpc_channel_credentials *credentials = rpc_grpc_channel_credentials(&secrets);
    if (!credentials) {
        status_invalid(st, "rpc: the TLS certificate, its key or its authority is not in PEM form");
        rpc_secrets_clear(&secrets);
        return NULL;
    }
    struct rpc_grpc_args args = {.n = 0};
    channel_args(&args, own);
    struct rpc_channel *c = mem_new(struct rpc_channel);
    c->refs = 1;
    c->g = g;
    lock_init(&c->lock, "rpc_channel", LOCK_RANK_LEAF);
    if (secrets.token && (secrets.cert || secrets.ca))
        c->bearer = mem_printf("Bearer %s", secrets.token);
    else if (secrets.token)
        c->token = mem_strdup(secrets.token);
    c->channel = g->grpc_channel_create(address, credentials, &(grpc_channel_args){args.n, args.v});
    g->grpc_channel_credentials_release(credentials);
    rpc_secrets_clear(&secrets);
    return c;
}

struct rpc_channel *rpc_channel_ref(struct rpc_channel *c)
{
    __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
    return c;
}

void rpc_channel_unref(struct rpc_channel *c)
{
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    c->g->grpc_channel_destroy(c->channel);
    mem_free(c->bearer);
    mem_free(c->token);
    lock_release_memory(&c->lock);
    mem_free(c);
}

/* --- the end of a call --- */

struct rpc_request *rpc_request_ref(struct rpc_request *r)
{
    if (r)
        __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
    return r;
}

void rpc_request_unref(struct rpc_request *r)
{
    if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (r->call)
        r->g->grpc_call_unref(r->call);
    rpc_request_unref(r->asking);
    rpc_channel_unref(r->channel);
    mem_free(r->path);
    mem_free(r);
}

static void request_status(const struct rpc_request *r, struct status *st)
{
    if (r->code == GRPC_STATUS_OK)
        return;
    struct str text =
        str_make((const char *)GRPC_SLICE_START_PTR(r->details), GRPC_SLICE_LENGTH(r->details));
    int code = (int)r->code;
    if (code < STATUS_OK || code > STATUS_UNAUTHENTICATED)
        code = STATUS_UNKNOWN;
    if (code == STATUS_UNKNOWN && str_is(text, "Stream removed"))
        code = STATUS_UNAVAILABLE;
    /* gRPC's word for it while a server shuts down; methods that one lacks it refuses otherwise */
    const bool closing =
        code == STATUS_UNIMPLEMENTED && str_is(text, "Received http2 header with status: 404");
    status_fail(st, closing ? STATUS_UNAVAILABLE : code, "%.*s%s",
                (int)min_i64((int64_t)text.n, INT_MAX), text.p,
                closing ? " (the server is shutting down)" : "");
}

static void request_end(struct rpc_request *r, struct status *st, struct rpc_msg *reply)
{
    r->done(r->arg, st, reply);
    rpc_msg_clear(reply);
    status_clear(st);
    rpc_request_unref(r);
}

/* Before anything was sent. */
static void request_refuse(struct rpc_request *r, struct status *st)
{
    struct rpc_msg none = {0};
    request_end(r, st, &none);
}

/* A server that does not take the session's proof any more gets a new one with the next call. */
static void forget_session(struct rpc_request *r)
{
    struct rpc_channel *c = r->channel;
    lock_take(&c->lock);
    if (c->has_session && memcmp(c->session.id, r->session, AUTH_ID) == 0)
        c->has_session = false;
    lock_drop(&c->lock);
}

static void request_fire(struct net_tag *tag, bool ok)
{
    (void)ok; /* a batch that receives the status always succeeds */
    struct rpc_request *r = (struct rpc_request *)tag;
    const struct rpc_grpc *g = r->g;
    struct status st = {0};
    struct rpc_msg reply = {0};
    request_status(r, &st);
    g->grpc_slice_unref(r->details);
    g->grpc_metadata_array_destroy(&r->initial);
    g->grpc_metadata_array_destroy(&r->trailing);
    g->grpc_byte_buffer_destroy(r->sent);
    if (r->has_proof)
        g->grpc_slice_unref(r->proof.value);
    if (status_ok(&st))
        rpc_grpc_unpack(r->received, &reply);
    else if (r->received)
        g->grpc_byte_buffer_destroy(r->received);
    if (r->channel && (st.code == STATUS_UNAVAILABLE || st.code == STATUS_UNAUTHENTICATED))
        forget_session(r);
    request_end(r, &st, &reply);
}

/* --- the beginning of a call --- */

static void request_add_proof(struct rpc_request *r, const char *key, const char *value)
{
    r->has_proof = true;
    r->proof.key = r->g->grpc_slice_from_static_buffer(key, strlen(key));
    r->proof.value = r->g->grpc_slice_from_copied_buffer(value, strlen(value));
}

static grpc_call_error request_start_batch(struct rpc_request *r, grpc_call *call)
{
    uint32_t wait = GRPC_INITIAL_METADATA_WAIT_FOR_READY_EXPLICITLY_SET;
    wait |= r->fail_fast ? 0 : GRPC_INITIAL_METADATA_WAIT_FOR_READY;
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .flags = wait,
         .data.send_initial_metadata = {.count = r->has_proof, .metadata = &r->proof}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = r->sent},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA,
         .data.recv_initial_metadata.recv_initial_metadata = &r->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &r->received},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &r->trailing,
                                        .status = &r->code,
                                        .status_details = &r->details}},
    };
    return r->g->grpc_call_start_batch(call, ops, ARRAY_LEN(ops), net_tag_begin(&r->tag), NULL);
}

/* r may be gone afterwards but for the caller's handle. */
static void request_send(struct rpc_request *r, struct rpc_channel *c, const char *path,
                         struct rpc_msg *message)
{
    const struct rpc_grpc *g = r->g;
    grpc_slice method = g->grpc_slice_from_copied_buffer(path, strlen(path));
    grpc_call *call =
        g->grpc_channel_create_call(c->channel, NULL, 0, g->queue, method, NULL, r->deadline, NULL);
    g->grpc_slice_unref(method);
    g->grpc_metadata_array_init(&r->initial);
    g->grpc_metadata_array_init(&r->trailing);
    r->sent = rpc_grpc_pack(message);
    __atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED); /* r is looked at below */
    __atomic_store_n(&r->call, call, __ATOMIC_SEQ_CST);
    grpc_call_error error = request_start_batch(r, call);
    if (error != GRPC_CALL_OK) {
        struct status st = {0};
        status_internal(&st, "rpc: gRPC refuses a call to %s (%d)", path, (int)error);
        g->grpc_byte_buffer_destroy(r->sent);
        request_refuse(r, &st);
    } else if (__atomic_load_n(&r->cancelled, __ATOMIC_SEQ_CST)) {
        g->grpc_call_cancel(call, NULL);
    }
    rpc_request_unref(r);
}

static void request_send_proven(struct rpc_request *r)
{
    struct rpc_channel *c = r->channel;
    char proof[AUTH_PROOF + 1];
    lock_take(&c->lock);
    const bool has = c->has_session;
    if (has) {
        auth_prove(&c->session, r->path, proof);
        memcpy(r->session, c->session.id, AUTH_ID);
    }
    lock_drop(&c->lock);
    if (!has) { /* taken away between its beginning and its use */
        struct status st = {0};
        status_fail(&st, STATUS_UNAVAILABLE, "rpc: the server ended the session");
        rpc_msg_clear(&r->message);
        request_refuse(r, &st);
        return;
    }
    request_add_proof(r, AUTH_KEY, proof);
    request_send(r, c, r->path, &r->message);
}

static struct rpc_request *request_new(const struct rpc_channel *c, rpc_done_fn done, void *arg)
{
    struct rpc_request *r = mem_new(struct rpc_request);
    *r = (struct rpc_request){
        .tag.fire = request_fire, .refs = 2, .g = c->g, .done = done, .arg = arg};
    return r;
}

/* --- sessions on plain channels --- */

static void session_answered(void *arg, const struct status *why, struct rpc_msg *reply)
{
    struct rpc_request *r = arg;
    struct rpc_channel *c = r->channel;
    struct arena a = {0};
    struct status st = {0};
    struct auth_session session;
    if (why->code == STATUS_UNIMPLEMENTED)
        status_fail(&st, STATUS_UNAUTHENTICATED,
                    "rpc: the server asks for no token, so it cannot prove that it has ours");
    else
        status_copy(&st, why);
    bool ok = status_ok(&st) &&
              auth_begin(str_of(c->token), r->hello, rpc_msg_flat(reply, &a), &session, &st);
    arena_release(&a);
    if (!ok) {
        rpc_msg_clear(&r->message);
        request_refuse(r, &st);
        return;
    }
    lock_take(&c->lock);
    c->session = session;
    c->has_session = true;
    lock_drop(&c->lock);
    request_send_proven(r);
}

static void request_ask(struct rpc_request *r)
{
    struct status st = {0};
    if (!auth_hello(r->hello, &st)) {
        rpc_msg_clear(&r->message);
        request_refuse(r, &st);
        return;
    }
    struct rpc_msg hello = {0};
    rpc_msg_add_copy(&hello, r->hello, sizeof r->hello);
    struct rpc_request *ask = request_new(r->channel, session_answered, r);
    ask->deadline = r->deadline;
    ask->fail_fast = r->fail_fast;
    __atomic_store_n(&r->asking, ask, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&r->cancelled, __ATOMIC_SEQ_CST))
        rpc_request_cancel(ask);
    request_send(ask, r->channel, AUTH_METHOD, &hello);
}

/* --- for all --- */

static bool has_session(struct rpc_channel *c)
{
    lock_take(&c->lock);
    const bool has = c->has_session;
    lock_drop(&c->lock);
    return has;
}

struct rpc_request *rpc_start(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                              const struct rpc_options *o, rpc_done_fn done, void *arg)
{
    struct rpc_request *r = request_new(c, done, arg);
    struct status st = {0};
    r->deadline = rpc_grpc_deadline(o ? o->timeout_ms : 0);
    r->fail_fast = o && o->fail_fast;
    if (request->bytes > (size_t)RPC_HARD_MAX) {
        status_exhausted(&st, "rpc: a request of %zu bytes to %s; at most %lld can be sent",
                         request->bytes, path, (long long)RPC_HARD_MAX);
        rpc_msg_clear(request);
        request_refuse(r, &st);
        return r;
    }
    if (c->token) {
        r->channel = rpc_channel_ref(c);
        r->path = mem_strdup(path);
        rpc_msg_append(&r->message, request);
        if (has_session(c))
            request_send_proven(r);
        else
            request_ask(r);
        return r;
    }
    if (c->bearer)
        request_add_proof(r, AUTH_BEARER, c->bearer);
    request_send(r, c, path, request);
    return r;
}

void rpc_request_cancel(struct rpc_request *r)
{
    if (!r)
        return;
    __atomic_store_n(&r->cancelled, true, __ATOMIC_SEQ_CST);
    struct rpc_request *asking = __atomic_load_n(&r->asking, __ATOMIC_SEQ_CST);
    grpc_call *call = __atomic_load_n(&r->call, __ATOMIC_SEQ_CST);
    if (asking)
        rpc_request_cancel(asking);
    if (call)
        r->g->grpc_call_cancel(call, NULL);
}
