/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is, and the context in which it runs.
 *
 * A kernel is chosen once per (session, node): `init` reads the attrs into a state struct, shared
 * by every plan and step of that session (guard what it changes: steps run concurrently). `run`
 * computes one step's outputs. It gets inputs, outputs, scratch and the pool from its context and
 * never calls malloc. Before run the framework has checked arity and types against the specs.
 *
 * A value is a struct tensor. A reference (an edge of type ref) is a value whose dtype is the
 * element type + DT_REF and whose data is a struct variable *; it is turned into a snapshot by the
 * framework where the op's argument is not a reference, so most kernels never see one. */
#ifndef LEAT_OP_KERNEL_H
#define LEAT_OP_KERNEL_H

#include "base/pool.h"
#include "op/attr.h"
#include "op/op.h"
#include "op/resource.h"
#include "op/variable.h"

struct kctx;
struct kernel;

enum kernel_flags {
    KERNEL_ASYNC = 1, /* has run_async instead of run; holds no thread while it waits */
    KERNEL_BLOCKING =
        2, /* run may wait (file io, sleep): never on the tape's thread with others behind it */
    KERNEL_EXPENSIVE = 4,   /* more than about 100 us on large inputs: worth a thread of its own */
    KERNEL_ALIAS = 8,       /* output 0 may be input 0 itself (Identity, Reshape) */
    KERNEL_SAME_SHAPE = 16, /* with ewise: operands of different shapes are an error */
    KERNEL_BIAS = 32, /* with ewise: operand 1 is a vector along the last dim of operand 0, unless
                         data_format is NCHW */
    KERNEL_LIKE_FIRST = 64, /* with ewise: operands after the first are scalars or of its shape */
    KERNEL_NOTES = 128,     /* it changes a resource that logs its changes (op/changes.h) */
};

/* One tile of an elementwise op, for fusion: out[j] = f(in[0][j], ...), n elements; where bit i
 * of `scalars` is set in[i] is a single element. No operand overlaps out except exactly in[i] ==
 * out. */
typedef void (*ewise_fn)(void *out, const void *const *in, unsigned scalars, int64_t n);

enum { KERNEL_MAX_TYPES = 8 };

struct kernel_def {
    const char *op;     /* "MatMul" */
    const char *device; /* "CPU" */
    /* Allowed values of the type attrs: "T: {float, double}", "Tidx: {int32}". An attr not named
     * may have any type that its spec allows. */
    const char *types[KERNEL_MAX_TYPES];
    const char
        *host_memory;  /* names of arguments that live in host memory, "shape, axis"; CPU: all do */
    const char *label; /* chosen by attr _kernel */
    int priority;
    unsigned flags; /* enum kernel_flags */
    size_t state_bytes;
    /* Fills the cleared state from k's attrs; may be NULL. */
    bool (*init)(struct kernel *k, void *state, struct status *st);
    /* Frees what the state holds (not the state); may be NULL. Called once for each state, also
     * when init failed: it then sees what init had put into the cleared memory. */
    void (*release)(void *state);
    bool (*run)(struct kctx *c, struct status *st);
    /* Starts, and later, from any thread, calls kernel_done(c, status) exactly once. c stays valid
     * until then. */
    void (*run_async)(struct kctx *c);
    /* For fusion: the tile function for operands of this type (all inputs and the output alike), or
     * NULL. */
    ewise_fn (*ewise)(int dtype);
    /* The same for ops whose types differ or whose attrs decide; comes before ewise. */
    ewise_fn (*ewise_of)(const struct attrs *attrs, const int *in_types, int num_in, int out_type);
};

#define KERNEL_DEF(id)                                                                             \
    extern const struct kernel_def leat_kernel_def_##id;                                           \
    const struct kernel_def leat_kernel_def_##id

/* --- a kernel of a node (made by the runtime, or by op/evaluate.h) --- */
struct kernel {
    const struct kernel_def *def;
    const struct op *op;
    const char *node_name;
    const char *made_at; /* "file.c:12" where the user made the node, or NULL */
    const char *device;  /* full device name, or "" */
    const struct attrs *attrs;
    const int *input_types, *output_types; /* expanded; references + DT_REF */
    int num_inputs, num_outputs;
    void *state; /* state_bytes of def */
};

