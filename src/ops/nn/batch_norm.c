/* SPDX-License-Identifier: Apache-2.0 */
/* FusedBatchNorm and its versions, in both layouts. Images may be half (V2, V3), statistics are
 * float. The work is math/batch_norm.h's on float rows with the channels last; other layouts and
 * types are turned into such rows first. The gradients are batch_norm_grad.c's. */
#include "ops/nn/batch_norm.h"

#include <math.h>

static bool norm_empty(const struct kctx *c, struct tensor **out)
{
    for (int i = 1; i < 5; i++) {
        for (int64_t k = 0; k < out[i]->num_elems; k++)
            tensor_f32(out[i])[k] = attrs_bool(kernel_attrs(c), "is_training") ? NAN : 0;
    }
    return true;
}

struct statistics { /* of each channel */
    float *mean, *variance, *factor;
};

static bool statistics_new(struct kctx *c, int64_t channels, struct statistics *s,
                           struct status *st)
{
    float *f = kernel_scratch(c, 3 * channels * (int64_t)sizeof(float), st);
    *s = (struct statistics){f, f + channels, f + 2 * channels};
    return f;
}

/* Mean, variance, and what multiplies the distance from the mean. */
static bool find_statistics(struct kctx *c, const struct batch_norm_images *m, const float *x,
                            struct statistics *s, struct tensor **out, struct status *st)
{
    const bool training = attrs_bool(kernel_attrs(c), "is_training");
    const float epsilon = attrs_float(kernel_attrs(c), "epsilon"), n = (float)m->rows;
    if (training) {
        void *scratch = kernel_scratch(c, math_batch_norm_scratch_bytes(m->rows, m->channels), st);
        if (!scratch)
            return false;
        math_batch_norm_stats(kernel_pool(c), x, m->rows, m->channels, s->mean, s->variance,
                              scratch);
    }
    const float unbias = training ? n / (n > 1 ? n - 1 : 1) : 1;
    for (int64_t k = 0; k < m->channels; k++) {
        if (!training) {
            s->mean[k] = tensor_f32(kernel_in(c, 3))[k];
            s->variance[k] = tensor_f32(kernel_in(c, 4))[k];
        }
        s->factor[k] = 1 / sqrtf(s->variance[k] + epsilon) * tensor_f32(kernel_in(c, 1))[k];
        tensor_f32(out[1])[k] = tensor_f32(out[3])[k] = s->mean[k];
        tensor_f32(out[2])[k] = s->variance[k] * unbias;
        tensor_f32(out[4])[k] = s->variance[k];
    }
    return true;
}

static bool norm_outputs(struct kctx *c, const struct batch_norm_images *m, struct tensor **out,
                         struct status *st)
{
    struct shape per_channel = shape_1(m->channels), scalar = shape_scalar();
    for (int i = 0; i < kernel_num_outputs(c); i++) {
        const struct shape *s = i == 0 ? &m->t->shape : i == 5 ? &scalar : &per_channel;
        out[i] = kernel_out(c, i, s, st);
        if (!out[i])
            return false;
        if (i == 5)
            *tensor_f32(out[i]) = 0;
    }
    return true;
}

static const char *const argument_names[] = {"x", "scale", "offset", "estimated_mean",
                                             "estimated_variance"};

static bool norm_run(struct kctx *c, struct status *st)
{
    const bool training = attrs_bool(kernel_attrs(c), "is_training");
    struct batch_norm_images m;
    struct tensor *out[6];
    if (!batch_norm_images(c, 0, &m, st))
        return false;
    for (int i = 1; i < 5; i++) {
        if (!(i < 3 || !training ? batch_norm_want_channels(c, i, argument_names[i], m.channels, st)
                                 : batch_norm_want_none(c, i, argument_names[i], st)))
            return false;
    }
    if (!norm_outputs(c, &m, out, st))
        return false;
    if (m.t->num_elems == 0)
        return norm_empty(c, out);
    struct statistics s;
    const float *x = batch_norm_rows(c, &m, st);
    float *y = x ? batch_norm_result_rows(c, &m, out[0], st) : NULL;
    if (!y || !statistics_new(c, m.channels, &s, st) || !find_statistics(c, &m, x, &s, out, st))
        return false;
    math_batch_norm_apply(kernel_pool(c),
                          &(struct math_batch_norm_apply){.x = x,
                                                          .y = y,
                                                          .rows = m.rows,
                                                          .channels = m.channels,
                                                          .mean = s.mean,
                                                          .factor = s.factor,
                                                          .offset = tensor_f32(kernel_in(c, 2))});
    return batch_norm_result(c, &m, y, out[0], st);
}

static bool norm_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st))
        return false;
    int at = batch_norm_nchw(infer_attrs(c)) ? 1 : 3;
    int64_t channels = infer_dim(x, at);
    int last = attrs_bool(infer_attrs(c), "is_training") ? 3 : 5;
    for (int i = 1; i < last; i++) {
        const struct shape *v;
        if (!infer_want_rank(c, infer_input(c, i), 1, &v, st) ||
            !infer_merge_dim(channels, infer_dim(v, 0), &channels, st))
            return false;
    }
    infer_set(c, 0, infer_with_dim(c, x, at, channels));
    for (int i = 1; i < 5; i++)
        infer_set(c, i, infer_vector(c, channels));
    return true;
}

OP_DEF(fused_batch_norm) = {
    .name = "FusedBatchNorm",
    .summary = "Images normalised channel by channel to mean 0 and variance 1, scaled and moved.",
    .inputs = {"x: T", "scale: T", "offset: T", "mean: T", "variance: T"},
    .outputs = {"y: T", "batch_mean: T", "batch_variance: T", "reserve_space_1: T",
                "reserve_space_2: T"},
    .attrs = {"T: {float}", BATCH_NORM_FORMAT},
    .shape = norm_shape,
    .grad = batch_norm_grad,
};
KERNEL_DEF(fused_batch_norm_cpu) = {.op = "FusedBatchNorm", .device = "CPU", .run = norm_run};

OP_DEF(fused_batch_norm_v2) = {
    .name = "FusedBatchNormV2",
    .summary = "FusedBatchNorm whose statistics have a type of their own.",
    .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
    .outputs = {"y: T", "batch_mean: U", "batch_variance: U", "reserve_space_1: U",
                "reserve_space_2: U"},
    .attrs = {"T: {half, bfloat16, float}", "U: {float}", BATCH_NORM_FORMAT},
    .shape = norm_shape,
    .grad = batch_norm_grad,
};
KERNEL_DEF(fused_batch_norm_v2_cpu) = {
    .op = "FusedBatchNormV2", .device = "CPU", .types = {"T: {half, float}"}, .run = norm_run};

OP_DEF(fused_batch_norm_v3) = {
    .name = "FusedBatchNormV3",
    .summary = "FusedBatchNormV2 with one more output for its gradient.",
    .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
    .outputs = {"y: T", "batch_mean: U", "batch_variance: U", "reserve_space_1: U",
                "reserve_space_2: U", "reserve_space_3: U"},
    .attrs = {"T: {half, bfloat16, float}", "U: {float}", BATCH_NORM_FORMAT},
    .shape = norm_shape,
    .grad = batch_norm_grad,
};
KERNEL_DEF(fused_batch_norm_v3_cpu) = {
    .op = "FusedBatchNormV3", .device = "CPU", .types = {"T: {half, float}"}, .run = norm_run};
