/* SPDX-License-Identifier: Apache-2.0 */
/* leat convert: graphs rewritten as messages. Each function changes the GraphDef in place; nodes
 * and names live in arena a. */
#ifndef LEAT_CLI_CONVERT_H
#define LEAT_CLI_CONVERT_H

#include "cli/load.h"
#include "proto/leat_proto.h"

/* --- nodes --- */

/* The nodes by name, for convert_find; the map points into the graph. */
struct strmap;
void convert_index(struct strmap *nodes, const struct pb_graph_def *g);
/* The name of the node in an input or a tensor's name ("NAME", "NAME:K", "^NAME"), and which output
 * (-1: control). */
struct str convert_node_of(struct str input, int64_t *k);
/* The node that an input or a tensor's name is of; NULL: there is none. */
struct pb_node_def *convert_find(const struct strmap *nodes, struct str tensor);

enum {
    ATTR_STRING = 2,
    ATTR_TYPE = 6,
    ATTR_SHAPE = 7,
    ATTR_TENSOR = 8
}; /* AttrValue.which_value */
/* The attribute, without a value but of this kind, made if need be. */
struct pb_attr_value *convert_set_attr(struct arena *a, struct pb_node_def *n, const char *name,
                                       int kind);
void convert_set_type(struct arena *a, struct pb_node_def *n, const char *name, int32_t type);
/* The node becomes one of this op, without inputs and attributes. */
void convert_make_node(struct pb_node_def *n, const char *op);

/* --- graphs --- */

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
