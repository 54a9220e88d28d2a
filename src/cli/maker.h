/* SPDX-License-Identifier: Apache-2.0 */
/* Graph building for the commands that make graphs of their own (demo, bench): one call a node, and
 * one error check at the end. After a failed step the rest do nothing; `s` holds the first error.
 */
#ifndef LEAT_CLI_MAKER_H
#define LEAT_CLI_MAKER_H

#include "cli/cli.h"

struct maker {
    TF_Graph *graph;
    TF_Session *session;
    TF_Status *s;
    TF_Output *vars; /* the trained variables, references */
    int num_vars;
    int64_t cap_vars, cap_inits;
    const TF_Operation **inits; /* run by maker_start */
    int num_inits;
    int num_ops; /* made so far: the next one's name */
    uint64_t seed;
    const char *config;          /* ConfigProto as text; NULL: the defaults */
    const char *target;          /* of the session; NULL: in this process */
    const char *device;          /* of the nodes that are made next; NULL: none is said */
    const char *variable_device; /* of variables, in place of device */
};
void maker_init(struct maker *m);
void maker_release(struct maker *m);
/* Opens the session and initialises the variables. */
MUST_CHECK bool maker_start(struct maker *m, struct status *st);

TF_Output make_op(struct maker *m, const char *op, int n, const TF_Output *inputs);
TF_Output make_floats(struct maker *m, const float *v, int64_t rows, int64_t cols);
TF_Output make_scalar(struct maker *m, float v);
TF_Output make_ints(struct maker *m, const int32_t *v, int64_t n);
TF_Output make_int(struct maker *m, int32_t v); /* a scalar */
TF_Output make_placeholder(struct maker *m, TF_DataType type);
/* As above with a shape; -1: a size that is not known. */
TF_Output make_input(struct maker *m, TF_DataType type, const int64_t *dims, int num_dims);
/* A trained variable of this shape, uniform in [-limit, limit] at the start; its value is given,
 * read once a step. */
TF_Output make_variable(struct maker *m, const int64_t *dims, int num_dims, float limit);
/* The same from a first value. */
TF_Output make_variable_from(struct maker *m, const int64_t *dims, int num_dims, TF_Output start);
/* A variable whose first value is `start`; not trained, and the reference itself is given. */
TF_Output make_slot(struct maker *m, const int64_t *dims, int num_dims, TF_Output start);
/* Random numbers in [-limit, limit), other ones at each run. At most 8 dims. */
TF_Output make_uniform(struct maker *m, const int64_t *dims, int num_dims, float limit);
TF_Output make_conv(struct maker *m, TF_Output x, TF_Output filter, int64_t stride);

/* An attribute of make_node; made by the functions below. */
struct make_attr {
    const char *name;
    enum { MAKE_TYPE, MAKE_INT, MAKE_INTS, MAKE_BOOL, MAKE_FLOAT, MAKE_TEXT, MAKE_SHAPE } kind;
    int num; /* of ints */
    int64_t ints[4];
    float f;
    const char *text;
};
struct make_attr attr_type(const char *name, TF_DataType v);
struct make_attr attr_int(const char *name, int64_t v);
struct make_attr attr_bool(const char *name, bool v);
struct make_attr attr_float(const char *name, float v);
struct make_attr attr_text(const char *name, const char *v);
struct make_attr attr_ints(const char *name, const int64_t *v, int num);  /* at most 4 */
struct make_attr attr_shape(const char *name, const int64_t *v, int num); /* at most 4 */

/* What make_op leaves out: a list argument (it comes first), attributes, control inputs. */
struct make_node {
    const char *op;
    const TF_Output *list; /* NULL: the op has none */
    int num_list;
    const TF_Output *inputs;
    int num_inputs;
    const struct make_attr *attrs;
    int num_attrs;
    TF_Operation *const *after;
    int num_after;
};
TF_Output make(struct maker *m, const struct make_node *node);
/* d loss / d xs; the gradients of unconnected xs are invalid outputs. */
void make_gradients(struct maker *m, TF_Output loss, TF_Output *xs, int n, TF_Output *dxs);

/* A tensor with a copy of data. */
TF_Tensor *maker_tensor(TF_DataType type, const int64_t *dims, int num_dims, const void *data);
uint64_t maker_random(uint64_t *state);

#endif
