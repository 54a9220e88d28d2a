/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of graph/ share and nobody else needs: adding a node while the graph's lock is
 * held, undoing it, and the steps of it. Every function here wants g->lock held by the caller. */
#ifndef LEAT_GRAPH_GRAPH_IMPL_H
#define LEAT_GRAPH_GRAPH_IMPL_H

#include "graph/graph.h"

enum {
    MAX_NODES = INT32_MAX - 1,
    MAX_NODE_OUTPUTS = 1 << 20, /* more is an attack: an attr alone asks for the memory */
};

/* A node to be added. Its inputs are flat, in the order of the op's arguments. */
struct node_spec {
    const struct op *op;
    const char *name, *device, *made_at; /* device, made_at: may be NULL */
    struct attrs *attrs;                 /* emptied into the node on success */
    const struct output *inputs;
    int64_t num_inputs;
    struct node *const *control; /* duplicates are dropped */
    int64_t num_control;
    bool back_edges; /* inputs with node NULL are given later (Merge, while a graph is read) */
};
struct node *graph_add_node(struct graph *g, const struct node_spec *s,
                            struct status *st) MUST_CHECK;
/* Removes the nodes from id `from` on; older nodes must not have edges from them. */
void graph_truncate(struct graph *g, int64_t from);
/* Input `index` of n, so far missing, is `to`. The types have been checked. */
void node_link_input(struct node *n, int index, struct output to);
void node_link_control(struct node *from, struct node *to); /* once, however often it is asked */
bool input_type_fits(int expected, int actual);
bool node_is(const struct node *n, const char *op);
bool node_is_merge(const struct node *n);
bool node_is_next_iteration(const struct node *n);

/* Shapes and handles of a node that has its inputs. */
MUST_CHECK bool node_infer(struct node *n, struct status *st);
MUST_CHECK bool node_merge_shape(struct node *n, int index, const struct shape *shape,
                                 struct status *st);
/* "nodes made from constants only": decided when n is added. */
bool node_may_fold(const struct node *n);

/* constant.c */
bool constant_value(struct output o, struct tensor *out);
void constants_forget(struct graph *g);
/* What is known of the shape that the vector o holds; false: nothing. */
bool constant_partial_shape(struct output o, struct shape *out);

struct node *graph_find_locked(struct graph *g, const char *name);
char *name_lower(const char *name); /* mem_alloc'd */
void graph_mark_name(struct graph *g, struct node *n);

#endif
