/* SPDX-License-Identifier: Apache-2.0 */
/* DebugGradientIdentity and its form for references: they mark where a gradient is looked at. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool pass_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_dy(g, 0));
    return grad_done(g, st);
}

static bool identity_run(struct kctx *c, struct status *st UNUSED)
{
    kernel_out_share(c, 0, kernel_in(c, 0));
    return true;
}

OP_DEF(debug_gradient_identity) = {
    .name = "DebugGradientIdentity",
    .summary = "Its input; the gradient that comes through is looked at.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .flags = OP_UNINIT_OK,
    .shape = infer_unchanged,
    .grad = pass_grad,
};
KERNEL_DEF(debug_gradient_identity_cpu) = {
    .op = "DebugGradientIdentity", .device = "CPU", .run = identity_run};

OP_DEF(debug_gradient_ref_identity) = {
    .name = "DebugGradientRefIdentity",
    .summary = "Its input, a reference; the gradient that comes through is looked at.",
    .inputs = {"input: Ref(T)"},
    .outputs = {"output: Ref(T)"},
    .attrs = {"T: type"},
    .flags = OP_UNINIT_OK,
    .shape = infer_unchanged,
    .grad = pass_grad,
};
KERNEL_DEF(debug_gradient_ref_identity_cpu) = {
    .op = "DebugGradientRefIdentity", .device = "CPU", .run = identity_run};
