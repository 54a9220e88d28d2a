/* SPDX-License-Identifier: Apache-2.0 */
/* Entries to the process that stands by: in order, as many as fit in a message, one message under
 * way. Steps that end meanwhile go with the next one, so many clients share a round trip. A message
 * that was not answered is sent again, and what the other had already is passed over there; after a
 * lease without answers the stream is closed, and begins anew with everything. */
#include <unistd.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "dist/peers.h"
#include "dist/replica_impl.h"
#include "op/tensor_proto.h"

#define MS_NS ((int64_t)1000000)
#define KIND(name) PB_LEAT_PEER_CHANGE_KIND_##name
#define PATH "/leat.Peer/Replicate"
enum {
    MAX_BYTES = 256 << 20,   /* of a message, about */
    MAX_PIECE = 128 << 20,   /* of a value */
    MAX_ENTRIES = 20000,     /* of a message */
    MIN_RATE_PER_MS = 10000, /* bytes: a slower network counts as a broken one */
    TENSORS_FIELD = 11,
};

/* Failpoint: replica_pieces, values and messages that are tiny. */
static int64_t max_piece(void)
{
    return FAILPOINT("replica_pieces") ? 1000 : MAX_PIECE;
}

static int64_t max_bytes(void)
{
    return FAILPOINT("replica_pieces") ? 3000 : MAX_BYTES;
}

void replica_close_stream(struct replica *r)
{
    r->stream = STREAM_CLOSED;
    if (r->head) {
        *r->tail = r->dropped;
        r->dropped = r->head;
    }
    r->head = NULL;
    r->tail = &r->head;
    r->acked = r->next;
}

void replica_free_dropped(struct replica *r)
{
    lock_take(&r->lock);
    struct entry *e = r->dropped;
    r->dropped = NULL;
    lock_drop(&r->lock);
    while (e) {
        struct entry *next = e->next;
        entry_free(e);
        e = next;
    }
}

/* --- what a message holds --- */

struct batch { /* a message that is being made; of the sender's stack */
    struct arena a;
    struct pb_leat_peer_replicate_request *q;
    struct rpc_msg m, values;
    int64_t bytes;
    uint64_t after;  /* the number of the first entry that is not whole in it */
    struct place at; /* the place in that entry, where it has begun with it */
};

static struct pb_leat_peer_change *put_head(struct batch *b, const struct entry *e,
                                            const struct change *c)
{
    struct pb_leat_peer_change *p = pb_leat_peer_change_add(&b->a, &b->q->change);
    p->kind = c->kind;
    p->container = str_of(c->container);
    p->name = str_of(c->name);
    p->type = str_of(c->type);
    p->dtype = c->dtype;
    p->mark = e->mark;
    p->note = c->note;
    return p;
}

static bool put_tensor(struct batch *b, const struct tensor *t, struct status *st)
{
    b->bytes += (int64_t)wire_tensor_bytes(t);
    return wire_put_named_tensor(&b->values, TENSORS_FIELD, "", t, st);
}

static bool is_big(const struct tensor *t)
{
    return !dtype_is_managed(t->dtype) && tensor_bytes(t) > (size_t)max_piece();
}

/* The first value from i on that comes in pieces; num_values: none. */
static int next_big(const struct change *c, int i)
{
    while (i < c->num_values && !is_big(&c->values[i]))
        i++;
    return i;
}

/* The change, with its values that are small. */
static bool put_change(struct batch *b, const struct change *c, struct pb_leat_peer_change *p,
                       struct status *st)
{
    p->declared = shape_to_proto(&b->a, &c->declared);
    for (int i = 0; i < c->num_values; i++) {
        if (is_big(&c->values[i])) {
            pb_add_i64(&b->a, &p->big, i);
            continue;
        }
        p->tensors++;
        if (!put_tensor(b, &c->values[i], st))
            return false;
    }
    return true;
}

/* Elements [offset, ...) of the value at the place, a piece's worth. */
static bool put_piece(struct batch *b, const struct change *c, struct pb_leat_peer_change *p,
                      struct status *st)
{
    const struct tensor *t = &c->values[b->at.value];
    const int64_t size = (int64_t)dtype_size(t->dtype), offset = b->at.offset;
    const int64_t n = min_i64(max_piece() / size, t->num_elems - offset);
    struct shape flat = shape_1(t->num_elems);
    struct tensor all;
    p->kind = KIND(PIECE);
    p->value = b->at.value;
    p->shape = shape_to_proto(&b->a, &t->shape);
    p->offset = offset;
    p->tensors = 1;
    if (!tensor_reshaped(t, &flat, &all, st))
        return false;
    struct tensor piece = tensor_rows(&all, offset, offset + n);
    bool ok = put_tensor(b, &piece, st);
    b->at.offset = offset + n;
    if (b->at.offset == t->num_elems) {
        b->at.value = next_big(c, b->at.value + 1);
        b->at.offset = 0;
    }
    tensor_clear(&piece);
    tensor_clear(&all);
    return ok;
}

