/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for nodes that nothing else needs: who waited for such a node waits for what it would have
 * waited for, and its work is not done.
 *
 * The gates of tf.gradients are the workload. They make each gradient of an op wait for all others,
 * and so keep alive those that nobody asked for: the gradient by a model's input is a product, or a
 * convolution, as dear as the one by its weights.
 *
 * A node is passed by when it is pure, neither fed, fetched nor a target, and not there to check
 * (OP_CHECKS: CheckNumerics, EnsureShape): it becomes a NoOp that waits for its inputs. So order
 * stays: an update that waited for a product still waits for the read of the variable in it. Death
 * stays too: a NoOp dies with what it waits for, and a node that reads an output of a Switch, which
 * may be dead where the Switch is not, is left alone, as are readers of Enter, Exit and their like.
 * An error that the node would have made is not: TensorFlow's optimiser does the same, to every op
 * but CheckNumerics and Assert. NoOps are read past where that makes no more edges. Linear in
 * nodes and edges. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"

struct waits {
    struct rgraph *g;
    const struct op *no_op;
    uint8_t *state;       /* by id: enum state */
    struct rnode **stack; /* of nodes to look at: each is pushed once for each state at most */
    int64_t depth;
    int64_t *waiters; /* by id: how many wait for it */
    bool *tied;       /* by id: some of those are of another frame or device */
    int *seen;        /* by id: the last list that has it */
    int list;
};
enum state { WAITED_FOR = 1, NEEDED = 2 };

static bool takes_function(const struct op *op)
{
    for (int i = 0; i < op->num_attrs; i++) {
        if (op->attrs[i].kind == ATTR_FUNC)
            return true;
    }
    return false;
}

/* What is read is dead exactly when its node is. */
static bool dies_with_node(const struct rnode *from)
{
    return !rnode_is_control_flow(from) || rnode_is(from, "Merge");
}

static bool is_passed_by(const struct rnode *n)
{
    if (n->keep || n->pinned || !n->op->def || n->op->def->flags & OP_CHECKS || !rnode_is_pure(n) ||
        takes_function(n->op) || rnode_is(n, "ControlTrigger"))
        return false;
    for (int i = 0; i < n->num_inputs; i++) {
        if (!dies_with_node(n->inputs[i].node))
            return false;
    }
    return true;
}

static void reach(struct waits *w, struct rnode *n, bool waited_for)
{
    const enum state s = waited_for && is_passed_by(n) ? WAITED_FOR : NEEDED;
    if (w->state[n->id] >= s)
        return;
    w->state[n->id] = s;
    w->stack[w->depth++] = n;
}

/* Which nodes are needed, and which are waited for alone. */
static void find_needed(struct waits *w)
{
    const struct rgraph *g = w->g;
    w->stack = mem_new_array(struct rnode *, 2 * g->num_nodes + 1);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (!g->nodes[i]->dropped && (g->nodes[i]->keep || g->nodes[i]->pinned))
            reach(w, g->nodes[i], false);
    }
    while (w->depth > 0) {
        struct rnode *n = w->stack[--w->depth];
        for (int i = 0; i < n->num_inputs; i++)
            reach(w, n->inputs[i].node, w->state[n->id] == WAITED_FOR);
        for (int64_t i = 0; i < n->num_control; i++)
            reach(w, n->control[i], true);
    }
    mem_free(w->stack);
}

struct list {
    struct rnode **v;
    int64_t n, cap;
};

/* Once in each list. */
static void list_add(struct waits *w, struct list *l, struct rnode *n)
{
    if (w->seen[n->id] == w->list)
        return;
    w->seen[n->id] = w->list;
    l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof(struct rnode *));
    l->v[l->n++] = n;
}

