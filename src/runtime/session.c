/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: the plan cache, the kernels of nodes, and the run itself.
 *
 * The common run (a cached plan) takes session->lock three times, briefly: to count itself in, to
 * find the plan and a step, and to leave. */
#include "runtime/session.h"

#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/mem.h"
#include "op/collective.h"
#include "op/rendezvous.h"
#include "op/session_store.h"
#include "runtime/call_kernel.h"
#include "runtime/devices.h"
#include "runtime/kernel_store.h"
#include "runtime/kernels.h"
#include "runtime/placer.h"
#include "runtime/session_impl.h"
#include "runtime/session_kind.h"
#include "runtime/timer.h"
#include "runtime/trace.h"

enum { MAX_THREADS = 1024, MAX_FREE_STEPS = 16 };

/* --- pools: one per thread count, for the life of the process --- */

static struct lock pools_lock = LOCK_INIT("pools", LOCK_RANK_LEAF);
static struct pool *pools[MAX_THREADS + 1]; /* guarded by pools_lock */

static struct pool *pool_for(int threads)
{
    int n = threads > 0 ? threads : pool_default_threads();
    n = n > MAX_THREADS ? MAX_THREADS : n;
    lock_take(&pools_lock);
    if (!pools[n] || !pool_ok(pools[n]))
        pools[n] = pool_new("leat", n);
    struct pool *p = pools[n];
    lock_drop(&pools_lock);
    return p;
}

struct pool *session_threads(const struct config *c)
{
    return pool_for(c->intra_threads);
}

/* --- life --- */

static struct session *make(struct graph *g, const struct config *config)
{
    struct session *s = mem_new(struct session);
    s->graph = graph_ref(g);
    s->config = config_dup(config);
    s->pool = pool_for(config->intra_threads);
    s->process = resource_process_map();
    s->cancel = cancel_new(NULL);
    lock_init(&s->lock, "session", LOCK_RANK_SESSION);
    cond_init(&s->idle);
    return s;
}

struct session *session_new_at(struct graph *g, const struct config *config,
                               const struct session_place *place, struct status *st)
{
    if (place->num_devices < 1) {
        status_internal(st, "a task without devices");
        return NULL;
    }
    struct session *s = make(g, config);
    s->placed_in_task = true;
    s->devices = place->devices;
    s->num_devices = place->num_devices;
    s->container = place->resources;
    s->store = place->kernels;
    s->handle = mem_strdup(place->handle);
    return s;
}

/* A shell around what its kind opens. */
static struct session *new_elsewhere(struct graph *g, const struct config *config,
                                     const struct session_kind_def *kind, struct status *st)
{
    struct session *s = make(g, config);
    s->kind = kind;
    s->handle = mem_strdup("");
    s->remote = kind->open(s->graph, &s->config, st);
    if (s->remote)
        return s;
    session_free(s);
    return NULL;
}

struct session *session_new(struct graph *g, const struct config *config, struct status *st)
{
    const struct session_kind_def *kind = session_kind_find(config->target);
    if (kind)
        return new_elsewhere(g, config, kind, st);
    struct session *s = make(g, config);
    s->container = resource_map_new("localhost");
    s->handle = mem_printf("direct%p", (void *)s);
    session_list_add(s);
    if (devices_open(&s->config, &s->devices, &s->num_devices, st))
        return s;
    session_free(s);
    return NULL;
}

bool session_close(struct session *s, struct status *st)
{
    lock_take(&s->lock);
    bool first = !s->closed;
    s->closed = true;
    lock_drop(&s->lock);
    bool ok = !first || !s->remote || s->kind->close(s->remote, st);
    cancel_fire(s->cancel, STATUS_CANCELLED, "Session was closed.");
    lock_take(&s->lock);
    while (s->running > 0)
        cond_wait(&s->idle, &s->lock);
    lock_drop(&s->lock);
    return ok;
}

static void entry_free(struct plan_entry *e)
{
    plan_unref(e->plan);
    mem_free(e->feeds);
    mem_free(e->fetches);
    mem_free(e->targets);
    mem_free(e->debug);
    mem_free(e);
}

static void plans_free(struct session *s)
{
    uint64_t key;
    void *value;
    for (int64_t i = 0; u64map_next(&s->plans, &i, &key, &value);) {
        struct plan_entry *next, *e = value;
        for (; e; e = next) {
            next = e->next;
            entry_free(e);
        }
    }
    u64map_release(&s->plans);
}

