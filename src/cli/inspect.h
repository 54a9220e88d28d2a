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

/* inspect_graph.c: GraphDef, MetaGraphDef, SavedModel (a folder, or its file). *known: whether the
 * bytes are one of them. */
MUST_CHECK bool inspect_message(struct inspect *in, const char *bytes, size_t n, bool *known,
                                struct status *st);
MUST_CHECK bool inspect_saved_model(struct inspect *in, const char *dir, struct status *st);
/* inspect_tensors.c: the V2 checkpoint of this prefix, as the member `key` of `to`. */
MUST_CHECK bool inspect_bundle(struct inspect *in, const char *prefix, struct report_node *to,
                               struct status *st);
/* A V1 checkpoint in one file, in->path. */
MUST_CHECK bool inspect_old_checkpoint(struct inspect *in, struct status *st);
/* The values of a tensor: its statistics, or with in->tensor the elements. */
struct tensor;
void inspect_values(struct inspect *in, struct report_node *to, const struct tensor *t);
/* inspect_records.c: *known: whether the file begins with a record. */
MUST_CHECK bool inspect_records(struct inspect *in, bool *known, struct status *st);

/* "float32 [2, ?]" of a message's type and shape. */
void inspect_type(struct report *r, struct report_node *to, int dtype,
                  const struct pb_tensor_shape_proto *shape);

#endif
