/* SPDX-License-Identifier: Apache-2.0 */
/* What holds while nodes are added by leat_* functions: name scopes, devices, control dependencies,
 * colocation; the first error; collections; the graph's random seed.
 *
 * All of it belongs to a graph. Scopes and the error are the calling thread's own, so that several
 * threads may build one graph; names, collections and the seed are shared. The TF_* functions know
 * nothing of scopes and errors. Names and rules are those of TensorFlow 1.15's Python.
 *
 *     leat_with_scope(g, "layer1") leat_with_device(g, "/cpu:0") {
 *         y = leat_matmul(g, x, w);          named layer1/MatMul
 *     }
 *
 * A scope ends where its block ends, also by break, return or goto. Functions other than C's
 * macros are for other languages: each push needs its pop, in reverse order, on the same thread. */
#ifndef LEAT_SCOPE_H
#define LEAT_SCOPE_H

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---- */

/* The first error of a leat_* builder on this thread since the graph was made or the status
 * cleared, or OK. Its message ends with where the failing call stands. Any thread. */
LEAT_EXPORT void leat_graph_status(TF_Graph *g, TF_Status *status);
/* 1 when there was none: for a short check between steps of building. Any thread. */
LEAT_EXPORT int leat_graph_ok(TF_Graph *g);
/* Forgets it; outputs that are invalid stay so. Any thread. */
LEAT_EXPORT void leat_graph_clear_status(TF_Graph *g);
/* Records an error of a function built on these ones, if it is the first; made_at (LEAT_HERE) may
 * be NULL. Returns the invalid output, {NULL, 0}. Any thread. */
LEAT_EXPORT TF_Output leat_fail(TF_Graph *g, const char *made_at, TF_Code code, const char *format,
                                ...) __attribute__((format(printf, 4, 5)));

/* ---- scopes ---- */

/* Nodes made until the pop are named under `name`, made unique: a second "layer1" is "layer1_1".
 * "a/b/" (a slash at the end) enters the very scope a/b again; NULL or "" the root. */
LEAT_EXPORT void leat_push_scope(TF_Graph *g, const char *name);
/* For functions that make several nodes: the scope is named `name` or, where it is NULL, fallback;
 * and nodes (and errors) are said to be made at made_at rather than where the function's own
 * source makes them, unless a caller further out did the same. */
LEAT_EXPORT void leat_push_composite(TF_Graph *g, const char *name, const char *fallback,
                                     const char *made_at);
/* As above without a scope of names. */
LEAT_EXPORT void leat_push_caller(TF_Graph *g, const char *made_at);
/* Asks for a device: "/cpu:0", "/job:ps/task:1"; fields that it leaves open are those of the
 * scope around it. NULL: no request. */
LEAT_EXPORT void leat_push_device(TF_Graph *g, const char *device);
/* A node for which a device is asked for, once all of it is known. */
struct leat_device_request {
    TF_Graph *graph;
    const char *op, *name;
    const char *device;   /* what scopes inside of the function's say: "" nothing */
    int64_t output_bytes; /* by the attributes shape and dtype (of a variable); -1: not known */
};
/* The device of the node: the function's own, or static, text; NULL or "": none. */
typedef const char *(*leat_device_fn)(void *arg, const struct leat_device_request *request);
/* Asks fn for the device of each node made until the pop, as tf.device(function) does; not for
 * those that stand with another node. fn and arg must live until then; fn runs on this thread and
 * makes no nodes. */
LEAT_EXPORT void leat_push_device_function(TF_Graph *g, leat_device_fn fn, void *arg);
/* "/job:ps" with "/task:1/cpu:0" over it is "/job:ps/task:1/device:CPU:0". The caller frees it with
 * leat_free; NULL where one of them is no device (status says it, and may be NULL). Any thread. */
LEAT_EXPORT char *leat_merge_devices(const char *outer, const char *inner, TF_Status *status);
/* Nodes made until the pop wait for ops[0, n), unless they follow through inputs from nodes made in
 * here. ops NULL: dependencies of the scopes around are lifted. */
LEAT_EXPORT void leat_push_control_dependencies(TF_Graph *g, TF_Operation *const *ops, int n);
/* Nodes are placed where op is, and with what op is placed with; device scopes around do not count.
 * NULL: colocation of the scopes around is lifted. */
LEAT_EXPORT void leat_push_colocation(TF_Graph *g, TF_Operation *op);
/* The same for a node `name` that is yet to be made, as a variable's first value has it. */
LEAT_EXPORT void leat_push_colocation_name(TF_Graph *g, const char *name);
/* As leat_push_scope, and variables of leat_get_variable are named under `name` as it is, not made
 * unique: a second scope of this name, with reuse, gives the same variables. reuse: see below; once
 * a scope says LEAT_REUSE those inside do. NULL: the scope around, with another reuse. */
LEAT_EXPORT void leat_push_variable_scope(TF_Graph *g, const char *name, int reuse);
enum { LEAT_NO_REUSE = 0, LEAT_REUSE, LEAT_AUTO_REUSE /* made where they are not there */ };
/* The prefix of variables ("" or "layer1/", owned by the graph, valid until the scope ends), and
 * its reuse (may be NULL). */
