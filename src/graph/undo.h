/* SPDX-License-Identifier: Apache-2.0 */
/* Taking back what several steps added to a graph, when a later one fails: nodes, functions, items
 * of collections, versions. What the builder of api/ keeps of them is that's to forget.
 *
 * Between begin and undo one thread alone uses the graph; at the undo no session is on it that has
 * seen the new nodes, and nobody keeps them. */
#ifndef LEAT_GRAPH_UNDO_H
#define LEAT_GRAPH_UNDO_H

#include "graph/graph.h"

struct graph_undo { /* what was there; owned */
    int64_t num_nodes;
    struct strmap functions;   /* names */
    struct strmap collections; /* name -> items + 1 */
    int producer, min_consumer, num_bad_consumers;
    int *bad_consumers;
};

void graph_undo_begin(struct graph *g, struct graph_undo *u);
/* The graph is as it was at begin. */
void graph_undo(struct graph *g, const struct graph_undo *u);
void graph_undo_release(struct graph_undo *u);

#endif
