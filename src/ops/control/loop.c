/* SPDX-License-Identifier: Apache-2.0 */
/* Enter, Exit, NextIteration, LoopCond: the frames of while loops.
 *
 * Their kernels only forward; which frame and iteration a value is in is the executor's work. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool forward_run(struct kctx *c, struct status *st)
{
    (void)st;
    kernel_out_share(c, 0, kernel_in(c, 0));
    return true;
}

/* The walk makes the gradient of a loop as a whole and does not ask these (grad/grad_loop.c). */
static bool loop_grad(struct grad_ctx *g, struct status *st)
{
    return grad_fail(g, st, STATUS_UNIMPLEMENTED, "%s: it is no part of a while loop",
                     grad_node_name(g));
}

static bool enter_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    /* a loop variable may change its shape from one iteration to the next: only constants keep it
     */
    if (attrs_bool(infer_attrs(c), "is_constant"))
        infer_set(c, 0, infer_input(c, 0));
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

static bool forward_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 0));
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

static bool cond_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

/* clang-format off */
/* X(id, name, summary, ref name, ref summary) */
#define FORWARD_TABLE(X) \
    X(exit, "Exit", "Hands a value from a loop's frame to its parent frame.", \
      "RefExit", "Hands a reference from a loop's frame to its parent frame.") \
    X(next_iteration, "NextIteration", "Hands a value to the next iteration of its loop.", \
      "RefNextIteration", "Hands a reference to the next iteration of its loop.")
/* clang-format on */

#define X(id, op_name, text, ref_name, ref_text)                                                   \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"data: T"},                                                                     \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: type"},                                                                      \
        .shape = forward_shape,                                                                    \
        .grad = loop_grad,                                                                         \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};                \
    OP_DEF(ref_##id) = {                                                                           \
        .name = ref_name,                                                                          \
        .summary = ref_text,                                                                       \
        .inputs = {"data: Ref(T)"},                                                                \
        .outputs = {"output: Ref(T)"},                                                             \
        .attrs = {"T: type"},                                                                      \
        .shape = forward_shape,                                                                    \
        .grad = loop_grad,                                                                         \
    };                                                                                             \
    KERNEL_DEF(ref_##id##_cpu) = {                                                                 \
        .op = ref_name, .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};
FORWARD_TABLE(X)
#undef X

OP_DEF(enter) = {
    .name = "Enter",
    .summary = "Brings a value into the frame of a while loop.",
    .inputs = {"data: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "frame_name: string", "is_constant: bool = false",
              "parallel_iterations: int = 10"},
    .shape = enter_shape,
    .grad = loop_grad,
};
KERNEL_DEF(enter_cpu) = {.op = "Enter", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

OP_DEF(ref_enter) = {
    .name = "RefEnter",
    .summary = "Brings a reference into the frame of a while loop.",
    .inputs = {"data: Ref(T)"},
    .outputs = {"output: Ref(T)"},
    .attrs = {"T: type", "frame_name: string", "is_constant: bool = false",
              "parallel_iterations: int = 10"},
    .shape = forward_shape,
    .grad = loop_grad,
};
KERNEL_DEF(ref_enter_cpu) = {
    .op = "RefEnter", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};

OP_DEF(loop_cond) = {
    .name = "LoopCond",
    .summary = "Forwards a while loop's condition to its Switch nodes.",
    .inputs = {"input: bool"},
    .outputs = {"output: bool"},
    .shape = cond_shape,
    .no_grad = "a condition has no gradient",
};
KERNEL_DEF(loop_cond_cpu) = {
    .op = "LoopCond", .device = "CPU", .run = forward_run, .flags = KERNEL_ALIAS};
