/* SPDX-License-Identifier: Apache-2.0 */
/* MaxPool in its forms, AvgPool, and their gradients, over height and width in both layouts. The
 * loops are math/pooling.h's. */
#include "math/reduce.h"
#include "math/rows.h"

#include "ops/nn/conv_grad.h"
#include "ops/nn/window.h"

/* --- shapes --- */

static bool give(struct infer_ctx *c, const struct shape *s)
{
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, s);
    return true;
}

/* What pooling input 0 gives; op: the name for messages. */
static bool pooled(struct infer_ctx *c, const char *op, bool over_depth, const struct shape **out,
                   struct status *st)
{
    struct window w;
    return infer_want_rank(c, infer_input(c, 0), 4, out, st) &&
           window_read(infer_attrs(c), op, &w, st) && window_infer(c, &w, over_depth, out, st);
}

/* The same with the window in the inputs `from` and the next. */
static bool pooled_v2(struct infer_ctx *c, int from, const struct shape **out, struct status *st)
{
    const struct shape *four;
    int64_t dim;
    if (!infer_want_rank(c, infer_input(c, 0), 4, out, st))
        return false;
    for (int i = from; i < from + 2; i++) {
        if (!infer_want_rank(c, infer_input(c, i), 1, &four, st) ||
            !infer_want_dim(c, infer_dim(four, 0), 4, &dim, st))
            return false;
    }
    const struct tensor *size = infer_const(c, from), *stride = infer_const(c, from + 1);
    struct window w;
    if (!size || !stride) {
        *out = infer_of_rank(c, 4);
        return true;
    }
    return window_from(infer_attrs(c), size, stride, &w, st) && window_infer(c, &w, true, out, st);
}

static bool avg_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    return pooled(c, "AvgPool", false, &out, st) && give(c, out);
}

static bool max_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    return pooled(c, "MaxPool", true, &out, st) && give(c, out);
}

static bool max_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    return pooled_v2(c, 1, &out, st) && give(c, out);
}

static bool grad_like_input(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, 0), 4, &s, st) && give(c, s);
}

/* (orig_input, orig_output, grad) of the second order: grad is an image, the result what pooling
 * gives. */
static bool second_order(struct infer_ctx *c, const struct shape *out, struct status *st)
{
    const struct shape *same;
    return infer_merge(c, infer_input(c, 1), out, &out, st) &&
           infer_merge(c, infer_input(c, 0), infer_input(c, 2), &same, st) && give(c, out);
}

static bool grad_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    return pooled(c, "MaxPool", true, &out, st) && second_order(c, out, st);
}

static bool grad_grad_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    return pooled_v2(c, 3, &out, st) && second_order(c, out, st);
}

/* x and grad are of one shape; the result is what pooling x gives. */
static bool second_argmax_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *out;
    return pooled(c, "MaxPool", true, &out, st) &&
           infer_merge(c, infer_input(c, 0), infer_input(c, 1), &x, st) && give(c, out);
}