void session_free(struct session *s)
{
    if (!s)
        return;
    struct status st = {0};
    session_list_remove(s);
    if (!session_close(s, &st))
        status_clear(&st);
    if (s->remote)
        s->kind->free(s->remote);
    session_partials_free(s);
    session_functions_free(s);
    plans_free(s);
    for (int64_t i = 0; i < s->num_kernels; i++)
        kernel_free(s->kernels[i]);
    mem_free(s->kernels);
    mem_free(s->placed);
    while (s->free_steps) {
        struct step *step = s->free_steps;
        s->free_steps = step->next;
        resource_map_free(step->resources);
        mem_free(step);
    }
    if (!s->placed_in_task && !s->kind) {
        resource_map_free(s->container);
        devices_close(s->devices, s->num_devices);
    }
    cancel_unref(s->cancel);
    cond_release(&s->idle);
    lock_release_memory(&s->lock);
    config_clear(&s->config);
    mem_free(s->handle);
    graph_unref(s->graph);
    mem_free(s);
}

bool session_enter(struct session *s, struct status *st)
{
    if (UNLIKELY(!pool_ok(s->pool)))
        return status_precondition(
            st, "This process was forked after a session had run kernels; make a new session "
                "in the child, or fork before the first run");
    lock_take(&s->lock);
    bool open = !s->closed;
    s->running += open;
    lock_drop(&s->lock);
    return open || status_fail(st, STATUS_CANCELLED, "Session has been closed.");
}

bool session_open(struct session *s, struct status *st)
{
    lock_take(&s->lock);
    bool open = !s->closed;
    lock_drop(&s->lock);
    return open || status_fail(st, STATUS_CANCELLED, "Session has been closed.");
}

void session_leave(struct session *s)
{
    lock_take(&s->lock);
    if (--s->running == 0 && s->closed)
        cond_broadcast(&s->idle);
    lock_drop(&s->lock);
}

int session_num_devices(const struct session *s)
{
    return s->num_devices;
}

const struct device *session_device(const struct session *s, int i)
{
    return &s->devices[i];
}

struct graph *session_graph(struct session *s)
{
    return s->graph;
}

/* --- kernels --- */

struct kernel *kernel_for_node(const struct rnode *n, const struct device *device,
                               struct status *st)
{
    const struct kernel_def *def =
        n->op->function ? &call_kernel_def
                        : kernel_find(n->op, device->def->type, n->attrs, n->name, st);
    struct kernel *k = def ? kernel_new(def, n->op, n->name, n->attrs, device->name, st) : NULL;
    if (!def && st->code == STATUS_NOT_FOUND)
        st->code = STATUS_INVALID_ARGUMENT; /* as TensorFlow's placer has it */
    if (k && n->origin)
        k->made_at = n->origin->made_at;
    if (!k)
        status_append(st, "\n\t [[{{node %s}}]]%s%s", n->name,
                      n->origin && n->origin->made_at ? " made at " : "",
                      n->origin && n->origin->made_at ? n->origin->made_at : "");
    return k;
}

static struct kernel *find_kernel(struct session *s, int64_t id)
{
    lock_take(&s->lock);
    struct kernel *k = id < s->num_kernels ? s->kernels[id] : NULL;
    lock_drop(&s->lock);
    return k;
}

/* Another thread may have made it meanwhile: the first one stays. */
static struct kernel *keep_kernel(struct session *s, int64_t id, struct kernel *k)
{
    lock_take(&s->lock);
    if (id >= s->num_kernels) {
        int64_t n = max_i64(id + 1, s->num_kernels * 2);
        s->kernels = mem_realloc(s->kernels, sizeof *s->kernels * (size_t)n);
        memset(s->kernels + s->num_kernels, 0, sizeof *s->kernels * (size_t)(n - s->num_kernels));
        s->num_kernels = n;
    }
    struct kernel *there = s->kernels[id];
    if (!there)
        s->kernels[id] = k;
    lock_drop(&s->lock);
    if (there)
        kernel_free(k);
    return there ? there : k;
}

