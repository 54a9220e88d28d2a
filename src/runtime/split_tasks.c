/* SPDX-License-Identifier: Apache-2.0 */
/* A signature's graph cut by task: pruned, placed over the devices of all tasks, partitioned with a
 * task's devices as one group, and each part written as a GraphDef with full device names and the
 * functions it calls.
 *
 * A feed is received by each task that reads it, on the task's first device; a fetch is sent from
 * the device that makes it. Both ends of such a transfer are that one device, as a task of
 * TensorFlow's refuses keys of devices that are not its own. */
#include "runtime/split_tasks.h"

#include <string.h>

#include "base/mem.h"
#include "graph/function.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"
#include "runtime/partition.h"
#include "runtime/placer.h"
#include "runtime/prune.h"
#include "runtime/session_impl.h"

struct cutter {
    const struct split_request *r;
    struct task_split *out;
    struct rgraph *rg;
    struct rnode **feeds, **fetches; /* client ends, per signature entry */
};

static const struct device *device_of(const struct cutter *c, const struct rnode *n)
{
    const struct session *s = c->r->planner;
    for (int i = 0; i < s->num_devices; i++) {
        if (n->device == s->devices[i].name || strcmp(n->device, s->devices[i].name) == 0)
            return &s->devices[i];
    }
    return &s->devices[0];
}

static int task_of(const struct cutter *c, const struct device *d)
{
    return c->r->task_of[d - c->r->planner->devices];
}

static const struct device *first_device(const struct cutter *c, int task)
{
    const struct session *s = c->r->planner;
    for (int i = 0; i < s->num_devices; i++) {
        if (c->r->task_of[i] == task)
            return &s->devices[i];
    }
    return &s->devices[0];
}

/* --- what must be known first --- */

/* Tasks that are not known are taken to have CPU:0 alone. */
static bool is_guess(const struct device_spec *spec)
{
    return (!spec->type[0] || strcmp(spec->type, "CPU") == 0) && spec->index <= 0;
}

/* Nodes that ask for another device of a task that is not known: it is asked before it is placed.
 */
static bool find_unknown_devices(struct cutter *c, bool *again, struct status *st)
{
    const struct session *s = c->r->planner;
    for (int64_t i = 0; i < c->rg->num_nodes; i++) {
        struct device_spec spec, full;
        if (!c->rg->nodes[i]->device[0])
            continue;
        if (!device_spec_parse(c->rg->nodes[i]->device, &spec, st))
            return false;
        if (is_guess(&spec) || !spec.job[0])
            continue;
        spec.type[0] = 0;
        spec.index = -1;
        for (int d = 0; d < s->num_devices; d++) {
            int task = c->r->task_of[d];
            if (c->r->known[task] || !device_spec_parse(s->devices[d].name, &full, st) ||
                !device_spec_matches(&spec, &full))
                continue;
            c->out->missing[task] = *again = true;
        }
    }
    return status_ok(st);
}

/* Whether a node's task is there but not known, so that it may have the device. */
static bool may_have(const struct cutter *c, const struct node *n)
{
    const struct session *s = c->r->planner;
    struct status ignored = {0};
    struct device_spec spec, full;
    bool may = false;
    if (device_spec_parse(n->device, &spec, &ignored)) {
        spec.type[0] = 0;
        spec.index = -1;
        for (int d = 0; d < s->num_devices && !may; d++)
            may = !c->r->known[c->r->task_of[d]] &&
                  device_spec_parse(s->devices[d].name, &full, &ignored) &&
                  device_spec_matches(&spec, &full);
    }
    status_clear(&ignored);
    return may;
}

/* Every node of the graph must have a device, needed or not, as sessions in one process ask it. */
static bool check_graph(struct cutter *c, struct status *st)
{
    struct session *s = c->r->planner;
    struct graph *g = c->r->what->graph;
    bool ok = true;
    if (s->config.soft_placement || s->config.place_pruned_graph)
        return true;
    lock_take(&g->lock);
    int64_t i = s->checked_nodes;
    for (; ok && i < g->num_nodes; i++)
        ok = !g->nodes[i]->device[0] || may_have(c, g->nodes[i]) ||
             place_possible(s, g->nodes[i], st);
    if (ok)
        s->checked_nodes = i; /* one plan at a time is cut */
    lock_drop(&g->lock);
    return ok;
}

