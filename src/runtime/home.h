/* SPDX-License-Identifier: Apache-2.0 */
/* The home of a step: the thread that waits for it, and works on it while it waits.
 *
 * Flows that come to life again while their step's thread has nothing to do are driven by that
 * thread, so that a step on several devices needs no other thread for handing values over. Lives on
 * the waiting thread's stack. */
#ifndef LEAT_RUNTIME_HOME_H
#define LEAT_RUNTIME_HOME_H

#include "base/lock.h"
#include "base/status.h"

struct cancel;
struct flow;

struct home {
    struct cancel *cancel; /* the step's: fired when the waiting thread should stop */
    struct lock lock;
    struct cond cond;
    /* --- guarded by lock --- */
    struct flow *first, *last; /* to be driven, linked by next_home */
    bool waiting, over, stopped;
    struct status status;
};
void home_init(struct home *h, struct cancel *cancel);
void home_release(struct home *h);
/* A plan_done_fn: arg is the home. The step is over. */
void home_over(void *arg, struct status *st);
/* Until the step is over. */
MUST_CHECK bool home_wait(struct home *h, struct status *st);
/* f, which nobody drives and the caller owns, will be driven by the waiting thread. only_idle:
 * false, and nothing is done, when that thread is busy. */
bool home_drive(struct home *h, struct flow *f, bool only_idle);

#endif
