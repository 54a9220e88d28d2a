/* SPDX-License-Identifier: Apache-2.0 */
/* A GraphDef as a replayer sees it: nodes by name, the ops it needs, the shapes recorded with it,
 * how a fetched tensor may differ by phases; and names of tensors looked up in a TF_Graph. */
#ifndef LEAT_TESTS_COMMON_GRAPHS_H
#define LEAT_TESTS_COMMON_GRAPHS_H

#include "common/compare.h"
#include "common/text.h"
#include "tensorflow/c/c_api.h"

struct graph_node {
    struct bytes name, op, proto; /* point into the GraphDef */
};

struct graph_scan {
    struct graph_node *nodes;
    size_t num_nodes;
    uint32_t *index; /* hash table of positions in nodes, plus one; 0: free */
    size_t index_size;
    struct bytes *ops; /* the ops of nodes and function bodies, each once; functions left out */
    size_t num_ops;
    bool ok; /* false: the bytes are no GraphDef */
};

/* graph_def must outlive the scan. */
void graph_scan_init(struct graph_scan *s, struct bytes graph_def);
void graph_scan_release(struct graph_scan *s);
const struct graph_node *graph_scan_find(const struct graph_scan *s, struct bytes name);

/* Appends the ops that the library has not registered to missing, one a line; how many. */
size_t graph_missing_ops(const struct graph_scan *s, struct text *missing);
/* The longest name of an op of the graph that stands in the message as a word, "" for none. */
struct bytes graph_op_in_message(const struct graph_scan *s, const char *message);

/* The GraphDef without the attribute `name` on its nodes. */
void graph_without_attr(struct bytes graph_def, const char *name, struct text *out);

/* What phases tensor "node:k" has. */
enum phase graph_phase(const struct graph_scan *s, struct bytes tensor);

/* Compares the attribute _output_shapes of all nodes with what the graph infers: how many outputs
 * were compared, and how many contradict, the first described in why. */
struct shape_tally {
    int64_t compared, contradicting;
};
struct shape_tally graph_compare_shapes(const struct graph_scan *s, TF_Graph *graph,
                                        struct text *why);

/* Imports a GraphDef into a new graph, which the caller frees; NULL after an error. */
TF_Graph *graph_import(struct bytes graph_def, TF_Status *status);

/* "node:k", "node" or "^node" in two parts. */
struct bytes tensor_node(struct bytes tensor, int *index);
/* The output with that name; oper is NULL when the graph lacks it. */
TF_Output graph_output(TF_Graph *graph, struct bytes tensor);

#endif
