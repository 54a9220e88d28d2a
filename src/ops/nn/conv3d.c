/* SPDX-License-Identifier: Apache-2.0 */
/* Conv3D, Conv3DBackpropInputV2 and Conv3DBackpropFilterV2, and those two as they were, which take
 * a tensor where these take its sizes. The loops are math/volume.h's, with the channels last:
 * volumes with the channels first are turned; half is computed in float. */
#include "math/vec.h"
#include "tensor/dtype.h"

#include "ops/nn/conv_grad.h"
#include "ops/nn/volume.h"

/* --- shapes --- */

static bool conv_shape(struct infer_ctx *c, struct status *st)
{
    struct volume_attrs a;
    const struct shape *x, *f;
    if (!infer_want_rank(c, infer_input(c, 0), 5, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 5, &f, st) ||
        !volume_attrs_read(infer_attrs(c), &a, st))
        return false;
    const int64_t in_c = infer_dim(x, a.channels_first ? 1 : 4), filter_c = infer_dim(f, 3);
    if (in_c >= 0 && filter_c > 0 && in_c % filter_c != 0)
        return status_invalid(
            st, "Depth of input (%lld) is not a multiple of input depth of filter (%lld)",
            (long long)in_c, (long long)filter_c);
    const int64_t window[3] = {infer_dim(f, 0), infer_dim(f, 1), infer_dim(f, 2)};
    return volume_infer(c, &a, window, infer_dim(f, 4), st);
}

static bool input_shape(struct infer_ctx *c, struct status *st)
{
    return volume_infer_sizes(c, 0, st);
}

static bool filter_shape(struct infer_ctx *c, struct status *st)
{
    return volume_infer_sizes(c, 1, st);
}

static bool like_five(struct infer_ctx *c, int i, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, i), 5, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool former_input_shape(struct infer_ctx *c, struct status *st)
{
    return like_five(c, 0, st);
}

static bool former_filter_shape(struct infer_ctx *c, struct status *st)
{
    return like_five(c, 1, st);
}

/* --- kernels --- */

static bool conv_init(struct kernel *k, void *state, struct status *st)
{
    struct volume_attrs *a = state;
    if (!volume_attrs_read(k->attrs, a, st) || !volume_attrs_check(k->attrs, st))
        return false;
    if (a->dilation[0] != 1 || a->dilation[1] != 1 || a->dilation[2] != 1)
        return status_invalid(st,
                              "CPU implementation of %s currently only supports dilated rates "
                              "of 1.",
                              k->op->name);
    return true;
}

static bool want_five(const struct tensor *t, const char *what, struct status *st)
{
    return t->shape.rank == 5 || status_invalid(st, "%s must be 5-dimensional", what);
}

/* The sizes of convolving a volume with these dims by such a filter. */
static bool conv_sizes(const struct kctx *c, int dtype, const int64_t *dims, const int64_t *filter,
                       struct math_volume *v, struct status *st)
{
    *v = (struct math_volume){.dtype = dtype == DT_HALF ? DT_FLOAT : dtype, .out_c = filter[4]};
    memcpy(v->window, filter, sizeof v->window);
    if (filter[3] == 0 || dims[4] % filter[3] != 0)
        return status_invalid(st,
                              "Input depth must be evenly divisible by filter depth: %lld vs "
                              "%lld",
                              (long long)dims[4], (long long)filter[3]);
    if (dims[4] != filter[3])
        return status_unimplemented(st,
                                    "%s: grouped convolutions: input depth %lld, filter depth "
                                    "%lld",
                                    c->kernel->op->name, (long long)dims[4], (long long)filter[3]);
    return volume_sizes(kernel_state(c), dims, v, st);
}

/* dy is what the convolution gives. */
static bool want_dy(const struct kctx *c, const struct math_volume *v, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 2);
    if (!want_five(dy, "out_backprop", st))
        return false;
    const struct volume_attrs *a = kernel_state(c);
    const int64_t dims[] = {v->batch, v->out[0], v->out[1], v->out[2], v->out_c};
    struct shape want = volume_to_layout(a->channels_first, dims);
    struct strbuf text = {0};
    const bool ok = shape_equal(&want, &dy->shape);
    if (!ok) {
        shape_print(&dy->shape, &text);
        strbuf_printf(&text, ", computed = ");
        shape_print(&want, &text);
        status_invalid(st, "%s: Size of out_backprop doesn't match computed: actual = %s",
                       c->kernel->op->name, strbuf_text(&text));
        strbuf_release(&text);
    }
    shape_clear(&want);
    return ok;
}