/* The kernel for op on device whose type constraints hold for attrs, the highest priority first;
 * NOT_FOUND with TensorFlow's words ("No OpKernel was registered to support Op ..."), listing what
 * there is. */
const struct kernel_def *kernel_find(const struct op *op, const char *device,
                                     const struct attrs *attrs, const char *node_name,
                                     struct status *st) MUST_CHECK;
/* The tile function for a node of these attrs and types, or NULL. */
ewise_fn kernel_ewise(const struct kernel_def *def, const struct attrs *attrs, const int *in_types,
                      int num_in, int out_type);
/* For plug-ins: def lives for ever. */
bool kernel_register(const struct kernel_def *def, struct status *st);
void kernel_each(bool (*fn)(const struct kernel_def *def, void *arg), void *arg);
/* Whether def's constraint allows dtype for the type attr named attr. */
bool kernel_allows(const struct kernel_def *def, const char *attr, int dtype);
/* Copies the name, the device and the attrs (defaults filled in); made_at is set by the caller. */
struct kernel *kernel_new(const struct kernel_def *def, const struct op *op, const char *node_name,
                          const struct attrs *attrs, const char *device,
                          struct status *st) MUST_CHECK;
void kernel_free(struct kernel *k); /* NULL is fine */
/* For init functions: first index and count of the declared input (output) argument. */
bool kernel_input_range(const struct kernel *k, const char *arg, int *first, int *n);
bool kernel_output_range(const struct kernel *k, const char *arg, int *first, int *n);

/* --- what the outer world gives a running kernel --- */
struct cancel;      /* op/cancel.h */
struct collectives; /* op/collective.h */
struct rendezvous;  /* op/rendezvous.h */
struct changes;     /* op/changes.h */

typedef void (*function_done_fn)(void *arg, struct status *st, struct tensor *outputs,
                                 int num_outputs);

struct kernel_env { /* one per step; everything in it outlives the step */
    struct pool *pool;
    struct cancel *cancel;
    struct rendezvous *rendezvous;
    const struct collectives *collectives;    /* what carries groups over processes, or NULL */
    struct resource_map *step_resources;      /* die with the step */
    struct resource_map *container_resources; /* of the session or task */
    struct resource_map *process_resources;
    int64_t step_id;
    struct changes *changes; /* runs the kernels that change state, or NULL */
    uint64_t change_key;     /* of the step, the same when it is tried again; 0: none */
    const char *session_handle;
    /* Runs a function of the graph's library, found by what lives as long as the kernel or is
     * called for the first time. The values are taken out of inputs, an array that is the caller's
     * until done is called. done takes what it wants of st and outputs; the rest is dropped
     * afterwards. It may be called before this returns. */
    void (*run_function)(struct kernel_env *env, struct kctx *caller, const struct attr_func *f,
                         struct tensor *inputs, int num_inputs, function_done_fn done, void *arg);
    int depth; /* calls of functions around this graph */
    /* Arguments and results when the graph is a function body or a partition: _Arg and _Retval. */
    const struct tensor *args;
    struct tensor *retvals;
    int num_args, num_retvals;
    bool take_args; /* values may be taken out of args */
    void *runtime;  /* the runtime's own */
};

struct kctx {
    struct kernel *kernel;
    struct tensor **in; /* num_inputs pointers */
    /* num_outputs values, empty at the start. A planner may leave memory of its own in one: dtype
     * DT_INVALID with buf set. kernel_out uses that buffer if it holds the sole reference and is
     * big enough, and drops it otherwise. */
    struct tensor *out;
    struct kernel_env *env;
    uint64_t in_last_use;   /* bit i: input i dies here and may be overwritten (i < 64) */
    int64_t frame_iter;     /* iteration of the innermost loop frame, 0 outside */
    const char *frame;      /* name of the frame, "" outside */
    uint64_t frame_number;  /* rendezvous_frame_number, 0 outside */
    bool *in_dead;          /* Merge alone sees dead inputs; NULL when all are alive */
    int64_t expected_alive; /* -1, or for Merge: index of the alive input */
    void *scratch_head;     /* the framework's list of scratch blocks */
    void *executor;         /* the executor's own */
    bool output_dead_set;   /* a control-flow kernel said which outputs are dead */
    uint64_t out_dead;      /* bit i: output i is dead */
    /* Where kernel_done goes: set by whoever starts an asynchronous kernel. st is taken. */
    void (*done)(struct kctx *c, struct status *st);
};

