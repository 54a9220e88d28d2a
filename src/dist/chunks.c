/* SPDX-License-Identifier: Apache-2.0 */
/* Offers of a task, and fetching those of another. Pieces of 1 MiB, a few under way: each is copied
 * into the tensor, out of the cache, while the next come. */
#include "dist/chunks.h"

#include <errno.h>
#include <sys/random.h>

#include "base/failpoint.h"
#include "base/lock.h"
#include "op/tensor_proto.h"

enum {
    SPLIT_BYTES = 4 << 20, /* tensors above it come in pieces */
    PIECE_BYTES = 1 << 20, /* still in the cache when it is copied */
    MAX_LENGTH = 64 << 20,
    UNDER_WAY = 4
};
#define UNUSED_NS ((int64_t)600 * 1000000000)

struct offer {
    uint64_t id;
    uint64_t mark; /* id; 0 before the bytes go: others read it where it lies (plane_shared.c) */
    int64_t step_id;
    int64_t used_ns; /* made, or last fetched from; guarded by the list's lock */
    struct tensor value;
    struct offer *next;
};
struct offers {
    struct lock lock;
    struct offer *first; /* guarded by lock; few */
};

/* --- the producer's side --- */

struct offers *offers_new(void)
{
    struct offers *o = mem_new(struct offers);
    lock_init(&o->lock, "offers", LOCK_RANK_LEAF);
    return o;
}

static void free_list(struct offer *list)
{
    while (list) {
        struct offer *next = list->next;
        __atomic_store_n(&list->mark, 0, __ATOMIC_SEQ_CST);
        tensor_clear(&list->value);
        mem_free(list);
        list = next;
    }
}

void offers_free(struct offers *o)
{
    if (!o)
        return;
    free_list(o->first);
    lock_release_memory(&o->lock);
    mem_free(o);
}

bool offers_wants(const struct tensor *t)
{
    return !dtype_is_managed(t->dtype) && t->num_elems > 0 &&
           (FAILPOINT("chunks") || tensor_bytes(t) > (size_t)SPLIT_BYTES);
}

/* Takes offers out of the list: of a step, of an id, and what was not used since. */
static void drop(struct offers *o, const int64_t *step_id, const uint64_t *id, int64_t since_ns)
{
    struct offer *gone = NULL;
    lock_take(&o->lock);
    for (struct offer **at = &o->first; *at;) {
        struct offer *x = *at;
        if ((step_id && x->step_id == *step_id) || (id && x->id == *id) || x->used_ns < since_ns) {
            *at = x->next;
            x->next = gone;
            gone = x;
        } else {
            at = &x->next;
        }
    }
    lock_drop(&o->lock);
    free_list(gone);
}

bool offers_random(uint64_t *id, struct status *st)
{
    while (getrandom(id, sizeof *id, 0) != sizeof *id)
        if (errno != EINTR)
            return status_internal(st, "no random bytes can be had");
    return true;
}

bool offers_put(const struct pb_leat_peer_offer *p, struct arena *a,
                struct pb_recv_tensor_response *reply, struct status *st)
{
    struct strbuf text = {0};
    bool ok = pb_encode(p, &text, st);
    if (ok) {
        reply->transport_options = pb_any_new(a);
        pb_set_str(a, &reply->transport_options->type_url, CHUNKS_TYPE);
        reply->transport_options->value = str_make(arena_memdup(a, text.p, text.n), text.n);
    }
    strbuf_release(&text);
    return ok;
}