static bool avg_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, 0, &s, st) || !infer_want_rank(c, s, 4, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

/* --- kernels --- */

/* The window over input 0, from inputs `from` and the next or from attrs (-1). */
static bool read_window(const struct kctx *c, int from, struct window *w, struct status *st)
{
    if (tensor_rank(kernel_in(c, 0)) != 4)
        return status_invalid(st, "tensor_in must be 4-dimensional");
    return (from < 0 ? window_read(kernel_attrs(c), c->kernel->op->name, w, st)
                     : window_from(kernel_attrs(c), kernel_in(c, from), kernel_in(c, from + 1), w,
                                   st)) &&
           window_check(w, st);
}

/* The pooling of x over its height and width; `what` pools when its window has a depth. */
static bool pooling_of(const struct kctx *c, const struct tensor *x, int from, const char *what,
                       struct math_pooling *p, struct status *st)
{
    struct window w;
    if (!read_window(c, from, &w, st))
        return false;
    if (w.depth != 1)
        return status_unimplemented(st, "%s is not yet supported on the depth dimension.", what);
    return window_sizes(&w, x->dtype, shape_dims(&x->shape), p, st);
}

static bool want_shape(const struct tensor *t, const struct shape *s, const char *what,
                       struct status *st)
{
    if (shape_equal(&t->shape, s))
        return true;
    struct strbuf text = {0};
    shape_print(s, &text);
    strbuf_puts(&text, ", but got ");
    shape_print(&t->shape, &text);
    status_invalid(st, "Expected %s shape to be %s", what, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

typedef void (*forward_fn)(struct pool *pool, const struct math_pooling *s, const void *x, void *y);

static bool forward(struct kctx *c, const struct window *w, forward_fn fn, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct math_pooling p;
    if (!window_sizes(w, x->dtype, shape_dims(&x->shape), &p, st))
        return false;
    struct shape s = window_out_shape(&p);
    struct tensor *y = kernel_out(c, 0, &s, st);
    if (!y)
        return false;
    if (y->num_elems > 0)
        fn(kernel_pool(c), &p, x->data, y->data);
    return true;
}

/* The greatest of each w->depth channels: a reduction of what lies behind one another. */
static bool max_over_depth(struct kctx *c, const struct window *w, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    const int64_t depth = tensor_dim(x, 3);
    if (w->nchw)
        return status_unimplemented(st, "Depthwise max pooling takes channels last");
    if (w->size[0] != 1 || w->size[1] != 1)
        return status_unimplemented(st, "MaxPooling supports exactly one of pooling across depth "
                                        "or pooling across width/height.");
    if (w->depth < 1 || depth % w->depth != 0)
        return status_unimplemented(st, "Depthwise max pooling requires the depth window to evenly "
                                        "divide the input depth");
    if (w->depth != w->depth_stride)
        return status_unimplemented(st, "Depthwise max pooling requires the depth window to equal "
                                        "the depth stride");
    struct shape s =
        shape_4(tensor_dim(x, 0), tensor_dim(x, 1), tensor_dim(x, 2), depth / w->depth);
    struct tensor *y = kernel_out(c, 0, &s, st);
    if (!y)
        return false;
    if (y->num_elems > 0)
        math_reduce(kernel_pool(c), &(struct math_reduce){.op = MATH_REDUCE_MAX,
                                                          .dtype = x->dtype,
                                                          .outer = y->num_elems,
                                                          .num = w->depth,
                                                          .inner = 1,
                                                          .x = x->data,
                                                          .y = y->data});
    return true;
}

static bool max_forward(struct kctx *c, int from, struct status *st)
{
    struct window w;
    return read_window(c, from, &w, st) &&
           (w.depth == 1 ? forward(c, &w, math_maxpool, st) : max_over_depth(c, &w, st));
}

static bool max_run(struct kctx *c, struct status *st)
{
    return max_forward(c, -1, st);
}

static bool max_v2_run(struct kctx *c, struct status *st)
{
    return max_forward(c, 1, st);
}

static bool avg_run(struct kctx *c, struct status *st)
{
    struct window w;
    if (!read_window(c, -1, &w, st))
        return false;
    if (w.depth != 1)
        return status_unimplemented(st, "Non-spatial pooling is not yet supported.");
    return forward(c, &w, math_avgpool, st);
}

/* (orig_input, orig_output, grad): grad has the output's shape, or for the second order the
 * input's; the result the other one. */
static bool max_backward(struct kctx *c, int from, bool second, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1), *dy = kernel_in(c, 2);
    struct math_pooling p;
    if (!pooling_of(c, x, from, second ? "MaxPoolingGradGrad" : "MaxPoolingGrad", &p, st))
        return false;
    struct shape s = window_out_shape(&p);
    if (!want_shape(y, &s, "orig_output", st) ||
        !want_shape(dy, second ? &x->shape : &s, "grad", st))
        return false;
    struct tensor *out = kernel_out(c, 0, second ? &s : &x->shape, st);
    if (!out)
        return false;
    if (x->num_elems == 0 || y->num_elems == 0)
        memset(out->data, 0, tensor_bytes(out));
    else if (second)
        math_maxpool_grad_grad(kernel_pool(c), &p, x->data, dy->data, out->data);
    else
        math_maxpool_grad(kernel_pool(c), &p, x->data, dy->data, out->data);
    return true;
}

static bool max_grad_run(struct kctx *c, struct status *st)
{
    return max_backward(c, -1, false, st);
}

static bool max_grad_v2_run(struct kctx *c, struct status *st)
{
    return max_backward(c, 3, false, st);
}

static bool max_grad_grad_run(struct kctx *c, struct status *st)
{
    return max_backward(c, -1, true, st);
}

static bool max_grad_grad_v2_run(struct kctx *c, struct status *st)
{
    return max_backward(c, 3, true, st);
}

static bool argmax_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct math_pooling p;
    if (!pooling_of(c, x, -1, "MaxPoolWithArgmax", &p, st))
        return false;
    struct shape s = window_out_shape(&p);
    struct tensor *y = kernel_out(c, 0, &s, st);
    struct tensor *at = y ? kernel_out(c, 1, &s, st) : NULL;
    if (!at)
        return false;
    bool batch = attrs_bool(kernel_attrs(c), "include_batch_in_index");
    struct math_maxpool_argmax a = {x->data, y->data, tensor_i64(at), batch};
    if (y->num_elems > 0)
        math_maxpool_argmax(kernel_pool(c), &p, &a);
    return true;
}

static bool argmax_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *dy = kernel_in(c, 1), *at = kernel_in(c, 2);
    struct math_pooling p;
    if (!pooling_of(c, x, -1, "MaxPoolWithArgmax", &p, st))
        return false;
    struct shape s = window_out_shape(&p);
    if (!want_shape(dy, &s, "grad", st) || !want_shape(at, &s, "argmax", st))
        return false;
    struct tensor *dx = kernel_out(c, 0, &x->shape, st);
    if (!dx)
        return false;
    memset(dx->data, 0, tensor_bytes(dx));
    int64_t parts = attrs_bool(kernel_attrs(c), "include_batch_in_index") ? 1 : p.batch;
    if (dy->num_elems == 0)
        return true;
    int64_t n = dy->num_elems / parts, limit = dx->num_elems / parts;
    size_t bytes = dtype_size(dx->dtype);
    for (int64_t i = 0; i < parts; i++) {
        struct math_scatter sum = {.op = MATH_SCATTER_ADD,
                                   .dtype = dx->dtype,
                                   .index_dtype = DT_INT64,
                                   .indices = tensor_i64(at) + i * n,
                                   .num = n,
                                   .limit = limit,
                                   .row_items = 1,
                                   .updates = (const char *)dy->data + (size_t)(i * n) * bytes,
                                   .table = (char *)dx->data + (size_t)(i * limit) * bytes};
        if (math_scatter(kernel_pool(c), &sum) >= 0)
            return status_invalid(st, "argmax holds an index outside [0, %lld)", (long long)limit);
    }
    return true;
}

