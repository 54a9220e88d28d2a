/* SPDX-License-Identifier: Apache-2.0 */
/* DepthwiseConv2dNative and its gradients with the channels last: each channel has filters of its
 * own, and channel c gives the outputs c * multiplier and on. Half is computed in float.
 *
 * As on TensorFlow's CPU the attr dilations is not heeded (its Python layer dilates by
 * SpaceToBatchND). */
#include "math/conv.h"
#include "math/vec.h"
#include "tensor/dtype.h"

#include "ops/nn/conv_grad.h"
#include "ops/nn/volume.h"

/* --- sizes --- */

struct depthwise {
    int64_t batch, in[2], in_c, out[2], multiplier, window[2], stride, pad[2];
};

static bool read_stride(const struct attrs *a, int64_t out[2], struct status *st)
{
    const struct attr_value *v = attrs_list(a, "strides");
    const bool nchw = str_is(attrs_string(a, "data_format"), "NCHW");
    if (v->n != 4)
        return status_invalid(
            st, "DepthwiseConv2D requires the stride attribute to contain 4 values, but got: %lld",
            (long long)v->n);
    out[0] = v->is[nchw ? 2 : 1];
    out[1] = v->is[nchw ? 3 : 2];
    return (out[0] <= INT32_MAX && out[1] <= INT32_MAX) ||
           status_invalid(st, "Attr strides must be below 2147483648");
}

/* What a kernel asks of the strides besides. */
static bool check_stride(const struct attrs *a, struct status *st)
{
    const struct attr_value *v = attrs_list(a, "strides");
    if (v->is[0] != 1 || v->is[str_is(attrs_string(a, "data_format"), "NCHW") ? 1 : 3] != 1)
        return status_invalid(st, "Current implementation does not yet support strides in the "
                                  "batch and depth dimensions.");
    return (v->is[1] > 0 && v->is[2] > 0 && v->is[3] > 0) ||
           status_invalid(st, "Attr strides must be between 1 and 2147483647");
}

struct depthwise_state {
    int64_t stride;
};

static bool depthwise_init(struct kernel *k, void *state, struct status *st)
{
    struct depthwise_state *s = state;
    int64_t stride[2];
    if (!read_stride(k->attrs, stride, st) || !check_stride(k->attrs, st))
        return false;
    if (stride[0] != stride[1])
        return status_invalid(st, "Current implementation only supports equal length strides in "
                                  "the row and column dimensions.");
    s->stride = stride[0];
    if (str_is(attrs_string(k->attrs, "data_format"), "NCHW"))
        return status_unimplemented(st, "Depthwise convolution on CPU is only supported for NHWC "
                                        "format");
    return true;
}

static bool find_sizes(const struct kctx *c, const int64_t *x, const int64_t *filter,
                       struct depthwise *d, struct status *st)
{
    const struct depthwise_state *s = kernel_state(c);
    const bool same = str_is(attrs_string(kernel_attrs(c), "padding"), "SAME");
    if (x[3] != filter[2])
        return status_invalid(st, "input and filter must have the same depth: %lld vs %lld",
                              (long long)x[3], (long long)filter[2]);
    *d = (struct depthwise){.batch = x[0], .in_c = x[3], .multiplier = filter[3]};
    d->stride = s->stride;
    for (int i = 0; i < 2; i++) {
        int64_t size[2];
        if (!math_conv_output_size(x[1 + i], filter[i], 1, s->stride, same, size, st))
            return false;
        d->in[i] = x[1 + i];
        d->window[i] = filter[i];
        d->out[i] = size[0];
        d->pad[i] = size[1];
    }
    return true;
}

/* --- loops: of the output rows [begin, end) of batch * out[0] --- */

struct job {
    const struct depthwise *d;
    const void *x, *filter, *dy;
    void *to;
};

/* Runs body for each pair of an output pixel and an input pixel under its window: `o`, `i` and `f`
 * are the places of their first channels in y, x and the filter. */
