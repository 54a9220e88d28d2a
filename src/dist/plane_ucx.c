/* SPDX-License-Identifier: Apache-2.0 */
/* needs: ucx */
/* The plane between hosts: tensors as messages of UCX, by rendezvous, so that the bytes go from the
 * producer's tensor into the consumer's, made when the header has come (ucx.h).
 *
 *   consumer                                   producer
 *   RecvTensor {link, number}          ->
 *                                      <=      UCX: header {number, type, shape}, bytes
 *                                      <-      they have left
 *
 * The answer to RecvTensor comes when UCX has the last byte, and the receiver ends when it has
 * both. So what ends the call ends the transfer, and the producer's tensor is there until its bytes
 * are read. Where the sending fails the answer has the value, as gRPC's plane gives it. */
#include <string.h>

#include "dist/ucx.h"

static struct ucx *ucx_of(const struct planes *p)
{
    return p->own[PB_LEAT_PEER_PLANE_UCX];
}

/* --- the consumer --- */

struct ucx_recv { /* counted: the receiver's, and that of the table, then of what UCX writes */
    int refs;     /* atomic */
    struct plane_recv *recv;
    uint64_t id, link;
    struct tensor value;
    struct ucx_recv *next, **at; /* in link->recvs: the thread's */
    /* --- guarded by recv->lock --- */
    bool arrived, answered;
    struct status st; /* arrived: how */
};

