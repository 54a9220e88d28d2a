/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: what one signature of a session runs, compiled; and the state of one run of it.
 *
 * A plan has one part per device used. A part is an array of steps in topological order (loops'
 * back edges apart), each naming its kernel, its input slots and its output slots. Plans are
 * immutable after plan_new and counted. A plan_state holds the slots of one run; states are kept
 * on the plan's free list, so that a repeated run allocates nothing.
 *
 * Slots: every output of every step has one. On the tape a slot is cleared after its last
 * consumer (`frees`), so buffers return to the allocator as early as can be and the last consumer
 * may work in place (`last_use`). Constants are put into the slots when a state is made, and stay. */
#ifndef LEAT_RUNTIME_PLAN_H
#define LEAT_RUNTIME_PLAN_H

#include "device/device.h"
#include "graph/graph.h"
#include "graph/pass.h"
#include "op/kernel.h"

struct session;
struct step_trace; /* runtime/trace.h: collects step stats; NULL: none */

enum step_kind { /* what the executors treat by themselves */
    STEP_PLAIN,
    STEP_CONST,  /* its value lies in the slot already */
    STEP_ARG,    /* a feed or a function's argument */
    STEP_SWITCH,
    STEP_MERGE,
    STEP_ENTER,
    STEP_EXIT,
    STEP_NEXT_ITERATION,
    STEP_LOOP_COND,
};

struct plan_edge { /* dataflow: where an output goes */
    int32_t step;  /* consumer */
    int32_t input; /* its input, -1: control */
};

struct plan_step {
    struct kernel *kernel;
    const char *name;
    struct node *origin; /* may be NULL */
    uint8_t kind;        /* enum step_kind */
    bool async, blocking, expensive;
    bool derefs;         /* some input is a reference where the op wants a value */
    bool ref_uninit_ok;
    int32_t first_in, num_in;   /* in part->in_slots; the dataflow executor numbers inputs alike */
    int32_t first_out, num_out; /* slots */
    int32_t first_free, num_free; /* in part->frees: slots that die after this step */
    uint64_t last_use;            /* bit i: input i dies here */
    int32_t num_control_in;       /* control edges in */
    int32_t first_edge, num_edges; /* in part->edges, sorted by output; */
    int32_t first_out_edge;        /* in part->out_edge_begin: per output (and one for control) the first edge */
    int32_t frame;                 /* Enter: index of the frame it opens, else that it runs in; -1 outside */
    int32_t arg;                   /* STEP_ARG: which */
};

struct plan_frame {
    const char *name; /* static frame name */
    int32_t parent;   /* -1 outside */
    int32_t num_enters;
    int32_t parallel_iterations;
};

struct plan_part {
    const struct device *device;
    struct plan_step *steps;
    int32_t num_steps;
    int32_t *in_slots; /* slot that feeds each input */
    int32_t num_inputs;
    int32_t num_slots;
    int32_t *frees;
    struct plan_edge *edges;
    int32_t *out_edge_begin;
    int32_t *roots; /* steps with nothing to wait for */
    int32_t num_roots;
    struct plan_frame *frames;
    int32_t num_frames;
    struct tensor *constants; /* per slot; dtype 0 elsewhere */
    bool tape;                /* runs as a straight tape */
};

struct plan {
    int refs; /* atomic */
    struct session *session;
    struct arena arena;
    struct rgraph *rgraph; /* owns names, attrs and payloads that steps point to */
    struct plan_part *parts;
    int num_parts;
    int num_args;                 /* feeds */
    int *fetch_part, *fetch_slot; /* per fetch */
    int num_fetches;
    int *arg_types;
    const struct shape *arg_shapes; /* what each feed must fit */
    struct kernel **own_kernels;    /* of steps that passes made; freed with the plan */
    int64_t num_own_kernels;
    struct lock lock;
    struct plan_state *free_states; /* guarded by lock */
    int num_free_states;
};

struct plan_request {
    struct graph *graph;
    const struct output *feeds, *fetches;
    struct node *const *targets;
    int num_feeds, num_fetches, num_targets;
    const struct pass_options *passes;
    bool is_function; /* args and fetches are _Arg and _Retval nodes; no feeds */
};
struct plan *plan_new(struct session *s, const struct plan_request *r, struct status *st) MUST_CHECK;
struct plan *plan_ref(struct plan *p);
void plan_unref(struct plan *p);

/* Runs p: args are borrowed, fetches filled. env is the step's; its arg and retval members are set here. Calls done
 * on any thread when the run is over; plan_run waits for it instead. */
typedef void (*plan_done_fn)(void *arg, struct status *st);
void plan_start(struct plan *p, struct kernel_env *env, const struct tensor *args, struct tensor *fetches,
                struct step_trace *trace, plan_done_fn done, void *arg);
MUST_CHECK bool plan_run(struct plan *p, struct kernel_env *env, const struct tensor *args, struct tensor *fetches,
                         struct step_trace *trace, struct status *st);

#endif
