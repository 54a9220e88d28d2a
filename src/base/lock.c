/* SPDX-License-Identifier: Apache-2.0 */
/* Locks over pthread, and in builds with LEAT_ASSERTS a list per thread of the locks it holds,
 * which the rank rule is checked against. Conditions wait on the monotonic clock. */
#include "base/lock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/event.h"
#include "base/futex.h"

static void must(int error, const char *what, const struct lock *l)
{
    if (LIKELY(error == 0))
        return;
    char text[128];
    snprintf(text, sizeof text, "%s of lock \"%s\": error %d", what, l ? l->name : "?", error);
    assert_failed(text, __FILE__, __LINE__);
}

#ifdef LEAT_ASSERTS

enum { MAX_HELD = 32 };

static __thread struct {
    const struct lock *locks[MAX_HELD]; /* oldest first; ranks rise */
    int n;
} held;

static void held_check(const struct lock *l)
{
    if (held.n == 0 || held.locks[held.n - 1]->rank < l->rank)
        return;
    const struct lock *last = held.locks[held.n - 1];
    if (l->rank == LOCK_RANK_VARIABLE && last->rank == LOCK_RANK_VARIABLE &&
        (uintptr_t)last < (uintptr_t)l)
        return; /* several variables at once, in address order */
    char text[256];
    snprintf(text, sizeof text, "lock \"%s\" (rank %d) is taken while \"%s\" (rank %d) is held",
             l->name, l->rank, last->name, last->rank);
    assert_failed(text, __FILE__, __LINE__);
}

static void held_push(const struct lock *l)
{
    if (held.n == MAX_HELD)
        assert_failed("too many locks held by one thread", __FILE__, __LINE__);
    held.locks[held.n++] = l;
}

static void held_pop(const struct lock *l)
{
    int i = held.n - 1;
    while (i >= 0 && held.locks[i] != l)
        i--;
    if (i < 0) {
        char text[128];
        snprintf(text, sizeof text, "lock \"%s\" is dropped but not held", l->name);
        assert_failed(text, __FILE__, __LINE__);
    }
    for (held.n--; i < held.n; i++)
        held.locks[i] = held.locks[i + 1];
}

#else

static void held_check(const struct lock *l UNUSED)
{
}

static void held_push(const struct lock *l UNUSED)
{
}

static void held_pop(const struct lock *l UNUSED)
{
}

#endif

void lock_init(struct lock *l, const char *name, int rank)
{
    l->name = name;
    l->rank = rank;
    must(pthread_mutex_init(&l->m, NULL), "init", l);
}

void lock_release_memory(struct lock *l)
{
    must(pthread_mutex_destroy(&l->m), "destroy", l);
}

void lock_take(struct lock *l)
{
    held_check(l);
    must(pthread_mutex_lock(&l->m), "take", l);
    held_push(l);
}

void lock_drop(struct lock *l)
{
    held_pop(l);
    must(pthread_mutex_unlock(&l->m), "drop", l);
}

void rwlock_init(struct rwlock *l, const char *name, int rank)
{
    pthread_rwlockattr_t attr;
    lock_init(&l->id, name, rank);
    must(pthread_rwlockattr_init(&attr), "init", &l->id);
    must(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP), "init",
         &l->id);
    must(pthread_rwlock_init(&l->rw, &attr), "init", &l->id);
    pthread_rwlockattr_destroy(&attr);
}

void rwlock_release_memory(struct rwlock *l)
{
    must(pthread_rwlock_destroy(&l->rw), "destroy", &l->id);
    lock_release_memory(&l->id);
}

void rwlock_read(struct rwlock *l)
{
    held_check(&l->id);
    must(pthread_rwlock_rdlock(&l->rw), "read", &l->id);
    held_push(&l->id);
}

void rwlock_write(struct rwlock *l)
{
    held_check(&l->id);
    must(pthread_rwlock_wrlock(&l->rw), "write", &l->id);
    held_push(&l->id);
}

void rwlock_drop(struct rwlock *l)
{
    held_pop(&l->id);
    must(pthread_rwlock_unlock(&l->rw), "drop", &l->id);
}

void cond_init(struct cond *c)
{
    pthread_condattr_t attr;
    must(pthread_condattr_init(&attr), "condition init", NULL);
    must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC), "condition clock", NULL);
    must(pthread_cond_init(&c->c, &attr), "condition init", NULL);
    pthread_condattr_destroy(&attr);
}

void cond_release(struct cond *c)
{
    must(pthread_cond_destroy(&c->c), "condition destroy", NULL);
}

void cond_wait(struct cond *c, struct lock *l)
{
    held_pop(l);
    must(pthread_cond_wait(&c->c, &l->m), "wait", l);
    held_push(l);
}

bool cond_wait_until(struct cond *c, struct lock *l, int64_t deadline_ns)
{
    if (deadline_ns == INT64_MAX) {
        cond_wait(c, l);
        return true;
    }
    int64_t at = max_i64(deadline_ns, 0);
    struct timespec ts = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)};
    held_pop(l);
    int error = pthread_cond_timedwait(&c->c, &l->m, &ts);
    if (error != ETIMEDOUT)
        must(error, "timed wait", l);
    held_push(l);
    return error == 0;
}

enum { STOP_ASK_NS = 20000000 };

static _Thread_local struct {
    stop_fn fn;
    void *data;
} stop;

void thread_set_stop(stop_fn fn, void *data)
{
    stop.fn = fn;
    stop.data = data;
}

bool thread_should_stop(void)
{
    return stop.fn && stop.fn(stop.data);
}

bool cond_wait_or_stop(struct cond *c, struct lock *l)
{
    if (LIKELY(!stop.fn)) {
        cond_wait(c, l);
        return true;
    }
    if (cond_wait_until(c, l, clock_now_ns() + STOP_ASK_NS))
        return true;
    lock_drop(l);
    bool stopped = thread_should_stop();
    lock_take(l);
    return !stopped;
}

void cond_signal(struct cond *c)
{
    must(pthread_cond_signal(&c->c), "signal", NULL);
}

void cond_broadcast(struct cond *c)
{
    must(pthread_cond_broadcast(&c->c), "broadcast", NULL);
}

enum { EVENT_NONE, EVENT_WAITED, EVENT_SET };

void event_set(struct event *e)
{
    if (__atomic_exchange_n(&e->state, EVENT_SET, __ATOMIC_ACQ_REL) == EVENT_WAITED)
        futex_wake(&e->state, 1); /* e may be gone: its address is all that counts */
}

bool event_wait_or_stop(struct event *e)
{
    uint32_t none = EVENT_NONE;
    (void)__atomic_compare_exchange_n(&e->state, &none, EVENT_WAITED, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    while (__atomic_load_n(&e->state, __ATOMIC_ACQUIRE) != EVENT_SET) {
        if (LIKELY(!stop.fn))
            futex_wait(&e->state, EVENT_WAITED);
        else
            futex_wait_for(&e->state, EVENT_WAITED, STOP_ASK_NS);
        if (__atomic_load_n(&e->state, __ATOMIC_ACQUIRE) != EVENT_SET && thread_should_stop())
            return false;
    }
    return true;
}

static struct timespec clock_read(clockid_t id)
{
    struct timespec ts = {0};
    clock_gettime(id, &ts); /* cannot fail for these clocks */
    return ts;
}

int64_t clock_now_ns(void)
{
    struct timespec ts = clock_read(CLOCK_MONOTONIC);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t clock_wall_us(void)
{
    struct timespec ts = clock_read(CLOCK_REALTIME);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