static void recv_unref(struct ucx_recv *x)
{
    if (__atomic_sub_fetch(&x->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    tensor_clear(&x->value);
    status_clear(&x->st);
    plane_recv_unref(x->recv);
    mem_free(x);
}

static uint64_t plane_expect(struct plane_recv *r)
{
    struct ucx *u = ucx_of(r->planes);
    struct status st = {0};
    uint64_t id = 0;
    if (!offers_random(&id, &st) || id == 0) {
        status_clear(&st);
        return 0;
    }
    struct ucx_recv *x = mem_new(struct ucx_recv);
    *x = (struct ucx_recv){.refs = 2, .recv = plane_recv_ref(r), .id = id, .link = r->link};
    r->own = x;
    lock_take(&u->lock);
    u64map_put(&u->expected, id, x);
    lock_drop(&u->lock);
    return id;
}

/* Out of the table, whose reference is the caller's then; NULL: it is not there. */
static struct ucx_recv *take_expected(struct ucx *u, uint64_t id)
{
    lock_take(&u->lock);
    struct ucx_recv *x = u64map_remove(&u->expected, id);
    lock_drop(&u->lock);
    return x;
}

static void plane_forget(struct plane_recv *r)
{
    struct ucx_recv *x = r->own;
    if (!x)
        return;
    struct ucx_recv *expected = take_expected(ucx_of(r->planes), x->id);
    if (expected)
        recv_unref(expected);
    lock_take(&r->lock);
    r->own = NULL;
    lock_drop(&r->lock);
    recv_unref(x);
}

static void end_recv(struct ucx_recv *x)
{
    struct plane_recv *r = x->recv;
    (void)plane_recv_end(r, &x->st, status_ok(&x->st) ? &x->value : NULL, false);
}

/* The bytes are there, or will not come: takes the table's reference. */
static void arrived(struct ucx_recv *x, const struct status *st)
{
    struct plane_recv *r = x->recv;
    lock_take(&r->lock);
    x->arrived = true;
    status_copy(&x->st, st);
    const bool both = x->answered;
    lock_drop(&r->lock);
    if (!status_ok(st)) /* the producer hears of it by this, where it does not otherwise */
        planes_unlink(r->planes, r->peer, r->by, r->link);
    if (both)
        end_recv(x);
    recv_unref(x);
}

static void plane_take(struct plane_recv *r, struct chunks_offer *offer)
{
    struct ucx_recv *x = r->own;
    struct status st = {0};
    struct ucx_recv *expected = x ? take_expected(ucx_of(r->planes), x->id) : NULL;
    tensor_clear(&offer->value);
    if (!x || expected) {
        if (expected)
            recv_unref(expected);
        status_internal(&st, "RecvTensor: the tensor was to come by UCX, and did not");
        (void)plane_recv_end(r, &st, NULL, false);
        status_clear(&st);
    } else {
        lock_take(&r->lock);
        x->answered = true;
        const bool both = x->arrived;
        __atomic_add_fetch(&x->refs, 1, __ATOMIC_RELAXED);
        lock_drop(&r->lock);
        if (both || __atomic_load_n(&r->cancelled, __ATOMIC_ACQUIRE))
            both ? end_recv(x) : r->by->cancel(r);
        recv_unref(x);
    }
    plane_recv_unref(r);
}

/* The call is over, and the bytes are on their way. */
static void plane_cancel(struct plane_recv *r)
{
    lock_take(&r->lock);
    const struct ucx_recv *x = r->own;
    const bool waits = x && x->answered && !x->arrived;
    lock_drop(&r->lock);
    if (waits) {
        struct status st = {0};
        status_fail(&st, STATUS_CANCELLED, "RecvTensor was cancelled");
        (void)plane_recv_end(r, &st, NULL, false);
        status_clear(&st);
    }
}

static void unlist_recv(struct ucx_recv *x)
{
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
}

static void bytes_there(void *request, ucs_status_t s, size_t n, void *arg)
{
    struct ucx_recv *x = arg;
    struct status st = {0};
    struct ucx *u = ucx_of(x->recv->planes);
    u->lib->ucp_request_free(request);
    if (s != UCS_OK)
        status_fail(&st, STATUS_UNAVAILABLE, "%s: the tensor did not come by UCX: %s",
                    peer_name(x->recv->peer), u->lib->ucs_status_string(s));
    else if (n != tensor_bytes(&x->value))
        status_internal(&st, "UCX: %zu bytes of %zu have come", n, tensor_bytes(&x->value));
    unlist_recv(x);
    arrived(x, &st);
    status_clear(&st);
}

/* The tensor that a header tells of. */
static bool read_head(const struct ucx_head *h, size_t n, size_t bytes, struct tensor *out,
                      struct status *st)
{
    int64_t elems;
    if (h->rank > UCX_MAX_RANK || n != sizeof *h + h->rank * sizeof h->dims[0] ||
        !dtype_valid((int)h->dtype) || dtype_is_ref((int)h->dtype) ||
        dtype_is_managed((int)h->dtype))
        return status_invalid(st, "UCX: a message with a bad header");
    for (uint64_t i = 0; i < h->rank; i++)
        if (h->dims[i] < 0)
            return status_invalid(st, "UCX: a message with a bad shape");
    struct shape shape = shape_make(h->dims, (int)h->rank);
    bool ok = shape_num_elems(&shape, &elems, st);
    if (ok && ((uint64_t)elems > SIZE_MAX / 16 || h->bytes != bytes ||
               (uint64_t)elems * dtype_size((int)h->dtype) != bytes))
        ok = status_invalid(st, "UCX: a message of another length than its tensor");
    ok = ok && tensor_new(out, (int)h->dtype, &shape, st);
    shape_clear(&shape);
    return ok;
}

static bool start_bytes(struct ucx_link *l, struct ucx_recv *x, void *data, size_t bytes,
                        struct status *st)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                        UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
        .datatype = ucp_dt_make_contig(1),
        .cb.recv_am = bytes_there,
        .user_data = x};
    x->next = l->recvs;
    x->at = &l->recvs;
    if (x->next)
        x->next->at = &x->next;
    l->recvs = x;
    void *r = l->ucx->lib->ucp_am_recv_data_nbx(l->worker, data, x->value.data, bytes, &param);
    if (!UCS_PTR_IS_ERR(r))
        return true;
    unlist_recv(x);
    return ucx_fail(l->ucx, UCS_PTR_STATUS(r), "ucp_am_recv_data_nbx", st);
}

