/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling: from a placed, optimised, partitioned rewrite graph to the parts of a plan. */
#ifndef LEAT_RUNTIME_COMPILE_H
#define LEAT_RUNTIME_COMPILE_H

#include "runtime/plan.h"

/* Makes p->parts from p->rgraph: part i holds the nodes with part_of[id] == i and runs on
 * devices[i]. Kernels of graph nodes are the session's, those of nodes that passes made are p's
 * own. */
MUST_CHECK bool plan_compile(struct plan *p, const int *part_of,
                             const struct device *const *devices, int num_parts, struct status *st);

/* --- inside --- */
struct part_build { /* a part that is being made; lives on plan_compile's stack */
    struct plan *plan;
    struct plan_part *part;
    struct rnode **nodes; /* of this part, in topological order */
    int *step_of;         /* per rgraph node: its step in this part, or -1 */
};
/* The tables of the dataflow executor: edges, frames, and the slots of iterations. Steps, in_slots
 * and constants are there. INVALID_ARGUMENT where an edge joins different frames. */
MUST_CHECK bool compile_flow(struct part_build *b, struct status *st);

#endif
