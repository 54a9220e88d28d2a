/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of linalg share: lent memory handed out in pieces, and small matrix helpers. */
#ifndef LEAT_MATH_LINALG_PRIV_H
#define LEAT_MATH_LINALG_PRIV_H

#include "math/lapack.h"
#include "math/linalg.h"

/* Memory lent by the caller, or, with a NULL base, a count of what would be taken. */
struct lent {
    char *base;
    int64_t used;
};
void *lent_take(struct lent *l, int64_t num, int64_t item);

/* y[cols][rows] = x[rows][cols]^T, conjugated if asked. */
void linalg_transpose(int dtype, const void *x, void *y, int64_t rows, int64_t cols, bool conj);
void linalg_conj(int dtype, void *x, int64_t n);

/* Fails with UNIMPLEMENTED or, for sizes LAPACK cannot take, INVALID_ARGUMENT. */
MUST_CHECK bool linalg_ready(const char *what, int dtype, int64_t m, int64_t n,
                             const struct lapack **out, struct status *st);

/* The work size that a query wrote (real part of its first element). */
int64_t linalg_work_size(int dtype, const void *answer);

/* Memory of each task; take with a NULL base to measure. */
int64_t qr_measure(int dtype, int64_t m, int64_t n, bool full);
int64_t svd_measure(int dtype, int64_t m, int64_t n, char jobz);
int64_t svd_tall_measure(int dtype, int64_t m, int64_t n);
int64_t eigh_measure(int dtype, int64_t n, bool vectors);

/* Full SVD of matrices that are not square and have few columns: linalg_svd_tall.c. */
bool svd_tall_serves(int64_t m, int64_t n, bool full);
MUST_CHECK bool svd_tall(const struct math_svd *d, struct status *st);

#endif
