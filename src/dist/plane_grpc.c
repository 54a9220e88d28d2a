/* SPDX-License-Identifier: Apache-2.0 */
/* The plane that is always there: the tensor lies in RecvTensor's answer as slices of its own
 * buffer; what is too big for a message is offered, and fetched in pieces (chunks.h). */
#include "dist/plane_impl.h"

/* One message, or the offer of what is too big for one; to TensorFlow, which knows no offers, a
 * message of its own limit. */
static bool put_value(struct planes *p, struct serving *s, struct pb_recv_tensor_response *r,
                      const struct tensor *value, struct rpc_msg *m, struct status *st)
{
    const struct pb_recv_tensor_request *q = s->request;
    if (chunks_asked(q) && offers_wants(value))
        return offers_add(p->offers, q->step_id, value, PB_LEAT_PEER_PLANE_GRPC, &s->arena, r,
                          st) &&
               wire_put(m, r, st);
    if (wire_tensor_bytes(value) > (size_t)RPC_HARD_MAX - 4096)
        return status_exhausted(
            st, "The tensor of %.*s takes %zu bytes; a message between tasks holds at most %lld",
            (int)q->rendezvous_key.n, q->rendezvous_key.p, wire_tensor_bytes(value),
            (long long)RPC_HARD_MAX);
    return wire_put(m, r, st) && wire_put_tensor(m, 1, value, st);
}

static bool grpc_send(struct planes *p, struct serving *s, const struct pb_leat_peer_carry *how,
                      struct pb_recv_tensor_response *response, const struct tensor *value)
{
    struct rpc_msg m = {0};
    struct status st = {0};
    (void)how;
    if (!put_value(p, s, response, value, &m, &st)) {
        status_prepend(&st, "RecvTensor: ");
        rpc_msg_clear(&m);
    }
    serving_reply(s, &m, &st);
    status_clear(&st);
    return true;
}

const struct plane_ops plane_grpc = {
    .name = "gRPC", .number = PB_LEAT_PEER_PLANE_GRPC, .send = grpc_send};
