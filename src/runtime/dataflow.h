/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the dataflow executor, shared by its files: dataflow.c runs steps, flow_jobs.c
 * those that leave their flow's thread, flow_frames.c moves values along the edges, through loops'
 * frames and iterations.
 *
 * One struct flow is the memory of one run of one part. It has one owner at a time: the thread that
 * works off its ready steps. Everything here is the owner's, but what is marked; so a step costs
 * neither a lock nor an atomic operation. What leaves the owner (an expensive kernel given to the
 * pool, an asynchronous kernel) is a job; when it is over it is put into the flow's mailbox. An
 * owner that has nothing ready looks there, and gives the flow up when the mailbox is empty; who
 * puts a job into the mailbox of a flow without owner becomes its owner.
 *
 * Every step of an iteration has a pending count; when it reaches zero the step is ready. A dead
 * value (of an untaken branch) counts as arrived and makes its consumer dead, except at a Merge,
 * which needs one live input, and at a ControlTrigger, which needs none. Values lie in the slots of
 * the iteration they are for; a slot is emptied when the last step that reads it is over, and may
 * be overwritten or moved by that one. */
#ifndef LEAT_RUNTIME_DATAFLOW_H
#define LEAT_RUNTIME_DATAFLOW_H

#include "base/lock.h"
#include "runtime/home.h"
#include "runtime/plan.h"

struct flow_frame;

struct flow_iter { /* one iteration of a frame; one heap block with its arrays, owned by the frame
                    */
    struct flow_frame *frame;
    int64_t number;
    int32_t outstanding; /* steps ready or running, frames alive inside */
    const int32_t *in_from;
    struct tensor *slots;
    struct tensor **in;           /* per input of the frame's steps */
    struct plan_count *counts;    /* per step of the frame */
    int32_t *uses;                /* per slot: steps that read it and are not over */
    struct flow_frame **children; /* per child frame: the loop that runs in this iteration */
    struct flow_iter *next_free;
};

struct flow_value { /* a value kept for later iterations */
    int32_t step;   /* whose output it is */
    struct tensor value;
};

struct flow_values {
    struct flow_value *v;
    int64_t n, cap;
};

struct flow_constant { /* a loop invariant: given to each iteration */
    int32_t step;      /* the Enter, -1: has not come */
    bool dead;
    struct tensor value;
};

struct flow_frame { /* a loop that runs: one per (frame, iteration of the parent) */
    const struct plan_frame *def;
    int32_t index;                 /* of def */
    struct flow_iter *parent_iter; /* NULL: the root */
    struct flow_iter **iters;      /* ring of parallel_iterations + 1, by number */
    int64_t newest, oldest;        /* iteration numbers alive: oldest..newest */
    int32_t alive_iters, pending_enters;
    struct flow_constant *constants;
    struct flow_values deferred;   /* values of NextIteration that wait for a free iteration */
    struct flow_values dead_exits; /* of the newest iteration */
    char *id; /* for rendezvous keys and messages: parent id / iteration ; name */
    int64_t id_len, id_cap;
    uint64_t number; /* of the frame in keys, 0 for the root */
    struct flow_frame *next_free;
};

struct flow_ready { /* a step that can run */
    struct flow_iter *iter;
    int32_t step;
    bool dead;
};
struct flow_list {
    struct flow_ready *v;
    int64_t n, cap;
};

struct flow_job { /* a step away from its flow's owner; owned by the flow */
    struct kctx c;
    struct flow *flow;
    struct flow_ready item;
    struct status status;
    int64_t start_ns;
    int state;    /* atomic; of an asynchronous one: 0 started, 1 start is over, 2 done first */
    bool dead[1]; /* c.in_dead */
    int32_t num_values; /* dereferenced inputs, which follow with the pointers to them */
    struct tensor *values;
    struct tensor **in;
    struct flow_job *next;
};

struct flow_pool { /* what one frame's loops have left for the next */
    struct flow_iter *iters;
    struct flow_frame *frames;
    int32_t num_iters, num_frames;
};

struct flow {
    const struct plan_part *part;
    struct kernel_env *env;
    struct step_trace *trace;
    plan_done_fn done;
    void *done_arg;
    struct flow_frame *root;
    struct flow_list ready, heavy; /* the latter: worth a thread of their own */
    struct flow_pool *pools;       /* per frame def */
    struct flow_job *free_jobs;
    int64_t away;         /* jobs that are not back */
    struct status status; /* the first error */
    bool aborted;
    bool parallel;          /* other threads may run steps of this flow */
    struct home *home;      /* of the step; NULL: nobody waits for it */
    struct flow *next_home; /* guarded by the home's lock */
    struct lock lock;
    bool owned;               /* guarded by lock */
    struct flow_job *mailbox; /* guarded by lock, read without it as a hint; the newest first */
};

/* --- dataflow.c --- */
/* The first error ends the step: nothing new starts. st is copied. */
void flow_fail(struct flow *f, const struct status *st);
/* A job that is back: its outputs go along the edges. */
void flow_job_over(struct flow *f, struct flow_job *job);
/* The owner's loop: returns when the flow is over or has another owner, or none. */
void flow_drive(struct flow *f);

/* --- flow_jobs.c --- */
/* Starts an asynchronous step, which ends in the mailbox, or has ended by now. */
void flow_start_async(struct flow *f, const struct flow_ready *r);
/* Gives a flow that the caller owns to the pool. */
void flow_start_elsewhere(struct flow *f);
/* Gives a step to the pool. */
void flow_hand_off(struct flow *f, const struct flow_ready *r);
/* Runs a step here without owning the flow meanwhile. False: the flow has another owner now. */
bool flow_run_apart(struct flow *f, const struct flow_ready *r);
/* What came back. NULL: nothing did, and the caller owns the flow no more, unless nothing is away.
 */
struct flow_job *flow_collect(struct flow *f);
void flow_job_free(struct flow *f, struct flow_job *job);

/* --- flow_frames.c --- */
struct flow_frame *flow_frame_new(struct flow *f, int32_t index, struct flow_iter *iter);
/* Frees a frame with all that is inside. */
void flow_frame_free(struct flow *f, struct flow_frame *frame);
void flow_free_blocks(struct flow *f);
/* A step that waits for nothing. */
void flow_start_root(struct flow *f, struct flow_iter *iter, int32_t step);
/* The outputs of a step that ran in iter (dead: it did not), which lie in their slots, go along its
 * edges; then its inputs are given back and the step counts as over. */
void flow_propagate(struct flow *f, struct flow_iter *iter, const struct plan_step *s, bool dead);
/* Input i of s as output of a step that only hands it on: moved where nobody else wants it. */
void flow_forward(struct flow_iter *iter, const struct plan_step *s, int i, struct tensor *out);

/* Bit i: nobody else will read input i of s. */
static inline uint64_t flow_last_uses(const struct flow_iter *it, const struct plan_step *s)
{
    const int32_t *from = it->in_from + s->frame_in;
    uint64_t bits = 0;
    for (int i = 0; i < s->num_in && i < 64; i++) {
        if (from[i] >= 0 && it->uses[from[i]] == 1)
            bits |= (uint64_t)1 << i;
    }
    return bits;
}

#endif
