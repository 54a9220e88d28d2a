/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and replies of the services. */
#include "dist/service.h"

#include "base/mem.h"
#include "proto/pb.h"

static void client_gone(void *arg)
{
    struct cancel *c = cancel_ref(arg); /* the reply may come by this, here */
    cancel_fire(c, STATUS_CANCELLED, "The caller has cancelled the request or is gone");
    cancel_unref(c);
}

struct serving *serving_new(struct rpc_call *c, void *owner, const struct pb_desc *desc,
                            const struct wire_tensors *where)
{
    struct status st = {0};
    struct serving *s = mem_new(struct serving);
    s->call = c;
    s->owner = owner;
    if (wire_read(rpc_call_request(c), desc, where, &s->arena, &s->request, &s->values, &st))
        return s;
    serving_reply(s, NULL, &st);
    status_clear(&st);
    return NULL;
}

struct serving *serving_new_cancel(struct rpc_call *c, void *owner, const struct pb_desc *desc,
                                   const struct wire_tensors *where)
{
    struct serving *s = serving_new(c, owner, desc, where);
    if (s) {
        s->cancel = cancel_new(NULL);
        rpc_call_on_cancel(c, client_gone, s->cancel);
    }
    return s;
}

void serving_reply(struct serving *s, struct rpc_msg *reply, const struct status *st)
{
    struct rpc_msg empty = {0};
    rpc_call_reply(s->call, reply ? reply : &empty, st);
    if (reply)
        rpc_msg_clear(reply);
    cancel_unref(s->cancel);
    wire_values_clear(&s->values);
    arena_release(&s->arena);
    mem_free(s);
}

void serving_reply_message(struct serving *s, const void *message, const struct status *st)
{
    struct rpc_msg m = {0};
    struct status why = {0};
    status_copy(&why, st);
    if (status_ok(&why) && message && !wire_put(&m, message, &why))
        rpc_msg_clear(&m);
    serving_reply(s, &m, &why);
    status_clear(&why);
}

static size_t put_varint(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    for (; v >= 128; v >>= 7)
        p[n++] = (uint8_t)(v | 128);
    p[n++] = (uint8_t)v;
    return n;
}

void serving_put_bytes(struct rpc_msg *m, uint32_t number, const void *p, size_t n)
{
    enum { WIRE_TYPE_BYTES = 2 };
    uint8_t head[20];
    size_t h = put_varint(head, (uint64_t)number << 3 | WIRE_TYPE_BYTES);
    h += put_varint(head + h, n);
    rpc_msg_add_copy(m, head, h);
    rpc_msg_add_copy(m, p, n);
}

static bool put_values(struct serving *s, const struct serving_end *e, struct rpc_msg *m,
                       struct status *st)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < e->values->n; i++) {
        const struct wire_value *v = &e->values->v[i];
        ok = e->named ? wire_put_named_tensor(m, 1, arena_strndup(&s->arena, v->name.p, v->name.n),
                                              &v->value, st)
                      : wire_put_tensor(m, 1, &v->value, st);
    }
    return ok;
}

void serving_reply_end(struct serving *s, const struct serving_end *e)
{
    struct rpc_msg m = {0};
    struct status why = {0}, fine = {0};
    status_copy(&why, e->st);
    if (status_ok(&why) && put_values(s, e, &m, &why) && e->more->n > 0)
        serving_put_bytes(&m, 2, e->more->p, e->more->n);
    if (!status_ok(&why))
        rpc_msg_clear(&m);
    if (!status_ok(&why) && s->errors_in_body) {
        *e->code = why.code;
        *e->text = str_of(status_message(&why));
        serving_reply_message(s, e->message, &fine);
    } else {
        serving_reply(s, &m, &why);
    }
    rpc_msg_clear(&m);
    status_clear(&why);
}
