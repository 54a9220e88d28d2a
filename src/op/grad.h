/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a gradient function: it reads the forward node, builds nodes, and sets the
 * gradient of each input.
 *
 * Building never fails in place: the first error is kept in the context, the builders then return
 * an invalid output that later builders pass through, and `return grad_done(g, st)` reports it.
 * So gradients are written as expressions:
 *     grad_set(g, 0, grad_op2(g, "Mul", dy, grad_op1(g, "Cos", grad_in(g, 0))));
 * Nodes built here carry the attr types that follow from their inputs; other attrs are given by
 * name. A gradient that is not set is "none" (unconnected). */
#ifndef LEAT_OP_GRAD_H
#define LEAT_OP_GRAD_H

#include "op/attr.h"

struct node; /* graph/graph.h */

/* Output `index` of a node. node NULL: none, or invalid after an error. */
struct output {
    struct node *node;
    int index;
};
static inline bool output_valid(struct output o)
{
    return o.node != NULL;
}

struct grad_ctx;

/* --- the forward node --- */
struct output grad_in(struct grad_ctx *g, int i);  /* its input i (expanded index) */
struct output grad_out(struct grad_ctx *g, int i); /* its output i */
int grad_num_inputs(struct grad_ctx *g);
int grad_num_outputs(struct grad_ctx *g);
const struct attrs *grad_attrs(struct grad_ctx *g);
const char *grad_node_name(struct grad_ctx *g);
const char *grad_op_name(struct grad_ctx *g);
/* The scope of this call of tf.gradients, of no other: "gradients", "gradients_1"... */
const char *grad_scope(struct grad_ctx *g);
bool grad_input_range(struct grad_ctx *g, const char *arg, int *first, int *n);
int grad_type_of(struct grad_ctx *g, struct output o); /* base type */
/* Inferred; borrowed; may be unknown. */
const struct shape *grad_shape_of(struct grad_ctx *g, struct output o);
/* The value of o where it is a constant in the graph (computed when cheap), else NULL; borrowed. */
const struct tensor *grad_const_of(struct grad_ctx *g, struct output o);

/* --- incoming gradients --- */
bool grad_has_dy(struct grad_ctx *g, int i);
/* Dense gradient of output i; zeros of its shape where none came. */
struct output grad_dy(struct grad_ctx *g, int i);
/* Same, but an invalid output (no error) where none came. */
struct output grad_dy_or_none(struct grad_ctx *g, int i);
/* Indexed slices, where the gradient of output i came so. */
struct grad_slices {
    struct output values, indices, dense_shape;
};
bool grad_dy_slices(struct grad_ctx *g, int i, struct grad_slices *out);

/* --- outgoing gradients --- */
void grad_set(struct grad_ctx *g, int input, struct output dx);
void grad_set_slices(struct grad_ctx *g, int input, struct grad_slices dx);
/* For ops that call one function with all their inputs: the gradients are those of f, made by
 * SymbolicGradient, which runs f's body again. UNIMPLEMENTED where that would do its effects twice
 * or draw other random numbers. */
MUST_CHECK bool grad_set_call(struct grad_ctx *g, const struct attr_func *f, struct status *st);
/* For ops that call one of num_f functions with their inputs from `first` on: functions are added
 * to the graph's library that take those inputs and the gradients of the op's results, and give the
 * gradients of some of the inputs. UNIMPLEMENTED as above. */
struct grad_branches {
    const char *const *names;    /* num_f */
    const struct output *inputs; /* of the new functions */
    int num_inputs;
    const int *x; /* inputs of the op whose gradients they give */
    const int *types;
    int num_x;
};
MUST_CHECK bool grad_make_branches(struct grad_ctx *g, const struct attr_func *const *f, int num_f,
                                   int first, struct grad_branches *out, struct status *st);
/* For loops whose cond and body are functions of the op's inputs: the forward loop runs once more,
 * and records the values that each turn begins with on lists; another loop takes them off again,
 * last one first. UNIMPLEMENTED as above. */
MUST_CHECK bool grad_set_while(struct grad_ctx *g, const struct attr_func *cond,
                               const struct attr_func *body, struct status *st);
