/* SPDX-License-Identifier: Apache-2.0 */
/* A session: runs parts of a graph, again and again.
 *
 * Life of a run: the signature (feeds, fetches, targets) finds its plan, or makes one (prune,
 * place, passes, partition: runtime/plan.h); a run state is taken from the plan's free list; the
 * parts run (runtime/tape.c, runtime/dataflow.c); fetches are moved out; the state goes back.
 * Many runs at once are fine: plans are immutable, states are one run's own, kernels' states are
 * shared by all plans of the session and guard themselves.
 *
 * Lock order: session->lock (plans, kernels, devices; short) before graph->lock. */
#ifndef LEAT_RUNTIME_SESSION_H
#define LEAT_RUNTIME_SESSION_H

#include "graph/graph.h"
#include "op/cancel.h"
#include "op/kernel.h"
#include "runtime/config.h"

struct session;

struct run_args {
    const struct output *feeds;
    const struct tensor *feed_values; /* borrowed for the step */
    int num_feeds;
    const struct output *fetches; /* any, in any order, repeated too */
    struct tensor *fetch_values;  /* filled on success: the caller's */
    int num_fetches;
    struct node *const *targets;
    int num_targets;
    const struct run_options *options; /* NULL: the defaults */
    struct strbuf *metadata;           /* a serialized RunMetadata is put here; may be NULL */
    bool partial; /* set by session_partial_setup: feeds come, and fetches go, piecewise */
};

/* Takes a reference to the graph. config is copied. Its target may be another process's
 * (runtime/session_kind.h). */
struct session *session_new(struct graph *g, const struct config *config,
                            struct status *st) MUST_CHECK;
/* What the sessions of a task share; it must outlive them. */
struct kernel_store;
struct session_place {
    struct device *devices;
    int num_devices;
    struct resource_map *resources;
    struct kernel_store *kernels; /* runtime/kernel_store.h; NULL: none is shared */
    const char *handle;           /* the session's name in all tasks */
};
/* A session that stands in a task: TF_Reset does not touch it. */
struct session *session_new_at(struct graph *g, const struct config *config,
                               const struct session_place *place, struct status *st) MUST_CHECK;
/* Cancels running steps, refuses later ones; waits for those that run. */
MUST_CHECK bool session_close(struct session *s, struct status *st);
void session_free(struct session *s); /* closes first */
MUST_CHECK bool session_run(struct session *s, const struct run_args *a, struct status *st);

/* A step that is fed and fetched piecewise. The signature names all that will be; the step starts
 * at once and waits. What is returned names it (mem_free), NULL: an error. It ends when all has
 * been fed and fetched, by an error, or with the session. Any thread, many at once. */
char *session_partial_setup(struct session *s, const struct run_args *signature,
                            struct status *st) MUST_CHECK;
/* Feeds these, waits for those. What was given before, or does not follow from what has been fed,
 * is INVALID_ARGUMENT and changes nothing; other errors end the step. */
MUST_CHECK bool session_partial_run(struct session *s, const char *handle, const struct run_args *a,
                                    struct status *st);

/* A signature made ready once and run many times with feeds in its order. */
struct callable;
struct callable *callable_new(struct session *s, const struct run_args *signature,
                              struct status *st) MUST_CHECK;
MUST_CHECK bool callable_run(struct callable *c, const struct tensor *feeds, struct tensor *fetches,
                             struct status *st);
void callable_free(struct callable *c);
/* Few steps, each once, none of them expensive: over before another thread would begin. */
bool callable_is_light(const struct callable *c);

/* A run that holds no thread while it waits. The signature has no feeds and no fetches: its graph
 * sends and receives by the given rendezvous, which is aborted when cancel fires. */
struct callable_step { /* all outlive the step */
    struct rendezvous *rendezvous;
    struct cancel *cancel;
    int64_t step_id;
    struct changes *changes; /* op/changes.h; may be NULL */
    uint64_t change_key;
    bool traced;    /* a serialized RunMetadata is wanted */
    bool elsewhere; /* the calling thread serves others: what may take long runs on the pool's */
};
/* st and metadata are borrowed; called once, from any thread, perhaps before callable_start
 * returns. c may be freed afterwards, not in it. */
typedef void (*callable_done_fn)(void *arg, const struct status *st, struct strbuf *metadata);
void callable_start(struct callable *c, const struct callable_step *s, callable_done_fn done,
                    void *arg);

/* While on, flows that the calling thread's callbacks set going again are driven by it where they
 * are light, instead of the pool: for a thread that serves others but has nothing else to do just
 * now, and holds no lock. Returns what it was. */
bool thread_lend_to_steps(bool on);

/* CANCELLED once the session is closed. */
MUST_CHECK bool session_open(struct session *s, struct status *st);
/* Clears these containers (none: the default one) of all sessions of this process, and closes them.
 */
void sessions_reset(const char *const *containers, int n);

/* The same, or what the target's master is asked to do (config->target). */
MUST_CHECK bool sessions_reset_at(const struct config *config, const char *const *containers, int n,
                                  struct status *st);

/* All devices that nodes may be placed on, those of other tasks too. */
struct session_device_info {
    char *name, *type; /* owned */
    int64_t memory_bytes;
    uint64_t incarnation;
};
MUST_CHECK bool session_devices(struct session *s, struct session_device_info **out, int *n,
                                struct status *st);
void session_devices_free(struct session_device_info *v, int n);
/* Of this process. */
int session_num_devices(const struct session *s);
const struct device *session_device(const struct session *s, int i);
struct graph *session_graph(struct session *s);
/* The threads of sessions with this config; they stay. */
struct pool *session_threads(const struct config *c);

#endif
