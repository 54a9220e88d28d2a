/* SPDX-License-Identifier: Apache-2.0 */
/* The sets that the last dimension of a tensor holds, dense or sparse: one for each index of the
 * dimensions before, its group. */
#ifndef LEAT_OPS_SET_GROUPS_H
#define LEAT_OPS_SET_GROUPS_H

#include "op/kernel.h"

/* A value as it is compared: text, or a number. */
union set_item {
    int64_t number;
    const struct tstr *text;
};

struct set_groups {
    const struct tensor *values;
    int rank;
    int64_t dims[SHAPE_MAX_RANK]; /* of the group shape: rank - 1 */
    int64_t num_groups;           /* their product */
    const int64_t *indices;       /* rank for each value; NULL: dense */
    int64_t row;                  /* values of a dense group */
    int64_t group, begin, end;    /* where the walk is: values [begin, end) are group's */
};

/* Of a dense input; of the sparse one whose indices, values and shape are inputs at, at + 1 and
 * at + 2, which are checked. INVALID_ARGUMENT as TensorFlow's. */
MUST_CHECK bool set_groups_dense(struct kctx *c, int at, struct set_groups *g, struct status *st);
MUST_CHECK bool set_groups_sparse(struct kctx *c, int at, struct set_groups *g, struct status *st);
/* On to the next group that has values; at the end group is num_groups. Begins at the first. */
void set_groups_next(struct set_groups *g);
/* Writes the present group's values to items, sorted and each once; returns how many. */
int64_t set_groups_take(const struct set_groups *g, union set_item *items);
/* As for qsort. */
int set_item_compare(int dtype, const union set_item *a, const union set_item *b);

#endif
