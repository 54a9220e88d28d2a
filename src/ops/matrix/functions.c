/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixSquareRoot, MatrixLogarithm, MatrixExponential of square matrices, in complex double.
 *
 * The first two go by the Schur form A = Q T Q^H, whose triangular T is found by QR steps with
 * shifts (Golub and Van Loan, Matrix Computations, 7.4-7.5); the root of a triangle by Bjorck and
 * Hammarling's recurrence; the logarithm by roots until T is near 1, then partial fractions of the
 * Pade approximant (Higham, Functions of Matrices, 11.4). The exponential is Pade 13 of A scaled by
 * a power of two, squared back (Higham 10.3). A matrix without a root gives NaN. */
#include <complex.h>
#include <math.h>

#include "op/grad.h"
#include "ops/matrix/batch.h"
#include "ops/matrix/complex_items.h"

typedef double _Complex item;

struct square { /* one matrix and room to work: n x n arrays */
    int64_t n;
    item *a, *q, *x, *y, *z;
};

static void multiply(int64_t n, const item *a, const item *b, item *c)
{
    memset(c, 0, (size_t)(n * n) * sizeof *c);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static double norm_1(int64_t n, const item *a)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += cabs(a[i * n + j]);
        most = sum > most || isnan(sum) ? sum : most;
    }
    return most;
}

/* x = a^-1 b by elimination; both are changed. False: no pivot. */
static bool solve(int64_t n, item *a, item *b)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (cabs(a[i * n + k]) > cabs(a[best * n + k]))
                best = i;
        if (!(cabs(a[best * n + k]) > 0))
            return false;
        for (int64_t j = 0; best != k && j < n; j++) {
            item t = a[k * n + j], u = b[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = t;
            b[k * n + j] = b[best * n + j];
            b[best * n + j] = u;
        }
        for (int64_t i = 0; i < n; i++) {
            if (i == k)
                continue;
            item m = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++)
                a[i * n + j] -= m * a[k * n + j];
            for (int64_t j = 0; j < n; j++)
                b[i * n + j] -= m * b[k * n + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            b[i * n + j] /= a[i * n + i];
    return true;
}

/* --- the Schur form --- */

/* The rotation [c s; -conj(s) c] that takes (f, g) to (r, 0). */
static void rotation(item f, item g, double *c, item *s)
{
    const double af = cabs(f), ag = cabs(g), r = hypot(af, ag);
    *c = r > 0 ? af / r : 1;
    *s = r > 0 ? (af > 0 ? f / af : 1) * conj(g) / r : 0;
    if (r > 0 && !(af > 0))
        *c = 0;
}

/* Rows i and i + 1 of a from column `from` on, and then columns i and i + 1 of a and q. */
static void rotate_rows(item *a, int64_t n, int64_t i, int64_t from, double c, item s)
{
    for (int64_t j = from; j < n; j++) {
        item u = a[i * n + j], v = a[(i + 1) * n + j];
        a[i * n + j] = c * u + s * v;
        a[(i + 1) * n + j] = -conj(s) * u + c * v;
    }
}

static void rotate_cols(item *a, int64_t n, int64_t i, int64_t rows, double c, item s)
{
    for (int64_t j = 0; j < rows; j++) {
        item u = a[j * n + i], v = a[j * n + i + 1];
        a[j * n + i] = c * u + conj(s) * v;
        a[j * n + i + 1] = -s * u + c * v;
    }
}

/* a becomes zero below its subdiagonal, by rotations that q collects. */
static void hessenberg(struct square *m)
{
    const int64_t n = m->n;
    double c;
    item s;
    for (int64_t k = 0; k + 2 < n; k++)
        for (int64_t i = n - 2; i > k; i--) {
            rotation(m->a[i * n + k], m->a[(i + 1) * n + k], &c, &s);
            rotate_rows(m->a, n, i, k, c, s);
            rotate_cols(m->a, n, i, n, c, s);
            rotate_cols(m->q, n, i, n, c, s);
        }
}

/* The eigenvalue of the last 2 x 2 block before `end` that is nearer to its corner. */
static item shift_of(const item *a, int64_t n, int64_t end)
{
    const item p = a[(end - 1) * n + end - 1], q = a[(end - 1) * n + end];
    const item r = a[end * n + end - 1], s = a[end * n + end];
    const item half = (p - s) / 2, root = csqrt(half * half + q * r);
    const item down = cabs(half + root) > cabs(half - root) ? half + root : half - root;
    return cabs(down) > 0 ? s - q * r / down : s;
}

/* One QR step with a shift on rows begin..end. */
static void step(struct square *m, int64_t begin, int64_t end, item shift)
{
    const int64_t n = m->n;
    item bulge = m->a[begin * n + begin] - shift, below = m->a[(begin + 1) * n + begin];
    for (int64_t i = begin; i < end; i++) {
        double c;
        item s;
        rotation(bulge, below, &c, &s);
        rotate_rows(m->a, n, i, i > begin ? i - 1 : begin, c, s);
        rotate_cols(m->a, n, i, (i + 3 < end + 1 ? i + 3 : end + 1), c, s);
        rotate_cols(m->q, n, i, n, c, s);
        if (i + 1 < end) {
            bulge = m->a[(i + 1) * n + i];
            below = m->a[(i + 2) * n + i];
        }
    }
}

/* a becomes T, q becomes Q. False: no convergence (or no numbers). */
static bool schur(struct square *m)
{
    enum { TRIES = 60 };
    const int64_t n = m->n;
    memset(m->q, 0, (size_t)(n * n) * sizeof *m->q);
    for (int64_t i = 0; i < n; i++)
        m->q[i * n + i] = 1;
    hessenberg(m);
    for (int64_t end = n - 1, tries = 0; end > 0;) {
        int64_t begin = end;
        for (; begin > 0; begin--) {
            const item *d = &m->a[begin * n + begin];
            const double near = cabs(d[0]) + cabs(d[-n - 1]);
            if (cabs(d[-1]) <= 2.3e-16 * near || (near == 0 && cabs(d[-1]) < 1e-300))
                break;
        }
        if (begin > 0)
            m->a[begin * n + begin - 1] = 0;
        if (begin == end) {
            end--;
            tries = 0;
            continue;
        }
        if (tries++ == TRIES)
            return false;
        item shift = shift_of(m->a, n, end);
        if (tries % 10 == 0) /* out of a cycle */
            shift = m->a[end * n + end] + cabs(m->a[end * n + end - 1]);
        step(m, begin, end, shift);
    }
    return true;
}

/* q t q^H into a. */
static void unschur(struct square *m, const item *t)
{
    const int64_t n = m->n;
    multiply(n, m->q, t, m->z);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            item sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += m->z[i * n + k] * conj(m->q[j * n + k]);
            m->a[i * n + j] = sum;
        }
}