static void probe_there(void *request, ucs_status_t s, size_t n, void *link)
{
    struct ucx_link *l = link;
    bool whole = s == UCS_OK && n == sizeof l->probe;
    l->ucx->lib->ucp_request_free(request);
    for (size_t i = 0; whole && i < sizeof l->probe; i++)
        whole = l->probe[i] == 0x5a;
    if (whole && !l->destroyed)
        ucx_link_proved(l);
}

static ucs_status_t take_probe(struct ucx_link *l, void *data, size_t bytes)
{
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                        UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
        .datatype = ucp_dt_make_contig(1),
        .cb.recv_am = probe_there,
        .user_data = l};
    if (l->ep || l->proved || bytes != sizeof l->probe)
        return UCS_OK; /* dropped */
    void *r = l->ucx->lib->ucp_am_recv_data_nbx(l->worker, data, l->probe, bytes, &param);
    return UCS_PTR_IS_ERR(r) ? UCS_OK : UCS_INPROGRESS;
}

/* What comes: nothing in it is trusted but that UCX gave it. UCS_OK drops it. */
ucs_status_t ucx_message(void *link, const void *header, size_t header_bytes, void *data,
                         size_t bytes, const ucp_am_recv_param_t *param)
{
    struct ucx_link *l = link;
    struct status st = {0};
    uint64_t words[sizeof(struct ucx_head) / sizeof(uint64_t) + UCX_MAX_RANK]; /* aligned */
    const struct ucx_head *h = (const struct ucx_head *)words;
    if (header_bytes < sizeof *h || header_bytes > sizeof words ||
        !(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV))
        return UCS_OK;
    memcpy(words, header, header_bytes);
    if (h->magic != UCX_MAGIC)
        return UCS_OK;
    if (h->id == 0)
        return take_probe(l, data, bytes);
    struct ucx_recv *x = take_expected(l->ucx, h->id);
    if (!x)
        return UCS_OK; /* whoever waited has given up, or never was */
    bool ok = x->link == l->id || status_internal(&st, "UCX: a message by another link");
    ok = ok && read_head(h, header_bytes, bytes, &x->value, &st) &&
         start_bytes(l, x, data, bytes, &st);
    if (!ok)
        arrived(x, &st);
    status_clear(&st);
    return ok ? UCS_INPROGRESS : UCS_OK;
}

/* --- the producer --- */

struct ucx_send {
    struct ucx_job job;
    struct planes *planes;
    struct serving *serving; /* atomic: whoever takes it answers */
    struct pb_recv_tensor_response *response;
    struct tensor value;
    uint64_t link, cancel_token;
    struct ucx_send *next, **at; /* in link->sends */
    size_t head_bytes;
    struct ucx_head *head;
};

static void answer_sent(struct ucx_send *x, struct serving *s)
{
    struct rpc_msg m = {0};
    struct status st = {0};
    struct pb_leat_peer_offer *p = pb_leat_peer_offer_new(&s->arena);
    p->plane = PB_LEAT_PEER_PLANE_UCX;
    p->id = x->head->id;
    if (!offers_put(p, &s->arena, x->response, &st) || !wire_put(&m, x->response, &st))
        rpc_msg_clear(&m);
    serving_reply(s, &m, &st);
    status_clear(&st);
}

static struct serving *take_serving(struct ucx_send *x)
{
    return __atomic_exchange_n(&x->serving, NULL, __ATOMIC_ACQ_REL);
}

static void send_over(struct ucx_send *x, bool sent)
{
    struct serving *s = take_serving(x);
    if (s) {
        (void)cancel_remove(s->cancel, x->cancel_token);
        if (sent)
            answer_sent(x, s);
        else
            (void)plane_grpc.send(x->planes, s, NULL, x->response, &x->value);
    }
    tensor_clear(&x->value);
    mem_free(x->head);
    mem_free(x);
}

/* The tensor stays until UCX has let go of it. */
static void send_cancelled(void *arg)
{
    struct status st = {0};
    struct serving *s = take_serving(arg);
    if (!s)
        return;
    (void)!cancel_check(s->cancel, &st);
    serving_reply(s, NULL, &st);
    status_clear(&st);
}

