/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as TensorFlow 1.15's Python front end makes them: short forms for the composites.
 *
 * A number beside a tensor becomes a constant of the tensor's type, named after the place that it
 * takes: mul(x, 2.0) is "mul" with "mul/y". All names are made unique in the current scope. A
 * failed or invalid input gives an invalid output; the first error is the graph's (leat/scope.h).
 */
#ifndef LEAT_BUILD_MK_H
#define LEAT_BUILD_MK_H

#include "leat/op.h"
#include "leat/scope.h"
#include "leat/types.h"

enum { MK_MAX_RANK = 254 };

/* A tensor or a number. */
struct mk_arg {
    TF_Output y;
    double value;
    bool is_number;
};
static inline struct mk_arg mk_t(TF_Output y)
{
    return (struct mk_arg){y, 0, false};
}
static inline struct mk_arg mk_n(double value)
{
    return (struct mk_arg){{NULL, 0}, value, true};
}

#define MK_NONE ((TF_Output){NULL, 0})

/* ---- constants ---- */

/* Of `dims`, every element `value`: float types (half and bfloat16 too) and integers. Errors:
 * UNIMPLEMENTED (another type), RESOURCE_EXHAUSTED. */
TF_Output mk_full(TF_Graph *g, const char *name, TF_DataType dtype, struct leat_shape dims,
                  double value);
TF_Output mk_scalar(TF_Graph *g, const char *name, TF_DataType dtype, double value);
/* An int32 scalar and vector. INVALID_ARGUMENT: a value that does not fit. */
TF_Output mk_i32(TF_Graph *g, const char *name, int64_t value);
TF_Output mk_i32s(TF_Graph *g, const char *name, struct leat_ints values);
/* Of a tensor's bytes; floats of any type from floats: values[0, n) as a vector. */
TF_Output mk_floats(TF_Graph *g, const char *name, struct leat_floats values);

/* ---- nodes ---- */

/* One of which every attribute is found from the inputs. */
TF_Output mk_op(TF_Graph *g, const char *op, const char *name, struct leat_outputs in);
TF_Output mk_unary(TF_Graph *g, const char *op, const char *name, TF_Output x);
/* One of two inputs, of which at most one is a number. */
TF_Output mk_math(TF_Graph *g, const char *op, const char *name, struct mk_arg a, struct mk_arg b);
/* Cast to dtype; x itself where it has that type. */
TF_Output mk_cast(TF_Graph *g, TF_Output x, TF_DataType dtype);
TF_Output mk_concat(TF_Graph *g, const char *name, struct leat_outputs in, int axis);
TF_Output mk_pack(TF_Graph *g, const char *name, struct leat_outputs in);
/* A constant where the shape is known, else Shape, Size: int32. */
TF_Output mk_shape(TF_Graph *g, const char *name, TF_Output x);
TF_Output mk_size(TF_Graph *g, const char *name, TF_Output x);
TF_Output mk_rank(TF_Graph *g, const char *name, TF_Output x);
/* range(0, limit). */
TF_Output mk_range(TF_Graph *g, const char *name, TF_Output limit);
/* Reshape to a constant shape. */
TF_Output mk_reshape(TF_Graph *g, const char *name, TF_Output x, struct leat_ints shape);
/* Sum, Mean... over axes; not given: over all. */
TF_Output mk_reduce(TF_Graph *g, const char *op, const char *name, TF_Output x,
                    struct leat_ints axes, bool keep_dims);
/* The dims of x's shape known to be `dims`; else those that a shape tensor tells: as tf.zeros_like
 * and tf.ones_like make them. */
TF_Output mk_zeros_like(TF_Graph *g, TF_Output x);
TF_Output mk_ones_like(TF_Graph *g, TF_Output x);
/* x[begin:end], or x[begin] with shrink: a slice of a vector by numbers. end 0: to the end. */
TF_Output mk_slice1(TF_Graph *g, const char *name, TF_Output x, int begin, int end, bool shrink);
/* An operation that does nothing but wait for ops[0, n), which may stand on several devices. name
 * ends with a slash (taken as it is) or not. */
TF_Operation *mk_group(TF_Graph *g, const char *name, TF_Operation *const *ops, int n);

/* The name without a scope's trailing slash of the innermost scope, for a node named as its scope:
 * leat_begin takes leat_current_scope(g). The root has none: "". */

/* The static shape, all of whose dims are known: the number of elements, else -1. */
int64_t mk_num_elements(TF_Graph *g, TF_Output x);
/* The dims as far as known, at most MK_MAX_RANK; returns the rank or -1. */
int mk_dims(TF_Graph *g, TF_Output x, int64_t *dims);

#endif
