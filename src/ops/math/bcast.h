/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasting of up to three operands, with as few dims as describe it.
 *
 * Operands are dense and row-major, so along a dim of the result an operand either goes on
 * (it has that dim) or is repeated (its dim is 1 or absent). Neighbouring dims that treat every
 * operand alike are one dim here: [64,32,10] + [10] has two dims, [8,1,5] + [1,4,1] three. Along
 * the last dim an operand is therefore contiguous or a single element. */
#ifndef LEAT_OPS_MATH_BCAST_H
#define LEAT_OPS_MATH_BCAST_H

#include "base/status.h"
#include "tensor/tensor.h"

enum { BCAST_MAX = 3 };

struct bcast {
    int num;                          /* operands */
    int rank;                         /* merged dims, at least 1 */
    int64_t num_elems;                /* of the result */
    int64_t dims[SHAPE_MAX_RANK];     /* merged dims of the result */
    uint8_t repeated[SHAPE_MAX_RANK]; /* bit i: operand i is repeated along this dim */
    int64_t stride[BCAST_MAX][SHAPE_MAX_RANK];
    int out_rank;
    int64_t out_dims[SHAPE_MAX_RANK]; /* the result's real dims */
};

/* INVALID_ARGUMENT where the shapes do not fit ("Incompatible shapes: [2,3] vs. [4]"), or the
 * result has too many elements. */
MUST_CHECK bool bcast_make(struct bcast *b, const struct shape *const *shapes, int num,
                           struct status *st);

/* A place in the result: the element offset of every operand there. */
struct bcast_at {
    int64_t index[SHAPE_MAX_RANK];
    int64_t offset[BCAST_MAX];
};
void bcast_seek(const struct bcast *b, struct bcast_at *at, int64_t elem);
/* Elements from `at` to the end of its row (the last dim). */
static inline int64_t bcast_row_left(const struct bcast *b, const struct bcast_at *at)
{
    return b->dims[b->rank - 1] - at->index[b->rank - 1];
}
/* To the first element of the next row. */
void bcast_next_row(const struct bcast *b, struct bcast_at *at);

/* Copies operand i, as the result's elements [begin, begin + n) see it, to dst; elements of `bytes`
 * (1, 2, 4, 8, 16 or 24) bytes. */
void bcast_expand(const struct bcast *b, int i, const void *src, size_t bytes, int64_t begin,
                  int64_t n, void *dst);

#endif
