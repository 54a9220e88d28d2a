/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that stand for several others: what the passes that make them share. */
#ifndef LEAT_GRAPH_FUSED_NODE_H
#define LEAT_GRAPH_FUSED_NODE_H

#include "graph/pass.h"

/* The attrs nodes (op and attrs of each part), names and made, by which a fused kernel runs its
 * parts and words their errors. */
void fused_node_set_parts(struct attrs *attrs, struct rnode *const *parts, int n);

/* A node of op with the name, the place and the protection of `last`, which is dropped. *attrs are
 * taken. Shapes of outputs are unknown. NULL: failed. */
struct rnode *fused_node_add(struct rgraph *g, struct rnode *last, const char *op,
                             struct attrs *attrs, const struct redge *inputs, int num_inputs,
                             struct status *st) MUST_CHECK;

/* Whether n runs on a CPU, or is not placed. */
bool fused_node_on_cpu(const struct rnode *n);

/* Readers of what nodes were replaced read the replacement. */
struct fused_nodes {
    struct rnode **with; /* per id of a replaced node's; NULL: stays */
    int *index;          /* which output of it; NULL: 0 */
    int64_t n;
};
void fused_node_reconnect(struct rgraph *g, const struct fused_nodes *f);

#endif
