/* SPDX-License-Identifier: Apache-2.0 */
/* An event: the end of something that another thread waits for. */
#ifndef LEAT_BASE_EVENT_H
#define LEAT_BASE_EVENT_H

#include "base/base.h"

/* Happens once; one thread waits for it. Who sets it holds no lock that the woken thread would run
 * into, and afterwards touches nothing of it, so that it may lie on the waiting thread's stack.
 * What was written before is seen after the wait. */
struct event { /* zero: it has not happened */
    uint32_t state;
};
void event_set(struct event *e);
/* In lock.c: false, perhaps before it has happened, when the thread's stop function says so. */
MUST_CHECK bool event_wait_or_stop(struct event *e);

#endif
