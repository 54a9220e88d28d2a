/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinators. One is counted: by its maker and by each of its threads, so that a thread that did
 * not end in its time has what it needs. */
#include "build/coordinator.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { DEFAULT_GRACE = 120, NS = 1000000000 };

struct member { /* a thread that has not ended */
    struct member *next;
    leat_coordinator *c; /* counted */
    char *name;
    void (*body)(leat_coordinator *c, void *arg, TF_Status *status);
    void *arg;
};

struct leat_coordinator {
    int refs; /* atomic */
    struct lock lock;
    struct cond changed;
    struct member *members; /* guarded by lock, like what follows */
    bool stop;
    TF_Code code; /* the first error */
    char *message;
    struct queue_run *runs;
};

leat_coordinator *leat_coordinator_new(void)
{
    leat_coordinator *c = mem_new(leat_coordinator);

    c->refs = 1;
    lock_init(&c->lock, "coordinator", LOCK_RANK_SERVER);
    cond_init(&c->changed);
    return c;
}

void leat_coordinator_free(leat_coordinator *c)
{
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (struct queue_run *r = c->runs, *next; r; r = next) {
        next = r->next;
        mem_free(r);
    }
    mem_free(c->message);
    cond_release(&c->changed);
    lock_release_memory(&c->lock);
    mem_free(c);
}

void coordinator_lock(leat_coordinator *c)
{
    lock_take(&c->lock);
}

void coordinator_unlock(leat_coordinator *c)
{
    lock_drop(&c->lock);
}

struct queue_run *coordinator_run(leat_coordinator *c, TF_Session *session, TF_Operation *queue)
{
    struct queue_run *r = c->runs;

    while (r && (r->session != session || r->queue != queue))
        r = r->next;
    if (!r) {
        r = mem_new(struct queue_run);
        *r = (struct queue_run){.next = c->runs, .session = session, .queue = queue};
        c->runs = r;
    }
    return r;
}

/* --- stopping --- */

bool leat_should_stop(leat_coordinator *c)
{
    lock_take(&c->lock);
    bool stop = c->stop;
    lock_drop(&c->lock);
    return stop;
}

void leat_request_stop(leat_coordinator *c, const TF_Status *why)
{
    const TF_Code code = why ? TF_GetCode(why) : TF_OK;

    lock_take(&c->lock);
    if (!c->stop && code != TF_OK && code != TF_OUT_OF_RANGE && c->code == TF_OK) {
        c->code = code;
        c->message = mem_strdup(TF_Message(why));
    }
    c->stop = true;
    cond_broadcast(&c->changed);
    lock_drop(&c->lock);
}

static int64_t deadline_of(double seconds)
{
    const double limit = 1e9; /* seconds; what is beyond is for ever */

    return seconds < 0 || !(seconds < limit) ? INT64_MAX : clock_now_ns() + (int64_t)(seconds * NS);
}

bool leat_wait_for_stop(leat_coordinator *c, double seconds)
{
    const int64_t deadline = deadline_of(seconds);
    bool in_time = true;

    lock_take(&c->lock);
    while (!c->stop && in_time)
        in_time = cond_wait_until(&c->changed, &c->lock, deadline);
    bool stop = c->stop;
    lock_drop(&c->lock);
    return stop;
}

void leat_clear_stop(leat_coordinator *c)
{
    lock_take(&c->lock);
    c->stop = false;
    c->code = TF_OK;
    mem_free(c->message);
    c->message = NULL;
    lock_drop(&c->lock);
}

/* --- threads --- */

static void member_free(struct member *m)
{
    leat_coordinator_free(m->c);
    mem_free(m->name);
    mem_free(m);
}

static void leave(struct member *m)
{
    leat_coordinator *c = m->c;

    lock_take(&c->lock);
    struct member **at = &c->members;

    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    cond_broadcast(&c->changed);
    lock_drop(&c->lock);
    member_free(m);
}

static void *run_member(void *arg)
{
    struct member *m = arg;
    TF_Status *status = TF_NewStatus();

    m->body(m->c, m->arg, status);
    if (TF_GetCode(status) != TF_OK)
        leat_request_stop(m->c, status);
    TF_DeleteStatus(status);
    leave(m);
    return NULL;
}

int leat_coordinator_thread(leat_coordinator *c, const char *name,
                            void (*body)(leat_coordinator *c, void *arg, TF_Status *status),
                            void *arg, TF_Status *status)
{
    struct member *m = mem_new(struct member);
    pthread_t thread;

    *m = (struct member){
        .c = c, .name = mem_strdup(name ? name : "thread"), .body = body, .arg = arg};
    __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
    lock_take(&c->lock);
    m->next = c->members;
    c->members = m;
    lock_drop(&c->lock);
    if (pthread_create(&thread, NULL, run_member, m) != 0) {
        leave(m);
        if (status)
            TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no thread could be had");
        return 0;
    }
    pthread_detach(thread);
    return 1;
}

/* Under the lock. */
static void say_who_runs(const leat_coordinator *c, TF_Status *status)
{
    struct strbuf b = {0};

    strbuf_puts(&b, "Coordinator stopped with threads still running:");
    for (const struct member *m = c->members; m; m = m->next)
        strbuf_printf(&b, " %s", m->name);
    TF_SetStatus(status, TF_UNKNOWN, strbuf_text(&b));
    strbuf_release(&b);
}

int leat_join(leat_coordinator *c, double grace_seconds, TF_Status *status)
{
    bool in_time = true;

    lock_take(&c->lock);
    while (c->members && !c->stop)
        cond_wait(&c->changed, &c->lock);
    const int64_t deadline = deadline_of(grace_seconds < 0 ? DEFAULT_GRACE : grace_seconds);

    while (c->members && in_time)
        in_time = cond_wait_until(&c->changed, &c->lock, deadline);
    const bool ok = c->code == TF_OK && !c->members;

    if (status && c->code != TF_OK)
        TF_SetStatus(status, c->code, c->message);
    else if (status && c->members)
        say_who_runs(c, status);
    else if (status)
        TF_SetStatus(status, TF_OK, "");
    lock_drop(&c->lock);
    return ok;
}

int coordinator_error(leat_coordinator *c, TF_Status *status)
{
    lock_take(&c->lock);
    const int code = (int)c->code;
    if (code != TF_OK)
        TF_SetStatus(status, c->code, c->message);
    lock_drop(&c->lock);
    return code != TF_OK;
}
