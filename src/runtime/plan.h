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
 * may work in place (`last_use`). Constants are put into the slots when a state is made, and stay.
 */
#ifndef LEAT_RUNTIME_PLAN_H
#define LEAT_RUNTIME_PLAN_H

#include "device/device.h"
#include "graph/graph.h"
#include "graph/pass.h"
#include "op/kernel.h"

struct flow; /* runtime/dataflow.h */
struct home; /* runtime/home.h */
struct session;
struct step_trace; /* runtime/trace.h: collects step stats; NULL: none */

/* What the executors treat by themselves. */
enum step_kind {
    STEP_PLAIN,
    STEP_CONST,   /* its value lies in the slot already */
    STEP_ARG,     /* a feed or a function's argument: put into the slot when the run starts */
    STEP_RETVAL,  /* a fetch or a function's result */
    STEP_FORWARD, /* Identity and its kin: the output is the input */
    STEP_TRIGGER, /* ControlTrigger: alive whatever its control inputs are */
    STEP_SWITCH,
    STEP_MERGE,
    STEP_ENTER,
    STEP_EXIT,
    STEP_NEXT_ITERATION,
    STEP_LOOP_COND,
};

struct plan_edge { /* dataflow: where an output goes */
    int32_t step;  /* consumer */
    int32_t local; /* its number within its frame */
    int32_t input; /* its input, -1: control */
    bool merge;    /* it is a Merge */
    bool heavy;    /* it may be worth a thread of its own */
};

struct plan_step {
    struct kernel *kernel;
    uint8_t kind; /* enum step_kind */
    bool async, blocking, expensive;
    bool derefs;     /* some input is a reference where the op wants a value, or it changes state */
    bool transfer;   /* _Send and _Recv: they run dead, too */
    bool unused_out; /* some output has no consumer */
    bool constant_enter;
    int32_t first_in, num_in;   /* in part->in_slots; the dataflow executor numbers inputs alike */
    int32_t first_out, num_out; /* slots */
    int32_t first_free, num_free; /* in part->frees: slots that die after this step */
    uint64_t last_use;            /* bit i: input i dies here */
    /* --- dataflow; a frame's steps, inputs and slots are numbered within it --- */
    int32_t first_edge, num_edges; /* part->edges: data edges by output, then control edges */
    int32_t first_out_edge;        /* part->out_edge_begin: num_out + 2 offsets into part->edges */
    int32_t frame;                 /* index of the frame it runs in; 0: outside of loops */
    int32_t local, frame_in;       /* its number, and that of its first input, within its frame */
    int32_t out;         /* its first output's slot, in the frame that the outputs go to */
    int32_t child_frame; /* Enter: the frame it opens */
    int32_t constant;    /* Enter of a constant: which of that frame's */
    int32_t num_control_in;
    int32_t arg; /* STEP_ARG, STEP_RETVAL: which */
    bool ref_uninit_ok, uninit_values;
    const char *name;
    struct node *origin; /* may be NULL */
};

struct plan_count {  /* of one step in one iteration; see dataflow.h */
    int32_t pending; /* what it waits for */
    int32_t deads;   /* dead ones that came */
};

/* Where a frame's input is: a slot of the iteration, or one that outlives it. */
enum { INPUT_CONSTANT = -2, /* and below: constant -2 - i of the part */ INPUT_INVARIANT = -1 };

struct plan_frame {
    const char *name; /* full: parent's name / frame_name; "" for frame 0, outside of loops */
    int32_t parent;
    int32_t child_number; /* among the children of its parent */
    int32_t num_children;
    int32_t num_enters, num_constants; /* the latter: Enters of constants */
    int32_t parallel_iterations;
    int32_t num_steps, num_inputs, num_slots;
    bool merges_invariant;     /* some Merge has an Enter of a constant among its inputs */
    struct plan_count *counts; /* per local step: what an iteration starts with */
    int32_t *uses;             /* per slot: data edges that read it */
    int32_t *in_from;          /* per local input: a slot of the iteration, or INPUT_... */
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
    bool heavy;               /* some step may be worth a thread of its own */
};

