/* SPDX-License-Identifier: Apache-2.0 */
/* FusedBatchNormGrad, its versions, the gradient of FusedBatchNorm that uses them, and their own
 * gradient, which is built of elementwise ops and reductions. */
#include <math.h>

#include "ops/nn/batch_norm.h"

/* --- the kernel --- */

struct vectors { /* an element for each channel */
    double *dy_sum, *product_sum;
    float *factor, *shift, *slope, *zero;
};

static bool vectors_new(struct kctx *c, int64_t n, struct vectors *v, struct status *st)
{
    double *wide = kernel_scratch(c, 2 * n * (int64_t)sizeof(double), st);
    float *f = wide ? kernel_scratch(c, 4 * n * (int64_t)sizeof(float), st) : NULL;
    if (f)
        *v = (struct vectors){wide, wide + n, f, f + n, f + 2 * n, f + 3 * n};
    return f;
}

/* The sums, and from them the coefficients of the result. */
static bool find_vectors(struct kctx *c, const struct math_batch_norm_sums *sums, struct vectors *v,
                         struct tensor **out, struct status *st)
{
    const bool training = attrs_bool(kernel_attrs(c), "is_training");
    const double epsilon = (double)attrs_float(kernel_attrs(c), "epsilon");
    const float *scale = tensor_f32(kernel_in(c, 2)), *variance = tensor_f32(kernel_in(c, 4));
    struct math_batch_norm_sums s = *sums;
    s.scratch = kernel_scratch(c, math_batch_norm_scratch_bytes(s.rows, s.channels), st);
    if (!s.scratch)
        return false;
    s.dy_sum = v->dy_sum;
    s.product_sum = v->product_sum;
    math_batch_norm_sums(kernel_pool(c), &s);
    const double n = (double)s.rows;
    for (int64_t k = 0; k < s.channels; k++) {
        const double r = 1 / sqrt((double)variance[k] + epsilon);
        v->factor[k] = (float)((double)scale[k] * r);
        v->shift[k] = training ? (float)(v->dy_sum[k] / n) : 0;
        v->slope[k] = training ? (float)(v->product_sum[k] / n * r * r) : 0;
        v->zero[k] = 0;
        tensor_f32(out[1])[k] = (float)(v->product_sum[k] * r);
        tensor_f32(out[2])[k] = (float)v->dy_sum[k];
    }
    return true;
}

static bool grad_rows(struct kctx *c, const struct batch_norm_images *x,
                      const struct batch_norm_images *dy, struct tensor **out, struct status *st)
{
    const float *x_rows = batch_norm_rows(c, x, st), *mean = tensor_f32(kernel_in(c, 3));
    const float *dy_rows = x_rows ? batch_norm_rows(c, dy, st) : NULL;
    float *dx = dy_rows ? batch_norm_result_rows(c, x, out[0], st) : NULL;
    struct vectors v;
    if (!dx || !vectors_new(c, x->channels, &v, st) ||
        !find_vectors(
            c,
            &(struct math_batch_norm_sums){
                .x = x_rows, .dy = dy_rows, .mean = mean, .rows = x->rows, .channels = x->channels},
            &v, out, st))
        return false;
    if (attrs_bool(kernel_attrs(c), "is_training")) {
        math_batch_norm_grad(kernel_pool(c), &(struct math_batch_norm_grad){.x = x_rows,
                                                                            .dy = dy_rows,
                                                                            .dx = dx,
                                                                            .rows = x->rows,
                                                                            .channels = x->channels,
                                                                            .mean = mean,
                                                                            .factor = v.factor,
                                                                            .shift = v.shift,
                                                                            .slope = v.slope});
    } else {
        math_batch_norm_apply(kernel_pool(c),
                              &(struct math_batch_norm_apply){.x = dy_rows,
                                                              .y = dx,
                                                              .rows = x->rows,
                                                              .channels = x->channels,
                                                              .mean = v.zero,
                                                              .factor = v.factor,
                                                              .offset = v.zero});
    }
    return batch_norm_result(c, x, dx, out[0], st);
}

static const char *const argument_names[] = {NULL, NULL, "scale", "saved mean", "saved variance"};

