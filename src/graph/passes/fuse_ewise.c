/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion of elementwise ops: trees of nodes whose kernels offer tile functions become one node.
 *
 * From each possible root upwards, producers join while all that reads them is inside already: so
 * nothing outside sees a result in between, and no cycle can come to be. Joined are nodes of one
 * type (float or double), frame and device, without state, control inputs, references or
 * protection; only the root may be fetched. The kernel (ops/math/fused.c) finds the shapes when it
 * runs. Linear in the graph but for the bounded size of a tree squared. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass.h"
#include "op/kernel.h"

enum { MAX_NODES = 48, MAX_INPUTS = 32, MAX_ARGS = 3 }; /* the kernel's limits */

struct fuse {
    struct rgraph *g;
    struct rconsumers consumers;
    struct rnode **order;
    int64_t num_nodes;   /* before the pass added any */
    int *position;       /* per node: in order */
    bool *fusable;       /* per node */
    int *tree;           /* per node: the root's id + 1 of the tree that has it; 0: none */
    struct rnode **with; /* per node: what replaced it as a root */
};

/* --- which nodes --- */

static bool cpu_device(const char *name)
{
    const char *at = strstr(name, "/device:");
    return name[0] == '\0' || (at && strncmp(at + 8, "CPU:", 4) == 0);
}

static bool plain_inputs(const struct rnode *n, int dtype)
{
    for (int i = 0; i < n->num_inputs; i++) {
        struct redge e = n->inputs[i];
        if (n->input_types[i] != dtype || e.node->output_types[e.index] != dtype)
            return false;
    }
    return true;
}

static bool is_fusable(const struct rnode *n)
{
    if (n->dropped || n->num_control > 0 || n->num_outputs != 1 || n->num_inputs < 1 ||
        n->num_inputs > MAX_ARGS || n->op->function || n->op->def->flags & OP_STATEFUL)
        return false;
    int dtype = n->output_types[0];
    if ((dtype != DT_FLOAT && dtype != DT_DOUBLE) || !plain_inputs(n, dtype) ||
        !cpu_device(n->device))
        return false;
    struct status st = {0};
    const struct kernel_def *def = kernel_find(n->op, "CPU", n->attrs, n->name, &st);
    status_clear(&st);
    if (!def || !def->ewise || !def->ewise(dtype))
        return false;
    return !(def->flags & KERNEL_BIAS) || !str_is(attrs_string(n->attrs, "data_format"), "NCHW");
}

/* What is known to be smaller than its consumer is better computed by itself. */
static bool shapes_suit(const struct rnode *producer, const struct rnode *consumer)
{
    const struct shape *p = &producer->shapes[0], *c = &consumer->shapes[0];
    if (!shape_known(p))
        return true;
    return shape_known(c) ? shape_equal(p, c) : p->rank > 0;
}

/* --- one tree --- */

struct tree {
    struct rnode *root;
    struct rnode *nodes[MAX_NODES]; /* descending positions */
    int num_nodes;
    struct rnode *open[MAX_NODES * MAX_ARGS]; /* producers not yet looked at */
    int num_open;
};

static bool all_readers_inside(const struct fuse *f, const struct rnode *p, int mark)
{
    int64_t begin = f->consumers.begin[p->id], end = f->consumers.begin[p->id + 1];
    for (int64_t k = begin; k < end; k++) {
        const struct rnode *c = f->consumers.node[k];
        if (f->consumers.input[k] < 0 || f->tree[c->id] != mark || !shapes_suit(p, c))
            return false;
    }
    return true;
}

static bool may_join(const struct fuse *f, const struct rnode *p, const struct rnode *root)
{
    return p->id < f->num_nodes && f->fusable[p->id] && f->tree[p->id] == 0 && !p->keep &&
           p->frame == root->frame && p->output_types[0] == root->output_types[0] &&
           strcmp(p->device, root->device) == 0 && all_readers_inside(f, p, root->id + 1);
}

static void open_inputs(struct tree *t, const struct rnode *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        bool there = false;
        for (int k = 0; k < t->num_open; k++)
            there = there || t->open[k] == n->inputs[i].node;
        if (!there)
            t->open[t->num_open++] = n->inputs[i].node;
    }
}

static int64_t position_of(const struct fuse *f, const struct rnode *n)
{
    return n->id < f->num_nodes ? f->position[n->id] : -1;
}

/* The last one in topological order: whatever of the tree reads it has joined by then. */
static struct rnode *take_open(const struct fuse *f, struct tree *t)
{
    int best = 0;
    for (int i = 1; i < t->num_open; i++) {
        if (position_of(f, t->open[i]) > position_of(f, t->open[best]))
            best = i;
    }
    struct rnode *n = t->open[best];
    t->open[best] = t->open[--t->num_open];
    return n;
}

