/* SPDX-License-Identifier: Apache-2.0 */
/* Staging areas of tuples by key: what one holds, and the visits of steps to it. */
#ifndef LEAT_OPS_DATA_FLOW_MAP_AREA_H
#define LEAT_OPS_DATA_FLOW_MAP_AREA_H

#include "ops/data_flow/area.h"

struct map_item {
    struct map_item *next;
    int64_t key, bytes;
    int n;
    struct tensor values[]; /* dtype DT_INVALID: has not come, or has left */
};

struct map_area {
    struct resource base;
    struct area_room room;
    bool ordered;
    struct waits waits;
    /* guarded by waits; whole: by key, or newest first. parts: tuples that lack some */
    struct map_item *whole, *parts;
    int64_t num_whole, num_parts, bytes;
};

struct map_visit { /* of a step; owned by its waiter */
    struct waiter base;
    struct kctx *c;
    struct map_area *a;
    int64_t key, bytes;
    bool any_key, stays;
    int num_types;          /* of a tuple that comes; of the parts that leave */
    struct tensor indices;  /* which values of the tuple; int32 */
    struct map_item *fresh; /* for a tuple that is new */
    int n;
    struct tensor values[];
};

/* The area of the node's names; referenced. */
struct map_area *map_area_find(struct kctx *c, struct status *st);
struct map_item *map_item_new(int64_t key, int n);
struct map_visit *map_visit_new(struct kctx *c, int num_values);
void map_visit_free(struct map_visit *v);
MUST_CHECK bool map_check_indices(const struct map_visit *v, struct status *st);
/* Waits, does what attempt says, and ends the kernel. v and a's reference are taken. */
void map_visit_begin(struct map_visit *v, bool (*attempt)(struct waiter *w));
bool map_try_put(struct waiter *w);
bool map_try_get(struct waiter *w);
void map_clear(struct map_area *a);

#endif