static void find_unknown_tasks(struct cutter *c, bool *again)
{
    for (int64_t i = 0; i < c->rg->num_nodes; i++) {
        int task = task_of(c, device_of(c, c->rg->nodes[i]));
        if (!c->r->known[task])
            c->out->missing[task] = *again = true;
    }
}

/* --- the client's ends --- */

static bool is_client_end(const struct rnode *n)
{
    return !n->origin && n->keep && attrs_find(n->attrs, "client_terminated");
}

static void find_ends(struct cutter *c)
{
    int num_feeds = 0, num_fetches = 0;
    for (int64_t i = 0; i < c->rg->num_nodes; i++) {
        struct rnode *n = c->rg->nodes[i];
        if (!is_client_end(n))
            continue;
        if (n->num_inputs == 0)
            c->feeds[num_feeds++] = n; /* in the order of the signature, as prune makes them */
        else
            c->fetches[num_fetches++] = n;
    }
}

static void set_end(struct cutter *c, struct rnode *n, const struct device *d)
{
    struct attrs a = attrs_dup(n->attrs);
    attrs_set(&a, "send_device", attr_string(str_of(d->name)));
    attrs_set(&a, "recv_device", attr_string(str_of(d->name)));
    attrs_set(&a, "send_device_incarnation", attr_int((int64_t)d->incarnation));
    rgraph_set_attrs(c->rg, n, &a);
    attrs_clear(&a);
    n->device = d->name;
}

static const char *end_key(struct cutter *c, const struct rnode *n, const struct device *d)
{
    struct str name = attrs_string(n->attrs, "tensor_name");
    return arena_printf(&c->out->arena, "%s;%016llx;%s;%.*s;0:0", d->name,
                        (unsigned long long)d->incarnation, d->name, (int)name.n, name.p);
}

static void add_feed_end(struct cutter *c, struct rnode *n, int index, int task)
{
    const struct device *d = first_device(c, task);
    set_end(c, n, d);
    c->out->feeds[c->out->num_feeds++] =
        (struct task_end){.part = task, .index = index, .key = end_key(c, n, d)};
}

/* Another receiver of the same feed, for another task. */
static struct rnode *end_copy(struct cutter *c, const struct rnode *n, struct status *st)
{
    struct rnode *copy = rgraph_add(c->rg, n->name, n->op, n->attrs, NULL, 0, st);
    if (copy)
        copy->keep = true;
    return copy;
}

/* One receiver per task that reads the feed; who reads it reads that of its own task. */
static bool place_feed(struct cutter *c, int index, const struct rconsumers *readers,
                       struct rnode **by_task, struct status *st)
{
    struct rnode *feed = c->feeds[index];
    int64_t begin = readers->begin[feed->id], end = readers->begin[feed->id + 1];
    memset(by_task, 0, sizeof(struct rnode *) * (size_t)c->r->num_tasks);
    for (int64_t i = begin; i < end; i++) {
        struct rnode *reader = readers->node[i];
        int task = task_of(c, device_of(c, reader));
        if (!by_task[task]) {
            by_task[task] = i == begin ? feed : end_copy(c, feed, st);
            if (!by_task[task])
                return false;
            add_feed_end(c, by_task[task], index, task);
        }
        if (readers->input[i] >= 0)
            reader->inputs[readers->input[i]].node = by_task[task];
    }
    if (begin == end)
        rgraph_drop(c->rg, feed);
    return true;
}

