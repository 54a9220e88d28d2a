/* SPDX-License-Identifier: Apache-2.0 */
/* First values of variables, as tf.initializers make them. */
#include <math.h>
#include <string.h>

#include "build/build.h"

/* The deviation of a normal that is cut at two deviations, of 1. */
#define CUT_NORMAL_DEVIATION .87962566103423978

/* Inputs and outputs of a unit whose weights have this shape: the last two dims, times the
 * positions of a convolution's window. */
static void count_fans(struct leat_shape shape, double *fan_in, double *fan_out)
{
    double window = 1;
    int r = shape.rank;
    for (int i = 0; i < r - 2; i++)
        window *= (double)shape.dims[i];
    *fan_in = r == 0 ? 1 : r == 1 ? (double)shape.dims[0] : (double)shape.dims[r - 2] * window;
    *fan_out = r == 0 ? 1 : r == 1 ? (double)shape.dims[0] : (double)shape.dims[r - 1] * window;
}

static double scaled_variance(struct leat_initializer init, struct leat_shape shape)
{
    double in, out;
    count_fans(shape, &in, &out);
    double n = init.fan == LEAT_FAN_IN ? in : init.fan == LEAT_FAN_OUT ? out : (in + out) / 2;
    return init.a / fmax(1, n);
}

static struct leat_initializer resolve(struct leat_initializer init, TF_DataType dtype)
{
    bool is_float =
        dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16;
    if (init.kind != LEAT_INIT_DEFAULT)
        return init;
    return is_float ? leat_init_glorot_uniform() : leat_init_zeros();
}

struct leat_initializer build_initializer_of(struct leat_initializer init, struct leat_shape whole,
                                             TF_DataType dtype)
{
    struct leat_initializer own = resolve(init, dtype);
    bool scaled = own.kind == LEAT_INIT_SCALED_UNIFORM || own.kind == LEAT_INIT_SCALED_NORMAL;
    if (!scaled || whole.rank < 0 || (whole.rank > 0 && !whole.dims))
        return own;
    double variance = scaled_variance(own, whole), limit = sqrt(3 * variance);
    struct leat_initializer plain =
        own.kind == LEAT_INIT_SCALED_UNIFORM
            ? leat_init_random_uniform(-limit, limit)
            : leat_init_truncated_normal(0, sqrt(variance) / CUT_NORMAL_DEVIATION);
    plain.seed = init.seed;
    return plain;
}

TF_Output leat_initial_value(TF_Graph *g, struct leat_initializer init, struct leat_shape shape,
                             TF_DataType dtype)
{
    struct leat_const_args c = {.dtype = dtype};
    struct leat_random_args r;
    leat_random_args_init(&r);
    r.dtype = dtype;
    r.seed = init.seed == 0 ? LEAT_INT_NOT_GIVEN : init.seed - 1;
    init = resolve(init, dtype);
    bool scaled = init.kind == LEAT_INIT_SCALED_UNIFORM || init.kind == LEAT_INIT_SCALED_NORMAL;
    if (scaled && (shape.rank < 0 || (shape.rank > 0 && !shape.dims)))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "an initializer needs a known shape");
    init = build_initializer_of(init, shape, dtype);
    r.mean = init.a;
    r.stddev = init.b;
    r.minval = init.a;
    r.maxval = init.b;
    switch (init.kind) {
    case LEAT_INIT_ZEROS:
        return leat_zeros_fn(g, shape, &c);
    case LEAT_INIT_ONES:
        return leat_ones_fn(g, shape, &c);
    case LEAT_INIT_CONSTANT:
        return leat_const_filled_fn(g, shape, init.a, &c);
    case LEAT_INIT_RANDOM_NORMAL:
        return leat_random_normal_fn(g, shape, &r);
    case LEAT_INIT_TRUNCATED_NORMAL:
        return leat_truncated_normal_fn(g, shape, &r);
    case LEAT_INIT_RANDOM_UNIFORM:
        return leat_random_uniform_fn(g, shape, &r);
    default:
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "no initializer has the number %d",
                         (int)init.kind);
    }
}
