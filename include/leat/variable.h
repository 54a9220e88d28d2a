/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and their initialisers.
 *
 * A variable is an output that stands for the variable itself (a reference, or a resource handle):
 * give it to leat_* functions where its value is wanted and they read it, give it to leat_assign,
 * scatter ops, optimizers and leat_gradients and they update it or differentiate by it. leat_run
 * fetches its value. Nodes are those of TensorFlow 1.15: W, W/Assign, W/read. Each variable is in
 * the collection LEAT_GLOBAL_VARIABLES and, when trainable, in LEAT_TRAINABLE_VARIABLES. Values
 * exist in a session once the initializer ran. Errors: leat_graph_status. Any thread. */
#ifndef LEAT_VARIABLE_H
#define LEAT_VARIABLE_H

#include "leat/constant.h"
#include "leat/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a first value is made of a shape. */
enum leat_initializer_kind {
    LEAT_INIT_DEFAULT = 0, /* floats: Glorot's uniform; others: zeros */
    LEAT_INIT_ZEROS,
    LEAT_INIT_ONES,
    LEAT_INIT_CONSTANT,
    LEAT_INIT_RANDOM_NORMAL,
    LEAT_INIT_TRUNCATED_NORMAL,
    LEAT_INIT_RANDOM_UNIFORM,
    LEAT_INIT_SCALED_UNIFORM, /* variance scaling: by the number of inputs and outputs */
    LEAT_INIT_SCALED_NORMAL,  /* the same, truncated normal */
};
enum leat_fan { LEAT_FAN_IN = 0, LEAT_FAN_OUT, LEAT_FAN_AVG };
struct leat_initializer {
    enum leat_initializer_kind kind;
    double a, b; /* value; mean and deviation; least and greatest; scale */
    enum leat_fan fan;
    int64_t seed; /* 0 here: none of its own; else the seed + 1 */
};
static inline struct leat_initializer leat_initializer_of(enum leat_initializer_kind kind, double a,
                                                          double b, enum leat_fan fan)
{
    struct leat_initializer i;
    i.kind = kind;
    i.a = a;
    i.b = b;
    i.fan = fan;
    i.seed = 0;
    return i;
}
#define leat_init_zeros() leat_initializer_of(LEAT_INIT_ZEROS, 0, 0, LEAT_FAN_IN)
#define leat_init_ones() leat_initializer_of(LEAT_INIT_ONES, 1, 0, LEAT_FAN_IN)
#define leat_init_constant(value) leat_initializer_of(LEAT_INIT_CONSTANT, value, 0, LEAT_FAN_IN)
#define leat_init_random_normal(mean, stddev)                                                      \
    leat_initializer_of(LEAT_INIT_RANDOM_NORMAL, mean, stddev, LEAT_FAN_IN)
#define leat_init_truncated_normal(mean, stddev)                                                   \
    leat_initializer_of(LEAT_INIT_TRUNCATED_NORMAL, mean, stddev, LEAT_FAN_IN)
#define leat_init_random_uniform(minval, maxval)                                                   \
    leat_initializer_of(LEAT_INIT_RANDOM_UNIFORM, minval, maxval, LEAT_FAN_IN)
/* Glorot and Bengio 2010; He et al. 2015; as tf.glorot_*_initializer and tf.initializers.he_*. */
#define leat_init_glorot_uniform() leat_initializer_of(LEAT_INIT_SCALED_UNIFORM, 1, 0, LEAT_FAN_AVG)
#define leat_init_glorot_normal() leat_initializer_of(LEAT_INIT_SCALED_NORMAL, 1, 0, LEAT_FAN_AVG)
#define leat_init_he_uniform() leat_initializer_of(LEAT_INIT_SCALED_UNIFORM, 2, 0, LEAT_FAN_IN)
#define leat_init_he_normal() leat_initializer_of(LEAT_INIT_SCALED_NORMAL, 2, 0, LEAT_FAN_IN)

/* The first value as nodes under the current scope: zeros, random_uniform/... Shape known. */
LEAT_EXPORT TF_Output leat_initial_value(TF_Graph *g, struct leat_initializer init,
                                         struct leat_shape shape, TF_DataType dtype);

#define LEAT_VARIABLE_FIELDS_                                                                      \
    const char *made_at;                                                                           \
    int trainable;          /* 1 */                                                                \
    int resource;           /* 1: a resource variable */                                           \
    int validate_shape;     /* 1: the shape is fixed, that of the first value */                   \
    const char *collection; /* NULL: LEAT_GLOBAL_VARIABLES (and the trainable ones) */             \
    /* of leat_get_variable */                                                                     \
    TF_DataType dtype; /* 0: TF_FLOAT */                                                           \
    struct leat_initializer initializer
