/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products C = op(A) op(B) [+ C], then bias and activation, on row-major arrays.
 *
 * Which code serves a product (our kernels, oneDNN) is decided by shape, type and instruction set
 * alone, never by the thread count, so a product has the same bits for any number of threads.
 * Libraries are opened when first needed and always run a team of one; rows or columns are split
 * here. Works, at nearly the same speed, with no library at all. Nothing is allocated but packing
 * buffers that belong to the thread (at most a few MiB each). */
#ifndef LEAT_MATH_GEMM_H
#define LEAT_MATH_GEMM_H

#include "base/base.h"
#include "base/pool.h"

/* What an epilogue applies to each element of C after the bias. */
enum math_act {
    MATH_ACT_NONE,
    MATH_ACT_RELU,  /* max(x, 0); NaN stays NaN */
    MATH_ACT_RELU6, /* min(max(x, 0), 6) */
    MATH_ACT_ELU,   /* x > 0 ? x : expm1(x) */
    MATH_ACT_TANH,
    MATH_ACT_SIGMOID,
};

/* op(A) is m x k, op(B) k x n, C m x n. lda, ldb, ldc are elements from one stored row to the next:
 * A is stored m x k (lda >= k), or k x m when trans_a (lda >= m); B likewise. m, n, k may be 0:
 * with k == 0 C is zero (or unchanged when beta is 1) and then gets bias and activation. C overlaps
 * neither A nor B. */
struct math_gemm {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
    bool trans_a, trans_b;
    bool conj_a, conj_b; /* complex types: conjugate as well */
    int beta;            /* 0: C is written, never read; 1: added to */
    const void *bias;    /* n elements added to each row; NULL: none */
    enum math_act act;   /* float and double; others: MATH_ACT_NONE or _RELU */
};

void math_gemm_f32(struct pool *pool, const struct math_gemm *g);
void math_gemm_f64(struct pool *pool, const struct math_gemm *g);

/* Any of half, bfloat16 (both summed in float), float, double, complex64, complex128, int32, int64
 * (both wrapping), by dtype number. */
void math_gemm(struct pool *pool, int dtype, const struct math_gemm *g);
bool math_gemm_supports(int dtype);

/* num products of one shape; g's a, b, c are the bases. Product i uses matrix a_index[i] (NULL: i)
 * of A at a + index * a_stride elements, and so on: an index repeats a matrix that is broadcast. */
struct math_gemm_batch {
    int64_t num;
    int64_t a_stride, b_stride, c_stride; /* elements */
    const int64_t *a_index, *b_index;
};

void math_gemm_batched(struct pool *pool, int dtype, const struct math_gemm *g,
                       const struct math_gemm_batch *batch);

/* y[m] = bias and activation over an m x n matrix in place: the epilogue alone.
 */
void math_bias_act(struct pool *pool, int dtype, const struct math_gemm *g);

/* Whether a product of whole's rows and columns [some m and n of them: part], computed alone, has
 * the bits that it has in the whole. Float and double. */
bool math_gemm_cuts_exactly(int dtype, const struct math_gemm *whole, const struct math_gemm *part);
/* Whether beta = 1 gives what the product by itself, added to C, gives. Float and double. */
bool math_gemm_adds_exactly(const struct math_gemm *g);

/* "oneDNN" or "own": who would serve this product. For benches and info. */
const char *math_gemm_provider(int dtype, const struct math_gemm *g);

#endif
