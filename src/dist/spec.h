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
    char
        *config; /* serialized ConfigProto of the ServerDef's default session config; may be NULL */
    size_t config_bytes;
};
void spec_clear(struct spec *s);
struct spec spec_dup(const struct spec *s);
/* INVALID_ARGUMENT for a task twice, a bad address, a name that is none, an index out of range. */
MUST_CHECK bool spec_from_cluster_def(const struct pb_cluster_def *def, struct spec *out,
                                      struct status *st);
MUST_CHECK bool spec_from_server_def(const struct pb_server_def *def, struct spec *out,
                                     struct status *st);
MUST_CHECK bool spec_from_text(const char *text, struct spec *out, struct status *st);
/* TF_CONFIG's text: {"cluster": {...}, "task": {"type": ..., "index": ...}}. */
MUST_CHECK bool spec_from_tf_config(const char *json, struct spec *out, struct status *st);
struct pb_cluster_def *spec_to_cluster_def(const struct spec *s, struct arena *a);
struct pb_server_def *spec_to_server_def(const struct spec *s, struct arena *a);
/* NULL: there is none. */
const struct spec_task *spec_find(const struct spec *s, const char *job, int index);
/* "/job:ps/replica:0/task:1" */
char *spec_task_name(const char *job, int index);

#endif
