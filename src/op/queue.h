/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of tuples: what FIFOQueue, PaddingFIFOQueue, PriorityQueue and RandomShuffleQueue make.
 *
 * Every operation that may have to wait is an attempt: it holds no thread, and its `done` is called
 * exactly once, perhaps before the function returns, else from the thread that made it possible or
 * that cancelled it. Attempts of one side (enqueue and close; dequeue) are served in the order in
 * which they came. An attempt for many elements takes or gives them as they come; where it fails,
 * what it had taken goes back. No lock is held while done runs. Any thread may call anything. */
#ifndef LEAT_OP_QUEUE_H
#define LEAT_OP_QUEUE_H

#include "op/cancel.h"
#include "op/notes.h"

enum queue_kind { QUEUE_FIFO, QUEUE_PADDING, QUEUE_PRIORITY, QUEUE_SHUFFLE };

struct queue_random { /* where a shuffling queue has its numbers from */
    uint32_t (*next)(struct queue_random *r);
    void (*free)(struct queue_random *r);
    size_t bytes; /* of its state */
    void (*save)(const struct queue_random *r, void *out);
    bool (*load)(struct queue_random *r, const void *in); /* false: it is no such state */
};

struct queue_spec { /* borrowed, copied by queue_new */
    enum queue_kind kind;
    int64_t capacity; /* at least 0 */
    int num_types;    /* components of an element, at least 1 */
    const int *types;
    int num_shapes; /* 0: any; else num_types */
    const struct shape *shapes;
    int64_t min_after_dequeue;   /* the shuffling queue's: stay behind while it is open */
    int64_t seed, seed2;         /* of its order, for queues of one name to agree on */
    struct queue_random *random; /* taken */
};

struct queue;
extern const struct resource_type queue_type;
const char *queue_kind_name(enum queue_kind kind); /* "FIFOQueue" */

struct queue *queue_new(const struct queue_spec *spec, const char *name);
static inline void queue_unref(struct queue *q)
{
    resource_unref((struct resource *)q);
}
const struct queue_spec *queue_spec(const struct queue *q); /* never changes */
const char *queue_name(const struct queue *q);
int64_t queue_size(struct queue *q);
bool queue_is_closed(struct queue *q);

/* values: of a dequeue that went well, one per component (many: with a first dim of elements);
 * done takes out what it wants of them and of st. NULL otherwise. */
typedef void (*queue_done_fn)(void *arg, struct status *st, struct tensor *values);
struct queue_wait {
    queue_done_fn done;
    void *arg;
    struct cancel *cancel; /* ends the wait; NULL: nothing does. Lives until done is called */
    uint64_t key;          /* of the op, for the queue's journal (op/changes.h) */
    int64_t progress;      /* rows of an enqueue that are in the queue since an earlier try */
};

/* The values, one per component, are taken out of tuple; they may not be borrowed. Types are the
 * caller's to check; shapes: INVALID_ARGUMENT. */
void queue_enqueue(struct queue *q, struct tensor *tuple, const struct queue_wait *w);
/* Element i is row i of every value. */
void queue_enqueue_many(struct queue *q, struct tensor *tuple, const struct queue_wait *w);
void queue_dequeue(struct queue *q, const struct queue_wait *w);
/* n elements in one value per component; with up_to, fewer when a closed queue has no more. */
void queue_dequeue_many(struct queue *q, int64_t n, bool up_to, const struct queue_wait *w);
/* No more enqueues. Those that wait are cancelled, or else come first. */
void queue_close(struct queue *q, bool cancel_pending, const struct queue_wait *w);

/* Frees the first element, as it lies, of which is(element, arg); false: there is none. */
bool queue_drop(struct queue *q, bool (*is)(const struct tensor *element, const void *arg),
                const void *arg);

/* --- copies of a queue in another process: the parts of its REPLICATED_DEF --- */
void queue_tell(struct queue *q, note_say_fn say, void *arg);
/* random is taken; only a shuffling queue keeps it. */
struct queue *queue_from_note(const char *name, struct note_reader *in, struct queue_random *random,
                              struct status *st) MUST_CHECK;
MUST_CHECK bool queue_apply(struct queue *q, int kind, struct note_reader *in, struct status *st);

#endif
