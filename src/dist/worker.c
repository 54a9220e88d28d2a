/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's sessions and the parts that are registered in them.
 *
 * A part is a graph of its own with a session of the runtime over it, which stands on the task's
 * devices, keeps its variables in the task's resources and shares kernels with state with the other
 * parts of its session. What must run of it is what nothing reads and what has state; the rest
 * follows. */
#include "dist/worker.h"

#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "dist/forward.h"
#include "dist/replica.h"
#include "dist/worker_impl.h"
#include "graph/graphdef.h"
#include "runtime/devices.h"

/* --- life --- */

struct worker *worker_new(const struct spec *spec, struct peers *peers, const struct config *config,
                          struct status *st)
{
    struct worker *w = mem_new(struct worker);
    w->name = spec_task_name(spec->job, spec->index);
    w->peers = peers;
    w->config = config_dup(config);
    w->pool = session_threads(config);
    w->resources = resource_map_new("localhost");
    w->cancel = cancel_new(NULL);
    w->offers = offers_new();
    w->planes = planes_new(&(struct planes_options){.protocol = spec->protocol,
                                                    .task = w->name,
                                                    .peers = peers,
                                                    .pool = w->pool,
                                                    .offers = w->offers});
    step_table_init(&w->steps, w->name, w->planes, peers, worker_step_ended, w);
    request_ids_init(&w->requests);
    lock_init(&w->lock, "worker", LOCK_RANK_SERVER);
    cond_init(&w->idle);
    if (devices_open_at(w->name, config, &w->devices, &w->num_devices, st) &&
        worker_create_session(w, str_make("", 0), NULL, false, st)) /* of masters that make none */
        return w;
    worker_free(w);
    return NULL;
}

bool worker_enter(struct worker *w, struct status *st)
{
    lock_take(&w->lock);
    bool open = !w->closed;
    w->live += open;
    lock_drop(&w->lock);
    return open || status_fail(st, STATUS_CANCELLED, "%s is shutting down", w->name);
}

void worker_leave(struct worker *w)
{
    lock_take(&w->lock);
    if (--w->live == 0 && w->closed)
        cond_broadcast(&w->idle);
    lock_drop(&w->lock);
}

/* Any one that is left, out of the table. */
static struct worker_session *take_session(struct worker *w)
{
    const char *key;
    void *value = NULL;
    int64_t at = 0;
    lock_take(&w->lock);
    struct worker_session *s =
        strmap_next(&w->sessions, &at, &key, &value) ? strmap_remove(&w->sessions, key) : NULL;
    lock_drop(&w->lock);
    return s;
}

static void session_end(struct worker_session *s);

void worker_free(struct worker *w)
{
    if (!w)
        return;
    lock_take(&w->lock);
    w->closed = true;
    lock_drop(&w->lock);
    cancel_fire(w->cancel, STATUS_CANCELLED, "The server is shutting down");
    for (struct worker_session *s; (s = take_session(w));)
        session_end(s);
    step_table_end_all(&w->steps);
    lock_take(&w->lock);
    while (w->live > 0)
        cond_wait(&w->idle, &w->lock);
    lock_drop(&w->lock);
    planes_stop(w->planes);
    strmap_release(&w->sessions);
    step_table_release(&w->steps);
    planes_unref(w->planes);
    request_ids_release(&w->requests);
    offers_free(w->offers);
    resource_map_free(w->resources);
    devices_close(w->devices, w->num_devices);
    cancel_unref(w->cancel);
    config_clear(&w->config);
    cond_release(&w->idle);
    lock_release_memory(&w->lock);
    mem_free(w->name);
    mem_free(w);
}

void worker_set_replica(struct worker *w, struct replica *r)
{
    w->replica = r;
}

struct resource_map *worker_state(struct worker *w)
{
    return w->resources;
}

struct pool *worker_pool(struct worker *w)
{
    return w->pool;
}

const char *worker_name(const struct worker *w)
{
    return w->name;
}

struct pb_device_attributes_vec worker_devices(const struct worker *w, struct arena *a)
{
    struct pb_device_attributes_vec v = {0};
    for (int i = 0; i < w->num_devices; i++) {
        const struct device *d = &w->devices[i];
        struct pb_device_attributes *p = pb_device_attributes_add(a, &v);
        pb_set_str(a, &p->name, d->name);
        pb_set_str(a, &p->device_type, d->def->type);
        pb_set_str(a, &p->physical_device_desc, d->description ? d->description : "");
        p->memory_limit = d->memory_bytes;
        p->incarnation = d->incarnation;
        p->locality = pb_device_locality_new(a);
    }
    return v;
}

