/* SPDX-License-Identifier: Apache-2.0 */
/* RecvTensor, whatever carries the bytes, and the links between tasks. Failpoint: plane_unknown, a
 * link that the producer does not know. */
#include "dist/plane.h"

#include <stdlib.h>
#include <string.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "dist/plane_impl.h"
#include "dist/step_table.h"

enum { MANY_BYTES = 256 << 10 };

/* --- life --- */

/* LEAT_PLANES has the words of those that may be tried; else all. */
static bool wanted(const struct plane_ops *o)
{
    const char *text = getenv("LEAT_PLANES");
    struct str rest = str_of(text ? text : ""), word;
    while (str_split(&rest, ',', &word))
        if (str_is(word, o->word))
            return true;
    return !text || !text[0];
}

static void open_planes(struct planes *p)
{
    static const struct plane_ops *const all[] = {&plane_shared, &plane_ucx};
    if (p->security && (p->security->cert_file || p->security->key_file || p->security->ca_file)) {
        log_warning("%s: TLS is on, so that tensors travel by gRPC alone", p->task);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct status st = {0};
        if (!wanted(all[i]))
            continue;
        if (all[i]->open(p, &st))
            p->open[all[i]->number] = all[i];
        else if (!status_ok(&st))
            log_warning("%s: no tensors travel by %s: %s", p->task, all[i]->name,
                        status_message(&st));
        status_clear(&st);
        p->tried |= p->open[all[i]->number] != NULL;
    }
}

struct planes *planes_new(const struct planes_options *o)
{
    struct planes *p = mem_new(struct planes);
    p->refs = 1;
    p->task = mem_strdup(o->task);
    p->peers = o->peers;
    p->pool = o->pool;
    p->offers = o->offers;
    p->security = peers_security(o->peers);
    lock_init(&p->lock, "data planes", LOCK_RANK_LEAF);
    const int n = peers_count(p->peers);
    p->links = mem_new_array(struct plane_link, n + 1);
    for (int i = 0; i < n; i++)
        p->links[i] = (struct plane_link){.planes = p, .peer = peers_at(p->peers, i)};
    if (o->protocol && strcmp(o->protocol, "grpc+ucx") == 0)
        open_planes(p);
    return p;
}

void planes_stop(struct planes *p)
{
    if (!p)
        return;
    lock_take(&p->lock);
    p->stopping = true;
    lock_drop(&p->lock);
    for (int i = 0; i < NUM_PLANES; i++)
        if (p->open[i])
            p->open[i]->stop(p);
}

void planes_unref(struct planes *p)
{
    if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < NUM_PLANES; i++)
        if (p->open[i])
            p->open[i]->close(p);
    for (int i = 0; p->links[i].planes; i++)
        strbuf_release(&p->links[i].why);
    mem_free(p->links);
    lock_release_memory(&p->lock);
    mem_free(p->task);
    mem_free(p);
}

static void planes_ref(struct planes *p)
{
    __atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
}

struct plane_counts planes_counts(struct planes *p)
{
    struct plane_counts c;
    for (int i = 0; i < NUM_PLANES; i++)
        c.received[i] = __atomic_load_n(&p->counts.received[i], __ATOMIC_RELAXED);
    c.links = __atomic_load_n(&p->counts.links, __ATOMIC_RELAXED);
    return c;
}

bool planes_tried(const struct planes *p)
{
    return p->tried;
}

bool planes_has(const struct planes *p, int plane)
{
    return plane >= 0 && plane < NUM_PLANES && p->open[plane];
}

/* --- links, at the consumer --- */

static void link_answered(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct plane_link *l = arg;
    struct arena a = {0};
    struct status why = {0};
    struct pb_leat_peer_link_response *r = NULL;
    status_copy(&why, st);
    if (status_ok(&why))
        (void)!wire_read(reply, &pb_leat_peer_link_response_desc, NULL, &a, &r, NULL, &why);
    l->by->answered(l, &why, r);
    status_clear(&why);
    arena_release(&a);
}

void planes_link_call(struct plane_link *l, struct pb_leat_peer_link_request *q)
{
    struct rpc_msg m = {0};
    struct status st = {0};
    q->task = str_of(l->planes->task);
    q->plane = l->by->number;
    if (wire_put(&m, q, &st))
        rpc_request_unref(peer_start(l->peer, PLANE_LINK, &m, 0, link_answered, l));
    else
        l->by->answered(l, &st, NULL);
    status_clear(&st);
}

