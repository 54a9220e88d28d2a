/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to a master. Over the network the master's task is a peer like any other, with heartbeats
 * and deadlines; a call that its connection lost is sent again, ten times at most and after random
 * pauses that grow, as TensorFlow's clients do: a step carries a number by which it is known. In
 * this process the same calls are the master's own functions. */
#include "dist/remote_link.h"

#include "base/event.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/random.h"
#include "dist/peers.h"
#include "dist/server.h"

#define SERVICE "/tensorflow.MasterService/"
enum { MAX_TRIES = 10, MAX_PAUSE_US = 10000000 };

struct link { /* counted, under links_lock */
    char *target;
    int refs;
    struct peers *peers;
    struct peer *peer;
    struct link *next;
};

static struct lock links_lock = LOCK_INIT("links", LOCK_RANK_SERVER);
static struct link *links; /* guarded by links_lock */

struct link *link_get(const char *target, struct status *st)
{
    struct rpc_security security;
    lock_take(&links_lock);
    struct link *l = links;
    while (l && strcmp(l->target, target) != 0)
        l = l->next;
    if (l)
        l->refs++;
    lock_drop(&links_lock);
    if (l)
        return l;
    if (!rpc_available(st))
        return NULL;
    struct rpc_security *given = server_security_from_env(&security) ? &security : NULL;
    struct peers *peers = peers_new_target(target + strlen("grpc://"), given, NULL, st);
    if (!peers)
        return NULL;
    l = mem_new(struct link);
    *l = (struct link){
        .target = mem_strdup(target), .refs = 1, .peers = peers, .peer = peers_at(peers, 0)};
    lock_take(&links_lock);
    l->next = links;
    links = l;
    lock_drop(&links_lock);
    return l;
}

void link_put(struct link *l)
{
    if (!l)
        return;
    lock_take(&links_lock);
    bool last = --l->refs == 0;
    struct link **at = &links;
    while (last && *at != l)
        at = &(*at)->next;
    if (last)
        *at = l->next;
    lock_drop(&links_lock);
    if (!last)
        return;
    peers_free(l->peers);
    mem_free(l->target);
    mem_free(l);
}

int64_t link_patience_ms(struct link *l)
{
    return peer_patience_ms(l->peer);
}

/* --- waiting --- */

struct waited { /* what a callback leaves for the thread that waits */
    struct event over;
    struct status st;
    struct rpc_msg reply;
    struct wire_values values; /* of a master of this process */
    struct strbuf text;
};

static void waited_release(struct waited *w)
{
    status_clear(&w->st);
    rpc_msg_clear(&w->reply);
    wire_values_clear(&w->values);
    strbuf_release(&w->text);
}

static void waited_end(struct waited *w, const struct status *st)
{
    status_copy(&w->st, st);
    event_set(&w->over);
}

static bool waited_for(struct waited *w, struct cancel *cancel, struct status *st)
{
    while (!event_wait_or_stop(&w->over))
        if (cancel)
            cancel_fire(cancel, STATUS_CANCELLED, "The step was interrupted.");
    /* The reason of a cancellation says more than what it led to. */
    if (w->st.code == STATUS_CANCELLED && cancel && !cancel_check(cancel, st))
        return false;
    status_move(st, &w->st);
    return status_ok(st);
}

/* --- over the network --- */

static void on_reply(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct waited *w = arg;
    rpc_msg_append(&w->reply, reply);
    waited_end(w, st);
}

static void cancel_request(void *arg)
{
    rpc_request_cancel(arg);
}

struct outgoing { /* a request that can be written again */
    const char *method;
    const void *message;
    const struct wire_value *feeds;
    int64_t num_feeds;
    int64_t timeout_ms;
    struct cancel *cancel;      /* may be NULL */
    const struct pb_desc *desc; /* of the reply, */
    struct wire_values *values; /* whose tensors of field 1 go here; NULL: it has none */
};

static bool write_request(const struct outgoing *o, struct rpc_msg *m, struct status *st)
{
    bool ok = wire_put(m, o->message, st);
    for (int64_t i = 0; ok && i < o->num_feeds; i++) {
        char *name = mem_strndup(o->feeds[i].name.p, o->feeds[i].name.n);
        ok = wire_put_named_tensor(m, 2, name, &o->feeds[i].value, st);
        mem_free(name);
    }
    if (!ok)
        rpc_msg_clear(m);
    return ok;
}

