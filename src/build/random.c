/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros, ones and random tensors: a scope with a few nodes each. */
#include <string.h>

#include "build/build.h"

/* Below this many elements zeros and ones are constants; from it on they are filled at each run. */
enum { SMALL_ELEMS = 1000 };

TF_Output build_shape_const(TF_Graph *g, struct leat_shape shape, const char *name)
{
    int32_t dims[254];
    int64_t n = shape.rank;
    struct leat_const_args args = {.name = name};
    if (shape.rank < 0 || shape.rank > 254 || (shape.rank > 0 && !shape.dims))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "a known shape is wanted, given is rank %d",
                         shape.rank);
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dims[i] < 0 || shape.dims[i] > INT32_MAX)
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "dimension %d is %lld", i,
                             (long long)shape.dims[i]);
        dims[i] = (int32_t)shape.dims[i];
    }
    return leat_const_array_fn(g, TF_INT32, dims, (struct leat_shape){&n, 1}, &args);
}

/* Whether the shape is known and has fewer elements than that. */
static bool is_small(struct leat_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dims[i] < 0 || !size_mul(n, shape.dims[i], &n))
            return false;
    }
    return n < SMALL_ELEMS;
}

static TF_Output filled(TF_Graph *g, struct leat_shape shape, double value,
                        const struct leat_const_args *args, const char *fallback)
{
    struct leat_const_args own = {.name = fallback};
    if (args)
        own = *args;
    if (!own.name)
        own.name = fallback;
    if (!own.dtype)
        own.dtype = TF_FLOAT;
    if (shape.rank <= 0 || shape.rank > 254 || !shape.dims || is_small(shape))
        return leat_const_filled_fn(g, shape, value, &own);
    leat_push_composite(g, own.name, fallback, own.made_at);
    TF_Output dims = build_shape_const(g, shape, "shape_as_tensor");
    own.name = "Const";
    TF_Output v = leat_const_filled_fn(g, leat_shape(), value, &own);
    TF_Output out = leat_fill(g, dims, v, .name = leat_current_scope(g));
    leat_pop(g);
    return out;
}

TF_Output leat_zeros_fn(TF_Graph *g, struct leat_shape shape, const struct leat_const_args *args)
{
    return filled(g, shape, 0, args, "zeros");
}

TF_Output leat_ones_fn(TF_Graph *g, struct leat_shape shape, const struct leat_const_args *args)
{
    return filled(g, shape, 1, args, "ones");
}

void leat_random_args_init(struct leat_random_args *args)
{
    *args = (struct leat_random_args){.stddev = 1, .maxval = 1, .seed = LEAT_INT_NOT_GIVEN};
}

static struct leat_random_args with_defaults(const struct leat_random_args *args)
{
    struct leat_random_args own;
    leat_random_args_init(&own);
    if (args)
        own = *args;
    if (!own.dtype)
        own.dtype = TF_FLOAT;
    return own;
}

TF_Output build_number(TF_Graph *g, double value, TF_DataType dtype, const char *name)
{
    struct leat_const_args args = {.name = name, .dtype = dtype};
    return leat_const_filled_fn(g, leat_shape(), value, &args);
}

/* x * scale + shift, under the names that the scope's user sees. */
static TF_Output scale_shift(TF_Graph *g, TF_Output x, TF_Output scale, TF_Output shift)
{
    TF_Output scaled = leat_mul(g, x, scale, .name = "mul");
    return leat_add(g, scaled, shift, .name = leat_current_scope(g));
}

TF_Output leat_random_normal_fn(TF_Graph *g, struct leat_shape shape,
                                const struct leat_random_args *args)
{
    struct leat_random_args a = with_defaults(args);
    leat_push_composite(g, a.name, "random_normal", a.made_at);
    TF_Output dims = build_shape_const(g, shape, "shape");
    TF_Output mean = build_number(g, a.mean, a.dtype, "mean");
    TF_Output stddev = build_number(g, a.stddev, a.dtype, "stddev");
    int64_t seed, seed2;
    leat_get_seed(g, a.seed, &seed, &seed2);
    TF_Output x =
        leat_random_standard_normal(g, dims, .dtype = a.dtype, .seed = seed, .seed2 = seed2);
    TF_Output out = scale_shift(g, x, stddev, mean);
    leat_pop(g);
    return out;
}

TF_Output leat_truncated_normal_fn(TF_Graph *g, struct leat_shape shape,
                                   const struct leat_random_args *args)
{
    struct leat_random_args a = with_defaults(args);
    leat_push_composite(g, a.name, "truncated_normal", a.made_at);
    TF_Output dims = build_shape_const(g, shape, "shape");
    TF_Output mean = build_number(g, a.mean, a.dtype, "mean");
    TF_Output stddev = build_number(g, a.stddev, a.dtype, "stddev");
    int64_t seed, seed2;
    leat_get_seed(g, a.seed, &seed, &seed2);
    TF_Output x = leat_op_truncated_normal(g, dims, .dtype = a.dtype, .seed = seed, .seed2 = seed2);
    TF_Output out = scale_shift(g, x, stddev, mean);
    leat_pop(g);
    return out;
}

TF_Output leat_random_uniform_fn(TF_Graph *g, struct leat_shape shape,
                                 const struct leat_random_args *args)
{
    struct leat_random_args a = with_defaults(args);
    leat_push_composite(g, a.name, "random_uniform", a.made_at);
    TF_Output dims = build_shape_const(g, shape, "shape");
    TF_Output low = build_number(g, a.minval, a.dtype, "min");
    TF_Output high = build_number(g, a.maxval, a.dtype, "max");
    int64_t seed, seed2;
    leat_get_seed(g, a.seed, &seed, &seed2);
    TF_Output out;
    if (a.dtype == TF_INT32 || a.dtype == TF_INT64) {
        out = leat_random_uniform_int(g, dims, low, high, .seed = seed, .seed2 = seed2,
                                      .name = leat_current_scope(g));
    } else {
        TF_Output x =
            leat_op_random_uniform(g, dims, .dtype = a.dtype, .seed = seed, .seed2 = seed2);
        out = scale_shift(g, x, leat_sub(g, high, low, .name = "sub"), low);
    }
    leat_pop(g);
    return out;
}
