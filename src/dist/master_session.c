/* SPDX-License-Identifier: Apache-2.0 */
/* A client's session at its master: its graph, and the tasks of the cluster as it sees them.
 *
 * A task that has not been asked yet is taken to have CPU:0 alone. Graphs are placed by a session
 * of the runtime over the devices of all tasks, which runs nothing; devices are sorted by name, as
 * the first of those that fit is taken, so that every master places a node alike. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "dist/forward.h"
#include "dist/master_impl.h"
#include "graph/graphdef.h"
#include "runtime/placer.h"

/* --- tasks --- */

bool master_filtered(char *const *filters, int n, const char *task)
{
    struct device_spec want, have;
    struct status st = {0};
    bool in = n == 0;
    for (int i = 0; i < n && !in; i++)
        in = device_spec_parse(filters[i], &want, &st) && device_spec_parse(task, &have, &st) &&
             (!want.job[0] || strcmp(want.job, have.job) == 0) &&
             (want.replica < 0 || have.replica < 0 || want.replica == have.replica) &&
             (want.task < 0 || want.task == have.task);
    status_clear(&st);
    return in;
}

static void clear_devices(struct master_task *t)
{
    for (int i = 0; i < t->num_devices; i++) {
        mem_free(t->devices[i].name);
        mem_free(t->devices[i].type);
    }
    mem_free(t->devices);
    t->devices = NULL;
    t->num_devices = 0;
}

static void set_devices(struct master_task *t, const struct pb_device_attributes_vec *v)
{
    clear_devices(t);
    t->devices = mem_new_array(struct task_device, v->n + 1);
    for (int64_t i = 0; i < v->n; i++) {
        const struct pb_device_attributes *d = v->v[i];
        struct task_device *to = &t->devices[t->num_devices++];
        /* the name that this session has for it: a cluster of its own may have another */
        const char *tail = memmem(d->name.p ? d->name.p : "", d->name.n, "/device:", 8);
        to->name = tail ? mem_printf("%s%.*s", t->name, (int)(d->name.p + d->name.n - tail), tail)
                        : mem_strndup(d->name.p ? d->name.p : "", d->name.n);
        to->type = mem_strndup(d->device_type.p ? d->device_type.p : "", d->device_type.n);
        to->incarnation = d->incarnation;
        to->memory_bytes = d->memory_limit;
    }
    t->known = true;
    t->incarnation = t->num_devices ? t->devices[0].incarnation : 0;
}

static void add_task(struct master_session *s, const char *name, struct peer *peer)
{
    s->tasks = mem_realloc(s->tasks, sizeof *s->tasks * (size_t)(s->num_tasks + 1));
    s->tasks[s->num_tasks++] = (struct master_task){.name = mem_strdup(name), .peer = peer};
}

static void add_tasks(struct master_session *s, const char *own)
{
    struct master *m = s->master;
    struct peers *peers = s->own_peers ? s->own_peers : m->peers;
    struct arena a = {0};
    add_task(s, own, NULL);
    struct pb_device_attributes_vec v = worker_devices(m->local, &a);
    set_devices(&s->tasks[0], &v);
    arena_release(&a);
    for (int i = 0; i < peers_count(peers); i++) {
        struct peer *p = peers_at(peers, i);
        if (strcmp(peer_name(p), own) != 0 &&
            master_filtered(s->config.device_filters, s->config.num_device_filters, peer_name(p)))
            add_task(s, peer_name(p), p);
    }
}

void master_session_learn(struct master_session *s, int task,
                          const struct pb_device_attributes_vec *devices)
{
    lock_take(&s->lock);
    struct master_task *t = &s->tasks[task];
    if (!t->known) {
        set_devices(t, devices);
        s->changed = true;
    }
    lock_drop(&s->lock);
}

void master_session_forget(struct master_session *s, int task)
{
    lock_take(&s->lock);
    s->tasks[task].known = s->tasks[task].peer == NULL;
    s->tasks[task].uncertain = true;
    s->changed = true;
    lock_drop(&s->lock);
    master_plans_drop_task(s, task);
}

/* --- the planner's devices --- */

struct placed_device {
    struct device device;
    int task;
};