/* --- sessions --- */

/* When the last master has gone, the memory that its steps left goes too; but one session stands
 * for masters that make none. */
static void trim_if_idle(struct worker *w)
{
    lock_take(&w->lock);
    const bool idle = w->sessions.num_live <= 1;
    lock_drop(&w->lock);
    if (idle)
        buffer_trim();
}

static void session_unref(struct worker_session *s)
{
    if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct worker *w = s->worker;
    kernel_store_free(s->kernels);
    resource_map_free(s->own);
    for (int i = 0; s->devices && i < w->num_devices; i++)
        mem_free(s->devices[i].name);
    mem_free(s->devices);
    if (s->peers)
        peers_free(s->peers);
    cancel_unref(s->cancel);
    strmap_release(&s->parts);
    mem_free(s->name);
    mem_free(s->handle);
    mem_free(s);
    trim_if_idle(w);
    worker_leave(w);
}

/* The task's devices under the names that they have in another cluster. */
static void rename_devices(struct worker_session *s)
{
    const struct worker *w = s->worker;
    s->devices = mem_new_array(struct device, w->num_devices);
    for (int i = 0; i < w->num_devices; i++) {
        s->devices[i] = w->devices[i];
        s->devices[i].name = mem_printf("%s%s", s->name, w->devices[i].name + strlen(w->name));
    }
}

/* A cluster of the session's own may give this task another name and other peers. */
static bool join_cluster(struct worker_session *s, const struct pb_server_def *def,
                         struct status *st)
{
    struct spec spec = {0};
    if (!def || !def->cluster || def->cluster->job.n == 0)
        return true;
    if (!spec_from_server_def(def, &spec, st))
        return false;
    if (!spec.job || !spec_find(&spec, spec.job, spec.index)) {
        spec_clear(&spec);
        return status_invalid(st, "CreateWorkerSession: the task is not in its own cluster");
    }
    s->peers = peers_like(s->worker->peers, &spec);
    s->name = spec_task_name(spec.job, spec.index);
    rename_devices(s);
    spec_clear(&spec);
    return true;
}

static struct worker_session *session_make(struct worker *w, struct str handle,
                                           const struct pb_server_def *def, bool isolate,
                                           struct status *st)
{
    if (!worker_enter(w, st))
        return NULL;
    struct worker_session *s = mem_new(struct worker_session);
    s->refs = 1;
    s->worker = w;
    s->handle = mem_strndup(handle.p ? handle.p : "", handle.n);
    s->own = isolate ? resource_map_new("localhost") : NULL;
    s->kernels = kernel_store_new();
    s->cancel = cancel_new(w->cancel);
    if (join_cluster(s, def, st))
        return s;
    session_unref(s);
    return NULL;
}

bool worker_create_session(struct worker *w, struct str handle, const struct pb_server_def *def,
                           bool isolate, struct status *st)
{
    struct worker_session *s = session_make(w, handle, def, isolate, st);
    if (!s)
        return false;
    lock_take(&w->lock);
    bool there = strmap_has(&w->sessions, s->handle);
    if (!there)
        strmap_put(&w->sessions, s->handle, s);
    lock_drop(&w->lock);
    if (there)
        session_unref(s);
    return true;
}

/* Takes the reference of the worker's table. */
static void session_end(struct worker_session *s)
{
    struct worker *w = s->worker;
    cancel_fire(s->cancel, STATUS_CANCELLED, "The session was closed");
    for (;;) {
        const char *key;
        void *value = NULL;
        int64_t at = 0;
        lock_take(&w->lock);
        struct worker_part *p =
            strmap_next(&s->parts, &at, &key, &value) ? strmap_remove(&s->parts, key) : NULL;
        lock_drop(&w->lock);
        if (!p)
            break;
        worker_part_unref(p);
    }
    session_unref(s);
}

static bool fails_session(struct str handle, struct status *st)
{
    return status_fail(st, STATUS_ABORTED,
                       "Session handle is not found: %.*s. Possibly this worker just restarted.",
                       (int)handle.n, handle.p ? handle.p : "");
}

void worker_drop_sessions(struct worker *w)
{
    struct status st = {0};
    for (struct worker_session *s; (s = take_session(w));)
        session_end(s);
    step_table_end_all(&w->steps);
    if (!worker_create_session(w, str_make("", 0), NULL, false, &st))
        status_clear(&st); /* it is shutting down */
}

