/* SPDX-License-Identifier: Apache-2.0 */
/* Queues as other processes keep copies of them: op/queue_copy.c does it, the order of a shuffling
 * queue is this folder's. */
#include "ops/data_flow/queue_ops.h"

static void tell(struct resource *r, note_say_fn say, void *arg)
{
    queue_tell((struct queue *)r, say, arg);
}

static struct resource *make(const char *name, struct note_reader *in, struct status *st)
{
    return (struct resource *)queue_from_note(name, in, queue_random_new(1, 1), st);
}

static bool apply(struct resource *r, int kind, struct note_reader *in, struct status *st)
{
    return queue_apply((struct queue *)r, kind, in, st);
}

REPLICATED_DEF(queue) = {.type = &queue_type, .tell = tell, .make = make, .apply = apply};