#define EACH_TAP(...)                                                                              \
    for (int64_t row = begin; row < end; row++) {                                                  \
        const int64_t b = row / d->out[0], top = row % d->out[0] * d->stride - d->pad[0];          \
        for (int64_t w = 0; w < d->out[1]; w++) {                                                  \
            const int64_t o = (row * d->out[1] + w) * d->in_c * d->multiplier;                     \
            const int64_t left = w * d->stride - d->pad[1];                                        \
            for (int64_t r = max_i64(0, -top); r < min_i64(d->window[0], d->in[0] - top); r++) {   \
                for (int64_t q = max_i64(0, -left); q < min_i64(d->window[1], d->in[1] - left);    \
                     q++) {                                                                        \
                    const int64_t i = ((b * d->in[0] + top + r) * d->in[1] + left + q) * d->in_c;  \
                    const int64_t f = (r * d->window[1] + q) * d->in_c * d->multiplier;            \
                    __VA_ARGS__                                                                    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

#define LOOPS(T, t)                                                                                \
    static void forward_##t(void *arg, int64_t begin, int64_t end)                                 \
    {                                                                                              \
        const struct job *j = arg;                                                                 \
        const struct depthwise *d = j->d;                                                          \
        const int64_t m = d->multiplier, n = d->in_c * m;                                          \
        const T *x = j->x, *filter = j->filter;                                                    \
        T *y = j->to;                                                                              \
        memset(y + begin * d->out[1] * n, 0, (size_t)((end - begin) * d->out[1] * n) * sizeof(T)); \
        EACH_TAP({                                                                                 \
            if (m == 1) {                                                                          \
                for (int64_t c = 0; c < n; c++)                                                    \
                    y[o + c] += x[i + c] * filter[f + c];                                          \
            } else {                                                                               \
                for (int64_t c = 0; c < d->in_c; c++)                                              \
                    for (int64_t k = 0; k < m; k++)                                                \
                        y[o + c * m + k] += x[i + c] * filter[f + c * m + k];                      \
            }                                                                                      \
        })                                                                                         \
    }                                                                                              \
    static void grad_input_##t(void *arg, int64_t begin, int64_t end)                              \
    {                                                                                              \
        const struct job *j = arg;                                                                 \
        const struct depthwise *d = j->d;                                                          \
        const int64_t m = d->multiplier;                                                           \
        const T *dy = j->dy, *filter = j->filter;                                                  \
        T *dx = j->to;                                                                             \
        EACH_TAP({                                                                                 \
            for (int64_t c = 0; c < d->in_c; c++)                                                  \
                for (int64_t k = 0; k < m; k++)                                                    \
                    dx[i + c] += dy[o + c * m + k] * filter[f + c * m + k];                        \
        })                                                                                         \
    }                                                                                              \
    static void grad_filter_##t(void *arg, int64_t begin, int64_t end)                             \
    {                                                                                              \
        const struct job *j = arg;                                                                 \
        const struct depthwise *d = j->d;                                                          \
        const int64_t m = d->multiplier;                                                           \
        const T *dy = j->dy, *x = j->x;                                                            \
        T *df = j->to;                                                                             \
        EACH_TAP({                                                                                 \
            for (int64_t c = 0; c < d->in_c; c++)                                                  \
                for (int64_t k = 0; k < m; k++)                                                    \
                    df[f + c * m + k] += dy[o + c * m + k] * x[i + c];                             \
        })                                                                                         \
    }
LOOPS(float, f32)
LOOPS(double, f64)

/* --- kernels --- */

static bool want_four(const struct tensor *t, const char *what, struct status *st)
{
    if (t->shape.rank == 4)
        return true;
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "%s must be 4-dimensional: %s", what, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static const void *widened(struct kctx *c, const struct tensor *t, struct status *st)
{
    if (t->dtype != DT_HALF)
        return t->data;
    float *wide = kernel_scratch(c, max_i64(t->num_elems, 1) * (int64_t)sizeof(float), st);
    if (wide)
        math_f16_to_f32(t->data, wide, t->num_elems);
    return wide;
}

enum direction { FORWARD, GRAD_INPUT, GRAD_FILTER };

/* Inputs a and b by the direction: x and filter, filter and dy, x and dy. */
static bool run(struct kctx *c, const struct depthwise *d, enum direction direction,
                const struct tensor *a, const struct tensor *b, const struct shape *shape,
                struct status *st)
{
    static const pool_loop_fn loops[3][2] = {{forward_f32, forward_f64},
                                             {grad_input_f32, grad_input_f64},
                                             {grad_filter_f32, grad_filter_f64}};
    struct tensor *out = kernel_out(c, 0, shape, st);
    const void *pa = out ? widened(c, a, st) : NULL, *pb = pa ? widened(c, b, st) : NULL;
    if (!pb)
        return false;
    struct job j = {.d = d, .to = out->data};
    const int64_t bytes = out->num_elems * (out->dtype == DT_DOUBLE ? 8 : 4);
    if (out->dtype == DT_HALF)
        j.to = kernel_scratch(c, max_i64(bytes, 1), st);
    if (!j.to)
        return false;
    memset(j.to, 0, (size_t)bytes);
    j.x = direction == GRAD_INPUT ? NULL : pa;
    j.filter = direction == FORWARD ? pb : direction == GRAD_INPUT ? pa : NULL;
    j.dy = direction == FORWARD ? NULL : pb;
    const pool_loop_fn fn = loops[direction][out->dtype == DT_DOUBLE];
    const int64_t rows = d->batch * d->out[0];
    const double cost = (double)d->out[1] * (double)d->window[0] * (double)d->window[1] *
                        (double)d->in_c * (double)d->multiplier;
    if (a->num_elems > 0 && b->num_elems > 0 && out->num_elems > 0 && rows > 0) {
        if (direction == FORWARD)
            kernel_loop(c, rows, cost, fn, &j);
        else if (direction == GRAD_INPUT) /* images do not touch each other's gradients */
            pool_loop(kernel_pool(c), rows, d->out[0], cost, fn, &j);
        else
            fn(&j, 0, rows);
    }
    if (out->dtype == DT_HALF)
        math_f32_to_f16(j.to, out->data, out->num_elems);
    return true;
}

static bool forward_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *f = kernel_in(c, 1);
    struct depthwise d;
    if (!want_four(x, "input", st) || !want_four(f, "filter", st) ||
        !find_sizes(c, shape_dims(&x->shape), shape_dims(&f->shape), &d, st))
        return false;
    const struct shape shape = shape_4(d.batch, d.out[0], d.out[1], d.in_c * d.multiplier);
    return run(c, &d, FORWARD, x, f, &shape, st);
}

/* dy is what the convolution gives. */
static bool want_dy(const struct kctx *c, const struct depthwise *d, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 2);
    if (!want_four(dy, "out_backprop", st))
        return false;
    const int64_t want[4] = {d->batch, d->out[0], d->out[1], d->in_c * d->multiplier};
    static const char *const what[4] = {"batch", "rows", "cols", "depth"};
    for (int i = 0; i < 4; i++) {
        if (tensor_dim(dy, i) != want[i])
            return status_invalid(st,
                                  "%s: Number of %s of out_backprop doesn't match computed: "
                                  "actual = %lld, computed = %lld",
                                  c->kernel->op->name, what[i], (long long)tensor_dim(dy, i),
                                  (long long)want[i]);
    }
    return true;
}

static bool grad_input_run(struct kctx *c, struct status *st)
{
    const struct tensor *f = kernel_in(c, 1);
    struct depthwise d;
    int64_t x[4];
    if (!want_four(f, "filter", st) || !volume_read_sizes(c, 0, 4, x, st) ||
        !find_sizes(c, x, shape_dims(&f->shape), &d, st) || !want_dy(c, &d, st))
        return false;
    const struct shape shape = shape_4(x[0], x[1], x[2], x[3]);
    return run(c, &d, GRAD_INPUT, f, kernel_in(c, 2), &shape, st);
}

static bool grad_filter_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct depthwise d;
    int64_t f[4];
    if (!want_four(x, "input", st) || !volume_read_sizes(c, 1, 4, f, st) ||
        !find_sizes(c, shape_dims(&x->shape), f, &d, st) || !want_dy(c, &d, st))
        return false;
    const struct shape shape = shape_4(f[0], f[1], f[2], f[3]);
    return run(c, &d, GRAD_FILTER, x, kernel_in(c, 2), &shape, st);
}

/* --- shapes --- */

static bool depthwise_shape(struct infer_ctx *c, struct status *st)
{
    const struct attrs *a = infer_attrs(c);
    const bool nchw = str_is(attrs_string(a, "data_format"), "NCHW");
    const int at = nchw ? 2 : 1, channel = nchw ? 1 : 3;
    const struct shape *x, *f;
    int64_t stride[2], depth;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 4, &f, st) || !read_stride(a, stride, st) ||
        !infer_merge_dim(infer_dim(x, channel), infer_dim(f, 2), &depth, st))
        return false;
    x = infer_with_dim(c, x, channel, infer_dim_mul(depth, infer_dim(f, 3)));
    for (int i = 0; i < 2; i++) {
        const struct infer_window one = {
            infer_dim(x, at + i), infer_dim(f, i), 1, stride[i], attrs_string(a, "padding"), 0, 0};
        int64_t out;
        if (!infer_window(&one, &out, st))
            return false;
        x = infer_with_dim(c, x, at + i, out);
    }
    infer_set(c, 0, x);
    return true;
}