static void set_control(struct waits *w, struct rnode *n, struct list *l)
{
    if (l->n > n->cap_control)
        n->control = arena_array(&w->g->arena, struct rnode *, n->cap_control = l->n);
    if (l->n)
        memcpy(n->control, l->v, sizeof(struct rnode *) * (size_t)l->n);
    n->num_control = l->n;
    l->n = 0;
    w->list++;
}

static void become_no_op(struct waits *w, struct rnode *n, struct list *l)
{
    for (int i = 0; i < n->num_inputs; i++)
        list_add(w, l, n->inputs[i].node);
    for (int64_t i = 0; i < n->num_control; i++)
        list_add(w, l, n->control[i]);
    set_control(w, n, l);
    n->op = w->no_op;
    n->num_inputs = n->num_outputs = 0;
    rgraph_set_attrs(w->g, n, NULL);
    (void)rnode_find_facts(n);
}

static void count_waiters(struct waits *w)
{
    for (int64_t i = 0; i < w->g->num_nodes; i++) {
        const struct rnode *n = w->g->nodes[i];
        for (int64_t k = 0; k < n->num_control && w->state[i]; k++) {
            const struct rnode *c = n->control[k];
            w->waiters[c->id]++;
            w->tied[c->id] |= c->frame != n->frame || !rnode_same_device(c, n);
        }
    }
}

/* As many edges at most go as come. */
static bool is_read_past(const struct waits *w, const struct rnode *n)
{
    const int64_t in = n->num_control, out = w->waiters[n->id];
    return n->op == w->no_op && !n->keep && !n->pinned && !w->tied[n->id] &&
           (in <= 1 || out <= 1 || (in == 2 && out == 2));
}

/* In topological order: what a NoOp waits for is settled when it is read past. */
static void read_past(struct waits *w, struct rnode *n, struct list *l)
{
    bool any = false;
    for (int64_t i = 0; i < n->num_control && !any; i++)
        any = is_read_past(w, n->control[i]);
    if (!any)
        return;
    for (int64_t i = 0; i < n->num_control; i++) {
        struct rnode *c = n->control[i];
        if (!is_read_past(w, c))
            list_add(w, l, c);
        else
            for (int64_t k = 0; k < c->num_control; k++)
                list_add(w, l, c->control[k]);
    }
    set_control(w, n, l);
}

static void rewrite(struct waits *w, struct rnode *const *order)
{
    struct list l = {0};
    const int64_t n = w->g->num_nodes;
    w->waiters = mem_new_array(int64_t, n + 1);
    w->tied = mem_new_array(bool, n + 1);
    w->seen = mem_new_array(int, n + 1);
    w->list = 1;
    for (int64_t i = 0; i < n; i++) {
        struct rnode *r = w->g->nodes[i];
        if (w->state[i] == WAITED_FOR && r->op != w->no_op)
            become_no_op(w, r, &l);
    }
    count_waiters(w);
    for (int64_t i = 0; i < n && order[i]; i++) {
        if (w->state[order[i]->id])
            read_past(w, order[i], &l);
    }
    mem_free(l.v);
    mem_free(w->waiters);
    mem_free(w->tied);
    mem_free(w->seen);
}

static bool any_waits(const struct rgraph *g)
{
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (g->nodes[i]->num_control > 0 && !g->nodes[i]->dropped)
            return true;
    }
    return false;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct waits w = {.g = g};
    struct rnode **order;
    if (!any_waits(g))
        return true;
    w.no_op = op_get("NoOp", st);
    if (!w.no_op || !rgraph_sort(g, &order, st))
        return false;
    w.state = mem_new_array(uint8_t, g->num_nodes + 1);
    find_needed(&w);
    rewrite(&w, order);
    mem_free(w.state);
    rgraph_compact(g);
    return true;
}

static bool enabled(const struct pass_options *o)
{
    return o->waits;
}

PASS_DEF(waits) = {
    .name = "waits",
    .summary = "Leaves out what is computed only to be waited for.",
    .order = 30,
    .enabled = enabled,
    .run = run,
};