bool offers_add(struct offers *o, int64_t step_id, const struct tensor *t, int plane,
                struct arena *a, struct pb_recv_tensor_response *reply, struct status *st)
{
    struct pb_leat_peer_offer *p = pb_leat_peer_offer_new(a);
    if (!offers_random(&p->id, st))
        return false;
    struct offer *offer = mem_new(struct offer);
    *offer =
        (struct offer){.id = p->id, .mark = p->id, .step_id = step_id, .value = tensor_copy(t)};
    p->dtype = t->dtype;
    p->shape = shape_to_proto(a, &t->shape);
    p->plane = plane;
    if (plane == PB_LEAT_PEER_PLANE_SHARED) {
        p->at = (uintptr_t)t->data;
        p->mark = (uintptr_t)&offer->mark;
    }
    if (!offers_put(p, a, reply, st)) {
        free_list(offer);
        return false;
    }
    offer->used_ns = clock_now_ns();
    drop(o, NULL, NULL, offer->used_ns - UNUSED_NS); /* who was to take them is gone */
    lock_take(&o->lock);
    offer->next = o->first;
    o->first = offer;
    lock_drop(&o->lock);
    return true;
}

void offers_drop_step(struct offers *o, int64_t step_id)
{
    drop(o, &step_id, NULL, INT64_MIN);
}

bool offers_fetch(struct offers *o, const struct pb_leat_peer_fetch_request *q, struct rpc_msg *m,
                  struct status *st)
{
    if (q->length == 0) {
        drop(o, NULL, &q->id, INT64_MIN);
        return true;
    }
    struct tensor t = {0};
    lock_take(&o->lock);
    for (struct offer *x = o->first; x; x = x->next) {
        if (x->id == q->id) {
            x->used_ns = clock_now_ns();
            t = tensor_copy(&x->value);
        }
    }
    lock_drop(&o->lock);
    if (!t.buf)
        return status_fail(st, STATUS_ABORTED, "Fetch: the step of this tensor is over");
    const int64_t bytes = (int64_t)tensor_bytes(&t);
    bool ok = q->length > 0 && q->length <= MAX_LENGTH && q->offset >= 0 && q->offset <= bytes &&
              q->length <= bytes - q->offset;
    if (ok)
        rpc_msg_add_buffer(m, t.buf, (char *)t.data + q->offset, (size_t)q->length);
    else
        status_invalid(st, "Fetch: %lld bytes at %lld of a tensor of %lld", (long long)q->length,
                       (long long)q->offset, (long long)bytes);
    tensor_clear(&t);
    return ok;
}

/* --- the consumer's side --- */

void chunks_ask(struct arena *a, struct pb_recv_tensor_request *q, struct str how)
{
    q->transport_options = pb_any_new(a);
    pb_set_str(a, &q->transport_options->type_url, CHUNKS_TYPE);
    q->transport_options->value = how;
}

bool chunks_asked(const struct pb_recv_tensor_request *q)
{
    return q->transport_options && str_is(q->transport_options->type_url, CHUNKS_TYPE);
}

bool chunks_offered(const struct pb_recv_tensor_response *reply)
{
    return reply->transport_options && str_is(reply->transport_options->type_url, CHUNKS_TYPE);
}

struct fetch { /* counted: whoever starts pieces, and each piece under way */
    int refs;  /* atomic */
    struct peer *peer;
    uint64_t incarnation; /* of the offer */
    uint64_t id;
    struct tensor value;
    chunks_fn fn;
    void *arg;
    struct lock lock;
    int64_t next;     /* guarded by lock: bytes asked for */
    struct status st; /* guarded by lock: the first error */
};
struct piece { /* under way */
    struct fetch *fetch;
    int64_t offset, length;
};

static bool ask(struct fetch *f, int64_t offset, int64_t length, rpc_done_fn done, void *arg)
{
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    struct pb_leat_peer_fetch_request *q = pb_leat_peer_fetch_request_new(&a);
    q->id = f->id;
    q->offset = offset;
    q->length = length;
    bool ok = wire_put(&m, q, &st);
    arena_release(&a);
    if (ok)
        rpc_request_unref(peer_start_at(f->peer, f->incarnation, CHUNKS_FETCH, &m, 0, done, arg));
    status_clear(&st);
    return ok;
}

static void thanked(void *arg, const struct status *st, struct rpc_msg *reply)
{
    (void)arg;
    (void)st; /* an offer that is not given back goes with its step */
    (void)reply;
}

