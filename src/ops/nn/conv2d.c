/* SPDX-License-Identifier: Apache-2.0 */
/* Conv2D, Conv2DBackpropInput and Conv2DBackpropFilter, in both layouts. The loops are
 * math/conv.h's. */
#include "ops/nn/conv2d.h"
#include "ops/nn/conv_grad.h"

/* --- shapes --- */

static const struct shape *out_shape(struct infer_ctx *c, bool nchw, const int64_t d[4])
{
    struct shape s = conv2d_to_layout(nchw, d);
    return infer_make(c, shape_dims(&s), 4);
}

bool conv2d_infer(struct infer_ctx *c, struct status *st)
{
    struct conv2d_attrs a;
    const struct shape *x, *f;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 4, &f, st) ||
        !conv2d_attrs_read(infer_attrs(c), &a, st))
        return false;
    int64_t in[4], filter[4], out[4];
    conv2d_from_layout(
        a.nchw, (int64_t[]){infer_dim(x, 0), infer_dim(x, 1), infer_dim(x, 2), infer_dim(x, 3)},
        in);
    for (int i = 0; i < 4; i++)
        filter[i] = infer_dim(f, i);
    if (in[3] >= 0 && filter[2] > 0 && in[3] % filter[2] != 0)
        return status_invalid(
            st, "Depth of input (%lld) is not a multiple of input depth of filter (%lld)",
            (long long)in[3], (long long)filter[2]);
    out[0] = in[0];
    out[3] = filter[3];
    for (int i = 0; i < 2; i++) {
        struct infer_window w = {in[1 + i], filter[i],   a.dilation[i], a.stride[i],
                                 a.padding, a.before[i], a.after[i]};
        if (!infer_window(&w, &out[1 + i], st))
            return false;
    }
    infer_set(c, 0, out_shape(c, a.nchw, out));
    return true;
}

static bool sizes_shape(struct infer_ctx *c, int input, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, input, &s, st) || !infer_want_rank(c, s, 4, &s, st))
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

struct direction {
    bool (*run)(struct math_conv *plan, struct pool *pool, const struct math_conv_args *args,
                struct status *st);
    int64_t (*scratch_bytes)(const struct math_conv *plan);
};
static const struct direction forward_run = {math_conv_forward, math_conv_forward_scratch_bytes},
                              data_run = {math_conv_backward_data,
                                          math_conv_backward_data_scratch_bytes},
                              filter_run = {math_conv_backward_filter,
                                            math_conv_backward_filter_scratch_bytes};

static bool conv2d_init(struct kernel *k, void *state, struct status *st)
{
    return conv2d_state_init(state, k->attrs, st);
}

/* Runs one of the three directions; nothing to add up gives zeros. */
static bool run_plan(struct kctx *c, struct conv2d_state *s, const struct math_conv_shape *shape,
                     const struct direction *d, struct math_conv_args *args, struct status *st)
{
    bool own;
    struct math_conv *plan = conv2d_plan(s, shape, &own, st);
    if (!plan)
        return false;
    int64_t bytes = d->scratch_bytes(plan);
    bool ok = bytes == 0 || (args->scratch = kernel_scratch(c, bytes, st));
    ok = ok && d->run(plan, kernel_pool(c), args, st);
    if (own)
        math_conv_free(plan);
    return ok;
}

static bool clear_if_empty(const struct tensor *out, const struct tensor *a, const struct tensor *b)
{
    if (out->num_elems > 0 && a->num_elems > 0 && b->num_elems > 0)
        return false;
    memset(out->data, 0, tensor_bytes(out));
    return true;
}

bool conv2d_forward(struct kctx *c, struct conv2d_state *s, const struct math_conv_shape *m,
                    struct math_conv_args args, struct status *st)
{
    const struct shape shape =
        conv2d_to_layout(s->attrs.nchw, (int64_t[]){m->batch, m->out_h, m->out_w, m->out_c});
    struct tensor *y = kernel_out(c, 0, &shape, st);
    if (!y)
        return false;
    if (y->num_elems > 0 && m->in_c > 0 && m->in_h > 0 && m->in_w > 0 && m->filter_h > 0 &&
        m->filter_w > 0) {
        args.y = y->data;
        return run_plan(c, s, m, &forward_run, &args, st);
    }
    memset(y->data, 0, tensor_bytes(y));
    return true;
}

static bool conv_run(struct kctx *c, struct status *st)
{
    struct conv2d_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *f = kernel_in(c, 1);
    struct math_conv_shape m;
    int64_t dims[4];
    if (!want_four(x, "input", st) || !want_four(f, "filter", st))
        return false;
    conv2d_from_layout(s->attrs.nchw, shape_dims(&x->shape), dims);
    return conv2d_sizes(&s->attrs, x->dtype, dims, shape_dims(&f->shape), &m, st) &&
           conv2d_forward(c, s, &m, (struct math_conv_args){.x = x->data, .filter = f->data}, st);
}

/* Whether dy is what the convolution gives. */
static bool want_dy(const struct tensor *dy, const struct math_conv_shape *m, struct status *st)
{
    if (!want_four(dy, "out_backprop", st))
        return false;
    int64_t d[4];
    conv2d_from_layout(m->nchw, shape_dims(&dy->shape), d);
    if (d[0] != m->batch)
        return status_invalid(st, "input and out_backprop must have the same batch size");
    if (d[3] != m->out_c)
        return status_invalid(st, "filter and out_backprop must have the same out_depth");
    if (d[1] == m->out_h && d[2] == m->out_w)
        return true;
    return status_invalid(st,
                          "Size of out_backprop doesn't match computed: actual = %lld x %lld, "
                          "computed = %lld x %lld",
                          (long long)d[1], (long long)d[2], (long long)m->out_h,
                          (long long)m->out_w);
}