struct kernel *plan_kernel(struct plan *p, struct rnode *n, const struct device *device,
                           struct status *st)
{
    struct session *s = p->session;
    bool shared = n->origin && !n->made && n->origin->graph == s->graph;
    if (shared && s->store && kernel_store_wants(n->op, n->attrs))
        return kernel_store_get(s->store, n, device, st);
    struct kernel *k = shared ? find_kernel(s, n->origin->id) : NULL;
    if (k)
        return k;
    k = kernel_for_node(n, device, st);
    if (!k)
        return NULL;
    if (shared)
        return keep_kernel(s, n->origin->id, k);
    int64_t cap = p->num_own_kernels;
    if ((cap & (cap - 1)) == 0) /* grows at powers of two */
        p->own_kernels =
            mem_realloc(p->own_kernels, sizeof *p->own_kernels * (size_t)(cap ? cap * 2 : 1));
    p->own_kernels[p->num_own_kernels++] = k;
    return k;
}

/* --- plans --- */

static uint64_t mix(uint64_t h, const void *p, int index)
{
    h ^= (uint64_t)(uintptr_t)p + (uint64_t)index * 0x9E3779B97F4A7C15u;
    h *= 0xFF51AFD7ED558CCDu;
    return h ^ (h >> 32);
}

/* What the step is asked to show. */
static struct str debug_of(const struct run_args *a)
{
    return a->options ? a->options->debug : (struct str){0};
}

static uint64_t signature_hash(const struct run_args *a)
{
    uint64_t h = 0x243F6A8885A308D3u;
    for (int i = 0; i < a->num_feeds; i++)
        h = mix(h, a->feeds[i].node, a->feeds[i].index);
    h = mix(h, NULL, 1);
    for (int i = 0; i < a->num_fetches; i++)
        h = mix(h, a->fetches[i].node, a->fetches[i].index);
    h = mix(h, NULL, 2);
    for (int i = 0; i < a->num_targets; i++)
        h = mix(h, a->targets[i], 0);
    struct str debug = debug_of(a);
    for (size_t i = 0; i < debug.n; i++)
        h = mix(h, NULL, (unsigned char)debug.p[i]);
    return mix(h, NULL, 3 + a->partial);
}

static bool same_outputs(const struct output *a, const struct output *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i].node != b[i].node || a[i].index != b[i].index)
            return false;
    }
    return true;
}

static bool same_signature(const struct plan_entry *e, const struct run_args *a)
{
    if (e->num_feeds != a->num_feeds || e->num_fetches != a->num_fetches ||
        e->num_targets != a->num_targets || e->partial != a->partial)
        return false;
    for (int i = 0; i < a->num_targets; i++) {
        if (e->targets[i] != a->targets[i])
            return false;
    }
    return str_eq(str_make(e->debug, e->debug_bytes), debug_of(a)) &&
           same_outputs(e->feeds, a->feeds, a->num_feeds) &&
           same_outputs(e->fetches, a->fetches, a->num_fetches);
}

static struct plan *find_plan(struct session *s, uint64_t hash, const struct run_args *a)
{
    struct plan *p = NULL;
    lock_take(&s->lock);
    for (struct plan_entry *e = u64map_find(&s->plans, hash); e && !p; e = e->next) {
        if (same_signature(e, a)) {
            e->used = ++s->clock;
            p = plan_ref(e->plan);
        }
    }
    lock_drop(&s->lock);
    return p;
}

/* Takes the least recently used plan out of the table. Under the lock; the caller frees it. */
static struct plan_entry *evict(struct session *s)
{
    struct plan_entry *oldest = NULL;
    uint64_t key;
    void *value;
    for (int64_t i = 0; u64map_next(&s->plans, &i, &key, &value);) {
        for (struct plan_entry *e = value; e; e = e->next) {
            if (!oldest || e->used < oldest->used)
                oldest = e;
        }
    }
    if (!oldest)
        return NULL;
    struct plan_entry *list = u64map_find(&s->plans, oldest->hash);
    if (list == oldest) {
        if (oldest->next)
            u64map_put(&s->plans, oldest->hash, oldest->next);
        else
            u64map_remove(&s->plans, oldest->hash);
    } else {
        while (list->next != oldest)
            list = list->next;
        list->next = oldest->next;
    }
    s->num_plans--;
    return oldest;
}

static void *copy_array(const void *p, size_t bytes)
{
    void *out = mem_alloc(bytes ? bytes : 1);
    if (bytes)
        memcpy(out, p, bytes);
    return out;
}

