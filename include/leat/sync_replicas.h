/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronous training by replicas: a step's gradients of several workers are averaged and applied
 * once; as tf.train.SyncReplicasOptimizer of TensorFlow 1.15.
 *
 *     leat_optimizer *sgd = leat_gradient_descent(g, .learning_rate = 0.1);
 *     leat_optimizer *sync = leat_sync_replicas(sgd, .replicas_to_aggregate = 3,
 *                                               .total_num_replicas = 4);
 *     TF_Operation *train = leat_minimize(sync, loss, .global_step = step);
 *
 * Each worker pushes its gradients to accumulators beside the variables, and waits for a token. The
 * chief takes the mean of replicas_to_aggregate gradients, updates the variables once, and hands
 * out tokens with the number of the new step. A gradient computed on an older step is dropped: with
 * fewer replicas to aggregate than there are, the slowest are backups.
 *
 * Nodes, names, shared names are 1.15's, so that its tasks may take part; the tokens alone are
 * filled with the step as the update left it. With .worker there are more nodes, under
 * "sync_replicas/membership": see there. One thread builds; the functions on sessions are for any.
 * Functions return 1, or 0 with the status (or the graph's) set. */
#ifndef LEAT_SYNC_REPLICAS_H
#define LEAT_SYNC_REPLICAS_H

#include "leat/optimizer.h"
#include "leat/queue_runner.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_sync_replicas_args {
    const char *made_at;
    leat_optimizer *opt;       /* applies the mean; the caller's, lives longer than this one */
    int replicas_to_aggregate; /* gradients a step; must be given */
    int total_num_replicas;    /* 0: as many */
    const char *name;          /* NULL: sync_replicas */
    /* This worker's index, below total_num_replicas; given by every worker or by none: which
     * gradients were dropped is counted, and workers may leave. Not given: -1. */
    int worker;
    bool elastic; /* a worker that leaves lessens the gradients a step where it must */
};
LEAT_EXPORT void leat_sync_replicas_args_init(struct leat_sync_replicas_args *args);
/* For leat_minimize, leat_compute_gradients, leat_apply_gradients (one time, with a global step),
 * leat_get_slot, leat_optimizer_free. NULL after an error: INVALID_ARGUMENT for numbers that are
 * none. */
LEAT_EXPORT leat_optimizer *leat_sync_replicas_fn(const struct leat_sync_replicas_args *args);

/* What leat_apply_gradients made. */
struct leat_sync_parts {
    TF_Operation *chief_init;       /* sets the accumulators' step and the chief's own */
    TF_Operation *local_step_init;  /* sets this worker's step: at its start, not the chief's */
    TF_Output ready_for_local_init; /* names of variables that these two still wait for */
    TF_Output local_step, token_queue;
    struct leat_queue_runner chief_runner; /* updates, and hands out the tokens; not in the graph's
                                            * own runners; enqueue_ops.v is the optimizer's */
};
/* 0, and no error: it was not applied yet. */
LEAT_EXPORT int leat_sync_parts_of(const leat_optimizer *sync, struct leat_sync_parts *out);
/* The operation that hands out the first tokens. num_tokens -1: replicas_to_aggregate; 0 is enough
 * where no more gradients are wanted than there are workers. NULL after an error (INVALID_ARGUMENT:
 * too few). */
LEAT_EXPORT TF_Operation *leat_sync_init_tokens(leat_optimizer *sync, int num_tokens);

/* ---- in a session ---- */

/* At the start of every session of a chief, the first and those after a restart: takes away the
 * tokens that are left, runs chief_init and init_tokens (of leat_sync_init_tokens), and starts the
 * thread that updates, which ends when c is asked to stop and the session is closed; the optimizer
 * lives until then. Errors: those of
 * the steps; FAILED_PRECONDITION: variables have no value. */
LEAT_EXPORT int leat_sync_start_chief(leat_optimizer *sync, TF_Session *session,
                                      leat_coordinator *c, TF_Operation *init_tokens,
                                      TF_Status *status);
/* At the start of every session of another worker. */
LEAT_EXPORT int leat_sync_start_worker(leat_optimizer *sync, TF_Session *session,
                                       TF_Status *status);

/* ---- with .worker ---- */

struct leat_sync_count {
    int64_t pushed;   /* gradients that the worker sent, all variables' together being one */
    int64_t accepted; /* of them in a mean; the others were stale, or wait for the step's end */
    int member;       /* 0: it left */
};
/* Of each worker, counts[0, total_num_replicas); may be asked by any. UNIMPLEMENTED: made without
 * .worker. */
LEAT_EXPORT int leat_sync_counts(leat_optimizer *sync, TF_Session *session,
                                 struct leat_sync_count *counts, TF_Status *status);
/* The worker (any: its own, or one that was lost) takes part no more. If fewer are left than
 * replicas_to_aggregate, with .elastic so many are enough from now on, this step included; else the
 * tokens end, and all that wait for one fail: leat_sync_check tells why. */
LEAT_EXPORT int leat_sync_leave(leat_optimizer *sync, TF_Session *session, int worker,
                                TF_Status *status);
/* It is back. */
LEAT_EXPORT int leat_sync_enter(leat_optimizer *sync, TF_Session *session, int worker,
                                TF_Status *status);
/* 0 and FAILED_PRECONDITION with the numbers where too few workers are left. */
LEAT_EXPORT int leat_sync_check(leat_optimizer *sync, TF_Session *session, TF_Status *status);

#ifdef __cplusplus
}
#else

#define LEAT_SYNC_REPLICAS_DEFAULTS_ .worker = -1,
#define leat_sync_replicas(...)                                                                    \
    LEAT_CALL_(leat_sync_replicas_fn, leat_sync_replicas_args, LEAT_SYNC_REPLICAS_DEFAULTS_, .opt, \
               __VA_ARGS__)

#endif

#endif