LEAT_EXPORT const char *leat_current_variable_scope(TF_Graph *g, int *reuse);
/* Nodes of op `op` (NULL: of any) made until the pop carry the attribute `name`, a serialized
 * AttrValue, unless their op declares one of this name or they have it already: such as
 * _gradient_op_type, _kernel or _XlaCompile. Scopes further in come first. proto NULL: those around
 * say nothing of it. Its name begins with '_', or its nodes are errors. */
LEAT_EXPORT void leat_push_attr(TF_Graph *g, const char *op, const char *name, const void *proto,
                                size_t len);
/* The same with a text; value NULL: as proto NULL. */
LEAT_EXPORT void leat_push_attr_string(TF_Graph *g, const char *op, const char *name,
                                       const char *value);
/* Told of a node that was just made, by whatever leat_* function: it may make more, under the
 * scopes in force, which it is not told of. 0: it fails; an error that it records (leat_fail) comes
 * back as it is, else CANCELLED. */
typedef int (*leat_node_fn)(void *arg, TF_Graph *g, TF_Operation *op);
/* Tells fn of each node made until the pop, then those of the scopes around (fn NULL: these are not
 * told), on this thread, until the first error. fn and arg must live until then. What it makes
 * while a gradient's loop is built stands outside of that loop. */
LEAT_EXPORT void leat_push_node_hook(TF_Graph *g, leat_node_fn fn, void *arg);
/* Ends the innermost of whatever kind. Without one nothing happens. */
LEAT_EXPORT void leat_pop(TF_Graph *g);

/* The prefix that names get now, "layer1/" or "": owned by the graph, valid until the scope ends.
 */
LEAT_EXPORT const char *leat_current_scope(TF_Graph *g);
/* `name` under the current scope, made unique and taken (as by a node). The caller frees it with
 * leat_free. */
LEAT_EXPORT char *leat_unique_name(TF_Graph *g, const char *name);
LEAT_EXPORT void leat_free(void *p);

/* ---- collections ---- */

/* The usual names. */
#define LEAT_GLOBAL_VARIABLES "variables"
#define LEAT_LOCAL_VARIABLES "local_variables"
#define LEAT_TRAINABLE_VARIABLES "trainable_variables"
#define LEAT_LOSSES "losses"
#define LEAT_REGULARIZATION_LOSSES "regularization_losses"
#define LEAT_UPDATE_OPS "update_ops"
#define LEAT_SUMMARIES "summaries"
#define LEAT_GLOBAL_STEP "global_step"

/* Adds an output (an operation as {op, 0}) at the end of a collection, which is made when it is not
 * there. An invalid output is not added. Any thread. */
LEAT_EXPORT void leat_add_to_collection(TF_Graph *g, const char *collection, TF_Output item);
/* Copies the first max items into items (NULL: none) and returns how many there are; with scope not
 * NULL only those whose names begin with it. Any thread. */
LEAT_EXPORT int leat_get_collection(TF_Graph *g, const char *collection, const char *scope,
                                    TF_Output *items, int max);

/* ---- random seeds, as tf.set_random_seed has them ---- */

/* The seed of the graph. Any thread, before random nodes are made. */
LEAT_EXPORT void leat_set_random_seed(TF_Graph *g, int64_t seed);
/* The attributes seed and seed2 that a random node gets now, of the graph's seed and its own
 * (LEAT_INT_NOT_GIVEN: none). Both 0: the numbers differ from run to run. Any thread. */
LEAT_EXPORT void leat_get_seed(TF_Graph *g, int64_t op_seed, int64_t *seed, int64_t *seed2);

#ifdef __cplusplus
}
#else

struct leat_guard { /* one scope macro's; ended by the compiler's cleanup */
    TF_Graph *g;
    int open;
};
static inline void leat_guard_end(struct leat_guard *guard)
{
    leat_pop(guard->g);
}
#define LEAT_GUARD_NAME_(n) leat_guard_##n
#define LEAT_WITH2_(graph, push, n)                                                                \
    for (struct leat_guard LEAT_GUARD_NAME_(n)                                                     \
             __attribute__((cleanup(leat_guard_end))) = {(push, (graph)), 1};                      \
         LEAT_GUARD_NAME_(n).open; LEAT_GUARD_NAME_(n).open = 0)
#define LEAT_WITH_(graph, push, n) LEAT_WITH2_(graph, push, n)

/* Each is followed by a statement or a block. The graph is named twice: give a variable. */
#define leat_with_scope(g, name) LEAT_WITH_(g, leat_push_scope(g, name), __COUNTER__)
#define leat_with_composite(g, name, fallback, at)                                                 \
    LEAT_WITH_(g, leat_push_composite(g, name, fallback, at), __COUNTER__)
#define leat_with_caller(g, at) LEAT_WITH_(g, leat_push_caller(g, at), __COUNTER__)
#define leat_with_device(g, device) LEAT_WITH_(g, leat_push_device(g, device), __COUNTER__)
#define leat_with_device_function(g, fn, arg)                                                      \
    LEAT_WITH_(g, leat_push_device_function(g, fn, arg), __COUNTER__)
#define leat_with_control_dependencies(g, ops, n)                                                  \
    LEAT_WITH_(g, leat_push_control_dependencies(g, ops, n), __COUNTER__)
#define leat_with_variable_scope(g, name, reuse)                                                   \
    LEAT_WITH_(g, leat_push_variable_scope(g, name, reuse), __COUNTER__)
#define leat_with_colocation(g, op) LEAT_WITH_(g, leat_push_colocation(g, op), __COUNTER__)

#endif

#endif
