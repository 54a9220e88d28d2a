/* SPDX-License-Identifier: Apache-2.0 */
/* Locks with ranks, for one or for many readers, and conditions.
 *
 * A thread takes locks in rising rank only, and those of several variables in rising address;
 * debug builds check it and name both locks. Nothing is
 * called back while a lock is held. A deadline is a clock_now_ns() value; INT64_MAX waits for ever.
 */
#ifndef LEAT_BASE_LOCK_H
#define LEAT_BASE_LOCK_H

#include <pthread.h>

#include "base/base.h"

enum lock_rank {
    LOCK_RANK_SERVER = 10,
    LOCK_RANK_SESSION = 20,
    LOCK_RANK_GRAPH = 30,
    LOCK_RANK_PLAN = 40,
    LOCK_RANK_STEP = 50,
    LOCK_RANK_RENDEZVOUS = 60,
    LOCK_RANK_RESOURCE_MAP = 70,
    LOCK_RANK_RESOURCE = 80, /* queues, tables, tensor arrays */
    LOCK_RANK_VARIABLE = 90,
    LOCK_RANK_KERNEL = 100, /* a kernel's own state */
    LOCK_RANK_POOL = 110,
    LOCK_RANK_ALLOC = 120,
    LOCK_RANK_LEAF = 130 /* logs, registries: nothing is taken under it */
};

struct lock {
    pthread_mutex_t m;
    const char *name;
    int rank;
};

#define LOCK_INIT(name_, rank_)                                                                    \
    {                                                                                              \
        .m = PTHREAD_MUTEX_INITIALIZER, .name = name_, .rank = rank_                               \
    }

void lock_init(struct lock *l, const char *name, int rank);
void lock_release_memory(struct lock *l);
void lock_take(struct lock *l);
void lock_drop(struct lock *l);

/* Many readers or one writer; a waiting writer comes before new readers, so nobody reads under a
 * read of his own. */
struct rwlock {
    struct lock id; /* name and rank, for the rule above */
    pthread_rwlock_t rw;
};

void rwlock_init(struct rwlock *l, const char *name, int rank);
void rwlock_release_memory(struct rwlock *l);
void rwlock_read(struct rwlock *l);
void rwlock_write(struct rwlock *l);
void rwlock_drop(struct rwlock *l); /* either */

struct cond {
    pthread_cond_t c;
};

void cond_init(struct cond *c);
void cond_release(struct cond *c);
void cond_wait(struct cond *c, struct lock *l);
/* As cond_wait; false, perhaps before the condition is signalled, when the thread's stop function
 * says so. Without one it is cond_wait. */
MUST_CHECK bool cond_wait_or_stop(struct cond *c, struct lock *l);
/* False when the deadline passed first. */
bool cond_wait_until(struct cond *c, struct lock *l, int64_t deadline_ns);
void cond_signal(struct cond *c);
void cond_broadcast(struct cond *c);

/* Whether the calling thread should give up what it waits for: a front end's question, such as
 * whether Ctrl-C was pressed. Asked every 20 ms or so, by the waiting thread, with no lock held.
 * NULL: never. */
typedef bool (*stop_fn)(void *data);
void thread_set_stop(stop_fn fn, void *data);
/* Asks; false without such a function. */
bool thread_should_stop(void);

int64_t clock_now_ns(void);  /* monotonic */
int64_t clock_wall_us(void); /* since 1970 */

#endif
