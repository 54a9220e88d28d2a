/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of waiters.
 *
 * A waiter belongs to the thread that took it out of its list. One that is cancelled is taken out
 * by the cancellation's callback, which finds it gone when another thread was first; that thread
 * waits in cancel_remove for the callback to return before it lets the waiter end. */
#include "op/waits.h"

void waits_init(struct waits *ws, const char *name)
{
    lock_init(&ws->lock, name, LOCK_RANK_RESOURCE);
    ws->first = NULL;
    ws->end = &ws->first;
}

void waits_release(struct waits *ws)
{
    lock_release_memory(&ws->lock);
}

static void append(struct waits *ws, struct waiter *w)
{
    w->next = NULL;
    w->listed = true;
    *ws->end = w;
    ws->end = &w->next;
}

static void take_out(struct waits *ws, struct waiter **at)
{
    struct waiter *w = *at;

    *at = w->next;
    if (!w->next)
        ws->end = at;
    w->listed = false;
    w->next = NULL;
}

/* Under the lock: those who can end leave the list, oldest first, until nobody can. Each end may
 * let an older one end, so that the search begins again. */
static struct waiter *serve(struct waits *ws)
{
    struct waiter *over = NULL, **end = &over;

    for (struct waiter **at = &ws->first; *at;) {
        struct waiter *w = *at;

        if (!w->attempt(w)) {
            at = &w->next;
            continue;
        }
        take_out(ws, at);
        *end = w;
        end = &w->next;
        at = &ws->first;
    }
    return over;
}

static void finish(struct waiter *w)
{
    struct resource *owner = w->owner;

    w->done(w);
    resource_unref(owner);
}

static void finish_all(struct waiter *over)
{
    for (struct waiter *w = over, *next; w; w = next) {
        next = w->next;
        if (w->token)
            cancel_remove(w->cancel, w->token);
        finish(w);
    }
}

static void finish_cancelled(struct waiter *w)
{
    struct status why = {0};

    /* a deadline has words of its own */
    if (!cancel_check(w->cancel, &why) && why.code != STATUS_CANCELLED)
        status_move(&w->status, &why);
    else
        status_fail(&w->status, STATUS_CANCELLED, "%s", w->cancelled);
    status_clear(&why);
    finish(w);
}

static void on_cancel(void *arg)
{
    struct waiter *w = arg;
    struct waits *ws = w->waits;

    lock_take(&ws->lock);
    const bool mine = w->listed;
    if (mine) {
        struct waiter **at = &ws->first;

        while (*at != w)
            at = &(*at)->next;
        take_out(ws, at);
    }
    lock_drop(&ws->lock);
    if (mine)
        finish_cancelled(w); /* else whoever took it out waits for this callback */
}

void waits_start(struct waits *ws, struct waiter *w)
{
    bool cancelled = false;

    w->waits = ws;
    w->token = 0;
    resource_ref(w->owner);
    lock_take(&ws->lock);
    append(ws, w);
    struct waiter *over = serve(ws);
    if (w->listed && w->cancel) {
        w->token = cancel_add(w->cancel, on_cancel, w);
        cancelled = w->token == 0;
        if (cancelled) {
            struct waiter **at = &ws->first;

            while (*at != w)
                at = &(*at)->next;
            take_out(ws, at);
        }
    }
    lock_drop(&ws->lock);
    finish_all(over);
    if (cancelled)
        finish_cancelled(w);
}

void waits_begin(struct waits *ws)
{
    lock_take(&ws->lock);
}

void waits_end(struct waits *ws)
{
    struct waiter *over = serve(ws);

    lock_drop(&ws->lock);
    finish_all(over);
}
