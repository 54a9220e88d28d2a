/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion of elementwise ops: trees of nodes whose kernels offer tile functions become one node.
 *
 * From each possible root upwards, later roots first, producers join while all that reads them is
 * inside, or comes after the root in topological order: such a result becomes one more output. So
 * the new node can stand in its root's place, and no cycle can come to be. Readers that
 * come before it may join as further roots. Joined are nodes of one frame and device, without
 * state or control inputs; where one is fetched or a target the new node is. Results
 * are read outside only where nothing may be dead: the root would take them along.
 *
 * A variable may be read by reference, right after an update of it: whatever is ordered after the
 * reading node is ordered after the root, so the later read sees what the earlier one might have. A
 * root may be the AssignAdd or AssignSub of a variable: what is added is then never written to
 * memory.
 *
 * The kernel (ops/math/fused.c) finds the shapes when it runs. Linear in the graph but for the
 * bounded size of a tree. */
#include <string.h>

#include "base/mem.h"
#include "graph/fused_node.h"
#include "graph/pass_util.h"
#include "op/kernel.h"

enum { MAX_NODES = 48, MAX_INPUTS = 32, MAX_ARGS = 3, MAX_OUTPUTS = 4 }; /* the kernel's limits */
enum { FOUND = 128 };

struct fuse {
    struct rgraph *g;
    struct rconsumers consumers;
    struct rnode **order;
    int64_t num_nodes; /* before the pass added any */
    int *position;     /* per node: in order */
    bool *fusable;     /* per node */
    bool *conditional; /* per node: may be dead */
    int *tree;         /* per node: the root's id + 1 of the tree that has it; 0: none */
    int *seen;         /* per node: the root's id + 1 that had it to look at last */
    struct fused_nodes made;
    struct found { /* by op and types: what serves it, asked for once */
        const struct op *op;
        int types[MAX_ARGS + 1];
        const struct kernel_def *def; /* NULL: none that has tile functions */
    } found[FOUND];
};

/* --- which nodes --- */

static const struct kernel_def *find_kernel(struct fuse *f, const struct rnode *n)
{
    struct found *s = &f->found[((uintptr_t)n->op >> 5) % FOUND];
    int types[MAX_ARGS + 1] = {n->output_types[0]};
    memcpy(types + 1, n->input_types, sizeof types[0] * (size_t)n->num_inputs);
    bool labelled = attrs_string(n->attrs, "_kernel").n > 0;
    if (!labelled && s->op == n->op && memcmp(s->types, types, sizeof types) == 0)
        return s->def;
    struct status st = {0};
    const struct kernel_def *def = kernel_find(n->op, "CPU", n->attrs, n->name, &st);
    status_clear(&st);
    if (def && !kernel_ewise(def, n->attrs, n->input_types, n->num_inputs, types[0]))
        def = NULL;
    if (!labelled && !(def && def->ewise_of)) {
        *s = (struct found){.op = n->op, .def = def};
        memcpy(s->types, types, sizeof types);
    }
    return def;
}

/* Whether n gives the reference of a variable that it has just given a value. */
static bool has_written(const struct rnode *n)
{
    return n->num_inputs > 0 && dtype_is_ref(n->input_types[0]) &&
           strncmp(n->op->name, "Ref", 3) != 0 &&
           (!(n->op->def->flags & OP_UNINIT_OK) || strcmp(n->op->name, "Assign") == 0);
}

static bool reads_values(const struct rnode *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        const struct rnode *p = n->inputs[i].node;
        const int type = p->output_types[n->inputs[i].index];
        if (n->input_types[i] != type && (n->input_types[i] != dtype_base(type) || !has_written(p)))
            return false;
    }
    return true;
}

static bool is_fusable(struct fuse *f, const struct rnode *n)
{
    if (n->dropped || n->num_control > 0 || n->num_outputs != 1 || n->num_inputs < 1 ||
        n->num_inputs > MAX_ARGS || n->op->function || n->op->def->flags & OP_STATEFUL ||
        !reads_values(n) || !fused_node_on_cpu(n))
        return false;
    const struct kernel_def *def = find_kernel(f, n);
    return def &&
           (!(def->flags & KERNEL_BIAS) || !str_is(attrs_string(n->attrs, "data_format"), "NCHW"));
}

