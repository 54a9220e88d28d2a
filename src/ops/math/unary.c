/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one argument, and the ops that their gradients use. Gradients are TensorFlow 1.15's
 * Python ones: conj(f'(x)) dy for complex types. */
#include "ops/math/def.h"

/* --- gradients --- */

/* Each names its own input x, result y and incoming dy; conjugates where it says. */
#define IN_X struct output x = grad_in(g, 0)
#define IN_CONJ_X struct output x = grad_conj(g, grad_in(g, 0))
#define OUT_Y struct output y = grad_out(g, 0)
#define OUT_CONJ_Y struct output y = grad_conj(g, grad_out(g, 0))
#define DY struct output dy = grad_dy(g, 0)
#define ONE_PLUS(x) grad_add(g, grad_const_like(g, x, 1), x)
/* As `1 - x` is written, and as tf.subtract(tf.constant(1), x). */
#define NUMBER(x, v) (grad_name(g, "Const"), grad_const_like(g, x, v))
#define PRODUCT(a, b) grad_op2(g, "Mul", a, b)
#define OP1(name, x) grad_op1(g, name, x)
#define TIMES(a, b) grad_mul(g, a, b)

#define UNARY_GRAD(name, declared, expr)                                                           \
    static bool name(struct grad_ctx *g, struct status *st)                                        \
    {                                                                                              \
        DY;                                                                                        \
        declared;                                                                                  \
        grad_set(g, 0, expr);                                                                      \
        return grad_done(g, st);                                                                   \
    }

static struct output one_and_square(struct grad_ctx *g, const char *op, struct output x)
{
    struct output square = OP1("Square", x), one = NUMBER(x, 1);
    return grad_op2(g, op, one, square);
}

UNARY_GRAD(abs_grad, IN_X, TIMES(dy, OP1("Sign", x)))
UNARY_GRAD(neg_grad, (void)0, grad_neg(g, dy))
UNARY_GRAD(reciprocal_op_grad, OUT_Y, grad_op2(g, "ReciprocalGrad", y, dy))
UNARY_GRAD(square_grad, IN_CONJ_X, PRODUCT(dy, PRODUCT(x, NUMBER(x, 2))))
UNARY_GRAD(sqrt_op_grad, OUT_Y, grad_op2(g, "SqrtGrad", y, dy))
UNARY_GRAD(rsqrt_op_grad, OUT_Y, grad_op2(g, "RsqrtGrad", y, dy))
UNARY_GRAD(exp_grad, OUT_CONJ_Y, TIMES(dy, y))
UNARY_GRAD(expm1_grad, IN_CONJ_X, TIMES(dy, OP1("Exp", x)))
UNARY_GRAD(log_grad, IN_CONJ_X, TIMES(dy, OP1("Reciprocal", x)))
UNARY_GRAD(log1p_grad, IN_CONJ_X, TIMES(dy, OP1("Reciprocal", ONE_PLUS(x))))
UNARY_GRAD(sinh_grad, IN_CONJ_X, TIMES(dy, OP1("Cosh", x)))
UNARY_GRAD(cosh_grad, IN_CONJ_X, TIMES(dy, OP1("Sinh", x)))
UNARY_GRAD(tanh_op_grad, OUT_CONJ_Y, grad_op2(g, "TanhGrad", y, dy))
UNARY_GRAD(sigmoid_op_grad, OUT_CONJ_Y, grad_op2(g, "SigmoidGrad", y, dy))
UNARY_GRAD(asinh_grad, OUT_CONJ_Y, grad_div(g, dy, OP1("Cosh", y)))
UNARY_GRAD(acosh_grad, OUT_CONJ_Y, grad_div(g, dy, OP1("Sinh", y)))
UNARY_GRAD(atanh_grad, IN_CONJ_X, TIMES(dy, OP1("Reciprocal", one_and_square(g, "Sub", x))))
UNARY_GRAD(sin_grad, IN_CONJ_X, TIMES(dy, OP1("Cos", x)))
UNARY_GRAD(cos_grad, IN_CONJ_X, TIMES(grad_neg(g, dy), OP1("Sin", x)))
UNARY_GRAD(tan_grad, IN_CONJ_X, TIMES(OP1("Square", OP1("Reciprocal", OP1("Cos", x))), dy))
UNARY_GRAD(atan_grad, IN_CONJ_X, TIMES(dy, OP1("Reciprocal", one_and_square(g, "Add", x))))
UNARY_GRAD(lgamma_grad, IN_X, TIMES(dy, OP1("Digamma", x)))
UNARY_GRAD(digamma_grad, IN_X, TIMES(dy, grad_op2(g, "Polygamma", NUMBER(x, 1), x)))

UNARY_GRAD(bessel_i0e_grad, IN_X,
           TIMES(dy, grad_sub(g, OP1("BesselI1e", x), TIMES(OP1("Sign", x), grad_out(g, 0)))))

/* I0e(x) - y (sign x + 1 / x), and 1/2 near zero. */
static bool bessel_i1e_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0);
    const double tiny = grad_type_of(g, x) == DT_DOUBLE ? 2.220446049250313e-16 : 1.1920929e-07;
    struct output ones = OP1("OnesLike", x), far = grad_const_like(g, x, tiny);
    struct output is_far = grad_op2(g, "Greater", OP1("Abs", x), far);
    struct output at = grad_op3(g, "Select", is_far, x, TIMES(ones, far));
    struct output slope = grad_add(g, OP1("Sign", at), OP1("Reciprocal", at));
    slope = grad_sub(g, OP1("BesselI0e", at), TIMES(grad_out(g, 0), slope));
    struct output half = TIMES(ones, grad_const_like(g, x, 0.5));
    grad_set(g, 0, TIMES(grad_dy(g, 0), grad_op3(g, "Select", is_far, slope, half)));
    return grad_done(g, st);
}