/* INVALID_ARGUMENT or the given code; the gradient walk names the node. Always false. */
bool grad_fail(struct grad_ctx *g, struct status *st, int code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
MUST_CHECK bool grad_done(struct grad_ctx *g, struct status *st);

/* --- building nodes --- */
/* Whether nodes are to be those of tf.gradients in Python, their names too: wherever the same
 * values may come of several nodes, and there are fewer for the C API. */
bool grad_as_python(const struct grad_ctx *g);
/* If so, the next node is called this. A constant that is made without is called after the argument
 * of its first reader: `mul/y`. */
void grad_name(struct grad_ctx *g, const char *name);
/* An op may be given with a name for that: "mul=Mul". */
struct output grad_op1(struct grad_ctx *g, const char *op, struct output a);
struct output grad_op2(struct grad_ctx *g, const char *op, struct output a, struct output b);
struct output grad_op3(struct grad_ctx *g, const char *op, struct output a, struct output b,
                       struct output c);
/* General form: inputs in order (lists one after another: num_lists counts in list_sizes where an
 * op has list arguments, in the order declared; NULL: each argument one value), attrs given by
 * name. Attrs that the types of inputs determine, and those with defaults, may be left out.
 * Returns the node (NULL after an error). */
struct grad_build {
    const char *op;
    const struct output *inputs;
    int num_inputs;
    const int *list_sizes;     /* one per declared input argument; 1 for a single value; or NULL */
    const struct attrs *attrs; /* borrowed; may be NULL */
    const struct output *control; /* nodes to run before, by any output of theirs */
    int num_control;
    bool control_here; /* which are nodes of this gradient: in a loop, of the same turn */
};
struct node *grad_node(struct grad_ctx *g, const struct grad_build *b);
struct output grad_node_out(struct grad_ctx *g, struct node *n, int i);
/* An op with inputs and up to a few attrs: grad_opv(g, "Sum", 2, (struct output[]){x, axes}, 1,
 * (struct attr[]){{"keep_dims", attr_bool(true)}}). Takes the attr values. */
struct output grad_opv(struct grad_ctx *g, const char *op, int num_inputs,
                       const struct output *inputs, int num_attrs, struct attr *attrs);
struct node *grad_nodev(struct grad_ctx *g, const char *op, int num_inputs,
                        const struct output *inputs, int num_attrs, struct attr *attrs);

/* --- constants and shorthands --- */
struct output grad_const(struct grad_ctx *g, const struct tensor *t);
struct output grad_const_i32(struct grad_ctx *g, int32_t v);
struct output grad_const_i32s(struct grad_ctx *g, const int32_t *v, int64_t n);
struct output grad_const_like(struct grad_ctx *g, struct output like,
                              double v); /* scalar of like's type */
struct output grad_cast(struct grad_ctx *g, struct output x,
                        int dtype);                            /* x itself if it has the type */
struct output grad_shape(struct grad_ctx *g, struct output x); /* Shape, int32 */
struct output grad_zeros_like(struct grad_ctx *g, struct output x);
struct output grad_neg(struct grad_ctx *g, struct output x);
struct output grad_mul(struct grad_ctx *g, struct output a, struct output b);
struct output grad_add(struct grad_ctx *g, struct output a,
                       struct output b); /* AddV2 semantics, op "Add" */
struct output grad_sub(struct grad_ctx *g, struct output a, struct output b);
struct output grad_div(struct grad_ctx *g, struct output a, struct output b); /* RealDiv */
struct output grad_conj(struct grad_ctx *g, struct output x); /* x itself unless complex */
struct output grad_identity(struct grad_ctx *g, struct output x);
struct output grad_reshape(struct grad_ctx *g, struct output x, struct output shape);
struct output grad_rank(struct grad_ctx *g, struct output x); /* a constant where it is known */
struct output grad_size(struct grad_ctx *g, struct output x); /* likewise */
/* tf.matmul of matrices, or stacks of them; adjoints. */
struct output grad_matmul(struct grad_ctx *g, struct output x, struct output y, bool adj_x,
                          bool adj_y);
/* [n, 1] of an int32 scalar: the shape of a column. */
struct output grad_column(struct grad_ctx *g, struct output n);
/* Shape, int32 or int64. */
struct output grad_shape_as(struct grad_ctx *g, struct output x, int type);
/* Inferred, of what a variable's handle stands for; borrowed; may be unknown. */
const struct shape *grad_shape_behind(struct grad_ctx *g, struct output handle);
/* What is made until the end stands with x's node. */
void grad_beside(struct grad_ctx *g, struct output x);
void grad_beside_end(struct grad_ctx *g);
/* Rows of x: Gather, in tf.gradients GatherV2. */
struct output grad_take_rows(struct grad_ctx *g, struct output x, struct output indices);
/* v[begin:end] of a vector; end 0: all that follow. */
struct output grad_piece(struct grad_ctx *g, struct output v, int begin, int end);
/* tf.zeros(tf.shape(x)), tf.zeros(shape). Ones: tf.ones_like. */
struct output grad_zeros_of(struct grad_ctx *g, struct output x);
struct output grad_zeros(struct grad_ctx *g, struct output shape, struct output like);
struct output grad_ones_like(struct grad_ctx *g, struct output x);
struct output grad_ones_as(struct grad_ctx *g, struct output x, int type);
/* o, which in tf.gradients is `reader/name` if it is a constant that the reader is given. */
struct output grad_called(struct grad_ctx *g, struct output o, const char *name);
/* Binary ops: what broadcasting had spread. The ways differ in tf.gradients alone, in what is left
 * out where the shapes are known: all but the sums; the same, though not if they are equal;
 * nothing. */
enum grad_broadcast_how { GRAD_BY_DIMS, GRAD_BY_DIMS_ALWAYS, GRAD_BY_SHAPES };
struct grad_broadcast {
    bool known;
    int rank;
    int64_t dims[SHAPE_MAX_RANK];
    struct output shape[2]; /* with `known` the inputs */
    struct node *args;
};
struct grad_broadcast grad_broadcast(struct grad_ctx *g, enum grad_broadcast_how how);
/* dx, summed over it and in the shape of input i. */
struct output grad_summed(struct grad_ctx *g, const struct grad_broadcast *s, int i,
                          struct output dx);
/* dx_a and dx_b so, as the gradients of inputs 0 and 1. Skips the work where the shapes are known
 * equal. */
void grad_set_broadcast(struct grad_ctx *g, struct output dx_a, struct output dx_b);

#endif