/* t's elements as the type that is computed with. */
static const void *widened(struct kctx *c, const struct tensor *t, struct status *st)
{
    if (t->dtype != DT_HALF)
        return t->data;
    float *wide = kernel_scratch(c, t->num_elems * (int64_t)sizeof(float), st);
    if (wide)
        math_f16_to_f32(t->data, wide, t->num_elems);
    return wide;
}

enum direction { FORWARD, GRAD_INPUT, GRAD_FILTER };

/* Runs one direction over operands in float or double with the channels last. */
static bool compute(struct kctx *c, const struct math_volume *v, enum direction direction,
                    const void *const in[2], void *to, struct status *st)
{
    void *scratch = kernel_scratch(c, math_conv3d_scratch_bytes(v), st);
    if (!scratch)
        return false;
    if (direction == FORWARD)
        math_conv3d(kernel_pool(c), v, in[0], in[1], to, scratch);
    else if (direction == GRAD_INPUT)
        math_conv3d_grad_input(kernel_pool(c), v, in[0], in[1], to, scratch);
    else
        math_conv3d_grad_filter(kernel_pool(c), v, in[0], in[1], to, scratch);
    return true;
}

/* Inputs by the direction: x and filter, filter and dy, x and dy. dims: of the result, channels
 * last. */
static bool run(struct kctx *c, const struct math_volume *v, enum direction direction,
                const struct tensor *in[2], const int64_t *dims, struct status *st)
{
    const struct volume_attrs *a = kernel_state(c);
    const bool turned = a->channels_first && direction != GRAD_FILTER;
    struct shape shape = volume_to_layout(turned, dims);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    if (out->num_elems == 0 || in[0]->num_elems == 0 || in[1]->num_elems == 0) {
        memset(out->data, 0, tensor_bytes(out));
        return true;
    }
    const size_t item = dtype_size(v->dtype);
    const void *data[2];
    for (int i = 0; i < 2; i++) {
        const bool filter = i == (direction == FORWARD ? 1 : direction == GRAD_INPUT ? 0 : 2);
        data[i] = volume_channels_last(c, a->channels_first && !filter, in[i],
                                       widened(c, in[i], st), item, st);
        if (!data[i])
            return false;
    }
    const int64_t bytes = out->num_elems * (int64_t)item;
    const bool half = out->dtype == DT_HALF;
    void *plain = half ? kernel_scratch(c, bytes, st) : out->data;
    void *to = plain && turned ? kernel_scratch(c, bytes, st) : plain;
    if (!to || !compute(c, v, direction, data, to, st))
        return false;
    if (turned)
        volume_channels_back(c, dims, to, plain, item);
    if (half)
        math_f32_to_f16(plain, out->data, out->num_elems);
    return true;
}

/* Five sizes: input i, or in the former ops those that it has. */
static bool read_sizes(const struct kctx *c, int i, const char *what, int64_t sizes[5],
                       struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (!dtype_is_float(t->dtype))
        return volume_read_sizes(c, i, 5, sizes, st);
    if (!want_five(t, what, st))
        return false;
    memcpy(sizes, shape_dims(&t->shape), 5 * sizeof *sizes);
    return true;
}

static bool conv_run(struct kctx *c, struct status *st)
{
    const struct tensor *in[2] = {kernel_in(c, 0), kernel_in(c, 1)};
    const struct volume_attrs *a = kernel_state(c);
    struct math_volume v;
    int64_t x[5];
    if (!want_five(in[0], "input", st) || !want_five(in[1], "filter", st))
        return false;
    volume_from_layout(a->channels_first, shape_dims(&in[0]->shape), x);
    if (!conv_sizes(c, in[0]->dtype, x, shape_dims(&in[1]->shape), &v, st))
        return false;
    const int64_t dims[] = {v.batch, v.out[0], v.out[1], v.out[2], v.out_c};
    return run(c, &v, FORWARD, in, dims, st);
}

static bool grad_input_run(struct kctx *c, struct status *st)
{
    const struct tensor *in[2] = {kernel_in(c, 1), kernel_in(c, 2)};
    const struct volume_attrs *a = kernel_state(c);
    struct math_volume v;
    int64_t sizes[5], x[5];
    if (!want_five(in[0], "filter", st) || !read_sizes(c, 0, "input", sizes, st))
        return false;
    volume_from_layout(a->channels_first, sizes, x);
    return conv_sizes(c, in[0]->dtype, x, shape_dims(&in[0]->shape), &v, st) &&
           want_dy(c, &v, st) && run(c, &v, GRAD_INPUT, in, x, st);
}

