/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a session: one per node, shared by all plans, so that their state outlives a plan. */
#ifndef LEAT_RUNTIME_KERNELS_H
#define LEAT_RUNTIME_KERNELS_H

#include "runtime/plan.h"

/* The kernel for n on device: the session's for a graph node that no pass has changed, else one of
 * p's own. Borrowed. */
struct kernel *plan_kernel(struct plan *p, struct rnode *n, const struct device *device,
                           struct status *st) MUST_CHECK;

/* A new one, for whoever keeps it. */
struct kernel *kernel_for_node(const struct rnode *n, const struct device *device,
                               struct status *st) MUST_CHECK;

#endif
