/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that make a resource: it is found or made in the first step that needs it, under the
 * node's names, and kept; the output is a handle of either form. */
#ifndef LEAT_OPS_DATA_FLOW_MAKER_H
#define LEAT_OPS_DATA_FLOW_MAKER_H

#include "base/lock.h"
#include "op/kernel.h"

struct maker { /* the kernel's state, or its first member */
    struct lock lock;
    struct resource *r;    /* guarded by lock, like what follows */
    struct tensor handle;  /* a resource */
    struct variable *pair; /* the form of two strings */
};

struct maker_args { /* what make gets as its argument */
    const struct kernel *k;
    const char *name;
};

bool maker_init(struct kernel *k, void *state, struct status *st);
void maker_release(void *state);
MUST_CHECK bool maker_run(struct kctx *c, const struct resource_type *type,
                          struct resource *(*make)(void *arg, struct status *st),
                          struct status *st);

#endif
