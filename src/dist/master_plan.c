/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a master: from a signature to parts that are registered at their tasks.
 *
 * Making one goes from hand to hand: cut the graph; where it needs tasks that are not known, ask
 * them, and cut again; then make the worker sessions that are missing and register each part. No
 * thread waits. Steps that come meanwhile wait in the plan. A plan that failed is in the table no
 * more, so the next step tries again. */
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "dist/master_impl.h"
#include "runtime/session_impl.h"

/* --- life --- */

struct master_plan *master_plan_ref(struct master_plan *p)
{
    __atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
    return p;
}

static void free_parts(struct master_plan *p)
{
    for (int i = 0; i < p->num_parts; i++) {
        struct registered_part *part = &p->parts[i];
        for (int k = 0; k < part->num_feeds; k++)
            mem_free(part->feeds[k].key);
        for (int k = 0; k < part->num_fetches; k++)
            mem_free(part->fetches[k].key);
        mem_free(part->feeds);
        mem_free(part->fetches);
        mem_free(part->graph);
    }
    mem_free(p->parts);
    p->parts = NULL;
    p->num_parts = 0;
}

static void ignore_reply(void *arg, const struct status *st, struct rpc_msg *reply)
{
    (void)arg;
    (void)st;
    (void)reply;
}

static void deregister(struct master_session *s, const struct registered_part *part)
{
    struct arena a = {0};
    struct status st = {0};
    struct rpc_msg m = {0};
    struct peer *peer = s->tasks[part->task].peer;
    struct pb_deregister_graph_request *q = pb_deregister_graph_request_new(&a);
    q->session_handle = str_of(s->handle);
    q->graph_handle = str_of(part->graph);
    q->create_worker_session_called = true;
    if (!peer) {
        if (!worker_deregister(s->master->local, q->session_handle, q->graph_handle, &st))
            status_clear(&st);
    } else if (wire_put(&m, q, &st)) {
        rpc_request_unref(peer_start(peer, "/tensorflow.WorkerService/DeregisterGraph", &m, 0,
                                     ignore_reply, NULL));
    }
    status_clear(&st);
    arena_release(&a);
}

void master_plan_unref(struct master_plan *p)
{
    if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct master_session *s = p->session;
    lock_take(&s->lock);
    bool closed = s->closed; /* then all goes with the worker sessions */
    lock_drop(&s->lock);
    for (int i = 0; i < p->num_parts && !closed; i++) {
        if (p->parts[i].graph)
            deregister(s, &p->parts[i]);
    }
    free_parts(p);
    status_clear(&p->status);
    lock_release_memory(&p->lock);
    arena_release(&p->arena);
    mem_free(p->feeds);
    mem_free(p->fetches);
    mem_free(p->targets);
    mem_free(p->key);
    mem_free(p);
    master_session_unref(s);
}

/* --- the table --- */

static void key_names(struct strbuf *b, const struct str *names, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        strbuf_add(b, names[i].p ? names[i].p : "", names[i].n);
        strbuf_putc(b, '\n'); /* is in no name of a node */
    }
    strbuf_putc(b, '\t');
}

static void make_key(const struct signature *g, struct strbuf *b)
{
    strbuf_putc(b, g->partial ? 'p' : 'w');
    key_names(b, g->feeds, g->num_feeds);
    key_names(b, g->fetches, g->num_fetches);
    key_names(b, g->targets, g->num_targets);
}

static const struct str *dup_names(struct arena *a, const struct str *names, int64_t n)
{
    struct str *out = arena_array(a, struct str, n + 1);
    for (int64_t i = 0; i < n; i++)
        out[i] = str_make(arena_strndup(a, names[i].p ? names[i].p : "", names[i].n), names[i].n);
    return out;
}

static struct master_plan *plan_for(struct master_session *s, const struct signature *g,
                                    const char *key)
{
    struct master_plan *p = mem_new(struct master_plan);
    p->refs = 1;
    p->session = master_session_ref(s);
    p->key = mem_strdup(key);
    p->names = *g;
    p->names.feeds = dup_names(&p->arena, g->feeds, g->num_feeds);
    p->names.fetches = dup_names(&p->arena, g->fetches, g->num_fetches);
    p->names.targets = dup_names(&p->arena, g->targets, g->num_targets);
    p->feeds = mem_new_array(struct output, g->num_feeds + 1);
    p->fetches = mem_new_array(struct output, g->num_fetches + 1);
    p->targets = mem_new_array(struct node *, g->num_targets + 1);
    lock_init(&p->lock, "master plan", LOCK_RANK_LEAF);
    return p;
}