static const struct device_def *def_of(const char *type)
{
    for (int i = 0; leat_all_device_defs[i]; i++) {
        if (strcmp(leat_all_device_defs[i]->type, type) == 0)
            return leat_all_device_defs[i];
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct placed_device *)a)->device.name,
                  ((const struct placed_device *)b)->device.name);
}

/* Under the session's lock. Devices of types that this build knows nothing of get no nodes. */
static int64_t collect(struct master_session *s, struct placed_device **out)
{
    struct placed_device *v = NULL;
    int64_t n = 0, cap = 0;
    for (int i = 0; i < s->num_tasks; i++) {
        const struct master_task *t = &s->tasks[i];
        s->known[i] = t->known;
        for (int k = 0; k < (t->known ? t->num_devices : 1); k++) {
            const struct device_def *def = def_of(t->known ? t->devices[k].type : "CPU");
            if (!def)
                continue;
            v = vec_reserve(v, &cap, n + 1, sizeof *v);
            v[n] = (struct placed_device){.task = i};
            v[n].device.def = def;
            v[n].device.name =
                t->known ? mem_strdup(t->devices[k].name) : mem_printf("%s/device:CPU:0", t->name);
            v[n].device.incarnation = t->known ? t->devices[k].incarnation : 0;
            n++;
        }
    }
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, by_name);
    *out = v;
    return n;
}

static void free_devices(struct device *devices, int n)
{
    for (int i = 0; i < n; i++)
        mem_free(devices[i].name);
    mem_free(devices);
}

void master_session_update(struct master_session *s)
{
    struct placed_device *v = NULL;
    lock_take(&s->lock);
    bool changed = s->changed || !s->devices;
    s->changed = false;
    int64_t n = changed ? collect(s, &v) : 0;
    lock_drop(&s->lock);
    if (!changed)
        return;
    struct device *devices = mem_new_array(struct device, n + 1), *old = s->devices;
    int num_old = s->num_devices;
    mem_free(s->task_of);
    s->task_of = mem_new_array(int, n + 1);
    for (int64_t i = 0; i < n; i++) {
        devices[i] = v[i].device;
        s->task_of[i] = v[i].task;
    }
    s->devices = devices;
    s->num_devices = (int)n;
    if (s->planner)
        place_on_devices(s->planner, devices, (int)n);
    free_devices(old, num_old);
    mem_free(v);
}

/* --- a cluster that the client brings --- */

/* Which task of it this server is: the one with the address that the client used. */
static bool find_self(struct master_session *s, struct str target, struct status *st)
{
    static const char scheme[] = "grpc://";
    struct spec *spec = &s->own_spec;
    struct str address = target;
    if (str_starts(target, scheme))
        address = str_make(target.p + strlen(scheme), target.n - strlen(scheme));
    for (int i = 0; i < spec->num_tasks; i++) {
        bool same = str_is(address, spec->tasks[i].address);
        for (int k = 0; !same && k < peers_count(s->master->peers); k++) {
            struct peer *p = peers_at(s->master->peers, k);
            same = strcmp(peer_name(p), worker_name(s->master->local)) == 0 &&
                   strcmp(peer_address(p), spec->tasks[i].address) == 0;
        }
        if (!same)
            continue;
        mem_free(spec->job);
        spec->job = mem_strdup(spec->tasks[i].job);
        spec->index = spec->tasks[i].index;
        return true;
    }
    return status_invalid(st, "The cluster_def of the session's config has no task at %.*s",
                          (int)address.n, address.p ? address.p : "");
}

static bool join_cluster(struct master_session *s, struct str target, struct status *st)
{
    const struct pb_cluster_def *def = s->proto->cluster_def;
    if (!def || def->job.n == 0)
        return true;
    if (!spec_from_cluster_def(def, &s->own_spec, st) || !find_self(s, target, st))
        return false;
    s->own_peers = peers_like(s->master->peers, &s->own_spec);
    return true;
}

/* --- life --- */

static bool read_config(struct master_session *s, const struct pb_config_proto *config,
                        struct status *st)
{
    struct strbuf b = {0};
    bool ok = true;
    config_init(&s->config);
    if (config)
        ok = pb_encode(config, &b, st) && config_parse(&s->config, b.p ? b.p : "", b.n, st);
    ok = ok && pb_config_proto_decode(&s->arena, b.p ? b.p : "", b.n, 0, &s->proto, st);
    strbuf_release(&b);
    return ok;
}

