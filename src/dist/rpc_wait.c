/* SPDX-License-Identifier: Apache-2.0 */
/* A call that is waited for. */
#include "base/event.h"
#include "base/lock.h"
#include "dist/rpc.h"
#include "op/cancel.h"

struct waited {
    struct event over;
    struct status *st;
    struct rpc_msg *reply;
};

static void waited_done(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct waited *w = arg;
    status_copy(w->st, st);
    rpc_msg_append(w->reply, reply);
    event_set(&w->over);
}

static void waited_cancel(void *arg)
{
    rpc_request_cancel(arg);
}

bool rpc_call_wait(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                   const struct rpc_options *o, struct cancel *cancel, struct rpc_msg *reply,
                   struct status *st)
{
    if (cancel && !cancel_check(cancel, st)) {
        rpc_msg_clear(request);
        return false;
    }
    struct status own = {0};
    struct waited w = {.st = &own, .reply = reply};
    struct rpc_request *r = rpc_start(c, path, request, o, waited_done, &w);
    uint64_t token = cancel ? cancel_add(cancel, waited_cancel, r) : 0;
    if (cancel && token == 0)
        rpc_request_cancel(r);
    while (!event_wait_or_stop(&w.over))
        rpc_request_cancel(r);
    if (token != 0)
        (void)cancel_remove(cancel, token);
    rpc_request_unref(r);
    if (!status_ok(&own)) {
        rpc_msg_clear(reply);
        /* The reason of the cancellation says more than the network's. */
        if (own.code == STATUS_CANCELLED && cancel && !cancel_check(cancel, st))
            status_clear(&own);
        status_move(st, &own);
        return false;
    }
    return true;
}
