/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of one piece on one thread, compiled per instruction level. */
#ifndef LEAT_MATH_SIMD_REDUCE_SIMD_H
#define LEAT_MATH_SIMD_REDUCE_SIMD_H

#include "math/reduce.h"
#include "math/simd.h"

/* A piece of a matrix: num rows, ld elements apart, cols columns. */
struct reduce_piece {
    const void *x;
    int64_t ld, num, cols;
    bool in_order; /* reduce_columns by SUM: row after row, not pairwise */
};

/* y[r] = op over row r, cols > 0; ld is not looked at: rows lie close. SUM, PROD, MAX or MIN of a
 * real type other than half and bfloat16. */
SIMD_DECLARE(void, reduce_rows,
             (enum math_reduce_op op, int dtype, const struct reduce_piece *p, void *y));

/* y[c] = op over rows, num > 0. */
SIMD_DECLARE(void, reduce_columns,
             (enum math_reduce_op op, int dtype, const struct reduce_piece *p, void *y));

#endif
