/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of graph nodes on the session's devices.
 *
 * Nodes that must stand together (reference edges, resource handles, _class) form groups, found
 * with a union-find over the nodes to be placed. A group stands where a member already stands, else
 * on the best device that fits every member's request and has a kernel for each. What was placed
 * stays (session->placed). */
#include "runtime/placer.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/session_impl.h"

struct place {
    struct session *s;
    struct rgraph *rg;
    int *group;                   /* union-find over rnode ids */
    const struct device **chosen; /* per group root */
};

static int root_of(struct place *p, int i)
{
    while (p->group[i] != i) {
        p->group[i] = p->group[p->group[i]];
        i = p->group[i];
    }
    return i;
}

static void join(struct place *p, int a, int b)
{
    a = root_of(p, a);
    b = root_of(p, b);
    if (a != b)
        p->group[a > b ? a : b] = a < b ? a : b;
}

static void join_class(struct place *p, const struct rnode *n)
{
    const struct attr_value *v = attrs_find(n->attrs, "_class");
    for (int64_t i = 0; v && v->is_list && v->kind == ATTR_STRING && i < v->n; i++) {
        struct str name = v->ss[i];
        if (!str_starts(name, "loc:@"))
            continue;
        struct rnode *to = strmap_find_n(&p->rg->names, name.p + 5, name.n - 5);
        if (to)
            join(p, n->id, to->id);
    }
}

static void join_groups(struct place *p)
{
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        const struct rnode *n = p->rg->nodes[i];
        join_class(p, n);
        for (int k = 0; k < n->num_inputs; k++) {
            int type = n->input_types[k];
            bool end = !n->origin || !n->inputs[k].node->origin; /* the client's */
            if (!end && (dtype_is_ref(type) || type == DT_RESOURCE))
                join(p, n->id, n->inputs[k].node->id);
        }
    }
}

static bool any_state(const int *types, int n)
{
    for (int i = 0; i < n; i++) {
        if (dtype_is_ref(types[i]) || types[i] == DT_RESOURCE)
            return true;
    }
    return false;
}

static bool reads_state(const struct rnode *n)
{
    return any_state(n->input_types, n->num_inputs);
}

/* Where state is, is for the node that makes it to say: what a node on it asks against that does
 * not count, as in TensorFlow. */
static bool follow_state(struct place *p, struct status *st)
{
    const struct rnode **owner = mem_new_array(const struct rnode *, p->rg->num_nodes + 1);
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        const struct rnode *n = p->rg->nodes[i];
        if (n->device[0] && any_state(n->output_types, n->num_outputs) && !reads_state(n))
            owner[root_of(p, n->id)] = n;
    }
    bool ok = true;
    for (int64_t i = 0; ok && i < p->rg->num_nodes; i++) {
        struct rnode *n = p->rg->nodes[i];
        const struct rnode *by = owner[root_of(p, n->id)];
        struct device_spec spec, at;
        if (!by || !n->device[0] || !reads_state(n))
            continue;
        ok = device_spec_parse(n->device, &spec, st) && device_spec_parse(by->device, &at, st);
        if (ok && !device_spec_compatible(&spec, &at)) {
            log_info("%s: asks for %s, but works on the state of %s, which is on %s", n->name,
                     n->device, by->name, by->device);
            n->device = "";
        }
    }
    mem_free(owner);
    return ok;
}

/* soft: any device of the task that was asked for. */
static bool wants(const struct rnode *n, const struct device *d, bool soft, struct status *st)
{
    struct device_spec spec, full;
    if (!device_spec_parse(n->device, &spec, st) || !device_spec_parse(d->name, &full, st))
        return false;
    if (soft) {
        spec.type[0] = 0;
        spec.index = -1;
    }
    return device_spec_matches(&spec, &full);
}

static bool has_kernel(const struct rnode *n, const struct device *d)
{
    if (n->op->function)
        return true;
    struct status st = {0};
    bool found = kernel_find(n->op, d->def->type, n->attrs, n->name, &st) != NULL;
    status_clear(&st);
    return found;
}

static bool fails_device(const struct session *s, const struct node *n, struct status *st)
{
    struct strbuf b = {0};
    for (int i = 0; i < s->num_devices; i++)
        strbuf_printf(&b, "%s%s", i ? ", " : "", s->devices[i].name);
    status_invalid(st,
                   "Cannot assign a device for operation %s: node %s was explicitly assigned to %s "
                   "but available devices are [ %s ]. Make sure the device specification refers to "
                   "a valid device.%s%s",
                   n->name, n->name, n->device, strbuf_text(&b), n->made_at ? " Made at " : "",
                   n->made_at ? n->made_at : "");
    strbuf_release(&b);
    return false;
}

bool place_possible(struct session *s, const struct node *n, struct status *st)
{
    struct device_spec spec, full;
    if (!device_spec_parse(n->device, &spec, st))
        return false;
    for (int i = 0; i < s->num_devices; i++) {
        if (device_spec_parse(s->devices[i].name, &full, st) && device_spec_matches(&spec, &full))
            return true;
    }
    return fails_device(s, n, st);
}

/* Whether every member of the group of `root` may stand on d. */
static bool fits(struct place *p, int root, const struct device *d, bool soft, struct status *st)
{
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        const struct rnode *n = p->rg->nodes[i];
        if (root_of(p, n->id) != root)
            continue;
        if (!wants(n, d, soft, st) || !has_kernel(n, d))
            return false;
    }
    return true;
}

