/* SPDX-License-Identifier: Apache-2.0 */
/* A task of a cluster in this process: the network's side, its worker, its master.
 *
 * server_new binds and reads everything; server_start answers from then on (calls that come before
 * wait). Servers of this process are found by their target, so that a session on one's own server
 * passes no network. */
#ifndef LEAT_DIST_SERVER_H
#define LEAT_DIST_SERVER_H

#include "dist/master.h"

struct server;
struct server_options {
    const struct spec *spec; /* with job and index; the task's port may be 0 */
    const char *bind;        /* NULL: the spec's address where it is local, and loopback */
    const struct rpc_security *security; /* NULL: from the environment (LEAT_TLS_CERT...) */
    /* standbys.h; NULL: the environment's. */
    const char *standbys, *standby_of, *witness;
    struct peer_deadlines deadlines; /* 0: the defaults, or LEAT_FAILURE_DEADLINE_MS */
};
struct server *server_new(const struct server_options *o, struct status *st) MUST_CHECK;
MUST_CHECK bool server_start(struct server *s, struct status *st);
/* Says goodbye, closes the port, ends what runs. */
MUST_CHECK bool server_stop(struct server *s, struct status *st);
/* Returns when the server has stopped, or, at a ps, when the others have left (CLUSTER.md,
 * ending). */
MUST_CHECK bool server_join(struct server *s, struct status *st);
void server_free(struct server *s);                /* stops first */
const char *server_name(const struct server *s);   /* "/job:ps/replica:0/task:0" */
const char *server_target(const struct server *s); /* "grpc://localhost:2222" */
/* LEAT_TLS_CERT, LEAT_TLS_KEY, LEAT_TLS_CA, LEAT_TOKEN_FILE, LEAT_INSECURE; the texts are the
 * environment's. False: none is set. */
bool server_security_from_env(struct rpc_security *out);
/* The master of a server of this process with this target, kept alive until server_unref_master;
 * NULL: there is none. */
struct master *server_find_master(const char *target);
void server_unref_master(struct master *m);

#endif
