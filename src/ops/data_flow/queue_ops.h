/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops on queues share: the way from a handle to its queue, and the end of a wait. */
#ifndef LEAT_OPS_DATA_FLOW_QUEUE_OPS_H
#define LEAT_OPS_DATA_FLOW_QUEUE_OPS_H

#include "op/infer.h"
#include "op/kernel.h"
#include "op/queue.h"

/* The queue behind input 0, of either form; referenced for the caller. */
struct queue *queue_of_input(struct kctx *c, struct status *st);
/* INVALID_ARGUMENT "Signature mismatch..." unless inputs from `first_in` on and the outputs have
 * the types of the queue's components: ins says which of the two does. */
MUST_CHECK bool queue_check_types(const struct kctx *c, const struct queue *q, bool ins,
                                  struct status *st);
/* attr timeout_ms; INVALID_ARGUMENT "Timeout not supported yet." */
bool queue_no_timeout(struct kernel *k, void *state, struct status *st);
/* A wait that ends the kernel; what a dequeue gives becomes the outputs. */
struct queue_wait queue_wait_of(struct kctx *c);
/* Ends a kernel whose attempt was not begun. */
void queue_refuse(struct kctx *c, struct status *st);

/* The numbers of a shuffling queue; seeds of 0: random ones. */
struct queue_random *queue_random_new(uint64_t seed, uint64_t seed2);

/* A V1 handle: two strings. */
bool queue_infer_handle_v1(struct infer_ctx *c, struct status *st);
MUST_CHECK bool queue_check_handle(struct infer_ctx *c, struct status *st);
bool queue_infer_no_outputs(struct infer_ctx *c, struct status *st);
bool queue_infer_scalar(struct infer_ctx *c, struct status *st);

#define QUEUE_NO_GRAD "undefined: no gradient is registered for a queue's ops"
#define QUEUE_NO_GRAD_V1 "a queue's handle is no number"

#endif
