/* SPDX-License-Identifier: Apache-2.0 */
/* What staging areas share: how much goes into one, and the way from an op's names to it. */
#ifndef LEAT_OPS_DATA_FLOW_AREA_H
#define LEAT_OPS_DATA_FLOW_AREA_H

#include "op/infer.h"
#include "op/kernel.h"
#include "op/waits.h"

struct area_room { /* 0: no limit */
    int64_t capacity, memory_limit;
};

/* The area of this node's names, made with make(struct area_room *) at first; referenced. */
struct resource *area_find(struct kctx *c, const struct resource_type *type,
                           struct resource *(*make)(void *arg, struct status *st),
                           struct status *st);
int64_t area_bytes(const struct tensor *t); /* as limits count them */
/* RESOURCE_EXHAUSTED where an empty area would be too small for so many bytes. */
MUST_CHECK bool area_fits(const struct area_room *room, int64_t bytes, struct status *st);
bool area_has_room(const struct area_room *room, int64_t count, int64_t held, int64_t more);
/* Output i shares t; INTERNAL when t is of another type than the node says. */
MUST_CHECK bool area_give(struct kctx *c, int i, const struct tensor *t, struct status *st);

#endif
