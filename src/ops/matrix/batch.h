/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor of rank 2 or more as a row of equally sized matrices, and the shapes that go with it. */
#ifndef LEAT_OPS_MATRIX_BATCH_H
#define LEAT_OPS_MATRIX_BATCH_H

#include "op/infer.h"
#include "op/kernel.h"

struct matrix_batch {
    int64_t num, rows, cols;
};

/* The rank is at least 2. */
static inline struct matrix_batch matrix_batch_of(const struct tensor *t)
{
    int rank = tensor_rank(t);
    struct matrix_batch b = {1, tensor_dim(t, rank - 2), tensor_dim(t, rank - 1)};
    for (int i = 0; i < rank - 2; i++)
        b.num *= tensor_dim(t, i);
    return b;
}

static inline int64_t matrix_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Element i of n items of the given size, step items apart, in either array. item: 1, 2, 4, 8, 16
 * bytes. */
void matrix_copy_strided(size_t item, void *dst, int64_t dst_step, const void *src,
                         int64_t src_step, int64_t n);
/* t's dims but the last `drop`, then the n dims of tail; the caller clears it. */
struct shape matrix_shape(const struct tensor *t, int drop, const int64_t *tail, int n);
/* INVALID_ARGUMENT: text, then t's shape. Always false. */
bool matrix_fail_shape(struct status *st, const char *text, const struct tensor *t);

/* What diagonals may be of. */
#define MATRIX_DIAG_TYPES                                                                          \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "     \
    "complex128, bool}"

#endif
