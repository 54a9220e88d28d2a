/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks in one process: their servers are bound first, so that all know all ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/lock.h"
#include "unit/dist/cluster.h"

void client_must(bool ok, struct status *st)
{
    if (!ok)
        fail_msg("%s: %s", status_code_name(st->code), status_message(st));
}

/* --- servers --- */

struct route { /* the arg of a handler: the real one is known later */
    struct cluster_task *task;
    const char *path;
};
static struct route routes[CLUSTER_MAX][CLUSTER_HANDLERS];

static void dispatch(void *arg, struct rpc_call *call)
{
    struct route *r = arg;
    struct status st = {0};
    __atomic_fetch_add(&r->task->num_calls, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&r->task->holds, __ATOMIC_ACQUIRE) && strstr(r->path, "GetStatus")) {
        const int at = __atomic_fetch_add(&r->task->num_held, 1, __ATOMIC_ACQ_REL);
        assert_true(at < CLUSTER_MAX_HELD);
        __atomic_store_n(&r->task->held[at], call, __ATOMIC_RELEASE);
        return;
    }
    for (int i = 0; __atomic_load_n(&r->task->ready, __ATOMIC_ACQUIRE) && i < r->task->num_real;
         i++) {
        if (strcmp(r->task->real[i].path, r->path) == 0) {
            r->task->real[i].run(r->task->real[i].arg, call);
            return;
        }
    }
    status_fail(&st, STATUS_UNAVAILABLE, "not ready");
    rpc_call_reply(call, NULL, &st);
    status_clear(&st);
}

static const char *const methods[] = {
    "/tensorflow.WorkerService/GetStatus",
    "/tensorflow.WorkerService/CreateWorkerSession",
    "/tensorflow.WorkerService/RegisterGraph",
    "/tensorflow.WorkerService/DeleteWorkerSession",
    "/tensorflow.WorkerService/RunGraph",
    "/tensorflow.WorkerService/DeregisterGraph",
    "/tensorflow.WorkerService/CleanupGraph",
    "/tensorflow.WorkerService/CleanupAll",
    "/tensorflow.WorkerService/RecvTensor",
    "/tensorflow.MasterService/CreateSession",
    "/tensorflow.MasterService/ExtendSession",
    "/tensorflow.MasterService/RunStep",
    "/tensorflow.MasterService/PartialRunSetup",
    "/tensorflow.MasterService/CloseSession",
    "/tensorflow.MasterService/ListDevices",
    "/tensorflow.MasterService/Reset",
    "/leat.Peer/Fetch",
    "/leat.Peer/Link",
    "/leat.Peer/Heartbeat", /* the last: cluster_heartbeats */
};

const char *cluster_protocols[CLUSTER_MAX];
bool cluster_heartbeats;
const struct rpc_security *cluster_security;

static void bind_task(struct cluster *c, int i, const char *address)
{
    struct status st = {0};
    struct rpc_handler handlers[ARRAY_LEN(methods)];
    const int n = (int)ARRAY_LEN(methods) - !cluster_heartbeats;
    for (int k = 0; k < n; k++) {
        routes[i][k] = (struct route){&c->tasks[i], methods[k]};
        handlers[k] = (struct rpc_handler){methods[k], dispatch, &routes[i][k]};
    }
    const struct rpc_server_options o = {.bind = &address,
                                         .num_bind = 1,
                                         .handlers = handlers,
                                         .num_handlers = n,
                                         .security = cluster_security};
    c->tasks[i].server = rpc_server_new(&o, &st);
    client_must(c->tasks[i].server != NULL, &st);
}

static void heartbeat(void *arg, struct rpc_call *call)
{
    const struct cluster_task *t = arg;
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    struct pb_leat_peer_heartbeat_response *r = pb_leat_peer_heartbeat_response_new(&a);
    r->task = str_of(worker_name(t->worker));
    r->device = worker_devices(t->worker, &a);
    r->incarnation = r->device.v[0]->incarnation;
    client_must(wire_put(&m, r, &st), &st);
    rpc_call_reply(call, &m, &st);
    arena_release(&a);
}

