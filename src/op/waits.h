/* SPDX-License-Identifier: Apache-2.0 */
/* Those who wait until something changes: for an item of a staging area, for enough gradients of an
 * accumulator, for a mutex.
 *
 * Something is a state under the lock of a struct waits. A waiter tries what it wants; where it
 * cannot have it, it stays in the list, and is tried again, oldest first, after every change. It
 * holds no thread: its `done` is called exactly once, perhaps before waits_start returns, else from
 * the thread whose change let it end, or that cancelled it. No lock is held while done runs.
 *
 * A waiter is the caller's, the first member of its own struct; it is not touched after done. */
#ifndef LEAT_OP_WAITS_H
#define LEAT_OP_WAITS_H

#include "base/lock.h"
#include "base/status.h"
#include "op/cancel.h"
#include "op/resource.h"

struct waits { /* a member of the resource that it guards */
    struct lock lock;
    struct waiter *first, **end; /* guarded by lock */
};

struct waiter {
    /* Under the lock. True: over, well or with an error in w->status. */
    bool (*attempt)(struct waiter *w);
    void (*done)(struct waiter *w); /* status is its own to move or clear */
    struct cancel *cancel;          /* ends the wait; NULL: nothing does. Lives until done */
    const char *cancelled;          /* the message of a wait that was cancelled */
    struct resource *owner;         /* that the waits are a member of: held until done is called */
    struct status status;
    /* the list's own */
    struct waits *waits;
    struct waiter *next;
    uint64_t token;
    bool listed; /* guarded by the lock */
};

void waits_init(struct waits *ws, const char *name);
void waits_release(struct waits *ws); /* nobody waits: who does holds the owner */
/* The caller has filled w in, up to status. */
void waits_start(struct waits *ws, struct waiter *w);
/* Around a change that nobody waits for: end tries those who do. */
void waits_begin(struct waits *ws);
void waits_end(struct waits *ws);

#endif
