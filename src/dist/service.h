/* SPDX-License-Identifier: Apache-2.0 */
/* What the services of workers and masters share: a request that is read, and its reply. */
#ifndef LEAT_DIST_SERVICE_H
#define LEAT_DIST_SERVICE_H

#include "dist/wire.h"
#include "op/cancel.h"

struct serving { /* one request; owned by itself, gone with the reply */
    struct rpc_call *call;
    void *owner; /* the worker or master */
    struct arena arena;
    void *request; /* the message; in the arena */
    struct wire_values values;
    struct cancel *cancel; /* fires when the client gives up; NULL: nobody waits for that */
    bool errors_in_body;   /* the reply is OK and has the status inside */
};
/* Reads the request; NULL: it could not be read, and was answered. */
struct serving *serving_new(struct rpc_call *c, void *owner, const struct pb_desc *desc,
                            const struct wire_tensors *where) MUST_CHECK;
/* The same with a cancellation. */
struct serving *serving_new_cancel(struct rpc_call *c, void *owner, const struct pb_desc *desc,
                                   const struct wire_tensors *where) MUST_CHECK;
/* Replies with the message (may be NULL: an empty one) or the error, and frees s. */
void serving_reply(struct serving *s, struct rpc_msg *reply, const struct status *st);
void serving_reply_message(struct serving *s, const void *message, const struct status *st);
struct serving_end { /* how a step ended */
    const struct status *st;
    const struct wire_values *values; /* field 1 */
    bool named;                       /* NamedTensorProto, else TensorProto */
    const struct strbuf *more;        /* field 2, where there is any: a message */
    /* Where the errors go in the body (s->errors_in_body): the reply, and its code and text. */
    const void *message;
    int32_t *code;
    struct str *text;
};
/* Replies with the values or the error, and frees s. */
void serving_reply_end(struct serving *s, const struct serving_end *e);
/* Appends field `number` of bytes or a message that is encoded already. */
void serving_put_bytes(struct rpc_msg *m, uint32_t number, const void *p, size_t n);

#endif
