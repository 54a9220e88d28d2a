/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions with a grpc:// target: the graph is this process's, its master and all that runs are
 * elsewhere. Before each step the nodes that were made since the last one are sent, one sender at a
 * time; nothing is sent before the first. Values go and come by name, each name once. */
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "dist/remote_link.h"
#include "graph/function.h"
#include "graph/graphdef.h"
#include "runtime/session_kind.h"
#include "runtime/timer.h"

enum { CLOSE_TIMEOUT_MS = 10000 };

struct remote {
    struct graph *graph;         /* outlives it */
    const struct config *config; /* the same */
    struct link *link;
    struct cancel *cancel; /* fires at close */
    struct lock lock;
    struct cond changed;
    /* --- guarded by lock --- */
    char *handle;    /* NULL: nothing was sent yet */
    int64_t version; /* of the graph at the master */
    int64_t sent_nodes, sent_functions;
    bool sending, closed;
};

static void *remote_open(struct graph *g, const struct config *config, struct status *st)
{
    struct link *link = link_get(config->target, st);
    if (!link)
        return NULL;
    struct remote *r = mem_new(struct remote);
    r->graph = g;
    r->config = config;
    r->link = link;
    r->cancel = cancel_new(NULL);
    lock_init(&r->lock, "remote session", LOCK_RANK_SESSION + 1);
    cond_init(&r->changed);
    return r;
}

static void remote_free(void *s)
{
    struct remote *r = s;
    link_put(r->link);
    cancel_unref(r->cancel);
    mem_free(r->handle);
    cond_release(&r->changed);
    lock_release_memory(&r->lock);
    mem_free(r);
}

static bool remote_close(void *s, struct status *st)
{
    struct remote *r = s;
    cancel_fire(r->cancel, STATUS_CANCELLED, "Session was closed.");
    lock_take(&r->lock);
    r->closed = true;
    while (r->sending)
        cond_wait(&r->changed, &r->lock);
    char *handle = r->handle; /* steps that end meanwhile still name it */
    lock_drop(&r->lock);
    return !handle || link_close(r->link, handle, CLOSE_TIMEOUT_MS, st);
}

/* --- the graph at the master --- */

static int64_t count_nodes(struct graph *g)
{
    lock_take(&g->lock);
    int64_t n = g->num_nodes;
    lock_drop(&g->lock);
    return n;
}

/* The sender's turn; what it knows is the lock's holder's to write. */
static bool send_nodes(struct remote *r, struct cancel *cancel, struct status *st)
{
    struct arena a = {0};
    int64_t functions = graph_functions(r->graph, NULL, 0), to;
    struct pb_graph_def *def = graph_to_def_from(r->graph, r->sent_nodes, &a, &to);
    int64_t version = r->version;
    char *handle = NULL;
    bool ok;
    if (!r->handle) {
        handle = link_create(r->link, def, r->config, cancel, st);
        ok = handle != NULL;
    } else {
        ok = link_extend(r->link, r->handle, def, &version, cancel, st);
    }
    arena_release(&a);
    lock_take(&r->lock);
    if (ok) {
        r->handle = handle ? handle : r->handle;
        r->version = version;
        r->sent_nodes = to;
        r->sent_functions = functions;
    }
    lock_drop(&r->lock);
    return ok;
}

/* The master has the session and all nodes that are there now. */
static bool bring_up(struct remote *r, struct cancel *cancel, struct status *st)
{
    bool ok = true;
    int64_t nodes = count_nodes(r->graph), functions = graph_functions(r->graph, NULL, 0);
    lock_take(&r->lock);
    while (r->sending && !r->closed)
        cond_wait(&r->changed, &r->lock);
    bool there = r->handle && r->sent_nodes >= nodes && r->sent_functions >= functions;
    if (r->closed)
        ok = status_fail(st, STATUS_CANCELLED, "Session has been closed.");
    else
        r->sending = !there;
    lock_drop(&r->lock);
    if (!ok || there)
        return ok;
    ok = send_nodes(r, cancel, st);
    lock_take(&r->lock);
    r->sending = false;
    cond_broadcast(&r->changed);
    lock_drop(&r->lock);
    return ok;
}

/* --- names --- */

struct names { /* of a step, each once */
    struct arena arena;
    struct strmap numbers; /* name -> its number + 1 */
    struct wire_value *feeds;
    struct str *fetches, *targets;
    int64_t num_fetches, num_targets;
    int *fetch_of; /* which name each fetch is */
};