static void open_task(struct cluster *c, int task)
{
    struct cluster_task *t = &c->tasks[task];
    static const struct peer_deadlines deadlines = {.failure_ms = 5000, .start_ms = 20000};
    struct status st = {0};
    struct config config;
    config_init(&config);
    config.intra_threads = 2;
    mem_free(t->spec.protocol);
    t->spec.protocol = cluster_protocols[task] ? mem_strdup(cluster_protocols[task]) : NULL;
    t->peers = peers_new(&t->spec, cluster_security, &deadlines);
    t->worker = worker_new(&t->spec, t->peers, &config, &st);
    client_must(t->worker != NULL, &st);
    t->master = master_new(t->worker, t->peers, &config);
    t->num_real = worker_handlers(t->worker, t->real, CLUSTER_HANDLERS);
    t->num_real +=
        master_handlers(t->master, t->real + t->num_real, CLUSTER_HANDLERS - t->num_real);
    if (cluster_heartbeats)
        t->real[t->num_real++] = (struct rpc_handler){"/leat.Peer/Heartbeat", heartbeat, t};
    config_clear(&config);
    __atomic_store_n(&t->ready, 1, __ATOMIC_RELEASE);
}

static void close_task(struct cluster_task *t)
{
    __atomic_store_n(&t->ready, 0, __ATOMIC_RELEASE);
    master_free(t->master);
    worker_free(t->worker);
    rpc_server_free(t->server);
    peers_free(t->peers);
}

bool cluster_start(struct cluster *c, const char *const *jobs, int n)
{
    struct status st = {0};
    struct strbuf text = {0};
    if (!rpc_available(&st)) {
        status_clear(&st);
        return false;
    }
    *c = (struct cluster){.num_tasks = n};
    int index = 0;
    for (int i = 0; i < n; i++) {
        bind_task(c, i, "127.0.0.1:0");
        bool same = i > 0 && strcmp(jobs[i], jobs[i - 1]) == 0;
        index = same ? index + 1 : 0;
        strbuf_printf(&text, "%s%s%slocalhost:%d",
                      same ? ","
                      : i  ? ";"
                           : "",
                      same ? "" : jobs[i], same ? "" : "=", rpc_server_port(c->tasks[i].server));
    }
    index = 0;
    for (int i = 0; i < n; i++) {
        index = i > 0 && strcmp(jobs[i], jobs[i - 1]) == 0 ? index + 1 : 0;
        client_must(spec_from_text(strbuf_text(&text), &c->tasks[i].spec, &st), &st);
        c->tasks[i].spec.job = mem_strdup(jobs[i]);
        c->tasks[i].spec.index = index;
        open_task(c, i);
    }
    strbuf_release(&text);
    return true;
}

void cluster_stop(struct cluster *c)
{
    for (int i = 0; i < c->num_tasks; i++)
        master_free(c->tasks[i].master);
    for (int i = 0; i < c->num_tasks; i++) {
        c->tasks[i].master = NULL;
        close_task(&c->tasks[i]);
        spec_clear(&c->tasks[i].spec);
    }
}

static void restart(struct cluster *c, int task, bool holds)
{
    struct cluster_task *t = &c->tasks[task];
    char *address = mem_printf("127.0.0.1:%d", rpc_server_port(t->server));
    close_task(t);
    __atomic_store_n(&t->holds, holds, __ATOMIC_RELEASE);
    bind_task(c, task, address);
    open_task(c, task);
    mem_free(address);
}

void cluster_restart(struct cluster *c, int task)
{
    restart(c, task, false);
}

void cluster_restart_held(struct cluster *c, int task)
{
    restart(c, task, true);
}

/* Those that were kept are refused; they ask again. */
void cluster_let(struct cluster *c, int task)
{
    struct cluster_task *t = &c->tasks[task];
    struct status st = {0};
    __atomic_store_n(&t->holds, false, __ATOMIC_RELEASE);
    status_fail(&st, STATUS_UNAVAILABLE, "not now");
    for (int i = 0; i < CLUSTER_MAX_HELD; i++) {
        struct rpc_call *call = __atomic_exchange_n(&t->held[i], NULL, __ATOMIC_ACQ_REL);
        if (call)
            rpc_call_reply(call, NULL, &st);
    }
    status_clear(&st);
}

/* --- a client --- */

static struct pb_graph_def *parse_graph(struct arena *a, const char *text)
{
    struct pb_graph_def *g = NULL;
    struct status st = {0};
    client_must(pb_graph_def_parse(a, text, strlen(text), &g, &st), &st);
    return g;
}

char *client_session(struct cluster *c, int task, const char *graph_text, const char *config_text)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_config_proto *config = NULL;
    client_must(pb_config_proto_parse(&a, config_text ? config_text : "",
                                      strlen(config_text ? config_text : ""), &config, &st),
                &st);
    char *handle =
        master_create_session(c->tasks[task].master, parse_graph(&a, graph_text), config, &st);
    client_must(handle != NULL, &st);
    arena_release(&a);
    return handle;
}

