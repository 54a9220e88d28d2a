/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and scans along axes.
 *
 * Sums are formed in fixed blocks whose order depends on the shape alone: deterministic for any
 * thread count, with the error of pairwise summation unless in_order asks for other. half and
 * bfloat16 are summed in float. An empty reduction gives 0 (sum), 1 (prod), -inf or the lowest
 * value (max), +inf or the highest (min), true (all), false (any), NaN (mean of floats; 0 of
 * integers). A NaN makes sum, mean and prod NaN; for max and min: see MATH_REDUCE_MAX. */
#ifndef LEAT_MATH_REDUCE_H
#define LEAT_MATH_REDUCE_H

#include "base/base.h"
#include "base/pool.h"

enum math_reduce_op {
    MATH_REDUCE_SUM,
    MATH_REDUCE_MEAN,
    MATH_REDUCE_PROD,
    MATH_REDUCE_MAX,
    MATH_REDUCE_MIN,
    MATH_REDUCE_ANY, /* bool only, as ALL */
    MATH_REDUCE_ALL,
    MATH_REDUCE_NUM
};

/* Every number type for sum, mean, prod (complex too), every real one for max and min. */
bool math_reduce_supports(enum math_reduce_op op, int dtype);

/* y[outer][inner] = op over r of x[outer][r][inner]. */
struct math_reduce {
    enum math_reduce_op op;
    int dtype;
    const void *x;
    void *y;
    int64_t outer, num, inner;
    /* Sums and means of float with inner > 1: plainly one row after the other, which is how
     * TensorFlow sums columns; over many rows its error is seen where results are compared. */
    bool in_order;
};
void math_reduce(struct pool *pool, const struct math_reduce *r);

/* y[i] /= num: sums become means; integers truncate. Not for half and bfloat16. */
void math_reduce_divide(int dtype, void *y, int64_t n, int64_t num);

/* The same over any set of axes of a dense tensor: axis i is summed away where reduced[i]. y has
 * the kept axes in order. scratch holds math_reduce_axes_scratch_bytes (0 for up to three runs of
 * kept and reduced axes). */
struct math_reduce_axes {
    enum math_reduce_op op;
    int dtype;
    const void *x;
    void *y;
    int rank;
    const int64_t *dims;
    const bool *reduced;
    bool in_order; /* as above */
    void *scratch;
};
int64_t math_reduce_axes_scratch_bytes(const struct math_reduce_axes *r);
void math_reduce_axes(struct pool *pool, const struct math_reduce_axes *r);

/* Index (int32 or int64, out_dtype) of the first greatest (smallest) element. num > 0. */
struct math_arg_reduce {
    bool min;
    int dtype, out_dtype;
    const void *x;
    void *y;
    int64_t outer, num, inner;
};
void math_arg_reduce(struct pool *pool, const struct math_arg_reduce *r);

/* Cumulative sum or product along the middle axis. */
struct math_scan {
    bool prod, exclusive, reverse;
    int dtype;
    const void *x;
    void *y;
    int64_t outer, num, inner;
};
void math_scan(struct pool *pool, const struct math_scan *s);

#endif