static void sent(void *request, ucs_status_t s, void *arg)
{
    struct ucx_send *x = arg;
    ucx_of(x->planes)->lib->ucp_request_free(request);
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    send_over(x, s == UCS_OK);
}

static void send_job(struct ucx *u, struct ucx_job *job)
{
    struct ucx_send *x = (struct ucx_send *)job;
    struct ucx_link *l = ucx_link_to(u, x->link);
    if (!l) {
        send_over(x, false);
        return;
    }
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                        UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
        .flags = UCP_AM_SEND_FLAG_RNDV,
        .cb.send = sent,
        .user_data = x};
    x->next = l->sends;
    x->at = &l->sends;
    if (x->next)
        x->next->at = &x->next;
    l->sends = x;
    void *r = u->lib->ucp_am_send_nbx(l->ep, UCX_MESSAGE, x->head, x->head_bytes, x->value.data,
                                      tensor_bytes(&x->value), &param);
    if (!UCS_PTR_IS_ERR(r))
        return;
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    l->broken = true;
    send_over(x, false);
}

static struct ucx_head *make_head(const struct tensor *t, uint64_t id, size_t *n)
{
    const int rank = t->shape.rank;
    *n = sizeof(struct ucx_head) + (size_t)rank * sizeof(int64_t);
    struct ucx_head *h = mem_alloc(*n);
    *h = (struct ucx_head){.magic = UCX_MAGIC,
                           .dtype = (uint32_t)t->dtype,
                           .id = id,
                           .bytes = tensor_bytes(t),
                           .rank = (uint64_t)rank};
    for (int i = 0; i < rank; i++)
        h->dims[i] = shape_dim(&t->shape, i);
    return h;
}

static bool plane_send(struct planes *p, struct serving *s, const struct pb_leat_peer_carry *how,
                       struct pb_recv_tensor_response *response, const struct tensor *value)
{
    struct ucx *u = ucx_of(p);
    struct status st = {0};
    if (how->id == 0)
        return false;
    struct ucx_send *x = mem_new(struct ucx_send);
    *x = (struct ucx_send){.job = {.run = send_job},
                           .planes = p,
                           .serving = s,
                           .response = response,
                           .value = tensor_copy(value),
                           .link = how->link};
    x->head = make_head(value, how->id, &x->head_bytes);
    struct cancel *cancel = cancel_ref(s->cancel);
    x->cancel_token = cancel_add(cancel, send_cancelled, x);
    if (x->cancel_token == 0) { /* nobody waits any more */
        (void)!cancel_check(cancel, &st);
        serving_reply(take_serving(x), NULL, &st);
        status_clear(&st);
        send_over(x, false);
    } else if (!ucx_post(u, &x->job)) {
        send_over(x, false);
    }
    cancel_unref(cancel);
    return true;
}

/* --- the end of a link --- */

void ucx_drop_transfers(struct ucx_link *l)
{
    struct status st = {0};
    status_fail(&st, STATUS_UNAVAILABLE, "the tensor did not come by UCX: the link was dropped");
    for (struct ucx_recv *x; (x = l->recvs);) {
        unlist_recv(x);
        arrived(x, &st);
    }
    for (struct ucx_send *x; (x = l->sends);) {
        l->sends = x->next;
        if (x->next)
            x->next->at = &l->sends;
        send_over(x, false);
    }
    status_clear(&st);
}

const struct plane_ops plane_ucx = {
    .name = "UCX",
    .word = "ucx",
    .number = PB_LEAT_PEER_PLANE_UCX,
    .open = ucx_open,
    .stop = ucx_stop,
    .close = ucx_close,
    .link = ucx_link_begin,
    .answered = ucx_link_answered,
    .unlink = ucx_unlink,
    .asked = ucx_link_asked,
    .expect = plane_expect,
    .take = plane_take,
    .forget = plane_forget,
    .cancel = plane_cancel,
    .send = plane_send,
};
