/* SPDX-License-Identifier: Apache-2.0 */
/* Heartbeats and goodbyes. A heartbeat goes over a connection of its own, so that no large tensor
 * stands before it. The first one, and each after a silence, asks for the devices. Who does not
 * know the method is TensorFlow's task: it is asked for its status, which says the same. */
#include "base/log.h"
#include "dist/peers_impl.h"

#define BEAT_PATH "/leat.Peer/Heartbeat"
#define GOODBYE_PATH "/leat.Peer/Goodbye"
#define STATUS_PATH "/tensorflow.WorkerService/GetStatus"
#define MS_NS ((int64_t)1000000)

struct answer { /* what a heartbeat brought */
    struct str task;
    uint64_t incarnation;
    struct pb_device_attributes_vec devices;
    bool stands_by;
    uint64_t epoch;
};

static void put_message(struct rpc_msg *m, const void *message)
{
    struct strbuf b = {0};
    struct status st = {0};
    if (pb_encode(message, &b, &st))
        rpc_msg_add_strbuf(m, &b);
    status_clear(&st);
    strbuf_release(&b);
}

static bool read_answer(struct peer *p, bool tensorflow, struct str bytes, struct arena *a,
                        struct answer *out, struct status *st)
{
    struct pb_leat_peer_heartbeat_response *beat;
    struct pb_get_status_response *status;
    if (!tensorflow) {
        if (!pb_leat_peer_heartbeat_response_decode(a, bytes.p, bytes.n, 0, &beat, st))
            return false;
        *out = (struct answer){beat->task, beat->incarnation, beat->device, beat->stands_by,
                               beat->epoch};
        return true;
    }
    if (!pb_get_status_response_decode(a, bytes.p, bytes.n, 0, &status, st))
        return false;
    *out = (struct answer){.task = str_of(p->name), .devices = status->device_attributes};
    if (out->devices.n > 0) {
        struct str name = out->devices.v[0]->name;
        const char *cut = name.n ? memmem(name.p, name.n, "/device:", 8) : NULL;
        out->incarnation = out->devices.v[0]->incarnation;
        if (cut)
            out->task = str_make(name.p, (size_t)(cut - name.p));
    }
    return true;
}

/* Under the lock: the peer that was awaited answers. arena holds the answer, and is taken. */
static void take_answer(struct peer *p, const struct answer *x, struct arena *arena)
{
    /* Calls to the first address may be under way, though it never answered a heartbeat. */
    const bool moved = p->beats_at != p->calls_at;
    const bool another = moved || (p->incarnation != 0 && x->incarnation != p->incarnation);
    bool was_alive = p->state == PEER_ALIVE;
    if (another) {
        struct status why = {0};
        (void)status_fail(&why, STATUS_ABORTED,
                          "%s at %s came back as another process: what was begun with it is gone",
                          p->name, p->address);
        peer_end_calls(p, &why, moved ? 0 : x->incarnation);
        peer_mark_watches(p, &why);
        status_clear(&why);
    }
    if (!was_alive && p->state != PEER_UNSEEN)
        log_info("%s at %s is there again%s", p->name, p->address, another ? ", as another" : "");
    if (p->tensorflow && x->devices.n > 0)
        p->tensorflow_2 = x->devices.v[0]->xla_global_id != 0;
    if (x->devices.n > 0 && (another || !p->devices)) {
        struct peer_devices *d = mem_new(struct peer_devices);
        *d = (struct peer_devices){.refs = 1, .arena = *arena, .list = x->devices};
        *arena = (struct arena){0};
        peer_release_devices(p->devices);
        p->devices = d;
    }
    if (moved) {
        rpc_channel_unref(p->calls_channel); /* calls under way keep it */
        p->calls_channel = NULL;
        p->calls_at = p->beats_at;
        p->address = p->addresses[p->calls_at];
        log_warning("%s is served at %s now (epoch %llu)", p->name, p->address,
                    (unsigned long long)x->epoch);
    }
    p->epoch = x->epoch;
    p->state = PEER_ALIVE;
    p->incarnation = x->incarnation;
    mem_free(p->trouble);
    p->trouble = NULL;
    peer_alive(p);
}

/* Under the lock: somebody wants an answer to a heartbeat that is sent after the last one was. */
static bool is_settled_for(const struct peer *p)
{
    for (const struct peer_waiter *w = p->waiters; w; w = w->next) {
        if (w->settles && status_ok(&w->why) && w->started_ns > p->beat_sent_ns)
            return true;
    }
    return false;
}

