/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a worker, shared by worker.c (sessions and parts) and worker_run.c (steps). */
#ifndef LEAT_DIST_WORKER_IMPL_H
#define LEAT_DIST_WORKER_IMPL_H

#include "dist/step_table.h"
#include "dist/worker.h"
#include "runtime/kernel_store.h"
#include "runtime/session.h"

struct worker_session { /* counted: the worker's table, and each part */
    int refs;           /* atomic */
    struct worker *worker;
    char *handle;
    struct resource_map *own; /* isolated; NULL: the task's are used */
    struct kernel_store *kernels;
    struct cancel *cancel; /* fires when the session is deleted */
    /* A cluster of its own (ClusterSpec propagation); NULL: the worker's. */
    char *name;
    struct device *devices;
    struct peers *peers;
    struct strmap parts; /* graph handle -> worker_part; guarded by the worker's lock */
};

struct worker_part { /* counted: its session's table, and each run */
    int refs;        /* atomic */
    struct worker_session *session;
    struct graph *graph;
    struct session *runner;
    struct callable *whole;
    struct callable *piecewise; /* made when first wanted; guarded by the worker's lock */
    struct node **sinks;        /* what must run */
    int num_sinks;
};

struct worker {
    char *name;
    struct peers *peers;
    struct config config;
    struct pool *pool;
    struct device *devices;
    int num_devices;
    struct resource_map *resources;
    struct replica *replica; /* NULL: no task of the cluster is replicated */
    struct cancel *cancel;
    struct step_table steps;
    struct request_ids requests;
    struct offers *offers;
    struct planes *planes;
    struct lock lock;
    struct cond idle;
    /* --- guarded by lock --- */
    bool closed;
    int64_t live; /* sessions, parts, runs and waiting receivers */
    int64_t next_graph;
    struct strmap sessions; /* handle -> worker_session */
};

/* Counts something in that worker_free waits for; CANCELLED once it is called. */
MUST_CHECK bool worker_enter(struct worker *w, struct status *st);
void worker_leave(struct worker *w);

/* Referenced; ABORTED for handles that are not there. */
struct worker_part *worker_find_part(struct worker *w, struct str session, struct str graph,
                                     struct status *st) MUST_CHECK;
void worker_part_unref(struct worker_part *p);
/* Cancels a step's runs and lets the piecewise ones go; over (may be NULL) is called when none runs
 * any more (worker_run.c). */
void worker_step_ended(void *worker, struct task_step *s, step_over_fn over, void *over_arg);
/* The form of a part for steps in pieces. */
struct callable *worker_piecewise(struct worker_part *p, struct status *st) MUST_CHECK;

#endif
