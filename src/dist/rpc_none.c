/* SPDX-License-Identifier: Apache-2.0 */
/* The network where gRPC was not there when Leat was built: there is none. */
#include "config.h"
#include "dist/rpc.h"

#if !LEAT_HAVE_GRPC
static bool refuse(struct status *st)
{
    return status_unimplemented(st, "rpc: Leat was built without gRPC (Debian: libgrpc-dev; "
                                    "meson: -Dgrpc=enabled)");
}

bool rpc_available(struct status *st)
{
    return refuse(st);
}

void rpc_expect_bytes(int change)
{
    (void)change;
}

struct rpc_server *rpc_server_new(const struct rpc_server_options *o, struct status *st)
{
    (void)o;
    refuse(st);
    return NULL;
}

int rpc_server_port(const struct rpc_server *s)
{
    (void)s;
    return 0;
}

void rpc_server_stop(struct rpc_server *s, int64_t grace_ms)
{
    (void)s;
    (void)grace_ms;
}

void rpc_server_free(struct rpc_server *s)
{
    (void)s;
}

/* No server: no call ever comes here. */
const struct rpc_msg *rpc_call_request(const struct rpc_call *c)
{
    (void)c;
    static const struct rpc_msg none;
    return &none;
}

const char *rpc_call_peer(struct rpc_call *c)
{
    (void)c;
    return "?";
}

bool rpc_call_is_trusted(struct rpc_call *c)
{
    (void)c;
    return false;
}

void rpc_call_on_cancel(struct rpc_call *c, void (*fn)(void *arg), void *arg)
{
    (void)c;
    (void)fn;
    (void)arg;
}

void rpc_call_reply(struct rpc_call *c, struct rpc_msg *reply, const struct status *st)
{
    (void)c;
    (void)st;
    if (reply)
        rpc_msg_clear(reply);
}

struct rpc_channel *rpc_channel_new(const char *address, const struct rpc_security *security,
                                    bool own, struct status *st)
{
    (void)address;
    (void)security;
    (void)own;
    refuse(st);
    return NULL;
}

struct rpc_channel *rpc_channel_ref(struct rpc_channel *c)
{
    return c;
}

void rpc_channel_unref(struct rpc_channel *c)
{
    (void)c;
}

struct rpc_request *rpc_start(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                              const struct rpc_options *o, rpc_done_fn done, void *arg)
{
    (void)c;
    (void)path;
    (void)o;
    struct status st = {0};
    struct rpc_msg none = {0};
    rpc_msg_clear(request);
    refuse(&st);
    done(arg, &st, &none);
    status_clear(&st);
    return NULL;
}

void rpc_request_cancel(struct rpc_request *r)
{
    (void)r;
}

struct rpc_request *rpc_request_ref(struct rpc_request *r)
{
    return r;
}

void rpc_request_unref(struct rpc_request *r)
{
    (void)r;
}
#endif
