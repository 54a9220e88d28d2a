/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that waits for a step drives the step's flows meanwhile. */
#include "runtime/home.h"

#include "op/cancel.h"
#include "runtime/dataflow.h"

void home_init(struct home *h, struct cancel *cancel)
{
    *h = (struct home){.cancel = cancel};
    lock_init(&h->lock, "home", LOCK_RANK_LEAF);
    cond_init(&h->cond);
}

void home_release(struct home *h)
{
    cond_release(&h->cond);
    lock_release_memory(&h->lock);
}

void home_over(void *arg, struct status *st)
{
    struct home *h = arg;
    lock_take(&h->lock);
    status_move(&h->status, st);
    h->over = true;
    if (h->waiting)
        cond_signal(&h->cond);
    lock_drop(&h->lock);
}

bool home_drive(struct home *h, struct flow *f, bool only_idle)
{
    lock_take(&h->lock);
    bool take = h->waiting || !only_idle;
    if (take) {
        f->next_home = NULL;
        if (h->first)
            h->last->next_home = f;
        else
            h->first = f;
        h->last = f;
        if (h->waiting)
            cond_signal(&h->cond);
    }
    lock_drop(&h->lock);
    return take;
}

/* Under the lock, which is dropped meanwhile: whoever waits here was told to stop. */
static void stop_step(struct home *h)
{
    h->stopped = true; /* what is cancelled still has to end */
    if (!h->cancel)
        return;
    lock_drop(&h->lock);
    cancel_fire(h->cancel, STATUS_CANCELLED, "The step was interrupted.");
    lock_take(&h->lock);
}

/* Under the lock: what to drive next; NULL once the step is over. */
static struct flow *next_flow(struct home *h)
{
    while (!h->first && !h->over) {
        h->waiting = true;
        if (h->stopped)
            cond_wait(&h->cond, &h->lock);
        else if (!cond_wait_or_stop(&h->cond, &h->lock))
            stop_step(h);
        h->waiting = false;
    }
    struct flow *f = h->first;
    if (f)
        h->first = f->next_home;
    return f;
}

bool home_wait(struct home *h, struct status *st)
{
    for (;;) {
        lock_take(&h->lock);
        struct flow *f = next_flow(h);
        lock_drop(&h->lock);
        if (!f)
            break;
        flow_drive(f);
    }
    bool ok = status_ok(&h->status);
    status_move(st, &h->status);
    return ok;
}