static const struct device *choose(struct place *p, int root, bool soft, struct status *st)
{
    const struct device *best = NULL;
    for (int i = 0; i < p->s->num_devices; i++) {
        const struct device *d = &p->s->devices[i];
        if ((!best || d->def->priority > best->def->priority) && fits(p, root, d, soft, st))
            best = d;
    }
    return best;
}

/* Single nodes without a request are most of a graph: no group walk for them. */
static const struct device *choose_plain(struct place *p, const struct rnode *n, struct status *st)
{
    const struct device *best = NULL;
    for (int i = 0; i < p->s->num_devices; i++) {
        const struct device *d = &p->s->devices[i];
        if ((!best || d->def->priority > best->def->priority) &&
            (!n->device[0] || wants(n, d, false, st)))
            best = p->s->num_devices == 1 || has_kernel(n, d) ? d : best;
    }
    return best;
}

static bool place_one(struct place *p, const struct rnode *n, bool alone, struct status *st)
{
    int root = root_of(p, n->id);
    if (p->chosen[root])
        return true;
    const struct device *d = alone ? choose_plain(p, n, st) : choose(p, root, false, st);
    if (!d && status_ok(st) && p->s->config.soft_placement)
        d = choose(p, root, true, st);
    if (!d && status_ok(st)) {
        bool any = false;
        for (int i = 0; i < p->s->num_devices && !any; i++)
            any = wants(n, &p->s->devices[i], false, st);
        if (status_ok(st) && !any)
            return n->origin ? fails_device(p->s, n->origin, st)
                             : status_internal(st, "%s: no device", n->name);
        d = &p->s->devices[0]; /* the missing kernel is reported, with its types, when it is made */
    }
    p->chosen[root] = d;
    return status_ok(st);
}

static const struct device *placed_before(struct place *p, const struct rnode *n)
{
    struct session *s = p->s;
    if (!n->origin || n->origin->graph != s->graph)
        return NULL;
    return n->origin->id < s->num_placed ? s->placed[n->origin->id] : NULL;
}

static void remember(struct place *p, const struct rnode *n, const struct device *d)
{
    struct session *s = p->s;
    if (!n->origin || n->origin->graph != s->graph)
        return;
    int64_t id = n->origin->id;
    if (id >= s->num_placed) {
        int64_t count = max_i64(id + 1, s->num_placed * 2);
        s->placed = mem_realloc(s->placed, sizeof *s->placed * (size_t)count);
        memset(s->placed + s->num_placed, 0, sizeof *s->placed * (size_t)(count - s->num_placed));
        s->num_placed = count;
    }
    s->placed[id] = d;
}

static bool place_all(struct place *p, const int *members, struct status *st)
{
    lock_take(&p->s->lock);
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        const struct device *d = placed_before(p, p->rg->nodes[i]);
        if (d)
            p->chosen[root_of(p, (int)i)] = d;
    }
    lock_drop(&p->s->lock);
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        struct rnode *n = p->rg->nodes[i];
        bool alone = members[root_of(p, n->id)] == 1;
        bool feed = !n->origin; /* _Arg and _Retval stand on the client's device */
        if (feed)
            p->chosen[root_of(p, n->id)] = &p->s->devices[0];
        else if (!place_one(p, n, alone, st))
            return false;
    }
    lock_take(&p->s->lock);
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        struct rnode *n = p->rg->nodes[i];
        const struct device *d = p->chosen[root_of(p, n->id)];
        remember(p, n, d);
        if (p->s->config.log_placement && n->origin)
            log_info("%s: (%s): %s", n->name, n->op->name, d->name);
        n->device = d->name;
    }
    lock_drop(&p->s->lock);
    return true;
}

bool place_rgraph(struct session *s, struct rgraph *rg, struct status *st)
{
    struct place p = {.s = s, .rg = rg};
    p.group = mem_new_array(int, rg->num_nodes + 1);
    p.chosen = mem_new_array(const struct device *, rg->num_nodes + 1);
    int *members = mem_new_array(int, rg->num_nodes + 1);
    for (int64_t i = 0; i < rg->num_nodes; i++) {
        rg->nodes[i]->id = (int)i;
        p.group[i] = (int)i;
    }
    join_groups(&p);
    for (int64_t i = 0; i < rg->num_nodes; i++)
        members[root_of(&p, (int)i)]++;
    bool ok = follow_state(&p, st) && place_all(&p, members, st);
    mem_free(p.group);
    mem_free(p.chosen);
    mem_free(members);
    return ok;
}

static const struct device *same_name(struct device *devices, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(devices[i].name, name) == 0)
            return &devices[i];
    }
    return NULL;
}

void place_on_devices(struct session *s, struct device *devices, int n)
{
    const struct device **to = mem_new_array(const struct device *, s->num_devices + 1);
    for (int i = 0; i < s->num_devices; i++)
        to[i] = same_name(devices, n, s->devices[i].name);
    lock_take(&s->lock);
    for (int64_t i = 0; i < s->num_placed; i++) {
        if (s->placed[i])
            s->placed[i] = to[s->placed[i] - s->devices];
    }
    s->devices = devices;
    s->num_devices = n;
    lock_drop(&s->lock);
    mem_free(to);
}
