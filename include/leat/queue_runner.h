/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that fill queues, and what ends them all together: tf.train.Coordinator and QueueRunner.
 *
 *     leat_coordinator *c = leat_coordinator_new();
 *     leat_start_queue_runners(session, g, c, s);
 *     while (!leat_should_stop(c))
 *         if (!leat_run(session, s, .targets = leat_opers(step)))
 *             leat_request_stop(c, s);
 *     leat_request_stop(c, NULL);
 *     leat_join(c, 120, s);
 *     leat_coordinator_free(c);
 *
 * The first error that a thread reports, or that leat_request_stop is given, stops all of them and
 * is what leat_join returns. OUT_OF_RANGE, by which a queue says that it is at its end, is none.
 * Any thread may call anything, except leat_coordinator_free. */
#ifndef LEAT_QUEUE_RUNNER_H
#define LEAT_QUEUE_RUNNER_H

#include "leat/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leat_coordinator leat_coordinator;

/* One that nobody has asked to stop. Never NULL; the caller frees it with leat_coordinator_free.
 * Any thread. */
LEAT_EXPORT leat_coordinator *leat_coordinator_new(void);
/* After leat_join. Threads that it left running keep what they need. NULL is fine. */
LEAT_EXPORT void leat_coordinator_free(leat_coordinator *c);
LEAT_EXPORT bool leat_should_stop(leat_coordinator *c);
/* All threads are asked to end. why: NULL or OK, none; OUT_OF_RANGE counts as none; else the error,
 * of which the first is kept. */
LEAT_EXPORT void leat_request_stop(leat_coordinator *c, const TF_Status *why);
/* Waits for leat_request_stop, at most this long (negative: for ever); whether it was called. */
LEAT_EXPORT bool leat_wait_for_stop(leat_coordinator *c, double seconds);
/* Makes threads possible again after a stop and a join: forgets both, and the error. */
LEAT_EXPORT void leat_clear_stop(leat_coordinator *c);
/* Starts a thread that the coordinator joins: body(c, arg) runs until leat_should_stop; what it
 * leaves in the status is an error as one given to leat_request_stop. 0: no thread could be had. */
LEAT_EXPORT int leat_coordinator_thread(leat_coordinator *c, const char *name,
                                        void (*body)(leat_coordinator *c, void *arg,
                                                     TF_Status *status),
                                        void *arg, TF_Status *status);
/* Waits until all threads ended, or after a stop was requested for at most so many seconds more
 * (negative: 120). 1, or 0 with the first error; UNKNOWN, naming them, where threads still run and
 * there was no other error. */
LEAT_EXPORT int leat_join(leat_coordinator *c, double grace_seconds, TF_Status *status);

/* What fills a queue: each of enqueue_ops is run again and again by a thread of its own; an op that
 * stands there twice has two. When the last thread finds the queue at its end, close_op is run;
 * when a stop is requested, cancel_op. */
struct leat_queue_runner {
    TF_Operation *queue;
    struct leat_opers enqueue_ops;
    TF_Operation *close_op, *cancel_op;
};
/* Adds one to those of the graph. INVALID_ARGUMENT (leat_graph_status): a member is missing. */
LEAT_EXPORT void leat_add_queue_runner(TF_Graph *g, struct leat_queue_runner r);
/* Starts the threads of all queue runners of the graph, except of those that run in this session
 * already. The session lives until leat_join. The number of threads, -1 after an error. */
LEAT_EXPORT int leat_start_queue_runners(TF_Session *session, TF_Graph *g, leat_coordinator *c,
                                         TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
