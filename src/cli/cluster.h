/* SPDX-License-Identifier: Apache-2.0 */
/* What `leat cluster` and `leat cluster check` share: tasks and their addresses, and processes that
 * stand for tasks. */
#ifndef LEAT_CLI_CLUSTER_H
#define LEAT_CLI_CLUSTER_H

#include <sys/types.h>

#include "cli/cli.h"

struct cluster_task {
    char *job; /* owned, as the next */
    int index;
    char *address; /* "host:port" */
};
struct cluster_tasks {
    struct cluster_task *v;
    int64_t n, cap;
};
void cluster_add(struct cluster_tasks *t, const char *job, int index, char *address);
void cluster_release(struct cluster_tasks *t);
/* "ps=HOST:PORT,...;worker=..." */
MUST_CHECK bool cluster_read_text(struct cluster_tasks *t, const char *text, struct status *st);
/* TF_CONFIG's "cluster". */
MUST_CHECK bool cluster_read_json(struct cluster_tasks *t, const char *json, struct status *st);
/* TF_CONFIG for task i; i < 0: for a client, which is no task. */
void cluster_print_json(const struct cluster_tasks *t, int64_t i, struct strbuf *out);

/* --- processes (cluster_run.c) --- */

struct process { /* of ours; its output comes by lines with a name before each */
    char *name;
    char **words; /* NULL at the end; borrowed */
    char **env;   /* NAME=VALUE to set, NULL at the end; borrowed */
    bool counts;  /* the cluster's work is done when all of these are */
    pid_t pid;    /* 0: over */
    int out;      /* -1: closed */
    int status;   /* of waitpid */
    struct strbuf line;
};
/* Starts all, shows what they say, ends the rest when those that count are done or one failed.
 * *code: 0, or the first failure's (128 + the number of a signal). No other process is touched. */
MUST_CHECK bool processes_run(struct process *v, int n, int *code, struct status *st);

/* leat cluster check ... */
MUST_CHECK bool cluster_check_main(struct args args, struct status *st);

#endif
