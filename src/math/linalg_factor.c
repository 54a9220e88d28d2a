/* SPDX-License-Identifier: Apache-2.0 */
/* QR, singular values and self-adjoint eigenvalues by LAPACK. */
#include <math.h>

#include "math/linalg_priv.h"
#include "tensor/dtype.h"

static int64_t item_of(int dtype)
{
    return (int64_t)dtype_size(dtype);
}

static int64_t real_item(int dtype)
{
    return (int64_t)dtype_size(dtype_real_of(dtype));
}

/* ---- QR: a is copied to columns, its reflectors become q in place (thin) or in an m x m copy. */

struct qr_memory {
    void *a, *q, *tau, *work;
    int lwork;
};

static struct qr_memory qr_take(struct lent *l, int dtype, int64_t m, int64_t n, bool full)
{
    const int64_t item = item_of(dtype);
    struct qr_memory q = {.lwork = (int)max_i64(64 * max_i64(m, n), 1)};
    q.a = lent_take(l, m * n, item);
    q.q = lent_take(l, full ? m * m : 0, item);
    q.tau = lent_take(l, m < n ? m : n, item);
    q.work = lent_take(l, q.lwork, item);
    return q;
}

int64_t qr_measure(int dtype, int64_t m, int64_t n, bool full)
{
    struct lent l = {0};
    qr_take(&l, dtype, m, n, full);
    return l.used;
}

/* r (rows x n) from the columns of a (ld m): what lies on and above the diagonal. */
static void upper_part(const struct math_qr *d, const char *a, int64_t rows)
{
    const int64_t item = item_of(d->dtype);
    memset(d->r, 0, (size_t)(rows * d->n * item));
    for (int64_t i = 0; i < min_i64(rows, d->m); i++)
        for (int64_t j = i; j < d->n; j++)
            memcpy((char *)d->r + (i * d->n + j) * item, a + (j * d->m + i) * item, (size_t)item);
}

static void identity(int dtype, int64_t n, void *y)
{
    const int64_t item = item_of(dtype);
    memset(y, 0, (size_t)(n * n * item));
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)y + (i * n + i) * item;
        if (real_item(dtype) == 4)
            *(float *)(void *)at = 1;
        else
            *(double *)(void *)at = 1;
    }
}

bool math_qr(const struct math_qr *d, struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("Qr", d->dtype, d->m, d->n, &lapack, st))
        return false;
    const int64_t p = min_i64(d->m, d->n), q_cols = d->full ? d->m : p;
    if (p == 0) {
        if (q_cols > 0)
            identity(d->dtype, d->m, d->q);
        memset(d->r, 0, (size_t)(q_cols * d->n * item_of(d->dtype)));
        return true;
    }
    struct lent l = {.base = d->scratch};
    struct qr_memory q = qr_take(&l, d->dtype, d->m, d->n, d->full);
    const int m = (int)d->m, n = (int)d->n, k = (int)p, cols = (int)q_cols;
    int info = 0;
    linalg_transpose(d->dtype, d->a, q.a, d->m, d->n, false);
    lapack->geqrf(&m, &n, q.a, &m, q.tau, q.work, &q.lwork, &info);
    if (info != 0)
        return status_internal(st, "Qr: LAPACK geqrf returned %d", info);
    upper_part(d, q.a, q_cols);
    void *reflectors = q.a;
    if (d->full) {
        memset(q.q, 0, (size_t)(d->m * d->m * item_of(d->dtype)));
        memcpy(q.q, q.a, (size_t)(d->m * p * item_of(d->dtype)));
        reflectors = q.q;
    }
    lapack->orgqr(&m, &cols, &k, reflectors, &m, q.tau, q.work, &q.lwork, &info);
    if (info != 0)
        return status_internal(st, "Qr: LAPACK orgqr returned %d", info);
    linalg_transpose(d->dtype, reflectors, d->q, q_cols, d->m, false);
    return true;
}

/* ---- SVD: of A^T = U' S V'^H, so that U by rows is V'^H by columns, and V = conj(U'). */

struct svd_memory {
    void *a, *u, *s, *vt, *work, *rwork;
    int *iwork;
    int lwork;
};

