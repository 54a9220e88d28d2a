/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to a peer, watches of it, and those who wait for its devices.
 *
 * A call is the network's own, with a shim around its end: what the network reports is put in words
 * that name the peer, and a verdict that was reached meanwhile (the peer is lost, came back as
 * another, was never seen) stands in its place. */
#include "dist/peers_impl.h"

/* --- calls --- */

static void call_unref(struct peer_call *c) /* under the lock */
{
    if (--c->refs == 0)
        mem_free(c);
}

static void call_link(struct peer_call *c)
{
    struct peer *p = c->peer;
    c->next = p->calls;
    c->link = &p->calls;
    if (p->calls)
        p->calls->link = &c->next;
    p->calls = c;
    p->set->live++;
}

static void call_unlink(struct peer_call *c)
{
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    c->over = true;
}

void peer_end_calls(struct peer *p, const struct status *why, uint64_t spared)
{
    for (struct peer_call *c = p->calls; c; c = c->next) {
        if (!status_ok(&c->verdict) || (spared != 0 && c->incarnation == spared))
            continue;
        status_copy(&c->verdict, why);
        rpc_request_cancel(c->request);
    }
}

/* What the call ends with, after what the network says and what is known of the peer. */
static void call_explain(struct peer_call *c, const struct status *st, struct status *out)
{
    struct peer *p = c->peer;
    bool silent = st->code == STATUS_UNAVAILABLE || st->code == STATUS_CANCELLED ||
                  st->code == STATUS_DEADLINE_EXCEEDED;
    if (!silent)
        peer_alive(p);
    p->answered |= status_ok(st);
    if (status_ok(st))
        return;
    if (silent && !status_ok(&c->verdict)) {
        status_move(out, &c->verdict);
    } else if (st->code == STATUS_UNAVAILABLE) {
        peer_set_trouble(p, st);
        p->next_beat_ns = clock_now_ns();
        cond_broadcast(&p->set->changed);
        (void)!peer_fail_broken(p, peer_trouble_of(st), c->started_ns, out);
    } else if (st->code == STATUS_DEADLINE_EXCEEDED && p->state == PEER_UNSEEN) {
        (void)!peer_fail_unseen(p, c->started_ns, out);
    } else {
        status_copy(out, st);
    }
}

static void call_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct peer_call *c = arg;
    struct peers *set = c->peer->set;
    struct status out = {0};
    lock_take(&set->lock);
    call_unlink(c);
    call_explain(c, st, &out);
    status_clear(&c->verdict);
    struct rpc_request *request = c->request;
    rpc_done_fn done = c->done;
    void *done_arg = c->arg;
    call_unref(c);
    lock_drop(&set->lock);
    rpc_request_unref(request);
    done(done_arg, &out, reply);
    status_clear(&out);
    lock_take(&set->lock);
    if (--set->live == 0 && set->stopping) /* else the thread that ticks would wake at every call */
        cond_broadcast(&set->changed);
    lock_drop(&set->lock);
}

static struct rpc_channel *open_channel(struct peer *p, struct rpc_channel **at, int which,
                                        struct status *st)
{
    const bool own = at != &p->calls_channel;
    const char *address = p->addresses[0] ? p->addresses[which] : p->address;
    if (!*at)
        *at = rpc_channel_new(address, p->set->secured ? &p->set->security : NULL, own, st);
    return *at;
}

struct rpc_channel *peer_beat_channel(struct peer *p, int which, struct status *st)
{
    return open_channel(p, which == 0 ? &p->beat_channel : &p->other_channel, which, st);
}

static struct rpc_request *refuse(struct rpc_msg *request, rpc_done_fn done, void *arg,
                                  struct status *st)
{
    struct rpc_msg none = {0};
    rpc_msg_clear(request);
    done(arg, st, &none);
    status_clear(st);
    return NULL;
}

struct rpc_request *peer_start(struct peer *p, const char *path, struct rpc_msg *request,
                               int64_t timeout_ms, rpc_done_fn done, void *arg)
{
    return peer_start_at(p, 0, path, request, timeout_ms, done, arg);
}

struct rpc_request *peer_start_at(struct peer *p, uint64_t incarnation, const char *path,
                                  struct rpc_msg *request, int64_t timeout_ms, rpc_done_fn done,
                                  void *arg)
{
    struct peers *set = p->set;
    struct status st = {0};
    struct rpc_channel *channel = NULL;
    lock_take(&set->lock);
    peer_want(p);
    if (set->stopping)
        (void)status_fail(&st, STATUS_CANCELLED, "the server of this task has stopped");
    else if (p->state == PEER_LOST || p->state == PEER_LEFT)
        (void)!peer_fail(p, &st);
    else
        channel = open_channel(p, &p->calls_channel, p->calls_at, &st);
    if (!channel) {
        lock_drop(&set->lock);
        return refuse(request, done, arg, &st);
    }
    struct peer_call *c = mem_new(struct peer_call);
    *c = (struct peer_call){.refs = 2,
                            .peer = p,
                            .done = done,
                            .arg = arg,
                            .started_ns = clock_now_ns(),
                            .incarnation = incarnation};
    call_link(c);
    rpc_channel_ref(channel); /* another may take its place meanwhile */
    lock_drop(&set->lock);
    struct rpc_request *r = rpc_start(
        channel, path, request, &(struct rpc_options){.timeout_ms = timeout_ms}, call_done, c);
    rpc_channel_unref(channel);
    lock_take(&set->lock);
    if (!c->over) {
        c->request = rpc_request_ref(r);
        if (!status_ok(&c->verdict))
            rpc_request_cancel(r);
    }
    call_unref(c);
    lock_drop(&set->lock);
    return r;
}

