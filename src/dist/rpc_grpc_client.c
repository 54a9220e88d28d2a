/* SPDX-License-Identifier: Apache-2.0 */
/* needs: grpc */
/* The client's side: channels, and calls of one batch each. */
#include <limits.h>

#include "base/lock.h"
#include "dist/rpc_grpc_api.h"
#include "op/cancel.h"

struct rpc_channel {
    int refs; /* atomic */
    const struct rpc_grpc *g;
    grpc_channel *channel;
};

struct rpc_request { /* counted: the caller's handle, and the event */
    struct net_tag tag;
    int refs; /* atomic */
    const struct rpc_grpc *g;
    grpc_call *call; /* NULL: it failed before it began */
    rpc_done_fn done;
    void *arg;
    grpc_byte_buffer *sent, *received;
    grpc_metadata_array initial, trailing;
    grpc_status_code code;
    grpc_slice details;
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
    if (!g)
        return NULL;
    if (security && (security->cert_file || security->ca_file || security->token_file)) {
        (void)status_unimplemented(st, "rpc: TLS and tokens");
        return NULL;
    }
    struct rpc_grpc_args args = {.n = 0};
    channel_args(&args, own);
    grpc_channel_credentials *credentials = g->grpc_insecure_credentials_create();
    struct rpc_channel *c = mem_new(struct rpc_channel);
    c->refs = 1;
    c->g = g;
    c->channel = g->grpc_channel_create(address, credentials, &(grpc_channel_args){args.n, args.v});
    g->grpc_channel_credentials_release(credentials);
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
    mem_free(c);
}

/* --- calls --- */

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
    (void)status_fail(st, code, "%.*s", (int)min_i64((int64_t)text.n, INT_MAX), text.p);
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
    if (status_ok(&st))
        rpc_grpc_unpack(r->received, &reply);
    else if (r->received)
        g->grpc_byte_buffer_destroy(r->received);
    r->done(r->arg, &st, &reply);
    rpc_msg_clear(&reply);
    status_clear(&st);
    rpc_request_unref(r);
}

/* Fails before anything was sent. */
static struct rpc_request *request_refused(struct rpc_request *r, struct rpc_msg *request,
                                           struct status *st)
{
    rpc_msg_clear(request);
    struct rpc_msg none = {0};
    r->done(r->arg, st, &none);
    status_clear(st);
    rpc_request_unref(r);
    return r;
}

static grpc_call_error request_start(struct rpc_request *r, bool fail_fast)
{
    uint32_t wait = GRPC_INITIAL_METADATA_WAIT_FOR_READY_EXPLICITLY_SET;
    wait |= fail_fast ? 0 : GRPC_INITIAL_METADATA_WAIT_FOR_READY;
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA, .flags = wait},
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
    return r->g->grpc_call_start_batch(r->call, ops, ARRAY_LEN(ops), &r->tag, NULL);
}

struct rpc_request *rpc_start(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                              const struct rpc_options *o, rpc_done_fn done, void *arg)
{
    const struct rpc_grpc *g = c->g;
    struct rpc_request *r = mem_new(struct rpc_request);
    *r =
        (struct rpc_request){.tag.fire = request_fire, .refs = 2, .g = g, .done = done, .arg = arg};
    struct status st = {0};
    if (request->bytes > (size_t)RPC_HARD_MAX) {
        (void)status_exhausted(&st, "rpc: a request of %zu bytes to %s; at most %lld can be sent",
                               request->bytes, path, (long long)RPC_HARD_MAX);
        return request_refused(r, request, &st);
    }
    grpc_slice method = g->grpc_slice_from_copied_buffer(path, strlen(path));
    r->call = g->grpc_channel_create_call(c->channel, NULL, 0, g->queue, method, NULL,
                                          rpc_grpc_deadline(o ? o->timeout_ms : 0), NULL);
    g->grpc_slice_unref(method);
    g->grpc_metadata_array_init(&r->initial);
    g->grpc_metadata_array_init(&r->trailing);
    r->sent = rpc_grpc_pack(request);
    grpc_call_error error = request_start(r, o && o->fail_fast);
    if (error != GRPC_CALL_OK) {
        g->grpc_byte_buffer_destroy(r->sent);
        (void)status_internal(&st, "rpc: gRPC refuses a call to %s (%d)", path, (int)error);
        return request_refused(r, request, &st);
    }
    return r;
}

void rpc_request_cancel(struct rpc_request *r)
{
    if (r && r->call)
        r->g->grpc_call_cancel(r->call, NULL);
}

/* --- a call that waits --- */

struct waited {
    struct lock lock;
    struct cond over;
    bool done;
    struct status *st;
    struct rpc_msg *reply;
};

static void waited_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct waited *w = arg;
    lock_take(&w->lock);
    status_copy(w->st, st);
    rpc_msg_append(w->reply, reply);
    w->done = true;
    cond_signal(&w->over);
    lock_drop(&w->lock);
}

static void waited_cancel(void *arg)
{
    rpc_request_cancel(arg);
}

bool rpc_call_wait(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                   const struct rpc_options *o, struct cancel *cancel, struct rpc_msg *reply,
                   struct status *st)
{
    ASSERT(!rpc_grpc_on_network_thread());
    if (cancel && !cancel_check(cancel, st)) {
        rpc_msg_clear(request);
        return false;
    }
    struct status own = {0};
    struct waited w = {.st = &own, .reply = reply};
    lock_init(&w.lock, "rpc_call_wait", LOCK_RANK_LEAF);
    cond_init(&w.over);
    struct rpc_request *r = rpc_start(c, path, request, o, waited_done, &w);
    uint64_t token = cancel ? cancel_add(cancel, waited_cancel, r) : 0;
    if (cancel && token == 0)
        rpc_request_cancel(r);
    lock_take(&w.lock);
    while (!w.done)
        cond_wait(&w.over, &w.lock);
    lock_drop(&w.lock);
    if (token != 0)
        (void)cancel_remove(cancel, token);
    rpc_request_unref(r);
    cond_release(&w.over);
    lock_release_memory(&w.lock);
    if (!status_ok(&own)) {
        rpc_msg_clear(reply);
        /* The reason of the cancellation says more than the network's. */
        if (own.code == STATUS_CANCELLED && cancel && !cancel_check(cancel, st))
            status_clear(&own);
        status_move(st, &own);
        return false;
    }
    return true;
}