static bool avg_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *sizes = kernel_in(c, 0), *dy = kernel_in(c, 1);
    struct window w;
    struct math_pooling p;
    int64_t dims[4];
    if (sizes->shape.rank != 1 || sizes->num_elems != 4)
        return status_invalid(st, "out_backprop must be 1-dimensional and 4 elements");
    for (int i = 0; i < 4; i++) {
        dims[i] = tensor_i32(sizes)[i];
        if (dims[i] < 0)
            return status_invalid(st, "orig_input_shape must not be negative");
    }
    if (!window_read(kernel_attrs(c), "AvgPool", &w, st) || !window_check(&w, st))
        return false;
    if (w.depth != 1)
        return status_unimplemented(st, "Non-spatial pooling is not yet supported.");
    if (!window_sizes(&w, dy->dtype, dims, &p, st))
        return false;
    struct shape out = window_out_shape(&p), in = shape_make(dims, 4);
    if (!want_shape(dy, &out, "grad", st))
        return false;
    struct tensor *dx = kernel_out(c, 0, &in, st);
    if (!dx)
        return false;
    if (dy->num_elems == 0 || dx->num_elems == 0)
        memset(dx->data, 0, tensor_bytes(dx));
    else
        math_avgpool_grad(kernel_pool(c), &p, dy->data, dx->data);
    return true;
}

/* --- gradients --- */

static bool max_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[3] = {grad_in(g, 0), grad_out(g, 0), grad_dy(g, 0)};
    grad_set(g, 0, conv_grad_op(g, "MaxPoolGrad", 3, in));
    return grad_done(g, st);
}