static bool call_once(struct link *l, const struct outgoing *o, struct cancel *cancel,
                      struct waited *w, struct status *st)
{
    struct rpc_msg m = {0};
    if ((cancel && !cancel_check(cancel, st)) || !write_request(o, &m, st))
        return false;
    struct rpc_request *r = peer_start(l->peer, o->method, &m, o->timeout_ms, on_reply, w);
    uint64_t token = cancel && r ? cancel_add(cancel, cancel_request, r) : 0;
    if (cancel && r && token == 0)
        rpc_request_cancel(r);
    bool ok = waited_for(w, cancel, st);
    if (token)
        (void)!cancel_remove(cancel, token);
    rpc_request_unref(r);
    if (!ok && cancel && st->code == STATUS_DEADLINE_EXCEEDED && cancel_fired(cancel))
        peer_add_trouble(l->peer, st);
    return ok;
}

/* 1 ms, growing by 1.3 each time, and half of it random. */
static void pause_before(int attempt, struct cancel *cancel)
{
    double us = 1000;
    const uint64_t dice = random_name(32);
    for (int i = 0; i < attempt; i++)
        us *= 1.3;
    us = us < MAX_PAUSE_US ? us : MAX_PAUSE_US;
    us = us / 2 + us / 2 * ((double)dice / 4294967296.0);
    int64_t until = clock_now_ns() + (int64_t)(us * 1000);
    struct lock lock;
    struct cond never;
    lock_init(&lock, "pause", LOCK_RANK_LEAF);
    cond_init(&never);
    lock_take(&lock);
    while (!(cancel && cancel_fired(cancel)) && cond_wait_until(&never, &lock, until))
        ;
    lock_drop(&lock);
    cond_release(&never);
    lock_release_memory(&lock);
}

/* A request that was sent again, as its first try was lost, and had arrived by it: what became of
 * it is not known, and the first error says why. */
static bool had_arrived(const struct status *st)
{
    return st->code == STATUS_ABORTED &&
           strstr(status_message(st), "request was received twice") != NULL;
}

/* reply: the message of kind desc in the arena. */
static bool call(struct link *l, const struct outgoing *o, struct arena *a, void *reply,
                 struct status *st)
{
    static const struct wire_tensors tensors = {.number = 1, .named = true};
    struct status first = {0};
    for (int attempt = 0;; attempt++) {
        struct waited w = {0};
        bool ok =
            call_once(l, o, o->cancel, &w, st) &&
            wire_read(&w.reply, o->desc, o->values ? &tensors : NULL, a, reply, o->values, st);
        waited_release(&w);
        if (!ok && !status_ok(&first) && had_arrived(st)) {
            status_clear(st);
            status_move(st, &first);
            return false;
        }
        if (ok || st->code != STATUS_UNAVAILABLE || attempt == MAX_TRIES) {
            status_clear(&first);
            return ok;
        }
        status_copy(&first, st);
        pause_before(attempt, o->cancel);
        status_clear(st);
    }
}

static void on_done(void *arg, const struct status *st)
{
    waited_end(arg, st);
}

/* --- sessions --- */

static bool config_message(const struct config *c, struct arena *a, struct pb_config_proto **out,
                           struct status *st)
{
    return pb_config_proto_decode(a, c->proto ? c->proto : "", c->proto_bytes, 0, out, st);
}

static char *create_over(struct link *l, const struct pb_graph_def *graph,
                         struct pb_config_proto *config, int64_t timeout_ms, struct arena *a,
                         struct cancel *cancel, struct status *st)
{
    struct pb_create_session_response *reply;
    struct pb_create_session_request *r = pb_create_session_request_new(a);
    r->graph_def = (struct pb_graph_def *)(uintptr_t)graph;
    r->config = config;
    r->target = str_of(l->target);
    struct outgoing o = {.method = SERVICE "CreateSession",
                         .message = r,
                         .timeout_ms = timeout_ms,
                         .cancel = cancel,
                         .desc = &pb_create_session_response_desc};
    if (!call(l, &o, a, &reply, st))
        return NULL;
    return mem_strndup(reply->session_handle.n ? reply->session_handle.p : "",
                       reply->session_handle.n);
}

char *link_create(struct link *l, const struct pb_graph_def *graph, const struct config *config,
                  struct cancel *cancel, struct status *st)
{
    struct arena a = {0};
    struct pb_config_proto *message;
    char *handle = NULL;
    struct master *m = server_find_master(l->target);
    if (!config_message(config, &a, &message, st))
        handle = NULL;
    else if (m)
        handle = master_create_session_for(m, graph, message, str_of(l->target), st);
    else
        handle = create_over(l, graph, message, config->operation_timeout_ms, &a, cancel, st);
    if (m)
        server_unref_master(m);
    arena_release(&a);
    return handle;
}