static bool norm_grad_run(struct kctx *c, struct status *st)
{
    struct batch_norm_images dy, x;
    if (!batch_norm_images(c, 0, &dy, st) || !batch_norm_images(c, 1, &x, st))
        return false;
    if (!shape_equal(&dy.t->shape, &x.t->shape))
        return status_invalid(st, "x and y_backprop must have same shape");
    for (int i = 2; i < 5; i++) {
        if (!batch_norm_want_channels(c, i, argument_names[i], x.channels, st))
            return false;
    }
    struct shape per_channel = shape_1(x.channels), scalar = shape_scalar();
    struct tensor *out[5];
    for (int i = 0; i < 5; i++) {
        const struct shape *s = i == 0 ? &x.t->shape : i < 3 ? &per_channel : &scalar;
        out[i] = kernel_out(c, i, s, st);
        if (!out[i])
            return false;
        if (i > 0)
            memset(out[i]->data, 0, tensor_bytes(out[i]));
    }
    return x.t->num_elems == 0 || grad_rows(c, &x, &dy, out, st);
}

/* --- the shape --- */

static bool norm_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *dy, *x;
    const int at = batch_norm_nchw(infer_attrs(c)) ? 1 : 3;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &dy, st) ||
        !infer_want_rank(c, infer_input(c, 1), 4, &x, st))
        return false;
    int64_t channels = infer_dim(dy, at);
    if (!infer_merge_dim(channels, infer_dim(x, at), &channels, st))
        return false;
    for (int i = 2; i < 5; i++) {
        const struct shape *v;
        if (!infer_want_rank(c, infer_input(c, i), 1, &v, st) ||
            !infer_merge_dim(channels, infer_dim(v, 0), &channels, st))
            return false;
    }
    infer_set(c, 0, infer_with_dim(c, dy, at, channels));
    infer_set(c, 1, infer_vector(c, channels));
    infer_set(c, 2, infer_vector(c, channels));
    /* The last two outputs are scalars on the CPU; TensorFlow's shape function says otherwise. */
    return true;
}

/* --- the gradient of FusedBatchNorm --- */

static struct output transposed(struct grad_ctx *g, struct output x, const int32_t perm[4])
{
    return grad_op2(g, "transpose=Transpose", x, grad_const_i32s(g, perm, 4));
}

/* The attrs of a gradient op for the forward node. */
static struct node *norm_grad_node(struct grad_ctx *g, const struct output *in, int n, bool nchw)
{
    static const char *const ops[] = {"FusedBatchNormGrad", "FusedBatchNormGradV2",
                                      "FusedBatchNormGradV3"};
    const struct attrs *a = grad_attrs(g);
    /* V1 has five outputs and one type; V3 has six outputs. */
    const int version = grad_num_outputs(g) == 6 ? 2 : attrs_find(a, "U") ? 1 : 0;
    return grad_nodev(
        g, ops[version], n, in, 3,
        (struct attr[]){{(char *)"epsilon", attr_float(attrs_float(a, "epsilon"))},
                        {(char *)"data_format", attr_string(str_of(nchw ? "NCHW" : "NHWC"))},
                        {(char *)"is_training", attr_bool(attrs_bool(a, "is_training"))}});
}

bool batch_norm_grad(struct grad_ctx *g, struct status *st)
{
    const bool training = attrs_bool(grad_attrs(g), "is_training");
    const bool nchw = batch_norm_nchw(grad_attrs(g)), turn = nchw && !training;
    struct output in[6] = {grad_dy(g, 0), grad_in(g, 0), grad_in(g, 1)};
    for (int i = 0; i < 2 && turn; i++)
        in[i] = transposed(g, in[i], (const int32_t[]){0, 2, 3, 1});
    in[3] = training ? grad_out(g, 3) : grad_in(g, 3);
    in[4] = training ? grad_out(g, 4) : grad_in(g, 4);
    int n = 5;
    if (grad_num_outputs(g) == 6)
        in[n++] = grad_out(g, 5);
    struct node *node = norm_grad_node(g, in, n, nchw && !turn);
    struct output dx = grad_node_out(g, node, 0);
    grad_set(g, 0, turn ? transposed(g, dx, (const int32_t[]){0, 3, 1, 2}) : dx);
    for (int i = 1; i < (training ? 5 : 3); i++)
        grad_set(g, i, grad_node_out(g, node, i));
    return grad_done(g, st);
}

/* --- the gradient of FusedBatchNormGrad --- */

/* What its formulas are made of; per-channel values have a shape that broadcasts with images. */
struct second {
    struct grad_ctx *g;
    struct output dy, x, scale;          /* inputs */
    struct output to_dx, to_ds, to_doff; /* incoming gradients */
    struct output axes, per_channel;
    bool nchw;
};