static bool grad_filter_run(struct kctx *c, struct status *st)
{
    const struct tensor *in[2] = {kernel_in(c, 0), kernel_in(c, 2)};
    const struct volume_attrs *a = kernel_state(c);
    struct math_volume v;
    int64_t filter[5], x[5];
    if (!want_five(in[0], "input", st) || !read_sizes(c, 1, "filter", filter, st))
        return false;
    volume_from_layout(a->channels_first, shape_dims(&in[0]->shape), x);
    return conv_sizes(c, in[0]->dtype, x, filter, &v, st) && want_dy(c, &v, st) &&
           run(c, &v, GRAD_FILTER, in, filter, st);
}

/* --- gradients --- */

static const struct conv_family family = {.forward = "Conv3D",
                                          .by_input = "Conv3DBackpropInputV2",
                                          .by_filter = "Conv3DBackpropFilterV2"};

static bool conv_grad(struct grad_ctx *g, struct status *st)
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
    "T: {half, bfloat16, float, double}", "strides: list(int) >= 5", "padding: {'SAME', 'VALID'}", \
        "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'", "dilations: list(int) = [1,1,1,1,1]"
#define KERNEL(id_, op_, label_, run_)                                                             \
    KERNEL_DEF(id_) = {.op = op_,                                                                  \
                       .device = "CPU",                                                            \
                       .types = {"T: {half, float, double}"},                                      \
                       .label = label_,                                                            \
                       .flags = KERNEL_EXPENSIVE,                                                  \
                       .state_bytes = sizeof(struct volume_attrs),                                 \
                       .init = conv_init,                                                          \
                       .run = run_}

OP_DEF(conv3d) = {
    .name = "Conv3D",
    .summary = "Volumes convolved with a bank of filters.",
    .inputs = {"input: T", "filter: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = conv_shape,
    .grad = conv_grad,
};
KERNEL(conv3d_cpu, "Conv3D", NULL, conv_run);

OP_DEF(conv3d_backprop_input_v2) = {
    .name = "Conv3DBackpropInputV2",
    .summary = "The gradient of Conv3D by its input.",
    .inputs = {"input_sizes: Tshape", "filter: T", "out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS, "Tshape: {int32, int64} = DT_INT32"},
    .shape = input_shape,
    .grad = grad_input_grad,
};
KERNEL(conv3d_backprop_input_v2_cpu, "Conv3DBackpropInputV2", NULL, grad_input_run);
KERNEL(conv3d_backprop_input_v2_custom, "Conv3DBackpropInputV2", "custom", grad_input_run);
KERNEL(conv3d_backprop_input_v2_eigen, "Conv3DBackpropInputV2", "eigen_tensor", grad_input_run);

OP_DEF(conv3d_backprop_filter_v2) = {
    .name = "Conv3DBackpropFilterV2",
    .summary = "The gradient of Conv3D by its filter.",
    .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = filter_shape,
    .grad = grad_filter_grad,
};
KERNEL(conv3d_backprop_filter_v2_cpu, "Conv3DBackpropFilterV2", NULL, grad_filter_run);
KERNEL(conv3d_backprop_filter_v2_custom, "Conv3DBackpropFilterV2", "custom", grad_filter_run);
KERNEL(conv3d_backprop_filter_v2_eigen, "Conv3DBackpropFilterV2", "eigen_tensor", grad_filter_run);

#define FORMER(id, op_name, text, infer, run_)                                                     \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"input: T", "filter: T", "out_backprop: T"},                                    \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: {half, float, double}", "strides: list(int) >= 5",                           \
                  "padding: {'SAME', 'VALID'}", "dilations: list(int) = [1,1,1,1,1]"},             \
        .deprecated_at = 10,                                                                       \
        .deprecated_why = "Use " op_name "V2",                                                     \
        .shape = infer,                                                                            \
        .no_grad = "undefined: TensorFlow registers none",                                         \
    };                                                                                             \
    KERNEL(id##_cpu, op_name, NULL, run_);                                                         \
    KERNEL(id##_custom, op_name, "custom", run_);                                                  \
    KERNEL(id##_eigen, op_name, "eigen_tensor", run_)
FORMER(conv3d_backprop_input, "Conv3DBackpropInput",
       "The gradient of Conv3D by its input, which is given for its shape.", former_input_shape,
       grad_input_run);
FORMER(conv3d_backprop_filter, "Conv3DBackpropFilter",
       "The gradient of Conv3D by its filter, which is given for its shape.", former_filter_shape,
       grad_filter_run);
