/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic gradients: adds to a graph the nodes that compute d(ys)/d(xs).
 *
 * The walk visits the nodes between xs and ys once, in reverse topological order, and asks each
 * op's own gradient function (op/grad.h) for the gradients of its inputs. Several gradients of one
 * value are added by AddN; indexed slices are joined as slices, and become dense only where they
 * meet a dense one or an op that wants one. Iterative; work is linear in the nodes visited. */
#ifndef LEAT_GRAD_GRAD_WALK_H
#define LEAT_GRAD_GRAD_WALK_H

#include "graph/graph.h"
#include "op/grad.h"

struct grad_value { /* a gradient: none (values invalid), dense, or slices */
    struct output values;
    struct output indices, dense_shape; /* valid: indexed slices */
};

struct grad_ctx;
enum grad_said { GRAD_NOT_MINE, GRAD_DONE, GRAD_NONE /* there is none */, GRAD_FAILED };

struct grad_request {
    const struct output *ys, *xs;
    const struct output *dys; /* per y; NULL or an invalid output: ones */
    int num_ys, num_xs;
    const struct output *stops; /* treated as constants */
    int num_stops;
    const char *prefix; /* names are prefix/Op, prefix/Op_1; NULL: a fresh "gradients" */
    int depth;          /* gradients of functions around this one */
    bool dense;         /* slices are made dense in the result */
    bool node_scopes;   /* names are prefix/FORWARD_grad/Op, as tf.gradients has them */
    bool colocate;      /* nodes are placed with the op whose gradient they make */
    bool gate;          /* those of an op's inputs wait for each other */
    enum grad_aggregation { GRAD_ADD_N, GRAD_TREE, GRAD_ACCUMULATE_N } aggregation;
    /* Called with each node's description before it is finished, and with the node; may be NULL. */
    void (*before_node)(void *arg, struct node_desc *d);
    void (*after_node)(void *arg, struct node *n);
    /* Nodes are placed with n (NULL: anywhere) from here on, until the like with end. NULL: no. */
    void (*placed_with)(void *arg, struct node *n, bool end);
    void *hook_arg;
    /* Whether the loop of this frame is being built around the gradients: what enters it is then
     * what was outside. Whether none flows through it (back_prop false). NULL: neither. */
    bool (*loop_is_open)(void *arg, struct str frame);
    bool (*loop_is_silent)(void *arg, const char *frame);
    /* The gradient that a client gives under this name, or NULL. g NULL: only whether it has one.
     * With it the attribute _gradient_op_type says under which name a node's is. */
    enum grad_said (*client)(void *arg, struct grad_ctx *g, const char *name, struct status *st);
};

/* dxs: num_xs results; a x that ys do not depend on gets an invalid output. On failure nothing is
 * promised about nodes added so far (they are unused). Errors name the forward node. */
MUST_CHECK bool grad_walk(struct graph *g, const struct grad_request *r, struct grad_value *dxs,
                          struct status *st);

/* --- for a client's functions, which make nodes of their own --- */

struct grad_value grad_incoming(struct grad_ctx *g, int i); /* of output i of the forward node */
const char *grad_prefix(struct grad_ctx *g);                /* of its nodes' names; no slash */
bool grad_in_loop(const struct grad_ctx *g);
/* o as the turn that is being made sees it; what a node of that turn waits for; and that it is. */
struct output grad_here(struct grad_ctx *g, struct output o);
void grad_hold_turn(struct grad_ctx *g, struct node_desc *d);
void grad_note_made(struct grad_ctx *g, struct node *n);
/* Calls the rule of an op (NULL: the node's) for one node. dxs: an entry an input, cleared. around:
 * the gradient that this is part of; may be NULL. */
struct grad_one {
    struct node *node;
    const char *rule;
    const struct grad_value *dys;
    struct grad_value *dxs;
    const char *prefix;
    const struct grad_request *r; /* for its hooks */
};
MUST_CHECK bool grad_one(struct grad_ctx *around, const struct grad_one *q, struct status *st);

#endif
