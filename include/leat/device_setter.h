/* SPDX-License-Identifier: Apache-2.0 */
/* Between-graph replication: variables go to the parameter servers, all else to this worker.
 *
 *     leat_device_setter *ps = leat_replica_device_setter(.ps_tasks = 2,
 *                                                         .worker_device = "/job:worker/task:1");
 *     leat_with_replica_devices(g, ps) {
 *         w = leat_get_variable(g, "w", leat_shape(784, 10));      on /job:ps/task:0
 *         b = leat_get_variable(g, "b", leat_shape(10));           on /job:ps/task:1
 *         y = leat_matmul(g, x, w);                                on /job:worker/task:1
 *     }
 *     leat_device_setter_free(ps);
 *
 * As tf.train.replica_device_setter of TensorFlow 1.15. What scopes inside say comes first. A
 * setter keeps count of what it has placed; it is for one thread, is the caller's to free after its
 * scopes have ended, and may be used in several scopes of several graphs. */
#ifndef LEAT_DEVICE_SETTER_H
#define LEAT_DEVICE_SETTER_H

#include "leat/op.h"
#include "leat/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leat_device_setter leat_device_setter;

/* Which parameter server the next variable goes to. */
enum leat_ps_strategy {
    LEAT_PS_ROUND_ROBIN = 0,
    LEAT_PS_GREEDY_BYTES, /* the one that has the fewest bytes so far, the first of equals */
};
struct leat_device_setter_args {
    const char *made_at;       /* not used */
    int ps_tasks;              /* 0: all stays where the worker is */
    const char *ps_device;     /* NULL: "/job:ps" */
    const char *worker_device; /* NULL: "/job:worker" */
    enum leat_ps_strategy strategy;
    /* Ops that hold state; NULL: variables, tables, as TensorFlow 1.15 has them. */
    struct leat_strings ps_ops;
};
/* Copies the arguments; args NULL: the defaults. Never NULL. */
LEAT_EXPORT leat_device_setter *
leat_replica_device_setter_fn(const struct leat_device_setter_args *args);
LEAT_EXPORT void leat_device_setter_free(leat_device_setter *setter); /* NULL is fine */
/* For leat_push_device_function, with the setter as arg. An op whose device names no job goes to a
 * parameter server if it holds state; one of unknown size counts as nothing with GREEDY_BYTES. */
LEAT_EXPORT const char *leat_device_setter_place(void *setter,
                                                 const struct leat_device_request *request);

#ifdef __cplusplus
}
#else

#define leat_replica_device_setter(...)                                                            \
    leat_replica_device_setter_fn(&(struct leat_device_setter_args){__VA_ARGS__})
#define leat_with_replica_devices(g, setter)                                                       \
    leat_with_device_function(g, leat_device_setter_place, setter)

#endif

#endif