/* A root that changes a variable: input 0 is its reference, input 1 what is added. */
static bool is_update(const struct rnode *n)
{
    if (n->dropped || n->num_inputs != 2 ||
        (strcmp(n->op->name, "AssignAdd") != 0 && strcmp(n->op->name, "AssignSub") != 0))
        return false;
    const int type = n->input_types[1];
    return (type == DT_FLOAT || type == DT_DOUBLE) && fused_node_on_cpu(n) &&
           attrs_string(n->attrs, "_kernel").n == 0;
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
    struct redge edges[MAX_INPUTS]; /* into the tree, each once */
    int num_edges;
    struct rnode *outputs[MAX_OUTPUTS]; /* the root first */
    int num_outputs, max_outputs;
    bool update;                      /* the root is_update, edge 0 its reference */
    struct rnode *roots[MAX_OUTPUTS]; /* outputs that nobody in the tree reads; the root first */
    int num_roots;
};

/* Whether all that reads p lets it join; *outside: somebody reads it who is not in the tree. */
static bool readers_allow(const struct fuse *f, const struct rnode *p, const struct rnode *root,
                          bool *outside)
{
    int64_t begin = f->consumers.begin[p->id], end = f->consumers.begin[p->id + 1];
    *outside = false;
    for (int64_t k = begin; k < end; k++) {
        const struct rnode *c = f->consumers.node[k];
        bool inside = f->tree[c->id] == root->id + 1;
        bool later = f->tree[c->id] != 0 || f->position[c->id] > f->position[root->id];
        if (f->consumers.input[k] < 0 || (inside ? !shapes_suit(p, c) : !later))
            return false;
        *outside = *outside || !inside;
    }
    return true;
}

static bool may_join(const struct fuse *f, const struct tree *t, const struct rnode *p,
                     bool *outside)
{
    const struct rnode *root = t->root;
    if (f->tree[p->id] != 0 || p->frame != root->frame || strcmp(p->device, root->device) != 0 ||
        !readers_allow(f, p, root, outside))
        return false;
    return !*outside || (t->num_outputs < t->max_outputs && !f->conditional[root->id]);
}

static void open_inputs(struct fuse *f, struct tree *t, const struct rnode *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        struct rnode *p = n->inputs[i].node;
        if (p->id >= f->num_nodes || !f->fusable[p->id] || f->seen[p->id] == t->root->id + 1)
            continue;
        f->seen[p->id] = t->root->id + 1;
        t->open[t->num_open++] = p;
    }
}

