/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of clients and masters that are newer than the ops here: an attr that an op does not have
 * and that holds nothing (false, 0, "", an empty list) is what an older producer would not have
 * said, and is left out, as are shapes that a newer master notes for itself in a form that
 * TensorFlow 1.15 does not read. One that says something stays, and is an error later. */
#ifndef LEAT_DIST_FORWARD_H
#define LEAT_DIST_FORWARD_H

#include "proto/leat_proto.h"

/* The message is changed: it belongs to a request that is being served. NULL is fine. */
void forward_drop_unknown(const struct pb_graph_def *def);
/* The graph, or where nodes are fused as TensorFlow 2 does it a copy of it in the arena, which has
 * several for each of those (forward_fused.c). */
const struct pb_graph_def *forward_unfused(struct arena *a, const struct pb_graph_def *def);

#endif
