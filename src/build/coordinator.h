/* SPDX-License-Identifier: Apache-2.0 */
/* What queue runners keep in a coordinator: how many threads fill which queue in which session. */
#ifndef LEAT_BUILD_COORDINATOR_H
#define LEAT_BUILD_COORDINATOR_H

#include "base/lock.h"
#include "leat/queue_runner.h"

struct queue_run {
    struct queue_run *next;
    TF_Session *session;
    TF_Operation *queue;
    int live; /* threads; under coordinator_lock */
};

void coordinator_lock(leat_coordinator *c);
void coordinator_unlock(leat_coordinator *c);
/* Found or made, under the lock; lives as long as the coordinator. */
struct queue_run *coordinator_run(leat_coordinator *c, TF_Session *session, TF_Operation *queue);
/* 1, and the first error that stopped the threads; 0: there was none. */
int coordinator_error(leat_coordinator *c, TF_Status *status);

#endif
