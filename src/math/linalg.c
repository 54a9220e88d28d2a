/* SPDX-License-Identifier: Apache-2.0 */
/* Solving, inverse, determinant, Cholesky and triangular systems.
 *
 * LAPACK sees a row-major matrix A as M = A^T. Its factors serve as they are: A x = b is solved as
 * M^T x = b, the inverse of M read by rows is the inverse of A, and the upper Cholesky factor of M
 * read by rows is the lower one of A. */
#include "math/linalg.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "math/linalg_priv.h"
#include "math/transpose.h"
#include "tensor/dtype.h"

void *lent_take(struct lent *l, int64_t num, int64_t item)
{
    void *p = l->base ? l->base + l->used : NULL;
    l->used += (max_i64(num, 1) * item + 63) / 64 * 64;
    return p;
}

void linalg_transpose(int dtype, const void *x, void *y, int64_t rows, int64_t cols, bool conj)
{
    const int64_t dims[2] = {rows, cols};
    const int perm[2] = {1, 0};
    const struct math_transpose t = {.item = dtype_size(dtype),
                                     .x = x,
                                     .y = y,
                                     .rank = 2,
                                     .dims = dims,
                                     .perm = perm,
                                     .conj = conj && dtype_is_complex(dtype)};
    math_transpose(NULL, &t);
}

void linalg_conj(int dtype, void *x, int64_t n)
{
    if (dtype == DT_COMPLEX64) {
        for (int64_t i = 0; i < n; i++)
            ((struct c64 *)x)[i].im = -((struct c64 *)x)[i].im;
    } else if (dtype == DT_COMPLEX128) {
        for (int64_t i = 0; i < n; i++)
            ((struct c128 *)x)[i].im = -((struct c128 *)x)[i].im;
    }
}

int64_t linalg_work_size(int dtype, const void *answer)
{
    const bool single = dtype == DT_FLOAT || dtype == DT_COMPLEX64;
    const double v = single ? (double)*(const float *)answer : *(const double *)answer;
    /* A float holds whole numbers up to 2^24: what was rounded may be too small by one step. */
    return (int64_t)(v * (1 + 0x1p-20)) + 1;
}

bool math_linalg_available(void)
{
    return lapack_find(DT_DOUBLE) != NULL;
}

bool math_linalg_supports(int dtype)
{
    return dtype == DT_FLOAT || dtype == DT_DOUBLE || dtype_is_complex(dtype);
}

/* LAPACK counts in int: sizes, and the items of a work space a few times n^2. */
#define SIZE_MAX_LAPACK 16000

bool linalg_ready(const char *what, int dtype, int64_t m, int64_t n, const struct lapack **out,
                  struct status *st)
{
    if (!math_linalg_supports(dtype))
        return status_unimplemented(st, "%s: type %s has no kernel", what, dtype_name(dtype));
    *out = lapack_find(dtype);
    if (!*out)
        return status_unimplemented(st, "%s: OpenBLAS (serial) was not found", what);
    if (m < 0 || n < 0 || m > SIZE_MAX_LAPACK || n > SIZE_MAX_LAPACK)
        return status_invalid(st, "%s: a matrix of %lld x %lld is beyond the limit of %d", what,
                              (long long)m, (long long)n, SIZE_MAX_LAPACK);
    return true;
}

static int64_t item_of(int dtype)
{
    return (int64_t)dtype_size(dtype);
}

/* What solve, inverse and determinant take from the caller. */
struct lu_memory {
    void *a;
    int *pivots;
    void *rhs, *work;
    int lwork;
};

static struct lu_memory lu_take(struct lent *l, int dtype, int64_t n, int64_t num_rhs, bool inverse)
{
    struct lu_memory m = {.lwork = (int)max_i64(64 * n, 1)};
    m.a = lent_take(l, n * n, item_of(dtype));
    m.pivots = lent_take(l, n, sizeof(int));
    m.rhs = lent_take(l, n * num_rhs, item_of(dtype));
    m.work = lent_take(l, inverse ? m.lwork : 0, item_of(dtype));
    return m;
}

