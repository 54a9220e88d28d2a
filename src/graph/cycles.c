/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for cycles that are not loops: nodes are taken off the graph as their inputs are, and
 * what stays behind lies on a cycle or after one. Edges from NextIteration into Merge close loops
 * and do not count. Linear in nodes and edges, no recursion. */
#include "graph/graph_impl.h"

static bool closes_loop(const struct node *from, const struct node *to)
{
    return node_is_next_iteration(from) && node_is_merge(to);
}

struct sweep {
    struct graph *g;
    int64_t from, n;
    int64_t *pending; /* per node from `from` on: inputs that are not taken yet */
    struct node **ready;
    int64_t num_ready;
};

static void count_pending(struct sweep *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        struct node *n = s->g->nodes[s->from + i];
        int64_t *p = &s->pending[i];

        for (int k = 0; k < n->num_inputs; k++) {
            struct node *in = n->inputs[k].node;

            *p += in && in->id >= s->from && !closes_loop(in, n);
        }
        for (int64_t k = 0; k < n->num_control_inputs; k++)
            *p += n->control_inputs[k]->id >= s->from;
        if (*p == 0)
            s->ready[s->num_ready++] = n;
    }
}

static void taken(struct sweep *s, struct node *to)
{
    if (to->id >= s->from && --s->pending[to->id - s->from] == 0)
        s->ready[s->num_ready++] = to;
}

static int64_t take_all(struct sweep *s)
{
    int64_t done = 0;

    while (done < s->num_ready) {
        struct node *n = s->ready[done++];

        for (int64_t k = 0; k < n->num_consumers; k++)
            if (!closes_loop(n, n->consumers[k].node))
                taken(s, n->consumers[k].node);
        for (int64_t k = 0; k < n->num_control_outputs; k++)
            taken(s, n->control_outputs[k]);
    }
    return done;
}

bool graph_check_cycles(struct graph *g, int64_t from_id, struct status *st)
{
    lock_take(&g->lock);
    struct sweep s = {.g = g, .from = from_id < 0 ? 0 : from_id};

    s.n = max_i64(g->num_nodes - s.from, 0);
    s.pending = mem_new_array(int64_t, s.n);
    s.ready = mem_new_array(struct node *, s.n);
    count_pending(&s);
    int64_t left = s.n - take_all(&s);
    if (left > 0) {
        struct strbuf names = {0};
        int shown = 0;

        for (int64_t i = 0; i < s.n && shown < 3; i++)
            if (s.pending[i] > 0)
                strbuf_printf(&names, "%s%s", shown++ ? ", " : "", g->nodes[s.from + i]->name);
        status_invalid(st, "Graph is invalid, contains a cycle with %lld nodes, including: %s",
                       (long long)left, strbuf_text(&names));
        strbuf_release(&names);
    }
    mem_free(s.pending);
    mem_free(s.ready);
    lock_drop(&g->lock);
    return left == 0;
}
