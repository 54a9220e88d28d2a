/* SPDX-License-Identifier: Apache-2.0 */
/* Functions out of graphs: some of a graph's nodes as a FunctionDef. */
#ifndef LEAT_GRAPH_FUNCTION_MAKE_H
#define LEAT_GRAPH_FUNCTION_MAKE_H

#include "graph/graph.h"

struct pb_function_def;

struct function_spec { /* everything borrowed */
    const char *name;
    bool append_hash;          /* a hash of the definition goes behind the name */
    struct node *const *nodes; /* the body; NULL: every node, but those behind the inputs */
    int64_t num_nodes;
    const struct output *inputs, *outputs;
    int num_inputs, num_outputs;
    const char *const *output_names; /* NULL: after the nodes */
    struct node *const *control;     /* run at each call */
    int num_control;
    const char *const *control_names; /* NULL: after the nodes */
    const char *description;          /* NULL: none */
};
/* In arena a. Names are TensorFlow's: results keep theirs, then arguments get free ones, then
 * nodes. INVALID_ARGUMENT where the body needs what is neither in it nor an argument. */
MUST_CHECK bool function_from_graph(struct graph *g, const struct function_spec *s, struct arena *a,
                                    struct pb_function_def **out, struct status *st);

#endif