static bool sign_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0);
    grad_set(g, 0, grad_zeros_of(g, x));
    return grad_done(g, st);
}

/* 1 / sqrt(1 - x^2) */
static struct output inverse_root(struct grad_ctx *g, struct output x)
{
    return OP1("Reciprocal", OP1("Sqrt", one_and_square(g, "Sub", x)));
}
UNARY_GRAD(asin_grad, IN_CONJ_X, TIMES(dy, inverse_root(g, x)))
UNARY_GRAD(acos_grad, IN_CONJ_X, TIMES(grad_neg(g, dy), inverse_root(g, x)))

/* +-2/sqrt(pi) exp(-x^2) dy */
static struct output bell(struct grad_ctx *g, struct output dy, struct output x, double sign)
{
    const double two_over_root_pi = 1.1283791670955125739;
    struct output scale = NUMBER(dy, sign * two_over_root_pi), scaled = TIMES(dy, scale);
    return TIMES(scaled, OP1("Exp", grad_neg(g, OP1("Square", x))));
}
UNARY_GRAD(erf_grad, IN_X, bell(g, dy, x, 1))
UNARY_GRAD(erfc_grad, IN_X, bell(g, dy, x, -1))

/* --- gradients of the gradient ops: f(a, b), a the forward result, b its gradient --- */

#define BINARY_GRAD_OP(name, by_a, by_b)                                                           \
    static bool name(struct grad_ctx *g, struct status *st)                                        \
    {                                                                                              \
        DY;                                                                                        \
        struct output a = grad_conj(g, grad_in(g, 0)), b = grad_in(g, 1);                          \
        grad_set(g, 0, by_a);                                                                      \
        grad_set(g, 1, by_b);                                                                      \
        return grad_done(g, st);                                                                   \
    }
#define CONJ_DY grad_conj(g, dy)

/* f = -b a^2 */
BINARY_GRAD_OP(reciprocal_grad_grad, TIMES(TIMES(TIMES(CONJ_DY, grad_const_like(g, dy, -2)), b), a),
               grad_op2(g, "ReciprocalGrad", a, dy))
/* f = -b a^3 / 2 */
BINARY_GRAD_OP(rsqrt_grad_grad, TIMES(TIMES(grad_scaled(g, CONJ_DY, -1.5), b), OP1("Square", a)),
               grad_op2(g, "RsqrtGrad", a, dy))
/* f = b (1 - a^2) */
BINARY_GRAD_OP(tanh_grad_grad,
               TIMES(TIMES(TIMES(dy, grad_const_like(g, dy, -2)), grad_conj(g, b)), a),
               grad_op2(g, "TanhGrad", a, dy))

