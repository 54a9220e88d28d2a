/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: what is done around the steps of a monitored session (leat/monitored_session.h).
 *
 * A hook is a struct of the caller's that begins with a struct leat_hook:
 *
 *     struct my_hook { struct leat_hook hook; float loss; TF_Output y; };
 *     static int ask(struct leat_hook *h, struct leat_step *step, TF_Status *status)
 *     {   struct my_hook *my = (struct my_hook *)h;
 *         return leat_step_fetch(step, leat_fetch(my->y, &my->loss, 1)); }
 *     static int look(struct leat_hook *h, struct leat_step *step, TF_Status *status)
 *     {   if (((struct my_hook *)h)->loss < 0.1F) step->stop = 1;
 *         return 1; }
 *     static const struct leat_hook_type type = {.before_run = ask, .after_run = look};
 *
 * Functions return 1, or 0 with the status set, which ends the training with that error. They are
 * called on the thread that uses the session. A hook given to a session is its until it is freed,
 * when `free` is called. Those made here come from the heap. */
#ifndef LEAT_HOOKS_H
#define LEAT_HOOKS_H

#include "leat/queue_runner.h"
#include "leat/run.h"
#include "leat/saver.h"
#include "leat/summary.h"
#include "leat/sync_replicas.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_scaffold;
/* One call of leat_monitored_run. */
struct leat_step {
    TF_Session *session;
    int stop;                  /* set to 1: the last step */
    int trace;                 /* set to 1 before the run: metadata will say what ran when */
    const TF_Buffer *metadata; /* after the run, where a trace was asked for */
    void *own;                 /* the session's */
};
/* For before_run: fetched with the step; what it points to lives until after_run. Always 1. */
LEAT_EXPORT int leat_step_fetch(struct leat_step *step, struct leat_fetch fetch);
/* The same of a feed. */
LEAT_EXPORT int leat_step_feed(struct leat_step *step, struct leat_feed feed);

struct leat_hook;
struct leat_hook_type { /* NULL: does nothing */
    /* Before the graph is finished: may add nodes. */
    int (*begin)(struct leat_hook *h, TF_Graph *g, struct leat_scaffold *scaffold,
                 TF_Status *status);
    /* Each time that a session was made, the model being ready: also after a failure. */
    int (*after_create_session)(struct leat_hook *h, TF_Session *session, leat_coordinator *c,
                                TF_Status *status);
    int (*before_run)(struct leat_hook *h, struct leat_step *step, TF_Status *status);
    int (*after_run)(struct leat_hook *h, struct leat_step *step, TF_Status *status);
    /* The training ended without an error. */
    int (*end)(struct leat_hook *h, TF_Session *session, TF_Status *status);
    void (*free)(struct leat_hook *h);
};
struct leat_hook {
    const struct leat_hook_type *type;
};
struct leat_hooks {
    struct leat_hook *const *v;
    int n;
};

/* When something is done: every so many steps or seconds; both 0: never. */
struct leat_every {
    int64_t steps;
    double secs;
};

/* All but the first need the graph to have a global step (FAILED_PRECONDITION at begin). */

/* Stops after num_steps steps of this session, or at global step last_step; the other is 0. */
LEAT_EXPORT struct leat_hook *leat_stop_at_step_hook(int64_t num_steps, int64_t last_step);
/* DIR/model.ckpt-STEP at the start, then as often, and at the end. saver NULL: the scaffold's. */
LEAT_EXPORT struct leat_hook *leat_checkpoint_saver_hook(const char *dir, leat_saver *saver,
                                                         struct leat_every every);
/* summary: a string scalar; invalid: the scaffold's. */
LEAT_EXPORT struct leat_hook *leat_summary_saver_hook(const char *dir, TF_Output summary,
                                                      struct leat_every every);
/* Steps a second, as the summary global_step/sec in dir (NULL: none), and in the log. */
LEAT_EXPORT struct leat_hook *leat_step_counter_hook(const char *dir, struct leat_every every);
/* "name = value" of scalars in the log; needs no global step. names NULL: those of the nodes. */
LEAT_EXPORT struct leat_hook *leat_logging_hook(struct leat_outputs tensors,
                                                struct leat_strings names, struct leat_every every);
/* A loss that is not a number ends the training: with an error, or as a last step. Needs no global
 * step. */
LEAT_EXPORT struct leat_hook *leat_nan_hook(TF_Output loss, bool fail);
/* DIR/timeline-STEP.json, for chrome://tracing and Perfetto. */
LEAT_EXPORT struct leat_hook *leat_profiler_hook(const char *dir, struct leat_every every);
/* Starts this worker's part in synchronous training and, where that is .elastic, ends it.
 * num_tokens: as leat_sync_init_tokens. */
LEAT_EXPORT struct leat_hook *leat_sync_hook(leat_optimizer *sync, bool is_chief, int num_tokens);

#ifdef __cplusplus
}
#else

#define leat_hooks(...)                                                                            \
    ((struct leat_hooks){                                                                          \
        (struct leat_hook *const[]){__VA_ARGS__},                                                  \
        (int)(sizeof((struct leat_hook *const[]){__VA_ARGS__}) / sizeof(struct leat_hook *))})

#endif

#endif