static struct str output_name(struct arena *a, struct output o)
{
    return str_of(arena_printf(a, "%s:%d", o.node->name, o.index));
}

static int64_t add_once(struct names *n, struct str *list, int64_t *num, struct str name)
{
    void *there = strmap_find(&n->numbers, name.p);
    if (there)
        return (int64_t)(uintptr_t)there - 1;
    list[(*num)++] = name;
    strmap_put(&n->numbers, name.p, (void *)(uintptr_t)*num);
    return *num - 1;
}

static void names_init(struct names *n, const struct run_args *a)
{
    *n = (struct names){0};
    n->feeds = arena_array(&n->arena, struct wire_value, a->num_feeds + 1);
    n->fetches = arena_array(&n->arena, struct str, a->num_fetches + 1);
    n->targets = arena_array(&n->arena, struct str, a->num_targets + 1);
    n->fetch_of = arena_array(&n->arena, int, a->num_fetches + 1);
    for (int i = 0; i < a->num_feeds; i++) {
        n->feeds[i].name = output_name(&n->arena, a->feeds[i]);
        if (a->feed_values)
            n->feeds[i].value = a->feed_values[i]; /* borrowed */
    }
    for (int i = 0; i < a->num_fetches; i++)
        n->fetch_of[i] =
            (int)add_once(n, n->fetches, &n->num_fetches, output_name(&n->arena, a->fetches[i]));
    strmap_release(&n->numbers);
    n->numbers = (struct strmap){0};
    for (int i = 0; i < a->num_targets; i++)
        (void)add_once(n, n->targets, &n->num_targets,
                       str_of(arena_strdup(&n->arena, a->targets[i]->name)));
}

static void names_release(struct names *n)
{
    strmap_release(&n->numbers);
    arena_release(&n->arena);
}

static struct tensor *find_value(const struct wire_values *values, int64_t hint, struct str name)
{
    if (hint < values->n && str_eq(values->v[hint].name, name))
        return &values->v[hint].value;
    for (int64_t i = 0; i < values->n; i++) {
        if (str_eq(values->v[i].name, name))
            return &values->v[i].value;
    }
    return NULL;
}

static bool hand_out(const struct names *n, const struct run_args *a,
                     const struct wire_values *values, struct status *st)
{
    bool ok = true;
    for (int i = 0; ok && i < a->num_fetches; i++) {
        struct str name = n->fetches[n->fetch_of[i]];
        struct tensor *v = find_value(values, n->fetch_of[i], name);
        int want = dtype_base(a->fetches[i].node->output_types[a->fetches[i].index]);
        if (!v)
            ok = status_internal(st, "the master gave no value for '%.*s'", (int)name.n, name.p);
        else if (v->dtype != want)
            ok = status_internal(st, "the master's value for '%.*s' is %s, not %s", (int)name.n,
                                 name.p, dtype_name(v->dtype), dtype_name(want));
        else
            a->fetch_values[i] = tensor_copy(v);
    }
    for (int i = 0; !ok && i < a->num_fetches; i++)
        tensor_clear(&a->fetch_values[i]);
    return ok;
}

static bool args_ok(const struct run_args *a, struct status *st)
{
    for (int i = 0; i < a->num_feeds; i++) {
        for (int k = 0; k < i; k++) {
            if (a->feeds[i].node == a->feeds[k].node && a->feeds[i].index == a->feeds[k].index)
                return status_invalid(st, "Duplicated feeds: '%s:%d' is fed twice",
                                      a->feeds[i].node->name, a->feeds[i].index);
        }
    }
    return true;
}

/* --- steps --- */

struct limit { /* the time a call has, as a cancellation */
    struct cancel *cancel;
    struct timer *timer;
};

static struct limit limit_start(struct remote *r, const struct run_options *o, int64_t patience_ms)
{
    struct limit l = {.cancel = cancel_new(r->cancel)};
    int64_t timeout = o && o->timeout_ms > 0 ? o->timeout_ms : r->config->operation_timeout_ms;
    if (timeout > 0)
        l.timer = timer_start(l.cancel, timeout + patience_ms);
    return l;
}

/* The master knows the limit too, and says when the step is over everywhere. */
static struct limit limit_of_step(struct remote *r, const struct run_options *o)
{
    return limit_start(r, o, link_patience_ms(r->link));
}

