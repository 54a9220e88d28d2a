/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a cluster: jobs, tasks, addresses; and which task this process is.
 *
 * From a ServerDef or ClusterDef, from flags ("ps=h1:2222,h2:2222;worker=h3:2222"), from TF_CONFIG
 * (JSON), or from Slurm's environment. Tasks of a job may have gaps ({0: a, 2: b}). */
#ifndef LEAT_DIST_SPEC_H
#define LEAT_DIST_SPEC_H

#include "base/status.h"
#include "proto/leat_proto.h"

struct spec_task {
    char *job;
    int index;
    char *address; /* "host:port" */
};
struct spec {
    struct spec_task *tasks; /* by job as given, then by index */
    int num_tasks;
    char *job; /* this process's; NULL: not said */
    int index;
    char *protocol; /* of the ServerDef: "grpc", "grpc+ucx"; NULL: not said */
    char
        *config; /* serialized ConfigProto of the ServerDef's default session config; may be NULL */
    size_t config_bytes;
};
void spec_clear(struct spec *s);
struct spec spec_dup(const struct spec *s);
/* "host:port", "[::1]:port"; port 0 to 65535. host (may be NULL) is for the caller to mem_free. */
MUST_CHECK bool spec_split_address(const char *address, char **host, int *port, struct status *st);
/* Which task this process is; it must be one of the tasks. */
MUST_CHECK bool spec_set_task(struct spec *s, const char *job, int index, struct status *st);
/* INVALID_ARGUMENT for a task twice, a bad address, a name that is none, an index out of range. */
MUST_CHECK bool spec_from_cluster_def(const struct pb_cluster_def *def, struct spec *out,
                                      struct status *st);
MUST_CHECK bool spec_from_server_def(const struct pb_server_def *def, struct spec *out,
                                     struct status *st);
MUST_CHECK bool spec_from_text(const char *text, struct spec *out, struct status *st);
/* TF_CONFIG's text: {"cluster": {...}, "task": {"type": ..., "index": ...}}. A job's tasks are a
 * list or an object by number; "evaluator" stands outside of the cluster: it is left out of the
 * tasks, and is the job of the process that is one. */
MUST_CHECK bool spec_from_tf_config(const char *json, struct spec *out, struct status *st);
/* Slurm's environment: tasks are dealt to the job's nodes in the order of SLURM_PROCID. jobs:
 * "ps=2;worker=*", how many tasks each has, in this order; one may have the rest. The k-th task of
 * a node has port + k. getenv_fn: as getenv (tests have their own). */
MUST_CHECK bool spec_from_slurm(const char *jobs, int port,
                                const char *(*getenv_fn)(const char *name), struct spec *out,
                                struct status *st);
/* Slurm's lists of hosts: "a[01-03,7],b" has a01 a02 a03 a7 b. Each for the caller to mem_free, and
 * the array too. */
MUST_CHECK bool spec_expand_hosts(const char *list, char ***hosts, int *num_hosts,
                                  struct status *st);
struct pb_cluster_def *spec_to_cluster_def(const struct spec *s, struct arena *a);
struct pb_server_def *spec_to_server_def(const struct spec *s, struct arena *a);
/* NULL: there is none. */
const struct spec_task *spec_find(const struct spec *s, const char *job, int index);
/* "/job:ps/replica:0/task:1" */
char *spec_task_name(const char *job, int index);

#endif
