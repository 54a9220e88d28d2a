/* SPDX-License-Identifier: Apache-2.0 */
/* What monitored sessions, their hooks and supervisors share. */
#ifndef LEAT_BUILD_MONITORED_H
#define LEAT_BUILD_MONITORED_H

#include "leat/monitored_session.h"

/* A session with threads on it. */
struct running {
    TF_Session *session;
    leat_coordinator *c;
    int num_fillers; /* threads of queue runners */
};

/* Starts the graph's queue runners. 0 after an error, nothing runs then; the session stays. */
int running_start(struct running *r, TF_Graph *g, TF_Session *session, TF_Status *status);
/* Stops the threads, closes and frees. 0: the first error of a thread. */
int running_end(struct running *r, double grace_seconds, TF_Status *status);
/* A task was lost, or has come back. */
bool status_says_lost(const TF_Status *status);

/* What the hooks' steps look at. */
struct timer { /* all zero: asked for the first time */
    struct leat_every every;
    bool asked;
    int64_t last_step, last_ns;
};
bool timer_due(const struct timer *t, int64_t step);
void timer_done(struct timer *t, int64_t step);

#endif
