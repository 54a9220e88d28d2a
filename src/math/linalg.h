/* SPDX-License-Identifier: Apache-2.0 */
/* Decompositions of one dense row-major matrix, by LAPACK (OpenBLAS, opened when first needed).
 *
 * Types float, double, complex64, complex128, by dtype number. Matrices are n x n or m x n, without
 * gaps between rows. Scratch is lent by the caller: math_linalg_scratch_bytes for the task and
 * size, 64-byte aligned. Batches are the caller's: each call is single threaded and may run beside
 * others. Without the library every call fails with UNIMPLEMENTED. */
#ifndef LEAT_MATH_LINALG_H
#define LEAT_MATH_LINALG_H

#include "base/status.h"

bool math_linalg_available(void);
bool math_linalg_supports(int dtype);

enum math_linalg_task {
    MATH_LINALG_SOLVE, /* n; num_rhs columns */
    MATH_LINALG_INVERSE,
    MATH_LINALG_DETERMINANT,
    MATH_LINALG_QR,       /* m x n */
    MATH_LINALG_QR_FULL,  /* m x n, q is m x m */
    MATH_LINALG_SVD,      /* values alone */
    MATH_LINALG_SVD_THIN, /* u m x p, v n x p, p = min(m, n) */
    MATH_LINALG_SVD_FULL, /* u m x m, v n x n */
    MATH_LINALG_EIGH,     /* values alone */
    MATH_LINALG_EIGH_VECTORS,
};

/* -1: the size is beyond what LAPACK's 32-bit integers, or int64 bytes, can hold. */
int64_t math_linalg_scratch_bytes(enum math_linalg_task task, int dtype, int64_t m, int64_t n);

/* x = A^-1 b, b and x n x num_rhs (scratch: task SOLVE, m = n, n = num_rhs). adjoint: A^H.
 * INVALID_ARGUMENT "Input matrix is not invertible." */
struct math_solve {
    int dtype;
    int64_t n, num_rhs;
    const void *a, *b;
    void *x;
    bool adjoint;
    void *scratch;
};
MUST_CHECK bool math_solve(const struct math_solve *s, struct status *st);

/* y = A^-1 (adjoint: A^-H). */
MUST_CHECK bool math_inverse(int dtype, int64_t n, const void *a, void *y, bool adjoint,
                             void *scratch, struct status *st);

/* The determinant, and as sign (of modulus 1, or 0) and log of the modulus; each may be NULL. */
struct math_determinant {
    int dtype;
    int64_t n;
    const void *a;
    void *det, *sign, *log_abs; /* one element each; log_abs of the input's type */
    void *scratch;
};
MUST_CHECK bool math_determinant(const struct math_determinant *d, struct status *st);

/* y = lower L with A = L L^H, upper part zero; reads the lower part of a. y may be a.
 * INVALID_ARGUMENT "Cholesky decomposition was not successful. The input might not be valid." */
MUST_CHECK bool math_cholesky(int dtype, int64_t n, const void *a, void *y, struct status *st);

/* x: op(T) x = b, T n x n lower or upper (the other half is not read). "Input matrix is not
 * invertible." when a diagonal element is zero. x may be b. */
struct math_triangular {
    int dtype;
    int64_t n, num_rhs;
    const void *t, *b;
    void *x;
    bool lower, adjoint;
};
MUST_CHECK bool math_triangular_solve(const struct math_triangular *s, struct status *st);

/* A = Q R: thin (q m x p, r p x n, p = min(m, n)) or full (q m x m, r m x n).
 */
struct math_qr {
    int dtype;
    int64_t m, n;
    bool full;
    const void *a;
    void *q, *r;
    void *scratch;
};
MUST_CHECK bool math_qr(const struct math_qr *q, struct status *st);

/* A = U diag(s) V^H, s real type, falling; v holds V (not V^H), as TensorFlow. u, v NULL: s
 * alone. */
struct math_svd {
    int dtype;
    int64_t m, n;
    bool full;
    const void *a;
    void *s, *u, *v;
    void *scratch;
};
MUST_CHECK bool math_svd(const struct math_svd *d, struct status *st);

/* A self-adjoint, lower half read: eigenvalues w (real type; rising), vectors the columns of v
 * (NULL: w alone). */
struct math_eigh {
    int dtype;
    int64_t n;
    const void *a;
    void *w, *v;
    void *scratch;
};
MUST_CHECK bool math_eigh(const struct math_eigh *e, struct status *st);

#endif