bool worker_delete_session(struct worker *w, struct str handle, struct status *st)
{
    char *name = mem_strndup(handle.p ? handle.p : "", handle.n);
    lock_take(&w->lock);
    struct worker_session *s = name[0] ? strmap_remove(&w->sessions, name) : NULL;
    lock_drop(&w->lock);
    mem_free(name);
    if (!s)
        return fails_session(handle, st);
    session_end(s);
    return true;
}

/* Referenced. */
static struct worker_session *find_session(struct worker *w, struct str handle, struct status *st)
{
    lock_take(&w->lock);
    struct worker_session *s = strmap_find_n(&w->sessions, handle.p ? handle.p : "", handle.n);
    if (s)
        __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
    lock_drop(&w->lock);
    if (!s)
        (void)!fails_session(handle, st);
    return s;
}

/* --- parts --- */

static void part_free(void *arg)
{
    struct worker_part *p = arg;
    callable_free(p->whole);
    callable_free(p->piecewise);
    session_free(p->runner);
    graph_unref(p->graph);
    mem_free(p->sinks);
    if (p->session)
        session_unref(p->session);
    mem_free(p);
}

/* The last one may be dropped by the end of a run, inside of the session that goes. */
void worker_part_unref(struct worker_part *p)
{
    if (p && __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) == 0)
        pool_submit(p->session->worker->pool, part_free, p);
}

static bool is_sink(const struct node *n)
{
    const struct op_def *d = n->op->def;
    return (n->num_consumers == 0 && n->num_control_outputs == 0) ||
           (d && (d->flags & OP_STATEFUL) && strcmp(n->op->name, "_Recv") != 0 &&
            strcmp(n->op->name, "_HostRecv") != 0);
}

static void find_sinks(struct worker_part *p)
{
    struct graph *g = p->graph;
    p->sinks = mem_new_array(struct node *, g->num_nodes + 1);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (is_sink(g->nodes[i]))
            p->sinks[p->num_sinks++] = g->nodes[i];
    }
    if (p->num_sinks == 0 && g->num_nodes > 0) /* loops that give nothing to anybody */
        p->sinks[p->num_sinks++] = g->nodes[0];
}

static bool is_transfer(const char *op)
{
    static const char *const ops[] = {"_Send", "_Recv", "_HostSend", "_HostRecv"};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        if (strcmp(op, ops[i]) == 0)
            return true;
    return false;
}

static void number_frames(struct graph *g)
{
    for (int64_t i = 0; i < g->num_nodes; i++)
        if (is_transfer(g->nodes[i]->op->name))
            attrs_set(&g->nodes[i]->attrs, RENDEZVOUS_NUMBERS_ATTR, attr_bool(true));
}

/* The master's options for passes, over the task's own. */
static bool config_for(const struct worker *w, const struct pb_graph_options *options,
                       struct config *out, struct status *st)
{
    struct arena a = {0};
    struct strbuf b = {0};
    struct pb_config_proto *p = pb_config_proto_new(&a);
    p->graph_options = (struct pb_graph_options *)(uintptr_t)options;
    config_init(out);
    bool ok = pb_encode(p, &b, st) && config_parse(out, b.p ? b.p : "", b.n, st);
    out->intra_threads = w->config.intra_threads;
    out->inter_threads = w->config.inter_threads;
    strbuf_release(&b);
    arena_release(&a);
    return ok;
}

static bool make_runner(struct worker_part *p, const struct pb_graph_options *options,
                        struct status *st)
{
    struct worker_session *s = p->session;
    struct worker *w = s->worker;
    struct config config;
    const struct session_place place = {.devices = s->devices ? s->devices : w->devices,
                                        .num_devices = w->num_devices,
                                        .resources = s->own ? s->own : w->resources,
                                        .kernels = s->kernels,
                                        .handle = s->handle};
    if (config_for(w, options, &config, st))
        p->runner = session_new_at(p->graph, &config, &place, st);
    config_clear(&config);
    if (!p->runner)
        return false;
    const struct run_args a = {.targets = p->sinks, .num_targets = p->num_sinks};
    p->whole = callable_new(p->runner, &a, st);
    return p->whole;
}