/* --- functions --- */

/* The root of a triangle, into r. */
static void root_of_triangle(int64_t n, const item *t, item *r)
{
    memset(r, 0, (size_t)(n * n) * sizeof *r);
    for (int64_t j = 0; j < n; j++) {
        r[j * n + j] = csqrt(t[j * n + j]);
        for (int64_t i = j - 1; i >= 0; i--) {
            item sum = t[i * n + j];
            for (int64_t k = i + 1; k < j; k++)
                sum -= r[i * n + k] * r[k * n + j];
            r[i * n + j] = sum / (r[i * n + i] + r[j * n + j]);
        }
    }
}

static bool square_root(struct square *m)
{
    if (!schur(m))
        return false;
    root_of_triangle(m->n, m->a, m->x);
    unschur(m, m->x);
    return true;
}

/* Gauss-Legendre nodes and weights on [0, 1], seven of them: Pade [7/7] of log(1 + x). */
static const double nodes[] = {
    0.02544604382862073773690515797607, 0.12923440720030278006806761335960,
    0.29707742431130141654669679396152, 0.5,
    0.70292257568869858345330320603848, 0.87076559279969721993193238664040,
    0.97455395617137926226309484202393};
static const double weights[] = {
    0.06474248308443484663530571633954, 0.13985269574463833395073388571189,
    0.19091502525255947247518488774449, 0.20897959183673469387755102040816,
    0.19091502525255947247518488774449, 0.13985269574463833395073388571189,
    0.06474248308443484663530571633954};

/* The sum of w X (1 + x_i X)^-1 for X = T - 1, into y. */
static bool log_near_one(struct square *m)
{
    const int64_t n = m->n;
    memset(m->y, 0, (size_t)(n * n) * sizeof *m->y);
    for (int64_t i = 0; i < n; i++)
        m->a[i * n + i] -= 1;
    for (size_t k = 0; k < ARRAY_LEN(nodes); k++) {
        for (int64_t i = 0; i < n * n; i++) {
            m->x[i] = nodes[k] * m->a[i] + (i % (n + 1) == 0 ? 1 : 0);
            m->z[i] = m->a[i];
        }
        if (!solve(n, m->x, m->z))
            return false;
        for (int64_t i = 0; i < n * n; i++)
            m->y[i] += weights[k] * m->z[i];
    }
    return true;
}

