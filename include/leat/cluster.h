/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a cluster: a server that takes part in one, made from flags, a ServerDef or the
 * environment.
 *
 *     struct leat_server_args a = {.job = "ps", .task = 0,
 *                                  .cluster = "ps=h1:2222;worker=h2:2222,h3:2222"};
 *     TF_Server *server = leat_server_new(&a, status);
 *     TF_ServerStart(server, status);
 *     TF_ServerJoin(server, status);
 *
 * The TF_Server is the C API's: TF_ServerTarget gives what a session's target may be. Functions
 * take a status, which may be NULL. */
#ifndef LEAT_CLUSTER_H
#define LEAT_CLUSTER_H

#include <stdint.h>

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which task of which cluster. The first of these that is given counts: cluster (with job and
 * task), server_def, tf_config, slurm; where none is, the environment's TF_CONFIG, then Slurm's
 * variables with LEAT_SLURM, else "ps=1;worker=*", as what slurm is. */
struct leat_server_args {
    const char *cluster;         /* "ps=HOST:PORT,...;worker=HOST:PORT,..." */
    const char *job;             /* of this task; with TF_CONFIG and Slurm too, over theirs */
    int task;                    /* its number in the job */
    const TF_Buffer *server_def; /* a serialized ServerDef */
    const char *tf_config;       /* TF_CONFIG's JSON */
    const char *slurm;           /* "ps=2;worker=*": how Slurm's tasks are dealt to jobs */
    int slurm_port;              /* of the first task on each host; 0: 8888 */
    const char *bind;            /* "ADDRESS[:PORT],..."; NULL: LEAT_BIND, else the cluster's */
    /* Files of PEM; NULL all: LEAT_TLS_CERT, LEAT_TLS_KEY, LEAT_TLS_CA, LEAT_TOKEN_FILE. */
    const char *tls_cert, *tls_key, *tls_ca, *token_file;
    int insecure;                /* 1: plain text beyond the loopback; LEAT_INSECURE=1 too */
    int64_t failure_deadline_ms; /* a task that was seen and is silent for so long is lost */
    int64_t start_timeout_ms;    /* a task that was never seen is waited for so long */
    /* Replicated tasks, told to every process alike: "/job:ps/task:0=HOST:PORT,..." has where the
     * process that stands by for each is; that one says for whom: "/job:ps/task:0". witness: the
     * task that decides who serves, NULL: the chief. NULL: LEAT_STANDBYS, LEAT_STANDBY_OF,
     * LEAT_WITNESS. */
    const char *standbys, *standby_of, *witness;
    /* "grpc", or "grpc+ucx": tensors between tasks that both have it travel by shared memory on one
     * host, by UCX between hosts. NULL: the server_def's, else LEAT_PROTOCOL, else "grpc". */
    const char *protocol;
};
/* A server that has its port, and answers from TF_ServerStart on. args NULL: the environment. The
 * caller frees with TF_DeleteServer. Any thread. NULL after an error: INVALID_ARGUMENT (no cluster,
 * no such task), NOT_FOUND (the protocol), FAILED_PRECONDITION (the address is not of this
 * machine), PERMISSION_DENIED (plain text beyond the loopback), UNAVAILABLE (the port),
 * UNIMPLEMENTED (no gRPC). */
LEAT_EXPORT TF_Server *leat_server_new(const struct leat_server_args *args, TF_Status *status);
/* Its task's name, "/job:ps/replica:0/task:0". Owned by the server. Any thread; cannot fail. */
LEAT_EXPORT const char *leat_server_name(const TF_Server *server);

#ifdef __cplusplus
}
#endif

#endif
