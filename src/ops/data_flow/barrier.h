/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: what one holds, and what can be done with it. */
#ifndef LEAT_OPS_DATA_FLOW_BARRIER_H
#define LEAT_OPS_DATA_FLOW_BARRIER_H

#include "base/lock.h"
#include "base/map.h"
#include "op/changes.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/queue.h"
#include "op/queue_store.h"

struct barrier_entry { /* of a key: dtype DT_INVALID where a component has not come */
    int64_t index;
    struct tensor values[];
};
struct barrier_tuple { /* whole, and nobody has been given it */
    int64_t index;
    struct tensor key;     /* a scalar */
    struct tensor *values; /* owned */
};

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
    /* Where changes are logged: what copies of the barrier have, from when a tuple is whole until
     * who took it is about to be told. Otherwise empty. */
    struct barrier_tuple *untaken;
    int64_t num_untaken, cap_untaken;
};

extern const struct resource_type barrier_type;

struct barrier *barrier_new(const char *name, int num_types, const int *types,
                            const struct shape *shapes);
/* Row i of values as the component of key i; those that thereby become whole are ready. op: for the
 * journal. */
MUST_CHECK bool barrier_insert(struct barrier *b, const struct tensor *keys,
                               const struct tensor *values, int component, const struct noted *op,
                               struct status *st);
/* No new keys; with cancel, none of the incomplete ones either. */
MUST_CHECK bool barrier_close(struct barrier *b, bool cancel, const struct noted *op,
                              struct status *st);
void barrier_close_queue(struct barrier *b, bool cancel);
/* OUT_OF_RANGE where a closed barrier will never have *n, or, for small batches, has none; *n
 * becomes what a small batch of a closed barrier has. */
MUST_CHECK bool barrier_check_take(struct barrier *b, bool small, int64_t *n, struct status *st);
int64_t barrier_num_incomplete(struct barrier *b);

/* The key as a text without NUL, which strmap can have; and back. */
char *barrier_key_text(struct str key);
void barrier_key_of_text(const char *text, struct strbuf *out);

/* --- replicate_barrier.c: what the journal is told, if there is one --- */
/* Under the lock: `rows` of the keys were inserted. */
void barrier_log_inserted(struct barrier *b, const struct tensor *keys, const struct tensor *values,
                          int component, int64_t rows, const struct noted *op);
void barrier_log_closed(struct barrier *b, bool cancel, const struct noted *op);
/* tuple: index, key, values, as the queue has them; from the lock's holder. */
void barrier_keep_untaken(struct barrier *b, const struct tensor *tuple);
void barrier_drop_untaken(struct barrier *b);
/* A take ends well with these: indices, keys, values. Takes the lock. */
void barrier_log_taken(struct barrier *b, const struct tensor *outputs, const struct noted *op);

#define BARRIER_NO_GRAD "undefined: no gradient is registered for a barrier's ops"

#endif
