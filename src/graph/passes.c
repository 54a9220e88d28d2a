/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the optimiser passes that the build found, by rising order. In builds with assertions the
 * verifier runs after each; LEAT_DEBUG=2 prints the graph after each. */
#include "base/log.h"
#include "base/mem.h"
#include "graph/pass_util.h"
#include "op/evaluate.h"

extern const struct pass_def *const leat_all_pass_defs[]; /* NULL at the end; made by the build */

enum { MAX_PASSES = 64 };

static int sorted_passes(const struct pass_def **out)
{
    int n = 0;
    for (int i = 0; leat_all_pass_defs[i] && n < MAX_PASSES; i++) {
        int at = n++;
        while (at > 0 && out[at - 1]->order > leat_all_pass_defs[i]->order) {
            out[at] = out[at - 1];
            at--;
        }
        out[at] = leat_all_pass_defs[i];
    }
    return n;
}

/* Variables, random numbers, writers: no pass may lose one by leaving it without consumers. */
static void pin_effects(struct rgraph *g)
{
    for (int64_t i = 0; i < g->num_nodes; i++)
        g->nodes[i]->pinned =
            !(g->nodes[i]->facts & RNODE_NO_EFFECTS) && !evaluate_possible(g->nodes[i]->op);
}

bool passes_run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    const struct pass_def *passes[MAX_PASSES];
    int n = sorted_passes(passes);
    rgraph_find_facts(g);
    pin_effects(g);
    for (int i = 0; i < n; i++) {
        if (!passes[i]->enabled(o))
            continue;
        if (!passes[i]->run(g, o, st))
            return false;
#ifdef LEAT_ASSERTS
        if (!rgraph_verify(g, st)) {
            status_append(st, " (after pass %s)", passes[i]->name);
            return false;
        }
#endif
        if (log_debug_level() >= 2)
            rgraph_dump(g, passes[i]->name);
    }
    return true;
}
