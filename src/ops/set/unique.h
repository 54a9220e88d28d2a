/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table over the elements, or slices, of a tensor, for the length of a kernel call.
 * Floats are equal as numbers are: 0 and -0 are, NaN equals nothing. */
#ifndef LEAT_OPS_SET_UNIQUE_H
#define LEAT_OPS_SET_UNIQUE_H

#include "op/kernel.h"

/* A tensor seen as [outer][n][inner]; item i is what lies at [*][i][*]. */
struct items {
    const struct tensor *t;
    int64_t outer, n, inner;
};

struct item_set {
    struct items items;
    int64_t *slots; /* number of an item, or -1 */
    uint64_t mask;
};

/* An empty set that has room for all of items. */
MUST_CHECK bool item_set_begin(struct kctx *c, struct item_set *s, struct items items,
                               struct status *st);
/* The slot of the item that equals `of`'s item i, or a free one, which the caller may fill. */
int64_t *item_set_find(const struct item_set *s, const struct items *of, int64_t i);

#endif
