/* SPDX-License-Identifier: Apache-2.0 */
/* Calls between processes: a request's bytes go to a method of a peer, a reply's bytes or a status
 * come back. This is all that the rest of the cluster knows of gRPC.
 *
 * A message is a list of pieces. What is sent is not copied: a piece keeps its buffer until the
 * bytes have left. What is received is the pieces as the network gave them. Messages above
 * RPC_HARD_MAX are refused on both sides (RESOURCE_EXHAUSTED, with the size).
 *
 * Threads: handlers, done and cancel callbacks run on the network's threads (a fixed few) and must
 * not wait; they may start calls and reply to others. Everything here is thread-safe.
 *
 * Codes: gRPC's and TensorFlow's are the same numbers. UNKNOWN "Stream removed" is UNAVAILABLE. */
#ifndef LEAT_DIST_RPC_H
#define LEAT_DIST_RPC_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "tensor/tensor.h"

/* What Leat's tasks send each other is cut to stay below the first; nothing above the second, which
 * is TensorFlow's limit, is sent or taken. */
#define RPC_MAX_MESSAGE ((int64_t)1 << 30)
#define RPC_HARD_MAX INT32_MAX

/* --- messages --- */
struct rpc_piece {
    const uint8_t *p;
    size_t n;
    void *owner;                  /* what keeps the bytes */
    void (*release)(void *owner); /* called once, from any thread; NULL: nothing to do */
};
struct rpc_msg { /* zero is the empty message */
    struct rpc_piece *v;
    int64_t n, cap;
    size_t bytes; /* of all pieces */
};
void rpc_msg_add_copy(struct rpc_msg *m, const void *p, size_t n);
void rpc_msg_add_taken(struct rpc_msg *m, void *p, size_t n); /* mem_free'd once sent */
/* n bytes at p, inside of b, which is referenced until they are sent; cut in pieces of about 1 MiB,
 * which the network moves several times faster than one of many. */
void rpc_msg_add_buffer(struct rpc_msg *m, struct buffer *b, const void *p, size_t n);
void rpc_msg_add_strbuf(struct rpc_msg *m, struct strbuf *b); /* takes its text, empties it */
void rpc_msg_append(struct rpc_msg *m, struct rpc_msg *more); /* takes the pieces of more */
void rpc_msg_clear(struct rpc_msg *m);
/* All bytes in one array: the message's own when it has one piece, else a copy in the arena. */
struct str rpc_msg_flat(const struct rpc_msg *m, struct arena *a);

/* --- security (CLUSTER.md) --- */
/* TLS where cert and key are there, at clients also where the authority alone is; NULL: plain text.
 * A server with an authority wants its clients to have certificates of it. The token is sent over
 * TLS; on plain channels each end proves to the other that it knows it, and it is not sent. */
struct rpc_security {
    char *cert_file, *key_file, *ca_file;
    char *token_file; /* NULL: none */
    bool insecure;    /* plain text beyond the loopback is allowed */
};

/* --- the server's side --- */
struct rpc_server;
struct rpc_call; /* a request under way; gone once replied to */

struct rpc_handler {  /* one method */
    const char *path; /* "/tensorflow.WorkerService/GetStatus" */
    void (*run)(void *arg, struct rpc_call *c);
    void *arg;
};
struct rpc_server_options {
    const char *const *bind; /* "127.0.0.1:0", "[::1]:2222"...: each must succeed; port 0 after the
                                first address is the first's port */
    int num_bind;
    const struct rpc_handler *handlers; /* copied; other methods: UNIMPLEMENTED */
    int num_handlers;
    const struct rpc_security *security; /* NULL: none */
};
/* Starts serving at once. No port is shared with another process. UNIMPLEMENTED where gRPC is not
 * in the build or not installed; UNAVAILABLE naming an address that cannot be had;
 * PERMISSION_DENIED, with what to set, for one beyond the loopback without TLS or insecure. */
struct rpc_server *rpc_server_new(const struct rpc_server_options *o, struct status *st) MUST_CHECK;
int rpc_server_port(const struct rpc_server *s); /* of the first address: the real one */
/* Closes the ports, cancels calls under way after grace_ms, waits for the handlers' replies. */
void rpc_server_stop(struct rpc_server *s, int64_t grace_ms);
void rpc_server_free(struct rpc_server *s); /* stops first; NULL is fine */

const struct rpc_msg *rpc_call_request(const struct rpc_call *c);
const char *rpc_call_peer(struct rpc_call *c); /* "ipv4:127.0.0.1:41234"; in the handler */
/* Whether the client proved who it is (a token, or a certificate of the server's authority) or is a
 * process of this host and user: such may name files and libraries. Not quick. */
bool rpc_call_is_trusted(struct rpc_call *c);
/* fn is called at most once, when the client has cancelled or is gone before the reply; at once
 * where it is already. Not called after rpc_call_reply has returned. */
void rpc_call_on_cancel(struct rpc_call *c, void (*fn)(void *arg), void *arg);
/* Exactly once, from any thread; takes the reply (may be NULL) where st is OK, and clears it. The
 * text of an error is cut at 3,072 bytes, as gRPC's headers are short. c is gone afterwards. */
void rpc_call_reply(struct rpc_call *c, struct rpc_msg *reply, const struct status *st);

/* --- the client's side --- */
struct rpc_channel;
struct rpc_request;

/* own: a connection of its own, not shared with other channels to the address (heartbeats). Nothing
 * is connected until the first call. */
struct rpc_channel *rpc_channel_new(const char *address, const struct rpc_security *security,
                                    bool own, struct status *st) MUST_CHECK;
struct rpc_channel *rpc_channel_ref(struct rpc_channel *c);
void rpc_channel_unref(struct rpc_channel *c); /* NULL is fine; calls under way go on */

struct rpc_options {
    int64_t timeout_ms; /* 0: none */
    bool fail_fast; /* UNAVAILABLE at once where no connection can be had; else it is waited for */
};
/* reply may be emptied by the callback; what is left of it is cleared afterwards. */
typedef void (*rpc_done_fn)(void *arg, const struct status *st, struct rpc_msg *reply);
/* Takes the request and clears it. done is called exactly once, perhaps before this returns.
 * Returns a handle for rpc_request_cancel that is to be given back by rpc_request_unref. */
struct rpc_request *rpc_start(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                              const struct rpc_options *o, rpc_done_fn done, void *arg);
void rpc_request_cancel(struct rpc_request *r); /* done gets CANCELLED, unless it was over */
struct rpc_request *rpc_request_ref(struct rpc_request *r);
void rpc_request_unref(struct rpc_request *r); /* NULL is fine for all three */
/* The same, waiting for it; cancel (may be NULL) ends it early. Not on a network thread. */
struct cancel;
MUST_CHECK bool rpc_call_wait(struct rpc_channel *c, const char *path, struct rpc_msg *request,
                              const struct rpc_options *o, struct cancel *cancel,
                              struct rpc_msg *reply, struct status *st);

/* Adds one to the transfers of many megabytes to this process that are under way, or takes one off:
 * while there are some, the network may be looked at without sleeping. */
void rpc_expect_bytes(int change);

/* Whether this build and machine have gRPC; UNIMPLEMENTED saying what is missing. */
MUST_CHECK bool rpc_available(struct status *st);

#endif