static struct output channel_vector(struct second *s, struct output v)
{
    return s->nchw ? grad_reshape(s->g, v, s->per_channel) : v;
}

static struct output over_images(struct second *s, const char *op, struct output v)
{
    return grad_opv(s->g, op, 2, (struct output[]){v, s->axes}, 1,
                    (struct attr[]){{(char *)"keep_dims", attr_bool(true)}});
}

static struct output centered(struct second *s, struct output v)
{
    return grad_sub(s->g, v, over_images(s, "Mean", v));
}

static struct output inverse_deviation(struct second *s, struct output variance)
{
    const double epsilon = (double)attrs_float(grad_attrs(s->g), "epsilon");
    return grad_op1(s->g, "Rsqrt",
                    grad_add(s->g, variance, grad_const_like(s->g, variance, epsilon)));
}

static void set_second(struct second *s, struct output ddy, struct output dx, struct output dscale)
{
    struct grad_ctx *g = s->g;
    grad_set(g, 0, grad_cast(g, ddy, grad_type_of(g, grad_in(g, 0))));
    grad_set(g, 1, grad_cast(g, dx, grad_type_of(g, grad_in(g, 1))));
    grad_set(g, 2, grad_reshape(g, over_images(s, "Sum", dscale), grad_shape(g, grad_in(g, 2))));
}

/* With r = 1 / sqrt(variance(x) + epsilon), c(v) = v - mean(v), m = mean(dy c(x)):
 *   dx = scale r (c(dy) - r^2 m c(x)),  dscale = r sum(dy c(x)),  doffset = sum(dy).
 * U, V, W come for these; B = mean(U c(x)), A = mean(U c(dy)). */
static void second_training(struct second *s)
{
    struct grad_ctx *g = s->g;
    struct output xc = centered(s, s->x), dyc = centered(s, s->dy), uc = centered(s, s->to_dx);
    /* As in TensorFlow the variance counts the mean as given: this shows in third derivatives. */
    struct output mean = grad_op1(g, "StopGradient", over_images(s, "Mean", s->x));
    struct output xs = grad_sub(g, s->x, mean);
    struct output r = inverse_deviation(s, over_images(s, "Mean", grad_op1(g, "Square", xs)));
    struct output r2 = grad_op1(g, "Square", r), r3 = grad_mul(g, r2, r);
    struct output m = over_images(s, "Mean", grad_mul(g, s->dy, xc));
    struct output a = over_images(s, "Mean", grad_mul(g, s->to_dx, dyc));
    struct output b = over_images(s, "Mean", grad_mul(g, s->to_dx, xc));
    struct output sr = grad_mul(g, s->scale, r), vr = grad_mul(g, s->to_ds, r);
    struct output three = grad_const_like(g, r, 3);
    /* scale r (c(U) - r^2 B c(x)) + V r c(x) + W */
    struct output ddy = grad_mul(g, sr, grad_sub(g, uc, grad_mul(g, grad_mul(g, r2, b), xc)));
    ddy = grad_add(g, grad_add(g, ddy, grad_mul(g, vr, xc)), s->to_doff);
    /* (scale (A - 3 r^2 m B) + V m) r^3 */
    struct output mb = grad_mul(g, m, b);
    struct output bend = grad_sub(g, a, grad_mul(g, three, grad_mul(g, r2, mb)));
    bend = grad_add(g, grad_mul(g, s->scale, bend), grad_mul(g, s->to_ds, m));
    bend = grad_mul(g, bend, r3);
    /* V r c(dy) - scale r^3 (m c(U) + B c(dy)) - bend c(x) */
    struct output dx = grad_add(g, grad_mul(g, m, uc), grad_mul(g, b, dyc));
    dx = grad_sub(g, grad_mul(g, vr, dyc), grad_mul(g, grad_mul(g, s->scale, r3), dx));
    dx = grad_sub(g, dx, grad_mul(g, bend, xs));
    /* r U (c(dy) - r^2 m c(x)), to be added up */
    struct output ds = grad_sub(g, dyc, grad_mul(g, grad_mul(g, r2, m), xc));
    set_second(s, ddy, dx, grad_mul(g, grad_mul(g, r, s->to_dx), ds));
}