/* Over before another thread would begin: few steps, each once, none of them expensive. */
enum { PLAN_LIGHT_STEPS = 64 };
static inline bool plan_part_is_light(const struct plan_part *p)
{
    return !p->heavy && p->num_frames <= 1 && p->num_steps <= PLAN_LIGHT_STEPS;
}

struct plan {
    int refs; /* atomic */
    struct session *session;
    struct arena arena;
    struct rgraph *rgraph; /* owns names, attrs and payloads that steps point to */
    struct plan_part *parts;
    int num_parts;
    int num_args; /* feeds, or arguments of a function */
    int num_fetches;
    bool is_function;
    struct output *args_from;    /* what each feed stands for */
    struct kernel **own_kernels; /* of steps that passes made; freed with the plan */
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
    struct str debug; /* debug_watch.h; empty: nothing is watched */
    /* A body: args and fetches, so many, are _Arg and _Retval nodes; no feeds. */
    bool partial;    /* feeds are received from the step's rendezvous, fetches are sent to it */
    bool named_ends; /* the same, by their own names: for other tasks (split_tasks.h) */
    bool is_function;
    int num_args, num_retvals;
};
struct plan *plan_new(struct session *s, const struct plan_request *r,
                      struct status *st) MUST_CHECK;
struct plan *plan_ref(struct plan *p);
void plan_unref(struct plan *p);

/* Runs p. env is the step's: args (borrowed), retvals (num_fetches, filled) and cancel are set in
 * it; it must live until done. A plan whose parts are all tapes runs on the calling thread and done
 * is called before plan_start returns; else done is called on any thread. plan_run waits. On
 * failure no retval is set. */
typedef void (*plan_done_fn)(void *arg, struct status *st);
void plan_start(struct plan *p, struct kernel_env *env, struct step_trace *trace, plan_done_fn done,
                void *arg);
MUST_CHECK bool plan_run(struct plan *p, struct kernel_env *env, struct step_trace *trace,
                         struct status *st);

/* One run's memory: per part the slots of a tape, or a flow. Taken from and given back to the plan.
 */
struct plan_state {
    struct plan_state *next;
    struct tensor **slots; /* per part; NULL for parts that run as dataflow */
    struct tensor ***in;   /* per part: pointer per input */
    struct flow **flows;   /* per part; NULL for tapes */
};
struct plan_state *plan_state_take(struct plan *p);
void plan_state_give(struct plan *p, struct plan_state *s);

/* --- the two executors --- */
MUST_CHECK bool tape_run(const struct plan_part *part, struct tensor *slots, struct tensor **in,
                         struct kernel_env *env, struct step_trace *trace, struct status *st);
/* A flow's memory is good for one run after another. */
struct flow *flow_new(const struct plan_part *part);
void flow_free(struct flow *f);
/* home: the step's, or NULL. elsewhere: not on the calling thread if that may be worth it. */
void flow_start(struct flow *f, struct kernel_env *env, struct step_trace *trace, struct home *home,
                bool elsewhere, plan_done_fn done, void *arg);
/* Runs the kernel of a step with references among its inputs: c->in stays as it was. */
MUST_CHECK bool step_run_derefs(const struct plan_step *s, struct kctx *c, struct status *st);
/* Turns reference inputs that the op wants as values into snapshots, and checks that references
 * hold values. in: the step's input pointers, replaced; temps: num_in cleared tensors that the
 * caller clears after the call. */
MUST_CHECK bool step_deref(const struct plan_step *s, struct tensor **in, struct tensor *temps,
                           struct status *st);
/* Adds the node, its op, its input shapes and where it was made to a failed status. */
void step_explain(const struct plan_step *s, struct tensor *const *in, struct status *st);
/* Argument `index` of env, taken where it may be. */
struct tensor step_arg(struct kernel_env *env, int index);
/* Fetch `index` of env is the value; take: it may be moved. A reference becomes a snapshot: now
 * where a function returns it, at the end of the step (plan_run) where it is fetched. */
MUST_CHECK bool step_return(struct kernel_env *env, int index, struct tensor *value, bool take,
                            struct status *st);

#endif