static const struct plane_ops *next_plane(const struct planes *p, int after)
{
    for (int i = after + 1; i < NUM_PLANES; i++)
        if (p->open[i])
            return p->open[i];
    return NULL;
}

/* Says what became of it. */
static void link_over(struct plane_link *l, const struct plane_ops *by, const char *why)
{
    if (by) {
        __atomic_fetch_add(&l->planes->counts.links, 1, __ATOMIC_RELAXED);
        log_info("%s: tensors of %s come by %s", l->planes->task, peer_name(l->peer), by->name);
    } else if (why) {
        log_warning("%s: tensors of %s come by gRPC: %s", l->planes->task, peer_name(l->peer), why);
    }
    planes_unref(l->planes);
}

/* It may work the next time: the task did not answer, or was being replaced. */
static bool is_passing(const struct status *st)
{
    return st->code == STATUS_UNAVAILABLE || st->code == STATUS_ABORTED ||
           st->code == STATUS_CANCELLED;
}

void planes_linked(struct plane_link *l, const struct status *st)
{
    struct planes *p = l->planes;
    const struct plane_ops *next = NULL, *ready = NULL;
    char *why = NULL;
    lock_take(&p->lock);
    if (p->stopping || is_passing(st)) {
        l->state = LINK_NONE;
    } else if (status_ok(st)) {
        l->state = LINK_READY;
        ready = l->by;
    } else {
        strbuf_printf(&l->why, "%s%s: %.300s", l->why.n ? "; " : "", l->by->name,
                      status_message(st));
        next = next_plane(p, l->by->number);
        l->by = next;
        l->state = next ? LINK_MAKING : LINK_REFUSED;
        why = next ? NULL : mem_strdup(strbuf_text(&l->why));
    }
    lock_drop(&p->lock);
    if (next)
        next->link(l);
    else
        link_over(l, ready, why);
    mem_free(why);
}

void planes_unlink(struct planes *p, struct peer *peer, const struct plane_ops *by, uint64_t id)
{
    struct plane_link *l = &p->links[peers_index(p->peers, peer)];
    void *own = NULL;
    lock_take(&p->lock);
    if (l->state == LINK_READY && l->by == by && l->id == id) {
        l->state = LINK_NONE;
        own = l->own;
        l->own = NULL;
    }
    lock_drop(&p->lock);
    if (own && by->unlink)
        by->unlink(p, own);
}

/* Names in r the link to its peer, where there is one; else one may be begun for those who come
 * later. */
static void find_link(struct planes *p, struct plane_recv *r)
{
    const int i = p->tried ? peers_index(p->peers, r->peer) : -1;
    const uint64_t incarnation = i >= 0 ? peer_incarnation(r->peer) : 0;
    if (incarnation == 0)
        return;
    struct plane_link *l = &p->links[i];
    const struct plane_ops *old = NULL;
    void *old_own = NULL;
    lock_take(&p->lock);
    const bool same = l->incarnation == incarnation;
    if (l->state == LINK_READY && same) {
        r->by = l->by;
        r->link = l->id;
        r->pid = l->pid;
    } else if (l->state == LINK_READY) {
        l->state = LINK_NONE;
        old = l->by;
        old_own = l->own;
        l->own = NULL;
    }
    bool begin = !p->stopping && (l->state == LINK_NONE || (l->state == LINK_REFUSED && !same));
    if (begin) {
        l->state = LINK_MAKING;
        l->incarnation = incarnation;
        l->by = next_plane(p, PB_LEAT_PEER_PLANE_GRPC);
        l->why.n = 0;
        planes_ref(p);
    }
    lock_drop(&p->lock);
    if (old_own && old->unlink)
        old->unlink(p, old_own);
    if (begin)
        l->by->link(l);
}

/* --- links, at the producer --- */

