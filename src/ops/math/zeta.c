/* SPDX-License-Identifier: Apache-2.0 */
/* Zeta and Polygamma: with gradients by their second argument alone. */
#include "ops/math/def.h"

/* dz k f(first + 1, second), for the second input; k may be invalid: 1. */
static bool by_second(struct grad_ctx *g, const char *op, struct output k, struct status *st)
{
    struct output dz = grad_dy(g, 0), a = grad_in(g, 0), x = grad_in(g, 1), none = {NULL, 0};
    struct output next = grad_op2(g, op, grad_add(g, a, grad_const_like(g, a, 1)), x);
    if (output_valid(k))
        next = grad_mul(g, k, next);
    grad_set_broadcast(g, none, grad_mul(g, next, dz));
    return grad_done(g, st);
}

static bool zeta_grad(struct grad_ctx *g, struct status *st)
{
    return by_second(g, "Zeta", grad_neg(g, grad_in(g, 0)), st);
}

static bool polygamma_grad(struct grad_ctx *g, struct status *st)
{
    return by_second(g, "Polygamma", (struct output){NULL, 0}, st);
}

OP_DEF(zeta) = {
    .name = "Zeta",
    .summary = "The Hurwitz zeta function: the sum of (q + k)^-x over all k from 0.",
    .inputs = {"x: T", "q: T"},
    .outputs = {"z: T"},
    .attrs = {"T: {float, double}"},
    .shape = infer_binary,
    .grad = zeta_grad,
};
EWISE_KERNEL(zeta, "Zeta", "T: {float, double}", ewise_run_binary);

OP_DEF(polygamma) = {
    .name = "Polygamma",
    .summary = "The a-th derivative of digamma at x.",
    .inputs = {"a: T", "x: T"},
    .outputs = {"z: T"},
    .attrs = {"T: {float, double}"},
    .shape = infer_binary,
    .grad = polygamma_grad,
};
EWISE_KERNEL(polygamma, "Polygamma", "T: {float, double}", ewise_run_binary);