/* f = b a (1 - a) */
static bool sigmoid_grad_grad(struct grad_ctx *g, struct status *st)
{
    DY;
    struct output a = grad_conj(g, grad_in(g, 0)), b = grad_conj(g, grad_in(g, 1));
    struct output gb = TIMES(dy, b);
    grad_set(g, 0, grad_sub(g, gb, TIMES(grad_scaled(g, gb, 2), a)));
    grad_set(g, 1, grad_op2(g, "SigmoidGrad", a, dy));
    return grad_done(g, st);
}

/* f = b / (2 a) */
static bool sqrt_grad_grad(struct grad_ctx *g, struct status *st)
{
    DY;
    OUT_Y;
    struct output by_a = grad_div(g, dy, grad_in(g, 0));
    grad_set(g, 0, TIMES(grad_neg(g, grad_conj(g, by_a)), y));
    grad_set(g, 1, grad_scaled(g, by_a, 0.5));
    return grad_done(g, st);
}

/* --- the ops --- */

#define T_NUM T_FLOATS ", int32, int64, " T_COMPLEX
#define T_ANALYTIC T_FLOATS ", " T_COMPLEX
#define K_ANALYTIC "half, float, double, " T_COMPLEX
#define K_PLAIN "half, float, double"
#define K_HYPERBOLIC "float, double, " T_COMPLEX
#define STEPS .no_grad = "it is constant between steps"

UNARY_OP(neg, "Neg", "The negative of x, elementwise.", T_NUM, T_NUM, .grad = neg_grad);
UNARY_OP(abs, "Abs", "The absolute value of x.", T_FLOATS ", int8, int16, int32, int64",
         T_FLOATS ", int8, int16, int32, int64", .grad = abs_grad);
UNARY_OP(sign, "Sign", "-1, 0 or 1 as x is negative, 0 or positive; x / |x| of complex numbers.",
         T_NUM, "half, float, double, int32, int64, " T_COMPLEX, .grad = sign_grad);
UNARY_OP(square, "Square", "x times x.", T_NUM, T_NUM, .grad = square_grad);
UNARY_OP(sqrt, "Sqrt", "The square root of x.", T_ANALYTIC, T_ANALYTIC, .grad = sqrt_op_grad);
UNARY_OP(rsqrt, "Rsqrt", "1 over the square root of x.", T_ANALYTIC, K_ANALYTIC,
         .grad = rsqrt_op_grad);
UNARY_OP(exp, "Exp", "e to the power x.", T_ANALYTIC, K_ANALYTIC, .grad = exp_grad);
UNARY_OP(expm1, "Expm1", "e to the power x, minus 1, accurate near 0.", T_ANALYTIC, K_ANALYTIC,
         .grad = expm1_grad);
UNARY_OP(log, "Log", "The natural logarithm of x.", T_ANALYTIC, T_ANALYTIC, .grad = log_grad);
UNARY_OP(log1p, "Log1p", "The natural logarithm of 1 + x, accurate near 0.", T_ANALYTIC, K_ANALYTIC,
         .grad = log1p_grad);
UNARY_OP(sin, "Sin", "The sine of x.", T_ANALYTIC, K_ANALYTIC, .grad = sin_grad);
UNARY_OP(cos, "Cos", "The cosine of x.", T_ANALYTIC, K_ANALYTIC, .grad = cos_grad);
UNARY_OP(tan, "Tan", "The tangent of x.", T_NUM, K_ANALYTIC, .grad = tan_grad);
UNARY_OP(asin, "Asin", "The angle whose sine is x.", T_NUM, "float, double", .grad = asin_grad);
UNARY_OP(acos, "Acos", "The angle whose cosine is x.", T_NUM, "float, double", .grad = acos_grad);
UNARY_OP(atan, "Atan", "The angle whose tangent is x.", T_NUM, "float, double", .grad = atan_grad);
UNARY_OP(sinh, "Sinh", "The hyperbolic sine of x.", T_ANALYTIC, K_HYPERBOLIC, .grad = sinh_grad);
UNARY_OP(cosh, "Cosh", "The hyperbolic cosine of x.", T_ANALYTIC, K_HYPERBOLIC, .grad = cosh_grad);
UNARY_OP(tanh, "Tanh", "The hyperbolic tangent of x.", T_ANALYTIC, K_ANALYTIC,
         .grad = tanh_op_grad);
UNARY_OP(asinh, "Asinh", "The inverse of the hyperbolic sine.", T_ANALYTIC, K_HYPERBOLIC,
         .grad = asinh_grad);
