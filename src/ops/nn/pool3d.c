/* SPDX-License-Identifier: Apache-2.0 */
/* MaxPool3D, AvgPool3D, their gradients and the gradient of MaxPool3DGrad, in floats with the
 * channels last. The loops are math/volume.h's. */
#include "tensor/dtype.h"

#include "ops/nn/conv_grad.h"
#include "ops/nn/volume.h"

/* --- shapes --- */

static bool pool_shape(struct infer_ctx *c, struct status *st)
{
    struct volume_attrs a;
    const struct shape *x;
    return infer_want_rank(c, infer_input(c, 0), 5, &x, st) &&
           volume_attrs_read(infer_attrs(c), &a, st) &&
           volume_infer(c, &a, a.window, DIM_UNKNOWN, st);
}

static bool max_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 5, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool max_grad_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *s;
    if (!infer_want_rank(c, infer_input(c, 0), 5, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 5, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool avg_grad_shape(struct infer_ctx *c, struct status *st)
{
    return volume_infer_sizes(c, 0, st);
}

/* --- kernels --- */

static bool pool_init(struct kernel *k, void *state, struct status *st)
{
    struct volume_attrs *a = state;
    if (str_is(attrs_string(k->attrs, "data_format"), "NCDHW"))
        return status_invalid(st, "Default Pooling3DOp only supports NDHWC on device type CPU");
    return volume_attrs_read(k->attrs, a, st) && volume_attrs_check(k->attrs, st);
}

/* The sizes of pooling a volume with these dims. */
static bool pool_sizes(const struct kctx *c, const int64_t *dims, struct math_volume *v,
                       struct status *st)
{
    const struct volume_attrs *a = kernel_state(c);
    *v = (struct math_volume){.dtype = DT_FLOAT, .out_c = dims[4]};
    memcpy(v->window, a->window, sizeof v->window);
    return volume_sizes(a, dims, v, st);
}

static bool want_five(const struct kctx *c, int i, struct status *st)
{
    return kernel_in(c, i)->shape.rank == 5 ||
           status_invalid(st, "%s: input %d must be 5-dimensional", c->kernel->op->name, i);
}

static bool want_pooled(const struct kctx *c, int i, const struct math_volume *v, struct status *st)
{
    struct shape want = volume_out_shape(v);
    const bool ok = shape_equal(&want, &kernel_in(c, i)->shape);
    shape_clear(&want);
    return ok || status_invalid(st, "%s: the shape of input %d is not that of the pooled volume",
                                c->kernel->op->name, i);
}

static bool forward_run(struct kctx *c, bool max, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct math_volume v;
    if (x->shape.rank != 5)
        return status_invalid(st, "tensor_in must be 5-dimensional");
    if (!pool_sizes(c, shape_dims(&x->shape), &v, st))
        return false;
    struct shape shape = volume_out_shape(&v);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!y || y->num_elems == 0)
        return y != NULL;
    (max ? math_maxpool3d : math_avgpool3d)(kernel_pool(c), &v, tensor_f32(x), tensor_f32(y));
    return true;
}

static bool max_run(struct kctx *c, struct status *st)
{
    return forward_run(c, true, st);
}

static bool avg_run(struct kctx *c, struct status *st)
{
    return forward_run(c, false, st);
}

static bool max_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct math_volume v;
    if (!want_five(c, 0, st) || !pool_sizes(c, shape_dims(&x->shape), &v, st) ||
        !want_pooled(c, 1, &v, st) || !want_pooled(c, 2, &v, st))
        return false;
    struct tensor *dx = kernel_out(c, 0, &x->shape, st);
    if (!dx || dx->num_elems == 0)
        return dx != NULL;
    math_maxpool3d_grad(kernel_pool(c), &v,
                        &(struct math_maxpool3d_grad){tensor_f32(x), tensor_f32(kernel_in(c, 1)),
                                                      tensor_f32(kernel_in(c, 2)), tensor_f32(dx)});
    return true;
}

static bool max_grad_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1), *ddx = kernel_in(c, 2);
    struct math_volume v;
    if (!want_five(c, 0, st) || !pool_sizes(c, shape_dims(&x->shape), &v, st) ||
        !want_pooled(c, 1, &v, st))
        return false;
    if (!shape_equal(&x->shape, &ddx->shape))
        return status_invalid(st, "MaxPool3DGradGrad: grad must have the shape of orig_input");
    struct tensor *ddy = kernel_out(c, 0, &y->shape, st);
    if (!ddy || ddy->num_elems == 0)
        return ddy != NULL;
    math_maxpool3d_grad_grad(kernel_pool(c), &v, tensor_f32(x), tensor_f32(y), tensor_f32(ddx),
                             tensor_f32(ddy));
    return true;
}

