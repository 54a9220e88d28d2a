/* SPDX-License-Identifier: Apache-2.0 */
/* Who serves: roles, leases, and the answers that wait until what they tell of is safe.
 *
 * Two threads: one sends entries (replica_send.c), one asks the witness; so that a large message
 * does not hold a renewal up. Both sleep but for a few calls a second where nothing changes. */
#include "dist/replica_impl.h"

#include "base/log.h"
#include "base/mem.h"
#include "dist/worker.h"

#define MS_NS ((int64_t)1000000)
#define ASK(name) PB_LEAT_PEER_LEASE_REQUEST_ASK_##name

/* --- answers --- */

bool replica_may_answer(const struct replica *r, int64_t now)
{
    return r->role == REPLICA_SERVES &&
           (!r->counted || now < r->lease_until_ns || now < r->other_until_ns);
}

static bool is_safe(const struct replica *r, uint64_t number, int64_t now)
{
    return replica_may_answer(r, now) &&
           (!r->counted || (r->stream == STREAM_OPEN && r->acked >= number));
}

static bool fail_fenced(const struct replica *r, uint64_t epoch, struct status *st)
{
    return status_fail(st, STATUS_ABORTED,
                       "%s: another process serves as this task now (epoch %llu); what this one "
                       "had under way is gone",
                       r->task, (unsigned long long)epoch);
}

static void call_all(struct safe_wait *waits, const struct status *st)
{
    while (waits) {
        struct safe_wait *w = waits;
        waits = w->next;
        w->fn(w->arg, st);
        mem_free(w);
    }
}

void replica_release_waits(struct replica *r)
{
    struct safe_wait *due = NULL, **end = &due;
    struct status fine = {0};
    lock_take(&r->lock);
    const int64_t now = clock_now_ns();
    for (struct safe_wait **at = &r->waits; *at;) {
        struct safe_wait *w = *at;
        if (!is_safe(r, w->number, now)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        w->next = NULL;
        *end = w;
        end = &w->next;
    }
    lock_drop(&r->lock);
    call_all(due, &fine);
}

void replica_when_safe(struct replica *r, replica_safe_fn fn, void *arg)
{
    struct status st = {0};
    struct safe_wait *w = NULL;
    lock_take(&r->lock);
    bool over = r->stopping || r->role != REPLICA_SERVES;
    if (over) {
        (void)!fail_fenced(r, r->epoch, &st);
    } else if (!is_safe(r, r->next, clock_now_ns())) {
        w = mem_new(struct safe_wait);
        *w = (struct safe_wait){.next = r->waits, .number = r->next, .fn = fn, .arg = arg};
        r->waits = w;
        cond_signal(&r->wake);
    }
    lock_drop(&r->lock);
    if (!w)
        fn(arg, &st);
    status_clear(&st);
}

/* --- roles --- */

bool replica_is_decided(struct replica *r)
{
    lock_take(&r->lock);
    bool decided = r->role != REPLICA_STARTING;
    lock_drop(&r->lock);
    return decided;
}

bool replica_serves(struct replica *r, uint64_t *epoch)
{
    lock_take(&r->lock);
    bool serves = replica_may_answer(r, clock_now_ns());
    *epoch = r->epoch;
    lock_drop(&r->lock);
    return serves;
}

void replica_fence(struct replica *r, uint64_t epoch, struct safe_wait **waits)
{
    *waits = r->waits;
    r->waits = NULL;
    r->role = REPLICA_STANDS_BY;
    r->epoch = epoch;
    r->holds = false;
    r->counted = false;
    r->from = 0;
    r->heard_ns = clock_now_ns();
    replica_close_stream(r);
    cond_broadcast(&r->poke);
    log_warning("%s: another process serves now (epoch %llu); this one stands by", r->task,
                (unsigned long long)epoch);
}

void replica_fenced(struct replica *r, struct safe_wait *waits)
{
    struct status st = {0};
    lock_take(&r->lock);
    (void)!fail_fenced(r, r->epoch, &st);
    lock_drop(&r->lock);
    worker_drop_sessions(r->o.worker);
    call_all(waits, &st);
    status_clear(&st);
    r->o.decided(r->o.arg);
}

/* Under the lock. */
static void serve_from_now(struct replica *r, uint64_t epoch, int64_t lease_until)
{
    r->role = REPLICA_SERVES;
    r->epoch = epoch;
    r->lease_until_ns = lease_until;
    r->other_until_ns = 0;
    r->counted = false;
    r->next = r->acked = 1;
    replica_close_stream(r);
    cond_broadcast(&r->wake);
}

/* --- the witness --- */

static void put_lease_request(struct replica *r, int ask, bool in_sync, struct rpc_msg *m)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_leat_peer_lease_request *q = pb_leat_peer_lease_request_new(&a);
    lock_take(&r->lock);
    q->task = str_of(r->task);
    q->incarnation = r->o.incarnation;
    q->epoch = r->epoch;
    q->ask = ask;
    q->in_sync = in_sync;
    q->other_is_fresh = r->other_fresh;
    q->number = ++r->lease_number;
    q->lease_ms = max_i64(r->lease_ns / MS_NS, 1);
    q->silence_ms = (clock_now_ns() - r->witness_ok_ns) / MS_NS;
    lock_drop(&r->lock);
    if (!wire_put(m, q, &st))
        status_clear(&st);
    arena_release(&a);
}