/* Goes on with e where the batch stands; true: e is whole in it. */
static bool put_entry(struct batch *b, const struct entry *e, struct status *st)
{
    while (b->at.change < e->n) {
        const struct change *c = &e->changes[b->at.change];
        if (b->bytes >= max_bytes())
            return false;
        struct pb_leat_peer_change *p = put_head(b, e, c);
        if (b->at.headed ? !put_piece(b, c, p, st) : !put_change(b, c, p, st))
            return false;
        if (!b->at.headed)
            b->at.value = next_big(c, 0);
        b->at.headed = b->at.value < c->num_values;
        b->at.change += !b->at.headed;
        p->last = b->at.change == e->n;
    }
    b->at.change = 0;
    b->q->whole |= e->whole;
    return true;
}

/* The first entries that are there; the list is changed by this thread alone while it is in use
 * (replica_close_stream leaves them in memory). */
static bool fill(struct replica *r, struct batch *b, struct status *st)
{
    int n = 0;
    lock_take(&r->lock);
    const struct entry *e = r->head;
    const struct entry *const *end = (const struct entry *const *)r->tail;
    b->q->first = e ? e->number : r->next;
    b->after = b->q->first;
    b->q->epoch = r->epoch;
    b->q->silence_ms = (clock_now_ns() - r->stream_ok_ns) / MS_NS;
    b->q->reset = r->reset && r->at.part == 0;
    lock_drop(&r->lock);
    peers_list_left(r->o.peers, &b->a, &b->q->left);
    b->q->task = str_of(r->task);
    b->q->incarnation = r->o.incarnation;
    b->at = r->at;
    b->q->part = b->at.part;
    while (e && b->bytes < max_bytes() && n++ < MAX_ENTRIES) {
        if (!put_entry(b, e, st)) {
            b->at.part++;
            break;
        }
        b->at.part = 0;
        b->after = e->number + 1;
        lock_take(&r->lock); /* the last one's link is being written perhaps */
        e = (const struct entry *const *)&e->next == end ? NULL : e->next;
        lock_drop(&r->lock);
    }
    if (!status_ok(st) || !wire_put(&b->m, b->q, st))
        return false;
    rpc_msg_append(&b->m, &b->values);
    return true;
}

/* --- what comes of it --- */

/* Under the lock: entries before `after` are with the other process. */
static void confirmed(struct replica *r, const struct batch *b, int64_t sent, bool no_lease)
{
    struct entry **last = &r->head;
    while (*last && (*last)->number < b->after)
        last = &(*last)->next;
    if (last != &r->head) {
        struct entry *rest = *last;
        *last = r->dropped;
        r->dropped = r->head;
        r->head = rest;
        if (!rest)
            r->tail = &r->head;
    }
    r->acked = b->after;
    r->reset = false;
    r->at = b->at;
    if (!no_lease)
        r->other_until_ns = sent + r->lease_ns;
    r->stream_ok_ns = clock_now_ns();
    if (r->stream != STREAM_OPENING || r->acked < r->whole_at)
        return;
    r->stream = STREAM_OPEN;
    r->counted = r->witness != NULL;
    r->counted_at = r->next;
    cond_broadcast(&r->poke);
    log_info("%s: the process that stands by has everything", r->task);
}

static void restart_entry(struct replica *r)
{
    r->at = (struct place){0};
}

static void take_answer(struct replica *r, const struct batch *b, int64_t sent,
                        const struct pb_leat_peer_replicate_response *x)
{
    struct safe_wait *waits = NULL;
    lock_take(&r->lock);
    const bool serves = r->role == REPLICA_SERVES && r->epoch == b->q->epoch;
    const bool fenced = serves && x->epoch > r->epoch;
    if (fenced)
        replica_fence(r, x->epoch, &waits);
    else if (serves && (x->again || x->serves))
        replica_close_stream(r);
    else if (serves && r->stream != STREAM_CLOSED)
        confirmed(r, b, sent, x->no_lease);
    if (!serves || r->stream == STREAM_CLOSED)
        restart_entry(r);
    lock_drop(&r->lock);
    if (fenced)
        replica_fenced(r, waits);
    replica_release_waits(r);
}

/* True: it was answered. */
static bool call(struct replica *r, struct batch *b, struct rpc_msg *m,
                 struct pb_leat_peer_replicate_response **out)
{
    struct rpc_msg reply = {0};
    struct status st = {0};
    const struct rpc_options o = {.timeout_ms =
                                      max_i64(r->lease_ns / MS_NS, 20) + b->bytes / MIN_RATE_PER_MS,
                                  .fail_fast = true};
    bool ok = rpc_call_wait(r->other, PATH, m, &o, r->stop, &reply, &st) &&
              wire_read(&reply, &pb_leat_peer_replicate_response_desc, NULL, &b->a, out, NULL, &st);
    rpc_msg_clear(&reply);
    status_clear(&st);
    return ok;
}