/* Out of the table; under the session's lock. True: the table's reference is the caller's. */
static bool take_out(struct master_plan *p)
{
    struct master_session *s = p->session;
    if (p->over)
        return false;
    p->over = true;
    strmap_remove(&s->plans, p->key);
    s->num_plans--;
    return true;
}

void master_plan_drop(struct master_plan *p)
{
    lock_take(&p->session->lock);
    bool mine = take_out(p);
    lock_drop(&p->session->lock);
    if (mine)
        master_plan_unref(p);
}

static bool has_part(const struct master_plan *p, int task)
{
    for (int i = 0; p->ready && i < p->num_parts; i++) {
        if (p->parts[i].task == task)
            return true;
    }
    return false;
}

void master_plans_drop_task(struct master_session *s, int task)
{
    for (bool again = true; again;) {
        struct master_plan *p = NULL;
        const char *key;
        void *value;
        lock_take(&s->lock);
        for (int64_t i = 0; !p && strmap_next(&s->plans, &i, &key, &value);)
            p = has_part(value, task) ? value : NULL;
        again = p && take_out(p);
        lock_drop(&s->lock);
        if (again)
            master_plan_unref(p);
    }
}

void master_plans_drop_all(struct master_session *s)
{
    for (;;) {
        const char *key;
        void *value = NULL;
        int64_t at = 0;
        lock_take(&s->lock);
        struct master_plan *p = strmap_next(&s->plans, &at, &key, &value) ? value : NULL;
        bool mine = p && take_out(p);
        lock_drop(&s->lock);
        if (!mine)
            return;
        master_plan_unref(p);
    }
}

/* The one that was not used for longest, but none that is made. Under the session's lock. */
static struct master_plan *evict(struct master_session *s)
{
    struct master_plan *oldest = NULL;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&s->plans, &i, &key, &value);) {
        struct master_plan *p = value;
        if (p->ready && (!oldest || p->used < oldest->used))
            oldest = p;
    }
    return oldest && take_out(oldest) ? oldest : NULL;
}

struct master_plan *master_plan_find(struct master_session *s, const struct signature *names)
{
    struct strbuf key = {0};
    make_key(names, &key);
    lock_take(&s->lock);
    struct master_plan *p = strmap_find_n(&s->plans, key.p, key.n);
    if (p && p->ready) {
        p->used = ++s->clock;
        master_plan_ref(p);
    } else {
        p = NULL;
    }
    lock_drop(&s->lock);
    strbuf_release(&key);
    return p;
}

static void plan_make(void *arg);

bool master_plan_get(struct master_session *s, const struct signature *names, struct plan_waiter *w,
                     struct master_plan **making)
{
    struct strbuf key = {0};
    struct master_plan *old = NULL;
    struct status fine = {0};
    make_key(names, &key);
    lock_take(&s->lock);
    struct master_plan *p = strmap_find(&s->plans, strbuf_text(&key));
    bool fresh = !p;
    if (fresh) {
        if (s->num_plans >= MASTER_MAX_PLANS)
            old = evict(s);
        p = plan_for(s, names, strbuf_text(&key));
        strmap_put(&s->plans, p->key, p);
        s->num_plans++;
        master_plan_ref(p); /* of its making */
    }
    p->used = ++s->clock;
    bool ready = p->ready;
    master_plan_ref(p);
    if (!ready) {
        w->next = p->waiters;
        p->waiters = w;
    }
    lock_drop(&s->lock);
    strbuf_release(&key);
    master_plan_unref(old);
    *making = ready ? NULL : p;
    if (fresh)
        pool_submit(s->master->pool, plan_make, p);
    if (ready)
        w->fn(w->arg, p, &fine);
    return ready;
}

bool master_plan_stop_waiting(struct master_plan *p, struct plan_waiter *w)
{
    lock_take(&p->session->lock);
    struct plan_waiter **at = &p->waiters;
    while (*at && *at != w)
        at = &(*at)->next;
    bool there = *at != NULL;
    if (there)
        *at = w->next;
    lock_drop(&p->session->lock);
    return there;
}

/* --- the end of making --- */

/* Takes the reference of the making. */
static void plan_finish(struct master_plan *p)
{
    struct master_session *s = p->session;
    bool ok = status_ok(&p->status);
    lock_take(&s->lock);
    struct plan_waiter *w = p->waiters;
    p->waiters = NULL;
    p->ready = ok;
    bool mine = !ok && take_out(p);
    lock_drop(&s->lock);
    while (w) {
        struct plan_waiter *next = w->next;
        w->fn(w->arg, ok ? master_plan_ref(p) : NULL, &p->status);
        w = next;
    }
    if (mine)
        master_plan_unref(p);
    master_session_delete_late(s);
    master_plan_unref(p);
}

