/* SPDX-License-Identifier: Apache-2.0 */
/* Full singular vectors of matrices with few columns, by way of a QR factorisation.
 *
 * The vectors past min(m, n) are any orthonormal basis of what the others leave. TensorFlow's are
 * the last columns of the Q of a column-pivoted Householder QR when the matrix has fewer than 16
 * columns, and so are these: A P = Q [R; 0], R = U S V^H, thus A = Q [U 0; 0 1] [S; 0] (P V)^H. A
 * matrix with more columns than rows is seen as its adjoint. The reflectors are kept in double. */
#include <complex.h>
#include <math.h>

#include "math/linalg_priv.h"
#include "tensor/dtype.h"

typedef double complex number; /* of any of the four types */

/* C11's CMPLX, which not every pair of compiler and C library has. */
static number make_number(double re, double im)
{
    const union {
        double parts[2];
        number whole;
    } v = {.parts = {re, im}};
    return v.whole;
}

struct tall_memory {
    number *a; /* columns, one after the other; below the diagonal the reflectors */
    number *tau, *column;
    double *norms;
    int64_t *order; /* column k of R is column order[k] of A */
    void *r, *u, *v;
    void *scratch; /* for R's own decomposition */
};

bool svd_tall_serves(int64_t m, int64_t n, bool full)
{
    return full && m != n && n < 16 && m > 0 && n > 0;
}

static struct tall_memory tall_take(struct lent *l, int dtype, int64_t m, int64_t n)
{
    const int64_t item = (int64_t)dtype_size(dtype);
    struct tall_memory t;
    t.a = lent_take(l, m * n, sizeof(number));
    t.tau = lent_take(l, n, sizeof(number));
    t.column = lent_take(l, m, sizeof(number));
    t.norms = lent_take(l, n, sizeof(double));
    t.order = lent_take(l, n, sizeof(int64_t));
    t.r = lent_take(l, n * n, item);
    t.u = lent_take(l, n * n, item);
    t.v = lent_take(l, n * n, item);
    t.scratch = lent_take(l, svd_measure(dtype, n, n, 'A'), 1);
    return t;
}

int64_t svd_tall_measure(int dtype, int64_t m, int64_t n)
{
    struct lent l = {0};
    if (svd_measure(dtype, min_i64(m, n), min_i64(m, n), 'A') < 0)
        return -1;
    tall_take(&l, dtype, max_i64(m, n), min_i64(m, n));
    return l.used;
}

static number get(int dtype, const void *p, int64_t i)
{
    switch (dtype) {
    case DT_FLOAT:
        return (double)((const float *)p)[i];
    case DT_DOUBLE:
        return ((const double *)p)[i];
    case DT_COMPLEX64:
        return make_number((double)((const struct c64 *)p)[i].re,
                           (double)((const struct c64 *)p)[i].im);
    default:
        return make_number(((const struct c128 *)p)[i].re, ((const struct c128 *)p)[i].im);
    }
}

static void put(int dtype, void *p, int64_t i, number v)
{
    switch (dtype) {
    case DT_FLOAT:
        ((float *)p)[i] = (float)creal(v);
        break;
    case DT_DOUBLE:
        ((double *)p)[i] = creal(v);
        break;
    case DT_COMPLEX64:
        ((struct c64 *)p)[i] = (struct c64){(float)creal(v), (float)cimag(v)};
        break;
    default:
        ((struct c128 *)p)[i] = (struct c128){creal(v), cimag(v)};
        break;
    }
}

static double square_norm(const number *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sum;
}

/* x -= factor (1, v) (1, v)^H x, with factor tau or its conjugate; v has n - 1 elements. */
static void reflect(const number *v, number factor, number *x, int64_t n)
{
    number dot = x[0];
    for (int64_t i = 1; i < n; i++)
        dot += conj(v[i - 1]) * x[i];
    dot *= factor;
    x[0] -= dot;
    for (int64_t i = 1; i < n; i++)
        x[i] -= v[i - 1] * dot;
}

/* Makes the reflector that sends x to a real multiple of the first unit vector. */
static number make_reflector(number *x, int64_t n)
{
    const double tail = square_norm(x + 1, n - 1);
    if (tail == 0 && cimag(x[0]) == 0)
        return 0;
    double beta = sqrt(square_norm(x, 1) + tail);
    if (creal(x[0]) >= 0)
        beta = -beta;
    const number tau = conj((beta - x[0]) / beta);
    for (int64_t i = 1; i < n; i++)
        x[i] /= x[0] - beta;
    x[0] = beta;
    return tau;
}

/* Columns i and j of A, and where they came from. */
static void exchange(const struct tall_memory *t, int64_t m, int64_t i, int64_t j)
{
    for (int64_t row = 0; row < m && i != j; row++) {
        const number x = t->a[i * m + row];
        t->a[i * m + row] = t->a[j * m + row];
        t->a[j * m + row] = x;
    }
    const int64_t order = t->order[i];
    t->order[i] = t->order[j];
    t->order[j] = order;
}

static void factor(const struct tall_memory *t, int64_t m, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t j = k; j < n; j++) {
            t->norms[j] = square_norm(t->a + j * m + k, m - k);
            if (t->norms[j] > t->norms[best])
                best = j;
        }
        exchange(t, m, k, best);
        number *x = t->a + k * m + k;
        t->tau[k] = make_reflector(x, m - k);
        for (int64_t j = k + 1; j < n; j++)
            reflect(x + 1, t->tau[k], t->a + j * m + k, m - k);
    }
}

/* Column j of Q [U 0; 0 1], into the columns of q (m x m, rows). */
static void put_column(const struct tall_memory *t, int dtype, int64_t m, int64_t n, int64_t j,
                       void *q)
{
    for (int64_t i = 0; i < m; i++)
        t->column[i] = j < n ? (i < n ? get(dtype, t->u, i * n + j) : 0) : (i == j ? 1 : 0);
    for (int64_t k = n - 1; k >= 0; k--)
        reflect(t->a + k * m + k + 1, conj(t->tau[k]), t->column + k, m - k);
    for (int64_t i = 0; i < m; i++)
        put(dtype, q, i * m + j, t->column[i]);
}

bool svd_tall(const struct math_svd *d, struct status *st)
{
    const bool wide = d->n > d->m;
    const int64_t m = max_i64(d->m, d->n), n = min_i64(d->m, d->n);
    struct lent l = {.base = d->scratch};
    const struct tall_memory t = tall_take(&l, d->dtype, m, n);
    for (int64_t j = 0; j < n; j++) {
        t.order[j] = j;
        for (int64_t i = 0; i < m; i++)
            t.a[j * m + i] =
                wide ? conj(get(d->dtype, d->a, j * m + i)) : get(d->dtype, d->a, i * n + j);
    }
    factor(&t, m, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            put(d->dtype, t.r, i * n + j, i <= j ? t.a[j * m + i] : 0);
    const struct math_svd inner = {.dtype = d->dtype,
                                   .m = n,
                                   .n = n,
                                   .full = true,
                                   .a = t.r,
                                   .s = d->s,
                                   .u = t.u,
                                   .v = t.v,
                                   .scratch = t.scratch};
    if (!math_svd(&inner, st))
        return false;
    for (int64_t j = 0; j < m; j++)
        put_column(&t, d->dtype, m, n, j, wide ? d->v : d->u);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            put(d->dtype, wide ? d->u : d->v, t.order[i] * n + j, get(d->dtype, t.v, i * n + j));
    return true;
}