/* --- watches --- */

uint64_t peer_watch(struct peer *p, void (*fn)(void *arg, const struct status *why), void *arg)
{
    struct peers *set = p->set;
    uint64_t token = 0;
    lock_take(&set->lock);
    if (p->state != PEER_LOST && p->state != PEER_LEFT) {
        struct peer_watch *w = mem_new(struct peer_watch);
        token = ++set->tokens;
        *w = (struct peer_watch){.next = p->watches, .token = token, .fn = fn, .arg = arg};
        p->watches = w;
        peer_want(p);
    }
    lock_drop(&set->lock);
    return token;
}

static struct peer_watch **find_watch(struct peer *p, uint64_t token)
{
    struct peer_watch **at = &p->watches;
    while (*at && (*at)->token != token)
        at = &(*at)->next;
    return at;
}

static void remove_watch(struct peer_watch **at)
{
    struct peer_watch *w = *at;
    *at = w->next;
    status_clear(&w->why);
    mem_free(w);
}

void peer_unwatch(struct peer *p, uint64_t token)
{
    struct peers *set = p->set;
    lock_take(&set->lock);
    for (;;) {
        struct peer_watch **at = find_watch(p, token);
        if (token == 0 || !*at)
            break;
        if (!(*at)->running) {
            remove_watch(at);
            break;
        }
        if (pthread_equal((*at)->thread, pthread_self()))
            break; /* from within: it goes when it returns */
        cond_wait(&set->changed, &set->lock);
    }
    lock_drop(&set->lock);
}

void peer_mark_watches(struct peer *p, const struct status *why)
{
    for (struct peer_watch *w = p->watches; w; w = w->next) {
        w->due = true;
        status_copy(&w->why, why);
    }
}

static struct peer_watch *next_due(struct peer *p)
{
    for (struct peer_watch *w = p->watches; w; w = w->next) {
        if (w->due && !w->running)
            return w;
    }
    return NULL;
}

/* --- devices --- */

void peer_release_devices(struct peer_devices *d)
{
    if (!d || --d->refs > 0)
        return;
    arena_release(&d->arena);
    mem_free(d);
}

static void wait_for_devices(struct peer *p, int64_t timeout_ms, bool settles, peer_devices_fn fn,
                             void *arg)
{
    struct peers *set = p->set;
    int64_t now = clock_now_ns(), limit = timeout_ms > 0 ? timeout_ms : set->deadlines.start_ms;
    struct peer_waiter *w = mem_new(struct peer_waiter);
    *w = (struct peer_waiter){
        .fn = fn, .arg = arg, .started_ns = now, .deadline_ns = now + limit * 1000000};
    w->settles = settles;
    lock_take(&set->lock);
    peer_want(p);
    if (set->stopping)
        (void)status_fail(&w->why, STATUS_CANCELLED, "the server of this task has stopped");
    else if (p->state == PEER_LOST || p->state == PEER_LEFT)
        (void)!peer_fail(p, &w->why);
    else if (settles)
        p->next_beat_ns = now;
    if (!p->devices || settles)
        cond_broadcast(&set->changed);
    w->next = p->waiters;
    p->waiters = w;
    lock_drop(&set->lock);
    peer_run_due(p);
}

void peer_devices(struct peer *p, int64_t timeout_ms, peer_devices_fn fn, void *arg)
{
    wait_for_devices(p, timeout_ms, false, fn, arg);
}

void peer_settle(struct peer *p, int64_t timeout_ms, peer_devices_fn fn, void *arg)
{
    wait_for_devices(p, timeout_ms, true, fn, arg);
}

static struct peer_waiter *take_waiter(struct peer *p)
{
    for (struct peer_waiter **at = &p->waiters; *at; at = &(*at)->next) {
        struct peer_waiter *w = *at;
        if (status_ok(&w->why) && (p->state != PEER_ALIVE || !p->devices ||
                                   (w->settles && p->settled_ns < w->started_ns)))
            continue;
        *at = w->next;
        return w;
    }
    return NULL;
}

static void run_waiter(struct peer *p, struct peer_waiter *w, struct peer_devices *d)
{
    static const struct pb_device_attributes_vec none;
    w->fn(w->arg, &w->why, status_ok(&w->why) ? &d->list : &none);
    status_clear(&w->why);
    mem_free(w);
    lock_take(&p->set->lock);
    peer_release_devices(d);
    lock_drop(&p->set->lock);
}

void peer_run_due(struct peer *p)
{
    struct peers *set = p->set;
    for (;;) {
        lock_take(&set->lock);
        struct peer_waiter *waiter = take_waiter(p);
        struct peer_devices *d = p->devices;
        struct peer_watch *w = waiter ? NULL : next_due(p);
        if (waiter && d)
            d->refs++;
        if (w) {
            w->running = true;
            w->thread = pthread_self();
        }
        lock_drop(&set->lock);
        if (waiter)
            run_waiter(p, waiter, d);
        if (!waiter && !w)
            return;
        if (!w)
            continue;
        w->fn(w->arg, &w->why);
        lock_take(&set->lock);
        remove_watch(find_watch(p, w->token));
        cond_broadcast(&set->changed);
        lock_drop(&set->lock);
    }
}
