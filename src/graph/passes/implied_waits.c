/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that other edges imply: a control edge goes where another way leads from its source to the
 * same node.
 *
 * What is left of the gates of tf.gradients makes an Identity wait for what its own input was
 * computed from; without the wait, passes that follow read past the Identity. The other way must
 * hold in death as well, so it leads through no Merge, Switch or other node of control flow, nor
 * through a ControlTrigger, and stays within a loop's frame.
 *
 * Sources are looked at 64 at a time, a bit each, in one walk over the edges. Walks are bounded by
 * number and by work: on a huge graph the edges from later sources stay. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"

enum { SOURCES = 64, MAX_WALKS = 64, MAX_WORK = 8 << 20 };

struct walk {
    struct rnode **order;
    int64_t num_nodes;
    uint64_t *bit;   /* by id: what a source is known by in this walk */
    uint64_t *above; /* by id: the sources that it is after, alive only when they are */
};

/* Ways that lead through it carry no word of what died before. */
static bool is_wall(const struct rnode *n)
{
    return rnode_is_control_flow(n) || rnode_is(n, "ControlTrigger");
}

static void visit(const struct walk *w, struct rnode *n)
{
    uint64_t above = 0, implied = 0;
    for (int i = 0; i < n->num_inputs; i++) {
        const int id = n->inputs[i].node->id;
        above |= w->above[id] | w->bit[id];
    }
    implied = above;
    for (int64_t i = 0; i < n->num_control; i++) {
        const int id = n->control[i]->id;
        above |= w->above[id] | w->bit[id];
        implied |= w->above[id];
    }
    if (is_wall(n))
        return;
    w->above[n->id] = above;
    int64_t kept = 0;
    for (int64_t i = 0; i < n->num_control; i++) {
        if (!(w->bit[n->control[i]->id] & implied))
            n->control[kept++] = n->control[i];
    }
    n->num_control = kept;
}

/* The nodes that others wait for; mem_alloc'd. */
static struct rnode **find_sources(const struct walk *w, int64_t *num)
{
    bool *is = mem_new_array(bool, w->num_nodes + 1);
    struct rnode **sources = mem_new_array(struct rnode *, w->num_nodes + 1);
    for (int64_t i = 0; i < w->num_nodes; i++) {
        const struct rnode *n = w->order[i];
        for (int64_t k = 0; k < n->num_control && !is_wall(n); k++)
            is[n->control[k]->id] |= !is_wall(n->control[k]);
    }
    *num = 0;
    for (int64_t i = 0; i < w->num_nodes; i++) {
        if (is[w->order[i]->id])
            sources[(*num)++] = w->order[i];
    }
    mem_free(is);
    return sources;
}

static void walk_all(struct walk *w)
{
    int64_t num;
    struct rnode **sources = find_sources(w, &num);
    const int64_t most = min_i64(MAX_WALKS, 1 + MAX_WORK / (w->num_nodes + 1)) * SOURCES;
    for (int64_t first = 0; first < num && first < most; first += SOURCES) {
        const int64_t n = min_i64(SOURCES, num - first);
        memset(w->above, 0, sizeof *w->above * (size_t)w->num_nodes);
        for (int64_t i = 0; i < n; i++)
            w->bit[sources[first + i]->id] = (uint64_t)1 << i;
        for (int64_t i = 0; i < w->num_nodes; i++)
            visit(w, w->order[i]);
        for (int64_t i = 0; i < n; i++)
            w->bit[sources[first + i]->id] = 0;
    }
    mem_free(sources);
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct walk w = {0};
    bool any = false;
    for (int64_t i = 0; i < g->num_nodes && !any; i++)
        any = g->nodes[i]->num_control > 0 && !g->nodes[i]->dropped;
    if (!any)
        return true;
    if (!rgraph_sort(g, &w.order, st))
        return false;
    while (w.num_nodes < g->num_nodes && w.order[w.num_nodes])
        w.num_nodes++;
    w.bit = mem_new_array(uint64_t, g->num_nodes + 1);
    w.above = mem_new_array(uint64_t, g->num_nodes + 1);
    walk_all(&w);
    mem_free(w.bit);
    mem_free(w.above);
    rgraph_compact(g);
    return true;
}

static bool enabled(const struct pass_options *o)
{
    return o->waits;
}

PASS_DEF(implied_waits) = {
    .name = "implied_waits",
    .summary = "Drops waits that follow from others.",
    .order = 40,
    .enabled = enabled,
    .run = run,
};