static int find_edge(const struct redge *edges, int n, struct redge e)
{
    for (int i = 0; i < n; i++) {
        if (edges[i].node == e.node && edges[i].index == e.index)
            return i;
    }
    return -1;
}

/* Edges into the tree, each once; -1: too many. */
static int outer_edges(const struct fuse *f, const struct tree *t, struct redge *edges)
{
    int n = 0, mark = t->root->id + 1;
    for (int i = t->num_nodes - 1; i >= 0; i--) {
        for (int k = 0; k < t->nodes[i]->num_inputs; k++) {
            struct redge e = t->nodes[i]->inputs[k];
            bool inner = e.node->id < f->num_nodes && f->tree[e.node->id] == mark;
            if (inner || find_edge(edges, n, e) >= 0)
                continue;
            if (n == MAX_INPUTS)
                return -1;
            edges[n++] = e;
        }
    }
    return n;
}

static void join(struct fuse *f, struct tree *t, struct rnode *n)
{
    f->tree[n->id] = t->root->id + 1;
    t->nodes[t->num_nodes++] = n;
    open_inputs(t, n);
}

static void grow(struct fuse *f, struct tree *t)
{
    struct redge edges[MAX_INPUTS];
    join(f, t, t->root);
    while (t->num_open > 0 && t->num_nodes < MAX_NODES) {
        struct rnode *p = take_open(f, t);
        if (!may_join(f, p, t->root))
            continue;
        join(f, t, p);
        if (outer_edges(f, t, edges) < 0) { /* this one was too many */
            t->num_nodes--;
            f->tree[p->id] = 0;
            return;
        }
    }
}

/* Results are computed shortly before they are read: a tree's nodes in the order of a walk that
 * finishes operands first. */
static void sort_nodes(const struct fuse *f, struct tree *t)
{
    struct {
        struct rnode *node;
        int next;
    } stack[MAX_NODES];
    struct rnode *sorted[MAX_NODES];
    bool seen[MAX_NODES] = {false};
    int depth = 0, n = 0, mark = t->root->id + 1;
    stack[depth++].node = t->root;
    stack[0].next = 0;
    while (depth > 0) {
        struct rnode *r = stack[depth - 1].node;
        if (stack[depth - 1].next == r->num_inputs) {
            sorted[n++] = r;
            depth--;
            continue;
        }
        struct rnode *p = r->inputs[stack[depth - 1].next++].node;
        int at = -1;
        for (int i = 0; i < t->num_nodes && p->id < f->num_nodes && f->tree[p->id] == mark; i++)
            at = t->nodes[i] == p ? i : at;
        if (at < 0 || seen[at])
            continue;
        seen[at] = true;
        stack[depth].node = p;
        stack[depth++].next = 0;
    }
    ASSERT(n == t->num_nodes);
    memcpy(t->nodes, sorted, sizeof sorted[0] * (size_t)n);
}

/* --- the node that replaces it --- */

static struct attr_value node_value(const struct rnode *n)
{
    struct attrs kept = {0};
    for (int64_t i = 0; i < n->attrs->n; i++) {
        const struct attr *a = &n->attrs->items[i];
        if (a->name[0] != '_' || strcmp(a->name, "_kernel") == 0)
            attrs_set(&kept, a->name, attr_value_dup(&a->value));
    }
    struct attr_value v = attr_func(n->op->name, &kept);
    attrs_clear(&kept);
    return v;
}

static struct str place_of(const struct rnode *n)
{
    return n->origin && n->origin->made_at ? str_of(n->origin->made_at) : (struct str){0};
}

static void set_nodes(const struct tree *t, struct attrs *attrs)
{
    struct attr_value values[MAX_NODES];
    struct attr_func *funcs[MAX_NODES];
    struct str names[MAX_NODES], made[MAX_NODES];
    for (int i = 0; i < t->num_nodes; i++) {
        values[i] = node_value(t->nodes[i]);
        funcs[i] = values[i].func;
        names[i] = str_of(t->nodes[i]->name);
        made[i] = place_of(t->nodes[i]);
    }
    attrs_set(attrs, "nodes", attr_list(ATTR_FUNC, funcs, t->num_nodes));
    attrs_set(attrs, "names", attr_list(ATTR_STRING, names, t->num_nodes));
    attrs_set(attrs, "made", attr_list(ATTR_STRING, made, t->num_nodes));
    for (int i = 0; i < t->num_nodes; i++)
        attr_value_clear(&values[i]);
}

