/* SPDX-License-Identifier: Apache-2.0 */
/* Training that survives: sessions that the chief initialises or restores, that the others wait
 * for, and that are made anew when a task was lost; as tf.train.MonitoredTrainingSession and
 * tf.train.Supervisor of TensorFlow 1.15.
 *
 *     leat_monitored_session *ms = leat_monitored_session_new(g, s, .target = target,
 *         .is_chief = task == 0, .checkpoint_dir = "model",
 *         .hooks = leat_hooks(leat_stop_at_step_hook(0, 1000)));
 *     while (ms && !leat_monitored_should_stop(ms))
 *         if (!leat_monitored_run(ms, s, .targets = leat_opers(train)))
 *             break;
 *     leat_monitored_session_close(ms, s);       writes the last checkpoint; frees
 *
 * One thread uses a session. Functions return 1, or 0 (NULL) with the status set. */
#ifndef LEAT_MONITORED_SESSION_H
#define LEAT_MONITORED_SESSION_H

#include "leat/global_step.h"
#include "leat/hooks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What makes a model ready. Members that are not given are made by leat_scaffold_finalize, with
 * 1.15's nodes. */
struct leat_scaffold {
    TF_Operation *init_op;             /* the global variables' */
    TF_Output ready_op;                /* names of what has no value: none, the model is ready */
    TF_Output ready_for_local_init_op; /* the same of what local_init_op needs */
    TF_Operation *local_init_op;       /* local variables and tables */
    TF_Output summary_op;              /* may stay invalid: the graph has no summaries */
    leat_saver *saver;                 /* given: the caller's; else freed by _release; NULL where
                                        * there are no variables */
    /* Runs after init_op, where no checkpoint was restored. */
    int (*init_fn)(void *arg, TF_Session *session, TF_Status *status);
    void *init_arg;
    bool owns_saver; /* set by _finalize */
};
/* 1, or 0: the graph has an error. */
LEAT_EXPORT int leat_scaffold_finalize(TF_Graph *g, struct leat_scaffold *scaffold);
LEAT_EXPORT void leat_scaffold_release(struct leat_scaffold *scaffold);

/* How a session is had. */
#define LEAT_START_FIELDS_                                                                         \
    const char *target; /* of the master; NULL: in this process */                                 \
    const char *config; /* a ConfigProto as text; may be NULL */                                   \
    bool is_chief;      /* true */                                                                 \
    const char *checkpoint_dir;                                                                    \
    double max_wait_secs;     /* for the model to become ready: 7200; then DEADLINE_EXCEEDED */    \
    double recovery_wait_secs /* the most between two looks, which begin with 50 ms: 30 */
struct leat_start_args {
    LEAT_START_FIELDS_;
};
/* A session in which the model is ready: the chief restores the latest checkpoint or initialises;
 * another waits for that, with a line in the log every 10 s. FAILED_PRECONDITION: the model did not
 * become ready by that. */
LEAT_EXPORT TF_Session *leat_start_session(TF_Graph *g, const struct leat_scaffold *scaffold,
                                           const struct leat_start_args *args, TF_Status *status);

typedef struct leat_monitored_session leat_monitored_session;

struct leat_monitored_session_args {
    const char *made_at; /* not used */
    TF_Graph *g;
    TF_Status *status;
    LEAT_START_FIELDS_;
    struct leat_scaffold *scaffold; /* NULL: a new one */
    struct leat_hooks hooks, chief_only_hooks;
    struct leat_every save_checkpoint; /* 600 s; of the chief, where there is a checkpoint_dir */
    struct leat_every save_summaries;  /* 100 steps */
    int64_t log_step_count_steps;      /* 100; 0: not */
    const char *summary_dir;           /* NULL: checkpoint_dir */
    double stop_grace_secs;            /* for threads to end: 120 */
};
LEAT_EXPORT void leat_monitored_session_args_init(struct leat_monitored_session_args *args);
/* Takes the hooks, also where it fails. */
LEAT_EXPORT leat_monitored_session *
leat_monitored_session_new_fn(const struct leat_monitored_session_args *args);
/* A hook asked for the end, or a thread did, or the data did (OUT_OF_RANGE). NULL: true. */
LEAT_EXPORT bool leat_monitored_should_stop(leat_monitored_session *ms);