static bool avg_grad_run(struct kctx *c, struct status *st)
{
    int64_t dims[5];
    struct math_volume v;
    if (!volume_read_sizes(c, 0, 5, dims, st) || !want_five(c, 1, st) ||
        !pool_sizes(c, dims, &v, st) || !want_pooled(c, 1, &v, st))
        return false;
    struct shape shape = shape_make(dims, 5);
    struct tensor *dx = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!dx || dx->num_elems == 0)
        return dx != NULL;
    math_avgpool3d_grad(kernel_pool(c), &v, tensor_f32(kernel_in(c, 1)), tensor_f32(dx));
    return true;
}

/* --- gradients --- */

static bool max_op_grad(struct grad_ctx *g, struct status *st)
{
    const struct output in[3] = {grad_in(g, 0), grad_out(g, 0), grad_dy(g, 0)};
    grad_set(g, 0, conv_grad_op(g, "MaxPool3DGrad", 3, in));
    return grad_done(g, st);
}

/* Of an op of orig_input, orig_output and a third input in which alone it is linear. */
static bool third_grad(struct grad_ctx *g, const char *op, struct status *st)
{
    const struct output in[3] = {grad_in(g, 0), grad_in(g, 1), grad_dy(g, 0)};
    grad_set(g, 0, grad_zeros_like(g, in[0]));
    grad_set(g, 1, grad_zeros_like(g, in[1]));
    grad_set(g, 2, conv_grad_op(g, op, 3, in));
    return grad_done(g, st);
}

static bool max_grad_grad(struct grad_ctx *g, struct status *st)
{
    return third_grad(g, "MaxPool3DGradGrad", st);
}

static bool max_grad_grad_grad(struct grad_ctx *g, struct status *st)
{
    return third_grad(g, "MaxPool3DGrad", st);
}

static bool avg_op_grad(struct grad_ctx *g, struct status *st)
{
    const struct output in[2] = {grad_shape(g, grad_in(g, 0)), grad_dy(g, 0)};
    grad_set(g, 0, conv_grad_op(g, "AvgPool3DGrad", 2, in));
    return grad_done(g, st);
}

static bool avg_grad_grad(struct grad_ctx *g, struct status *st)
{
    const struct output in[1] = {grad_dy(g, 0)};
    grad_set(g, 1, conv_grad_op(g, "AvgPool3D", 1, in));
    return grad_done(g, st);
}

/* --- the ops --- */

#define WINDOW                                                                                     \
    "ksize: list(int) >= 5", "strides: list(int) >= 5", "padding: {'SAME', 'VALID'}",              \
        "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
#define KERNEL(id_, op_, run_, ...)                                                                \
    KERNEL_DEF(id_##_cpu) = {.op = op_,                                                            \
                             .device = "CPU",                                                      \
                             .types = {__VA_ARGS__},                                               \
                             .state_bytes = sizeof(struct volume_attrs),                           \
                             .init = pool_init,                                                    \
                             .flags = KERNEL_EXPENSIVE,                                            \
                             .run = run_}

OP_DEF(max_pool3d) = {
    .name = "MaxPool3D",
    .summary = "The greatest value of each window of a volume.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, "T: {half, bfloat16, float}"},
    .shape = pool_shape,
    .grad = max_op_grad,
};
KERNEL(max_pool3d, "MaxPool3D", max_run, "T: {float}");

OP_DEF(max_pool3d_grad) = {
    .name = "MaxPool3DGrad",
    .summary = "The gradient of MaxPool3D: each window's grad goes to all that equal its maximum.",
    .inputs = {"orig_input: TInput", "orig_output: TInput", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, "T: {half, bfloat16, float} = DT_FLOAT",
              "TInput: {half, bfloat16, float} = DT_FLOAT"},
    .shape = max_grad_shape,
    .grad = max_grad_grad,
};
KERNEL(max_pool3d_grad, "MaxPool3DGrad", max_grad_run, "T: {float}", "TInput: {float}");

OP_DEF(max_pool3d_grad_grad) = {
    .name = "MaxPool3DGradGrad",
    .summary = "The gradient of MaxPool3DGrad: grad taken from where each window's maximum was.",
    .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, "T: realnumbertype"},
    .shape = max_grad_grad_shape,
    .grad = max_grad_grad_grad,
};
KERNEL(max_pool3d_grad_grad, "MaxPool3DGradGrad", max_grad_grad_run, "T: {float}");

OP_DEF(avg_pool3d) = {
    .name = "AvgPool3D",
    .summary = "The mean of each window of a volume; padding does not count.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, "T: {half, bfloat16, float, double}"},
    .shape = pool_shape,
    .grad = avg_op_grad,
};
KERNEL(avg_pool3d, "AvgPool3D", avg_run, "T: {float}");

OP_DEF(avg_pool3d_grad) = {
    .name = "AvgPool3DGrad",
    .summary = "The gradient of AvgPool3D: each window's grad shared out evenly.",
    .inputs = {"orig_input_shape: int32", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {WINDOW, "T: {half, bfloat16, float, double}"},
    .shape = avg_grad_shape,
    .grad = avg_grad_grad,
};
KERNEL(avg_pool3d_grad, "AvgPool3DGrad", avg_grad_run, "T: {float}");
