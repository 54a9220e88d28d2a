/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a SavedModel into a graph and a session: what TF_LoadSessionFromSavedModel and leat.h
 * share. */
#ifndef LEAT_API_SAVED_MODEL_H
#define LEAT_API_SAVED_MODEL_H

#include "api/api_impl.h"
#include "proto/leat_proto.h"

struct load_args {
    const char *dir;
    const char *const *tags;
    int num_tags;
    const struct config *config;
    const struct run_options *run_options; /* of the steps that restore; NULL: the defaults */
};
/* Imports the MetaGraph with these tags into the graph, which is empty, restores the variables and
 * runs the init op. The message lives in arena a. NULL on error: the graph is as it was. */
struct session *load_saved_model(struct arena *a, struct graph *g, const struct load_args *args,
                                 struct pb_meta_graph_def **meta, struct status *st) MUST_CHECK;

#endif
