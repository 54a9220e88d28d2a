/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a master, shared by its files.
 *
 * master.c: the table of sessions, Reset. master_session.c: a session, and the cluster as it sees
 * it. master_plan.c: from a signature to parts that are registered. master_step.c: a step.
 * master_partial.c: piecewise steps. Locks: planning, then the session's, then the master's; none
 * is held while others are called. */
#ifndef LEAT_DIST_MASTER_IMPL_H
#define LEAT_DIST_MASTER_IMPL_H

#include "base/lock.h"
#include "dist/master.h"
#include "dist/step_table.h"
#include "runtime/session.h"
#include "runtime/split_tasks.h"

struct master {
    struct worker *local;
    struct peers *peers;
    struct config config;
    struct pool *pool;
    struct request_ids requests;
    struct lock lock;
    struct cond idle;
    /* --- guarded by lock --- */
    bool closed;
    int64_t live; /* sessions and what works for none */
    struct strmap sessions;
};

struct task_device { /* owned by its task */
    char *name, *type;
    uint64_t incarnation;
    int64_t memory_bytes;
};
struct master_task {   /* a task as one session sees it; guarded by the session's lock */
    char *name;        /* "/job:ps/replica:0/task:0" */
    struct peer *peer; /* NULL: the master's own task */
    bool known;        /* has said which devices it has */
    uint64_t incarnation;
    uint64_t created; /* the incarnation that has a worker session of ours; 0: none has */
    bool uncertain;   /* whether it still has it */
    int64_t over;     /* atomic: a step that is over, which the next RunGraph tells; 0: none */
    struct task_device *devices;
    int num_devices;
};

enum { MASTER_MAX_PLANS = 256 };

struct master_session { /* counted: the table, plans, and whatever is under way */
    int refs;           /* atomic */
    struct master *master;
    char *handle;
    struct graph *graph;
    struct config config;
    struct pb_config_proto *proto; /* in the arena */
    struct arena arena;
    bool isolate;
    bool uncovered;       /* atomic: it keeps what a task's other process has not */
    int64_t looked_at;    /* nodes, for that; guarded by planning */
    struct spec own_spec; /* ClusterSpec propagation; no tasks: the server's is used */
    struct peers *own_peers;
    struct cancel *cancel; /* fires when the session is closed */
    struct session *planner;
    /* --- one plan at a time is cut; guarded by planning --- */
    struct lock planning;
    struct device *devices; /* of all tasks, sorted by name; the planner's */
    int num_devices;
    int *task_of; /* per device */
    bool *known;  /* per task: what the devices were made from */
    int64_t next_name;
    /* --- guarded by lock --- */
    struct lock lock;
    bool closed;
    struct master_task *tasks;
    int num_tasks;
    bool changed; /* tasks know more than `devices` */
    int64_t version;
    int64_t running;                             /* steps */
    void (*when_idle)(struct master_session *s); /* set by close */
    struct strmap plans;                         /* signature -> master_plan */
    int num_plans;
    int64_t clock;
    struct u64map callables; /* handle -> master_callable */
    uint64_t next_callable;
    struct strmap partials; /* handle -> master_partial */
    int64_t next_partial;
    master_done_fn closed_fn;
    void *closed_arg;
};

struct signature { /* names as the client gave them */
    const struct str *feeds, *fetches, *targets;
    int64_t num_feeds, num_fetches, num_targets;
    bool partial;
};

struct plan_slot { /* a feed or fetch at a part */
    int index;     /* of the signature */
    char *key;
};
struct registered_part {
    int task;
    char *graph; /* handle */
    bool light;  /* of the master's own task: worker_is_light */
    uint64_t incarnation;
    struct plan_slot *feeds, *fetches;
    int num_feeds, num_fetches;
};
struct master_plan { /* counted: the session's table, runs, its making */
    int refs;        /* atomic */
    struct master_session *session;
    char *key; /* of the signature */
    /* names and what they stand for; the names lie in the arena */
    struct arena arena;
    struct signature names;
    struct output *feeds, *fetches;
    struct node **targets;
    /* --- guarded by the session's lock --- */
    bool ready, over; /* over: not in the table any more */
    int64_t used;
    struct plan_waiter *waiters;
    /* --- while it is made: written by one at a time --- */
    int left; /* atomic: calls under way */
    struct lock lock;
    struct status status; /* guarded by lock: the first error */
    /* --- immutable once ready --- */
    struct registered_part *parts;
    int num_parts;
};
struct plan_waiter { /* memory of who waits */
    void (*fn)(void *arg, struct master_plan *p, const struct status *st);
    void *arg;
    struct plan_waiter *next;
};

/* --- master.c --- */
MUST_CHECK bool master_enter(struct master *m, struct status *st);
void master_leave(struct master *m);
/* Referenced. ABORTED: no such session. */
struct master_session *master_find(struct master *m, struct str handle,
                                   struct status *st) MUST_CHECK;

/* --- master_session.c --- */
/* Whether a task is within device filters ("/job:ps", "/job:worker/task:1"); none let all in. */
bool master_filtered(char *const *filters, int n, const char *task);
struct master_session *master_session_new(struct master *m, const struct pb_graph_def *graph,
                                          const struct pb_config_proto *config, struct str target,
                                          struct status *st) MUST_CHECK;