static struct svd_memory svd_take(struct lent *l, int dtype, int64_t m, int64_t n, char jobz,
                                  int64_t lwork)
{
    const int64_t item = item_of(dtype), p = min_i64(m, n), most = max_i64(m, n);
    struct svd_memory v = {.lwork = (int)lwork};
    v.a = lent_take(l, m * n, item);
    v.u = lent_take(l, jobz == 'N' ? 0 : n * (jobz == 'A' ? n : p), item);
    v.s = lent_take(l, p, real_item(dtype));
    v.iwork = lent_take(l, 8 * p, sizeof(int));
    /* LAPACK's formula for the real work space of complex types. */
    v.rwork = lent_take(l,
                        dtype_is_complex(dtype)
                            ? max_i64(5 * p * p + 7 * p, 2 * most * p + 2 * p * p + p) + 7 * p
                            : 0,
                        real_item(dtype));
    v.work = lent_take(l, lwork, item);
    return v;
}

/* One call, or with lwork -1 the question how much work space is best. */
static int svd_call(const struct lapack *lapack, int dtype, int64_t m, int64_t n, char jobz,
                    const struct svd_memory *v)
{
    const int rows = (int)n, cols = (int)m; /* of A^T */
    const int p = (int)min_i64(m, n), one = 1;
    const int ldu = jobz == 'N' ? one : rows, ldvt = jobz == 'A' ? cols : (jobz == 'S' ? p : one);
    int info = 0;
    if (dtype_is_complex(dtype))
        lapack->gesdd_complex(&jobz, &rows, &cols, v->a, &rows, v->s, v->u, &ldu, v->vt, &ldvt,
                              v->work, &v->lwork, v->rwork, v->iwork, &info, 1);
    else
        lapack->gesdd(&jobz, &rows, &cols, v->a, &rows, v->s, v->u, &ldu, v->vt, &ldvt, v->work,
                      &v->lwork, v->iwork, &info, 1);
    return info;
}

static int64_t svd_work(int dtype, int64_t m, int64_t n, char jobz)
{
    const struct lapack *lapack = lapack_find(dtype);
    if (!lapack || m == 0 || n == 0)
        return 1;
    double answer[2] = {0, 0};
    struct svd_memory ask = {.work = answer, .lwork = -1};
    int unused[8] = {0};
    ask.iwork = unused;
    if (svd_call(lapack, dtype, m, n, jobz, &ask) != 0)
        return -1;
    return linalg_work_size(dtype, answer);
}

int64_t svd_measure(int dtype, int64_t m, int64_t n, char jobz)
{
    struct lent l = {0};
    const int64_t work = svd_work(dtype, m, n, jobz);
    if (work < 0 || work > INT32_MAX)
        return -1;
    svd_take(&l, dtype, m, n, jobz, work);
    return l.used;
}

/* The vectors of a matrix without elements: any orthonormal ones. */
static void svd_empty(const struct math_svd *d)
{
    if (d->u && d->full) {
        identity(d->dtype, d->m, d->u);
        identity(d->dtype, d->n, d->v);
    }
}

static void put_nans(bool wide, void *to, int64_t n)
{
    for (int64_t i = 0; i < n && to; i++) {
        if (wide)
            ((double *)to)[i] = (double)NAN;
        else
            ((float *)to)[i] = NAN;
    }
}

/* What has no decomposition, such as a matrix with a NaN, is no error, as it is none in TensorFlow.
 */
static void svd_without(const struct math_svd *d)
{
    const bool wide = d->dtype == DT_DOUBLE || d->dtype == DT_COMPLEX128;
    const int64_t p = min_i64(d->m, d->n), parts = dtype_is_complex(d->dtype) ? 2 : 1;
    put_nans(wide, d->s, p);
    put_nans(wide, d->u, d->m * (d->full ? d->m : p) * parts);
    put_nans(wide, d->v, d->n * (d->full ? d->n : p) * parts);
}

bool math_svd(const struct math_svd *d, struct status *st)
{
    const struct lapack *lapack;
    if (!linalg_ready("Svd", d->dtype, d->m, d->n, &lapack, st))
        return false;
    const int64_t p = min_i64(d->m, d->n), item = item_of(d->dtype);
    if (p == 0) {
        svd_empty(d);
        return true;
    }
    if (d->u && svd_tall_serves(d->m, d->n, d->full))
        return svd_tall(d, st);
    const char jobz = !d->u ? 'N' : (d->full ? 'A' : 'S');
    const int64_t work = svd_work(d->dtype, d->m, d->n, jobz);
    if (work < 0 || work > INT32_MAX)
        return status_invalid(st, "Svd: a matrix of %lld x %lld is too large", (long long)d->m,
                              (long long)d->n);
    struct lent l = {.base = d->scratch};
    struct svd_memory v = svd_take(&l, d->dtype, d->m, d->n, jobz, work);
    v.vt = d->u;
    memcpy(v.a, d->a, (size_t)(d->m * d->n * item));
    const int info = svd_call(lapack, d->dtype, d->m, d->n, jobz, &v);
    if (info != 0) {
        svd_without(d);
        return true;
    }
    memcpy(d->s, v.s, (size_t)(p * real_item(d->dtype)));
    if (d->u)
        linalg_transpose(d->dtype, v.u, d->v, jobz == 'A' ? d->n : p, d->n, true);
    return true;
}

