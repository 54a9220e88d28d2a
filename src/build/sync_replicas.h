/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of synchronous training share. */
#ifndef LEAT_BUILD_SYNC_REPLICAS_H
#define LEAT_BUILD_SYNC_REPLICAS_H

#include "build/optimizer.h"
#include "leat/sync_replicas.h"

/* The nodes that count and that let workers leave; all invalid without .worker.
 *
 * The gate is an accumulator of sums: every worker pushes, after its gradients, a vector that has a
 * one in the worker's place. The chief takes from the gate first; what it takes tells whose
 * gradients are in. A take that waits for a worker that has left is helped on by a push of zeros.
 */
struct sync_membership {
    TF_Output gate, gate_sum; /* what the chief took */
    TF_Output pushed, accepted, members, quorum;
    TF_Operation *count_push, *push_gate, *count_accepted;
    /* for the functions on sessions */
    TF_Output which, value; /* placeholders: a worker, an int32 */
    TF_Operation *set_member, *set_quorum, *fill_gate, *end_tokens;
};

struct sync_replicas { /* heap; of its optimizer */
    leat_optimizer *inner;
    int required, total, worker;
    bool elastic, applied;
    TF_Output step; /* the global one */
    TF_Output num_left;
    TF_Operation *drain; /* made with the first tokens */
    TF_Operation *enqueue;
    struct leat_sync_parts parts;
    struct sync_membership m;
};

/* leat_apply_gradients of such an optimizer. */
TF_Operation *sync_replicas_apply(const struct leat_apply_gradients_args *args);
/* The nodes that stand before the gradients are taken: variables, the gate, its take and the count
 * of whose gradients were taken. false: the graph has an error. */
bool sync_membership_make(struct leat_optimizer *opt);
/* This worker's own push, after pushes[0, n). */
bool sync_membership_push(struct leat_optimizer *opt, TF_Operation *const *pushes, int n);

#endif
