/* SPDX-License-Identifier: Apache-2.0 */
/* Constants: of single values, arrays and tensors; zeros and ones; random tensors.
 *
 * All make Const nodes, except zeros and ones of 1,000 elements or more (Fill) and random ones (a
 * handful of nodes under one scope), named as TensorFlow 1.15's Python names them. In C each macro
 * takes .name = "x" and what its struct of arguments has; the _fn functions take NULL for the
 * defaults. Values are copied. Errors: leat_graph_status. Any thread. */
#ifndef LEAT_CONSTANT_H
#define LEAT_CONSTANT_H

#include "leat/op.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_CONST_FIELDS_                                                                         \
    const char *name;    /* NULL: Const, zeros, ones */                                            \
    const char *made_at; /* LEAT_HERE */                                                           \
    TF_DataType dtype    /* of leat_zeros and leat_ones: 0 is TF_FLOAT */
struct leat_const_args {
    LEAT_CONST_FIELDS_;
};

/* Elements of dtype, row by row; shape must be known. Strings: const char *const *. */
LEAT_EXPORT TF_Output leat_const_array_fn(TF_Graph *g, TF_DataType dtype, const void *data,
                                          struct leat_shape shape,
                                          const struct leat_const_args *args);
/* A tensor, which stays the caller's. */
LEAT_EXPORT TF_Output leat_constant_fn(TF_Graph *g, TF_Tensor *value,
                                       const struct leat_const_args *args);
LEAT_EXPORT TF_Output leat_zeros_fn(TF_Graph *g, struct leat_shape shape,
                                    const struct leat_const_args *args);
LEAT_EXPORT TF_Output leat_ones_fn(TF_Graph *g, struct leat_shape shape,
                                   const struct leat_const_args *args);
/* Elements that are all `value`, converted to args->dtype (0: TF_FLOAT): one Const node. */
LEAT_EXPORT TF_Output leat_const_filled_fn(TF_Graph *g, struct leat_shape shape, double value,
                                           const struct leat_const_args *args);

#define LEAT_RANDOM_FIELDS_                                                                        \
    const char *name;                                                                              \
    const char *made_at;                                                                           \
    TF_DataType dtype;     /* 0: TF_FLOAT */                                                       \
    double mean, stddev;   /* of the normal ones; 0 and 1 */                                       \
    double minval, maxval; /* of the uniform one; 0 and 1; the upper end excluded */               \
    int64_t seed           /* LEAT_INT_NOT_GIVEN: by the graph's */
struct leat_random_args {
    LEAT_RANDOM_FIELDS_;
};
LEAT_EXPORT void leat_random_args_init(struct leat_random_args *args);
LEAT_EXPORT TF_Output leat_random_normal_fn(TF_Graph *g, struct leat_shape shape,
                                            const struct leat_random_args *args);
/* Values farther than two deviations from the mean are drawn again. */
LEAT_EXPORT TF_Output leat_truncated_normal_fn(TF_Graph *g, struct leat_shape shape,
                                               const struct leat_random_args *args);
LEAT_EXPORT TF_Output leat_random_uniform_fn(TF_Graph *g, struct leat_shape shape,
                                             const struct leat_random_args *args);

#ifdef __cplusplus
}
#else

#define LEAT_CONST_REST_                                                                           \
    union {                                                                                        \
        struct {                                                                                   \
            LEAT_CONST_FIELDS_;                                                                    \
        };                                                                                         \
        struct leat_const_args args;                                                               \
    }
#define LEAT_CONST_CALL_(type)                                                                     \
    struct leat_const_##type##_call {                                                              \
        TF_Graph *g;                                                                               \
        type value;                                                                                \
        LEAT_CONST_REST_;                                                                          \
    }
LEAT_CONST_CALL_(float);
LEAT_CONST_CALL_(double);
LEAT_CONST_CALL_(int32_t);
LEAT_CONST_CALL_(int64_t);
LEAT_CONST_CALL_(bool);
struct leat_const_string_call {
    TF_Graph *g;
    const char *value;
    LEAT_CONST_REST_;
};
struct leat_constant_call {
    TF_Graph *g;
    TF_Tensor *value;
    LEAT_CONST_REST_;
};
struct leat_const_array_call {
    TF_Graph *g;
    TF_DataType type;
    const void *data;
    struct leat_shape shape;
    LEAT_CONST_REST_;
};
struct leat_const_data_call {
    TF_Graph *g;
    const void *data;
    struct leat_shape shape;
    LEAT_CONST_REST_;
};
struct leat_zeros_call {
    TF_Graph *g;
    struct leat_shape shape;
    LEAT_CONST_REST_;
};
struct leat_random_call {
    TF_Graph *g;
    struct leat_shape shape;
    union {
        struct {
            LEAT_RANDOM_FIELDS_;
        };
        struct leat_random_args args;
    };
};

#define LEAT_SCALAR_(c, dtype)                                                                     \
    leat_const_array_fn((c)->g, dtype, &(c)->value, (struct leat_shape){NULL, 0}, &(c)->args)
