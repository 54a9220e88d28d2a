/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks of a cluster have a process that stands by, where it is, and who is the witness: said
 * to every process of the cluster alike, by flags or by the environment.
 *
 *   LEAT_STANDBYS     "/job:ps/task:0=HOST:PORT,/job:ps/task:1=HOST:PORT"
 *   LEAT_STANDBY_OF   "/job:ps/task:0": this process is the one that stands by
 *   LEAT_WITNESS      "/job:worker/task:0"; else the chief: job chief's or master's first task,
 *                     else worker's */
#ifndef LEAT_DIST_STANDBYS_H
#define LEAT_DIST_STANDBYS_H

#include "dist/spec.h"

struct standbys {
    struct spec_task *v; /* address: of the process that stands by */
    int n;
    struct spec_task self;    /* the task that this process stands by for; job NULL: none */
    struct spec_task witness; /* job NULL: there is none */
};
/* NULLs: the environment's. INVALID_ARGUMENT for what is no task of the cluster. */
MUST_CHECK bool standbys_read(const struct spec *spec, const char *list, const char *standby_of,
                              const char *witness, struct standbys *out, struct status *st);
void standbys_clear(struct standbys *s);
/* NULL: it has none. */
const char *standbys_address(const struct standbys *s, const char *job, int index);

#endif