static void plan_fail(struct master_plan *p, const struct status *st)
{
    lock_take(&p->lock);
    status_copy(&p->status, st);
    lock_drop(&p->lock);
}

/* --- names --- */

static bool find_outputs(struct master_plan *p, const struct str *names, int64_t n,
                         struct output *out, bool feed, struct status *st)
{
    for (int64_t i = 0; i < n; i++) {
        struct status why = {0};
        if (graph_get_output(p->session->graph, names[i].p, &out[i], &why))
            continue;
        status_clear(&why);
        if (feed)
            return status_not_found(st, "FeedInputs: unable to find feed output %s", names[i].p);
        return status_not_found(st, "FetchOutputs node %s: not found", names[i].p);
    }
    return true;
}

static bool find_targets(struct master_plan *p, struct status *st)
{
    struct strbuf missing = {0};
    for (int64_t i = 0; i < p->names.num_targets; i++) {
        p->targets[i] = graph_find(p->session->graph, p->names.targets[i].p);
        if (!p->targets[i])
            strbuf_printf(&missing, "%s%s", missing.n ? ", " : "", p->names.targets[i].p);
    }
    bool ok =
        missing.n == 0 || status_not_found(st, "PruneForTargets: Some target nodes not found: %s",
                                           strbuf_text(&missing));
    strbuf_release(&missing);
    return ok;
}

static bool find_names(struct master_plan *p, struct status *st)
{
    return find_outputs(p, p->names.feeds, p->names.num_feeds, p->feeds, true, st) &&
           find_outputs(p, p->names.fetches, p->names.num_fetches, p->fetches, false, st) &&
           find_targets(p, st);
}

/* --- asking tasks --- */

struct asked { /* one task */
    struct master_plan *plan;
    int task;
};

