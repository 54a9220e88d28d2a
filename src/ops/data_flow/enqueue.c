/* SPDX-License-Identifier: Apache-2.0 */
/* Putting elements into a queue: one, or the rows of batches. */
#include "base/mem.h"
#include "op/grad.h"
#include "ops/data_flow/queue_ops.h"

typedef void (*enqueue_fn)(struct queue *q, struct tensor *tuple, const struct queue_wait *w);

/* Values that may outlive the step. */
static bool keep_inputs(const struct kctx *c, struct tensor *tuple, int n, struct status *st)
{
    for (int i = 0; i < n; i++)
        if (!kernel_in_keep(c, i + 1, &tuple[i], st))
            return false;
    return true;
}

static void enqueue(struct kctx *c, enqueue_fn fn)
{
    const int n = kernel_num_inputs(c) - 1;
    struct tensor *tuple = mem_new_array(struct tensor, n);
    struct status st = {0};
    struct queue *q = queue_of_input(c, &st);
    struct queue_wait w = queue_wait_of(c);

    if (q && queue_check_types(c, q, true, &st) && keep_inputs(c, tuple, n, &st))
        fn(q, tuple, &w);
    else
        queue_refuse(c, &st);
    for (int i = 0; i < n; i++)
        tensor_clear(&tuple[i]);
    mem_free(tuple);
    queue_unref(q);
}

static void one_start(struct kctx *c)
{
    enqueue(c, queue_enqueue);
}

static void many_start(struct kctx *c)
{
    enqueue(c, queue_enqueue_many);
}

#define ENQUEUE(id, op_name, text, handle, op_flags, why, start)                                   \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {handle, "components: Tcomponents"},                                             \
        .attrs = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"},                         \
        .flags = op_flags,                                                                         \
        .shape = infer_no_outputs,                                                                 \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .flags = KERNEL_ASYNC | KERNEL_NOTES,                                  \
                            .init = queue_no_timeout,                                              \
                            .run_async = start}

#define ONE_TEXT "Puts one element into a queue; waits while it is full."
#define MANY_TEXT "Puts the rows of its inputs into a queue as elements; waits while it is full."
ENQUEUE(queue_enqueue, "QueueEnqueue", ONE_TEXT, "handle: Ref(string)", 0, QUEUE_NO_GRAD_V1,
        one_start);
ENQUEUE(queue_enqueue_v2, "QueueEnqueueV2", ONE_TEXT, "handle: resource", OP_STATEFUL,
        QUEUE_NO_GRAD, one_start);
ENQUEUE(queue_enqueue_many, "QueueEnqueueMany", MANY_TEXT, "handle: Ref(string)", 0,
        QUEUE_NO_GRAD_V1, many_start);
ENQUEUE(queue_enqueue_many_v2, "QueueEnqueueManyV2", MANY_TEXT, "handle: resource", OP_STATEFUL,
        QUEUE_NO_GRAD, many_start);
