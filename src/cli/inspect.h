/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect: what kind of file a path names, and what is in it. One file of the command for each
 * family of formats; each fills the report, and counts what is damaged instead of giving up. */
#ifndef LEAT_CLI_INSPECT_H
#define LEAT_CLI_INSPECT_H

#include "cli/cli.h"
#include "cli/report.h"
#include "proto/leat_proto.h"

struct inspect {
    const char *path, *tensor; /* tensor NULL: all are listed */
    bool json, verify, list;   /* list: names and shapes, no values are read */
    struct report report;
    struct report_node *root; /* the report's */
    int64_t num_damaged;
    struct strbuf first_damage;
};

/* Notes what is wrong with a part of the file; st is OK after. */
void inspect_damage(struct inspect *in, struct report_node *at, struct status *st);

/* inspect_graph.c: GraphDef, MetaGraphDef, SavedModel (a folder, or its file). Whether the bytes
 * are one of them. */
MUST_CHECK bool inspect_message(struct inspect *in, const char *bytes, size_t n);
MUST_CHECK bool inspect_saved_model(struct inspect *in, const char *dir, struct status *st);
/* inspect_tensors.c: the V2 checkpoint of this prefix, into the object `to`. */
MUST_CHECK bool inspect_bundle(struct inspect *in, const char *prefix, struct report_node *to,
                               struct status *st);
/* A V1 checkpoint: a file, or a pattern of its parts. */
MUST_CHECK bool inspect_old_checkpoint(struct inspect *in, const char *path, struct report_node *to,
                                       struct status *st);
/* The values of a tensor: its statistics, or with in->tensor the elements. */
struct tensor;
void inspect_values(struct inspect *in, struct report_node *to, const struct tensor *t);
/* inspect_records.c: *known: whether the file begins with a record. */
MUST_CHECK bool inspect_records(struct inspect *in, bool *known, struct status *st);

/* The member "type": "float32 [2, ?]". rank -1: unknown, and so are negative dims. */
void inspect_type(struct inspect *in, struct report_node *to, int dtype, const int64_t *dims,
                  int rank);

#endif
