/* SPDX-License-Identifier: Apache-2.0 */
/* LRN, local response normalisation across channels, and LRNGrad. Half is computed in float. */
#include <math.h>

#include "math/vec.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct lrn {
    int64_t radius, channels;
    float bias, alpha, beta;
    const float *x, *y, *dy;
    float *to;
};

static bool lrn_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &s, st))
        return false;
    for (int i = 1; i < infer_num_inputs(c); i++) {
        if (!infer_merge(c, s, infer_input(c, i), &s, st))
            return false;
    }
    infer_set(c, 0, s);
    return true;
}

/* bias + alpha * the sum of squares around channel c of a pixel. */
static float norm_at(const struct lrn *l, const float *x, int64_t c)
{
    const int64_t end = min_i64(c + l->radius + 1, l->channels);
    float sum = 0;
    for (int64_t k = max_i64(c - l->radius, 0); k < end; k++)
        sum += x[k] * x[k];
    return l->bias + l->alpha * sum;
}

static void forward(void *arg, int64_t begin, int64_t end)
{
    const struct lrn *l = arg;
    for (int64_t i = begin * l->channels; i < end * l->channels; i += l->channels) {
        for (int64_t c = 0; c < l->channels; c++)
            l->to[i + c] = l->x[i + c] * powf(norm_at(l, l->x + i, c), -l->beta);
    }
}

static void backward(void *arg, int64_t begin, int64_t end)
{
    const struct lrn *l = arg;
    for (int64_t i = begin * l->channels; i < end * l->channels; i += l->channels) {
        for (int64_t c = 0; c < l->channels; c++)
            l->to[i + c] = 0;
        for (int64_t c = 0; c < l->channels; c++) {
            const float norm = norm_at(l, l->x + i, c), dy = l->dy[i + c];
            const float slope = -2 * l->alpha * l->beta * l->y[i + c] / norm * dy;
            const int64_t last = min_i64(c + l->radius + 1, l->channels);
            for (int64_t k = max_i64(c - l->radius, 0); k < last; k++)
                l->to[i + k] += slope * l->x[i + k];
            l->to[i + c] += powf(norm, -l->beta) * dy;
        }
    }
}

static const float *widened(struct kctx *c, const struct tensor *t, struct status *st)
{
    if (t->dtype != DT_HALF)
        return tensor_f32(t);
    float *wide = kernel_scratch(c, max_i64(t->num_elems, 1) * (int64_t)sizeof(float), st);
    if (wide)
        math_f16_to_f32(t->data, wide, t->num_elems);
    return wide;
}

static bool run(struct kctx *c, struct lrn *l, pool_loop_fn fn, struct status *st)
{
    const struct attrs *a = kernel_attrs(c);
    const struct tensor *like = kernel_in(c, 0);
    l->radius = min_i64(max_i64(attrs_int(a, "depth_radius"), 0), INT32_MAX);
    l->channels = tensor_dim(like, 3);
    l->bias = attrs_float(a, "bias");
    l->alpha = attrs_float(a, "alpha");
    l->beta = attrs_float(a, "beta");
    struct tensor *out = kernel_out(c, 0, &like->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    l->to = out->data;
    if (out->dtype == DT_HALF)
        l->to = kernel_scratch(c, out->num_elems * (int64_t)sizeof(float), st);
    if (!l->to)
        return false;
    const double window = (double)min_i64(2 * l->radius + 1, l->channels);
    kernel_loop(c, out->num_elems / l->channels, (double)l->channels * (20 + 2 * window), fn, l);
    if (out->dtype == DT_HALF)
        math_f32_to_f16(l->to, out->data, out->num_elems);
    return true;
}

static bool lrn_run(struct kctx *c, struct status *st)
{
    if (kernel_in(c, 0)->shape.rank != 4)
        return status_invalid(st, "in must be 4-dimensional");
    struct lrn l = {.x = widened(c, kernel_in(c, 0), st)};
    return l.x && run(c, &l, forward, st);
}

static bool lrn_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *x = kernel_in(c, 1), *y = kernel_in(c, 2);
    if (dy->shape.rank != 4 || x->shape.rank != 4)
        return status_invalid(st, "inputs must be 4-dimensional");
    if (!shape_equal(&dy->shape, &x->shape) || !shape_equal(&dy->shape, &y->shape))
        return status_invalid(st, "input_grads, input_image, and out_image should have the same "
                                  "shape");
    struct lrn l = {.dy = widened(c, dy, st)};
    l.x = l.dy ? widened(c, x, st) : NULL;
    l.y = l.x ? widened(c, y, st) : NULL;
    return l.y && run(c, &l, backward, st);
}

static bool lrn_op_grad(struct grad_ctx *g, struct status *st)
{
    static const char *const names[] = {"depth_radius", "bias", "alpha", "beta"};
    struct attr items[ARRAY_LEN(names)];
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        items[i] =
            (struct attr){(char *)names[i], attr_value_dup(attrs_find(grad_attrs(g), names[i]))};
    const struct output in[3] = {grad_dy(g, 0), grad_in(g, 0), grad_out(g, 0)};
    grad_set(g, 0, grad_opv(g, "LRNGrad", 3, in, ARRAY_LEN(names), items));
    return grad_done(g, st);
}

#define ATTRS                                                                                      \
    "depth_radius: int = 5", "bias: float = 1", "alpha: float = 1", "beta: float = 0.5",           \
        "T: {half, bfloat16, float} = DT_FLOAT"

OP_DEF(lrn) = {
    .name = "LRN",
    .summary = "Each value divided by a power of the squares of the channels around it.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = lrn_shape,
    .grad = lrn_op_grad,
};
KERNEL_DEF(lrn_cpu) = {.op = "LRN", .device = "CPU", .types = {"T: {half, float}"}, .run = lrn_run};

OP_DEF(lrn_grad) = {
    .name = "LRNGrad",
    .summary = "The gradient of LRN.",
    .inputs = {"input_grads: T", "input_image: T", "output_image: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = lrn_shape,
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(lrn_grad_cpu) = {
    .op = "LRNGrad", .device = "CPU", .types = {"T: {half, float}"}, .run = lrn_grad_run};
