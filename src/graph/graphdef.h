/* SPDX-License-Identifier: Apache-2.0 */
/* GraphDef in and out, binary and text, and attr values as AttrValue messages.
 *
 * The reader trusts nothing: lengths, names, indices, types and cycles are checked; on an error the
 * graph is as before. Old producers are upgraded; attrs that are absent get their defaults;
 * attrs that begin with '_', unknown fields and the function library are kept. */
#ifndef LEAT_GRAPH_GRAPHDEF_H
#define LEAT_GRAPH_GRAPHDEF_H

#include "graph/graph.h"
#include "op/tensor_proto.h"

struct import_map { /* tensor src:index of the GraphDef is dst of the graph; index -1: control edges
                     */
    const char *src;
    int index;
    struct output dst;
};
struct import_options {
    const char *prefix; /* "" or NULL: none */
    const char *default_device;
    bool uniquify_names, uniquify_prefix;
    bool is_old_library; /* reserved for upgrades of function bodies */
    const struct import_map *maps;
    int64_t num_maps;
    struct node *const *control; /* every node without inputs inside the GraphDef gets these */
    int64_t num_control;
    const struct import_map
        *returns; /* src, index: outputs wanted back (src_index -1 in return_nodes) */
    int64_t num_returns;
    const char *const *return_nodes;
    int64_t num_return_nodes;
};
struct import_result { /* arrays as long as asked for; free with import_result_clear */
    struct output *returns;
    struct node **return_nodes;
    char **unused_maps; /* src names of maps that no node used */
    int *unused_indices;
    int64_t num_unused;
};
void import_result_clear(struct import_result *r);
/* bytes: binary GraphDef, or text when it does not parse as binary but looks like text. out may be
 * NULL. */
MUST_CHECK bool graph_import(struct graph *g, const void *bytes, size_t n,
                             const struct import_options *o, struct import_result *out,
                             struct status *st);
struct pb_graph_def;
MUST_CHECK bool graph_import_def(struct graph *g, const struct pb_graph_def *def,
                                 const struct import_options *o, struct import_result *out,
                                 struct status *st);
/* New nodes that may read those of the graph by name. A name that is there already is
 * INVALID_ARGUMENT. (graph/extend.c) */
MUST_CHECK bool graph_extend(struct graph *g, const struct pb_graph_def *def, struct status *st);
/* A graph that a machine made, into an empty one: names may begin with '_'. (A function's body, a
 * part that a master sends.) */
MUST_CHECK bool graph_import_body(struct graph *g, const struct pb_graph_def *def,
                                  struct status *st);
MUST_CHECK bool graph_export(struct graph *g, struct strbuf *out,
                             struct status *st); /* binary GraphDef */
struct pb_graph_def *graph_to_def(struct graph *g, struct arena *a);
/* The nodes from number `from` on, which count as run from here on; *to: the number of the next
 * that will be made. The library is whole. */
struct pb_graph_def *graph_to_def_from(struct graph *g, int64_t from, struct arena *a, int64_t *to);
struct pb_node_def;
struct pb_node_def *node_to_def(struct node *n, struct arena *a);

/* AttrValue and OpDef <-> ours (graph/convert.c). Tensors and shapes: op/tensor_proto.h. */
struct pb_attr_value;
struct pb_op_def;
MUST_CHECK bool attr_from_proto(const struct pb_attr_value *v, struct attr_value *out,
                                struct status *st);
struct pb_attr_value *attr_to_proto(struct arena *a, const struct attr_value *v);
struct pb_op_def *op_to_proto(struct arena *a, const struct op *op);
/* An op for a function's signature; freed with op_free. */
struct op *op_from_proto(const struct pb_op_def *p, struct status *st) MUST_CHECK;

#endif
