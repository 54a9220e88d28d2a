/* SPDX-License-Identifier: Apache-2.0 */
/* Which fetches of a piecewise run can be computed from what has been fed: a walk back from them
 * that ends at feeds. */
#include "base/mem.h"
#include "runtime/session_impl.h"

struct reach {
    const struct output *feeds;
    const bool *fed;
    int num_feeds;
    bool *seen;
    struct node **stack;
    int64_t depth, cap, num_nodes;
};

static int find_feed(const struct reach *r, struct output o)
{
    for (int i = 0; i < r->num_feeds; i++) {
        if (r->feeds[i].node == o.node && r->feeds[i].index == o.index)
            return i;
    }
    return -1;
}

static void visit(struct reach *r, struct node *n)
{
    if (!n || n->id >= r->num_nodes || r->seen[n->id])
        return;
    r->seen[n->id] = true;
    r->stack = vec_reserve(r->stack, &r->cap, r->depth + 1, sizeof *r->stack);
    r->stack[r->depth++] = n;
}

static bool reach_inputs(struct reach *r, struct node *n, struct status *st)
{
    for (int i = 0; i < n->num_inputs; i++) {
        const struct output o = n->inputs[i];
        const int feed = find_feed(r, o);
        if (feed >= 0 && !r->fed[feed])
            return status_invalid(
                st, "Fetch %s:%d can't be computed from the feeds that have been fed so far.",
                o.node->name, o.index);
        if (feed < 0)
            visit(r, o.node);
    }
    for (int64_t i = 0; i < n->num_control_inputs; i++)
        visit(r, n->control_inputs[i]);
    return true;
}

bool partial_can_fetch(struct graph *g, const struct output *feeds, const bool *fed, int num_feeds,
                       const struct output *fetches, int num_fetches, struct status *st)
{
    lock_take(&g->lock);
    struct reach r = {
        .feeds = feeds, .fed = fed, .num_feeds = num_feeds, .num_nodes = g->num_nodes};
    r.seen = mem_new_array(bool, g->num_nodes + 1);
    for (int i = 0; i < num_fetches; i++)
        visit(&r, fetches[i].node);
    bool ok = true;
    while (ok && r.depth > 0)
        ok = reach_inputs(&r, r.stack[--r.depth], st);
    lock_drop(&g->lock);
    mem_free(r.seen);
    mem_free(r.stack);
    return ok;
}