static inline TF_Output leat_const_float_call(const struct leat_const_float_call *c)
{
    return LEAT_SCALAR_(c, TF_FLOAT);
}
static inline TF_Output leat_const_double_call(const struct leat_const_double_call *c)
{
    return LEAT_SCALAR_(c, TF_DOUBLE);
}
static inline TF_Output leat_const_int_call(const struct leat_const_int32_t_call *c)
{
    return LEAT_SCALAR_(c, TF_INT32);
}
static inline TF_Output leat_const_int64_call(const struct leat_const_int64_t_call *c)
{
    return LEAT_SCALAR_(c, TF_INT64);
}
static inline TF_Output leat_const_bool_call(const struct leat_const_bool_call *c)
{
    return LEAT_SCALAR_(c, TF_BOOL);
}
static inline TF_Output leat_const_string_call(const struct leat_const_string_call *c)
{
    return LEAT_SCALAR_(c, TF_STRING);
}
static inline TF_Output leat_constant_call(const struct leat_constant_call *c)
{
    return leat_constant_fn(c->g, c->value, &c->args);
}
static inline TF_Output leat_const_array_call(const struct leat_const_array_call *c)
{
    return leat_const_array_fn(c->g, c->type, c->data, c->shape, &c->args);
}
static inline TF_Output leat_const_floats_call(const struct leat_const_data_call *c)
{
    return leat_const_array_fn(c->g, TF_FLOAT, c->data, c->shape, &c->args);
}
static inline TF_Output leat_const_ints_call(const struct leat_const_data_call *c)
{
    return leat_const_array_fn(c->g, TF_INT32, c->data, c->shape, &c->args);
}
static inline TF_Output leat_zeros_call(const struct leat_zeros_call *c)
{
    return leat_zeros_fn(c->g, c->shape, &c->args);
}
static inline TF_Output leat_ones_call(const struct leat_zeros_call *c)
{
    return leat_ones_fn(c->g, c->shape, &c->args);
}
static inline TF_Output leat_random_normal_call(const struct leat_random_call *c)
{
    return leat_random_normal_fn(c->g, c->shape, &c->args);
}
static inline TF_Output leat_truncated_normal_call(const struct leat_random_call *c)
{
    return leat_truncated_normal_fn(c->g, c->shape, &c->args);
}
static inline TF_Output leat_random_uniform_call(const struct leat_random_call *c)
{
    return leat_random_uniform_fn(c->g, c->shape, &c->args);
}

#define LEAT_NO_DEFAULTS_
/* (g, value, .name) */
#define leat_const_float(...)                                                                      \
    LEAT_CALL_(leat_const_float_call, leat_const_float_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_const_double(...)                                                                     \
    LEAT_CALL_(leat_const_double_call, leat_const_double_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_const_int(...)                                                                        \
    LEAT_CALL_(leat_const_int_call, leat_const_int32_t_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_const_int64(...)                                                                      \
    LEAT_CALL_(leat_const_int64_call, leat_const_int64_t_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_const_bool(...)                                                                       \
    LEAT_CALL_(leat_const_bool_call, leat_const_bool_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_const_string(...)                                                                     \
    LEAT_CALL_(leat_const_string_call, leat_const_string_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
/* (g, tensor, .name) */
#define leat_constant(...)                                                                         \
    LEAT_CALL_(leat_constant_call, leat_constant_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
/* (g, dtype, data, leat_shape(2, 3), .name) */
#define leat_const_array(...)                                                                      \
    LEAT_CALL_(leat_const_array_call, leat_const_array_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
/* (g, data, leat_shape(2, 3), .name): of floats, of int32 */
#define leat_const_floats(...)                                                                     \
    LEAT_CALL_(leat_const_floats_call, leat_const_data_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_const_ints(...)                                                                       \
    LEAT_CALL_(leat_const_ints_call, leat_const_data_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
/* (g, leat_shape(2, 3), .dtype, .name) */
#define leat_zeros(...)                                                                            \
    LEAT_CALL_(leat_zeros_call, leat_zeros_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
#define leat_ones(...)                                                                             \
    LEAT_CALL_(leat_ones_call, leat_zeros_call, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
/* (g, leat_shape(2, 3), .mean, .stddev, .dtype, .seed, .name) */
#define LEAT_RANDOM_DEFAULTS_ .stddev = 1, .maxval = 1, .seed = LEAT_INT_NOT_GIVEN,
#define leat_random_normal(...)                                                                    \
    LEAT_CALL_(leat_random_normal_call, leat_random_call, LEAT_RANDOM_DEFAULTS_, .g, __VA_ARGS__)
#define leat_truncated_normal(...)                                                                 \
    LEAT_CALL_(leat_truncated_normal_call, leat_random_call, LEAT_RANDOM_DEFAULTS_, .g, __VA_ARGS__)
/* (g, leat_shape(2, 3), .minval, .maxval, .dtype, .seed, .name) */
#define leat_random_uniform(...)                                                                   \
    LEAT_CALL_(leat_random_uniform_call, leat_random_call, LEAT_RANDOM_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
