/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: one thread sleeps until the earliest one.
 *
 * Made for few timers at a time (one per running step that has a timeout): a plain list. The
 * thread starts with the first timer, blocks all signals, and lives on. */
#include "runtime/timer.h"

#include <signal.h>
#include <stddef.h>

#include "base/lock.h"
#include "base/mem.h"

struct timer {
    struct cancel *cancel;
    int64_t deadline_ns, timeout_ms;
    struct timer *next, **link; /* link NULL: fired, or stopped */
    bool firing;
    bool abandoned; /* stopped by what its firing led to, on the timers' own thread */
};

static struct lock timers_lock = LOCK_INIT("timers", LOCK_RANK_LEAF);
static struct cond timers_changed; /* initialised with the thread */
static struct cond timers_fired;
static struct timer *timers; /* guarded by timers_lock, as all below */
static bool thread_started;
static pthread_t timers_thread;

static void unlink_timer(struct timer *t)
{
    if (!t->link)
        return;
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    t->link = NULL;
}

static struct timer *earliest(void)
{
    struct timer *first = timers;
    for (struct timer *t = timers; t; t = t->next) {
        if (t->deadline_ns < first->deadline_ns)
            first = t;
    }
    return first;
}

static void fire(struct timer *t)
{
    unlink_timer(t);
    t->firing = true;
    struct cancel *c = cancel_ref(t->cancel);
    char *reason =
        mem_printf("Timed out: the step did not end within %lld ms", (long long)t->timeout_ms);
    lock_drop(&timers_lock);
    cancel_fire(c, STATUS_DEADLINE_EXCEEDED, reason);
    cancel_unref(c);
    mem_free(reason);
    lock_take(&timers_lock);
    t->firing = false;
    cond_broadcast(&timers_fired);
    if (!t->abandoned)
        return;
    lock_drop(&timers_lock);
    cancel_unref(t->cancel);
    mem_free(t);
    lock_take(&timers_lock);
}

static void *run(void *arg)
{
    (void)arg;
    lock_take(&timers_lock);
    for (;;) {
        struct timer *t = earliest();
        if (!t)
            cond_wait(&timers_changed, &timers_lock);
        else if (t->deadline_ns <= clock_now_ns())
            fire(t);
        else
            (void)cond_wait_until(&timers_changed, &timers_lock, t->deadline_ns);
    }
    return NULL;
}

static void start_thread(void)
{
    sigset_t all, old;
    pthread_t thread;
    cond_init(&timers_changed);
    cond_init(&timers_fired);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, run, NULL) == 0) {
        timers_thread = thread;
        pthread_detach(thread);
        thread_started = true;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct timer *timer_start(struct cancel *c, int64_t timeout_ms)
{
    struct timer *t = mem_new(struct timer);
    t->cancel = cancel_ref(c);
    t->timeout_ms = timeout_ms;
    int64_t ms = timeout_ms < INT64_MAX / 4000000 ? timeout_ms : INT64_MAX / 4000000;
    t->deadline_ns = clock_now_ns() + ms * 1000000;
    lock_take(&timers_lock);
    if (!thread_started)
        start_thread();
    t->next = timers;
    t->link = &timers;
    if (timers)
        timers->link = &t->next;
    timers = t;
    cond_signal(&timers_changed);
    lock_drop(&timers_lock);
    return t;
}

void timer_stop(struct timer *t)
{
    if (!t)
        return;
    lock_take(&timers_lock);
    unlink_timer(t);
    if (t->firing && pthread_equal(pthread_self(), timers_thread)) {
        t->abandoned = true;
        lock_drop(&timers_lock);
        return;
    }
    while (t->firing)
        cond_wait(&timers_fired, &timers_lock);
    lock_drop(&timers_lock);
    cancel_unref(t->cancel);
    mem_free(t);
}
