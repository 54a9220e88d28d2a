/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: fires a cancellation with DEADLINE_EXCEEDED after some time. One thread serves all,
 * started at the first use. */
#ifndef LEAT_RUNTIME_TIMER_H
#define LEAT_RUNTIME_TIMER_H

#include "op/cancel.h"

struct timer;
/* c is referenced until timer_stop. Message: "Timed out waiting for notification"-like, with the
 * time. */
struct timer *timer_start(struct cancel *c, int64_t timeout_ms);
/* Also when it has fired; waits until a firing in progress is over. NULL is fine. */
void timer_stop(struct timer *t);

#endif
