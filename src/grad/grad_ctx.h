/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind op/grad.h: the forward node, the gradients that came, those that were set,
 * and the first error. Lives on the walk's stack, one per forward node. */
#ifndef LEAT_GRAD_GRAD_CTX_H
#define LEAT_GRAD_GRAD_CTX_H

#include "grad/grad_walk.h"

struct walk; /* grad/grad_impl.h */

struct grad_ctx {
    struct graph *graph;
    struct walk *w;
    struct node *node; /* the forward node */
    const char *prefix;
    const struct grad_request *r; /* for its hooks; NULL: none */
    const char *next_name;        /* the next node is called so, not by its op; then NULL again */
    const char *scope_name;       /* or so, which is taken for it already */
    const char *next_device;      /* of the next nodes; NULL: as the scopes say */
    struct grad_value *dys;       /* per output */
    struct output *zeros;         /* NULL, or per output what stands for dys that are not there */
    struct grad_value *dxs;       /* per input; cleared at the start */
    struct arena arena;           /* borrowed texts, shapes and constants handed out */
    struct grad_kept *kept;       /* tensors and shapes to give back */
    struct status error;          /* the first one */
};

/* Keeps UNIMPLEMENTED as the error, if it is the first. */
void grad_fail_unimplemented(struct grad_ctx *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The value of a literal (grad_literal.c), NULL: another output; the constant that it becomes; the
 * inputs of a node called `name` with constants in the place of literals. */
const struct tensor *grad_literal(struct output o);
struct output grad_resolve(struct grad_ctx *g, struct output o);
const struct output *grad_resolve_inputs(struct grad_ctx *g, const struct grad_build *b,
                                         const char *op, const char *name);
/* Whether the graph was not asked this before: tf.gradients computes some things once for a graph.
 */
bool grad_first_time(struct grad_ctx *g, const char *key);
struct output grad_zeros_as_python(struct grad_ctx *g, struct output x);     /* tf.zeros_like */
struct output grad_shape_literal(struct grad_ctx *g, const struct shape *s); /* all known */
const struct tensor *grad_keep_tensor(struct grad_ctx *g, const struct tensor *t); /* a copy */
/* A scalar. */
struct output grad_const_of_type(struct grad_ctx *g, int type, double v);
void grad_ctx_release(struct grad_ctx *g);
/* The gradients of a call of f are SymbolicGradient's, whatever its body does. */
void grad_call_function(struct grad_ctx *g, const struct attr_func *f);
/* What an input's gradient is: of a variable, that of what it holds; whether there can be one; and
 * whether a call may be repeated (UNIMPLEMENTED). */
int grad_input_gradient_type(struct grad_ctx *g, int i);
bool grad_type_has_gradient(int type);
MUST_CHECK bool grad_check_repeatable(struct grad_ctx *g, const struct attr_func *f,
                                      struct status *st);
/* Which rule is a node's (grad_client.c): its name; the op of that name, or NULL; what the client
 * has for it. */
const char *grad_rule_name(const struct node *n);
const struct op_def *grad_rule_def(const struct grad_request *r, const struct node *n);
enum grad_said grad_client_has(const struct grad_request *r, const struct node *n);
/* As tf.gradients does it before an op's function is called, whether or not it reads them. */
void grad_make_zeros(struct grad_ctx *g);
/* The client's function, its nodes under scope. */
MUST_CHECK bool grad_call_client(struct grad_ctx *g, const char *scope, struct status *st);
/* A node of these inputs alone would not wait for its turn; a node was made in the place that is
 * worked in. */
bool grad_needs_turn(const struct output *inputs, int n);
void grad_note_place(struct walk *w, const struct node *n);
/* Dense form of a gradient (invalid stays invalid). */
struct output grad_densify(struct grad_ctx *g, const struct grad_value *v);
/* The sum of n >= 1 gradients of one value; of: whose it is, may be NULL. */
struct grad_value grad_sum(struct grad_ctx *g, const struct node *of, const struct grad_value *v,
                           int64_t n);
/* Nodes are placed with n, NULL: anywhere, until grad_place_end. */
void grad_place_with(struct grad_ctx *g, struct node *n);
void grad_place_end(struct grad_ctx *g);
/* Those of dxs that are there become values that wait for all of them; as `tuple` under the prefix.
 */
void grad_gate(struct grad_ctx *g);

#endif
