/* SPDX-License-Identifier: Apache-2.0 */
/* What several passes ask of a rewrite graph, and the way they replace values.
 *
 * A pass visits the nodes in topological order, and for a value that another one stands for it
 * says so in a `struct rforward`; every consumer then reads the other. The nodes themselves stay,
 * and so do control edges that leave them, until rgraph_compact finds that nothing needs them. So
 * a replacement can be wrong about values and deadness of data alone. */
#ifndef LEAT_GRAPH_PASS_UTIL_H
#define LEAT_GRAPH_PASS_UTIL_H

#include "graph/pass.h"

struct rforward {
    struct redge **to; /* per node id: what its outputs are replaced by, or NULL */
    int64_t n;
};
/* For the nodes of now; ids are their positions (rgraph_sort sees to that). */
struct rforward rforward_new(const struct rgraph *g);
/* Readers of output `index` of n read `with`, which is not itself replaced. */
void rforward_set(struct rforward *f, struct rgraph *g, const struct rnode *n, int index,
                  struct redge with);
void rforward_inputs(const struct rforward *f, struct rnode *n); /* n reads what stands for them */
/* The inputs of every node, and the end of f; with drop, what nothing needs any more goes. */
void rforward_end(struct rforward *f, struct rgraph *g, bool drop);

/* What a node's op is; found by its name once per op and graph, then read from the node. */
enum rnode_facts {
    RNODE_KNOWN = 1,
    RNODE_CONTROL_FLOW = 2, /* Switch, Merge, Enter, Exit, NextIteration, LoopCond, Ref forms */
    RNODE_NO_EFFECTS = 4,   /* no state, no resources, no control flow, not the runtime's own */
    RNODE_CONST = 8,
    RNODE_BRANCHES = 16,  /* Switch, Merge */
    RNODE_OF_SHAPE = 32,  /* Shape, ShapeN, Size, Rank */
    RNODE_TRANSPOSE = 64, /* Transpose, ConjugateTranspose */
    RNODE_PRODUCT = 128,  /* a matrix product */
};
unsigned rnode_find_facts(struct rnode *n);
static inline unsigned rnode_facts(const struct rnode *n)
{
    return n->facts ? n->facts : rnode_find_facts((struct rnode *)(uintptr_t)n);
}
void rgraph_find_facts(struct rgraph *g); /* of all nodes */
/* Some node is one of these. */
bool rgraph_has(const struct rgraph *g, unsigned facts);

/* Switch, Merge, Enter, Exit, NextIteration, LoopCond and their like. */
bool rnode_is_control_flow(const struct rnode *n);
bool rnode_is(const struct rnode *n, const char *op);
/* Its outputs follow from its inputs' values alone: no state, no references (read ones neither), no
 * resources, no control flow. Two such nodes with equal inputs are one. */
bool rnode_is_pure(const struct rnode *n);
/* The value of e when it is a constant without control edges, so never dead; else NULL. */
const struct tensor *redge_const(struct redge e);
/* The whole numbers of an int32 or int64 constant: *n of them into out, which has room for max;
 * false where e is none, or longer. */
bool redge_ints(struct redge e, int64_t *out, int max, int *n);
/* The same device, and no loop frame between them but what Enter and Exit say. */
bool rnode_same_device(const struct rnode *a, const struct rnode *b);
bool rnode_reads_ref(const struct rnode *n);

/* Facts by node id; mem_alloc'd, the caller's. order: as rgraph_sort gives it. */
/* May be skipped in some run, because a Switch is above it, or run many times in a loop. */
bool *rgraph_find_conditional(const struct rgraph *g, struct rnode *const *order);
/* Inferred shapes that hold for certain: nothing above it is a variable, whose shape an assignment
 * may change. */
bool *rgraph_find_sure_shapes(const struct rgraph *g, struct rnode *const *order);

#endif