static bool sizes_shape(struct infer_ctx *c, int i, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, i, &s, st) || !infer_want_rank(c, s, 4, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool input_shape(struct infer_ctx *c, struct status *st)
{
    return sizes_shape(c, 0, st);
}

static bool filter_shape(struct infer_ctx *c, struct status *st)
{
    return sizes_shape(c, 1, st);
}

/* --- gradients --- */

static const struct conv_family family = {.forward = "DepthwiseConv2dNative",
                                          .by_input = "DepthwiseConv2dNativeBackpropInput",
                                          .by_filter = "DepthwiseConv2dNativeBackpropFilter"};

static bool depthwise_grad(struct grad_ctx *g, struct status *st)
{
    return conv_forward_grad(g, &family, st);
}

static bool grad_input_grad(struct grad_ctx *g, struct status *st)
{
    return conv_by_input_grad(g, &family, st);
}

static bool grad_filter_grad(struct grad_ctx *g, struct status *st)
{
    return conv_by_filter_grad(g, &family, st);
}

/* --- the ops --- */

#define ATTRS                                                                                      \
    "T: {half, bfloat16, float, double}", "strides: list(int)", "padding: {'SAME', 'VALID'}",      \
        "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "dilations: list(int) = [1,1,1,1]"
#define KERNEL(id_, op_, run_)                                                                     \
    KERNEL_DEF(id_##_cpu) = {.op = op_,                                                            \
                             .device = "CPU",                                                      \
                             .types = {"T: {half, float, double}"},                                \
                             .flags = KERNEL_EXPENSIVE,                                            \
                             .state_bytes = sizeof(struct depthwise_state),                        \
                             .init = depthwise_init,                                               \
                             .run = run_}

OP_DEF(depthwise_conv2d) = {
    .name = "DepthwiseConv2dNative",
    .summary = "Images whose every channel is convolved with filters of its own.",
    .inputs = {"input: T", "filter: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = depthwise_shape,
    .grad = depthwise_grad,
};
KERNEL(depthwise_conv2d, "DepthwiseConv2dNative", forward_run);

OP_DEF(depthwise_conv2d_backprop_input) = {
    .name = "DepthwiseConv2dNativeBackpropInput",
    .summary = "The gradient of DepthwiseConv2dNative by its input.",
    .inputs = {"input_sizes: int32", "filter: T", "out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = input_shape,
    .grad = grad_input_grad,
};
KERNEL(depthwise_conv2d_backprop_input, "DepthwiseConv2dNativeBackpropInput", grad_input_run);

OP_DEF(depthwise_conv2d_backprop_filter) = {
    .name = "DepthwiseConv2dNativeBackpropFilter",
    .summary = "The gradient of DepthwiseConv2dNative by its filter.",
    .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = filter_shape,
    .grad = grad_filter_grad,
};
KERNEL(depthwise_conv2d_backprop_filter, "DepthwiseConv2dNativeBackpropFilter", grad_filter_run);
