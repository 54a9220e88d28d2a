/* SPDX-License-Identifier: Apache-2.0 */
/* MetaGraphDef in and out of a graph: nodes, and collections with the variables they describe. */
#ifndef LEAT_API_META_GRAPH_H
#define LEAT_API_META_GRAPH_H

#include "api/api_impl.h"
#include "proto/leat_proto.h"

/* Adds the nodes (as graph_import_def, under prefix) and the collections. Items of the collections
 * of variables become names, and the variables are known to leat_* functions from then on. The
 * message is changed on the way. On error nothing was added. */
MUST_CHECK bool meta_graph_in(struct graph *g, struct pb_meta_graph_def *meta, const char *prefix,
                              struct status *st);
/* The graph, its ops and its collections, in arena a. */
struct pb_meta_graph_def *meta_graph_out(struct graph *g, struct arena *a);

/* --- meta_graph_upgrade.c --- */

/* Leaves out attrs that this build does not know and that have the producer's default value. */
void meta_graph_drop_defaults(struct pb_meta_graph_def *meta);
/* Whether its VariableDefs say if the variable is trainable. */
bool meta_graph_says_trainable(const struct pb_meta_graph_def *meta);
/* The graph's own queue runners: the collection that they stand in; one that a MetaGraph tells of
 * becomes one (false: it cannot, and must be kept as it is); all of them as QueueRunnerDefs. */
extern const char meta_graph_queue_runners[];
bool meta_graph_queue_runner_in(struct graph *g, const struct pb_queue_runner_def *d);
void meta_graph_queue_runners_out(struct graph *g, struct arena *a, struct pb_meta_graph_def *m);
/* The collections of contexts, with those of the loops and branches that were built here. */
void meta_graph_flows_out(struct graph *g, struct arena *a, struct pb_meta_graph_def *m);
/* The frames of a loop, and of those within a context, get the names of their contexts. */
void meta_graph_name_frames(struct graph *g, const struct pb_while_context_def *w);
void meta_graph_name_frames_in_branch(struct graph *g, const struct pb_cond_context_def *c);

#endif