/* The last one in topological order: whatever of the tree reads it has joined by then. */
static struct rnode *take_open(const struct fuse *f, struct tree *t)
{
    int best = 0;
    for (int i = 1; i < t->num_open; i++) {
        if (f->position[t->open[i]->id] > f->position[t->open[best]->id])
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

/* n's inputs that are not inside in the place of what it gives. */
static bool join_edges(const struct fuse *f, struct tree *t, struct rnode *n)
{
    struct redge edges[MAX_INPUTS];
    int num = t->num_edges, own = find_edge(t->edges, num, (struct redge){n, 0});
    memcpy(edges, t->edges, sizeof edges);
    if (own >= 0)
        edges[own] = edges[--num];
    for (int i = 0; i < n->num_inputs; i++) {
        const struct rnode *p = n->inputs[i].node;
        bool inside = p->id < f->num_nodes && f->tree[p->id] == t->root->id + 1;
        int known = inside ? -1 : find_edge(edges, num, n->inputs[i]);
        if (known == 0 && t->update)
            return false; /* the updated variable's reference, read as a value */
        if (inside || known >= 0)
            continue;
        if (num == MAX_INPUTS)
            return false;
        edges[num++] = n->inputs[i];
    }
    memcpy(t->edges, edges, sizeof edges);
    t->num_edges = num;
    return true;
}

static bool join(struct fuse *f, struct tree *t, struct rnode *n, bool outside)
{
    if (!join_edges(f, t, n))
        return false;
    f->tree[n->id] = t->root->id + 1;
    t->nodes[t->num_nodes++] = n;
    if (outside)
        t->outputs[t->num_outputs++] = n;
    open_inputs(f, t, n);
    return true;
}

/* Whether c, which no one in the tree reads, may be one more root of it: results of both are of one
 * shape, as far as is known, and all that reads c comes later. */
static bool may_be_root(const struct fuse *f, const struct tree *t, const struct rnode *c)
{
    bool outside;
    int64_t begin = f->consumers.begin[c->id], end = f->consumers.begin[c->id + 1];
    for (int64_t k = begin; k < end; k++) {
        if (f->tree[f->consumers.node[k]->id] == t->root->id + 1)
            return false;
    }
    return begin < end && f->fusable[c->id] && t->num_nodes < MAX_NODES &&
           t->num_outputs < t->max_outputs && c->shapes[0].rank >= 0 &&
           shape_equal(&c->shapes[0], &t->root->shapes[0]) && may_join(f, t, c, &outside);
}

/* Readers of p that keep it out of the tree join as roots; false: there is none. */
static bool adopt_reader(struct fuse *f, struct tree *t, const struct rnode *p)
{
    for (int64_t k = f->consumers.begin[p->id]; k < f->consumers.begin[p->id + 1]; k++) {
        struct rnode *c = f->consumers.node[k];
        if (f->tree[c->id] == 0 && f->position[c->id] < f->position[t->root->id] &&
            may_be_root(f, t, c) && join(f, t, c, true)) {
            t->roots[t->num_roots++] = c;
            return true;
        }
    }
    return false;
}

static void grow(struct fuse *f, struct tree *t)
{
    bool outside;
    bool room = join(f, t, t->root, true);
    t->roots[t->num_roots++] = t->root;
    while (room && t->num_open > 0 && t->num_nodes < MAX_NODES) {
        struct rnode *p = take_open(f, t);
        if (f->tree[p->id] != 0)
            continue;
        if (may_join(f, t, p, &outside))
            room = join(f, t, p, outside);
        else if (adopt_reader(f, t, p))
            t->open[t->num_open++] = p; /* once more, after the reader's other operands */
    }
}

static int find_node(const struct tree *t, const struct rnode *n)
{
    for (int i = 0; i < t->num_nodes; i++) {
        if (t->nodes[i] == n)
            return i;
    }
    return -1;
}

/* Results are computed shortly before they are read: a tree's nodes in the order of a walk that
 * finishes operands first, and the root last. */
static void sort_nodes(struct tree *t)
{
    struct {
        struct rnode *node;
        int next;
    } stack[MAX_NODES];
    struct rnode *sorted[MAX_NODES];
    bool seen[MAX_NODES] = {false};
    int n = 0;
    for (int root = t->num_roots - 1; root >= 0; root--) {
        int depth = 0;
        stack[depth].node = t->roots[root];
        stack[depth++].next = 0;
        while (depth > 0) {
            struct rnode *r = stack[depth - 1].node;
            if (stack[depth - 1].next == r->num_inputs) {
                sorted[n++] = r;
                depth--;
                continue;
            }
            int at = find_node(t, r->inputs[stack[depth - 1].next++].node);
            if (at < 0 || seen[at])
                continue;
            seen[at] = true;
            stack[depth].node = t->nodes[at];
            stack[depth++].next = 0;
        }
    }
    ASSERT(n == t->num_nodes);
    memcpy(t->nodes, sorted, sizeof sorted[0] * (size_t)n);
}

/* --- the node that replaces it --- */

static void set_operands(const struct tree *t, struct attrs *attrs)
{
    int64_t operands[MAX_NODES * MAX_ARGS], n = 0;
    for (int i = 0; i < t->num_nodes; i++) {
        for (int k = 0; k < t->nodes[i]->num_inputs; k++) {
            struct redge e = t->nodes[i]->inputs[k];
            int at = find_edge(t->edges, t->num_edges, e);
            operands[n++] = at >= 0 ? at : t->num_edges + find_node(t, e.node);
        }
    }
    attrs_set(attrs, "operands", attr_list(ATTR_INT, operands, n));
}

static void set_types(const struct tree *t, struct attrs *attrs)
{
    int in[MAX_INPUTS], out[MAX_OUTPUTS];
    int64_t results[MAX_OUTPUTS];
    const int first = t->update;
    for (int i = 0; i < t->num_edges; i++)
        in[i] = dtype_base(t->edges[i].node->output_types[t->edges[i].index]);
    for (int i = 0; i < t->num_outputs; i++) {
        out[i] = t->outputs[i]->output_types[0];
        results[i] = find_node(t, t->outputs[i]);
    }
    attrs_set(attrs, "Tin", attr_list(ATTR_TYPE, in + first, t->num_edges - first));
    if (t->update)
        attrs_set(attrs, "T", attr_type(in[0]));
    else
        attrs_set(attrs, "Tout", attr_list(ATTR_TYPE, out, t->num_outputs));
    attrs_set(attrs, "results", attr_list(ATTR_INT, results, t->num_outputs));
}

/* What an update is and comes after. */
static void take_effects(struct fuse *f, const struct rnode *update, struct rnode *fused)
{
    fused->pinned = update->pinned;
    for (int64_t i = 0; i < update->num_control; i++)
        rnode_add_control(f->g, fused, update->control[i]);
}

static bool replace(struct fuse *f, struct tree *t, struct status *st)
{
    struct attrs attrs = {0};
    sort_nodes(t);
    fused_node_set_parts(&attrs, t->nodes, t->num_nodes);
    set_operands(t, &attrs);
    set_types(t, &attrs);
    struct rnode *fused = fused_node_add(f->g, t->root, t->update ? "_FusedUpdate" : "_FusedEwise",
                                         &attrs, t->edges, t->num_edges, st);
    attrs_clear(&attrs);
    if (!fused)
        return false;
    if (t->update)
        take_effects(f, t->root, fused);
    struct shape *shapes = (struct shape *)(uintptr_t)fused->shapes;
    for (int i = 0; i < t->num_outputs; i++) {
        f->made.with[t->outputs[i]->id] = fused;
        f->made.index[t->outputs[i]->id] = i;
        shapes[i] = t->outputs[i]->shapes[0];
    }
    for (int i = 0; i < t->num_nodes; i++) {
        if (t->nodes[i] == t->root)
            continue;
        fused->keep = fused->keep || t->nodes[i]->keep;
        t->nodes[i]->keep = false;
        rgraph_drop(f->g, t->nodes[i]);
    }
    return true;
}

/* --- the pass --- */

/* Another topological order: a node that cannot be fused comes after all fusable ones that do not
 * need it. By the most unfusable nodes on a way to each, which is where it can stand; among equals
 * these first, and otherwise as before. */
static void sort_order(struct fuse *f)
{
    int64_t n = 0, num_keys = 0;
    int *key = mem_new_array(int, f->num_nodes + 1);
    for (; n < f->num_nodes && f->order[n]; n++) {
        const struct rnode *r = f->order[n];
        bool fusable = f->fusable[r->id];
        int most = 0;
        for (int64_t k = 0; k < r->num_inputs + r->num_control; k++) {
            int64_t i = k - r->num_inputs;
            int id = (i < 0 ? r->inputs[k].node : r->control[i])->id;
            most = key[id] > most ? key[id] : most;
        }
        key[r->id] = fusable ? most | 1 : (most | 1) + 1;
        num_keys = max_i64(num_keys, key[r->id] + 1);
    }
    int64_t *at = mem_new_array(int64_t, num_keys + 1);
    struct rnode **sorted = mem_new_array(struct rnode *, n + 1);
    for (int64_t i = 0; i < n; i++)
        at[key[f->order[i]->id] + 1]++;
    for (int64_t i = 0; i < num_keys; i++)
        at[i + 1] += at[i];
    for (int64_t i = 0; i < n; i++)
        sorted[at[key[f->order[i]->id]]++] = f->order[i];
    memcpy(f->order, sorted, sizeof *sorted * (size_t)n);
    mem_free(sorted);
    mem_free(at);
    mem_free(key);
}

static bool fuse_all(struct fuse *f, struct status *st)
{
    for (int64_t i = 0; i < f->num_nodes && f->order[i]; i++)
        f->fusable[f->order[i]->id] = is_fusable(f, f->order[i]);
    sort_order(f);
    for (int64_t i = 0; i < f->num_nodes && f->order[i]; i++)
        f->position[f->order[i]->id] = (int)i;
    for (int64_t i = f->num_nodes - 1; i >= 0; i--) {
        struct rnode *r = f->order[i];
        if (!r || f->tree[r->id] != 0 || !(f->fusable[r->id] || is_update(r)))
            continue;
        struct tree t;
        t.root = r;
        t.num_nodes = t.num_open = t.num_edges = t.num_outputs = t.num_roots = 0;
        t.update = !f->fusable[r->id];
        t.max_outputs = t.update ? 1 : MAX_OUTPUTS;
        grow(f, &t);
        if (t.num_nodes > 1 && !replace(f, &t, st))
            return false;
    }
    return true;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct fuse f = {.g = g, .num_nodes = g->num_nodes, .made.n = g->num_nodes};
    if (!rgraph_sort(g, &f.order, st))
        return false;
    f.consumers = rgraph_consumers(g);
    f.position = mem_new_array(int, f.num_nodes + 1);
    f.fusable = mem_new_array(bool, f.num_nodes + 1);
    f.conditional = rgraph_find_conditional(g, f.order);
    f.tree = mem_new_array(int, f.num_nodes + 1);
    f.seen = mem_new_array(int, f.num_nodes + 1);
    f.made.with = mem_new_array(struct rnode *, f.num_nodes + 1);
    f.made.index = mem_new_array(int, f.num_nodes + 1);
    bool ok = fuse_all(&f, st);
    if (ok) {
        fused_node_reconnect(g, &f.made);
        rgraph_compact(g);
    }
    mem_free(f.position);
    mem_free(f.fusable);
    mem_free(f.conditional);
    mem_free(f.tree);
    mem_free(f.seen);
    mem_free(f.made.with);
    mem_free(f.made.index);
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
