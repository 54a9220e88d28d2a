/* SPDX-License-Identifier: Apache-2.0 */
/* Elu, Selu, Softplus, Softsign and their gradient ops. Exponentials are math/vec.h's, taken in
 * short blocks. */
#include <math.h>

#include "ops/nn/act.h"

#include "math/vec.h"

enum { BLOCK = 256 };

static const double selu_scale = 1.0507009873554804934193349852946;
static const double selu_scale_alpha = 1.7580993408473768599402175208123;

/* e = exp(arg of x) is ready when expr is taken. */
#define EXP_UNARY(name, type, exp_fn, arg, expr)                                                   \
    static void name(void *z_, const void *a_, const void *b_ UNUSED, int64_t n,                   \
                     float alpha_ UNUSED)                                                          \
    {                                                                                              \
        typedef type T;                                                                            \
        T *z = z_, block[BLOCK];                                                                   \
        const T *a = a_;                                                                           \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                   \
            int64_t m = n - i < BLOCK ? n - i : BLOCK;                                             \
            for (int64_t j = 0; j < m; j++) {                                                      \
                const T x = a[i + j];                                                              \
                block[j] = arg;                                                                    \
            }                                                                                      \
            exp_fn(block, block, m);                                                               \
            for (int64_t j = 0; j < m; j++) {                                                      \
                const T x = a[i + j], e = block[j];                                                \
                z[i + j] = expr;                                                                   \
            }                                                                                      \
        }                                                                                          \
    }
#define EXP_GRAD(name, type, exp_fn, arg, expr)                                                    \
    static void name(void *z_, const void *a_, const void *b_, int64_t n, float alpha_ UNUSED)     \
    {                                                                                              \
        typedef type T;                                                                            \
        T *z = z_, block[BLOCK];                                                                   \
        const T *a = a_, *b = b_;                                                                  \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                   \
            int64_t m = n - i < BLOCK ? n - i : BLOCK;                                             \
            for (int64_t j = 0; j < m; j++) {                                                      \
                const T x = b[i + j];                                                              \
                block[j] = arg;                                                                    \
            }                                                                                      \
            exp_fn(block, block, m);                                                               \
            for (int64_t j = 0; j < m; j++) {                                                      \
                const T g = a[i + j], e = block[j];                                                \
                z[i + j] = expr;                                                                   \
            }                                                                                      \
        }                                                                                          \
    }
#define BOTH_EXP(X, op, exp_fn, arg, expr)                                                         \
    X(op##_f32, float, exp_fn##_f32, arg, expr)                                                    \
    X(op##_f64, double, exp_fn##_f64, arg, expr) FNS(op)
#define BOTH(X, op, expr) X(op##_f32, float, expr) X(op##_f64, double, expr) FNS(op)
#define FNS(op)                                                                                    \
    static const struct act_fns op##_fns = {.f32 = op##_f32, .f64 = op##_f64, .half = op##_half};

#define ABS(x) ((x) < 0 ? -(x) : (x))

/* half: rounded after each step, as in TensorFlow; users see it where steps cancel. */
#define H(v) f16_to_f32(f16_from_f32(v))
#define HALF_SCALE 1.05078125f      /* selu_scale in half */
#define HALF_SCALE_ALPHA 1.7578125f /* selu_scale_alpha in half */
#define HALF_FAR 7.0078125f         /* beyond: softplus(x) is x, or exp(x) */
ACT_UNARY(elu_half, float, x < 0 ? H(expf(x)) - 1 : x)
ACT_GRAD(elu_grad_half, float, x < 0 ? H(x + 1) * g : g)
ACT_UNARY(selu_half, float, x < 0 ? HALF_SCALE_ALPHA * H(H(expf(x)) - 1) : HALF_SCALE * x)
ACT_GRAD(selu_grad_half, float, x < 0 ? g * H(x + HALF_SCALE_ALPHA) : g * HALF_SCALE)
ACT_UNARY(softplus_half, float,
          x > HALF_FAR ? x : (x < -HALF_FAR ? expf(x) : logf(H(H(expf(x)) + 1))))
ACT_GRAD(softplus_grad_half, float, g / H(H(expf(-x)) + 1))
ACT_UNARY(softsign_half, float, x / H(ABS(x) + 1))
ACT_GRAD(softsign_grad_half, float, g / H(H(ABS(x) + 1) * H(ABS(x) + 1)))

BOTH_EXP(EXP_UNARY, elu, math_expm1, x, x < 0 ? e : x)
BOTH(ACT_GRAD, elu_grad, x < 0 ? (x + 1) * g : g)
BOTH_EXP(EXP_UNARY, selu, math_expm1, x, x < 0 ? (T)selu_scale_alpha * e : (T)selu_scale * x)
BOTH(ACT_GRAD, selu_grad, x < 0 ? g * (x + (T)selu_scale_alpha) : g * (T)selu_scale)
BOTH_EXP(EXP_GRAD, softplus_grad, math_exp, -x, g / (e + 1))
BOTH(ACT_UNARY, softsign, x / (ABS(x) + 1))
BOTH(ACT_GRAD, softsign_grad, g / ((ABS(x) + 1) * (ABS(x) + 1)))

static void softplus_f32(void *z, const void *a, const void *b UNUSED, int64_t n,
                         float alpha UNUSED)
{
    math_softplus_f32(a, z, n);
}

static void softplus_f64(void *z, const void *a, const void *b UNUSED, int64_t n,
                         float alpha UNUSED)
{
    math_softplus_f64(a, z, n);
}
FNS(softplus)

/* --- gradients --- */

static bool elu_op_grad(struct grad_ctx *g, struct status *st)
{
    return act_set_grad(g, "EluGrad", true, st);
}

static bool selu_op_grad(struct grad_ctx *g, struct status *st)
{
    return act_set_grad(g, "SeluGrad", true, st);
}

static bool softsign_op_grad(struct grad_ctx *g, struct status *st)
{
    return act_set_grad(g, "SoftsignGrad", false, st);
}

static bool softplus_op_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_mul(g, grad_dy(g, 0), grad_op1(g, "Sigmoid", grad_in(g, 0))));
    return grad_done(g, st);
}

