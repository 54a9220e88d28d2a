/* SPDX-License-Identifier: Apache-2.0 */
/* The Fortran LAPACK and BLAS functions that linalg calls, for the four types, found in OpenBLAS.
 * Matrices are column-major there: a row-major A is seen as its transpose. Each character argument
 * has a hidden length at the end of the list, which Fortran compilers expect. */
#ifndef LEAT_MATH_LAPACK_H
#define LEAT_MATH_LAPACK_H

#include "base/base.h"

/* Elements are void *: real or complex, single or double, by the struct they are found in. */
struct lapack {
    void (*getrf)(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
    void (*getrs)(const char *trans, const int *n, const int *num_rhs, const void *a,
                  const int *lda, const int *pivots, void *b, const int *ldb, int *info, size_t);
    void (*getri)(const int *n, void *a, const int *lda, const int *pivots, void *work,
                  const int *lwork, int *info);
    void (*potrf)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
    void (*trsm)(const char *side, const char *uplo, const char *trans, const char *diag,
                 const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                 void *b, const int *ldb, size_t, size_t, size_t, size_t);
    void (*geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                  const int *lwork, int *info);
    void (*orgqr)(const int *m, const int *n, const int *k, void *a, const int *lda,
                  const void *tau, void *work, const int *lwork, int *info);
    /* gesdd and syevd (heevd) of complex types have real work space besides. */
    void (*gesdd)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s,
                  void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,
                  int *iwork, int *info, size_t);
    void (*gesdd_complex)(const char *jobz, const int *m, const int *n, void *a, const int *lda,
                          void *s, void *u, const int *ldu, void *vt, const int *ldvt, void *work,
                          const int *lwork, void *rwork, int *iwork, int *info, size_t);
    void (*syevd)(const char *jobz, const char *uplo, const int *n, void *a, const int *lda,
                  void *w, void *work, const int *lwork, int *iwork, const int *liwork, int *info,
                  size_t, size_t);
    void (*heevd)(const char *jobz, const char *uplo, const int *n, void *a, const int *lda,
                  void *w, void *work, const int *lwork, void *rwork, const int *lrwork, int *iwork,
                  const int *liwork, int *info, size_t, size_t);
};

/* NULL: the library is absent, or the type has none. */
const struct lapack *lapack_find(int dtype);

#endif