static void fetch_unref(struct fetch *f)
{
    if (__atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    rpc_expect_bytes(-1);
    chunks_thank(f->peer, f->id);
    f->fn(f->arg, &f->st, status_ok(&f->st) ? &f->value : NULL);
    tensor_clear(&f->value);
    status_clear(&f->st);
    lock_release_memory(&f->lock);
    mem_free(f);
}

static void fetch_fail(struct fetch *f, int code, const char *why)
{
    lock_take(&f->lock);
    status_fail(&f->st, code, "%s", why);
    lock_drop(&f->lock);
}

static void fetch_more(struct fetch *f);

static void piece_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct piece *p = arg;
    struct fetch *f = p->fetch;
    if (!status_ok(st)) {
        fetch_fail(f, st->code, st->message);
    } else if (reply->bytes != (size_t)p->length) {
        fetch_fail(f, STATUS_INTERNAL, "Fetch: a piece of another length than was asked for");
    } else {
        char *to = (char *)f->value.data + p->offset;
        for (int64_t i = 0; i < reply->n; i++) {
            memcpy(to, reply->v[i].p, reply->v[i].n);
            to += reply->v[i].n;
        }
        fetch_more(f);
    }
    mem_free(p);
    fetch_unref(f);
}

/* Starts the next piece, if there is one and none has failed. */
static void fetch_more(struct fetch *f)
{
    const int64_t bytes = (int64_t)tensor_bytes(&f->value);
    lock_take(&f->lock);
    int64_t offset = f->next, length = min_i64(PIECE_BYTES, bytes - offset);
    if (!status_ok(&f->st))
        length = 0;
    f->next += length;
    lock_drop(&f->lock);
    if (length == 0)
        return;
    struct piece *p = mem_new(struct piece);
    *p = (struct piece){f, offset, length};
    __atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
    if (!ask(f, offset, length, piece_done, p)) {
        fetch_fail(f, STATUS_INTERNAL, "Fetch: the request cannot be written");
        mem_free(p);
        fetch_unref(f);
    }
}

static bool make_value(const struct pb_leat_peer_offer *p, struct tensor *out, struct status *st)
{
    struct shape shape;
    int64_t elems;
    if (!dtype_valid(p->dtype) || dtype_is_ref(p->dtype) || dtype_is_managed(p->dtype))
        return status_invalid(st, "Fetch: a tensor of dtype %d is offered", (int)p->dtype);
    if (!shape_from_proto(p->shape, &shape, st))
        return false;
    bool ok = shape_num_elems(&shape, &elems, st) && tensor_new(out, p->dtype, &shape, st);
    shape_clear(&shape);
    return ok;
}

bool chunks_read(const struct pb_recv_tensor_response *reply, struct chunks_offer *out,
                 struct status *st)
{
    struct arena a = {0};
    struct pb_leat_peer_offer *p;
    const struct pb_any *any = reply->transport_options;
    *out = (struct chunks_offer){0};
    bool ok = pb_leat_peer_offer_decode(&a, any->value.p, any->value.n, PB_BORROW, &p, st);
    if (ok) {
        out->plane = p->plane;
        out->id = p->id;
        out->at = p->at;
        out->mark = p->mark;
        ok = p->plane == PB_LEAT_PEER_PLANE_UCX || make_value(p, &out->value, st);
    }
    arena_release(&a);
    return ok;
}

void chunks_thank(struct peer *peer, uint64_t id)
{
    (void)ask(&(struct fetch){.peer = peer, .id = id}, 0, 0, thanked, NULL);
}

void chunks_get(struct peer *peer, struct chunks_offer *offer, chunks_fn fn, void *arg)
{
    struct fetch *f = mem_new(struct fetch);
    *f = (struct fetch){.refs = 1,
                        .peer = peer,
                        .id = offer->id,
                        .incarnation = offer->incarnation,
                        .value = tensor_take(&offer->value),
                        .fn = fn,
                        .arg = arg};
    lock_init(&f->lock, "fetch", LOCK_RANK_LEAF);
    rpc_expect_bytes(+1);
    for (int i = 0; i < UNDER_WAY; i++)
        fetch_more(f);
    fetch_unref(f);
}
