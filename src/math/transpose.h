/* SPDX-License-Identifier: Apache-2.0 */
/* Permuting the axes of a dense array: y axis i is x axis perm[i].
 *
 * Axes that stay neighbours are joined first, so most permutations become copies of long runs or a
 * batch of plane transpositions, which go in cache-sized tiles. Bytes are moved, not values: any
 * type of 1, 2, 4, 8 or 16 bytes. rank <= MATH_TRANSPOSE_MAX_RANK; perm is a permutation (checked
 * by the caller); x and y do not overlap. */
#ifndef LEAT_MATH_TRANSPOSE_H
#define LEAT_MATH_TRANSPOSE_H

#include "base/base.h"
#include "base/pool.h"

#define MATH_TRANSPOSE_MAX_RANK 254

struct math_transpose {
    size_t item; /* bytes: 1, 2, 4, 8, 16 */
    const void *x;
    void *y;
    int rank;
    const int64_t *dims; /* of x */
    const int *perm;
    bool conj; /* complex items (8 or 16 bytes): conjugate too */
};

void math_transpose(struct pool *pool, const struct math_transpose *t);

/* y[cols][rows] = x[rows][cols]. */
void math_transpose_2d(struct pool *pool, size_t item, const void *x, void *y, int64_t rows,
                       int64_t cols);

#endif
