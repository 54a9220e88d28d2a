/* SPDX-License-Identifier: Apache-2.0 */
/* MetaGraphDef in and out of a graph: nodes, and collections with the variables they describe. */
#ifndef LEAT_API_META_GRAPH_H
#define LEAT_API_META_GRAPH_H

#include "api/api_impl.h"
#include "proto/leat_proto.h"

/* Adds the nodes (as graph_import_def, under prefix) and the collections. Items of the collections
 * of variables become names, and the variables are known to leat_* functions from then on. On error
 * nothing was added. */
MUST_CHECK bool meta_graph_in(struct graph *g, const struct pb_meta_graph_def *meta,
                              const char *prefix, struct status *st);
/* The graph, its ops and its collections, in arena a. */
struct pb_meta_graph_def *meta_graph_out(struct graph *g, struct arena *a);

#endif
