/* SPDX-License-Identifier: Apache-2.0 */
/* Relu, Relu6 and LeakyRelu with their gradient ops. NaN passes through the forward ops; a
 * gradient is multiplied by 0 or 1, so an infinite one gives NaN where the slope is 0. */
#include "ops/nn/act.h"
#include "ops/nn/simd_act.h"

#define SIGNED_TYPES(X, op, expr)                                                                  \
    X(op##_f64, double, expr)                                                                      \
    X(op##_i8, int8_t, expr)                                                                       \
    X(op##_i16, int16_t, expr) X(op##_i32, int32_t, expr) X(op##_i64, int64_t, expr)
#define UNSIGNED_TYPES(X, op, expr) X(op##_u8, uint8_t, expr) X(op##_u16, uint16_t, expr)
#define ALL_TYPES(X, op, expr) SIGNED_TYPES(X, op, expr) UNSIGNED_TYPES(X, op, expr)
#define FNS(op)                                                                                    \
    static const struct act_fns op##_fns = {op##_f32, op##_f64, op##_i8,  op##_u8, op##_i16,       \
                                            op##_u16, op##_i32, op##_i64, NULL}

#define FLOAT_FNS(op) static const struct act_fns op##_fns = {.f32 = op##_f32, .f64 = op##_f64}

/* float: the best loops this processor has. */
#define X(name, expr)                                                                              \
    static void name##_f32(void *z, const void *a, const void *b, int64_t n, float alpha)          \
    {                                                                                              \
        SIMD_CALL(act_##name)(z, a, b, n, alpha);                                                  \
    }
ACT_SIMD_UNARY(X)
ACT_SIMD_GRAD(X)
#undef X

SIGNED_TYPES(ACT_UNARY, relu, x < 0 ? 0 : x)
UNSIGNED_TYPES(ACT_UNARY, relu, x)
FNS(relu);
SIGNED_TYPES(ACT_UNARY, relu6, x > 6 ? 6 : x < 0 ? 0 : x)
UNSIGNED_TYPES(ACT_UNARY, relu6, x > 6 ? 6 : x)
FNS(relu6);
ALL_TYPES(ACT_GRAD, relu_grad, g *(T)(x > 0))
FNS(relu_grad);
ALL_TYPES(ACT_GRAD, relu6_grad, g *(T)(x > 0 && x < 6))
FNS(relu6_grad);
ACT_UNARY(leaky_relu_f64, double, x > 0 ? x : x * alpha)
FLOAT_FNS(leaky_relu);
ACT_GRAD(leaky_relu_grad_f64, double, x > 0 ? g : g * alpha)
FLOAT_FNS(leaky_relu_grad);

static bool relu_op_grad(struct grad_ctx *g, struct status *st)
{
    return act_set_grad(g, "ReluGrad", true, st);
}

static bool relu6_op_grad(struct grad_ctx *g, struct status *st)
{
    return act_set_grad(g, "Relu6Grad", true, st);
}

/* d(op(dy, x)) by dy is op itself, by x zero. */
static bool relu_grad_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op2(g, "ReluGrad", grad_dy(g, 0), grad_in(g, 1)));
    grad_set(g, 1, grad_zeros_of(g, grad_in(g, 1)));
    return grad_done(g, st);
}

static bool relu6_grad_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op2(g, "Relu6Grad", grad_dy(g, 0), grad_in(g, 1)));
    grad_set(g, 1, grad_zeros_of(g, grad_in(g, 1)));
    return grad_done(g, st);
}

static struct output leaky(struct grad_ctx *g, struct output dy, struct output x)
{
    struct attr alpha = {(char *)"alpha", attr_float(attrs_float(grad_attrs(g), "alpha"))};
    return grad_opv(g, "LeakyReluGrad", 2, (struct output[]){dy, x}, 1, &alpha);
}

static bool leaky_relu_op_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, leaky(g, grad_dy(g, 0), grad_in(g, 0)));
    return grad_done(g, st);
}

static bool leaky_relu_grad_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, leaky(g, grad_dy(g, 0), grad_in(g, 1)));
    grad_set(g, 1, grad_zeros_of(g, grad_in(g, 1)));
    return grad_done(g, st);
}

OP_DEF(relu) = {
    .name = "Relu",
    .summary = "The larger of features and 0.",
    .inputs = {"features: T"},
    .outputs = {"activations: T"},
    .attrs = {"T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
              "uint32, uint64, qint8}"},
    .shape = infer_unchanged,
    .grad = relu_op_grad,
};
ACT_KERNEL(relu, "Relu", ACT_KERNEL_REALS, relu_fns, act_run_unary);

OP_DEF(relu_grad) = {
    .name = "ReluGrad",
    .summary = "The gradient of Relu from its features (or result): gradients where they are "
               "positive, else 0.",
    .inputs = {"gradients: T", "features: T"},
    .outputs = {"backprops: T"},
    .attrs = {"T: realnumbertype"},
    .shape = act_grad_shape,
    .grad = relu_grad_grad,
};
ACT_KERNEL(relu_grad, "ReluGrad", ACT_KERNEL_REALS, relu_grad_fns, act_run_grad);

OP_DEF(relu6) = {
    .name = "Relu6",
    .summary = "Features held between 0 and 6.",
    .inputs = {"features: T"},
    .outputs = {"activations: T"},
    .attrs = {"T: realnumbertype"},
    .shape = infer_unchanged,
    .grad = relu6_op_grad,
};
ACT_KERNEL(relu6, "Relu6", ACT_KERNEL_REALS, relu6_fns, act_run_unary);

OP_DEF(relu6_grad) = {
    .name = "Relu6Grad",
    .summary = "The gradient of Relu6: gradients where the features lie between 0 and 6, else 0.",
    .inputs = {"gradients: T", "features: T"},
    .outputs = {"backprops: T"},
    .attrs = {"T: realnumbertype"},
    .shape = act_grad_shape,
    .grad = relu6_grad_grad,
};
ACT_KERNEL(relu6_grad, "Relu6Grad", ACT_KERNEL_REALS, relu6_grad_fns, act_run_grad);

OP_DEF(leaky_relu) = {
    .name = "LeakyRelu",
    .summary = "Features where positive, else alpha times them.",
    .inputs = {"features: T"},
    .outputs = {"activations: T"},
    .attrs = {"alpha: float = 0.2", "T: {half, bfloat16, float, double} = DT_FLOAT"},
    .shape = infer_unchanged,
    .grad = leaky_relu_op_grad,
};
ACT_KERNEL_ALPHA(leaky_relu, "LeakyRelu", ACT_FLOATS, leaky_relu_fns, act_run_unary);

OP_DEF(leaky_relu_grad) = {
    .name = "LeakyReluGrad",
    .summary = "The gradient of LeakyRelu: gradients, times alpha where the features are not "
               "positive.",
    .inputs = {"gradients: T", "features: T"},
    .outputs = {"backprops: T"},
    .attrs = {"alpha: float = 0.2", "T: {half, bfloat16, float, double} = DT_FLOAT"},
    .shape = act_grad_shape,
    .grad = leaky_relu_grad_grad,
};
ACT_KERNEL_ALPHA(leaky_relu_grad, "LeakyReluGrad", ACT_FLOATS, leaky_relu_grad_fns, act_run_grad);
