/* SPDX-License-Identifier: Apache-2.0 */
/* leat convert: graphs rewritten as messages. Each function changes the GraphDef in place; nodes
 * and names live in arena a. */
#ifndef LEAT_CLI_CONVERT_H
#define LEAT_CLI_CONVERT_H

#include "cli/load.h"
#include "proto/leat_proto.h"

struct names { /* of nodes or tensors, as the command line has them */
    const char **v;
    int n;
};

/* Keeps what the outputs need; a node that `inputs` names becomes a placeholder of its type. An
 * unknown name is NOT_FOUND. */
MUST_CHECK bool convert_extract(struct arena *a, struct pb_graph_def *g, const struct names *inputs,
                                const struct names *outputs, struct status *st);
/* Variables become constants with the values that they have in the session; readers and handles go.
 * FAILED_PRECONDITION: one has no value. */
MUST_CHECK bool convert_freeze(struct arena *a, struct pb_graph_def *g, const struct loaded *from,
                               struct status *st);
/* Takes out what only training and debugging want: Identity, StopGradient, PreventGradient,
 * CheckNumerics and control edges from nothing; attributes that begin with "_". Keeps the outputs.
 */
MUST_CHECK bool convert_strip(struct arena *a, struct pb_graph_def *g, const struct names *outputs,
                              struct status *st);
/* Normalisations in inference mode whose parameters are constants go into the convolutions and
 * products before them. Values agree to rounding. */
MUST_CHECK bool convert_fold_norms(struct arena *a, struct pb_graph_def *g, struct status *st);

#endif
