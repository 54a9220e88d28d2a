/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a cluster as processes of this command on this machine: what `leat demo` and `leat
 * bench` start for themselves. A task says "ready" on its standard output, or "error CODE MESSAGE",
 * and ends when its standard input does; so all of them end with the process that started them. */
#ifndef LEAT_CLI_TASK_H
#define LEAT_CLI_TASK_H

#include <sys/types.h>

#include "cli/cli.h"
#include "leat/leat.h"

struct task {
    pid_t pid;   /* 0: none */
    int in, out; /* our ends of its standard input and output */
    char line[512];
    size_t n; /* bytes of line that are read already */
};
/* "ps=localhost:P;worker=localhost:P,localhost:P" with ports that nobody has. */
MUST_CHECK bool task_cluster(int num_ps, int num_workers, struct strbuf *spec, struct status *st);
/* Runs this program with these words (NULL at the end), on the core alone where that is >= 0. */
MUST_CHECK bool task_start(struct task *t, const char *const *words, int core, struct status *st);
/* The next line in t->line; an error says that it ended, or what it sent as its error. */
MUST_CHECK bool task_line(struct task *t, struct status *st);
/* 1: a line is there (t->line), 0: none within so many ms, -1: it ended. */
int task_poll(struct task *t, int ms);
/* What task_line says, of what task_poll gave, which is not 0. */
MUST_CHECK bool task_said(const struct task *t, int polled, struct status *st);
MUST_CHECK bool task_say(struct task *t, const char *line, struct status *st);
/* Closes its input and waits; a task that does not end is killed. An error where it failed. */
MUST_CHECK bool task_end(struct task *t, struct status *st);
void task_kill(struct task *t); /* one that is needed no more; none is fine */

/* In the task: a server that runs, after saying so; NULL after an error, which it has told. */
TF_Server *task_serve(const char *job, int index, const char *cluster, const char *protocol,
                      TF_Status *s);
/* Stops and deletes it; NULL is fine. */
void task_stop(TF_Server *server, TF_Status *s);

MUST_CHECK bool task_read_name(const char *name, char job[32], int *index, struct status *st);

#endif