static void keep_plan(struct session *s, uint64_t hash, const struct run_args *a, struct plan *p)
{
    struct plan_entry *e = mem_new(struct plan_entry), *old = NULL;
    e->plan = plan_ref(p);
    e->hash = hash;
    e->num_feeds = a->num_feeds;
    e->num_fetches = a->num_fetches;
    e->num_targets = a->num_targets;
    e->partial = a->partial;
    e->debug_bytes = debug_of(a).n;
    e->debug = copy_array(debug_of(a).p, e->debug_bytes);
    e->feeds = copy_array(a->feeds, sizeof *a->feeds * (size_t)a->num_feeds);
    e->fetches = copy_array(a->fetches, sizeof *a->fetches * (size_t)a->num_fetches);
    e->targets = copy_array(a->targets, sizeof *a->targets * (size_t)a->num_targets);
    lock_take(&s->lock);
    if (s->num_plans >= s->config.max_plans)
        old = evict(s);
    e->used = ++s->clock;
    e->next = u64map_find(&s->plans, hash);
    u64map_put(&s->plans, hash, e);
    s->num_plans++;
    lock_drop(&s->lock);
    if (old)
        entry_free(old);
}

/* Every node of the graph must have a device that is there, needed or not, as it is placed once and
 * on the whole graph; not where placement is soft, or of pruned graphs only. */
static bool check_devices(struct session *s, struct status *st)
{
    if (s->config.soft_placement || s->config.place_pruned_graph)
        return true;
    lock_take(&s->lock);
    int64_t from = s->checked_nodes;
    lock_drop(&s->lock);
    lock_take(&s->graph->lock);
    int64_t to = s->graph->num_nodes;
    bool ok = true;
    for (int64_t i = from; ok && i < to; i++)
        ok = !s->graph->nodes[i]->device[0] || place_possible(s, s->graph->nodes[i], st);
    lock_drop(&s->graph->lock);
    lock_take(&s->lock);
    if (ok && s->checked_nodes < to)
        s->checked_nodes = to;
    lock_drop(&s->lock);
    return ok;
}

/* LEAT_DEBUG: what was decided for a signature. */
static void say_plan(const struct plan *p, const struct run_args *a)
{
    struct strbuf b = {0};
    for (int i = 0; i < p->num_parts; i++)
        strbuf_printf(&b, "%s %d steps on %s as a %s", i ? "," : ":", p->parts[i].num_steps,
                      p->parts[i].device->name, p->parts[i].tape ? "tape" : "flow");
    log_info("planned %d feeds, %d fetches, %d targets%s", a->num_feeds, a->num_fetches,
             a->num_targets, strbuf_text(&b));
    strbuf_release(&b);
}

struct plan *session_plan(struct session *s, const struct run_args *a, struct status *st)
{
    uint64_t hash = signature_hash(a);
    struct plan *p = find_plan(s, hash, a);
    if (p)
        return p;
    if (!check_devices(s, st))
        return NULL;
    struct pass_options passes = s->config.passes;
    passes.fuse &= !a->partial; /* what is fused gives all it gives at once */
    struct plan_request r = {.graph = s->graph,
                             .feeds = a->feeds,
                             .fetches = a->fetches,
                             .targets = a->targets,
                             .num_feeds = a->num_feeds,
                             .num_fetches = a->num_fetches,
                             .num_targets = a->num_targets,
                             .partial = a->partial,
                             .debug = debug_of(a),
                             .passes = &passes};
    p = plan_new(s, &r, st);
    if (p && log_debug_level() >= 1)
        say_plan(p, a);
    if (p)
        keep_plan(s, hash, a, p);
    return p;
}

/* --- steps --- */

struct step *session_step_take(struct session *s)
{
    lock_take(&s->lock);
    struct step *step = s->free_steps;
    if (step)
        s->free_steps = step->next;
    lock_drop(&s->lock);
    if (!step) {
        step = mem_new(struct step);
        step->resources = resource_map_new("");
    }
    step->env =
        (struct kernel_env){.pool = s->pool,
                            .cancel = s->cancel,
                            .collectives = collectives_offered(),
                            .step_resources = step->resources,
                            .container_resources = s->container,
                            .process_resources = s->process,
                            .step_id = __atomic_add_fetch(&s->next_step, 1, __ATOMIC_RELAXED),
                            .session_handle = s->handle,
                            .run_function = session_run_function,
                            .runtime = s};
    return step;
}

