/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a session, shared by the files of runtime/. */
#ifndef LEAT_RUNTIME_SESSION_IMPL_H
#define LEAT_RUNTIME_SESSION_IMPL_H

#include "base/map.h"
#include "runtime/plan.h"
#include "runtime/session.h"

struct plan_entry { /* a cached plan and its signature */
    struct plan *plan;
    uint64_t hash;
    int64_t used; /* session->clock when last used */
    struct output *feeds, *fetches;
    struct node **targets;
    int num_feeds, num_fetches, num_targets;
    bool partial;
    char *debug; /* what it shows: run_options.debug */
    size_t debug_bytes;
    struct plan_entry *next; /* with the same hash */
};

struct step { /* what one run needs besides its plan; kept for reuse */
    struct kernel_env env;
    struct resource_map *resources;
    struct step *next;
};

struct session {
    struct graph *graph;
    struct config config;
    struct pool *pool; /* shared by all sessions of the same thread count; never freed */
    struct device *devices;
    int num_devices;
    struct resource_map *container, *process;
    bool placed_in_task;                 /* devices and container are the task's */
    struct kernel_store *store;          /* the task's; may be NULL */
    const struct session_kind_def *kind; /* NULL: it runs here */
    void *remote;                        /* of that kind */
    struct cancel *cancel;               /* fires at close; parent of every step's */
    char *handle;
    struct functions *functions;                /* runtime/functions.c */
    int64_t next_step;                          /* atomic */
    struct session *next_of_all, **link_of_all; /* guarded by session_list.c's lock */
    struct lock lock;
    struct cond idle;
    /* --- guarded by lock --- */
    bool closed;
    int running;
    struct u64map plans; /* hash -> plan_entry list */
    int num_plans;
    int64_t clock;
    struct step *free_steps;
    struct kernel **kernels; /* by node id; NULL: not made yet */
    int64_t num_kernels;
    const struct device **placed; /* by node id; NULL: not placed yet */
    int64_t num_placed;
    struct partial *partials; /* runtime/partial.c */
    int64_t num_handles;      /* of partial runs, ever */
    int64_t checked_nodes;    /* nodes before this one ask for devices that are there */
};

/* Kernel runner's hook: env->run_function. */
void session_run_function(struct kernel_env *env, struct kctx *caller, const struct attr_func *f,
                          struct tensor *inputs, int num_inputs, function_done_fn done, void *arg);
void session_functions_free(struct session *s);
void session_partials_free(struct session *s); /* of a closed session */

/* Whether the fetches follow from those feeds that were fed: INVALID_ARGUMENT names one that does
 * not. (runtime/reach.c) */
MUST_CHECK bool partial_can_fetch(struct graph *g, const struct output *feeds, const bool *fed,
                                  int num_feeds, const struct output *fetches, int num_fetches,
                                  struct status *st);

/* runtime/session_list.c */
void session_list_add(struct session *s);
void session_list_remove(struct session *s);
/* Counts a run in (FAILED_PRECONDITION-like refusal after close) and out. */
MUST_CHECK bool session_enter(struct session *s, struct status *st);
void session_leave(struct session *s);
struct step *session_step_take(struct session *s);
void session_step_give(struct session *s, struct step *step);
/* The plan for a signature: found or made; a reference is added. */
struct plan *session_plan(struct session *s, const struct run_args *a,
                          struct status *st) MUST_CHECK;
/* Each feed's type and shape against what it stands for. */
MUST_CHECK bool session_check_feeds(const struct output *feeds, const struct tensor *values, int n,
                                    struct status *st);

#endif