/* A vector of four sizes, none negative. */
static bool read_sizes(const struct kctx *c, int i, int64_t out[4], struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->shape.rank != 1 || t->num_elems != 4)
        return status_invalid(st, "%s: sizes must be a vector of 4 elements", c->kernel->op->name);
    for (int j = 0; j < 4; j++) {
        out[j] = tensor_i32(t)[j];
        if (out[j] < 0)
            return status_invalid(st, "%s: size %d must be non-negative", c->kernel->op->name,
                                  (int)out[j]);
    }
    return true;
}

static bool backward_input_run(struct kctx *c, struct status *st)
{
    struct conv2d_state *s = kernel_state(c);
    const struct tensor *f = kernel_in(c, 1), *dy = kernel_in(c, 2);
    struct math_conv_shape m;
    int64_t sizes[4], dims[4];
    if (!want_four(f, "filter", st) || !read_sizes(c, 0, sizes, st))
        return false;
    conv2d_from_layout(s->attrs.nchw, sizes, dims);
    if (!conv2d_sizes(&s->attrs, f->dtype, dims, shape_dims(&f->shape), &m, st) ||
        !want_dy(dy, &m, st))
        return false;
    struct shape shape = conv2d_to_layout(s->attrs.nchw, dims);
    struct tensor *dx = kernel_out(c, 0, &shape, st);
    if (!dx)
        return false;
    if (clear_if_empty(dx, f, dy))
        return true;
    return run_plan(c, s, &m, &data_run,
                    &(struct math_conv_args){.filter = f->data, .dy = dy->data, .dx = dx->data},
                    st);
}

static bool backward_filter_run(struct kctx *c, struct status *st)
{
    struct conv2d_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *dy = kernel_in(c, 2);
    struct math_conv_shape m;
    int64_t filter[4], dims[4];
    if (!want_four(x, "input", st) || !read_sizes(c, 1, filter, st))
        return false;
    conv2d_from_layout(s->attrs.nchw, shape_dims(&x->shape), dims);
    if (!conv2d_sizes(&s->attrs, x->dtype, dims, filter, &m, st) || !want_dy(dy, &m, st))
        return false;
    struct shape shape = shape_4(filter[0], filter[1], filter[2], filter[3]);
    struct tensor *df = kernel_out(c, 0, &shape, st);
    if (!df)
        return false;
    if (clear_if_empty(df, x, dy))
        return true;
    return run_plan(c, s, &m, &filter_run,
                    &(struct math_conv_args){.x = x->data, .dy = dy->data, .dfilter = df->data},
                    st);
}

/* --- gradients --- */

static const struct conv_family family = {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter",
                                          .shapes_at_once = true};

static bool conv_grad(struct grad_ctx *g, struct status *st)
{
    return conv_forward_grad(g, &family, st);
}

static bool backward_input_grad(struct grad_ctx *g, struct status *st)
{
    return conv_by_input_grad(g, &family, st);
}

static bool backward_filter_grad(struct grad_ctx *g, struct status *st)
{
    return conv_by_filter_grad(g, &family, st);
}

/* --- the ops --- */

#define ATTRS                                                                                      \
    "T: {half, bfloat16, float, double}", "strides: list(int)", "use_cudnn_on_gpu: bool = true",   \
        "padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []",             \
        "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "dilations: list(int) = [1,1,1,1]"
#define KERNEL(id_, op_, label_, run_)                                                             \
    KERNEL_DEF(id_) = {.op = op_,                                                                  \
                       .device = "CPU",                                                            \
                       .types = {"T: {half, float, double}"},                                      \
                       .label = label_,                                                            \
                       .flags = KERNEL_EXPENSIVE,                                                  \
                       .state_bytes = sizeof(struct conv2d_state),                                 \
                       .init = conv2d_init,                                                        \
                       .release = conv2d_release,                                                  \
                       .run = run_}

OP_DEF(conv2d) = {
    .name = "Conv2D",
    .summary = "Images convolved with a bank of filters.",
    .inputs = {"input: T", "filter: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = conv2d_infer,
    .grad = conv_grad,
};
KERNEL(conv2d_cpu, "Conv2D", NULL, conv_run);

OP_DEF(conv2d_backprop_input) = {
    .name = "Conv2DBackpropInput",
    .summary = "The gradient of Conv2D by its input.",
    .inputs = {"input_sizes: int32", "filter: T", "out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = input_shape,
    .grad = backward_input_grad,
};
KERNEL(conv2d_backprop_input_cpu, "Conv2DBackpropInput", NULL, backward_input_run);
KERNEL(conv2d_backprop_input_custom, "Conv2DBackpropInput", "custom", backward_input_run);
KERNEL(conv2d_backprop_input_eigen, "Conv2DBackpropInput", "eigen_tensor", backward_input_run);

OP_DEF(conv2d_backprop_filter) = {
    .name = "Conv2DBackpropFilter",
    .summary = "The gradient of Conv2D by its filter.",
    .inputs = {"input: T", "filter_sizes: int32", "out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = filter_shape,
    .grad = backward_filter_grad,
};
KERNEL(conv2d_backprop_filter_cpu, "Conv2DBackpropFilter", NULL, backward_filter_run);
KERNEL(conv2d_backprop_filter_custom, "Conv2DBackpropFilter", "custom", backward_filter_run);
KERNEL(conv2d_backprop_filter_eigen, "Conv2DBackpropFilter", "eigen_tensor", backward_filter_run);