bool replica_say_hello(struct replica *r, struct replica_hello *out)
{
    struct batch b = {.bytes = 0};
    struct status st = {0};
    struct pb_leat_peer_replicate_response *x = NULL;
    b.q = pb_leat_peer_replicate_request_new(&b.a);
    b.q->task = str_of(r->task);
    b.q->incarnation = r->o.incarnation;
    b.q->hello = true;
    lock_take(&r->lock);
    b.q->epoch = r->epoch;
    lock_drop(&r->lock);
    bool ok = wire_put(&b.m, b.q, &st) && call(r, &b, &b.m, &x);
    if (ok)
        *out = (struct replica_hello){x->serves, x->holds, x->epoch};
    rpc_msg_clear(&b.m);
    status_clear(&st);
    arena_release(&b.a);
    return ok;
}

/* Failpoint: replica_slow, what is to be replicated waits for a while. */
static void send_some(struct replica *r)
{
    struct batch b = {.bytes = 0};
    struct status st = {0};
    struct pb_leat_peer_replicate_response *x = NULL;
    b.q = pb_leat_peer_replicate_request_new(&b.a);
    if (FAILPOINT("replica_slow"))
        usleep(20000);
    const int64_t sent = clock_now_ns();
    bool made = fill(r, &b, &st), answered = made && call(r, &b, &b.m, &x);
    if (!made)
        log_error("%s: changes cannot be sent: %s", r->task, status_message(&st));
    lock_take(&r->lock);
    bool lost =
        !answered && r->stream != STREAM_CLOSED && clock_now_ns() - r->stream_ok_ns > r->lease_ns;
    if (lost)
        replica_close_stream(r);
    if (!answered)
        restart_entry(r);
    cond_broadcast(&r->poke);
    if (!answered && !r->stopping) /* not at once again */
        (void)cond_wait_until(&r->wake, &r->lock, clock_now_ns() + r->lease_ns / 16);
    lock_drop(&r->lock);
    if (answered)
        take_answer(r, &b, sent, x);
    rpc_msg_clear(&b.m);
    rpc_msg_clear(&b.values);
    status_clear(&st);
    arena_release(&b.a);
}

/* The other process may be there again, or serve meanwhile. */
static void try_to_open(struct replica *r)
{
    struct replica_hello h;
    struct safe_wait *waits = NULL;
    if (replica_say_hello(r, &h)) {
        lock_take(&r->lock);
        const bool fenced = r->role == REPLICA_SERVES && h.epoch > r->epoch;
        if (fenced)
            replica_fence(r, h.epoch, &waits);
        r->stream_ok_ns = clock_now_ns();
        lock_drop(&r->lock);
        if (fenced) {
            replica_fenced(r, waits);
            return;
        }
        restart_entry(r);
        lock_take(&r->order);
        replica_log_everything(r);
        lock_drop(&r->order);
        return;
    }
    lock_take(&r->lock);
    if (!r->stopping)
        (void)cond_wait_until(&r->wake, &r->lock, clock_now_ns() + r->lease_ns / 4);
    lock_drop(&r->lock);
}

void *replica_send_thread(void *arg)
{
    struct replica *r = arg;
    for (;;) {
        replica_free_dropped(r);
        lock_take(&r->lock);
        const int64_t due = clock_now_ns() + r->lease_ns / 4;
        while (!r->stopping && clock_now_ns() < due &&
               (r->role != REPLICA_SERVES || (r->stream != STREAM_CLOSED && !r->head)) &&
               cond_wait_until(&r->wake, &r->lock, due))
            ;
        const bool stop = r->stopping, serves = r->role == REPLICA_SERVES;
        const bool closed = r->stream == STREAM_CLOSED;
        lock_drop(&r->lock);
        if (stop)
            return NULL;
        if (serves && closed)
            try_to_open(r);
        else if (serves)
            send_some(r);
    }
}

void replica_say_leaving(struct replica *r)
{
    struct arena a = {0};
    struct rpc_msg m = {0}, reply = {0};
    struct status st = {0};
    const struct rpc_options o = {.timeout_ms = 1000, .fail_fast = true};
    struct pb_leat_peer_replicate_request *q = pb_leat_peer_replicate_request_new(&a);
    q->task = str_of(r->task);
    q->incarnation = r->o.incarnation;
    q->epoch = r->epoch;
    q->leaving = true;
    if (!wire_put(&m, q, &st) || !rpc_call_wait(r->other, PATH, &m, &o, NULL, &reply, &st))
        status_clear(&st); /* it is not there: nobody is to be told */
    rpc_msg_clear(&m);
    rpc_msg_clear(&reply);
    arena_release(&a);
}
