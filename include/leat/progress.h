/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on stderr for training loops: step, metrics, steps per second, time to go.
 *
 *     struct leat_progress p;
 *     leat_progress_begin(&p, "train", 1000, 0);
 *     for (...) leat_progress_step(&p, i + 1, "loss", loss, "accuracy", accuracy, NULL);
 *     leat_progress_end(&p);
 *
 * Drawn at most ten times a second and only where stderr is a terminal, unless asked for. One
 * thread; cannot fail. */
#ifndef LEAT_PROGRESS_H
#define LEAT_PROGRESS_H

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_progress {
    const char *title; /* the caller's, kept */
    int64_t total;     /* steps; 0: not known */
    int64_t step;
    int64_t begin_ns, drawn_ns;
    int on;            /* it is drawn */
    int on_terminal;   /* over itself; else a line each time */
    char metrics[160]; /* as last given */
};

/* force: 1 draws a line a second also where stderr is no terminal; -1 never draws. */
LEAT_EXPORT void leat_progress_begin(struct leat_progress *p, const char *title, int64_t total,
                                     int force);
/* `step` steps are done. Pairs of a name and a double, then NULL. */
LEAT_EXPORT void leat_progress_step(struct leat_progress *p, int64_t step, ...)
    __attribute__((sentinel));
/* The same without metrics in the call: those of before stay. */
LEAT_EXPORT void leat_progress_tick(struct leat_progress *p, int64_t step);
/* Steps per second since the beginning. */
LEAT_EXPORT double leat_progress_rate(const struct leat_progress *p);
/* Draws the last state and ends the line. */
LEAT_EXPORT void leat_progress_end(struct leat_progress *p);

#ifdef __cplusplus
}
#endif

#endif
