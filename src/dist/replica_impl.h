/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a replica: replica.c (who serves, leases, answers that wait), replica_log.c (what
 * changed), replica_marks.c (which ops have run, or run now), replica_notes.c (what resources say
 * of themselves), replica_send.c (entries to the other process), replica_apply.c (and from it). */
#ifndef LEAT_DIST_REPLICA_IMPL_H
#define LEAT_DIST_REPLICA_IMPL_H

#include <pthread.h>

#include "base/lock.h"
#include "base/map.h"
#include "dist/replica.h"
#include "dist/wire.h"
#include "op/cancel.h"

enum { CHANGE_MARKS_KEPT = 200000, CHANGE_MAX_TENSORS = 64 };

struct change { /* owned by its entry */
    int kind;   /* PB_LEAT_PEER_CHANGE_KIND_... */
    char *container, *name;
    const char *type;      /* of the resource; static */
    int note;              /* NOTE: the kind that the type has for it */
    int dtype;             /* of a variable */
    struct shape declared; /* likewise */
    struct tensor *values; /* VALUE: one, or none for a variable without one; ROWS: numbers, rows */
    int num_values;
};
struct entry { /* what one kernel changed; owned by the log */
    struct entry *next;
    uint64_t number, mark;
    struct change *changes;
    int n;
    int64_t bytes; /* of the values */
    bool whole;    /* the last one of those that say everything */
};
struct mark {         /* an op of a step that has run; in the table */
    int64_t progress; /* 0: it is over; else how much of what it does is done */
    int n;
    struct tensor outputs[]; /* those that are no references */
};
struct flight; /* an op with a key that runs now (replica_marks.c) */

enum replica_role { REPLICA_STARTING, REPLICA_SERVES, REPLICA_STANDS_BY };
/* To the other process: nothing is sent; everything is being sent, or was. */
enum replica_stream { STREAM_CLOSED, STREAM_OPENING, STREAM_OPEN };

struct safe_wait { /* memory of the replica */
    struct safe_wait *next;
    uint64_t number; /* of the first entry that it does not wait for */
    replica_safe_fn fn;
    void *arg;
};

struct replica {
    struct changes hook; /* first */
    struct replica_options o;
    char *task;
    struct rpc_channel *other, *witness; /* NULL: none */
    int64_t lease_ns;
    struct cancel *stop;
    pthread_t send_thread, lease_thread;
    bool started;
    /* One kernel that changes state at a time; what is written down has its order. Before `lock`.
     */
    struct lock order;
    struct lock marks_lock; /* after `order` and resources' locks, before `lock` */
    struct cond landed;     /* an op that had run is over */
    /* --- guarded by marks_lock --- */
    struct u64map marks; /* key -> struct mark */
    uint64_t *ring;      /* of keys, CHANGE_MARKS_KEPT */
    int64_t next_mark;
    struct u64map flights; /* key -> struct flight */
    struct lock lock;
    struct cond wake; /* of the sender */
    struct cond poke; /* of the lease's thread */
    /* --- guarded by lock --- */
    enum replica_role role;
    int64_t times_alone;
    bool stopping, asking; /* asking: to be promoted; nothing is taken meanwhile */
    uint64_t epoch;
    /* who stands by */
    bool holds;               /* everything, of the epoch */
    bool other_fresh;         /* a process without state answers for the other */
    uint64_t expected;        /* the next entry */
    uint64_t from;            /* the incarnation that sends */
    int64_t heard_ns;         /* when it last sent */
    struct entry *unfinished; /* one of which parts have come */
    int64_t next_part;
    /* who serves */
    enum replica_stream stream;
    uint64_t stream_id;         /* rises with each that is opened */
    bool reset;                 /* the next message is the first */
    uint64_t next, acked;       /* entries: the next one's number, and what the other has */
    uint64_t whole_at;          /* when it has these it has everything */
    struct entry *head, **tail; /* not confirmed yet */
    struct entry *dropped;      /* the sender may look at them still; it frees them */
    bool counted;               /* the witness may believe that the other has everything */
    uint64_t counted_at;        /* ... which it is told when these are there */
    int64_t lease_until_ns, other_until_ns;
    int64_t stream_ok_ns, witness_ok_ns; /* when the other process, the witness, was heard last */
    uint64_t lease_number;
    struct safe_wait *waits;
    /* --- the sender's own: where it is in the first entry, too big for one message --- */
    struct place {
        int change, value; /* the value that comes in pieces */
        bool headed;       /* the change's own message part is there */
        int64_t offset, part;
    } at;
};