int64_t math_linalg_scratch_bytes(enum math_linalg_task task, int dtype, int64_t m, int64_t n)
{
    struct lent l = {0};
    if (!math_linalg_supports(dtype) || m < 0 || n < 0 || m > SIZE_MAX_LAPACK ||
        (n > SIZE_MAX_LAPACK && task != MATH_LINALG_SOLVE) || n > INT32_MAX)
        return -1;
    switch (task) {
    case MATH_LINALG_SOLVE:
        lu_take(&l, dtype, m, n, false);
        break;
    case MATH_LINALG_INVERSE:
        lu_take(&l, dtype, n, 0, true);
        break;
    case MATH_LINALG_DETERMINANT:
        lu_take(&l, dtype, n, 0, false);
        break;
    case MATH_LINALG_QR:
    case MATH_LINALG_QR_FULL:
        return qr_measure(dtype, m, n, task == MATH_LINALG_QR_FULL);
    case MATH_LINALG_SVD:
        return svd_measure(dtype, m, n, 'N');
    case MATH_LINALG_SVD_THIN:
        return svd_measure(dtype, m, n, 'S');
    case MATH_LINALG_SVD_FULL:
        return svd_tall_serves(m, n, true) ? svd_tall_measure(dtype, m, n)
                                           : svd_measure(dtype, m, n, 'A');
    case MATH_LINALG_EIGH:
    case MATH_LINALG_EIGH_VECTORS:
        return eigh_measure(dtype, n, task == MATH_LINALG_EIGH_VECTORS);
    }
    return l.used;
}

static bool not_invertible(struct status *st)
{
    return status_invalid(st, "Input matrix is not invertible.");
}

bool math_solve(const struct math_solve *s, struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("MatrixSolve", s->dtype, s->n, 0, &lapack, st))
        return false;
    if (s->num_rhs < 0 || s->num_rhs > INT32_MAX)
        return status_invalid(st, "MatrixSolve: %lld right-hand sides are too many",
                              (long long)s->num_rhs);
    if (s->n == 0 || s->num_rhs == 0)
        return true;
    struct lent l = {.base = s->scratch};
    const struct lu_memory m = lu_take(&l, s->dtype, s->n, s->num_rhs, false);
    const int n = (int)s->n, num_rhs = (int)s->num_rhs;
    int info = 0;
    memcpy(m.a, s->a, (size_t)(s->n * s->n * item_of(s->dtype)));
    lapack->getrf(&n, &n, m.a, &n, m.pivots, &info);
    if (info != 0)
        return not_invertible(st);
    /* A^H x = b is conj(M) x = b: conjugate b and x instead of M. */
    linalg_transpose(s->dtype, s->b, m.rhs, s->n, s->num_rhs, s->adjoint);
    lapack->getrs(s->adjoint ? "N" : "T", &n, &num_rhs, m.a, &n, m.pivots, m.rhs, &n, &info, 1);
    linalg_transpose(s->dtype, m.rhs, s->x, s->num_rhs, s->n, s->adjoint);
    return info == 0 || status_internal(st, "MatrixSolve: LAPACK getrs returned %d", info);
}

bool math_inverse(int dtype, int64_t n, const void *a, void *y, bool adjoint, void *scratch,
                  struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("MatrixInverse", dtype, n, n, &lapack, st))
        return false;
    if (n == 0)
        return true;
    struct lent l = {.base = scratch};
    const struct lu_memory m = lu_take(&l, dtype, n, 0, true);
    const int size = (int)n;
    int info = 0;
    const size_t bytes = (size_t)(n * n * item_of(dtype));
    memcpy(m.a, a, bytes);
    lapack->getrf(&size, &size, m.a, &size, m.pivots, &info);
    if (info == 0)
        lapack->getri(&size, m.a, &size, m.pivots, m.work, &m.lwork, &info);
    if (info != 0)
        return not_invertible(st);
    if (adjoint)
        linalg_transpose(dtype, m.a, y, n, n, true);
    else
        memcpy(y, m.a, bytes);
    return true;
}

/* C11's CMPLX, which not every pair of compiler and C library has. */
static double complex make_complex(double re, double im)
{
    const union {
        double parts[2];
        double complex whole;
    } v = {.parts = {re, im}};
    return v.whole;
}

/* Diagonal element i of an n x n matrix. */
static double complex diagonal(int dtype, const void *a, int64_t n, int64_t i)
{
    const int64_t at = i * n + i;
    switch (dtype) {
    case DT_FLOAT:
        return (double)((const float *)a)[at];
    case DT_DOUBLE:
        return ((const double *)a)[at];
    case DT_COMPLEX64:
        return make_complex((double)((const struct c64 *)a)[at].re,
                            (double)((const struct c64 *)a)[at].im);
    default:
        return make_complex(((const struct c128 *)a)[at].re, ((const struct c128 *)a)[at].im);
    }
}

