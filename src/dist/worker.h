/* SPDX-License-Identifier: Apache-2.0 */
/* The worker of a task: runs the parts of graphs that masters register here, and hands out the
 * tensors that other tasks wait for.
 *
 * State belongs to the task: variables, queues and tables lie in one resource map that all its
 * sessions share (unless a session is isolated) and outlive sessions; Reset clears them.
 *
 *   session handle -> worker session: the stateful kernels by node name, its resource map if
 * isolated graph handle   -> registered part: a graph, a runtime session over it, its plan step id
 * -> rendezvous; made by whoever comes first (RunGraph or RecvTensor), ended by CleanupGraph, and
 * remembered for a while, so that late calls fail with ABORTED
 *
 * A value whose key names another task as its source is fetched from there by RecvTensor. No call
 * here waits: results come by callbacks. A part that fails aborts the step's rendezvous. */
#ifndef LEAT_DIST_WORKER_H
#define LEAT_DIST_WORKER_H

#include "dist/peers.h"
#include "dist/wire.h"
#include "op/cancel.h"
#include "runtime/config.h"

struct worker;
struct replica;

struct worker *worker_new(const struct spec *spec, struct peers *peers, const struct config *config,
                          struct status *st) MUST_CHECK;
/* Cancels what runs, waits for it. */
void worker_free(struct worker *w);

/* Where it is replicated, or another task is (replica.h); before the first run. */
void worker_set_replica(struct worker *w, struct replica *r);
/* Another process serves as this task now: all sessions end, as do their steps. */
void worker_drop_sessions(struct worker *w);
struct resource_map *worker_state(struct worker *w);
struct pool *worker_pool(struct worker *w);

const char *worker_name(const struct worker *w); /* "/job:ps/replica:0/task:0" */
struct pb_device_attributes_vec worker_devices(const struct worker *w, struct arena *a);

/* def: the session's own cluster (ClusterSpec propagation), or NULL. ALREADY_EXISTS-free: a handle
 * that is there stays. */
MUST_CHECK bool worker_create_session(struct worker *w, struct str handle,
                                      const struct pb_server_def *def, bool isolate,
                                      struct status *st);
MUST_CHECK bool worker_delete_session(struct worker *w, struct str handle, struct status *st);
/* graph handle: for the caller to mem_free. ABORTED for a session that is not there. */
char *worker_register(struct worker *w, const struct pb_register_graph_request *r,
                      struct status *st) MUST_CHECK;
MUST_CHECK bool worker_deregister(struct worker *w, struct str session, struct str graph,
                                  struct status *st);

struct worker_run { /* one part of one step; borrowed until done */
    struct str session, graph;
    int64_t step_id, request_id;
    const struct wire_value *send; /* values by rendezvous key, put in before the part runs */
    int64_t num_send;
    const struct str *recv_keys; /* taken out after it */
    int64_t num_recv;
    bool partial, last_partial; /* piecewise: RunGraph comes several times for one step */
    uint64_t change_key;        /* of the master's step, however often it is tried; 0: none */
    bool timeline;              /* step stats are wanted */
    bool elsewhere;             /* the calling thread serves the network: kernels run on others */
};
/* stats: a serialized StepStats or empty. values: as recv_keys, in their order; may be taken. */
typedef void (*worker_run_fn)(void *arg, const struct status *st, struct wire_values *values,
                              struct strbuf *stats);
/* cancel (may be NULL) ends it early. done is called exactly once. */
void worker_run_graph(struct worker *w, const struct worker_run *r, struct cancel *cancel,
                      worker_run_fn done, void *arg);
/* Ends a step: its parts are cancelled. over (may be NULL) is called when none of them runs any
 * more, perhaps at once; none starts afterwards. */
void worker_cleanup_graph(struct worker *w, int64_t step_id, void (*over)(void *arg), void *arg);
/* Clears containers; none: the default one. */
void worker_cleanup_all(struct worker *w, const struct pb_strs *containers);
/* Whether a part that is registered here is over, or waits for others, before a request leaves. */
bool worker_is_light(struct worker *w, struct str session, struct str graph);
/* Whether what a step made here may leave before somebody asks for it. */
bool worker_gives_at_once(const struct worker *w);
/* The values of a step that are made here for devices of another task and wait for it, where
 * they are few and small. They stay here too. Names lie in the arena. */
void worker_values_for(struct worker *w, int64_t step_id, const char *task, struct arena *a,
                       struct wire_values *out);
/* Waits, without a thread, for a value of a step; ABORTED for one that is over. */
typedef void (*worker_recv_fn)(void *arg, const struct status *st, const struct tensor *value,
                               bool dead);
void worker_recv_tensor(struct worker *w, int64_t step_id, struct str key, int64_t request_id,
                        struct cancel *cancel, worker_recv_fn fn, void *arg);

/* The methods of /tensorflow.WorkerService, for rpc_server_new (worker_service.c). */
int worker_handlers(struct worker *w, struct rpc_handler *out, int cap);

#endif
