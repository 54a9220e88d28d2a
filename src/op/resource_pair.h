/* SPDX-License-Identifier: Apache-2.0 */
/* The old form of a resource's handle: a reference to two strings, container and name. */
#ifndef LEAT_OP_RESOURCE_PAIR_H
#define LEAT_OP_RESOURCE_PAIR_H

#include "op/kernel.h"

/* The two strings, "" standing for the session's own container. */
MUST_CHECK bool resource_pair(const struct kctx *c, const char *container, const char *name,
                              struct tensor *out, struct status *st);
/* What input i, a handle of either form, stands for: referenced for the caller. */
struct resource *resource_from_either(struct kctx *c, int i, const struct resource_type *type,
                                      struct status *st) MUST_CHECK;

#endif