/* False: no answer. */
static bool ask_witness(struct replica *r, int ask, bool in_sync, bool *granted, uint64_t *epoch)
{
    struct rpc_msg m = {0}, reply = {0};
    struct arena a = {0};
    struct status st = {0};
    struct pb_leat_peer_lease_response *out = NULL;
    const struct rpc_options o = {.timeout_ms = max_i64(r->lease_ns / MS_NS, 20),
                                  .fail_fast = true};
    put_lease_request(r, ask, in_sync, &m);
    bool ok = rpc_call_wait(r->witness, "/leat.Peer/Lease", &m, &o, r->stop, &reply, &st) &&
              wire_read(&reply, &pb_leat_peer_lease_response_desc, NULL, &a, &out, NULL, &st);
    if (ok) {
        *granted = out->granted;
        *epoch = out->epoch;
        lock_take(&r->lock);
        r->witness_ok_ns = clock_now_ns();
        lock_drop(&r->lock);
    }
    rpc_msg_clear(&reply);
    status_clear(&st);
    arena_release(&a);
    return ok;
}

/* What the witness was told is told to it no more: the other process may not take over. */
static void go_alone(struct replica *r)
{
    int64_t times = 0;
    lock_take(&r->lock);
    if (r->role == REPLICA_SERVES && r->stream != STREAM_OPEN) {
        times = r->counted ? ++r->times_alone : 0;
        r->counted = false;
    }
    lock_drop(&r->lock);
    if (times > 0)
        log_warning("%s goes on alone (%lld. time): the process that stands by cannot be reached; "
                    "were this one lost now, its state would be",
                    r->task, (long long)times);
}

static void renew(struct replica *r)
{
    bool granted;
    uint64_t epoch;
    struct safe_wait *waits = NULL;
    lock_take(&r->lock);
    const bool in_sync = r->counted && r->stream == STREAM_OPEN && r->acked >= r->counted_at;
    lock_drop(&r->lock);
    const int64_t sent = clock_now_ns();
    if (!r->witness || !ask_witness(r, ASK(RENEW), in_sync, &granted, &epoch))
        return;
    lock_take(&r->lock);
    const bool serves = r->role == REPLICA_SERVES;
    const bool fenced = serves && !granted && epoch > r->epoch;
    if (serves && granted)
        r->lease_until_ns = sent + r->lease_ns;
    if (fenced)
        replica_fence(r, epoch, &waits);
    lock_drop(&r->lock);
    if (fenced)
        replica_fenced(r, waits);
    else if (granted && !in_sync)
        go_alone(r);
    replica_release_waits(r);
}

static void ask_to_serve(struct replica *r, int ask)
{
    bool granted = false;
    uint64_t epoch = 0;
    const int64_t sent = clock_now_ns();
    if (!r->witness || !ask_witness(r, ask, false, &granted, &epoch))
        granted = false;
    lock_take(&r->lock);
    const bool now = granted && r->role != REPLICA_SERVES && !r->stopping;
    if (now)
        serve_from_now(r, epoch, sent + r->lease_ns);
    r->asking = false;
    lock_drop(&r->lock);
    if (!now)
        return;
    if (ask == ASK(PROMOTE))
        log_warning("%s: this process takes over (epoch %llu)", r->task, (unsigned long long)epoch);
    r->o.decided(r->o.arg);
}

/* Nobody speaks for the other process for so long that the lease must be over. */
static void stand_by(struct replica *r)
{
    lock_take(&r->lock);
    const bool silent = clock_now_ns() - r->heard_ns > r->lease_ns + r->lease_ns / 2;
    r->asking = r->role == REPLICA_STANDS_BY && r->holds && silent;
    const bool ask = r->asking;
    lock_drop(&r->lock);
    if (ask)
        ask_to_serve(r, ASK(PROMOTE));
}

/* --- the beginning --- */

static void without_witness(struct replica *r)
{
    lock_take(&r->lock);
    serve_from_now(r, 1, 0);
    lock_drop(&r->lock);
    r->o.decided(r->o.arg);
}

static void start(struct replica *r)
{
    struct replica_hello h = {0};
    const bool there = r->other && replica_say_hello(r, &h);
    lock_take(&r->lock);
    r->other_fresh = there && !h.serves && !h.holds;
    const bool wait = there && (h.serves || h.holds);
    if (there && h.serves && r->role == REPLICA_STARTING) {
        r->role = REPLICA_STANDS_BY;
        r->heard_ns = clock_now_ns();
    }
    lock_drop(&r->lock);
    if (there && h.serves)
        r->o.decided(r->o.arg);
    else if (!wait && r->witness)
        ask_to_serve(r, ASK(CLAIM));
    else if (!wait)
        without_witness(r);
}

