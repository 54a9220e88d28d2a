/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that hand their input on: Identity and its kin. They share the input's buffer; what sets them
 * apart is their place in the graph: whether a gradient passes, whether a shape is asserted, what
 * may be fed in their stead. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool forward_run(struct kctx *c, struct status *st UNUSED)
{
    kernel_out_share(c, 0, kernel_in(c, 0));
    return true;
}

/* The gradient as it comes: indexed slices stay what they are. */
static bool pass_grad(struct grad_ctx *g, struct status *st)
{
    for (int i = 0; i < grad_num_inputs(g); i++) {
        struct grad_slices slices;
        if (grad_dy_slices(g, i, &slices))
            grad_set_slices(g, i, slices);
        else
            grad_set(g, i, grad_dy(g, i));
    }
    return grad_done(g, st);
}

OP_DEF(identity) = {
    .name = "Identity",
    .summary = "The input itself.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .shape = infer_unchanged,
    .grad = pass_grad,
};
KERNEL_DEF(identity_cpu) = {
    .op = "Identity", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

OP_DEF(ref_identity) = {
    .name = "RefIdentity",
    .summary = "The input reference itself.",
    .inputs = {"input: Ref(T)"},
    .outputs = {"output: Ref(T)"},
    .attrs = {"T: type"},
    .flags = OP_UNINIT_OK,
    .shape = infer_unchanged,
    .grad = pass_grad,
};
KERNEL_DEF(ref_identity_cpu) = {
    .op = "RefIdentity", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

OP_DEF(stop_gradient) = {
    .name = "StopGradient",
    .summary = "The input, which gradients take for a constant.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .shape = infer_unchanged,
    .no_grad = "stopping the gradient is its purpose",
};
KERNEL_DEF(stop_gradient_cpu) = {
    .op = "StopGradient", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

static bool prevent_grad(struct grad_ctx *g, struct status *st)
{
    struct str why = attrs_string(grad_attrs(g), "message");
    return grad_fail(g, st, STATUS_NOT_FOUND, "Gradient explicitly disabled. Reason: %.*s",
                     why.n > 1000 ? 1000 : (int)why.n, why.p);
}

OP_DEF(prevent_gradient) = {
    .name = "PreventGradient",
    .summary = "The input; asking for a gradient through it is an error.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "message: string = ''"},
    .shape = infer_unchanged,
    .grad = prevent_grad,
};
KERNEL_DEF(prevent_gradient_cpu) = {
    .op = "PreventGradient", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

OP_DEF(snapshot) = {
    .name = "Snapshot",
    .summary = "The input's value as it is now.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .shape = infer_unchanged,
    .no_grad = "undefined: Snapshot",
};
KERNEL_DEF(snapshot_cpu) = {.op = "Snapshot",
                            .device = "CPU",
                            .types = {"T: {numbertype, bool}"},
                            .run = forward_run,
                            .flags = KERNEL_ALIAS};

static bool guarantee_run(struct kctx *c, struct status *st)
{
    if (kernel_in(c, 0)->dtype == DT_RESOURCE)
        return status_invalid(st, "Input tensor cannot be a resource variable handle.");
    return forward_run(c, st);
}

OP_DEF(guarantee_const) = {
    .name = "GuaranteeConst",
    .summary = "The input, which the caller promises never to change during a session.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .flags = OP_STATEFUL,
    .shape = infer_unchanged,
    .no_grad = "undefined: GuaranteeConst",
};
KERNEL_DEF(guarantee_const_cpu) = {
    .op = "GuaranteeConst", .device = "CPU", .run = guarantee_run, .flags = KERNEL_ALIAS};

/* --- copies --- */

static bool deep_copy_run(struct kctx *c, struct status *st)
{
    struct tensor copy;
    if (!tensor_dup(kernel_in(c, 0), &copy, st))
        return false;
    kernel_out_take(c, 0, &copy);
    return true;
}

OP_DEF(deep_copy) = {
    .name = "DeepCopy",
    .summary = "A copy of the input that shares no memory with it.",
    .inputs = {"x: T"},
    .outputs = {"y: T"},
    .attrs = {"T: type"},
    .flags = OP_STATEFUL,
    .shape = infer_unchanged,
    .no_grad = "undefined: DeepCopy",
};
KERNEL_DEF(deep_copy_cpu) = {.op = "DeepCopy", .device = "CPU", .run = deep_copy_run};

/* --- lists --- */

static bool identity_n_shape(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < infer_num_inputs(c); i++) {
        infer_set(c, i, infer_input(c, i));
        infer_set_handle(c, i, infer_handle_in(c, i));
    }
    return true;
}

static bool identity_n_run(struct kctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < kernel_num_inputs(c); i++)
        kernel_out_share(c, i, kernel_in(c, i));
    return true;
}

OP_DEF(identity_n) = {
    .name = "IdentityN",
    .summary = "The inputs themselves; nothing sees one before all are there.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: list(type) >= 1"},
    .shape = identity_n_shape,
    .grad = pass_grad,
};
KERNEL_DEF(identity_n_cpu) = {.op = "IdentityN", .device = "CPU", .run = identity_n_run};

/* --- with a shape --- */

static bool with_default_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *unused;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    /* The attr alone is the answer, for what is fed instead need not look like the default. */
    s = infer_copy(c, s);
    if (!infer_merge(c, infer_input(c, 0), s, &unused, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(placeholder_with_default) = {
    .name = "PlaceholderWithDefault",
    .summary = "A value that a run may feed; the input where it does not.",
    .inputs = {"input: dtype"},
    .outputs = {"output: dtype"},
    .attrs = {"dtype: type", "shape: shape"},
    .shape = with_default_shape,
    .grad = pass_grad,
};
KERNEL_DEF(placeholder_with_default_cpu) = {
    .op = "PlaceholderWithDefault", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

static bool ensure_shape_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st) ||
        !infer_merge(c, infer_copy(c, s), infer_input(c, 0), &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool ensure_shape_run(struct kctx *c, struct status *st)
{
    const struct shape *wanted, *given = &kernel_in(c, 0)->shape;
    if (!attrs_get_shape(kernel_attrs(c), "shape", &wanted, st))
        return false;
    if (LIKELY(shape_compatible(given, wanted)))
        return forward_run(c, st);
    struct strbuf a = {0}, b = {0};
    shape_print(given, &a);
    shape_print(wanted, &b);
    status_invalid(st, "Shape of tensor %s %s is not compatible with expected shape %s.",
                   c->kernel->node_name, strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

OP_DEF(ensure_shape) = {
    .name = "EnsureShape",
    .summary = "The input, after a check that its shape fits the one given.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"shape: shape", "T: type"},
    .flags = OP_CHECKS,
    .shape = ensure_shape_shape,
    .grad = pass_grad,
};
KERNEL_DEF(ensure_shape_cpu) = {
    .op = "EnsureShape", .device = "CPU", .run = ensure_shape_run, .flags = KERNEL_ALIAS};
