/* SPDX-License-Identifier: Apache-2.0 */
/* Big tensors between tasks of Leat's: the producer offers, the consumer fetches a few pieces at a
 * time straight into the new tensor. So no message is too big, a piece is copied while the next
 * ones come, and the network needs memory for a few pieces alone.
 *
 *   RecvTensor, transport_options of the request     CHUNKS_TYPE: the consumer knows of offers
 *   its reply, without a tensor                      CHUNKS_TYPE, a PeerOffer
 *   CHUNKS_FETCH {id, offset, length}                the bytes
 *   CHUNKS_FETCH {id}                                thanks: the offer goes
 *
 * An offer goes with its step too, and where nobody has asked for it in ten minutes, as the next
 * one is made. Any thread. */
#ifndef LEAT_DIST_CHUNKS_H
#define LEAT_DIST_CHUNKS_H

#include "dist/peers.h"
#include "dist/wire.h"

#define CHUNKS_TYPE "leat/offer"
#define CHUNKS_FETCH "/leat.Peer/Fetch"

struct offers; /* of a task */
struct offers *offers_new(void);
void offers_free(struct offers *o);
/* Whether a tensor is to be offered rather than sent. Failpoint: chunks. */
bool offers_wants(const struct tensor *t);
/* Keeps the tensor, and describes it in a reply's transport_options; plane: enum
 * pb_leat_peer_plane; with SHARED goes where its bytes are, for a process that may read them. */
MUST_CHECK bool offers_add(struct offers *o, int64_t step_id, const struct tensor *t, int plane,
                           struct arena *a, struct pb_recv_tensor_response *reply,
                           struct status *st);
/* Describes in a reply what comes otherwise. */
MUST_CHECK bool offers_put(const struct pb_leat_peer_offer *p, struct arena *a,
                           struct pb_recv_tensor_response *reply, struct status *st);
MUST_CHECK bool offers_random(uint64_t *id, struct status *st); /* what cannot be guessed */
void offers_drop_step(struct offers *o, int64_t step_id);
/* Bytes of an offer, not copied. ABORTED for one that is gone. */
MUST_CHECK bool offers_fetch(struct offers *o, const struct pb_leat_peer_fetch_request *q,
                             struct rpc_msg *m, struct status *st);

/* In a request: that this task knows of offers, and, encoded, how else bytes may come (plane.h). */
void chunks_ask(struct arena *a, struct pb_recv_tensor_request *q, struct str how);
bool chunks_asked(const struct pb_recv_tensor_request *q);
bool chunks_offered(const struct pb_recv_tensor_response *reply);
struct chunks_offer {
    int plane; /* enum pb_leat_peer_plane */
    uint64_t id, at, mark;
    uint64_t incarnation; /* of who offers; 0: not known */
    struct tensor value;  /* owned; its bytes are to come; UCX, which brings its own: none */
};
/* What a reply offers. */
MUST_CHECK bool chunks_read(const struct pb_recv_tensor_response *reply, struct chunks_offer *out,
                            struct status *st);
/* Fetches it, and takes the offer's tensor; value is borrowed. Called once, perhaps before this
 * returns. */
typedef void (*chunks_fn)(void *arg, const struct status *st, const struct tensor *value);
void chunks_get(struct peer *peer, struct chunks_offer *offer, chunks_fn fn, void *arg);
void chunks_thank(struct peer *peer, uint64_t id); /* the offer is needed no more */

#endif
