/* SPDX-License-Identifier: Apache-2.0 */
/* Igamma, Igammac, their derivative, and that of numbers drawn from gamma distributions. */
#include "ops/math/def.h"

/* By a: IgammaGradA; by x: x^(a-1) e^-x / Gamma(a), by way of its logarithm, which alone is small.
 * A gradient of 0 wins over what is infinite. */
static bool set_grads(struct grad_ctx *g, bool negative, struct status *st)
{
    struct output dz = grad_dy(g, 0), a = grad_in(g, 0), x = grad_in(g, 1);
    struct output by_a = grad_op2(g, "IgammaGradA", a, x);
    struct output power =
        grad_mul(g, grad_sub(g, a, grad_const_like(g, a, 1)), grad_op1(g, "Log", x));
    struct output log_pdf =
        grad_sub(g, grad_add(g, grad_neg(g, x), power), grad_op1(g, "Lgamma", a));
    struct output da = grad_op2(g, "MulNoNan", by_a, dz);
    struct output dx = grad_op2(g, "MulNoNan", grad_op1(g, "Exp", log_pdf), dz);
    if (negative) {
        da = grad_neg(g, da);
        dx = grad_neg(g, dx);
    }
    grad_set_broadcast(g, da, dx);
    return grad_done(g, st);
}

static bool igamma_grad(struct grad_ctx *g, struct status *st)
{
    return set_grads(g, false, st);
}

static bool igammac_grad(struct grad_ctx *g, struct status *st)
{
    return set_grads(g, true, st);
}

#define GAMMA_OP(id, op_name, text, in0, in1, out, ...)                                            \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {in0 ": T", in1 ": T"},                                                          \
        .outputs = {out ": T"},                                                                    \
        .attrs = {"T: {float, double}"},                                                           \
        .shape = infer_binary,                                                                     \
        __VA_ARGS__,                                                                               \
    }

GAMMA_OP(igamma, "Igamma", "P(a, x), the lower part of the regularised incomplete gamma function.",
         "a", "x", "z", .grad = igamma_grad);
EWISE_KERNEL(igamma, "Igamma", "T: {float, double}", ewise_run_binary);

GAMMA_OP(igammac, "Igammac", "Q(a, x) = 1 - P(a, x), the upper part of it.", "a", "x", "z",
         .grad = igammac_grad);
EWISE_KERNEL(igammac, "Igammac", "T: {float, double}", ewise_run_binary);

GAMMA_OP(igamma_grad_a, "IgammaGradA", "The derivative of P(a, x) by a.", "a", "x", "z",
         .no_grad = "undefined: TensorFlow registers none");
EWISE_KERNEL(igamma_grad_a, "IgammaGradA", "T: {float, double}", ewise_run_binary);

GAMMA_OP(random_gamma_grad, "RandomGammaGrad",
         "The derivative by alpha of a number drawn from a gamma distribution.", "alpha", "sample",
         "output", .no_grad = "undefined: TensorFlow registers none");
EWISE_KERNEL_OF(random_gamma_grad, gamma_sample_grad, "RandomGammaGrad", "T: {float, double}",
                ewise_run_binary);

/* It moves as x1 does; x2 says but where to. */
static bool next_after_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0);
    grad_set_broadcast(g, dz, grad_mul(g, grad_zeros_like(g, grad_in(g, 1)), dz));
    return grad_done(g, st);
}

OP_DEF(next_after) = {
    .name = "NextAfter",
    .summary = "The number next to x1 on the way to x2.",
    .inputs = {"x1: T", "x2: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {double, float} = DT_FLOAT"},
    .shape = infer_binary,
    .grad = next_after_grad,
};
EWISE_KERNEL(next_after, "NextAfter", "T: {float, double}", ewise_run_binary);
