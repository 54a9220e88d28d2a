/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one import of a GraphDef, shared by the files import*.c. */
#ifndef LEAT_GRAPH_IMPORT_H
#define LEAT_GRAPH_IMPORT_H

#include "graph/graph_impl.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

enum { IMPORT_CONTROL = -1, IMPORT_MAX_ATTRS = 1000 };

struct parsed_input {
    int32_t src;   /* position in the GraphDef; -1: mapped to a node of the graph */
    int32_t index; /* output number, or IMPORT_CONTROL */
    int64_t map;   /* position in options->maps, when src is -1 */
};
struct import_node {
    struct node *made;   /* NULL: not yet */
    int64_t first_input; /* in importer.inputs; the next node's is the end */
    int64_t pending;     /* inputs still to be made before it */
};
struct back_edge {
    struct node *to;
    int input, src, index; /* src: position in the GraphDef */
};
struct importer {
    struct graph *g;
    const struct pb_graph_def *def;
    const struct import_options *o;
    bool internal;       /* a function's body: names may begin with '_', attrs stay as they are */
    char *prefix;        /* "" or "name/" */
    struct strmap index; /* name -> position + 1 */
    struct import_node *nodes;
    struct parsed_input *inputs;
    int64_t *consumers_begin; /* CSR: which nodes wait for node i */
    int32_t *consumers;
    int32_t *ready; /* heap of positions, the least first */
    int64_t num_ready;
    struct strmap maps; /* "name:index" -> position in options->maps + 1 */
    bool *map_used;
    struct u64map prefixes; /* hashes of "a" and "a/b" for a name a/b/c of the GraphDef */
    bool has_prefixes;
    struct strmap renamed; /* name before, with prefix -> name after it was made unique */
    struct back_edge *back_edges;
    int64_t num_back_edges, cap_back_edges;
    int64_t first_node; /* the graph's nodes before */
    struct strmap functions_added;
};

/* import_index.c: what the GraphDef says, checked; which node waits for which. */
MUST_CHECK bool import_read(struct importer *im, struct status *st);
void import_push_ready(struct importer *im, int32_t node);
int32_t import_pop_ready(struct importer *im);
/* "name", "name:1", "^name" as a node and an index. */
struct str import_parse_input(struct str text, int32_t *index);

/* import_names.c */
MUST_CHECK bool import_check_names(struct importer *im, struct status *st);
/* The name the node gets; mem_alloc'd. */
char *import_name(struct importer *im, struct str name);
void import_fix_colocation(struct importer *im);
bool import_name_ok(struct str name, bool internal);
void import_add_prefixes(struct u64map *set, struct str name);

/* import_nodes.c */
MUST_CHECK bool import_make_nodes(struct importer *im, struct status *st);

#endif
