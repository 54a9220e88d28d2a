/* SPDX-License-Identifier: Apache-2.0 */
/* The witness: who may serve as each replicated task. Any server is one for those who name it.
 *
 * It keeps, by task, the epoch, the process that serves, until when it was promised that nobody
 * else will, and whether the one that stands by has everything. Nothing is kept on disk: a witness
 * that was started anew promotes nobody before lease and margin have passed, and then knows who
 * serves from its renewals. The clock is monotonic. See replica.h. */
#ifndef LEAT_DIST_WITNESS_H
#define LEAT_DIST_WITNESS_H

#include "dist/rpc.h"
#include "proto/leat_proto.h"

struct witness;
struct witness *witness_new(void);
void witness_free(struct witness *w); /* NULL is fine */
/* Decides at now_ns; true: granted. *epoch: the task's. */
bool witness_ask(struct witness *w, const struct pb_leat_peer_lease_request *q, int64_t now_ns,
                 uint64_t *epoch);
/* /leat.Peer/Lease */
int witness_handlers(struct witness *w, struct rpc_handler *out, int cap);

#endif