static bool logarithm(struct square *m)
{
    enum { MOST_ROOTS = 100 };
    const int64_t n = m->n;
    int roots = 0;
    if (!schur(m))
        return false;
    for (;; roots++) {
        for (int64_t i = 0; i < n * n; i++)
            m->x[i] = m->a[i] - (i % (n + 1) == 0 ? 1 : 0);
        if (norm_1(n, m->x) < 0.25)
            break;
        if (roots == MOST_ROOTS)
            return false;
        root_of_triangle(n, m->a, m->x);
        memcpy(m->a, m->x, (size_t)(n * n) * sizeof *m->a);
    }
    if (!log_near_one(m))
        return false;
    for (int64_t i = 0; i < n * n; i++)
        m->y[i] *= ldexp(1, roots);
    unschur(m, m->y);
    return true;
}

/* Sums of powers: even ones into y, odd ones into z, with Pade 13's coefficients. a is scaled. */
static void pade_13(struct square *m)
{
    static const double b[] = {64764752532480000.,
                               32382376266240000.,
                               7771770303897600.,
                               1187353796428800.,
                               129060195264000.,
                               10559470521600.,
                               670442572800.,
                               33522128640.,
                               1323241920.,
                               40840800.,
                               960960.,
                               16380.,
                               182.,
                               1.};
    const int64_t n = m->n;
    /* Horner's scheme in A^2 (q): even part in y, odd part (before its last factor A) in z. */
    multiply(n, m->a, m->a, m->q);
    for (int64_t i = 0; i < n * n; i++) {
        const bool diagonal = i % (n + 1) == 0;
        m->y[i] = diagonal ? b[12] : 0;
        m->z[i] = diagonal ? b[13] : 0;
    }
    for (int k = 10; k >= 0; k -= 2) {
        multiply(n, m->y, m->q, m->x);
        memcpy(m->y, m->x, (size_t)(n * n) * sizeof *m->y);
        multiply(n, m->z, m->q, m->x);
        memcpy(m->z, m->x, (size_t)(n * n) * sizeof *m->z);
        for (int64_t i = 0; i < n; i++) {
            m->y[i * n + i] += b[k];
            m->z[i * n + i] += b[k + 1];
        }
    }
    multiply(n, m->z, m->a, m->x);
    memcpy(m->z, m->x, (size_t)(n * n) * sizeof *m->z);
}

static bool exponential(struct square *m)
{
    const int64_t n = m->n;
    const double norm = norm_1(n, m->a), fits = 4.25;
    int squarings = 0;
    if (!isfinite(norm))
        return false;
    if (norm > fits)
        frexp(norm / fits, &squarings);
    for (int64_t i = 0; i < n * n; i++)
        m->a[i] *= ldexp(1, -squarings);
    pade_13(m);
    for (int64_t i = 0; i < n * n; i++) {
        m->x[i] = m->y[i] - m->z[i];
        m->a[i] = m->y[i] + m->z[i];
    }
    if (!solve(n, m->x, m->a))
        return false;
    for (; squarings > 0; squarings--) {
        multiply(n, m->a, m->a, m->x);
        memcpy(m->a, m->x, (size_t)(n * n) * sizeof *m->a);
    }
    return true;
}

/* --- kernels --- */

/* A real matrix whose result is not real has none. */
static void spoil(struct square *m, bool real)
{
    bool wrong = !real;
    for (int64_t i = 0; real && i < m->n * m->n; i++) {
        const double most = 1e-6 * (1 + fabs(creal(m->a[i])));
        wrong = wrong || !(fabs(cimag(m->a[i])) <= most);
    }
    for (int64_t i = 0; wrong && i < m->n * m->n; i++)
        m->a[i] = NAN + NAN * I;
}

static bool run(struct kctx *c, bool (*function)(struct square *m), struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "Input tensor 0 must have rank >= 2, got shape ", in);
    const struct matrix_batch b = matrix_batch_of(in);
    const bool real = !dtype_is_complex(in->dtype);
    if (b.rows != b.cols)
        return status_invalid(st, "Input matrix must be square.");
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out || in->num_elems == 0)
        return out != NULL;
    const int64_t size = b.rows * b.rows;
    item *room = kernel_scratch(c, 5 * size * (int64_t)sizeof *room, st);
    if (!room)
        return false;
    struct square m = {b.rows,          room,           room + size, room + 2 * size,
                       room + 3 * size, room + 4 * size};
    for (int64_t i = 0; i < b.num; i++) {
        complex_load(in, i * size, size, m.a);
        if (!function(&m))
            spoil(&m, false);
        else if (real)
            spoil(&m, true);
        complex_store(out, i * size, size, m.a);
    }
    return true;
}

static bool root_run(struct kctx *c, struct status *st)
{
    return run(c, square_root, st);
}

static bool log_run(struct kctx *c, struct status *st)
{
    return run(c, logarithm, st);
}

static bool exp_run(struct kctx *c, struct status *st)
{
    return run(c, exponential, st);
}