struct leat_variable_args {
    LEAT_VARIABLE_FIELDS_;
};
LEAT_EXPORT void leat_variable_args_init(struct leat_variable_args *args);

/* A variable `name` (NULL: Variable; made unique under the scope) that begins with `initial`. */
LEAT_EXPORT TF_Output leat_variable_fn(TF_Graph *g, const char *name, TF_Output initial,
                                       const struct leat_variable_args *args);
/* The variable of this name under the current variable scope: made with the initializer, or, where
 * the scope says reuse, the one there is. INVALID_ARGUMENT when it is there and must not be, or
 * must and is not, or has another shape or type. */
LEAT_EXPORT TF_Output leat_get_variable_fn(TF_Graph *g, const char *name, struct leat_shape shape,
                                           const struct leat_variable_args *args);

/* v's value, read now (a resource) or shared by all readers (W/read). */
LEAT_EXPORT TF_Output leat_variable_value(TF_Graph *g, TF_Output v);

/* Nodes that update v (of either kind) and give its value after that. */
LEAT_EXPORT TF_Output leat_assign_fn(TF_Graph *g, TF_Output v, TF_Output value,
                                     const struct leat_const_args *args);
LEAT_EXPORT TF_Output leat_assign_add_fn(TF_Graph *g, TF_Output v, TF_Output delta,
                                         const struct leat_const_args *args);
LEAT_EXPORT TF_Output leat_assign_sub_fn(TF_Graph *g, TF_Output v, TF_Output delta,
                                         const struct leat_const_args *args);

/* A node that is done when all of ops are; one a device, joined, where they are on several. NULL
 * ops are errors. name NULL: group_deps. */
LEAT_EXPORT TF_Operation *leat_group(TF_Graph *g, TF_Operation *const *ops, int n,
                                     const char *name);
/* Run it once in a session before other steps: gives the variables that there are now their first
 * values. name NULL: init. */
LEAT_EXPORT TF_Operation *leat_global_variables_initializer(TF_Graph *g);
LEAT_EXPORT TF_Operation *leat_variables_initializer(TF_Graph *g, const TF_Output *variables, int n,
                                                     const char *name);

#ifdef __cplusplus
}
#else

#define LEAT_VARIABLE_REST_                                                                        \
    union {                                                                                        \
        struct {                                                                                   \
            LEAT_VARIABLE_FIELDS_;                                                                 \
        };                                                                                         \
        struct leat_variable_args args;                                                            \
    }
struct leat_variable_call {
    TF_Graph *g;
    const char *name;
    TF_Output initial;
    LEAT_VARIABLE_REST_;
};
struct leat_get_variable_call {
    TF_Graph *g;
    const char *name;
    struct leat_shape shape;
    LEAT_VARIABLE_REST_;
};
struct leat_assign_call {
    TF_Graph *g;
    TF_Output v, value;
    LEAT_CONST_REST_;
};
static inline TF_Output leat_variable_call(const struct leat_variable_call *c)
{
    return leat_variable_fn(c->g, c->name, c->initial, &c->args);
}
static inline TF_Output leat_get_variable_call(const struct leat_get_variable_call *c)
{
    return leat_get_variable_fn(c->g, c->name, c->shape, &c->args);
}
static inline TF_Output leat_assign_call(const struct leat_assign_call *c)
{
    return leat_assign_fn(c->g, c->v, c->value, &c->args);
}
static inline TF_Output leat_assign_add_call(const struct leat_assign_call *c)
{
    return leat_assign_add_fn(c->g, c->v, c->value, &c->args);
}
static inline TF_Output leat_assign_sub_call(const struct leat_assign_call *c)
{
    return leat_assign_sub_fn(c->g, c->v, c->value, &c->args);
}

#define LEAT_VARIABLE_DEFAULTS_ .trainable = 1, .validate_shape = 1,
/* (g, "W", initial, .trainable, .resource) */
#define leat_variable(...)                                                                         \
    LEAT_CALL_(leat_variable_call, leat_variable_call, LEAT_VARIABLE_DEFAULTS_, .g, __VA_ARGS__)
/* (g, "W", leat_shape(784, 10), .initializer = leat_init_zeros(), .dtype, .trainable, .resource) */
#define leat_get_variable(...)                                                                     \
    LEAT_CALL_(leat_get_variable_call, leat_get_variable_call, LEAT_VARIABLE_DEFAULTS_, .g,        \
               __VA_ARGS__)
/* (g, v, value, .name) */
#define leat_assign(...)                                                                           \
    LEAT_CALL_(leat_assign_call, leat_assign_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_assign_add(...)                                                                       \
    LEAT_CALL_(leat_assign_add_call, leat_assign_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_assign_sub(...)                                                                       \
    LEAT_CALL_(leat_assign_sub_call, leat_assign_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
