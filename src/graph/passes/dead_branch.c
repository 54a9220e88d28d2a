/* SPDX-License-Identifier: Apache-2.0 */
/* Dead branches: where a Switch's predicate is a constant, what would be dead in every run is cut
 * off, and a Merge that a single live value can reach is read past.
 *
 * Outside of loops only. Dead nodes are found in topological order as the executor would find
 * them: any dead input or control input kills a node, a Merge dies when all its inputs are dead, a
 * ControlTrigger never dies. They are not removed by force: a fetched dead value stays, and fails
 * as it should. Nodes with effects that are alive keep running (they are pinned); dead ones lose
 * their pin. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"

struct cutter {
    struct rgraph *g;
    struct rforward f;
    bool **dead;   /* per id: per output, NULL: all alive */
    bool *is_dead; /* per id: the node itself */
    bool *indexed; /* per id: a Merge whose value_index is read */
};

static bool edge_dead(const struct cutter *c, struct redge e)
{
    return c->is_dead[e.node->id] || (c->dead[e.node->id] && c->dead[e.node->id][e.index]);
}

static bool is_merge(const struct rnode *n)
{
    return rnode_facts(n) & RNODE_BRANCHES && rnode_is(n, "Merge");
}

/* How many of n's inputs are alive; which is the last of them. */
static int live_inputs(const struct cutter *c, const struct rnode *n, int *which)
{
    int num = 0;
    for (int i = 0; i < n->num_inputs; i++) {
        if (!edge_dead(c, n->inputs[i])) {
            *which = i;
            num++;
        }
    }
    return num;
}

static bool finds_death(const struct cutter *c, const struct rnode *n)
{
    int which;
    if (is_merge(n) || (rnode_is_control_flow(n) && rnode_is(n, "RefMerge")))
        return n->num_inputs > 0 && live_inputs(c, n, &which) == 0;
    if (rnode_is(n, "ControlTrigger"))
        return false;
    for (int64_t i = 0; i < n->num_control; i++) {
        if (c->is_dead[n->control[i]->id])
            return true;
    }
    return live_inputs(c, n, &which) < n->num_inputs;
}

static void visit_switch(struct cutter *c, const struct rnode *n)
{
    const struct tensor *pred = redge_const(n->inputs[1]);
    if (!pred || pred->dtype != DT_BOOL || pred->num_elems != 1 || pred->shape.rank != 0)
        return;
    int taken = *(const bool *)pred->data ? 1 : 0;
    c->dead[n->id] = arena_array(&c->g->arena, bool, 2);
    c->dead[n->id][!taken] = true;
    if (n->num_control == 0 && !n->keep && !rnode_reads_ref(n) &&
        rnode_same_device(n->inputs[0].node, n))
        rforward_set(&c->f, c->g, n, taken, n->inputs[0]);
}

static void visit_merge(struct cutter *c, const struct rnode *n)
{
    int which = -1;
    if (n->num_control > 0 || n->keep || c->indexed[n->id] || live_inputs(c, n, &which) != 1)
        return;
    struct redge e = n->inputs[which];
    if (!rnode_is(e.node, "NextIteration") && !rnode_reads_ref(n) && rnode_same_device(e.node, n))
        rforward_set(&c->f, c->g, n, 0, e);
}

static void visit(struct cutter *c, struct rnode *n)
{
    rforward_inputs(&c->f, n);
    if (n->frame != 0)
        return;
    if (finds_death(c, n)) {
        c->is_dead[n->id] = true;
        n->pinned = false;
    } else if (is_merge(n)) {
        visit_merge(c, n);
    } else if (rnode_facts(n) & RNODE_BRANCHES) {
        visit_switch(c, n);
    }
}

static void find_indexed(struct cutter *c)
{
    for (int64_t i = 0; i < c->g->num_nodes; i++) {
        const struct rnode *n = c->g->nodes[i];
        for (int k = 0; k < n->num_inputs; k++) {
            if (n->inputs[k].index == 1 && is_merge(n->inputs[k].node))
                c->indexed[n->inputs[k].node->id] = true;
        }
    }
}

static bool run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    (void)o;
    struct rnode **order;
    if (!rgraph_has(g, RNODE_BRANCHES))
        return true;
    if (!rgraph_sort(g, &order, st))
        return false;
    int64_t n = g->num_nodes;
    struct cutter c = {.g = g, .f = rforward_new(g)};
    c.dead = mem_new_array(bool *, n + 1);
    c.is_dead = mem_new_array(bool, n + 1);
    c.indexed = mem_new_array(bool, n + 1);
    find_indexed(&c);
    for (int64_t i = 0; i < n && order[i]; i++)
        visit(&c, order[i]);
    mem_free(c.dead);
    mem_free(c.is_dead);
    mem_free(c.indexed);
    rforward_end(&c.f, g, true);
    return true;
}

static bool enabled(const struct pass_options *o)
{
    return o->dead_branches;
}

PASS_DEF(dead_branch) = {
    .name = "dead_branches",
    .summary = "Cuts off what a constant predicate never runs.",
    .order = 150,
    .enabled = enabled,
    .run = run,
};