UNARY_OP(acosh, "Acosh", "The inverse of the hyperbolic cosine.", T_ANALYTIC, K_HYPERBOLIC,
         .grad = acosh_grad);
UNARY_OP(atanh, "Atanh", "The inverse of the hyperbolic tangent.", T_ANALYTIC, K_HYPERBOLIC,
         .grad = atanh_grad);
UNARY_OP(sigmoid, "Sigmoid", "1 / (1 + exp(-x)).", T_ANALYTIC, K_ANALYTIC, .grad = sigmoid_op_grad);
UNARY_OP(erf, "Erf", "The error function of x.", T_FLOATS, K_PLAIN, .grad = erf_grad);
UNARY_OP(erfc, "Erfc", "1 minus the error function of x, accurate for large x.", T_FLOATS, K_PLAIN,
         .grad = erfc_grad);
UNARY_OP(lgamma, "Lgamma", "The logarithm of the absolute value of gamma of x.", T_FLOATS, K_PLAIN,
         .grad = lgamma_grad);
UNARY_OP(digamma, "Digamma", "The derivative of the logarithm of gamma of x.", T_FLOATS, K_PLAIN,
         .grad = digamma_grad);
UNARY_OP(bessel_i0e, "BesselI0e", "exp(-|x|) times the modified Bessel function of order 0.",
         T_FLOATS, "half, float, double", .grad = bessel_i0e_grad);
UNARY_OP(bessel_i1e, "BesselI1e", "exp(-|x|) times the modified Bessel function of order 1.",
         T_FLOATS, "half, float, double", .grad = bessel_i1e_grad);
UNARY_OP(floor, "Floor", "The largest whole number not above x.", T_FLOATS, K_PLAIN, STEPS);
UNARY_OP(ceil, "Ceil", "The smallest whole number not below x.", T_FLOATS, K_PLAIN, STEPS);
UNARY_OP(round, "Round", "The whole number nearest to x, the even one of two.", T_NUM,
         "half, float, double, int32, int64", STEPS);
UNARY_OP(rint, "Rint", "The whole number nearest to x, the even one of two.", T_FLOATS,
         "float, double", STEPS);
UNARY_OP(reciprocal, "Reciprocal", "1 over x.", T_NUM, K_ANALYTIC, .grad = reciprocal_op_grad);
UNARY_DEF(inv, "Inv", "1 over x.", T_NUM, .grad = reciprocal_op_grad);
EWISE_KERNEL_OF(inv, reciprocal, "Inv", "T: {" K_ANALYTIC "}", ewise_run_unary);

GRAD_OP(sqrt_grad, "SqrtGrad", "dy / (2 y): the gradient of Sqrt, whose result is y.", T_ANALYTIC,
        T_ANALYTIC, .grad = sqrt_grad_grad);
GRAD_OP(rsqrt_grad, "RsqrtGrad", "-dy y^3 / 2: the gradient of Rsqrt, whose result is y.",
        T_ANALYTIC, K_ANALYTIC, .grad = rsqrt_grad_grad);
GRAD_OP(tanh_grad, "TanhGrad", "dy (1 - y^2): the gradient of Tanh, whose result is y.", T_ANALYTIC,
        K_ANALYTIC, .grad = tanh_grad_grad);
GRAD_OP(sigmoid_grad, "SigmoidGrad", "dy y (1 - y): the gradient of Sigmoid, whose result is y.",
        T_ANALYTIC, K_ANALYTIC, .grad = sigmoid_grad_grad);
GRAD_OP(reciprocal_grad, "ReciprocalGrad",
        "-dy y^2: the gradient of Reciprocal, whose result is y.", T_ANALYTIC, K_ANALYTIC,
        .grad = reciprocal_grad_grad);

OP_DEF(inv_grad) = {
    .name = "InvGrad",
    .summary = "-dy y^2: the gradient of Inv, whose result is y.",
    .inputs = {"y: T", "dy: T"},
    .outputs = {"z: T"},
    .attrs = {"T: {" T_ANALYTIC "}"},
    .shape = infer_unchanged,
    .grad = reciprocal_grad_grad,
};
EWISE_KERNEL_OF(inv_grad, reciprocal_grad, "InvGrad", "T: {" K_ANALYTIC "}", ewise_run_same);