/* Under the lock. False: what answers is not this peer. */
static bool beat_result(struct peer *p, const struct status *st, const struct rpc_msg *reply,
                        bool *stands_by)
{
    struct arena a = {0};
    struct answer x;
    struct status own = {0};
    bool ok = status_ok(st);
    if (!ok && st->code == STATUS_UNIMPLEMENTED && !p->tensorflow) {
        p->tensorflow = true;
        p->beat_delay_ns = 0;
        return true;
    }
    if (!ok) {
        peer_set_trouble(p, st);
        return false;
    }
    ok = read_answer(p, p->tensorflow, rpc_msg_flat(reply, &a), &a, &x, &own);
    if (ok && p->anyone && !str_is(x.task, p->name)) {
        mem_free(p->name);
        p->name = mem_strndup(x.task.n ? x.task.p : "", x.task.n);
    }
    if (ok && !p->set->brought && !str_is(x.task, p->name))
        ok = status_precondition(&own, "%.*s answers there", (int)min_i64((int64_t)x.task.n, 200),
                                 x.task.n ? x.task.p : "");
    if (ok && p->gone != 0 && x.incarnation == p->gone)
        ok = status_fail(&own, STATUS_UNAVAILABLE, "it has said goodbye");
    *stands_by = ok && p->addresses[1] && (x.stands_by || x.epoch < p->epoch);
    if (*stands_by)
        ok = status_fail(&own, STATUS_UNAVAILABLE, "stands by, or may not answer now");
    /* Devices were asked for when it was silent; else the answer is as it was before. */
    if (ok && x.devices.n == 0 && (!p->devices || x.incarnation != p->incarnation)) {
        peer_release_devices(p->devices);
        p->devices = NULL;
        p->beat_delay_ns = 0;
    } else if (ok) {
        take_answer(p, &x, &a);
    }
    if (!ok)
        peer_set_trouble(p, &own);
    status_clear(&own);
    arena_release(&a);
    return ok;
}

/* Under the lock: of two, nobody serves now. Who stands by answers at once, and may take over soon:
 * it is asked often, and the other one, which may be frozen, every interval. */
static void hunt(struct peer *p, bool stands_by)
{
    const int other = p->beats_at ^ 1;
    if (stands_by)
        p->stands_by_ns = clock_now_ns();
    if (!stands_by || p->beat_sent_ns - p->asked_ns[other] >= p->set->interval_ns)
        p->beats_at = other;
}

/* From 50 ms, doubling. */
static int64_t next_delay(const struct peer *p, int64_t delay)
{
    const int64_t interval = p->set->interval_ns;
    if (p->hunts)
        return clamp_i64(delay * 2, min_i64(50 * MS_NS, interval / 4), interval / 4);
    return clamp_i64(p->state == PEER_ALIVE ? interval : delay * 2, min_i64(50 * MS_NS, interval),
                     1000 * MS_NS);
}

static void beat_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct peer *p = arg;
    struct peers *set = p->set;
    lock_take(&set->lock);
    int64_t delay = p->beat_delay_ns;
    p->beat_delay_ns = -1;
    bool stands_by = false, ok = beat_result(p, st, reply, &stands_by);
    p->hunts = !ok && p->addresses[1];
    if (p->hunts)
        hunt(p, stands_by);
    else if (ok)
        p->settled_ns = p->beat_sent_ns;
    if (p->beat_delay_ns == 0) /* once more, at once, in another form */
        p->beat_delay_ns = MS_NS;
    else if (ok)
        p->beat_delay_ns = is_settled_for(p) ? 0 : set->interval_ns;
    else
        p->beat_delay_ns = next_delay(p, delay);
    p->next_beat_ns = clock_now_ns() + p->beat_delay_ns;
    struct rpc_request *request = p->beat;
    p->beat = NULL;
    p->beating = false;
    lock_drop(&set->lock);
    rpc_request_unref(request);
    peer_run_due(p);
    lock_take(&set->lock);
    set->live--;
    cond_broadcast(&set->changed);
    lock_drop(&set->lock);
}