bool link_extend(struct link *l, const char *session, const struct pb_graph_def *graph,
                 int64_t *version, struct cancel *cancel, struct status *st)
{
    struct master *m = server_find_master(l->target);
    if (m) {
        bool done = master_extend_session(m, str_of(session), graph, version, st);
        server_unref_master(m);
        return done;
    }
    struct arena a = {0};
    struct pb_extend_session_response *reply;
    struct pb_extend_session_request *r = pb_extend_session_request_new(&a);
    r->session_handle = str_of(session);
    r->graph_def = (struct pb_graph_def *)(uintptr_t)graph;
    r->current_graph_version = *version;
    struct outgoing o = {.method = SERVICE "ExtendSession",
                         .message = r,
                         .cancel = cancel,
                         .desc = &pb_extend_session_response_desc};
    bool ok = call(l, &o, &a, &reply, st);
    if (ok)
        *version = reply->new_graph_version;
    arena_release(&a);
    return ok;
}

bool link_close(struct link *l, const char *session, int64_t timeout_ms, struct status *st)
{
    struct master *m = server_find_master(l->target);
    if (m) {
        struct waited w = {0};
        master_close_session(m, str_of(session), on_done, &w);
        bool done = waited_for(&w, NULL, st);
        waited_release(&w);
        server_unref_master(m);
        return done;
    }
    struct arena a = {0};
    struct waited w = {0};
    struct pb_close_session_request *r = pb_close_session_request_new(&a);
    r->session_handle = str_of(session);
    struct outgoing o = {.method = SERVICE "CloseSession", .message = r, .timeout_ms = timeout_ms};
    bool ok = call_once(l, &o, NULL, &w, st);
    waited_release(&w);
    arena_release(&a);
    return ok;
}

/* --- steps --- */

static struct pb_run_options *options_message(const struct run_options *o, struct arena *a)
{
    if (!o)
        return NULL;
    struct pb_run_options *r = pb_run_options_new(a);
    r->trace_level = o->trace_level;
    r->timeout_in_ms = o->timeout_ms;
    r->inter_op_thread_pool = o->inter_op_pool;
    r->output_partition_graphs = o->output_partition_graphs;
    r->report_tensor_allocations_upon_oom = o->report_oom_allocations;
    return r;
}

static struct pb_strs borrow_strs(const struct str *v, int64_t n)
{
    return (struct pb_strs){.v = (struct str *)(uintptr_t)v, .n = n};
}

static bool run_over(struct link *l, const struct link_step *s, struct cancel *cancel,
                     struct arena *a, struct wire_values *values, struct strbuf *metadata,
                     struct status *st)
{
    struct pb_run_step_response *reply;
    struct pb_run_step_request *r = pb_run_step_request_new(a);
    r->session_handle = str_of(s->session);
    r->fetch = borrow_strs(s->fetches, s->num_fetches);
    r->target = borrow_strs(s->targets, s->num_targets);
    r->options = options_message(s->options, a);
    r->partial_run_handle = str_of(s->partial ? s->partial : "");
    r->store_errors_in_response_body = true;
    r->request_id = (int64_t)random_name(63);
    struct outgoing o = {.method = SERVICE "RunStep",
                         .message = r,
                         .feeds = s->feeds,
                         .num_feeds = s->num_feeds,
                         .cancel = cancel,
                         .desc = &pb_run_step_response_desc,
                         .values = values};
    if (!call(l, &o, a, &reply, st))
        return false;
    if (reply->status_code != STATUS_OK) {
        int code = reply->status_code;
        code = code > STATUS_UNAUTHENTICATED || code < 0 ? STATUS_UNKNOWN : code;
        wire_values_clear(values);
        return status_fail(st, code, "%.*s",
                           (int)min_i64((int64_t)reply->status_error_message.n, 1 << 20),
                           reply->status_error_message.n ? reply->status_error_message.p : "");
    }
    return !metadata || !reply->metadata || pb_encode(reply->metadata, metadata, st);
}

static void on_step(void *arg, const struct status *st, struct wire_values *values,
                    struct strbuf *metadata)
{
    struct waited *w = arg;
    if (values) {
        w->values = *values;
        *values = (struct wire_values){0};
    }
    if (metadata) {
        w->text = *metadata;
        *metadata = (struct strbuf){0};
    }
    waited_end(w, st);
}