static bool place_ends(struct cutter *c, struct status *st)
{
    int n = c->r->what->num_feeds;
    struct rnode **by_task = mem_new_array(struct rnode *, c->r->num_tasks + 1);
    struct rconsumers readers = rgraph_consumers(c->rg);
    bool ok = true;
    c->out->feeds = arena_array(&c->out->arena, struct task_end, (int64_t)n * c->r->num_tasks + 1);
    for (int i = 0; ok && i < n; i++)
        ok = place_feed(c, i, &readers, by_task, st);
    mem_free(by_task);
    c->out->num_fetches = c->r->what->num_fetches;
    c->out->fetches = arena_array(&c->out->arena, struct task_end, c->out->num_fetches + 1);
    for (int i = 0; ok && i < c->out->num_fetches; i++) {
        const struct device *d = device_of(c, c->fetches[i]->inputs[0].node);
        set_end(c, c->fetches[i], d);
        c->out->fetches[i] = (struct task_end){
            .part = task_of(c, d), .index = i, .key = end_key(c, c->fetches[i], d)};
    }
    return ok;
}

/* --- functions that a part calls --- */

struct callees {
    struct graph *library;
    struct strmap seen; /* name -> itself */
    struct strbuf first;
    struct function **stack;
    int64_t n, cap;
    struct pb_function_def_library *out;
    struct arena *arena;
};

static void call(struct callees *l, struct str name)
{
    char *text = mem_strndup(name.p ? name.p : "", name.n);
    struct function *f = strmap_has(&l->seen, text) ? NULL : graph_function(l->library, text);
    if (f) {
        strmap_put(&l->seen, text, l);
        l->stack = vec_reserve(l->stack, &l->cap, l->n + 1, sizeof *l->stack);
        l->stack[l->n++] = f;
    }
    mem_free(text);
}

static void call_attr(struct callees *l, const struct pb_attr_value *v)
{
    const struct pb_attr_value_list_value *list = v->which_value == 1 ? v->list : NULL;
    if (v->which_value == 10 && v->func)
        call(l, v->func->name);
    for (int64_t i = 0; list && i < list->func.n; i++)
        call(l, list->func.v[i]->name);
}

static void call_node(struct callees *l, const struct pb_node_def *n)
{
    call(l, n->op);
    for (int64_t i = 0; i < n->attr.n; i++) {
        if (n->attr.v[i]->value)
            call_attr(l, n->attr.v[i]->value);
    }
}

static void add_function(struct callees *l, const struct function *f)
{
    for (int64_t i = 0; i < f->def->node_def.n; i++)
        call_node(l, f->def->node_def.v[i]);
    struct pb_function_def_vec *v = &l->out->function;
    if (v->n == v->cap) {
        int64_t cap = v->cap ? v->cap * 2 : 8;
        struct pb_function_def **grown = arena_array(l->arena, struct pb_function_def *, cap);
        if (v->n)
            memcpy(grown, v->v, sizeof *grown * (size_t)v->n);
        v->v = grown;
        v->cap = cap;
    }
    v->v[v->n++] = f->def; /* lives as long as the library, which the session's graph holds */
    if (!f->grad_name)
        return;
    struct pb_gradient_def *g = pb_gradient_def_add(l->arena, &l->out->gradient);
    pb_set_str(l->arena, &g->function_name, f->name);
    pb_set_str(l->arena, &g->gradient_func, f->grad_name);
    call(l, str_of(f->grad_name));
}

static void add_library(struct cutter *c, struct pb_graph_def *g)
{
    struct callees l = {.library = c->r->what->graph, .arena = &c->out->arena};
    l.out = pb_function_def_library_new(l.arena);
    for (int64_t i = 0; i < g->node.n; i++)
        call_node(&l, g->node.v[i]);
    while (l.n > 0)
        add_function(&l, l.stack[--l.n]);
    if (l.out->function.n > 0)
        g->library = l.out;
    strmap_release(&l.seen);
    mem_free(l.stack);
}

/* --- writing --- */

static void add_input(struct arena *a, struct pb_node_def *d, const char *format, const char *name,
                      int index)
{
    pb_add_str(a, &d->input, str_of(arena_printf(a, format, name, index)));
}