static void link_asked(void *arg, struct rpc_call *c)
{
    struct planes *p = arg;
    struct status st = {0};
    struct serving *s = serving_new(c, p, &pb_leat_peer_link_request_desc, NULL);
    if (!s)
        return;
    const int plane = ((const struct pb_leat_peer_link_request *)s->request)->plane;
    if (!planes_has(p, plane))
        status_unimplemented(&st, "this task does not have it");
    else if (!rpc_call_is_trusted(c))
        status_fail(&st, STATUS_PERMISSION_DENIED,
                    "it is for tasks of this host and user, and for those that know the token");
    else
        p->open[plane]->asked(p, s);
    if (!status_ok(&st))
        serving_reply(s, NULL, &st);
    status_clear(&st);
}

int planes_handlers(struct planes *p, struct rpc_handler *out, int cap)
{
    ASSERT(cap > 0);
    out[0] = (struct rpc_handler){PLANE_LINK, link_asked, p};
    return 1;
}

/* --- the producer --- */

static const struct plane_ops *plane_asked(const struct planes *p,
                                           const struct pb_recv_tensor_request *q, struct arena *a,
                                           struct pb_leat_peer_carry **how)
{
    struct status st = {0};
    const struct plane_ops *by = NULL;
    if (!p->tried || !chunks_asked(q) || q->transport_options->value.n == 0)
        return NULL;
    const struct str value = q->transport_options->value;
    if (pb_leat_peer_carry_decode(a, value.p, value.n, PB_BORROW, how, &st) &&
        (*how)->plane > PB_LEAT_PEER_PLANE_GRPC && (*how)->plane < NUM_PLANES)
        by = p->open[(*how)->plane];
    status_clear(&st);
    return by;
}

void planes_send(struct planes *p, struct serving *s, struct pb_recv_tensor_response *response,
                 const struct tensor *value)
{
    struct pb_leat_peer_carry *how = NULL;
    const struct plane_ops *by =
        plane_carries(value) ? plane_asked(p, s->request, &s->arena, &how) : NULL;
    if (!by || FAILPOINT("plane_unknown") || !by->send(p, s, how, response, value))
        (void)plane_grpc.send(p, s, NULL, response, value);
}

/* --- the consumer --- */

struct plane_recv *plane_recv_ref(struct plane_recv *r)
{
    __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
    return r;
}

void plane_recv_unref(struct plane_recv *r)
{
    if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    rpc_request_unref(r->request);
    planes_unref(r->planes);
    lock_release_memory(&r->lock);
    mem_free(r);
}

bool plane_recv_end(struct plane_recv *r, const struct status *st, const struct tensor *value,
                    bool dead)
{
    if (__atomic_exchange_n(&r->over, true, __ATOMIC_ACQ_REL))
        return false;
    if (value)
        __atomic_fetch_add(&r->planes->counts.received[r->carried], 1, __ATOMIC_RELAXED);
    if (r->by && r->by->forget)
        r->by->forget(r);
    r->fn(r->arg, st, value, dead);
    return true;
}

static void fetched(void *arg, const struct status *st, const struct tensor *value)
{
    struct plane_recv *r = arg;
    (void)plane_recv_end(r, st, value, false);
    plane_recv_unref(r);
}

void plane_recv_fall_back(struct plane_recv *r, struct chunks_offer *offer)
{
    planes_unlink(r->planes, r->peer, r->by, r->link);
    r->carried = PB_LEAT_PEER_PLANE_GRPC;
    chunks_get(r->peer, offer, fetched, r);
}

/* Takes the call's reference. */
static void take_offer(struct plane_recv *r, const struct pb_recv_tensor_response *m)
{
    struct status st = {0};
    struct chunks_offer offer;
    bool ok = chunks_read(m, &offer, &st);
    offer.incarnation = r->incarnation;
    if (ok && offer.plane == PB_LEAT_PEER_PLANE_GRPC) {
        chunks_get(r->peer, &offer, fetched, r);
        return;
    }
    if (ok && r->by && r->by->number == offer.plane) {
        r->carried = offer.plane;
        r->by->take(r, &offer);
        return;
    }
    if (ok)
        status_internal(&st, "RecvTensor: the reply names a plane that was not asked for");
    tensor_clear(&offer.value);
    (void)plane_recv_end(r, &st, NULL, false);
    status_clear(&st);
    plane_recv_unref(r);
}

/* Each step receives by the same keys: what an answer held, or where it told of much, says what the
 * next one will. Two keys may share a hint, which costs little. What UCX brings comes by another
 * thread, which the network's would only keep from the processor. */