char *client_session_bytes(struct cluster *c, int task, const void *graph, size_t n)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_graph_def *g = NULL;
    client_must(pb_graph_def_decode(&a, graph, n, 0, &g, &st), &st);
    char *handle = master_create_session(c->tasks[task].master, g, pb_config_proto_new(&a), &st);
    client_must(handle != NULL, &st);
    arena_release(&a);
    return handle;
}

void client_extend(struct cluster *c, int task, const char *session, const char *graph_text,
                   int64_t *version, struct status *st)
{
    struct arena a = {0};
    if (!master_extend_session(c->tasks[task].master, str_of(session), parse_graph(&a, graph_text),
                               version, st))
        assert_false(status_ok(st));
    arena_release(&a);
}

struct wait {
    struct lock lock;
    struct cond cond;
    bool over;
    struct status status;
    struct tensor *values;
    int64_t n;
    struct strbuf *metadata;
};

static void wait_init(struct wait *w)
{
    *w = (struct wait){0};
    lock_init(&w->lock, "client", LOCK_RANK_LEAF);
    cond_init(&w->cond);
}

static void wait_end(struct wait *w, const struct status *st)
{
    lock_take(&w->lock);
    status_copy(&w->status, st);
    w->over = true;
    cond_broadcast(&w->cond);
    lock_drop(&w->lock);
}

static void wait_for(struct wait *w)
{
    lock_take(&w->lock);
    while (!w->over)
        cond_wait(&w->cond, &w->lock);
    lock_drop(&w->lock);
    cond_release(&w->cond);
    lock_release_memory(&w->lock);
}

static void closed(void *arg, const struct status *st)
{
    wait_end(arg, st);
}

void client_close(struct cluster *c, int task, const char *session)
{
    struct wait w;
    wait_init(&w);
    master_close_session(c->tasks[task].master, str_of(session), closed, &w);
    wait_for(&w);
    client_must(status_ok(&w.status), &w.status);
}

static void ran(void *arg, const struct status *st, struct wire_values *values,
                struct strbuf *metadata)
{
    struct wait *w = arg;
    for (int64_t i = 0; status_ok(st) && i < values->n; i++) {
        w->values[i] = tensor_take(&values->v[i].value);
        w->n++;
    }
    if (w->metadata)
        strbuf_add(w->metadata, strbuf_text(metadata), metadata->n);
    wait_end(w, st);
}

static int64_t split_names(const char *text, struct str *out)
{
    struct str rest = str_of(text), piece;
    int64_t n = 0;
    while (str_split(&rest, ' ', &piece))
        out[n++] = piece;
    return n;
}

bool client_run(struct cluster *c, int task, const struct client_run *r, struct tensor *values,
                struct status *st)
{
    enum { MAX = 16 };
    struct str fetches[MAX], targets[MAX];
    struct wire_value feeds[MAX];
    struct arena a = {0};
    struct pb_run_options *o = pb_run_options_new(&a);
    struct wait w;
    wait_init(&w);
    w.values = values;
    w.metadata = r->metadata;
    o->trace_level = r->traced ? 3 : 0;
    o->timeout_in_ms = r->timeout_ms;
    for (int i = 0; i < r->num_feeds; i++)
        feeds[i] = (struct wire_value){str_of(r->feeds[i].name), r->feeds[i].value};
    const struct master_step step = {.session = str_of(r->session),
                                     .feeds = feeds,
                                     .num_feeds = r->num_feeds,
                                     .fetches = fetches,
                                     .num_fetches = split_names(r->fetches, fetches),
                                     .targets = targets,
                                     .num_targets = split_names(r->targets, targets),
                                     .partial_handle = str_of(r->partial),
                                     .request_id = r->request_id,
                                     .options = o};
    master_run_step(c->tasks[task].master, &step, r->cancel, ran, &w);
    wait_for(&w);
    arena_release(&a);
    bool ok = status_ok(&w.status);
    status_move(st, &w.status);
    return ok;
}

float client_float(struct cluster *c, int task, const char *session, const char *fetch)
{
    struct tensor t = {0};
    struct status st = {0};
    const struct client_run r = {.session = session, .fetches = fetch};
    client_must(client_run(c, task, &r, &t, &st), &st);
    assert_int_equal(t.dtype, DT_FLOAT);
    float v = tensor_f32(&t)[0];
    tensor_clear(&t);
    return v;
}

struct client_feed client_feed_float(const char *name, float v)
{
    struct client_feed f = {.name = name};
    struct status st = {0};
    client_must(tensor_from(&f.value, DT_FLOAT, NULL, 0, &v, &st), &st);
    return f;
}