/* With q = 1 / sqrt(variance + epsilon): dx = dy scale q, dscale = sum(dy (x - mean) q). */
static void second_frozen(struct second *s)
{
    struct grad_ctx *g = s->g;
    struct output mean = channel_vector(s, grad_in(g, 3));
    struct output q = inverse_deviation(s, channel_vector(s, grad_in(g, 4)));
    struct output vq = grad_mul(g, s->to_ds, q);
    struct output ddy = grad_mul(g, s->to_dx, grad_mul(g, s->scale, q));
    ddy = grad_add(g, ddy, grad_mul(g, vq, grad_sub(g, s->x, mean)));
    set_second(s, grad_add(g, ddy, s->to_doff), grad_mul(g, vq, s->dy),
               grad_mul(g, grad_mul(g, s->to_dx, s->dy), q));
}

static bool norm_grad_grad(struct grad_ctx *g, struct status *st)
{
    const int32_t nhwc[] = {0, 1, 2}, nchw[] = {0, 2, 3}, vector[] = {1, -1, 1, 1};
    struct second s = {.g = g, .nchw = batch_norm_nchw(grad_attrs(g))};
    s.axes = grad_const_i32s(g, s.nchw ? nchw : nhwc, 3);
    if (s.nchw)
        s.per_channel = grad_const_i32s(g, vector, 4);
    s.dy = grad_cast(g, grad_in(g, 0), DT_FLOAT);
    s.x = grad_cast(g, grad_in(g, 1), DT_FLOAT);
    s.scale = channel_vector(&s, grad_in(g, 2));
    s.to_dx = grad_cast(g, grad_dy(g, 0), DT_FLOAT);
    s.to_ds = channel_vector(&s, grad_dy(g, 1));
    s.to_doff = channel_vector(&s, grad_dy(g, 2));
    if (attrs_bool(grad_attrs(g), "is_training"))
        second_training(&s);
    else
        second_frozen(&s);
    return grad_done(g, st);
}

/* --- definitions --- */

OP_DEF(fused_batch_norm_grad) = {
    .name = "FusedBatchNormGrad",
    .summary = "The gradients of FusedBatchNorm by its images, scale and offset.",
    .inputs = {"y_backprop: T", "x: T", "scale: T", "reserve_space_1: T", "reserve_space_2: T"},
    .outputs = {"x_backprop: T", "scale_backprop: T", "offset_backprop: T", "reserve_space_3: T",
                "reserve_space_4: T"},
    .attrs = {"T: {float}", BATCH_NORM_FORMAT},
    .shape = norm_grad_shape,
    .grad = norm_grad_grad,
};
KERNEL_DEF(fused_batch_norm_grad_cpu) = {
    .op = "FusedBatchNormGrad", .device = "CPU", .run = norm_grad_run};

OP_DEF(fused_batch_norm_grad_v2) = {
    .name = "FusedBatchNormGradV2",
    .summary = "The gradients of FusedBatchNormV2.",
    .inputs = {"y_backprop: T", "x: T", "scale: float", "reserve_space_1: U", "reserve_space_2: U"},
    .outputs = {"x_backprop: T", "scale_backprop: U", "offset_backprop: U", "reserve_space_3: U",
                "reserve_space_4: U"},
    .attrs = {"T: {half, bfloat16, float}", "U: {float}", BATCH_NORM_FORMAT},
    .shape = norm_grad_shape,
    .grad = norm_grad_grad,
};
KERNEL_DEF(fused_batch_norm_grad_v2_cpu) = {.op = "FusedBatchNormGradV2",
                                            .device = "CPU",
                                            .types = {"T: {half, float}"},
                                            .run = norm_grad_run};

OP_DEF(fused_batch_norm_grad_v3) = {
    .name = "FusedBatchNormGradV3",
    .summary = "The gradients of FusedBatchNormV3.",
    .inputs = {"y_backprop: T", "x: T", "scale: float", "reserve_space_1: U", "reserve_space_2: U",
               "reserve_space_3: U"},
    .outputs = {"x_backprop: T", "scale_backprop: U", "offset_backprop: U", "reserve_space_4: U",
                "reserve_space_5: U"},
    .attrs = {"T: {half, bfloat16, float}", "U: {float}", BATCH_NORM_FORMAT},
    .shape = norm_grad_shape,
    .grad = norm_grad_grad,
};
KERNEL_DEF(fused_batch_norm_grad_v3_cpu) = {.op = "FusedBatchNormGradV3",
                                            .device = "CPU",
                                            .types = {"T: {half, float}"},
                                            .run = norm_grad_run};