/* --- for run functions --- */
static inline const struct tensor *kernel_in(const struct kctx *c, int i)
{
    return c->in[i];
}
static inline int kernel_num_inputs(const struct kctx *c)
{
    return c->kernel->num_inputs;
}
static inline int kernel_num_outputs(const struct kctx *c)
{
    return c->kernel->num_outputs;
}
static inline void *kernel_state(const struct kctx *c)
{
    return c->kernel->state;
}
static inline const struct attrs *kernel_attrs(const struct kctx *c)
{
    return c->kernel->attrs;
}
static inline struct pool *kernel_pool(const struct kctx *c)
{
    return c->env->pool;
}
static inline int kernel_output_type(const struct kctx *c, int i)
{
    return dtype_base(c->kernel->output_types[i]);
}
/* The variable behind a reference input. */
static inline struct variable *kernel_ref(const struct kctx *c, int i)
{
    ASSERT(dtype_is_ref(c->in[i]->dtype));
    return (struct variable *)c->in[i]->data;
}

/* Input i as a value that may outlive the step (for variables, queues, stacks...): it shares the
 * buffer, or copies one that the client can still write to. */
MUST_CHECK bool kernel_in_keep(const struct kctx *c, int i, struct tensor *out, struct status *st);

/* Output i as a new tensor of the node's output type, not cleared; NULL: RESOURCE_EXHAUSTED. */
struct tensor *kernel_out(struct kctx *c, int i, const struct shape *shape,
                          struct status *st) MUST_CHECK;
/* The same in input `in`'s memory where that is allowed (last use, sole holder, same size in bytes
 * per element and count), else new. */
struct tensor *kernel_out_forward(struct kctx *c, int in, int i, const struct shape *shape,
                                  struct status *st) MUST_CHECK;
/* Output i shares t (a reference is added). */
void kernel_out_share(struct kctx *c, int i, const struct tensor *t);
/* Output i becomes *t, which is taken. */
void kernel_out_take(struct kctx *c, int i, struct tensor *t);
/* Output i is a reference to v: a reference is added, which lives in the value's buf, so that
 * tensor_copy and tensor_clear count it as they count any buffer. */
void kernel_out_ref(struct kctx *c, int i, struct variable *v);
/* Memory until this call of the kernel ends; 64-byte aligned, not cleared. */
void *kernel_scratch(struct kctx *c, int64_t bytes, struct status *st) MUST_CHECK;
/* A temporary tensor: the caller clears it. */
MUST_CHECK bool kernel_temp(struct kctx *c, int dtype, const struct shape *shape,
                            struct tensor *out, struct status *st);
/* Called by executors when a call is over, if scratch_head is not NULL. */
void kernel_scratch_release(struct kctx *c);
void kernel_done(struct kctx *c, struct status *st); /* async kernels: st is taken (moved from) */
bool kernel_cancelled(const struct kctx *c);
/* A loop over the pool. */
static inline void kernel_loop(struct kctx *c, int64_t n, double cost_ns, pool_loop_fn fn,
                               void *arg)
{
    pool_loop(c->env->pool, n, pool_grain(n, cost_ns), cost_ns, fn, arg);
}
/* Scalars and small checks that many kernels share; messages name the op. */
MUST_CHECK bool kernel_want_scalar(const struct kctx *c, int i, struct status *st);
MUST_CHECK bool kernel_want_vector(const struct kctx *c, int i, struct status *st);
/* A shape vector's shape; the caller clears it. */
MUST_CHECK bool kernel_shape_from(const struct tensor *t, struct shape *out, struct status *st);

#endif
