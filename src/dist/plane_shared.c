/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory on one host: the consumer copies a tensor out of the producer's memory by
 * process_vm_readv, straight into the new tensor: one copy, and no thread of the producer's.
 *
 *   consumer                                  producer
 *   Link                               ->
 *                                      <-     pid, where 32 random bytes are, and what they are
 *   reads them: it may, and it is that process
 *   RecvTensor {link}                  ->
 *                                      <-     where the tensor is, its number, where that lies
 *   reads the tensor, then the number
 *   Fetch {number}, without a length   ->     lets go of the tensor
 *
 * The number is random, and is cleared before the tensor's memory is given back (chunks.c): while
 * it reads the same afterwards, all that was read is the tensor. Else (the step is over, the
 * process is gone, its pid is another's) the reader asks for the pieces by gRPC, which has them or
 * says why not. This is how UCX's cma transport moves bytes too; but in UCX 1.13 a process that may
 * not be read, or has died, ends its reader (a failed assertion of libucp), and its other shared
 * memory transports know no failure of a peer: a sender would wait for ever.
 *
 * Failpoint: shared_read. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "dist/plane_impl.h"

enum { PROOF_BYTES = 32, PIECE_BYTES = 8 << 20, HERE_BYTES = 4 << 20 };

struct shared {
    uint64_t id;
    uint8_t proof[PROOF_BYTES];
};

static struct shared *own(const struct planes *p)
{
    return p->own[PB_LEAT_PEER_PLANE_SHARED];
}

static bool shared_open(struct planes *p, struct status *st)
{
    struct shared *s = mem_new(struct shared);
    uint64_t words[PROOF_BYTES / sizeof(uint64_t)];
    bool ok = offers_random(&s->id, st);
    for (size_t i = 0; ok && i < ARRAY_LEN(words); i++)
        ok = offers_random(&words[i], st);
    if (ok) {
        memcpy(s->proof, words, sizeof words);
        p->own[PB_LEAT_PEER_PLANE_SHARED] = s;
    } else {
        mem_free(s);
    }
    return ok;
}

static void shared_stop(struct planes *p)
{
    (void)p; /* nothing runs by itself */
}

static void shared_close(struct planes *p)
{
    mem_free(own(p));
}

/* n bytes at `at` of a process. */
static bool read_process(int64_t pid, uint64_t at, void *to, size_t n, struct status *st)
{
    while (n > 0) {
        struct iovec here = {to, n}, there = {(void *)(uintptr_t)at, n};
        ssize_t got = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return status_fail(st, STATUS_UNAVAILABLE, "the memory of process %lld: %s",
                               (long long)pid, got < 0 ? strerror(errno) : "nothing is there");
        to = (char *)to + got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

/* --- links --- */

static void shared_link(struct plane_link *l)
{
    struct arena a = {0};
    planes_link_call(l, pb_leat_peer_link_request_new(&a));
    arena_release(&a);
}

static bool prove(const struct pb_leat_peer_link_response *r, struct status *st)
{
    uint8_t there[PROOF_BYTES];
    if (r->pid <= 0 || r->pid > INT32_MAX || r->proof.n != PROOF_BYTES)
        return status_invalid(st, "the answer to Link makes no sense");
    if (!read_process(r->pid, r->at, there, sizeof there, st)) {
        st->code = STATUS_FAILED_PRECONDITION; /* it will not be otherwise */
        return false;
    }
    return memcmp(there, r->proof.p, sizeof there) == 0 ||
           status_precondition(st, "process %lld here is another one", (long long)r->pid);
}

static void shared_answered(struct plane_link *l, const struct status *st,
                            const struct pb_leat_peer_link_response *r)
{
    struct status why = {0};
    status_copy(&why, st);
    if (status_ok(&why) && prove(r, &why)) {
        l->id = r->link; /* nobody looks before it is ready */
        l->pid = r->pid;
    }
    planes_linked(l, &why);
    status_clear(&why);
}

static void shared_asked(struct planes *p, struct serving *s)
{
    struct status st = {0};
    const struct shared *x = own(p);
    struct pb_leat_peer_link_response *r = pb_leat_peer_link_response_new(&s->arena);
    r->link = x->id;
    r->pid = getpid();
    r->at = (uintptr_t)x->proof;
    r->proof = str_make((const char *)x->proof, PROOF_BYTES);
    serving_reply_message(s, r, &st);
}

/* --- tensors --- */

static bool shared_send(struct planes *p, struct serving *s, const struct pb_leat_peer_carry *how,
                        struct pb_recv_tensor_response *response, const struct tensor *value)
{
    struct rpc_msg m = {0};
    struct status st = {0};
    const struct pb_recv_tensor_request *q = s->request;
    if (how->link != own(p)->id)
        return false;
    if (!offers_add(p->offers, q->step_id, value, PB_LEAT_PEER_PLANE_SHARED, &s->arena, response,
                    &st) ||
        !wire_put(&m, response, &st))
        rpc_msg_clear(&m);
    serving_reply(s, &m, &st);
    status_clear(&st);
    return true;
}

struct shared_read {
    struct plane_recv *recv;
    struct chunks_offer offer;
};

static bool read_value(const struct plane_recv *r, const struct chunks_offer *offer,
                       struct status *st)
{
    const size_t bytes = tensor_bytes(&offer->value);
    uint64_t mark = 0;
    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
        const size_t n = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        if (__atomic_load_n(&r->cancelled, __ATOMIC_ACQUIRE))
            return status_fail(st, STATUS_CANCELLED, "RecvTensor was cancelled");
        if (FAILPOINT("shared_read"))
            return status_fail(st, STATUS_UNAVAILABLE, "failpoint shared_read");
        if (!read_process(r->pid, offer->at + at, (char *)offer->value.data + at, n, st))
            return false;
    }
    if (!read_process(r->pid, offer->mark, &mark, sizeof mark, st))
        return false;
    return mark == offer->id || status_fail(st, STATUS_ABORTED, "the tensor is gone");
}

static void read_job(void *arg)
{
    struct shared_read *job = arg;
    struct plane_recv *r = job->recv;
    struct status st = {0};
    bool ok = read_value(r, &job->offer, &st);
    if (ok || st.code == STATUS_CANCELLED) {
        chunks_thank(r->peer, job->offer.id);
        (void)plane_recv_end(r, &st, ok ? &job->offer.value : NULL, false);
        tensor_clear(&job->offer.value);
        plane_recv_unref(r);
    } else {
        plane_recv_fall_back(r, &job->offer);
    }
    status_clear(&st);
    mem_free(job);
}

/* What takes long is no work for a thread that serves the network. */
static void shared_take(struct plane_recv *r, struct chunks_offer *offer)
{
    struct shared_read *job = mem_new(struct shared_read);
    *job = (struct shared_read){r, *offer};
    if (tensor_bytes(&offer->value) <= HERE_BYTES)
        read_job(job);
    else
        pool_submit(r->planes->pool, read_job, job);
}

const struct plane_ops plane_shared = {
    .name = "shared memory",
    .word = "shared",
    .number = PB_LEAT_PEER_PLANE_SHARED,
    .open = shared_open,
    .stop = shared_stop,
    .close = shared_close,
    .link = shared_link,
    .answered = shared_answered,
    .asked = shared_asked,
    .take = shared_take,
    .send = shared_send,
};
