/* SPDX-License-Identifier: Apache-2.0 */
/* Data planes: how the bytes of a tensor get from the task that made it to the one that waits.
 *
 * Who waits for what stays with RecvTensor, whatever carries the bytes: the consumer calls, the
 * producer answers when the value is there, and what ends the call (a lost peer, the end of the
 * step, a cancellation) ends the transfer, in the same words. A plane only takes the bytes out of
 * the answer. There are three, each a file behind struct plane_ops:
 *
 *   plane_grpc.c     in the answer, or above 4 MiB in pieces (chunks.h); always there
 *   plane_shared.c   on one host: the consumer copies them out of the producer's memory
 *   plane_ucx.c      between hosts: UCX (ucx.h), straight into the consumer's tensor
 *
 * The others than gRPC are tried where the server's protocol is "grpc+ucx" and TLS is off. Before
 * the first tensor each pair of tasks links by /leat.Peer/Link, and sees by a test transfer that it
 * works; until then, for what is small, for types that are no plain bytes, and where linking failed
 * (which the log says once), gRPC carries the bytes. A link is of two incarnations; one that breaks
 * is made anew, and the tensor that met it comes by gRPC where its producer lives.
 *
 * Link is answered to callers who proved who they are (rpc_call_is_trusted): an address of UCX, or
 * of memory, is taken from nobody else.
 *
 * Threads: everything here may be called from any. No thread waits for a transfer. */
#ifndef LEAT_DIST_PLANE_H
#define LEAT_DIST_PLANE_H

#include "base/lock.h"
#include "base/pool.h"
#include "dist/chunks.h"
#include "dist/service.h"

#define PLANE_LINK "/leat.Peer/Link"
enum { PLANE_MIN_BYTES = 64 << 10 }; /* smaller tensors come with gRPC's answer */

struct planes; /* of a worker; counted: the worker, and each RecvTensor under way */
struct plane_recv;
struct plane_link;

struct planes_options {
    const char *protocol; /* NULL: "grpc" */
    const char *task;     /* "/job:ps/replica:0/task:0" */
    struct peers *peers;
    struct pool *pool;
    struct offers *offers;
};
struct planes *planes_new(const struct planes_options *o);
/* No transfer starts any more; those under way have ended, or do with their calls. Before the
 * peers, the pool and the offers go. */
void planes_stop(struct planes *p);
void planes_unref(struct planes *p);
bool planes_tried(const struct planes *p); /* whether any but gRPC is open */
int planes_handlers(struct planes *p, struct rpc_handler *out, int cap);

/* --- the consumer's side --- */
/* Called once, from any thread, perhaps before planes_recv returns. value is borrowed; NULL when
 * dead or failed. */
typedef void (*plane_recv_fn)(void *arg, const struct status *st, const struct tensor *value,
                              bool dead);
/* RecvTensor. Returns a handle, to be given back by plane_recv_unref. */
struct plane_recv *planes_recv(struct planes *p, struct peer *from, int64_t step_id,
                               const char *key, plane_recv_fn fn, void *arg);
void plane_recv_cancel(struct plane_recv *r); /* fn gets CANCELLED, unless it was over */
void plane_recv_unref(struct plane_recv *r);  /* NULL is fine */

/* --- the producer's side --- */
/* Answers a RecvTensor with a value that is not dead, and takes s. */
void planes_send(struct planes *p, struct serving *s, struct pb_recv_tensor_response *response,
                 const struct tensor *value);

/* Tensors that came so far by each plane, and links made: for tests and the log. */
struct plane_counts {
    int64_t received[3], links; /* by enum pb_leat_peer_plane */
};
struct plane_counts planes_counts(struct planes *p);
bool planes_has(const struct planes *p, int plane); /* whether it is tried */

#endif
