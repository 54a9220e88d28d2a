/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation: a flag that is cheap to read, and callbacks for those who wait.
 *
 * Workload: cancel_fired is read every few nodes of a step; callbacks come and go with each
 * blocking wait; firing is rare. A child is one callback of its parent. */
#include "op/cancel.h"

#include <pthread.h>

#include "base/lock.h"
#include "base/mem.h"

struct callback {
    uint64_t token;
    void (*fn)(void *arg);
    void *arg;
    struct callback *next, *prev;
};

struct cancel {
    int refs;  /* atomic */
    int fired; /* atomic: 1 once code and reason stand */
    struct lock lock;
    struct cond over; /* a callback returned */
    int code;         /* written once, before fired */
    char *reason;     /* likewise */
    bool firing;      /* guarded by lock, like all that follows */
    uint64_t next_token;
    struct callback *callbacks; /* newest first */
    uint64_t running;           /* token of the callback that is being called; 0: none */
    pthread_t runner;           /* by this thread */
    struct cancel *parent;
    uint64_t parent_token;
};

static bool ref_if_alive(struct cancel *c)
{
    int n = __atomic_load_n(&c->refs, __ATOMIC_RELAXED);
    while (n > 0) {
        if (__atomic_compare_exchange_n(&c->refs, &n, n + 1, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* The parent fired. The child may be dying in another thread, which then waits for us in
 * cancel_remove; so its memory is there, but it must not be fired any more. */
static void fire_child(void *arg)
{
    struct cancel *child = arg;
    if (!ref_if_alive(child))
        return;
    cancel_fire(child, child->parent->code, child->parent->reason);
    cancel_unref(child);
}

struct cancel *cancel_new(struct cancel *parent)
{
    struct cancel *c = mem_new(struct cancel);
    c->refs = 1;
    c->next_token = 1;
    lock_init(&c->lock, "cancel", LOCK_RANK_LEAF);
    cond_init(&c->over);
    if (!parent)
        return c;
    c->parent = cancel_ref(parent);
    c->parent_token = cancel_add(parent, fire_child, c);
    if (c->parent_token == 0)
        cancel_fire(c, parent->code, parent->reason);
    return c;
}

struct cancel *cancel_ref(struct cancel *c)
{
    __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
    return c;
}

void cancel_unref(struct cancel *c)
{
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (c->parent) {
        cancel_remove(c->parent, c->parent_token);
        cancel_unref(c->parent);
    }
    for (struct callback *b = c->callbacks, *next; b; b = next) {
        next = b->next;
        mem_free(b);
    }
    mem_free(c->reason);
    cond_release(&c->over);
    lock_release_memory(&c->lock);
    mem_free(c);
}

static void unlink_callback(struct cancel *c, struct callback *b)
{
    if (b->prev)
        b->prev->next = b->next;
    else
        c->callbacks = b->next;
    if (b->next)
        b->next->prev = b->prev;
}

void cancel_fire(struct cancel *c, int code, const char *reason)
{
    lock_take(&c->lock);
    if (c->firing) {
        lock_drop(&c->lock);
        return;
    }
    c->firing = true;
    c->code = code == STATUS_OK ? STATUS_CANCELLED : code;
    c->reason = mem_strdup(reason ? reason : "cancelled");
    __atomic_store_n(&c->fired, 1, __ATOMIC_RELEASE);
    c->runner = pthread_self();
    while (c->callbacks) {
        struct callback *b = c->callbacks;
        unlink_callback(c, b);
        c->running = b->token;
        lock_drop(&c->lock);
        b->fn(b->arg);
        mem_free(b);
        lock_take(&c->lock);
        c->running = 0;
        cond_broadcast(&c->over);
    }
    lock_drop(&c->lock);
}

bool cancel_fired(const struct cancel *c)
{
    return __atomic_load_n(&c->fired, __ATOMIC_ACQUIRE) != 0;
}

bool cancel_check(const struct cancel *c, struct status *st)
{
    return !c || !cancel_fired(c) || status_fail(st, c->code, "%s", c->reason);
}

uint64_t cancel_add(struct cancel *c, void (*fn)(void *arg), void *arg)
{
    struct callback *b = mem_new(struct callback);
    lock_take(&c->lock);
    if (c->firing) {
        lock_drop(&c->lock);
        mem_free(b);
        return 0;
    }
    *b = (struct callback){.token = c->next_token++, .fn = fn, .arg = arg, .next = c->callbacks};
    uint64_t token = b->token;
    if (b->next)
        b->next->prev = b;
    c->callbacks = b;
    lock_drop(&c->lock);
    return token;
}

bool cancel_remove(struct cancel *c, uint64_t token)
{
    if (token == 0)
        return false;
    lock_take(&c->lock);
    struct callback *b = c->callbacks;
    while (b && b->token != token)
        b = b->next;
    if (b)
        unlink_callback(c, b);
    /* a callback that removes itself does not wait for itself */
    while (!b && c->running == token && !pthread_equal(c->runner, pthread_self()))
        cond_wait(&c->over, &c->lock);
    lock_drop(&c->lock);
    mem_free(b);
    return b != NULL;
}