struct master_session *master_session_ref(struct master_session *s);
void master_session_unref(struct master_session *s);
/* Cancels its steps; done is called when they are over and the tasks have been told. */
void master_session_close(struct master_session *s, master_done_fn done, void *arg);
/* Counts a step in and out. CANCELLED after close. */
MUST_CHECK bool master_session_enter(struct master_session *s, struct status *st);
void master_session_leave(struct master_session *s);
/* After the graph has grown, under planning (or before others know of s). */
void master_session_look(struct master_session *s);
/* What a task said of its devices. */
void master_session_learn(struct master_session *s, int task,
                          const struct pb_device_attributes_vec *devices);
/* A task came back as another, or may have: it is to be asked again, and plans with parts there are
 * made anew. */
void master_session_forget(struct master_session *s, int task);
/* A plan that was made while the session was closed leaves no worker session behind. */
void master_session_delete_late(struct master_session *s);
/* Under `planning`: the planner's devices are what is known. */
void master_session_update(struct master_session *s);

/* --- master_plan.c --- */
/* The plan of a signature, made where there is none. fn is called once with a reference that it
 * takes, or an error; perhaps at once. False: it will be called later, and plan_stop_waiting may
 * take that back. w is the caller's until then. */
bool master_plan_get(struct master_session *s, const struct signature *names, struct plan_waiter *w,
                     struct master_plan **making);
/* One that is ready, referenced; NULL: there is none yet. */
struct master_plan *master_plan_find(struct master_session *s, const struct signature *names);
/* True: fn will not be called. */
bool master_plan_stop_waiting(struct master_plan *p, struct plan_waiter *w);
struct master_plan *master_plan_ref(struct master_plan *p);
void master_plan_unref(struct master_plan *p);
/* Takes it out of the table: it is made anew when it is wanted again. */
void master_plan_drop(struct master_plan *p);
void master_plans_drop_all(struct master_session *s);
void master_plans_drop_task(struct master_session *s, int task); /* those with a part there */
/* The task is not the one that the part was registered at; ABORTED, and the plan goes. */
MUST_CHECK bool master_plan_check(struct master_plan *p, struct status *st);

/* --- master_step.c --- */
struct step_request {
    struct master_session *session; /* reference taken */
    struct master_plan *plan;       /* reference taken */
    int64_t step_id;
    uint64_t change_key; /* the same when it is tried again */
    bool partial, last;
    const struct wire_value *feeds; /* values[i] is that of feed_of[i] */
    const int *feed_index;          /* NULL: i is feed i */
    int64_t num_feeds;
    const int *fetch_index; /* NULL: all of the plan's */
    int64_t num_fetches;
    bool *part_started; /* partial: per part, in and out; parts that have nothing to do are left out
                         */
    bool traced, partition_graphs, elsewhere;
    int64_t timeout_ms;
    struct cancel *cancel; /* the client's, or NULL */
    /* fetched: as fetch_index, to be taken; metadata: a RunMetadata or empty */
    void (*done)(void *arg, const struct status *st, struct tensor *fetched, int64_t n,
                 struct strbuf *metadata);
    void *arg;
};
/* All that is pointed to is borrowed until done. */
void master_start_step(const struct step_request *r);
/* Tells the tasks of a plan that a step is over; waits for none. */
void master_cleanup(struct master_plan *p, int64_t step_id);
/* Tells a task the step that it was not told yet. */
void master_flush_over(struct master_session *s, int task);
int64_t master_new_step_id(void);
bool master_random(void *out, size_t bytes);

/* --- master_run.c --- */
struct master_callable;
void master_callable_unref(struct master_callable *c);
struct piece { /* of a piecewise step; borrowed until the answer */
    int64_t step_id;
    const int *feed_index, *fetch_index; /* in the step's signature */
    int64_t num_feeds, num_fetches;
    bool last;
    bool *part_started; /* made when the plan is known; `keep` sets it */
    /* Told the plan that it goes by. */
    void (*keep)(struct piece *piece, struct master_plan *p);
    struct master_plan *plan; /* of earlier pieces; NULL: this one looks for it */
};
struct question {
    struct signature names; /* fetches perhaps repeated */
    const struct wire_value *feeds;
    const struct str *fetches; /* of a piece: its own, by name */
    struct piece *piece;       /* NULL: a whole step */
    int64_t timeout_ms;
    bool traced, elsewhere;
    struct cancel *cancel;
    master_step_fn done;
    void *arg;
};
/* Takes the reference of the session, which was entered, and leaves it in the end; frees
 * feed_names then. */
void master_ask(struct master_session *s, const struct question *q, struct str *feed_names);
MUST_CHECK bool master_check_names(const struct signature *g, struct status *st);
void master_refuse(struct master_session *s, master_step_fn done, void *arg,
                   const struct status *st); /* leaves s */
int64_t master_timeout(const struct master_session *s, int64_t own);

/* --- master_partial.c --- */
void master_run_piece(struct master_session *s, const struct master_step *step,
                      struct cancel *cancel, master_step_fn done, void *arg); /* takes s */
void master_partials_drop_all(struct master_session *s);

#endif