static bool run_here(struct master *m, const struct link_step *s, struct cancel *cancel,
                     struct arena *a, struct wire_values *values, struct strbuf *metadata,
                     struct status *st)
{
    struct waited w = {0};
    struct master_step step = {.session = str_of(s->session),
                               .feeds = s->feeds,
                               .num_feeds = s->num_feeds,
                               .fetches = s->fetches,
                               .targets = s->targets,
                               .num_fetches = s->num_fetches,
                               .num_targets = s->num_targets,
                               .partial_handle = str_of(s->partial ? s->partial : ""),
                               .request_id = (int64_t)random_name(63),
                               .options = options_message(s->options, a)};
    master_run_step(m, &step, cancel, on_step, &w);
    bool ok = waited_for(&w, cancel, st);
    if (ok) {
        *values = w.values;
        w.values = (struct wire_values){0};
        for (int64_t i = 0; i < values->n && i < s->num_fetches; i++)
            values->v[i].name = s->fetches[i];
    }
    if (ok && metadata)
        strbuf_add(metadata, w.text.p, w.text.n);
    waited_release(&w);
    return ok;
}

bool link_run(struct link *l, const struct link_step *s, struct cancel *cancel, struct arena *a,
              struct wire_values *values, struct strbuf *metadata, struct status *st)
{
    struct master *m = server_find_master(l->target);
    if (!m)
        return run_over(l, s, cancel, a, values, metadata, st);
    bool ok = run_here(m, s, cancel, a, values, metadata, st);
    server_unref_master(m);
    return ok;
}

char *link_partial_setup(struct link *l, const struct link_step *s, struct cancel *cancel,
                         struct status *st)
{
    struct arena a = {0};
    struct pb_partial_run_setup_response *reply;
    struct pb_partial_run_setup_request *r = pb_partial_run_setup_request_new(&a);
    r->session_handle = str_of(s->session);
    for (int64_t i = 0; i < s->num_feeds; i++)
        pb_add_str(&a, &r->feed, s->feeds[i].name);
    r->fetch = borrow_strs(s->fetches, s->num_fetches);
    r->target = borrow_strs(s->targets, s->num_targets);
    r->request_id = (int64_t)random_name(63);
    struct outgoing o = {.method = SERVICE "PartialRunSetup",
                         .message = r,
                         .cancel = cancel,
                         .desc = &pb_partial_run_setup_response_desc};
    struct master *m = server_find_master(l->target);
    char *handle = NULL;
    if (m)
        handle = master_partial_setup(m, r, st);
    else if (call(l, &o, &a, &reply, st))
        handle = mem_strndup(reply->partial_run_handle.n ? reply->partial_run_handle.p : "",
                             reply->partial_run_handle.n);
    if (m)
        server_unref_master(m);
    arena_release(&a);
    return handle;
}

/* --- devices and containers --- */

static void on_devices(void *arg, const struct status *st,
                       const struct pb_list_devices_response *devices)
{
    struct waited *w = arg;
    struct status own = {0};
    status_copy(&own, st);
    if (status_ok(st))
        (void)!pb_encode(devices, &w->text, &own);
    waited_end(w, &own);
    status_clear(&own);
}

bool link_devices(struct link *l, const char *session, struct cancel *cancel, struct arena *a,
                  struct pb_list_devices_response **out, struct status *st)
{
    struct master *m = server_find_master(l->target);
    if (m) {
        struct waited w = {0};
        master_list_devices(m, str_of(session), on_devices, &w);
        bool ok = waited_for(&w, cancel, st) &&
                  pb_list_devices_response_decode(a, strbuf_text(&w.text), w.text.n, 0, out, st);
        waited_release(&w);
        server_unref_master(m);
        return ok;
    }
    struct pb_list_devices_request *r = pb_list_devices_request_new(a);
    r->session_handle = str_of(session);
    struct outgoing o = {.method = SERVICE "ListDevices",
                         .message = r,
                         .cancel = cancel,
                         .desc = &pb_list_devices_response_desc};
    return call(l, &o, a, out, st);
}

bool link_reset(struct link *l, const char *const *containers, int n, const struct config *config,
                struct status *st)
{
    struct arena a = {0};
    struct pb_reset_response *reply;
    struct pb_reset_request *r = pb_reset_request_new(&a);
    for (int i = 0; i < n; i++)
        pb_add_str(&a, &r->container, str_of(containers[i]));
    for (int i = 0; i < config->num_device_filters; i++)
        pb_add_str(&a, &r->device_filters, str_of(config->device_filters[i]));
    struct outgoing o = {.method = SERVICE "Reset",
                         .message = r,
                         .timeout_ms = config->operation_timeout_ms,
                         .desc = &pb_reset_response_desc};
    struct master *m = server_find_master(l->target);
    bool ok;
    if (m) {
        struct waited w = {0};
        master_reset(m, r, on_done, &w);
        ok = waited_for(&w, NULL, st);
        waited_release(&w);
        server_unref_master(m);
    } else {
        ok = call(l, &o, &a, &reply, st);
    }
    arena_release(&a);
    return ok;
}