struct leat_monitored_run_args {
    const char *made_at; /* not used */
    leat_monitored_session *ms;
    TF_Status *status;
    struct leat_feeds feeds;
    struct leat_fetches fetches;
    struct leat_opers targets;
};
/* A step. After UNAVAILABLE or ABORTED (a task was lost, or came back) the session is made anew and
 * the step repeated. Data that end (OUT_OF_RANGE) are given as that error, and end the training
 * well. */
LEAT_EXPORT int leat_monitored_run_fn(const struct leat_monitored_run_args *args);
/* The session of now, for what is no step; NULL between. */
LEAT_EXPORT TF_Session *leat_monitored_session_raw(leat_monitored_session *ms);
/* Ends and frees it: the hooks' ends where there was no error, the threads, the session. NULL is
 * fine. 0: the first error of a hook or a thread. */
LEAT_EXPORT int leat_monitored_session_close(leat_monitored_session *ms, TF_Status *status);

/* ---- Supervisor: services on threads of their own instead of hooks ---- */

typedef struct leat_supervisor leat_supervisor;

struct leat_supervisor_args {
    const char *made_at; /* not used */
    TF_Graph *g;
    TF_Status *status;
    LEAT_START_FIELDS_;             /* checkpoint_dir: also where summaries go */
    struct leat_scaffold *scaffold; /* NULL: a new one */
    double save_model_secs;         /* 600; 0: not */
    double save_summaries_secs;     /* 120; 0: not */
};
LEAT_EXPORT void leat_supervisor_args_init(struct leat_supervisor_args *args);
/* Adds what the scaffold lacks. */
LEAT_EXPORT leat_supervisor *leat_supervisor_new_fn(const struct leat_supervisor_args *args);
/* A session in which the model is ready; queue runners and, at the chief, services run. It is the
 * supervisor's. */
LEAT_EXPORT TF_Session *leat_supervisor_session(leat_supervisor *sv, TF_Status *status);
LEAT_EXPORT bool leat_supervisor_should_stop(leat_supervisor *sv);
LEAT_EXPORT leat_coordinator *leat_supervisor_coordinator(leat_supervisor *sv);
/* Stops the threads, saves once more (the chief, without an error before), ends the session, frees
 * it all. NULL is fine. why: an error that ended the training, or NULL. 0: the first error of all,
 * why's among them. */
LEAT_EXPORT int leat_supervisor_stop(leat_supervisor *sv, const TF_Status *why, TF_Status *status);

#ifdef __cplusplus
}
#else

#define LEAT_START_DEFAULTS_ .is_chief = true, .max_wait_secs = 7200, .recovery_wait_secs = 30,
#define LEAT_MONITORED_DEFAULTS_                                                                   \
    LEAT_START_DEFAULTS_.save_checkpoint = {0, 600}, .save_summaries = {100, 0},                   \
    .log_step_count_steps = 100, .stop_grace_secs = 120,
#define LEAT_SUPERVISOR_DEFAULTS_                                                                  \
    LEAT_START_DEFAULTS_.save_model_secs = 600, .save_summaries_secs = 120,
/* (g, status, .target, .is_chief, .checkpoint_dir, .hooks...) */
#define leat_monitored_session_new(...)                                                            \
    LEAT_CALL_(leat_monitored_session_new_fn, leat_monitored_session_args,                         \
               LEAT_MONITORED_DEFAULTS_, .g, __VA_ARGS__)
#define leat_monitored_run(...)                                                                    \
    LEAT_CALL_(leat_monitored_run_fn, leat_monitored_run_args, LEAT_NO_DEFAULTS_, .ms, __VA_ARGS__)
/* (g, status, .target, .is_chief, .checkpoint_dir...) */
#define leat_supervisor_new(...)                                                                   \
    LEAT_CALL_(leat_supervisor_new_fn, leat_supervisor_args, LEAT_SUPERVISOR_DEFAULTS_, .g,        \
               __VA_ARGS__)

#endif

#endif
