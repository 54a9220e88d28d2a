/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster of tasks in this process, each with a server on a port of its own, and a client's calls
 * to their masters that wait. Everything fails the test when it fails, but for what takes a status.
 */
#ifndef LEAT_TESTS_DIST_CLUSTER_H
#define LEAT_TESTS_DIST_CLUSTER_H

#include "dist/master.h"

enum { CLUSTER_MAX = 8, CLUSTER_HANDLERS = 64, CLUSTER_MAX_HELD = 64 };

struct cluster_task {
    struct rpc_server *server;
    struct spec spec;
    struct peers *peers;
    struct worker *worker;
    struct master *master;
    struct rpc_handler real[CLUSTER_HANDLERS];
    int num_real;
    int ready;         /* atomic: what comes before waits */
    int64_t num_calls; /* atomic: requests that came over the network */
    bool holds;        /* atomic: as cluster_restart_held says */
    struct rpc_call *held[CLUSTER_MAX_HELD];
    int num_held; /* atomic */
};
struct cluster {
    struct cluster_task tasks[CLUSTER_MAX];
    int num_tasks;
};
/* Of the tasks that start from now on: "grpc+ucx"; NULL: "grpc". */
extern const char *cluster_protocols[CLUSTER_MAX];
extern bool cluster_heartbeats; /* likewise: they answer heartbeats, as tasks of Leat do */
extern const struct rpc_security *cluster_security; /* likewise; NULL: none */
/* jobs: "ps", "worker", "worker"... : one task each. False: there is no gRPC here. */
bool cluster_start(struct cluster *c, const char *const *jobs, int n);
void cluster_stop(struct cluster *c);
/* Stops one, and starts another in its place. */
void cluster_restart(struct cluster *c, int task);
/* The same; and nobody hears who the new one is, until they are let: it keeps what it is asked
 * (GetStatus). */
void cluster_restart_held(struct cluster *c, int task);
void cluster_let(struct cluster *c, int task);

/* A session at the master of a task; the handle is to be mem_free'd. */
char *client_session(struct cluster *c, int task, const char *graph_text, const char *config_text);
/* The same with an encoded GraphDef. */
char *client_session_bytes(struct cluster *c, int task, const void *graph, size_t n);
void client_extend(struct cluster *c, int task, const char *session, const char *graph_text,
                   int64_t *version, struct status *st);
void client_close(struct cluster *c, int task, const char *session);
/* Fetches (up to 8 names, parted by blanks), with x:0-like names fed scalars of float32. */
struct client_feed {
    const char *name;
    struct tensor value;
};
struct client_run {
    const char *session;
    const struct client_feed *feeds;
    int num_feeds;
    const char *fetches, *targets; /* parted by blanks */
    const char *partial;           /* handle; NULL: none */
    int64_t timeout_ms, request_id;
    bool traced;
    struct cancel *cancel;
    struct strbuf *metadata; /* filled; may be NULL */
};
/* values: one per fetch, the caller's. */
bool client_run(struct cluster *c, int task, const struct client_run *r, struct tensor *values,
                struct status *st);
/* One fetched float. */
float client_float(struct cluster *c, int task, const char *session, const char *fetch);
struct client_feed client_feed_float(const char *name, float v);
void client_must(bool ok, struct status *st);

#endif