static void write_node(struct arena *a, const struct rnode *n, struct pb_node_def *d)
{
    pb_set_str(a, &d->name, n->name);
    pb_set_str(a, &d->op, n->op->name);
    pb_set_str(a, &d->device, n->device);
    for (int i = 0; i < n->num_inputs; i++)
        add_input(a, d, n->inputs[i].index ? "%s:%d" : "%s", n->inputs[i].node->name,
                  n->inputs[i].index);
    for (int64_t i = 0; i < n->num_control; i++)
        add_input(a, d, "^%s", n->control[i]->name, 0);
    for (int64_t i = 0; i < n->attrs->n; i++) {
        struct pb_node_def_attr_entry *e = pb_node_def_attr_entry_add(a, &d->attr);
        pb_set_str(a, &e->key, n->attrs->items[i].name);
        e->value = attr_to_proto(a, &n->attrs->items[i].value);
    }
}

static void write_parts(struct cutter *c, const struct partition *parts)
{
    struct arena *a = &c->out->arena;
    const struct graph *g = c->r->what->graph;
    c->out->num_parts = parts->num_parts;
    c->out->parts = arena_array(a, struct task_part, parts->num_parts + 1);
    for (int i = 0; i < parts->num_parts; i++) {
        c->out->parts[i] =
            (struct task_part){.task = task_of(c, parts->devices[i]), .graph = pb_graph_def_new(a)};
        c->out->parts[i].graph->versions = pb_version_def_new(a);
        c->out->parts[i].graph->versions->producer = g->producer;
        c->out->parts[i].graph->versions->min_consumer = g->min_consumer;
    }
    for (int64_t i = 0; i < c->rg->num_nodes; i++)
        write_node(a, c->rg->nodes[i],
                   pb_node_def_add(a, &c->out->parts[parts->part_of[i]].graph->node));
    for (int i = 0; i < parts->num_parts; i++)
        add_library(c, c->out->parts[i].graph);
}

/* Ends know their tasks; here they learn the parts. */
static void number_ends(struct task_split *t)
{
    for (int i = 0; i < t->num_feeds + t->num_fetches; i++) {
        struct task_end *e = i < t->num_feeds ? &t->feeds[i] : &t->fetches[i - t->num_feeds];
        int task = e->part;
        for (int k = 0; k < t->num_parts; k++) {
            if (t->parts[k].task == task)
                e->part = k;
        }
    }
}

static bool cut(struct cutter *c, struct status *st)
{
    struct partition parts = {0};
    struct device_groups groups = {c->r->task_of, c->r->next_name, c->r->bfloat16};
    bool ok = place_ends(c, st);
    if (ok) {
        rgraph_compact(c->rg); /* of graphs that no pass has touched this drops feeds only */
        ok = partition_by_group(c->r->planner, c->rg, &groups, &parts, st);
    }
    if (ok) {
        write_parts(c, &parts);
        number_ends(c->out);
    }
    partition_clear(&parts);
    return ok;
}

bool split_tasks(const struct split_request *r, struct task_split *out, bool *again,
                 struct status *st)
{
    struct plan_request what = *r->what;
    what.named_ends = true;
    *out = (struct task_split){0};
    *again = false;
    out->missing = arena_array(&out->arena, bool, r->num_tasks + 1);
    struct cutter c = {.r = r, .out = out, .rg = rgraph_new(what.graph)};
    c.feeds = mem_new_array(struct rnode *, what.num_feeds + 1);
    c.fetches = mem_new_array(struct rnode *, what.num_fetches + 1);
    bool ok = check_graph(&c, st) && prune(c.rg, &what, st) && find_unknown_devices(&c, again, st);
    if (ok && !*again) {
        find_ends(&c);
        ok = place_rgraph(r->planner, c.rg, st);
        if (ok)
            find_unknown_tasks(&c, again);
        ok = ok && (*again || cut(&c, st));
    }
    mem_free(c.feeds);
    mem_free(c.fetches);
    out->rgraph = c.rg;
    if (!ok)
        task_split_release(out);
    return ok;
}

void task_split_release(struct task_split *t)
{
    rgraph_free(t->rgraph);
    arena_release(&t->arena);
    *t = (struct task_split){0};
}
