/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with state that the graphs of one session share in a task, by node name: random numbers
 * and other state go on where the last graph that had the node left them. Thread-safe. */
#ifndef LEAT_RUNTIME_KERNEL_STORE_H
#define LEAT_RUNTIME_KERNEL_STORE_H

#include "runtime/plan.h"

struct kernel_store;
struct kernel_store *kernel_store_new(void);
void kernel_store_free(struct kernel_store *s); /* after the sessions that use it */
/* Whether kernels of such nodes are shared: stateful ones that call no function of a graph. */
bool kernel_store_wants(const struct op *op, const struct attrs *attrs);
/* The kernel of that name, op, attrs and device, made where there is none. Borrowed. */
struct kernel *kernel_store_get(struct kernel_store *s, const struct rnode *n,
                                const struct device *device, struct status *st) MUST_CHECK;

#endif