struct callable *worker_piecewise(struct worker_part *p, struct status *st)
{
    struct worker *w = p->session->worker;
    lock_take(&w->lock);
    struct callable *c = p->piecewise;
    lock_drop(&w->lock);
    if (c)
        return c;
    const struct run_args a = {.targets = p->sinks, .num_targets = p->num_sinks, .partial = true};
    struct callable *made = callable_new(p->runner, &a, st);
    if (!made)
        return NULL;
    lock_take(&w->lock);
    c = p->piecewise;
    if (!c)
        p->piecewise = made;
    lock_drop(&w->lock);
    if (!c)
        return made;
    callable_free(made);
    return c;
}

static struct worker_part *part_make(struct worker_session *s,
                                     const struct pb_register_graph_request *r, struct status *st)
{
    struct worker_part *p = mem_new(struct worker_part);
    p->refs = 1;
    p->session = s; /* takes the reference */
    p->graph = graph_new();
    struct arena a = {0};
    const struct pb_graph_def *def = forward_unfused(&a, r->graph_def);
    forward_drop_unknown(def);
    bool ok = !def || graph_import_body(p->graph, def, st);
    arena_release(&a);
    if (ok) {
        if (r->config_proto) /* a step that TensorFlow 2 takes part in */
            number_frames(p->graph);
        find_sinks(p);
        ok = p->num_sinks == 0 || make_runner(p, r->graph_options, st);
    }
    if (ok && p->num_sinks == 0)
        ok = status_invalid(st, "RegisterGraph: a graph without nodes");
    if (ok)
        return p;
    part_free(p);
    return NULL;
}

static char *keep_part(struct worker_session *s, struct worker_part *p, struct status *st)
{
    struct worker *w = s->worker;
    char *handle = NULL;
    lock_take(&w->lock);
    bool open = strmap_find(&w->sessions, s->handle) == s;
    if (open) {
        handle = mem_printf("%016llx", (unsigned long long)++w->next_graph);
        strmap_put(&s->parts, handle, p);
    }
    lock_drop(&w->lock);
    if (!open) {
        (void)!fails_session(str_of(s->handle), st);
        worker_part_unref(p);
    }
    return handle;
}

char *worker_register(struct worker *w, const struct pb_register_graph_request *r,
                      struct status *st)
{
    struct str handle = r->create_worker_session_called ? r->session_handle : str_make("", 0);
    struct worker_session *s = find_session(w, handle, st);
    struct worker_part *p = s ? part_make(s, r, st) : NULL;
    return p ? keep_part(s, p, st) : NULL;
}

static bool fails_graph(struct str graph, struct status *st)
{
    return status_fail(st, STATUS_ABORTED,
                       "Graph handle is not found: %.*s. Possibly, this worker just restarted.",
                       (int)graph.n, graph.p ? graph.p : "");
}

bool worker_deregister(struct worker *w, struct str session, struct str graph, struct status *st)
{
    char *name = mem_strndup(graph.p ? graph.p : "", graph.n);
    lock_take(&w->lock);
    struct worker_session *s = strmap_find_n(&w->sessions, session.p ? session.p : "", session.n);
    struct worker_part *p = s ? strmap_remove(&s->parts, name) : NULL;
    lock_drop(&w->lock);
    mem_free(name);
    if (!s)
        return fails_session(session, st);
    if (!p)
        return fails_graph(graph, st);
    worker_part_unref(p);
    return true;
}

struct worker_part *worker_find_part(struct worker *w, struct str session, struct str graph,
                                     struct status *st)
{
    lock_take(&w->lock);
    struct worker_session *s = strmap_find_n(&w->sessions, session.p ? session.p : "", session.n);
    struct worker_part *p = s ? strmap_find_n(&s->parts, graph.p ? graph.p : "", graph.n) : NULL;
    if (p)
        __atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
    lock_drop(&w->lock);
    if (!s)
        (void)!fails_session(session, st);
    else if (!p)
        (void)!fails_graph(graph, st);
    return p;
}

/* --- clearing --- */

void worker_cleanup_graph(struct worker *w, int64_t step_id, void (*over)(void *arg), void *arg)
{
    step_table_end(&w->steps, step_id, over, arg);
}

static void clear_container(struct worker *w, const char *name)
{
    if (w->replica)
        replica_clear_container(w->replica, name);
    else
        resource_clear_container(w->resources, name);
}

void worker_cleanup_all(struct worker *w, const struct pb_strs *containers)
{
    for (int64_t i = 0; containers && i < containers->n; i++) {
        char *name = mem_strndup(containers->v[i].p ? containers->v[i].p : "", containers->v[i].n);
        clear_container(w, name);
        mem_free(name);
    }
    if (!containers || containers->n == 0)
        clear_container(w, "");
}