/* Of op(dy, y), linear in y where y < 0: by y it is dy there, else zero. */
static bool by_result_grad(struct grad_ctx *g, const char *op, struct status *st)
{
    struct output ddx = grad_dy(g, 0), dy = grad_in(g, 0), y = grad_in(g, 1);
    grad_set(g, 0, grad_op2(g, op, ddx, y));
    grad_set(g, 1,
             grad_op3(g, "Select", grad_op2(g, "Less", y, grad_const_like(g, y, 0)),
                      grad_mul(g, ddx, dy), grad_zeros_like(g, y)));
    return grad_done(g, st);
}

static bool elu_grad_grad(struct grad_ctx *g, struct status *st)
{
    return by_result_grad(g, "EluGrad", st);
}

static bool selu_grad_grad(struct grad_ctx *g, struct status *st)
{
    return by_result_grad(g, "SeluGrad", st);
}

/* dy / (exp(-x) + 2 + exp(x)) by x. */
static bool softplus_grad_grad(struct grad_ctx *g, struct status *st)
{
    struct output ddx = grad_dy(g, 0), dy = grad_in(g, 0), x = grad_in(g, 1);
    struct output below = grad_add(g, grad_op1(g, "Exp", grad_neg(g, x)), grad_const_like(g, x, 2));
    grad_set(g, 0, grad_op2(g, "SoftplusGrad", ddx, x));
    grad_set(g, 1, grad_div(g, grad_mul(g, ddx, dy), grad_add(g, below, grad_op1(g, "Exp", x))));
    return grad_done(g, st);
}

/* --- the ops --- */

#define FORWARD(id_, name_, text, kernel_types)                                                    \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"features: T"},                                                      \
                   .outputs = {"activations: T"},                                                  \
                   .attrs = {"T: {" ACT_FLOATS "}"},                                               \
                   .shape = infer_unchanged,                                                       \
                   .grad = id_##_op_grad};                                                         \
    ACT_KERNEL(id_, name_, kernel_types, id_##_fns, act_run_unary)
#define BACKWARD(id_, name_, text, second, kernel_types, ...)                                      \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"gradients: T", second},                                             \
                   .outputs = {"backprops: T"},                                                    \
                   .attrs = {"T: {" ACT_FLOATS "}"},                                               \
                   .shape = act_grad_shape,                                                        \
                   __VA_ARGS__};                                                                   \
    ACT_KERNEL(id_, name_, kernel_types, id_##_fns, act_run_grad)
#define PLAIN "half, float, double"

FORWARD(elu, "Elu", "Features where not negative, else exp(features) - 1.", PLAIN);
BACKWARD(elu_grad, "EluGrad", "The gradient of Elu, from its outputs.", "outputs: T", PLAIN,
         .grad = elu_grad_grad);
FORWARD(selu, "Selu",
        "Elu with its negative side and then all of it scaled, so that layers keep "
        "mean 0 and variance 1.",
        PLAIN);
BACKWARD(selu_grad, "SeluGrad", "The gradient of Selu, from its outputs.", "outputs: T", PLAIN,
         .grad = selu_grad_grad);
FORWARD(softplus, "Softplus", "log(exp(features) + 1).", ACT_FLOATS);
BACKWARD(softplus_grad, "SoftplusGrad", "The gradient of Softplus, from its features.",
         "features: T", ACT_FLOATS, .grad = softplus_grad_grad);
FORWARD(softsign, "Softsign", "features / (|features| + 1).", ACT_FLOATS);
BACKWARD(softsign_grad, "SoftsignGrad", "The gradient of Softsign, from its features.",
         "features: T", ACT_FLOATS, .no_grad = "undefined: TensorFlow has none");