void session_step_give(struct session *s, struct step *step)
{
    resource_clear_container(step->resources, "");
    lock_take(&s->lock);
    step->next = s->free_steps;
    s->free_steps = step;
    lock_drop(&s->lock);
}

/* --- the run --- */

bool session_check_feeds(const struct output *feeds, const struct tensor *values, int n,
                         struct status *st)
{
    for (int i = 0; i < n; i++) {
        struct output o = feeds[i];
        int want = dtype_base(o.node->output_types[o.index]);
        if (values[i].dtype != want)
            return status_invalid(st, "feed of '%s:%d' is %s, the node's output is %s",
                                  o.node->name, o.index, dtype_name(values[i].dtype),
                                  dtype_name(want));
        struct shape s = output_shape(o);
        bool fits = shape_compatible(&s, &values[i].shape);
        if (!fits) {
            struct strbuf b = {0};
            shape_print(&values[i].shape, &b);
            strbuf_puts(&b, ", which does not fit its shape ");
            shape_print(&s, &b);
            status_invalid(st, "feed of '%s:%d' has shape %s", o.node->name, o.index,
                           strbuf_text(&b));
            strbuf_release(&b);
        }
        shape_clear(&s);
        if (!fits)
            return false;
    }
    return true;
}

static bool run_traced(struct session *s, struct plan *p, struct step *step,
                       const struct run_args *a, struct status *st)
{
    bool wanted = a->options && a->options->trace_level > 0 && a->metadata;
    bool traced = wanted || UNLIKELY(log_debug_level() >= 3);
    struct step_trace trace;
    if (traced)
        trace_init(&trace);
    bool ok = plan_run(p, &step->env, traced ? &trace : NULL, st);
    if (wanted)
        trace_metadata(&trace, p, a->metadata);
    if (traced)
        trace_release(&trace);
    (void)s;
    return ok;
}

static bool run_plan(struct session *s, struct plan *p, const struct run_args *a, struct status *st)
{
    struct step *step = session_step_take(s);
    struct kernel_env *env = &step->env;
    env->args = a->feed_values;
    env->num_args = a->num_feeds;
    env->retvals = a->fetch_values;
    env->num_retvals = a->num_fetches;
    int64_t timeout = a->options && a->options->timeout_ms > 0 ? a->options->timeout_ms
                                                               : s->config.operation_timeout_ms;
    bool own_cancel = timeout > 0 || p->num_parts > 1 || !p->parts[0].tape;
    struct timer *timer = NULL;
    if (own_cancel) {
        env->cancel = cancel_new(s->cancel);
        env->rendezvous = rendezvous_new();
    }
    if (timeout > 0)
        timer = timer_start(env->cancel, timeout);
    bool ok = run_traced(s, p, step, a, st);
    for (int i = 0; ok && i < a->num_fetches; i++)
        session_store_keep(step->resources, s->container, a->fetches[i].node->op->name,
                           &a->fetch_values[i]);
    timer_stop(timer);
    if (own_cancel) {
        cancel_unref(env->cancel);
        rendezvous_unref(env->rendezvous);
    }
    session_step_give(s, step);
    return ok;
}

/* The floating-point mode of a step also holds while a plan is made: passes run kernels. */
static bool run_counted(struct session *s, const struct run_args *a, struct status *st)
{
    uint64_t mode = cpu_float_mode_enter();
    struct plan *p = session_plan(s, a, st);
    bool ok = p && session_check_feeds(a->feeds, a->feed_values, a->num_feeds, st) &&
              run_plan(s, p, a, st);
    plan_unref(p);
    cpu_float_mode_restore(mode);
    return ok;
}

bool session_run(struct session *s, const struct run_args *a, struct status *st)
{
    for (int i = 0; i < a->num_fetches; i++)
        a->fetch_values[i] = (struct tensor){0};
    if (s->kind && debug_of(a).n > 0)
        return status_unimplemented(st, "debug_options of steps on a cluster");
    if (!session_enter(s, st))
        return false;
    bool ok = s->kind ? session_check_feeds(a->feeds, a->feed_values, a->num_feeds, st) &&
                            s->kind->run(s->remote, a, st)
                      : run_counted(s, a, st);
    session_leave(s);
    return ok;
}
