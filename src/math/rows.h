/* SPDX-License-Identifier: Apache-2.0 */
/* Rows picked from a table and rows written into one, by int32 or int64 indices.
 *
 * Indices come from users: each is read once and checked before it is used. A gather copies bytes
 * of any fixed-size type; a scatter combines numbers. Scatters with repeated indices combine in the
 * order of the indices, whatever the threads. */
#ifndef LEAT_MATH_ROWS_H
#define LEAT_MATH_ROWS_H

#include "base/base.h"
#include "base/pool.h"

/* y[outer][num][row] = x[outer][indices[num]][row], where x has `limit` rows per outer. */
struct math_gather {
    int index_dtype; /* DT_INT32 or DT_INT64 */
    const void *indices;
    int64_t num, limit;
    int64_t outer;
    int64_t row_bytes;
    const void *x;
    void *y;
};
/* -1, or the least position in indices of one outside [0, limit); that row of y is zero. */
int64_t math_gather(struct pool *pool, const struct math_gather *g);

enum math_scatter_op {
    MATH_SCATTER_UPDATE,
    MATH_SCATTER_ADD,
    MATH_SCATTER_SUB,
    MATH_SCATTER_MUL,
    MATH_SCATTER_DIV,
    MATH_SCATTER_MIN,
    MATH_SCATTER_MAX,
};

/* table[indices[i]] op= updates[i], rows of row_items elements. Integer division by zero gives
 * 0. */
struct math_scatter {
    enum math_scatter_op op;
    int dtype, index_dtype;
    const void *indices;
    int64_t num, limit;
    int64_t row_items;
    const void *updates; /* num x row_items, or one element where scalar */
    bool scalar;
    bool skip_bad; /* go on past a bad index (segment sums: negative ids are
                      dropped) */
    void *table;
};
/* -1, or the position of the first bad index. Without skip_bad nothing is written when one is
 * bad. */
int64_t math_scatter(struct pool *pool, const struct math_scatter *s);
bool math_scatter_supports(enum math_scatter_op op, int dtype);

/* -1, or the first position whose index lies outside [0, limit). */
int64_t math_find_bad_index(int index_dtype, const void *indices, int64_t num, int64_t limit);

#endif