static void store(int dtype, void *to, double complex v)
{
    if (!to)
        return;
    switch (dtype) {
    case DT_FLOAT:
        *(float *)to = (float)creal(v);
        break;
    case DT_DOUBLE:
        *(double *)to = creal(v);
        break;
    case DT_COMPLEX64:
        *(struct c64 *)to = (struct c64){(float)creal(v), (float)cimag(v)};
        break;
    default:
        *(struct c128 *)to = (struct c128){creal(v), cimag(v)};
    }
}

bool math_determinant(const struct math_determinant *d, struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("MatrixDeterminant", d->dtype, d->n, d->n, &lapack, st))
        return false;
    double complex sign = 1, det = 1;
    double log_abs = 0;
    if (d->n > 0) {
        struct lent l = {.base = d->scratch};
        const struct lu_memory m = lu_take(&l, d->dtype, d->n, 0, false);
        const int n = (int)d->n;
        int info = 0;
        memcpy(m.a, d->a, (size_t)(d->n * d->n * item_of(d->dtype)));
        lapack->getrf(&n, &n, m.a, &n, m.pivots, &info);
        for (int64_t i = 0; i < d->n; i++) {
            const double complex v = diagonal(d->dtype, m.a, d->n, i);
            const double size = cabs(v);
            const double flip = m.pivots[i] == i + 1 ? 1 : -1;
            det *= flip * v;
            sign *= size > 0 ? flip * v / size : size; /* 0, or NaN */
            log_abs += log(size);
        }
    }
    /* The product may leave the range of double on its way to a result inside it. */
    if (!(isfinite(cabs(det)) && cabs(det) > DBL_MIN) && sign != 0)
        det = sign * exp(log_abs);
    /* As TensorFlow: where the logarithm is no number the sign counts as 0, and NaN as -infinity.
     */
    if (!isfinite(log_abs)) {
        log_abs = log_abs > 0 ? (double)INFINITY : -(double)INFINITY;
        sign = 0;
        det = log_abs > 0 ? (double)NAN : 0;
    }
    store(d->dtype, d->det, det);
    store(d->dtype, d->sign, sign);
    store(d->dtype, d->log_abs, log_abs);
    return true;
}

bool math_cholesky(int dtype, int64_t n, const void *a, void *y, struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("Cholesky", dtype, n, n, &lapack, st))
        return false;
    if (n == 0)
        return true;
    const int size = (int)n;
    int info = 0;
    const int64_t item = item_of(dtype);
    if (y != a)
        memcpy(y, a, (size_t)(n * n * item));
    lapack->potrf("U", &size, y, &size, &info, 1);
    if (info != 0)
        return status_invalid(st, "Cholesky decomposition was not successful. The input might not "
                                  "be valid.");
    for (int64_t i = 0; i < n; i++)
        memset((char *)y + (i * n + i + 1) * item, 0, (size_t)((n - i - 1) * item));
    return true;
}

bool math_triangular_solve(const struct math_triangular *s, struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("MatrixTriangularSolve", s->dtype, s->n, 0, &lapack, st))
        return false;
    if (s->num_rhs < 0 || s->num_rhs > INT32_MAX)
        return status_invalid(st, "MatrixTriangularSolve: %lld right-hand sides are too many",
                              (long long)s->num_rhs);
    for (int64_t i = 0; i < s->n; i++)
        if (cabs(diagonal(s->dtype, s->t, s->n, i)) == 0)
            return not_invertible(st);
    if (s->n == 0 || s->num_rhs == 0)
        return true;
    /* T X = B by rows is X^T T^T = B^T by columns: M = T^T stands on the right. */
    const int n = (int)s->n, num_rhs = (int)s->num_rhs;
    char one[16];
    store(s->dtype, one, 1);
    if (s->x != s->b)
        memcpy(s->x, s->b, (size_t)(s->n * s->num_rhs * item_of(s->dtype)));
    lapack->trsm("R", s->lower ? "U" : "L", s->adjoint ? "C" : "N", "N", &num_rhs, &n, one, s->t,
                 &n, s->x, &num_rhs, 1, 1, 1, 1);
    return true;
}