static void expect_answer(struct plane_recv *r, const char *key)
{
    r->hint = &r->planes->hints[hash_stable(key, strlen(key)) % NUM_HINTS];
    r->expects = __atomic_load_n(r->hint, __ATOMIC_RELAXED) && r->by != &plane_ucx;
    if (r->expects)
        rpc_expect_bytes(+1);
}

static void answer_came(struct plane_recv *r, bool held_much)
{
    if (r->expects)
        rpc_expect_bytes(-1);
    __atomic_store_n(r->hint, held_much, __ATOMIC_RELAXED);
}

static void call_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct plane_recv *r = arg;
    struct status why = {0};
    struct arena a = {0};
    struct wire_values values = {0};
    struct pb_recv_tensor_response *m = NULL;
    const struct wire_tensors where = {.number = 1};
    const bool many = reply->bytes >= MANY_BYTES;
    status_copy(&why, st);
    bool ok = status_ok(&why) &&
              wire_read(reply, &pb_recv_tensor_response_desc, &where, &a, &m, &values, &why);
    const bool offered = ok && values.n == 0 && !m->is_dead && chunks_offered(m);
    answer_came(r, many || offered);
    if (offered) {
        take_offer(r, m);
        arena_release(&a);
        return;
    }
    if (ok && !m->is_dead && values.n != 1)
        ok = status_internal(&why, "RecvTensor: the reply has %lld tensors", (long long)values.n);
    const bool dead = ok && m->is_dead;
    const struct tensor *value = ok && !dead ? &values.v[0].value : NULL;
    if (value && r->by && plane_carries(value)) /* the producer does not know it any more */
        planes_unlink(r->planes, r->peer, r->by, r->link);
    (void)plane_recv_end(r, &why, value, dead);
    wire_values_clear(&values);
    status_clear(&why);
    arena_release(&a);
    plane_recv_unref(r);
}

static bool make_request(struct plane_recv *r, int64_t step_id, const char *key, struct rpc_msg *m,
                         struct status *st)
{
    struct arena a = {0};
    struct strbuf how = {0};
    bool ok = true;
    struct pb_recv_tensor_request *q = pb_recv_tensor_request_new(&a);
    q->step_id = step_id;
    q->rendezvous_key = str_of(key);
    q->dma_ok = true;
    if (r->by) {
        struct pb_leat_peer_carry *carry = pb_leat_peer_carry_new(&a);
        carry->plane = r->by->number;
        carry->link = r->link;
        carry->id = r->by->expect ? r->by->expect(r) : 0;
        ok = pb_encode(carry, &how, st);
    }
    chunks_ask(&a, q, str_make(how.p, how.n));
    ok = ok && wire_put(m, q, st);
    strbuf_release(&how);
    arena_release(&a);
    return ok;
}

static uint64_t producer_of(const char *key)
{
    struct transfer_key k;
    struct status st = {0};
    const bool known = transfer_key_parse(key, &k, &st);
    status_clear(&st);
    return known ? k.incarnation : 0;
}

struct plane_recv *planes_recv(struct planes *p, struct peer *from, int64_t step_id,
                               const char *key, plane_recv_fn fn, void *arg)
{
    struct rpc_msg m = {0};
    struct status st = {0};
    struct plane_recv *r = mem_new(struct plane_recv);
    *r = (struct plane_recv){.refs = 2, .planes = p, .peer = from, .fn = fn, .arg = arg};
    r->incarnation = producer_of(key);
    lock_init(&r->lock, "receiver", LOCK_RANK_LEAF);
    planes_ref(p);
    find_link(p, r);
    if (make_request(r, step_id, key, &m, &st)) {
        expect_answer(r, key);
        r->request = peer_start_at(from, r->incarnation, "/tensorflow.WorkerService/RecvTensor", &m,
                                   0, call_done, r);
    } else {
        rpc_msg_clear(&m);
        (void)plane_recv_end(r, &st, NULL, false);
        plane_recv_unref(r);
    }
    status_clear(&st);
    return r;
}

void plane_recv_cancel(struct plane_recv *r)
{
    __atomic_store_n(&r->cancelled, true, __ATOMIC_RELEASE);
    rpc_request_cancel(r->request);
    if (r->by && r->by->cancel)
        r->by->cancel(r);
}