/* ---- eigenvalues: the lower half by rows is the upper one of conj(A) by columns. */

struct eigh_memory {
    void *a, *work, *rwork;
    int *iwork;
    int lwork, lrwork, liwork;
};

static int eigh_call(const struct lapack *lapack, int dtype, int64_t n, const char *jobz, void *w,
                     const struct eigh_memory *e)
{
    const int size = (int)n;
    int info = 0;
    if (dtype_is_complex(dtype))
        lapack->heevd(jobz, "U", &size, e->a, &size, w, e->work, &e->lwork, e->rwork, &e->lrwork,
                      e->iwork, &e->liwork, &info, 1, 1);
    else
        lapack->syevd(jobz, "U", &size, e->a, &size, w, e->work, &e->lwork, e->iwork, &e->liwork,
                      &info, 1, 1);
    return info;
}

/* Sizes in lwork, lrwork, liwork; false when they leave int. */
static bool eigh_sizes(int dtype, int64_t n, bool vectors, int64_t sizes[3])
{
    const struct lapack *lapack = lapack_find(dtype);
    sizes[0] = sizes[1] = sizes[2] = 1;
    if (!lapack || n == 0)
        return true;
    double answer[2] = {0, 0}, real_answer = 0, w = 0;
    int whole_answer = 0;
    const struct eigh_memory ask = {.work = answer,
                                    .rwork = &real_answer,
                                    .iwork = &whole_answer,
                                    .lwork = -1,
                                    .lrwork = -1,
                                    .liwork = -1};
    if (eigh_call(lapack, dtype, n, vectors ? "V" : "N", &w, &ask) != 0)
        return false;
    sizes[0] = linalg_work_size(dtype, answer);
    if (dtype_is_complex(dtype))
        sizes[1] = linalg_work_size(dtype, &real_answer);
    sizes[2] = whole_answer;
    return sizes[0] <= INT32_MAX && sizes[1] <= INT32_MAX;
}

static struct eigh_memory eigh_take(struct lent *l, int dtype, int64_t n, const int64_t sizes[3])
{
    struct eigh_memory e = {
        .lwork = (int)sizes[0], .lrwork = (int)sizes[1], .liwork = (int)sizes[2]};
    e.a = lent_take(l, n * n, item_of(dtype));
    e.work = lent_take(l, sizes[0], item_of(dtype));
    e.rwork = lent_take(l, sizes[1], real_item(dtype));
    e.iwork = lent_take(l, sizes[2], sizeof(int));
    return e;
}

int64_t eigh_measure(int dtype, int64_t n, bool vectors)
{
    struct lent l = {0};
    int64_t sizes[3];
    if (!eigh_sizes(dtype, n, vectors, sizes))
        return -1;
    eigh_take(&l, dtype, n, sizes);
    return l.used;
}

bool math_eigh(const struct math_eigh *d, struct status *st)
{
    const struct lapack *lapack;
    int64_t sizes[3];
    if (!linalg_ready("SelfAdjointEig", d->dtype, d->n, d->n, &lapack, st))
        return false;
    if (d->n == 0)
        return true;
    if (!eigh_sizes(d->dtype, d->n, d->v != NULL, sizes))
        return status_invalid(st, "SelfAdjointEig: a matrix of %lld x %lld is too large",
                              (long long)d->n, (long long)d->n);
    struct lent l = {.base = d->scratch};
    const struct eigh_memory e = eigh_take(&l, d->dtype, d->n, sizes);
    memcpy(e.a, d->a, (size_t)(d->n * d->n * item_of(d->dtype)));
    const int info = eigh_call(lapack, d->dtype, d->n, d->v ? "V" : "N", d->w, &e);
    if (info != 0)
        return status_invalid(
            st, "SelfAdjointEig: no convergence; is every element finite? (LAPACK: %d)", info);
    if (d->v)
        linalg_transpose(d->dtype, e.a, d->v, d->n, d->n, true);
    return true;
}