static void *lease_thread(void *arg)
{
    struct replica *r = arg;
    for (;;) {
        lock_take(&r->lock);
        const enum replica_role role = r->role;
        const bool stop = r->stopping;
        lock_drop(&r->lock);
        if (stop)
            return NULL;
        if (role == REPLICA_SERVES)
            renew(r);
        else if (role == REPLICA_STANDS_BY)
            stand_by(r);
        else
            start(r);
        lock_take(&r->lock);
        if (!r->stopping)
            (void)cond_wait_until(&r->poke, &r->lock, clock_now_ns() + r->lease_ns / 8);
        lock_drop(&r->lock);
    }
}

/* --- life --- */

static struct rpc_channel *channel_to(const struct replica_options *o, const char *address)
{
    struct status st = {0};
    struct rpc_channel *c = address ? rpc_channel_new(address, o->security, true, &st) : NULL;
    if (address && !c)
        log_error("%s: no channel to %s: %s", o->task, address, status_message(&st));
    status_clear(&st);
    return c;
}

struct replica *replica_new(const struct replica_options *o)
{
    struct replica *r = mem_new(struct replica);
    r->hook.run = replica_run_kernel;
    r->o = *o;
    r->task = mem_strdup(o->task);
    r->other = channel_to(o, o->other_address);
    r->witness = r->other ? channel_to(o, o->witness_address) : NULL;
    r->lease_ns = max_i64(o->failure_ms, 8) * MS_NS / 4;
    r->stop = cancel_new(NULL);
    lock_init(&r->order, "changes", LOCK_RANK_RENDEZVOUS + 5);
    r->hook.start = replica_start_noted;
    r->hook.progress = replica_progress;
    r->hook.log = replica_log_notes;
    lock_init(&r->marks_lock, "marks", LOCK_RANK_KERNEL + 5);
    cond_init(&r->landed);
    lock_init(&r->lock, "replica", LOCK_RANK_KERNEL + 6);
    cond_init(&r->wake);
    cond_init(&r->poke);
    r->ring = mem_new_array(uint64_t, CHANGE_MARKS_KEPT);
    r->tail = &r->head;
    r->next = r->acked = 1;
    r->role = !r->other ? REPLICA_SERVES : o->standby ? REPLICA_STANDS_BY : REPLICA_STARTING;
    r->heard_ns = r->witness_ok_ns = clock_now_ns();
    replica_watch(r);
    return r;
}

void replica_start(struct replica *r)
{
    if (!r->other || r->started)
        return;
    r->started = pthread_create(&r->lease_thread, NULL, lease_thread, r) == 0;
    if (r->started && pthread_create(&r->send_thread, NULL, replica_send_thread, r) != 0) {
        lock_take(&r->lock);
        r->stopping = true;
        cond_broadcast(&r->poke);
        lock_drop(&r->lock);
        pthread_join(r->lease_thread, NULL);
        r->started = false;
    }
    if (!r->started)
        log_error("%s: no threads can be started; it is not replicated", r->task);
}

void replica_stop(struct replica *r)
{
    struct status st = {0};
    lock_take(&r->lock);
    const bool first = !r->stopping;
    const bool leaves = first && r->started && r->role == REPLICA_SERVES;
    struct safe_wait *waits = r->waits;
    r->waits = NULL;
    r->stopping = true;
    cond_broadcast(&r->poke);
    cond_broadcast(&r->wake);
    lock_drop(&r->lock);
    cancel_fire(r->stop, STATUS_CANCELLED, "The server is shutting down");
    (void)!status_fail(&st, STATUS_CANCELLED, "%s is shutting down", r->task);
    call_all(waits, &st);
    status_clear(&st);
    if (first && r->started) {
        pthread_join(r->lease_thread, NULL);
        pthread_join(r->send_thread, NULL);
    }
    if (leaves)
        replica_say_leaving(r);
}

void replica_free(struct replica *r)
{
    if (!r)
        return;
    replica_stop(r);
    lock_take(&r->lock);
    replica_close_stream(r);
    lock_drop(&r->lock);
    replica_free_dropped(r);
    entry_free(r->unfinished);
    replica_clear_marks(r);
    rpc_channel_unref(r->other);
    rpc_channel_unref(r->witness);
    cancel_unref(r->stop);
    cond_release(&r->wake);
    cond_release(&r->poke);
    cond_release(&r->landed);
    u64map_release(&r->flights);
    lock_release_memory(&r->marks_lock);
    lock_release_memory(&r->lock);
    lock_release_memory(&r->order);
    mem_free(r->ring);
    mem_free(r->task);
    mem_free(r);
}

struct changes *replica_changes(struct replica *r)
{
    return &r->hook;
}