static bool square_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_merge_dim(infer_dim(in, -2), infer_dim(in, -1), &n, st))
        return false;
    infer_set(c, 0, infer_concat(c, infer_slice(c, in, 0, -2), infer_matrix(c, n, n)));
    return true;
}

/* --- the root's gradient: the X with Y^H X + X Y^H = dY, as n^2 equations --- */

static struct output spread(struct grad_ctx *g, struct output x, int axis)
{
    return grad_op2(g, "ExpandDims", x, grad_const_i32(g, axis));
}

/* The Kronecker product of matrices of n rows, with shape [..., n^2, n^2]. */
static struct output kronecker(struct grad_ctx *g, struct output a, struct output b,
                               struct output shape)
{
    a = spread(g, spread(g, a, -1), -3); /* [..., n, 1, n, 1] */
    b = spread(g, spread(g, b, -2), -4); /* [..., 1, n, 1, n] */
    return grad_reshape(g, grad_mul(g, a, b), shape);
}

/* shape[begin:end], or one element of it. */
static struct output piece(struct grad_ctx *g, struct output shape, int begin, bool one)
{
    struct output in[] = {shape, grad_const_i32s(g, (int32_t[]){begin}, 1),
                          grad_const_i32s(g, (int32_t[]){begin + (one ? 1 : -2)}, 1),
                          grad_const_i32s(g, (int32_t[]){1}, 1)};
    struct attr mask = {(char *)(one ? "shrink_axis_mask" : "begin_mask"), attr_int(1)};
    return grad_opv(g, "StridedSlice", 4, in, 1, &mask);
}

static struct output matrices(struct grad_ctx *g, struct output batch, struct output rows,
                              struct output cols)
{
    struct output parts[] = {batch, spread(g, rows, 0), spread(g, cols, 0), grad_const_i32(g, 0)};
    struct grad_build b = {
        .op = "ConcatV2", .inputs = parts, .num_inputs = 4, .list_sizes = (const int[]){3, 1}};
    return grad_node_out(g, grad_node(g, &b), 0);
}

static bool root_grad(struct grad_ctx *g, struct status *st)
{
    struct output y = grad_out(g, 0), shape = grad_shape(g, y);
    struct output batch = piece(g, shape, 0, false), n = piece(g, shape, -2, true);
    struct output n2 = grad_mul(g, n, n), big = matrices(g, batch, n2, n2);
    struct output diagonal = grad_op1(g, "OnesLike", grad_op1(g, "MatrixDiagPart", y));
    struct output unit = grad_op1(g, "MatrixDiag", diagonal);
    struct attr adjoint = {(char *)"adj_x", attr_bool(true)};
    struct output turned =
        grad_conj(g, grad_opv(g, "BatchMatMulV2", 2, (struct output[]){y, unit}, 1, &adjoint));
    /* The equations' matrix is the adjoint of Y (x) 1 + 1 (x) Y^T, as rows follow one another. */
    struct output matrix = grad_add(g, kronecker(g, y, unit, big), kronecker(g, unit, turned, big));
    struct output column = matrices(g, batch, n2, grad_const_i32(g, 1));
    struct output in[] = {matrix, grad_reshape(g, grad_dy(g, 0), column)};
    struct attr of_adjoint = {(char *)"adjoint", attr_bool(true)};
    struct output x = grad_opv(g, "MatrixSolve", 2, in, 1, &of_adjoint);
    grad_set(g, 0, grad_reshape(g, x, shape));
    return grad_done(g, st);
}

#define FUNCTION_OP(id, op_name, text, all, with_kernel, run_fn, ...)                              \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"input: T"},                                                          \
                  .outputs = {"output: T"},                                                        \
                  .attrs = {"T: {" all "}"},                                                       \
                  .shape = square_shape,                                                           \
                  .no_kernel = "half is too narrow to decompose matrices",                         \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T: {" with_kernel "}"},                                     \
                            .run = run_fn,                                                         \
                            .flags = KERNEL_EXPENSIVE}

FUNCTION_OP(matrix_square_root, "MatrixSquareRoot", "Principal square roots of matrices.",
            "double, float, half, complex64, complex128", "float, double, complex64, complex128",
            root_run, .grad = root_grad);
FUNCTION_OP(matrix_logarithm, "MatrixLogarithm", "Principal logarithms of matrices.",
            "complex64, complex128", "complex64, complex128", log_run,
            .no_grad = "undefined: TensorFlow has none");
FUNCTION_OP(matrix_exponential, "MatrixExponential", "Exponentials of matrices.",
            "double, float, half, complex64, complex128", "float, double, complex64, complex128",
            exp_run, .deprecated_at = 27,
            .deprecated_why = "Use Python implementation tf.linalg.matrix_exponential instead.",
            .no_grad = "undefined: TensorFlow has none");
