/* SPDX-License-Identifier: Apache-2.0 */
/* What a path names, as a graph and, where values go with it, a session:
 *
 *   a folder      a SavedModel, or checkpoints: the .meta of the newest that `checkpoint` names
 *   FILE.meta     a MetaGraph, with the checkpoint FILE beside it when there is one
 *   another file  a GraphDef or a MetaGraph, binary or text */
#ifndef LEAT_CLI_LOAD_H
#define LEAT_CLI_LOAD_H

#include "cli/cli.h"
#include "leat/saved_model.h"

struct loaded { /* load_release frees all */
    TF_Graph *graph;
    TF_Session *session;
    leat_saved_model *model; /* whose graph and session these are; NULL: it is none */
};

/* tags: of a SavedModel, with commas between them; NULL: serve. */
MUST_CHECK bool load_path(const char *path, const char *tags, struct loaded *out,
                          struct status *st);
void load_release(struct loaded *l);

/* The node of this name; NOT_FOUND names the nearest. */
TF_Operation *load_operation(TF_Graph *g, const char *name, struct status *st) MUST_CHECK;
/* "NAME" or "NAME:K", n bytes. */
MUST_CHECK bool load_output(TF_Graph *g, const char *text, size_t n, TF_Output *out,
                            struct status *st);
/* NULL: the model has none of this name (an error that lists them). */
const struct leat_signature *load_signature(const struct loaded *l, const char *name,
                                            struct status *st) MUST_CHECK;

#endif
