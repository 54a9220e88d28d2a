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
    /* Called with each node's description before it is finished, and with the node; may be NULL. */
    void (*before_node)(void *arg, struct node_desc *d);
    void (*after_node)(void *arg, struct node *n);
    void *hook_arg;
};

/* dxs: num_xs results; a x that ys do not depend on gets an invalid output. On failure nothing is
 * promised about nodes added so far (they are unused). Errors name the forward node. */
MUST_CHECK bool grad_walk(struct graph *g, const struct grad_request *r, struct grad_value *dxs,
                          struct status *st);

#endif