static bool max_v2_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[5] = {grad_in(g, 0), grad_out(g, 0), grad_dy(g, 0), grad_in(g, 1),
                           grad_in(g, 2)};
    grad_set(g, 0, conv_grad_op(g, "MaxPoolGradV2", 5, in));
    return grad_done(g, st);
}

/* Which input won does not change: zero by the first two inputs. */
static bool higher(struct grad_ctx *g, const char *op, int n, struct status *st)
{
    struct output in[5] = {grad_in(g, 0), grad_in(g, 1), grad_dy(g, 0)};
    for (int i = 3; i < n; i++)
        in[i] = grad_in(g, i);
    grad_set(g, 0, grad_zeros_of(g, grad_in(g, 0)));
    grad_set(g, 1, grad_zeros_of(g, grad_in(g, 1)));
    grad_set(g, 2, conv_grad_op(g, op, n, in));
    return grad_done(g, st);
}

static bool max_grad_grad(struct grad_ctx *g, struct status *st)
{
    return higher(g, "MaxPoolGradGrad", 3, st);
}

static bool max_grad_v2_grad(struct grad_ctx *g, struct status *st)
{
    return higher(g, "MaxPoolGradGradV2", 5, st);
}

static bool max_grad_grad_grad(struct grad_ctx *g, struct status *st)
{
    return higher(g, "MaxPoolGrad", 3, st);
}

static bool argmax_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[3] = {grad_in(g, 0), grad_dy(g, 0), grad_out(g, 1)};
    grad_set(g, 0, conv_grad_op(g, "MaxPoolGradWithArgmax", 3, in));
    return grad_done(g, st);
}

static bool avg_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[2] = {grad_shape(g, grad_in(g, 0)), grad_dy(g, 0)};
    grad_set(g, 0, conv_grad_op(g, "AvgPoolGrad", 2, in));
    return grad_done(g, st);
}

static bool avg_grad_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set(g, 1, conv_grad_op(g, "AvgPool", 1, &dy));
    return grad_done(g, st);
}

/* --- the ops --- */

#define WINDOW "ksize: list(int) >= 4", "strides: list(int) >= 4"
#define PADDING "padding: {'SAME', 'VALID'}"
#define FORMAT "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define MAX_TYPES                                                                                  \
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "       \
    "DT_FLOAT"
#define MAX_FORMAT "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
#define KERNEL(id_, op_, run_, ...)                                                                \
    KERNEL_DEF(id_##_cpu) = {.op = op_, .device = "CPU", .types = {__VA_ARGS__}, .run = run_}
#define MAX_KERNEL "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"
#define ARGMAX_KERNEL "Targmax: {int64}", MAX_KERNEL

OP_DEF(max_pool) = {
    .name = "MaxPool",
    .summary = "The greatest value in each window of an image.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {MAX_TYPES, WINDOW, PADDING, MAX_FORMAT},
    .shape = max_shape,
    .grad = max_grad,
};
KERNEL(max_pool, "MaxPool", max_run, MAX_KERNEL);

OP_DEF(max_pool_v2) = {
    .name = "MaxPoolV2",
    .summary = "MaxPool whose window is an input.",
    .inputs = {"input: T", "ksize: int32", "strides: int32"},
    .outputs = {"output: T"},
    .attrs = {MAX_TYPES, PADDING, MAX_FORMAT},
    .shape = max_v2_shape,
    .grad = max_v2_grad,
};
KERNEL(max_pool_v2, "MaxPoolV2", max_v2_run, MAX_KERNEL);

OP_DEF(max_pool_grad) = {
    .name = "MaxPoolGrad",
    .summary = "The gradient of MaxPool: grad goes to where each window's greatest value was.",
    .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, PADDING, FORMAT, "T: realnumbertype = DT_FLOAT"},
    .shape = grad_like_input,
    .grad = max_grad_grad,
};
KERNEL(max_pool_grad, "MaxPoolGrad", max_grad_run, MAX_KERNEL);

