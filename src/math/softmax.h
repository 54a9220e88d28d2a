/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax over the rows of a matrix, and the cross-entropy losses fused with it.
 *
 * Each row's maximum is subtracted first. Types half, bfloat16, float and double. Rows are
 * independent; classes may be 0 (rows are then empty, a loss is 0). */
#ifndef LEAT_MATH_SOFTMAX_H
#define LEAT_MATH_SOFTMAX_H

#include "base/base.h"
#include "base/pool.h"

struct math_softmax {
    int dtype;
    bool log; /* log-softmax */
    int64_t rows, classes;
    const void *x;
    void *y; /* may be x */
};
void math_softmax(struct pool *pool, const struct math_softmax *s);

/* dx from y = softmax(x) (or log-softmax) and dy: (dy - sum(dy * y)) * y, or dy - exp(y) *
 * sum(dy). */
struct math_softmax_grad {
    int dtype;
    bool log;
    int64_t rows, classes;
    const void *y, *dy;
    void *dx; /* may be dy */
};
void math_softmax_grad(struct pool *pool, const struct math_softmax_grad *s);

/* loss[r] = -sum(labels * log-softmax(logits)); backprop = softmax(logits) - labels. A row stride
 * of 0 broadcasts one row; a column stride of 0 one column. backprop may be logits where those are
 * not broadcast. */
struct math_xent {
    int dtype;
    int64_t rows, classes;
    const void *logits, *labels;
    int64_t logits_row, logits_col, labels_row, labels_col; /* strides in elements */
    void *loss, *backprop;                                  /* backprop may be NULL */
};
void math_xent(struct pool *pool, const struct math_xent *s);

/* The same with a class number per row. A label outside [0, classes) gives NaN
 * for that row and makes the result the first such row; -1 when all are good.
 */
struct math_sparse_xent {
    int dtype, label_dtype; /* labels int32 or int64 */
    int64_t rows, classes;
    const void *logits, *labels;
    void *loss, *backprop; /* backprop may be NULL */
};
int64_t math_sparse_xent(struct pool *pool, const struct math_sparse_xent *s);

#endif
