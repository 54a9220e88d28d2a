/* SPDX-License-Identifier: Apache-2.0 */
/* Taking elements out of a queue: one; a batch of n; or a batch of at most n. */
#include "op/grad.h"
#include "ops/data_flow/queue_ops.h"

static struct queue *checked_queue(struct kctx *c, struct status *st)
{
    struct queue *q = queue_of_input(c, st);

    if (!q || queue_check_types(c, q, false, st))
        return q;
    queue_unref(q);
    return NULL;
}

static void one_start(struct kctx *c)
{
    struct status st = {0};
    struct queue *q = checked_queue(c, &st);
    struct queue_wait w = queue_wait_of(c);

    if (q)
        queue_dequeue(q, &w);
    else
        queue_refuse(c, &st);
    queue_unref(q);
}

static bool batch_size(const struct kctx *c, bool up_to, int64_t *n, struct status *st)
{
    const struct tensor *t = kernel_in(c, 1);

    if (t->num_elems != 1)
        return status_invalid(st, "n must be a scalar");
    *n = *tensor_i32(t);
    return *n >= 0 || status_invalid(st, "%s requested %lld < 0 elements",
                                     up_to ? "DequeueUpToOp" : "DequeueManyOp", (long long)*n);
}

static void batch_start(struct kctx *c, bool up_to)
{
    struct status st = {0};
    struct queue *q = checked_queue(c, &st);
    struct queue_wait w = queue_wait_of(c);
    int64_t n = 0;

    if (q && batch_size(c, up_to, &n, &st))
        queue_dequeue_many(q, n, up_to, &w);
    else
        queue_refuse(c, &st);
    queue_unref(q);
}

static void many_start(struct kctx *c)
{
    batch_start(c, false);
}

static void up_to_start(struct kctx *c)
{
    batch_start(c, true);
}

/* --- shapes: what the handle knows of the elements --- */

/* n: the batch's first dim, or NULL for one element. */
static bool element_shapes(struct infer_ctx *c, const struct shape *n)
{
    struct infer_handle h = infer_handle_in(c, 0);
    bool known = h.n == infer_num_outputs(c);

    for (int i = 0; i < infer_num_outputs(c); i++) {
        const struct shape *s = known ? h.shapes[i] : infer_unknown(c);

        infer_set(c, i, n && known ? infer_concat(c, n, s) : s);
    }
    return true;
}

static bool one_shape(struct infer_ctx *c, struct status *st)
{
    return queue_check_handle(c, st) && element_shapes(c, NULL);
}

static bool many_shape(struct infer_ctx *c, struct status *st)
{
    const struct tensor *t = infer_const(c, 1);
    int64_t n = t && tensor_rank(t) == 0 ? tensor_index(t, 0) : DIM_UNKNOWN;

    if (!queue_check_handle(c, st))
        return false;
    if (t && tensor_rank(t) == 0 && n < 0)
        return status_invalid(st, "Input 'n' must be >= 0, but is %lld", (long long)n);
    return element_shapes(c, infer_vector(c, n));
}

static bool up_to_shape(struct infer_ctx *c, struct status *st)
{
    return queue_check_handle(c, st) && element_shapes(c, infer_vector(c, DIM_UNKNOWN));
}

/* clang-format off */
#define DEQUEUE(id, op_name, text, shape_fn, start, ...)                                           \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"handle: Ref(string)", __VA_ARGS__},                                          \
        .outputs = {"components: component_types"},                                                \
        .attrs = {"component_types: list(type) >= 1", "timeout_ms: int = -1"},                     \
        .shape = shape_fn,                                                                         \
        .no_grad = QUEUE_NO_GRAD_V1,                                                               \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .flags = KERNEL_ASYNC | KERNEL_NOTES,                                                 \
                            .init = queue_no_timeout,                                              \
                            .run_async = start};                                                   \
    OP_DEF(id##_v2) = {                                                                            \
        .name = op_name "V2",                                                                      \
        .summary = text,                                                                           \
        .inputs = {"handle: resource", __VA_ARGS__},                                             \
        .outputs = {"components: component_types"},                                                \
        .attrs = {"component_types: list(type) >= 1", "timeout_ms: int = -1"},                     \
        .flags = OP_STATEFUL,                                                                      \
        .shape = shape_fn,                                                                         \
        .no_grad = QUEUE_NO_GRAD,                                                                  \
    };                                                                                             \
    KERNEL_DEF(id##_v2_cpu) = {.op = op_name "V2",                                                 \
                               .device = "CPU",                                                    \
                               .flags = KERNEL_ASYNC | KERNEL_NOTES,                                              \
                               .init = queue_no_timeout,                                           \
                               .run_async = start}

DEQUEUE(queue_dequeue, "QueueDequeue", "Takes an element out of a queue; waits while it is empty.",
        one_shape, one_start, NULL);
DEQUEUE(queue_dequeue_many, "QueueDequeueMany",
        "Takes n elements out of a queue as a batch; waits until there are so many.", many_shape,
        many_start, "n: int32");
DEQUEUE(queue_dequeue_up_to, "QueueDequeueUpTo",
        "Takes n elements out of a queue as a batch, or what is left when it is closed.",
        up_to_shape, up_to_start, "n: int32");
/* clang-format on */
