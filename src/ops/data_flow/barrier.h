/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: what one holds, and what can be done with it. */
#ifndef LEAT_OPS_DATA_FLOW_BARRIER_H
#define LEAT_OPS_DATA_FLOW_BARRIER_H

#include "base/lock.h"
#include "base/map.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/queue.h"
#include "op/queue_store.h"

struct barrier {
    struct resource base;
    char *name; /* like what follows to lock: set once */
    int num_types;
    int *types;
    struct shape *shapes; /* of one value of each component */
    struct queue *ready;
    struct lock lock;
    struct strmap incomplete; /* of entries; guarded by lock, like what follows */
    int64_t next_index;       /* of the next call that brings a new key */
    bool closed, cancelled;
};

extern const struct resource_type barrier_type;

/* Row i of values as the component of key i; those that thereby become whole are ready. */
MUST_CHECK bool barrier_insert(struct barrier *b, const struct tensor *keys,
                               const struct tensor *values, int component, struct status *st);
/* No new keys; with cancel, none of the incomplete ones either. */
MUST_CHECK bool barrier_close(struct barrier *b, bool cancel, struct status *st);
void barrier_close_queue(struct barrier *b, bool cancel);
/* OUT_OF_RANGE where a closed barrier will never have *n, or, for small batches, has none; *n
 * becomes what a small batch of a closed barrier has. */
MUST_CHECK bool barrier_check_take(struct barrier *b, bool small, int64_t *n, struct status *st);
int64_t barrier_num_incomplete(struct barrier *b);

#define BARRIER_NO_GRAD "undefined: no gradient is registered for a barrier's ops"

#endif
