/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a queue: queue.c (who waits, what moves), queue_copy.c (what its journal is told,
 * and copies of it). */
#ifndef LEAT_OP_QUEUE_IMPL_H
#define LEAT_OP_QUEUE_IMPL_H

#include "base/lock.h"
#include "op/changes.h"
#include "op/queue_store.h"

enum action { ENQUEUE, ENQUEUE_MANY, DEQUEUE, DEQUEUE_MANY, CLOSE };

struct attempt {
    struct attempt *next;
    struct queue *q; /* a reference */
    enum action action;
    bool up_to;
    bool waits;            /* is in a list; guarded by the queue's lock, like what follows */
    int64_t wanted, moved; /* elements yet to come, elements done */
    struct tensor *values; /* enqueue: one per component. dequeue: `moved` elements */
    int64_t cap_values;    /* elements that there is room for */
    int64_t *ids;          /* of the elements that it took */
    int64_t cap_ids;
    bool leaves; /* is in the list of those that leave; guarded by lock */
    struct attempt *next_leaving;
    struct status status;
    struct queue_wait wait;
    uint64_t token;
};

struct attempts { /* oldest first */
    struct attempt *first, **end;
};

struct queue {
    struct resource base;
    struct queue_spec spec; /* arrays owned; never changes */
    char *name;
    struct lock lock;
    struct queue_store store; /* guarded by lock, like what follows */
    int64_t next_id;
    bool closed;
    struct attempts in, out;
    /* Dequeues that are over and not logged yet: the journal's copies have their elements still. */
    struct attempt *leaving;
};

/* --- queue.c --- */
/* What a tuple must be: n < 0: an element; else each component has n rows. */
MUST_CHECK bool queue_check_tuple(const struct queue_spec *spec, const struct tensor *tuple,
                                  int64_t n, struct status *st);

/* --- queue_copy.c: what the journal is told, if there is one; under the queue's lock --- */
/* Before the element is put. */
void queue_log_put(struct queue *q, const struct tensor *element, const struct noted *op);
void queue_log_closed(struct queue *q, uint64_t key);
/* A dequeue that took elements is over. */
void queue_log_leaving(struct queue *q, struct attempt *a);
/* It gives out (NULL: nothing, as it failed). Takes the lock. */
void queue_log_left(struct attempt *a, const struct tensor *out);

#endif
