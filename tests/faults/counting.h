/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that add one, again and again, to counters on ps 0, and count what was acknowledged: in
 * the end each counter lies between that and that plus the steps that failed. What goes wrong in
 * here fails the test. */
#ifndef LEAT_TESTS_FAULTS_COUNTING_H
#define LEAT_TESTS_FAULTS_COUNTING_H

#include "cluster.h"
#include "leat/leat.h"

enum { COUNTING_ROWS = 2048, COUNTING_ROW = 7 }; /* of the table; which counts, from 0 */

/* A dense counter, one behind a handle, and a table of which one row counts. */
struct counters {
    TF_Graph *g;
    TF_Session *session;
    TF_Output dense, handle, table;
    TF_Operation *init, *add;
};

/* Sessions at the worker's master; the variables are initialised. */
void counting_start(const struct faults_task *worker);
/* Until so many more steps have gone well. */
void counting_wait(int64_t more);
/* Nothing that was acknowledged is lost, nothing was done twice. Stops and closes. */
void counting_check(void);
void counting_stop(void);
void counting_close(void);
void counting_first(struct counters **k); /* the first client's */
const char *counting_error(int i); /* the first one of a client, "" : none; NULL: no such client */

#endif