static void limit_stop(struct limit *l)
{
    timer_stop(l->timer);
    cancel_unref(l->cancel);
}

static bool run_step(struct remote *r, const char *partial, const struct run_args *a,
                     struct cancel *cancel, struct status *st)
{
    struct names n;
    struct wire_values values = {0};
    names_init(&n, a);
    struct link_step step = {.session = r->handle,
                             .feeds = n.feeds,
                             .num_feeds = a->num_feeds,
                             .fetches = n.fetches,
                             .num_fetches = n.num_fetches,
                             .targets = n.targets,
                             .num_targets = n.num_targets,
                             .partial = partial,
                             .options = a->options};
    bool ok = link_run(r->link, &step, cancel, &n.arena, &values, a->metadata, st) &&
              hand_out(&n, a, &values, st);
    wire_values_clear(&values);
    names_release(&n);
    return ok;
}

static bool remote_run(void *s, const struct run_args *a, struct status *st)
{
    struct remote *r = s;
    struct limit l = limit_start(r, a->options, 0);
    bool ok = args_ok(a, st) && bring_up(r, l.cancel, st);
    limit_stop(&l);
    if (!ok)
        return false;
    l = limit_of_step(r, a->options);
    ok = run_step(r, NULL, a, l.cancel, st);
    limit_stop(&l);
    return ok;
}

static char *remote_partial_setup(void *s, const struct run_args *a, struct status *st)
{
    struct remote *r = s;
    struct names n;
    struct limit l = limit_start(r, NULL, 0);
    char *handle = NULL;
    names_init(&n, a);
    if (args_ok(a, st) && bring_up(r, l.cancel, st)) {
        struct link_step step = {.session = r->handle,
                                 .feeds = n.feeds,
                                 .num_feeds = a->num_feeds,
                                 .fetches = n.fetches,
                                 .num_fetches = n.num_fetches,
                                 .targets = n.targets,
                                 .num_targets = n.num_targets};
        handle = link_partial_setup(r->link, &step, l.cancel, st);
    }
    names_release(&n);
    limit_stop(&l);
    return handle;
}

static bool remote_partial_run(void *s, const char *handle, const struct run_args *a,
                               struct status *st)
{
    struct remote *r = s;
    struct limit l = limit_of_step(r, NULL);
    bool ok = false;
    if (!handle || !r->handle)
        status_invalid(st, "Must run 'setup' before performing partial runs.");
    else
        ok = args_ok(a, st) && run_step(r, handle, a, l.cancel, st);
    limit_stop(&l);
    return ok;
}

/* --- devices and containers --- */

static void add_devices(const struct pb_device_attributes_vec *from,
                        struct session_device_info *out, int *n)
{
    for (int64_t i = 0; i < from->n; i++) {
        const struct pb_device_attributes *d = from->v[i];
        out[(*n)++] = (struct session_device_info){
            mem_strndup(d->name.n ? d->name.p : "", d->name.n),
            mem_strndup(d->device_type.n ? d->device_type.p : "", d->device_type.n),
            d->memory_limit, d->incarnation};
    }
}

static bool remote_devices(void *s, struct session_device_info **out, int *n, struct status *st)
{
    struct remote *r = s;
    struct arena a = {0};
    struct pb_list_devices_response *all;
    struct limit l = limit_start(r, NULL, 0);
    bool ok = bring_up(r, l.cancel, st) && link_devices(r->link, r->handle, l.cancel, &a, &all, st);
    if (ok) {
        *out = mem_new_array(struct session_device_info,
                             all->local_device.n + all->remote_device.n + 1);
        add_devices(&all->local_device, *out, n);
        add_devices(&all->remote_device, *out, n);
    }
    limit_stop(&l);
    arena_release(&a);
    return ok;
}

static bool remote_reset(const struct config *config, const char *const *containers, int n,
                         struct status *st)
{
    struct link *l = link_get(config->target, st);
    bool ok = l && link_reset(l, containers, n, config, st);
    link_put(l);
    return ok;
}

SESSION_KIND_DEF(remote) = {
    .prefix = "grpc://",
    .open = remote_open,
    .free = remote_free,
    .close = remote_close,
    .run = remote_run,
    .partial_setup = remote_partial_setup,
    .partial_run = remote_partial_run,
    .devices = remote_devices,
    .reset = remote_reset,
};
