/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the dataflow executor, shared by its two files: dataflow.c runs steps,
 * flow_frames.c moves their outputs along the edges, through loops' frames and iterations.
 *
 * One struct flow is one run of one part. flow->lock guards everything below but `outstanding`
 * and `inputs` of steps that run. Every step of an iteration has a pending count; when it reaches
 * zero the step is ready. A dead value (of an untaken branch) counts as arrived and makes its
 * consumer dead, except at a Merge, which needs one live input. */
#ifndef LEAT_RUNTIME_DATAFLOW_H
#define LEAT_RUNTIME_DATAFLOW_H

#include "base/lock.h"
#include "runtime/plan.h"

struct flow_frame;

struct flow_iter { /* one iteration of a frame; one heap block, owned by the frame */
    struct flow_frame *frame;
    int64_t number;
    int32_t outstanding;      /* steps ready or running, frames alive inside */
    struct tensor *inputs;    /* per input of the frame's steps */
    int32_t *pending, *deads; /* per step of the frame: see step_arrive */
    struct flow_iter *next_free;
};

struct flow_value { /* a value kept for later iterations */
    int32_t step;   /* whose output it is */
    struct tensor value;
    bool dead;
};

struct flow_values {
    struct flow_value *v;
    int64_t n, cap;
};

struct flow_frame { /* a loop that runs: one per (frame, iteration of the parent) */
    const struct plan_frame *def;
    int32_t index; /* of def */
    struct flow_frame *parent, *next_sibling, *children;
    struct flow_iter *parent_iter;
    struct flow_iter **iters; /* ring of parallel_iterations + 1, by number */
    int64_t newest, oldest;   /* iteration numbers alive: oldest..newest */
    int32_t alive_iters, pending_enters;
    struct flow_values constants; /* loop invariants: given to each new iteration */
    struct flow_values deferred;  /* values of NextIteration that wait for a free iteration */
    struct flow_values dead_exits;
    char *id; /* for rendezvous keys and messages: parent id / name : iteration */
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

struct flow {
    const struct plan_part *part;
    struct kernel_env *env;
    struct step_trace *trace;
    plan_done_fn done;
    void *done_arg;
    struct lock lock;
    struct flow_frame *root;
    struct flow_iter **free_iters; /* per frame def: blocks to reuse */
    int64_t outstanding;           /* atomic: steps ready or running, all iterations */
    struct status status;          /* the first error */
    bool aborted;                  /* atomic */
    bool parallel;                 /* other threads may run steps of this flow */
};

struct flow_frame *flow_frame_new(struct flow *f, int32_t index, struct flow_frame *parent,
                                  struct flow_iter *iter);
/* Frees a frame with all that is inside. */
void flow_frame_free(struct flow *f, struct flow_frame *frame);
void flow_free_blocks(struct flow *f);
/* Outputs of `step`, which ran in iter (dead: it did not), go along its edges; steps that become
 * ready are appended to ready. Outputs are taken. Then the step counts as over. Under the lock. */
void flow_propagate(struct flow *f, struct flow_iter *iter, int32_t step, bool dead,
                    struct tensor *outputs, struct flow_list *ready);
void flow_list_push(struct flow_list *l, struct flow_iter *iter, int32_t step, bool dead);

#endif
