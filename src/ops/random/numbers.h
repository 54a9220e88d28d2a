/* SPDX-License-Identifier: Apache-2.0 */
/* What ops that draw number by number share: uniform numbers of a generator, elements as doubles,
 * and how outputs fall into batches that have parameters of their own. */
#ifndef LEAT_OPS_RANDOM_NUMBERS_H
#define LEAT_OPS_RANDOM_NUMBERS_H

#include <math.h>

#include "math/rng.h"
#include "op/floats.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Uniform numbers, two from a block, the second first. */
struct uniforms {
    double have[2];
    int left;
};

static inline double uniforms_next(struct uniforms *u, struct math_philox *g)
{
    if (u->left == 0) {
        math_philox_uniforms(g, u->have);
        u->left = 2;
    }
    return u->have[--u->left];
}

/* Element i, whatever its type. */
static inline double number_at(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_HALF:
        return (double)f16_to_f32(((const struct f16 *)t->data)[i]);
    case DT_BFLOAT16:
        return (double)bf16_to_f32(((const struct bf16 *)t->data)[i]);
    case DT_FLOAT:
        return (double)((const float *)t->data)[i];
    case DT_INT32:
        return ((const int32_t *)t->data)[i];
    case DT_INT64:
        return (double)((const int64_t *)t->data)[i];
    default:
        return ((const double *)t->data)[i];
    }
}

/* NaN as a whole number is 0. */
static inline void number_put(struct tensor *t, int64_t i, double v)
{
    switch (t->dtype) {
    case DT_HALF:
        ((struct f16 *)t->data)[i] = f16_from_f32((float)v);
        break;
    case DT_BFLOAT16:
        ((struct bf16 *)t->data)[i] = bf16_from_f32((float)v);
        break;
    case DT_FLOAT:
        ((float *)t->data)[i] = (float)v;
        break;
    case DT_INT32:
        ((int32_t *)t->data)[i] = isnan(v) ? 0 : (int32_t)v;
        break;
    case DT_INT64:
        ((int64_t *)t->data)[i] = isnan(v) ? 0 : v >= 0x1p63 ? INT64_MAX : (int64_t)v;
        break;
    default:
        ((double *)t->data)[i] = v;
    }
}

/* Outputs of a shape [rows, ...]: a batch is a row, or 100 outputs where all parameters are single.
 * One generator goes through all of them; each batch begins with a fresh block. */
struct batches {
    int64_t num, each; /* outputs of a batch; the last may have fewer */
    struct tensor *out;
    bool last_scalar; /* given: the last parameter is single only as a scalar */
};
/* Makes output 0 of the shape in input `shape`; the parameters, scalars or vectors, are the inputs
 * after it. */
MUST_CHECK bool batches_begin(struct kctx *c, int shape, const char *const *names, int num_params,
                              struct batches *b, struct status *st);
/* Where batch k finds its own of input i. */
static inline int64_t batches_param(const struct kctx *c, int i, int64_t k)
{
    return kernel_in(c, i)->num_elems == 1 ? 0 : k;
}
/* The blocks that TensorFlow sets aside where it bounds the tries for a number so. */
static inline int64_t batches_blocks(const struct batches *b, int64_t tries)
{
    return b->num * 2 * tries * (b->each + 3) / 4;
}
/* Output 0 has the shape in input `shape`, and what follows that are scalars or vectors. */
MUST_CHECK bool batches_shape(struct infer_ctx *c, int shape, struct status *st);

#endif
