/* SPDX-License-Identifier: Apache-2.0 */
/* The master: clients' sessions. Any task's server is one, for the clients that name it as target.
 *
 * A master session has the client's graph, grown by ExtendSession, and a cache of plans by
 * signature. A plan is made once: prune, place over the cluster's devices, cut by task
 * (runtime/split_tasks.h), RegisterGraph at each task that has a part. A step is one RunGraph per
 * part, all at once, with a step id of its own; the part of the master's own task runs without the
 * network. Only tasks that a plan names are contacted, when it first names them; until then each is
 * assumed to have CPU:0. What is fed goes to the task that reads it, what is fetched comes from the
 * task that makes it, in RunGraph's own messages.
 *
 * The first part that fails decides the error ("From /job:ps/replica:0/task:0:\n..."), and the
 * others are cancelled. CleanupGraph is sent off the critical path. A peer that came back as
 * another is ABORTED, and the plans that had parts there are made anew afterwards.
 *
 * No call here waits; results come by callbacks. */
#ifndef LEAT_DIST_MASTER_H
#define LEAT_DIST_MASTER_H

#include "dist/worker.h"

struct master;
struct master *master_new(struct worker *local, struct peers *peers, const struct config *config);
/* Closes all sessions, refuses others; their steps have ended when it returns. */
void master_stop(struct master *m);
void master_free(struct master *m); /* stops first */

typedef void (*master_done_fn)(void *arg, const struct status *st);
/* handle: for the caller to mem_free. */
char *master_create_session(struct master *m, const struct pb_graph_def *graph,
                            const struct pb_config_proto *config, struct status *st) MUST_CHECK;
/* target: what the client named this server by ("grpc://host:port"), which finds it in a cluster
 * that the config brings (ClusterSpec propagation). */
char *master_create_session_for(struct master *m, const struct pb_graph_def *graph,
                                const struct pb_config_proto *config, struct str target,
                                struct status *st) MUST_CHECK;
/* version: the client's in, the new one out; another than the session's is ABORTED. */
MUST_CHECK bool master_extend_session(struct master *m, struct str handle,
                                      const struct pb_graph_def *graph, int64_t *version,
                                      struct status *st);
void master_close_session(struct master *m, struct str handle, master_done_fn done, void *arg);

struct master_step { /* borrowed until done */
    struct str session;
    const struct wire_value *feeds; /* by tensor name */
    int64_t num_feeds;
    const struct str *fetches, *targets;
    int64_t num_fetches, num_targets;
    struct str partial_handle; /* "" : a whole step */
    int64_t request_id;
    const struct pb_run_options *options; /* may be NULL */
    bool elsewhere; /* the calling thread serves the network: kernels run on others */
};
/* values: by tensor name, as asked for; metadata: a serialized RunMetadata or empty. Both may be
 * taken. */
typedef void (*master_step_fn)(void *arg, const struct status *st, struct wire_values *values,
                               struct strbuf *metadata);
void master_run_step(struct master *m, const struct master_step *s, struct cancel *cancel,
                     master_step_fn done, void *arg);
/* handle: for the caller to mem_free. */
char *master_partial_setup(struct master *m, const struct pb_partial_run_setup_request *r,
                           struct status *st) MUST_CHECK;
int64_t master_make_callable(struct master *m, struct str session,
                             const struct pb_callable_options *options,
                             struct status *st) MUST_CHECK;
MUST_CHECK bool master_release_callable(struct master *m, struct str session, int64_t handle,
                                        struct status *st);
struct master_call { /* a run of a callable; borrowed until done */
    struct str session;
    int64_t handle, request_id;
    const struct wire_value *feeds; /* by position */
    int64_t num_feeds;
};
/* values by position. */
void master_run_callable(struct master *m, const struct master_call *call, struct cancel *cancel,
                         master_step_fn done, void *arg);
/* Contacts all tasks within the session's device filters; a task that is not there is an error that
 * names it. The response lies in the arena that is given to the callback. */
typedef void (*master_devices_fn)(void *arg, const struct status *st,
                                  const struct pb_list_devices_response *devices);
void master_list_devices(struct master *m, struct str session, master_devices_fn fn, void *arg);
void master_reset(struct master *m, const struct pb_reset_request *r, master_done_fn done,
                  void *arg);

/* The methods of /tensorflow.MasterService, for rpc_server_new (master_service.c). */
int master_handlers(struct master *m, struct rpc_handler *out, int cap);

#endif