static bool open_session(struct master_session *s, const struct pb_graph_def *graph,
                         struct str target, struct status *st)
{
    static const struct import_options none;
    if (!join_cluster(s, target, st))
        return false;
    char *own = s->own_peers ? spec_task_name(s->own_spec.job, s->own_spec.index)
                             : mem_strdup(worker_name(s->master->local));
    add_tasks(s, own);
    mem_free(own);
    s->isolate = s->config.isolate;
    if (s->own_peers)
        s->isolate = !(s->proto->experimental &&
                       s->proto->experimental->share_session_state_in_clusterspec_propagation);
    s->known = mem_new_array(bool, s->num_tasks + 1);
    master_session_update(s);
    const struct session_place place = {
        .devices = s->devices, .num_devices = s->num_devices, .handle = "planner"};
    s->planner = session_new_at(s->graph, &s->config, &place, st);
    forward_drop_unknown(graph);
    bool ok = s->planner && (!graph || graph_import_def(s->graph, graph, &none, NULL, st));
    if (ok)
        master_session_look(s);
    return ok;
}

/* A table or queue of values that no message can hold. */
static bool holds_unsendable(const struct node *n)
{
    const struct attr_value *value = attrs_find(&n->attrs, "value_dtype");
    const struct attr_value *list = attrs_find(&n->attrs, "component_types");
    bool holds = value && !value->is_list && value->kind == ATTR_TYPE && value->type == DT_VARIANT;
    for (int64_t i = 0; list && list->is_list && list->kind == ATTR_TYPE && i < list->n; i++)
        holds |= list->types[i] == DT_VARIANT || list->types[i] == DT_RESOURCE;
    return holds;
}

/* State that is not replicated (replica.h). */
static bool keeps_uncovered(const struct node *n)
{
    static const char *const parts[] = {"Iterator", "Reader", "Stage", "Unstage",
                                        "GetSessionHandle"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (strstr(n->op->name, parts[i]))
            return true;
    }
    return holds_unsendable(n);
}

static bool may_be_replicated(const struct master_session *s, const struct node *n)
{
    const char *job = strstr(n->device ? n->device : "", "/job:");
    for (int i = 0; i < s->num_tasks; i++) {
        if (!s->tasks[i].peer || !peer_has_standby(s->tasks[i].peer))
            continue;
        const char *name = s->tasks[i].name; /* "/job:ps/replica:0/task:0" */
        const char *end = strchr(name + 1, '/');
        if (!job || strncmp(job, name, (size_t)(end - name)) == 0)
            return true;
    }
    return false;
}

/* Failovers of such a session's tasks are told to its client, as it has lost something. */
void master_session_look(struct master_session *s)
{
    for (; s->looked_at < s->graph->num_nodes; s->looked_at++) {
        const struct node *n = s->graph->nodes[s->looked_at];
        if (n && keeps_uncovered(n) && may_be_replicated(s, n))
            __atomic_store_n(&s->uncovered, true, __ATOMIC_RELEASE);
    }
}

struct master_session *master_session_new(struct master *m, const struct pb_graph_def *graph,
                                          const struct pb_config_proto *config, struct str target,
                                          struct status *st)
{
    if (!master_enter(m, st))
        return NULL;
    struct master_session *s = mem_new(struct master_session);
    s->refs = 1;
    s->master = m;
    s->graph = graph_new();
    s->cancel = cancel_new(NULL);
    s->next_callable = 1;
    lock_init(&s->planning, "planning", LOCK_RANK_SERVER + 1);
    lock_init(&s->lock, "master session", LOCK_RANK_SERVER + 2);
    if (read_config(s, config, st) && open_session(s, graph, target, st))
        return s;
    master_session_unref(s);
    return NULL;
}

