/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a queue, and what can be asked of one without waiting. */
#include "op/grad.h"
#include "ops/data_flow/queue_ops.h"

static void close_start(struct kctx *c)
{
    struct status st = {0};
    struct queue *q = queue_of_input(c, &st);
    struct queue_wait w = queue_wait_of(c);

    if (q)
        queue_close(q, attrs_bool(kernel_attrs(c), "cancel_pending_enqueues"), &w);
    else
        queue_refuse(c, &st);
    queue_unref(q);
}

static bool is_closed_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct queue *q = queue_of_input(c, st);
    struct tensor *out = q ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out)
        *tensor_bool(out) = queue_is_closed(q);
    queue_unref(q);
    return out != NULL;
}

static bool size_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct queue *q = queue_of_input(c, st);
    struct tensor *out = q ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out)
        *tensor_i32(out) = (int32_t)queue_size(q);
    queue_unref(q);
    return out != NULL;
}

#define CLOSE_TEXT                                                                                 \
    "Closes a queue: no more elements go in, and what waits for more than it has fails."
#define CLOSE(id, op_name, handle, op_flags, why)                                                  \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = CLOSE_TEXT,                                                                     \
        .inputs = {handle},                                                                        \
        .attrs = {"cancel_pending_enqueues: bool = false"},                                        \
        .flags = op_flags,                                                                         \
        .shape = queue_infer_no_outputs,                                                           \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .flags = KERNEL_ASYNC | KERNEL_NOTES,                                  \
                            .run_async = close_start}
CLOSE(queue_close, "QueueClose", "handle: Ref(string)", 0, QUEUE_NO_GRAD_V1);
CLOSE(queue_close_v2, "QueueCloseV2", "handle: resource", OP_STATEFUL, QUEUE_NO_GRAD);

#define ASK(id, op_name, text, handle, out, op_flags, why, fn)                                     \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {handle},                                                                        \
        .outputs = {out},                                                                          \
        .flags = op_flags,                                                                         \
        .shape = queue_infer_scalar,                                                               \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = fn}
#define IS_CLOSED_TEXT "Whether a queue is closed."
#define SIZE_TEXT "How many elements a queue holds."
ASK(queue_is_closed, "QueueIsClosed", IS_CLOSED_TEXT, "handle: Ref(string)", "is_closed: bool", 0,
    QUEUE_NO_GRAD, is_closed_run);
ASK(queue_is_closed_v2, "QueueIsClosedV2", IS_CLOSED_TEXT, "handle: resource", "is_closed: bool",
    OP_STATEFUL, QUEUE_NO_GRAD, is_closed_run);
ASK(queue_size, "QueueSize", SIZE_TEXT, "handle: Ref(string)", "size: int32", 0, QUEUE_NO_GRAD_V1,
    size_run);
ASK(queue_size_v2, "QueueSizeV2", SIZE_TEXT, "handle: resource", "size: int32", OP_STATEFUL,
    QUEUE_NO_GRAD, size_run);