static void put_beat(struct peer *p, struct rpc_msg *m)
{
    struct arena a = {0};
    struct pb_leat_peer_heartbeat_request *r = pb_new(&a, &pb_leat_peer_heartbeat_request_desc);
    r->task = str_of(p->set->self);
    r->incarnation = p->set->self_incarnation;
    r->want_devices = p->state != PEER_ALIVE || !p->devices || p->beats_at != p->calls_at;
    put_message(m, r);
    arena_release(&a);
}

void peer_send_beat(struct peer *p)
{
    struct peers *set = p->set;
    struct rpc_msg m = {0};
    struct status st = {0};
    lock_take(&set->lock);
    struct rpc_channel *channel = peer_beat_channel(p, p->beats_at, &st);
    const char *path = p->tensorflow ? STATUS_PATH : BEAT_PATH;
    const int64_t patience_ns = p->hunts ? set->interval_ns / 2 : set->interval_ns;
    p->beat_sent_ns = p->asked_ns[p->beats_at] = clock_now_ns();
    if (!p->tensorflow)
        put_beat(p, &m);
    lock_drop(&set->lock);
    if (!channel) {
        beat_done(p, &st, &m);
        rpc_msg_clear(&m);
        status_clear(&st);
        return;
    }
    struct rpc_options o = {.timeout_ms = set->deadlines.failure_ms, .fail_fast = true};
    if (p->addresses[1]) /* a frozen one is not to be waited for */
        o.timeout_ms = max_i64(patience_ns / MS_NS, 20);
    struct rpc_request *r = rpc_start(channel, path, &m, &o, beat_done, p);
    lock_take(&set->lock);
    /* Only this thread sends: where it is over, no other one has begun. */
    struct rpc_request *stale = p->beating ? NULL : r;
    if (!stale)
        p->beat = r;
    if (!stale && set->stopping)
        rpc_request_cancel(r);
    lock_drop(&set->lock);
    rpc_request_unref(stale);
}

/* --- goodbyes --- */

struct goodbye {       /* counted: whoever sends, and each call */
    int refs, waiting; /* guarded by lock */
    struct lock lock;
    struct cond answered;
};

static void goodbye_unref(struct goodbye *g) /* under its lock, which it drops */
{
    bool last = --g->refs == 0;
    lock_drop(&g->lock);
    if (!last)
        return;
    cond_release(&g->answered);
    lock_release_memory(&g->lock);
    mem_free(g);
}

static void goodbye_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct goodbye *g = arg;
    (void)st; /* who is not there needs none */
    (void)reply;
    lock_take(&g->lock);
    g->waiting--;
    cond_broadcast(&g->answered);
    goodbye_unref(g);
}

/* To one of its addresses; a connection that broke is waited for where it is there for all we know.
 */
static void say_goodbye(struct peer *p, int which, struct goodbye *g, int64_t timeout_ms)
{
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    lock_take(&p->set->lock);
    const bool there = p->state == PEER_ALIVE && p->calls_at == which;
    struct rpc_channel *channel =
        p->self || p->tensorflow ? NULL : peer_beat_channel(p, which, &st);
    lock_drop(&p->set->lock);
    status_clear(&st);
    if (!channel)
        return;
    struct pb_leat_peer_goodbye_request *r = pb_new(&a, &pb_leat_peer_goodbye_request_desc);
    r->task = str_of(p->set->self);
    r->incarnation = p->set->self_incarnation;
    put_message(&m, r);
    arena_release(&a);
    lock_take(&g->lock);
    g->refs++;
    g->waiting++;
    lock_drop(&g->lock);
    struct rpc_options o = {.timeout_ms = timeout_ms, .fail_fast = !there};
    rpc_request_unref(rpc_start(channel, GOODBYE_PATH, &m, &o, goodbye_done, g));
}

void peers_goodbye(struct peers *set, int64_t timeout_ms)
{
    struct goodbye *g = mem_new(struct goodbye);
    int64_t deadline = clock_now_ns() + timeout_ms * MS_NS;
    g->refs = 1;
    lock_init(&g->lock, "goodbye", LOCK_RANK_LEAF);
    cond_init(&g->answered);
    for (int i = 0; i < set->n; i++) {
        say_goodbye(&set->v[i], 0, g, timeout_ms);
        if (set->v[i].addresses[1]) /* who serves may be the other one by now */
            say_goodbye(&set->v[i], 1, g, timeout_ms);
    }
    lock_take(&g->lock);
    while (g->waiting > 0 && cond_wait_until(&g->answered, &g->lock, deadline))
        ;
    goodbye_unref(g);
}