static void asked_all(struct master_plan *p)
{
    if (__atomic_sub_fetch(&p->left, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (status_ok(&p->status))
        pool_submit(p->session->master->pool, plan_make, p);
    else
        plan_finish(p);
}

static void answered(void *arg, const struct status *st,
                     const struct pb_device_attributes_vec *devices)
{
    struct asked a = *(struct asked *)arg;
    mem_free(arg);
    if (status_ok(st) && devices->n > 0) {
        master_session_learn(a.plan->session, a.task, devices);
    } else {
        struct status why = {0};
        status_copy(&why, st);
        if (status_ok(&why))
            status_internal(&why, "%s says it has no devices", a.plan->session->tasks[a.task].name);
        plan_fail(a.plan, &why);
        status_clear(&why);
    }
    asked_all(a.plan);
}

/* Which process each is now: what was known of one that was replaced since would make the session's
 * parts those of a task that is gone, and its client would hear of that once more. */
static void ask_tasks(struct master_plan *p, const bool *missing)
{
    struct master_session *s = p->session;
    p->left = 1;
    for (int i = 0; i < s->num_tasks; i++) {
        if (!missing[i])
            continue;
        struct asked *a = mem_new(struct asked);
        *a = (struct asked){p, i};
        __atomic_fetch_add(&p->left, 1, __ATOMIC_RELAXED);
        peer_settle(s->tasks[i].peer, s->config.operation_timeout_ms, answered, a);
    }
    asked_all(p);
}

/* --- registering --- */

struct registration { /* one part on its way to its task; owned by itself */
    struct master_plan *plan;
    int part;
    struct rpc_msg message; /* RegisterGraph, while the worker session is made */
};

static void registered_one(struct master_plan *p)
{
    if (__atomic_sub_fetch(&p->left, 1, __ATOMIC_ACQ_REL) == 0)
        plan_finish(p);
}

static void registration_over(struct registration *g, const struct status *st)
{
    struct master_plan *p = g->plan;
    if (!status_ok(st))
        plan_fail(p, st);
    if (st->code == STATUS_ABORTED)
        master_session_forget(p->session, p->parts[g->part].task); /* perhaps it was restarted */
    rpc_msg_clear(&g->message);
    mem_free(g);
    registered_one(p);
}

static void registered(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct registration *g = arg;
    struct arena a = {0};
    struct status why = {0};
    struct wire_values none = {0};
    struct pb_register_graph_response *m = NULL;
    status_copy(&why, st);
    if (status_ok(st) &&
        wire_read(reply, &pb_register_graph_response_desc, NULL, &a, &m, &none, &why))
        g->plan->parts[g->part].graph =
            mem_strndup(m->graph_handle.p ? m->graph_handle.p : "", m->graph_handle.n);
    registration_over(g, &why);
    wire_values_clear(&none);
    status_clear(&why);
    arena_release(&a);
}

static void send_graph(struct registration *g)
{
    struct master_session *s = g->plan->session;
    const struct registered_part *part = &g->plan->parts[g->part];
    rpc_request_unref(peer_start_at(s->tasks[part->task].peer, part->incarnation,
                                    "/tensorflow.WorkerService/RegisterGraph", &g->message, 0,
                                    registered, g));
}

static void note_created(struct master_session *s, const struct registered_part *part)
{
    lock_take(&s->lock);
    s->tasks[part->task].created = part->incarnation;
    s->tasks[part->task].uncertain = false;
    lock_drop(&s->lock);
}

static void created(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct registration *g = arg;
    (void)reply;
    if (!status_ok(st)) {
        registration_over(g, st);
        return;
    }
    note_created(g->plan->session, &g->plan->parts[g->part]);
    send_graph(g);
}

/* The server_def is there where the client brought a cluster of its own. */
static struct pb_server_def *server_def(const struct master_session *s, int task, struct arena *a)
{
    if (!s->own_peers)
        return pb_server_def_new(a);
    struct spec spec = spec_dup(&s->own_spec);
    for (int i = 0; i < spec.num_tasks; i++) {
        char *name = spec_task_name(spec.tasks[i].job, spec.tasks[i].index);
        if (strcmp(name, s->tasks[task].name) == 0) {
            mem_free(spec.job);
            spec.job = mem_strdup(spec.tasks[i].job);
            spec.index = spec.tasks[i].index;
        }
        mem_free(name);
    }
    struct pb_server_def *d = spec_to_server_def(&spec, a);
    pb_set_str(a, &d->protocol, "grpc");
    spec_clear(&spec);
    return d;
}

/* All tasks of the session and what is known of their devices. */
static void add_cluster(struct master_session *s, struct pb_create_worker_session_request *q,
                        struct arena *a)
{
    lock_take(&s->lock);
    for (int i = 0; i < s->num_tasks; i++) {
        for (int k = 0; k < s->tasks[i].num_devices; k++) {
            const struct task_device *from = &s->tasks[i].devices[k];
            struct pb_device_attributes *d =
                pb_device_attributes_add(a, &q->cluster_device_attributes);
            pb_set_str(a, &d->name, from->name);
            pb_set_str(a, &d->device_type, from->type);
            d->incarnation = from->incarnation;
            d->memory_limit = from->memory_bytes;
        }
    }
    lock_drop(&s->lock);
}

static void create_session(struct registration *g)
{
    struct master_session *s = g->plan->session;
    int task = g->plan->parts[g->part].task;
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    struct pb_create_worker_session_request *q = pb_create_worker_session_request_new(&a);
    q->session_handle = str_of(s->handle);
    q->server_def = server_def(s, task, &a);
    q->isolate_session_state = s->isolate;
    if (s->own_peers)
        add_cluster(s, q, &a);
    if (wire_put(&m, q, &st))
        rpc_request_unref(peer_start_at(s->tasks[task].peer, g->plan->parts[g->part].incarnation,
                                        "/tensorflow.WorkerService/CreateWorkerSession", &m, 0,
                                        created, g));
    else
        registration_over(g, &st);
    status_clear(&st);
    arena_release(&a);
}

static void register_local(struct master_plan *p, int part,
                           const struct pb_register_graph_request *q)
{
    struct master_session *s = p->session;
    struct status st = {0};
    struct arena a = {0};
    struct pb_server_def *def = s->own_peers ? server_def(s, 0, &a) : NULL;
    if (worker_create_session(s->master->local, str_of(s->handle), def, s->isolate, &st)) {
        note_created(s, &p->parts[part]);
        p->parts[part].graph = worker_register(s->master->local, q, &st);
        p->parts[part].light =
            p->parts[part].graph &&
            worker_is_light(s->master->local, str_of(s->handle), str_of(p->parts[part].graph));
    }
    if (!status_ok(&st))
        plan_fail(p, &st);
    status_clear(&st);
    arena_release(&a);
    registered_one(p);
}

static bool has_tensorflow_2(const struct master_plan *p)
{
    for (int i = 0; i < p->num_parts; i++) {
        struct peer *peer = p->session->tasks[p->parts[i].task].peer;
        if (peer && peer_is_tensorflow_2(peer))
            return true;
    }
    return false;
}

static void register_part(struct master_plan *p, int part, struct pb_graph_def *graph)
{
    struct master_session *s = p->session;
    struct arena a = {0};
    struct status st = {0};
    struct pb_register_graph_request *q = pb_register_graph_request_new(&a);
    q->session_handle = str_of(s->handle);
    q->graph_def = graph;
    q->graph_options = s->proto->graph_options;
    q->create_worker_session_called = true;
    if (has_tensorflow_2(p))
        q->config_proto = pb_config_proto_new(&a); /* as its masters: all parts name frames alike */
    const struct master_task *t = &s->tasks[p->parts[part].task];
    if (!t->peer) {
        register_local(p, part, q);
        arena_release(&a);
        return;
    }
    struct registration *g = mem_new(struct registration);
    *g = (struct registration){.plan = p, .part = part};
    lock_take(&s->lock);
    bool there = t->created && t->created == p->parts[part].incarnation && !t->uncertain;
    lock_drop(&s->lock);
    if (!wire_put(&g->message, q, &st))
        registration_over(g, &st);
    else if (there)
        send_graph(g);
    else
        create_session(g);
    status_clear(&st);
    arena_release(&a);
}

static void add_slots(struct master_plan *p, const struct task_end *ends, int n, bool feeds)
{
    for (int i = 0; i < n; i++) {
        struct registered_part *part = &p->parts[ends[i].part];
        struct plan_slot **slots = feeds ? &part->feeds : &part->fetches;
        int *count = feeds ? &part->num_feeds : &part->num_fetches;
        *slots = mem_realloc(*slots, sizeof **slots * (size_t)(*count + 1));
        (*slots)[(*count)++] = (struct plan_slot){ends[i].index, mem_strdup(ends[i].key)};
    }
}

static void register_parts(struct master_plan *p, const struct task_split *split)
{
    struct master_session *s = p->session;
    p->num_parts = split->num_parts;
    p->parts = mem_new_array(struct registered_part, split->num_parts + 1);
    lock_take(&s->lock);
    for (int i = 0; i < p->num_parts; i++) {
        p->parts[i].task = split->parts[i].task;
        p->parts[i].incarnation = s->tasks[split->parts[i].task].incarnation;
    }
    lock_drop(&s->lock);
    add_slots(p, split->feeds, split->num_feeds, true);
    add_slots(p, split->fetches, split->num_fetches, false);
    p->left = p->num_parts + 1;
    for (int i = 0; i < split->num_parts; i++)
        register_part(p, i, split->parts[i].graph);
    registered_one(p);
}

/* --- making --- */

static bool cut(struct master_plan *p, struct task_split *split, bool *again, struct status *st)
{
    struct master_session *s = p->session;
    struct plan_request what = {.graph = s->graph,
                                .feeds = p->feeds,
                                .fetches = p->fetches,
                                .targets = p->targets,
                                .num_feeds = (int)p->names.num_feeds,
                                .num_fetches = (int)p->names.num_fetches,
                                .num_targets = (int)p->names.num_targets};
    master_session_update(s);
    struct split_request r = {.planner = s->planner,
                              .what = &what,
                              .task_of = s->task_of,
                              .known = s->known,
                              .num_tasks = s->num_tasks,
                              .next_name = &s->next_name,
                              .bfloat16 = s->proto->graph_options &&
                                          s->proto->graph_options->enable_bfloat16_sendrecv};
    return split_tasks(&r, split, again, st);
}

static void plan_make(void *arg)
{
    struct master_plan *p = arg;
    struct task_split split = {0};
    struct status st = {0};
    bool again = false;
    lock_take(&p->session->planning);
    bool ok = find_names(p, &st) && cut(p, &split, &again, &st);
    lock_drop(&p->session->planning);
    if (!ok) {
        plan_fail(p, &st);
        plan_finish(p);
    } else if (again) {
        ask_tasks(p, split.missing);
    } else {
        register_parts(p, &split);
    }
    task_split_release(&split);
    status_clear(&st);
}

/* --- whether it still holds --- */

bool master_plan_check(struct master_plan *p, struct status *st)
{
    struct master_session *s = p->session;
    for (int i = 0; i < p->num_parts; i++) {
        struct peer *peer = s->tasks[p->parts[i].task].peer;
        uint64_t now = peer ? peer_incarnation(peer) : 0;
        if (!peer || now == 0 || now == p->parts[i].incarnation)
            continue;
        master_session_forget(s, p->parts[i].task);
        master_plan_drop(p);
        return status_fail(st, STATUS_ABORTED,
                           "%s at %s was restarted since the graph was registered there",
                           s->tasks[p->parts[i].task].name, peer_address(peer));
    }
    return true;
}