OP_DEF(max_pool_grad_v2) = {
    .name = "MaxPoolGradV2",
    .summary = "MaxPoolGrad whose window is an input.",
    .inputs = {"orig_input: T", "orig_output: T", "grad: T", "ksize: int32", "strides: int32"},
    .outputs = {"output: T"},
    .attrs = {PADDING, FORMAT, "T: realnumbertype = DT_FLOAT"},
    .shape = grad_like_input,
    .grad = max_grad_v2_grad,
};
KERNEL(max_pool_grad_v2, "MaxPoolGradV2", max_grad_v2_run, MAX_KERNEL);

OP_DEF(max_pool_grad_grad) = {
    .name = "MaxPoolGradGrad",
    .summary = "The gradient of MaxPoolGrad: grad taken from where each window's greatest value "
               "was.",
    .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, PADDING, FORMAT, "T: realnumbertype"},
    .shape = grad_grad_shape,
    .grad = max_grad_grad_grad,
};
KERNEL(max_pool_grad_grad, "MaxPoolGradGrad", max_grad_grad_run, MAX_KERNEL);

OP_DEF(max_pool_grad_grad_v2) = {
    .name = "MaxPoolGradGradV2",
    .summary = "MaxPoolGradGrad whose window is an input.",
    .inputs = {"orig_input: T", "orig_output: T", "grad: T", "ksize: int32", "strides: int32"},
    .outputs = {"output: T"},
    .attrs = {PADDING, FORMAT, "T: realnumbertype"},
    .shape = grad_grad_v2_shape,
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL(max_pool_grad_grad_v2, "MaxPoolGradGradV2", max_grad_grad_v2_run, MAX_KERNEL);

OP_DEF(max_pool_with_argmax) = {
    .name = "MaxPoolWithArgmax",
    .summary = "MaxPool, and where in the image each greatest value was.",
    .inputs = {"input: T"},
    .outputs = {"output: T", "argmax: Targmax"},
    .attrs = {WINDOW, "Targmax: {int32, int64} = DT_INT64", PADDING,
              "include_batch_in_index: bool = false", "T: realnumbertype"},
    .shape = max_shape,
    .grad = argmax_grad,
};
KERNEL(max_pool_with_argmax, "MaxPoolWithArgmax", argmax_run, ARGMAX_KERNEL);

OP_DEF(max_pool_grad_with_argmax) = {
    .name = "MaxPoolGradWithArgmax",
    .summary = "The gradient of MaxPoolWithArgmax: grad added up at the places in argmax.",
    .inputs = {"input: T", "grad: T", "argmax: Targmax"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, PADDING, "include_batch_in_index: bool = false", "Targmax: {int32, int64}",
              "T: realnumbertype"},
    .shape = grad_like_input,
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL(max_pool_grad_with_argmax, "MaxPoolGradWithArgmax", argmax_grad_run, ARGMAX_KERNEL);

OP_DEF(max_pool_grad_grad_with_argmax) = {
    .name = "MaxPoolGradGradWithArgmax",
    .summary = "The gradient of MaxPoolGradWithArgmax by its second input.",
    .inputs = {"input: T", "grad: T", "argmax: Targmax"},
    .outputs = {"output: T"},
    .attrs = {"ksize: list(int) >= 4", "strides: list(int) >= 4", "padding: {'SAME', 'VALID'}",
              "include_batch_in_index: bool = false", "Targmax: {int32, int64}",
              "T: realnumbertype"},
    .shape = second_argmax_shape,
    .no_grad = "undefined: TensorFlow has none",
    .no_kernel = "TensorFlow has one for GPUs alone",
};

OP_DEF(avg_pool) = {
    .name = "AvgPool",
    .summary = "The mean of each window of an image; padding does not count.",
    .inputs = {"value: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, PADDING, FORMAT, "T: {half, bfloat16, float, double}"},
    .shape = avg_shape,
    .grad = avg_grad,
};
KERNEL(avg_pool, "AvgPool", avg_run, "T: {half, float, double}");

OP_DEF(avg_pool_grad) = {
    .name = "AvgPoolGrad",
    .summary = "The gradient of AvgPool: each window's grad shared out evenly.",
    .inputs = {"orig_input_shape: int32", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, PADDING, FORMAT, "T: {half, bfloat16, float, double}"},
    .shape = avg_grad_shape,
    .grad = avg_grad_grad,
};
KERNEL(avg_pool_grad, "AvgPoolGrad", avg_grad_run, "T: {half, float, double}");
