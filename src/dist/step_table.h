/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that a worker takes part in: one rendezvous each, made by whoever comes first.
 *
 * A step that is over leaves a tombstone, so that calls that come late fail instead of waiting for
 * ever; the oldest of many are forgotten. Values of other tasks are fetched from there (plane.h);
 * the end of the step cancels what is under way. Thread-safe; steps are counted. */
#ifndef LEAT_DIST_STEP_TABLE_H
#define LEAT_DIST_STEP_TABLE_H

#include "base/lock.h"
#include "base/map.h"
#include "dist/plane.h"
#include "op/rendezvous.h"

enum {
    STEP_MAX_LIVE = 65536,      /* steps of a worker */
    STEP_MAX_OVER = 16384,      /* tombstones */
    STEP_MAX_WAITING = 1 << 20, /* values and receivers that wait in one step */
    REQUESTS_REMEMBERED = 100000,
};

typedef void (*step_over_fn)(void *arg);
struct part_run;    /* of a worker */
struct step_waiter; /* likewise */

struct task_step {
    int refs; /* atomic */
    int64_t id;
    struct step_table *table;
    struct rendezvous *rendezvous;
    struct strmap parts; /* piecewise runs by graph: worker_run.c's, guarded by the worker's lock */
    bool ended;          /* likewise: there will be no more of them */
    struct part_run *runs; /* all that are under way, and who waits for their end: likewise */
    struct step_waiter *waiters;
    struct lock lock;
    struct far_recv *recvs; /* under way; guarded by lock */
    /* Written once, under lock; read without it, atomically. */
    struct peers *peers;   /* of the session that runs here; NULL: the table's */
    char *name;            /* this task's in that session; NULL: the table's */
    struct status aborted; /* guarded by lock */
};

struct step_table {
    struct peers *peers;
    struct planes *planes; /* that tensors come by */
    char *name;            /* "/job:ps/replica:0/task:0" */
    /* A step is over: its runs are to go; over (may be NULL) is called when they have. */
    void (*ended)(void *arg, struct task_step *s, step_over_fn over, void *over_arg);
    void *arg;
    struct lock lock;
    /* --- guarded by lock --- */
    struct u64map live, over;
    uint64_t *ring; /* of tombstones, STEP_MAX_OVER */
    int64_t next_over;
};
void step_table_init(
    struct step_table *t, const char *name, struct planes *planes, struct peers *peers,
    void (*ended)(void *arg, struct task_step *s, step_over_fn over, void *over_arg), void *arg);
void step_table_release(struct step_table *t); /* no step is in use */

/* Referenced; made where it is not there. ABORTED for one that is over, RESOURCE_EXHAUSTED when
 * there are too many. */
struct task_step *step_table_get(struct step_table *t, int64_t id, struct status *st) MUST_CHECK;
void task_step_unref(struct task_step *s);
/* The step is of a session in which this task has another name, and (NULL: not known yet) other
 * peers. */
void task_step_place(struct task_step *s, struct str name, struct peers *peers);
/* Ends a step: what waits, and what comes later, fails with ABORTED. over (may be NULL) is called
 * once nothing of it runs here, perhaps at once. */
void step_table_end(struct step_table *t, int64_t id, step_over_fn over, void *arg);
void step_table_end_all(struct step_table *t);

/* --- ids of requests, so that none is done twice --- */
struct request_ids {
    struct lock lock;
    struct u64map seen; /* guarded by lock, as the ring */
    uint64_t *ring;
    int64_t next;
};
void request_ids_init(struct request_ids *r);
void request_ids_release(struct request_ids *r);
/* ABORTED where the id was seen before; 0 is never checked. */
MUST_CHECK bool request_ids_add(struct request_ids *r, int64_t id, const char *method,
                                struct status *st);

/* --- keys of values: "src;incarnation;dst;name;frame:iter" --- */
struct transfer_key {
    struct str src, dst, name;
    uint64_t incarnation;
};
MUST_CHECK bool transfer_key_parse(const char *key, struct transfer_key *out, struct status *st);
/* Whether the device is one of the task's: "/job:ps/replica:0/task:1" and "/device:..." after it.
 */
bool device_in_task(struct str device, const char *task);

#endif