static void set_operands(const struct tree *t, const struct redge *edges, int num_edges,
                         struct attrs *attrs)
{
    int64_t operands[MAX_NODES * MAX_ARGS], n = 0;
    for (int i = 0; i < t->num_nodes; i++) {
        for (int k = 0; k < t->nodes[i]->num_inputs; k++) {
            struct redge e = t->nodes[i]->inputs[k];
            int at = find_edge(edges, num_edges, e);
            for (int j = 0; j < i && at < 0; j++)
                at = t->nodes[j] == e.node ? num_edges + j : -1;
            operands[n++] = at;
        }
    }
    attrs_set(attrs, "operands", attr_list(ATTR_INT, operands, n));
}

static bool replace(struct fuse *f, struct tree *t, struct status *st)
{
    struct redge edges[MAX_INPUTS];
    struct rnode *root = t->root;
    sort_nodes(f, t);
    int n = 0;
    for (int i = 0; i < t->num_nodes; i++) { /* outer_edges, in the new order */
        for (int k = 0; k < t->nodes[i]->num_inputs; k++) {
            struct redge e = t->nodes[i]->inputs[k];
            bool inner = e.node->id < f->num_nodes && f->tree[e.node->id] == root->id + 1;
            if (!inner && find_edge(edges, n, e) < 0)
                edges[n++] = e;
        }
    }
    const struct op *op = op_get("_FusedEwise", st);
    if (!op)
        return false;
    struct attrs attrs = {0};
    set_nodes(t, &attrs);
    set_operands(t, edges, n, &attrs);
    attrs_set(&attrs, "T", attr_type(root->output_types[0]));
    attrs_set(&attrs, "N", attr_int(n));
    rgraph_drop(f->g, root); /* its name is the new node's */
    struct rnode *fused = rgraph_add(f->g, root->name, op, &attrs, edges, n, st);
    attrs_clear(&attrs);
    if (!fused)
        return false;
    fused->device = root->device;
    fused->origin = root->origin;
    fused->frame = root->frame;
    fused->shapes = root->shapes;
    fused->keep = root->keep;
    f->with[root->id] = fused;
    for (int i = 0; i < t->num_nodes; i++) {
        if (t->nodes[i] != root)
            rgraph_drop(f->g, t->nodes[i]);
        t->nodes[i]->keep = false;
    }
    root->name = arena_printf(&f->g->arena, "%s/unfused", root->name);
    return true;
}

/* --- the pass --- */

static void reconnect(struct fuse *f)
{
    for (int64_t i = 0; i < f->g->num_nodes; i++) {
        struct rnode *n = f->g->nodes[i];
        for (int k = 0; k < n->num_inputs; k++) {
            int id = n->inputs[k].node->id;
            if (id < f->num_nodes && f->with[id])
                n->inputs[k].node = f->with[id];
        }
        for (int64_t k = 0; k < n->num_control; k++) {
            int id = n->control[k]->id;
            if (id < f->num_nodes && f->with[id])
                n->control[k] = f->with[id];
        }
    }
}

static bool fuse_all(struct fuse *f, struct status *st)
{
    for (int64_t i = 0; i < f->num_nodes && f->order[i]; i++) {
        f->position[f->order[i]->id] = (int)i;
        f->fusable[f->order[i]->id] = is_fusable(f->order[i]);
    }
    for (int64_t i = f->num_nodes - 1; i >= 0; i--) {
        struct rnode *r = f->order[i];
        if (!r || !f->fusable[r->id] || f->tree[r->id] != 0)
            continue;
        struct tree t = {.root = r};
        grow(f, &t);
        if (t.num_nodes > 1 && !replace(f, &t, st))
            return false;
    }
    return true;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct fuse f = {.g = g};
    if (!rgraph_sort(g, &f.order, st))
        return false;
    f.consumers = rgraph_consumers(g);
    f.num_nodes = g->num_nodes;
    f.position = mem_new_array(int, f.num_nodes + 1);
    f.fusable = mem_new_array(bool, f.num_nodes + 1);
    f.tree = mem_new_array(int, f.num_nodes + 1);
    f.with = mem_new_array(struct rnode *, f.num_nodes + 1);
    bool ok = fuse_all(&f, st);
    if (ok) {
        reconnect(&f);
        rgraph_compact(g);
    }
    mem_free(f.position);
    mem_free(f.fusable);
    mem_free(f.tree);
    mem_free(f.with);
    return ok;
}

static bool enabled(const struct pass_options *o)
{
    return o->fuse;
}

PASS_DEF(fuse_ewise) = {
    .name = "fuse_ewise",
    .summary = "Trees of elementwise nodes become one node that works tile by tile.",
    .order = 500,
    .enabled = enabled,
    .run = run,
};