/* --- replica_log.c --- */
bool replica_run_kernel(struct changes *h, struct kctx *c, struct status *st);
void entry_free(struct entry *e);
struct change *entry_add(struct entry *e, int kind, const char *container, const char *name,
                         int cap);
/* Takes e, and drops it where it is not wanted: nobody is sent anything, or not yet of j's resource
 * (NULL: it is of none), or that is gone; of which e may tell. */
void replica_log_add(struct replica *r, struct entry *e, struct journal *j);
/* There is no memory for something that had to be logged: later, perhaps, everything. */
void replica_give_up_stream(struct replica *r);
bool replica_is_sending(struct replica *r);
/* Under order: everything there is becomes entries; the stream opens. */
void replica_log_everything(struct replica *r);

/* --- replica_marks.c --- */
enum run_before { RUN_NEW, RUN_AGAIN, RUN_REFUSED };
/* RUN_AGAIN: the op had run; c's outputs are what it gave. RUN_REFUSED: it is not to run. */
enum run_before replica_look_back(struct replica *r, struct kctx *c, uint64_t key,
                                  struct status *st);
void replica_add_mark(struct replica *r, uint64_t key, const struct tensor *outputs, int n,
                      int64_t progress);
bool replica_has_mark(struct replica *r, uint64_t key); /* of an op that is over */
/* An op that logs what it changes itself, and does not wait. */
bool replica_run_noted(struct replica *r, struct kctx *c, struct status *st);
/* One that may wait. */
void replica_start_noted(struct changes *h, struct kctx *c);
int64_t replica_progress(struct changes *h, uint64_t key);
void replica_each_mark(struct replica *r, void (*fn)(void *arg, uint64_t key, const struct mark *m),
                       void *arg);
void replica_clear_marks(struct replica *r);
/* The op's outputs that are values: at most cap of them, borrowed. */
int replica_list_outputs(const struct kctx *c, struct tensor *out, int cap);
/* Says in e that the op has run, or how far it has come. */
void replica_put_mark(struct entry *e, uint64_t key, const struct tensor *outputs, int n,
                      int64_t progress);

/* --- replica_notes.c --- */
void replica_log_notes(struct changes *h, struct journal *j, struct note *notes, int n,
                       const struct noted *op);
void replica_watch(struct replica *r); /* resources get their journals */
void replica_log_resource(struct replica *r, struct resource *res);
MUST_CHECK bool replica_apply_note(struct replica *r, struct change *c, struct status *st);

/* --- replica_send.c --- */
void *replica_send_thread(void *arg);
/* Under lock: forgets what was to be sent. */
void replica_close_stream(struct replica *r);
void replica_free_dropped(struct replica *r);
struct replica_hello { /* what the other process says of itself */
    bool serves, holds;
    uint64_t epoch;
};
bool replica_say_hello(struct replica *r, struct replica_hello *out); /* false: no answer */
void replica_say_leaving(struct replica *r);

/* --- replica_apply.c --- */
void replica_receive(void *arg, struct rpc_call *c);

/* --- replica.c --- */
/* Under lock: it serves no more, and stands by. What waits is in *waits, to be failed. */
void replica_fence(struct replica *r, uint64_t epoch, struct safe_wait **waits);
/* Without the lock, after replica_fence. */
void replica_fenced(struct replica *r, struct safe_wait *waits);
/* Ends those waits that are over now. */
void replica_release_waits(struct replica *r);
bool replica_may_answer(const struct replica *r, int64_t now); /* under lock */

#endif
