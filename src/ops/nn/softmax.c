/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and LogSoftmax over the last axis. The work is math/softmax.h's. */
#include "math/softmax.h"

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool softmax_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool run(struct kctx *c, bool is_log, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    if (x->shape.rank < 1)
        return status_invalid(st, "logits must have >= 1 dimension, got []");
    const void *data = x->data;
    struct tensor *y = kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!y)
        return false;
    int64_t classes = shape_dim(&y->shape, y->shape.rank - 1);
    if (y->num_elems == 0)
        return true;
    math_softmax(kernel_pool(c), &(struct math_softmax){.dtype = y->dtype,
                                                        .log = is_log,
                                                        .rows = y->num_elems / classes,
                                                        .classes = classes,
                                                        .x = data,
                                                        .y = y->data});
    return true;
}

static bool softmax_run(struct kctx *c, struct status *st)
{
    return run(c, false, st);
}

static bool log_softmax_run(struct kctx *c, struct status *st)
{
    return run(c, true, st);
}

static struct output sum_last(struct grad_ctx *g, struct output x)
{
    struct attr keep = {(char *)"keep_dims", attr_bool(true)};
    return grad_opv(g, "Sum", 2, (struct output[]){x, grad_const_i32(g, -1)}, 1, &keep);
}

/* (dy - sum(dy y)) y */
static bool softmax_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), y = grad_out(g, 0);
    struct output sum = sum_last(g, grad_mul(g, dy, y));
    grad_set(g, 0, grad_mul(g, grad_sub(g, dy, sum), y));
    return grad_done(g, st);
}

/* dy - sum(dy) exp(y) */
static bool log_softmax_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), p = grad_op1(g, "Exp", grad_out(g, 0));
    grad_set(g, 0, grad_sub(g, dy, grad_mul(g, sum_last(g, dy), p)));
    return grad_done(g, st);
}

OP_DEF(softmax) = {
    .name = "Softmax",
    .summary = "exp(logits) divided by its sum over the last axis.",
    .inputs = {"logits: T"},
    .outputs = {"softmax: T"},
    .attrs = {"T: {half, bfloat16, float, double}"},
    .shape = softmax_shape,
    .grad = softmax_grad,
};
KERNEL_DEF(softmax_cpu) = {
    .op = "Softmax",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .run = softmax_run,
};

OP_DEF(log_softmax) = {
    .name = "LogSoftmax",
    .summary = "The logarithm of Softmax of logits, without loss of precision.",
    .inputs = {"logits: T"},
    .outputs = {"logsoftmax: T"},
    .attrs = {"T: {half, bfloat16, float, double}"},
    .shape = softmax_shape,
    .grad = log_softmax_grad,
};
KERNEL_DEF(log_softmax_cpu) = {
    .op = "LogSoftmax",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .run = log_softmax_run,
};
