/* SPDX-License-Identifier: Apache-2.0 */
/* FusedBatchNorm, its versions, and their gradient ops, in both layouts. Images may be half (V2,
 * V3); statistics are float, formed in double, channel by channel. */
#include <math.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct images {
    const struct tensor *t;
    int64_t outer, channels, inner; /* t is outer * channels * inner elements */
};

static bool is_nchw(const struct attrs *a)
{
    return str_is(attrs_string(a, "data_format"), "NCHW");
}

static bool read_images(const struct kctx *c, int i, struct images *m, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->shape.rank != 4)
        return status_invalid(st, "input must be 4-dimensional");
    const int64_t *d = shape_dims(&t->shape);
    *m = is_nchw(kernel_attrs(c)) ? (struct images){t, d[0], d[1], d[2] * d[3]}
                                  : (struct images){t, d[0] * d[1] * d[2], d[3], 1};
    return true;
}

static bool want_channels(const struct kctx *c, int i, int64_t n, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->shape.rank == 1 && t->num_elems == n)
        return true;
    return status_invalid(st,
                          "%s: input %d must be a vector with an element for each of %lld "
                          "channels",
                          c->kernel->op->name, i, (long long)n);
}

static inline float get(const struct tensor *t, int64_t i)
{
    return t->dtype == DT_HALF ? f16_to_f32(((const struct f16 *)t->data)[i])
                               : ((const float *)t->data)[i];
}

static inline void put(const struct tensor *t, int64_t i, float v)
{
    if (t->dtype == DT_HALF)
        ((struct f16 *)t->data)[i] = f16_from_f32(v);
    else
        ((float *)t->data)[i] = v;
}

/* Runs body for each element number `at` of channel k. */
#define EACH(m, k, body)                                                                           \
    for (int64_t o_ = 0; o_ < (m)->outer; o_++) {                                                  \
        for (int64_t i_ = 0; i_ < (m)->inner; i_++) {                                              \
            const int64_t at = (o_ * (m)->channels + (k)) * (m)->inner + i_;                       \
            body;                                                                                  \
        }                                                                                          \
    }

struct forward_job {
    struct images x;
    bool training;
    double epsilon;
    const float *scale, *offset, *mean, *variance;
    const struct tensor *out[5];
};

static void forward_part(void *arg, int64_t begin, int64_t end)
{
    const struct forward_job *j = arg;
    const int64_t n = j->x.outer * j->x.inner;
    for (int64_t k = begin; k < end; k++) {
        double mean = j->training ? 0 : j->mean[k], var = j->training ? 0 : j->variance[k];
        if (j->training) {
            EACH(&j->x, k, mean += (double)get(j->x.t, at))
            mean /= (double)n;
            EACH(&j->x, k,
                 var += ((double)get(j->x.t, at) - mean) * ((double)get(j->x.t, at) - mean))
            var /= (double)n;
        }
        const double factor = (double)j->scale[k] / sqrt(var + j->epsilon);
        EACH(&j->x, k,
             put(j->out[0], at,
                 (float)(((double)get(j->x.t, at) - mean) * factor + (double)j->offset[k])))
        const double unbiased = j->training ? (double)n / (double)(n > 1 ? n - 1 : 1) : 1;
        tensor_f32(j->out[1])[k] = tensor_f32(j->out[3])[k] = (float)mean;
        tensor_f32(j->out[2])[k] = (float)(var * unbiased);
        tensor_f32(j->out[4])[k] = (float)var;
    }
}

static bool norm_run(struct kctx *c, struct status *st)
{
    struct forward_job j = {.training = attrs_bool(kernel_attrs(c), "is_training"),
                            .epsilon = (double)attrs_float(kernel_attrs(c), "epsilon")};
    if (!read_images(c, 0, &j.x, st))
        return false;
    for (int i = 1; i < (j.training ? 3 : 5); i++) {
        if (!want_channels(c, i, j.x.channels, st))
            return false;
    }
    struct shape per_channel = shape_1(j.x.channels), scalar = shape_scalar();
    for (int i = 0; i < kernel_num_outputs(c); i++) {
        const struct shape *s = i == 0 ? &j.x.t->shape : i == 5 ? &scalar : &per_channel;
        struct tensor *out = kernel_out(c, i, s, st);
        if (!out)
            return false;
        if (i < 5)
            j.out[i] = out;
        else
            *tensor_f32(out) = 0;
    }
    j.scale = tensor_f32(kernel_in(c, 1));
    j.offset = tensor_f32(kernel_in(c, 2));
    j.mean = tensor_f32(kernel_in(c, 3));
    j.variance = tensor_f32(kernel_in(c, 4));
    if (j.x.channels > 0)
        kernel_loop(c, j.x.channels, 6.0 * (double)(j.x.outer * j.x.inner), forward_part, &j);
    return true;
}

static bool norm_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st))
        return false;
    int at = is_nchw(infer_attrs(c)) ? 1 : 3;
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

#define FORMAT                                                                                     \
    "epsilon: float = 0.0001", "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "is_training: bool = true"
static bool norm_grad(struct grad_ctx *g, struct status *st)
{
    return grad_fail(g, st, STATUS_UNIMPLEMENTED, "the gradient of FusedBatchNorm");
}

OP_DEF(fused_batch_norm) = {
    .name = "FusedBatchNorm",
    .summary = "Images normalised channel by channel to mean 0 and variance 1, scaled and moved.",
    .inputs = {"x: T", "scale: T", "offset: T", "mean: T", "variance: T"},
    .outputs = {"y: T", "batch_mean: T", "batch_variance: T", "reserve_space_1: T",
                "reserve_space_2: T"},
    .attrs = {"T: {float}", FORMAT},
    .shape = norm_shape,
    .grad = norm_grad,
};
KERNEL_DEF(fused_batch_norm_cpu) = {.op = "FusedBatchNorm", .device = "CPU", .run = norm_run};

OP_DEF(fused_batch_norm_v2) = {
    .name = "FusedBatchNormV2",
    .summary = "FusedBatchNorm whose statistics have a type of their own.",
    .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
    .outputs = {"y: T", "batch_mean: U", "batch_variance: U", "reserve_space_1: U",
                "reserve_space_2: U"},
    .attrs = {"T: {half, bfloat16, float}", "U: {float}", FORMAT},
    .shape = norm_shape,
    .grad = norm_grad,
};
KERNEL_DEF(fused_batch_norm_v2_cpu) = {
    .op = "FusedBatchNormV2", .device = "CPU", .types = {"T: {half, float}"}, .run = norm_run};

OP_DEF(fused_batch_norm_v3) = {
    .name = "FusedBatchNormV3",
    .summary = "FusedBatchNormV2 with one more output for its gradient.",
    .inputs = {"x: T", "scale: U", "offset: U", "mean: U", "variance: U"},
    .outputs = {"y: T", "batch_mean: U", "batch_variance: U", "reserve_space_1: U",
                "reserve_space_2: U", "reserve_space_3: U"},
    .attrs = {"T: {half, bfloat16, float}", "U: {float}", FORMAT},
    .shape = norm_shape,
    .grad = norm_grad,
};
KERNEL_DEF(fused_batch_norm_v3_cpu) = {
    .op = "FusedBatchNormV3", .device = "CPU", .types = {"T: {half, float}"}, .run = norm_run};