struct master_session *master_session_ref(struct master_session *s)
{
    __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

static void session_free_all(void *arg)
{
    struct master_session *s = arg;
    struct master *m = s->master;
    strmap_release(&s->partials);
    uint64_t key;
    void *value;
    for (int64_t i = 0; u64map_next(&s->callables, &i, &key, &value);)
        master_callable_unref(value);
    u64map_release(&s->callables);
    strmap_release(&s->plans);
    session_free(s->planner);
    free_devices(s->devices, s->num_devices);
    for (int i = 0; i < s->num_tasks; i++) {
        clear_devices(&s->tasks[i]);
        mem_free(s->tasks[i].name);
    }
    mem_free(s->tasks);
    mem_free(s->task_of);
    mem_free(s->known);
    graph_unref(s->graph);
    cancel_unref(s->cancel);
    if (s->own_peers)
        peers_free(s->own_peers);
    spec_clear(&s->own_spec);
    config_clear(&s->config);
    lock_release_memory(&s->planning);
    lock_release_memory(&s->lock);
    mem_free(s->handle);
    arena_release(&s->arena);
    mem_free(s);
    master_leave(m);
}

/* On another thread, as peers of its own may be what called. */
void master_session_unref(struct master_session *s)
{
    if (s && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0)
        pool_submit(s->master->pool, session_free_all, s);
}

bool master_session_enter(struct master_session *s, struct status *st)
{
    lock_take(&s->lock);
    bool open = !s->closed;
    s->running += open;
    lock_drop(&s->lock);
    return open || status_fail(st, STATUS_CANCELLED, "Session has been closed.");
}

void master_session_leave(struct master_session *s)
{
    lock_take(&s->lock);
    bool idle = --s->running == 0 && s->closed;
    lock_drop(&s->lock);
    if (idle)
        s->when_idle(s);
}

/* --- the end --- */

struct goodbye { /* DeleteWorkerSession to one task */
    struct master_session *session;
    int *left; /* atomic; of all */
};

static void said_goodbye(struct master_session *s, int *left)
{
    if (!left) { /* nobody waits for it */
        master_session_unref(s);
        return;
    }
    if (__atomic_sub_fetch(left, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct status st = {0};
    mem_free(left);
    s->closed_fn(s->closed_arg, &st);
    master_session_unref(s);
}

static void deleted(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct goodbye g = *(struct goodbye *)arg;
    (void)st; /* a task that is gone has no session either */
    (void)reply;
    mem_free(arg);
    said_goodbye(g.session, g.left);
}

static void delete_at(struct master_session *s, const struct master_task *t, int *left)
{
    enum { GOODBYE_MS = 10000 };
    struct arena a = {0};
    struct status st = {0};
    struct rpc_msg m = {0};
    struct pb_delete_worker_session_request *q = pb_delete_worker_session_request_new(&a);
    q->session_handle = str_of(s->handle);
    struct goodbye *g = mem_new(struct goodbye);
    *g = (struct goodbye){s, left};
    if (left)
        __atomic_fetch_add(left, 1, __ATOMIC_RELAXED);
    else
        master_session_ref(s);
    if (wire_put(&m, q, &st))
        rpc_request_unref(peer_start(t->peer, "/tensorflow.WorkerService/DeleteWorkerSession", &m,
                                     GOODBYE_MS, deleted, g));
    else
        deleted(g, &st, NULL);
    status_clear(&st);
    arena_release(&a);
}

static void delete_all(struct master_session *s, int *left)
{
    struct status st = {0};
    for (int i = 0; i < s->num_tasks; i++) {
        struct master_task *t = &s->tasks[i];
        lock_take(&s->lock);
        bool created = t->created != 0;
        t->created = 0;
        lock_drop(&s->lock);
        master_flush_over(s, i);
        if (created && t->peer)
            delete_at(s, t, left);
        else if (created && !worker_delete_session(s->master->local, str_of(s->handle), &st))
            status_clear(&st);
    }
}

void master_session_delete_late(struct master_session *s)
{
    lock_take(&s->lock);
    bool closed = s->closed;
    lock_drop(&s->lock);
    if (closed)
        delete_all(s, NULL);
}

/* No step runs any more, and none will. */
static void say_goodbye(struct master_session *s)
{
    int *left = mem_new(int);
    *left = 1;
    master_partials_drop_all(s);
    master_plans_drop_all(s);
    delete_all(s, left);
    said_goodbye(s, left);
}

void master_session_close(struct master_session *s, master_done_fn done, void *arg)
{
    lock_take(&s->lock);
    s->closed = true;
    s->when_idle = say_goodbye;
    s->closed_fn = done;
    s->closed_arg = arg;
    bool idle = s->running == 0;
    lock_drop(&s->lock);
    cancel_fire(s->cancel, STATUS_CANCELLED, "Session was closed.");
    if (idle)
        say_goodbye(s);
}

/* --- the client's calls that are no steps --- */

bool master_extend_session(struct master *m, struct str handle, const struct pb_graph_def *graph,
                           int64_t *version, struct status *st)
{
    struct master_session *s = master_find(m, handle, st);
    if (!s)
        return false;
    lock_take(&s->planning); /* one at a time */
    lock_take(&s->lock);
    int64_t now = s->version;
    lock_drop(&s->lock);
    bool ok = now == *version ||
              status_fail(st, STATUS_ABORTED, "Current version is %lld but caller expected %lld.",
                          (long long)now, (long long)*version);
    forward_drop_unknown(graph);
    ok = ok && (!graph || graph_extend(s->graph, graph, st));
    if (ok)
        master_session_look(s);
    if (ok) {
        lock_take(&s->lock);
        *version = ++s->version;
        lock_drop(&s->lock);
    }
    lock_drop(&s->planning);
    master_session_unref(s);
    return ok;
}

struct listing { /* ListDevices under way; owned by itself */
    struct master_session *session;
    master_devices_fn fn;
    void *arg;
    int left; /* atomic */
    struct lock lock;
    /* --- guarded by lock --- */
    struct arena arena;
    struct pb_list_devices_response *response;
    struct status status;
};
struct listed { /* one task of it */
    struct listing *listing;
    int task;
};

static void listing_leave(struct listing *l)
{
    if (__atomic_sub_fetch(&l->left, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    l->fn(l->arg, &l->status, l->response);
    status_clear(&l->status);
    arena_release(&l->arena);
    lock_release_memory(&l->lock);
    master_session_leave(l->session);
    master_session_unref(l->session);
    mem_free(l);
}

static void add_listed(struct listing *l, const struct pb_device_attributes_vec *from,
                       struct pb_device_attributes_vec *to, const char *task)
{
    for (int64_t i = 0; i < from->n; i++) {
        struct pb_device_attributes *d = pb_device_attributes_add(&l->arena, to);
        const struct pb_device_attributes *f = from->v[i];
        const char *tail = memmem(f->name.p ? f->name.p : "", f->name.n, "/device:", 8);
        d->name = str_of(tail ? arena_printf(&l->arena, "%s%.*s", task,
                                             (int)(f->name.p + f->name.n - tail), tail)
                              : "");
        d->device_type = pb_str_dup(&l->arena, f->device_type);
        d->memory_limit = f->memory_limit;
        d->incarnation = f->incarnation;
        d->physical_device_desc = pb_str_dup(&l->arena, f->physical_device_desc);
    }
}

static void devices_listed(void *arg, const struct status *st,
                           const struct pb_device_attributes_vec *devices)
{
    struct listed x = *(struct listed *)arg;
    struct listing *l = x.listing;
    mem_free(arg);
    lock_take(&l->lock);
    if (status_ok(st))
        add_listed(l, devices, &l->response->remote_device, l->session->tasks[x.task].name);
    else
        status_copy(&l->status, st);
    lock_drop(&l->lock);
    listing_leave(l);
}

void master_list_devices(struct master *m, struct str session, master_devices_fn fn, void *arg)
{
    struct status st = {0};
    struct master_session *s = master_find(m, session, &st);
    if (!s || !master_session_enter(s, &st)) {
        fn(arg, &st, NULL);
        master_session_unref(s);
        status_clear(&st);
        return;
    }
    struct listing *l = mem_new(struct listing);
    *l = (struct listing){.session = s, .fn = fn, .arg = arg, .left = 1};
    lock_init(&l->lock, "listing", LOCK_RANK_LEAF);
    l->response = pb_list_devices_response_new(&l->arena);
    struct arena a = {0};
    struct pb_device_attributes_vec own = worker_devices(m->local, &a);
    add_listed(l, &own, &l->response->local_device, s->tasks[0].name);
    arena_release(&a);
    for (int i = 1; i < s->num_tasks; i++) {
        struct listed *x = mem_new(struct listed);
        *x = (struct listed){l, i};
        __atomic_fetch_add(&l->left, 1, __ATOMIC_RELAXED);
        peer_devices(s->tasks[i].peer, s->config.operation_timeout_ms, devices_listed, x);
    }
    listing_leave(l);
}
