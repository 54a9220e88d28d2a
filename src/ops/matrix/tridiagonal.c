/* SPDX-License-Identifier: Apache-2.0 */
/* Systems and products with matrices of three diagonals, given as rows: above (its last element
 * unused), main, below (its first unused). Linear time; elimination with or without row swaps. */
#include <complex.h>
#include <math.h>

#include "op/grad.h"
#include "ops/matrix/batch.h"

/* --- elimination --- */

/* u: n rows of the three upper diagonals that elimination leaves. 0: done; else what is zero. */
#define TRIDIAGONAL(name, T, ABS)                                                                  \
    static void back_##name(const T *u, T *x, int64_t n, int64_t k)                                \
    {                                                                                              \
        for (int64_t i = n - 1; i >= 0; i--)                                                       \
            for (int64_t j = 0; j < k; j++) {                                                      \
                T v = x[i * k + j];                                                                \
                if (i + 1 < n)                                                                     \
                    v -= u[3 * i + 1] * x[(i + 1) * k + j];                                        \
                if (i + 2 < n)                                                                     \
                    v -= u[3 * i + 2] * x[(i + 2) * k + j];                                        \
                x[i * k + j] = v / u[3 * i];                                                       \
            }                                                                                      \
    }                                                                                              \
    /* x holds the right-hand sides and gets the solutions */                                      \
    static bool solve_##name(const T *d, T *u, T *x, int64_t n, int64_t k, bool pivot)             \
    {                                                                                              \
        const T *above = d, *main_ = d + n, *below = d + 2 * n;                                    \
        u[0] = main_[0], u[1] = above[0], u[2] = 0;                                                \
        for (int64_t i = 0; i + 1 < n; i++) {                                                      \
            T *r = u + 3 * i, *next = r + 3, *xi = x + i * k, *xn = xi + k;                        \
            const T sub = below[i + 1], sup = i + 2 < n ? above[i + 1] : 0;                        \
            const bool swap = pivot && !(ABS(r[0]) >= ABS(sub));                                   \
            if (!swap && r[0] == 0)                                                                \
                return false;                                                                      \
            const T factor = swap ? r[0] / sub : sub / r[0], upper = r[1];                         \
            next[0] = swap ? upper - factor * main_[i + 1] : main_[i + 1] - factor * upper;        \
            next[1] = swap ? -factor * sup : sup;                                                  \
            next[2] = 0;                                                                           \
            if (swap)                                                                              \
                r[0] = sub, r[1] = main_[i + 1], r[2] = sup;                                       \
            for (int64_t j = 0; j < k; j++) {                                                      \
                const T a = xi[j], b = xn[j];                                                      \
                xn[j] = swap ? a - factor * b : b - factor * a;                                    \
                xi[j] = swap ? b : a;                                                              \
            }                                                                                      \
        }                                                                                          \
        if (u[3 * (n - 1)] == 0)                                                                   \
            return false;                                                                          \
        back_##name(u, x, n, k);                                                                   \
        return true;                                                                               \
    }                                                                                              \
    static void product_##name(const T *const d[3], const T *x, T *y, int64_t n, int64_t k)        \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < k; j++) {                                                      \
                T v = d[1][i] * x[i * k + j];                                                      \
                if (i + 1 < n)                                                                     \
                    v += d[0][i] * x[(i + 1) * k + j];                                             \
                if (i > 0)                                                                         \
                    v += d[2][i] * x[(i - 1) * k + j];                                             \
                y[i * k + j] = v;                                                                  \
            }                                                                                      \
    }
TRIDIAGONAL(f32, float, fabsf)
TRIDIAGONAL(f64, double, fabs)
TRIDIAGONAL(c64, float _Complex, cabsf)
TRIDIAGONAL(c128, double _Complex, cabs)
#undef TRIDIAGONAL

static bool solve_one(int dtype, const void *d, void *u, void *x, int64_t n, int64_t k, bool pivot)
{
    switch (dtype) {
    case DT_FLOAT:
        return solve_f32(d, u, x, n, k, pivot);
    case DT_DOUBLE:
        return solve_f64(d, u, x, n, k, pivot);
    case DT_COMPLEX64:
        return solve_c64(d, u, x, n, k, pivot);
    default:
        return solve_c128(d, u, x, n, k, pivot);
    }
}

static bool fail_zero(int64_t n, bool pivot, struct status *st)
{
    if (n == 1)
        return status_invalid(st, "The matrix is not invertible: it is a scalar with value zero.");
    return status_invalid(st, "%s",
                          pivot ? "The matrix is not invertible."
                                : "The matrix is either not invertible, or requires "
                                  "pivoting. Try setting partial_pivoting = True.");
}

static bool same_batch(const struct tensor *a, const struct tensor *b, struct status *st)
{
    if (tensor_rank(a) < 2)
        return matrix_fail_shape(st, "Input tensor must have rank >= 2, got shape ", a);
    bool same = tensor_rank(a) == tensor_rank(b);
    for (int i = 0; same && i < tensor_rank(a) - 2; i++)
        same = tensor_dim(a, i) == tensor_dim(b, i);
    return same || status_invalid(st, "All input tensors must have the same outer dimensions.");
}

static bool solve_run(struct kctx *c, struct status *st)
{
    const struct tensor *d = kernel_in(c, 0), *b = kernel_in(c, 1);
    if (!same_batch(d, b, st))
        return false;
    const struct matrix_batch diagonals = matrix_batch_of(d), rhs = matrix_batch_of(b);
    const int64_t n = diagonals.cols, item = (int64_t)dtype_size(d->dtype);
    const bool pivot = attrs_bool(kernel_attrs(c), "partial_pivoting");
    if (diagonals.rows != 3)
        return status_invalid(
            st, "Expected diagonals to be provided as a matrix with 3 rows, got %lld rows.",
            (long long)diagonals.rows);
    if (n != rhs.rows)
        return status_invalid(
            st,
            "Expected the same number of left-hand sides and right-hand sides, got %lld and "
            "%lld.",
            (long long)n, (long long)rhs.rows);
    struct tensor *out = kernel_out(c, 0, &b->shape, st);
    if (!out || n == 0)
        return out != NULL;
    void *u = kernel_scratch(c, 3 * n * item, st);
    if (!u)
        return false;
    memcpy(out->data, b->data, tensor_bytes(b));
    for (int64_t i = 0; i < rhs.num; i++)
        if (!solve_one(d->dtype, (const char *)d->data + i * 3 * n * item, u,
                       (char *)out->data + i * n * rhs.cols * item, n, rhs.cols, pivot))
            return fail_zero(n, pivot, st);
    return true;
}

static void product_one(int dtype, const void *const d[3], const void *x, void *y, int64_t n,
                        int64_t k)
{
    switch (dtype) {
    case DT_FLOAT:
        product_f32((const float *const[]){d[0], d[1], d[2]}, x, y, n, k);
        break;
    case DT_DOUBLE:
        product_f64((const double *const[]){d[0], d[1], d[2]}, x, y, n, k);
        break;
    case DT_COMPLEX64:
        product_c64((const float _Complex *const[]){d[0], d[1], d[2]}, x, y, n, k);
        break;
    default:
        product_c128((const double _Complex *const[]){d[0], d[1], d[2]}, x, y, n, k);
    }
}

static bool product_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 3);
    if (tensor_rank(x) < 2)
        return matrix_fail_shape(st, "rhs must have rank >= 2, got shape ", x);
    const struct matrix_batch m = matrix_batch_of(x);
    const int64_t item = (int64_t)dtype_size(x->dtype), size = m.rows * m.cols * item;
    for (int i = 0; i < 3; i++) {
        const struct tensor *d = kernel_in(c, i);
        if (!same_batch(x, d, st))
            return false;
        const struct matrix_batch row = matrix_batch_of(d);
        if (row.rows != 1 || row.cols != m.rows)
            return matrix_fail_shape(st, "each diagonal must be a row of rhs's rows, got shape ",
                                     d);
    }
    struct tensor *out = kernel_out(c, 0, &x->shape, st);
    for (int64_t i = 0; out && i < m.num && size > 0; i++) {
        const void *d[3];
        for (int j = 0; j < 3; j++)
            d[j] = (const char *)kernel_in(c, j)->data + i * m.rows * item;
        product_one(x->dtype, d, (const char *)x->data + i * size, (char *)out->data + i * size,
                    m.rows, m.cols);
    }
    return out != NULL;
}

/* --- shapes --- */

static bool solve_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *d, *b, *batch;
    int64_t n, three;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &d, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 2, &b, st) ||
        !infer_merge(c, infer_slice(c, d, 0, -2), infer_slice(c, b, 0, -2), &batch, st) ||
        !infer_want_dim(c, infer_dim(d, -2), 3, &three, st) ||
        !infer_merge_dim(infer_dim(d, -1), infer_dim(b, -2), &n, st))
        return false;
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, n, infer_dim(b, -1))));
    return true;
}

static bool product_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *d, *batch;
    if (!infer_want_rank_min(c, infer_input(c, 3), 2, &x, st))
        return false;
    batch = infer_slice(c, x, 0, -2);
    int64_t n = infer_dim(x, -2), one;
    for (int i = 0; i < 3; i++)
        if (!infer_want_rank_min(c, infer_input(c, i), 2, &d, st) ||
            !infer_want_dim(c, infer_dim(d, -2), 1, &one, st) ||
            !infer_merge_dim(n, infer_dim(d, -1), &n, st) ||
            !infer_merge(c, batch, infer_slice(c, d, 0, -2), &batch, st))
            return false;
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, n, infer_dim(x, -1))));
    return true;
}

/* --- gradients --- */

/* Of known rank: x moved by one along the axis that is `back` from the end; 0 moves in. */
static struct output shifted_known(struct grad_ctx *g, struct output x, int back, bool up)
{
    int32_t at[SHAPE_MAX_RANK] = {0}, pads[2 * SHAPE_MAX_RANK] = {0};
    const int rank = grad_shape_of(g, x)->rank, axis = rank - back;
    struct tensor t = {0};
    struct status st = {0};
    struct output paddings = {0};
    pads[2 * axis + (up ? 0 : 1)] = 1;
    at[axis] = up ? 0 : 1;
    if (tensor_from(&t, DT_INT32, (int64_t[]){rank, 2}, 2, pads, &st))
        paddings = grad_const(g, &t);
    tensor_clear(&t);
    status_clear(&st);
    /* pad first, then cut: the cut's size does not depend on x's */
    return grad_op3(g, "Slice", grad_op2(g, "Pad", x, paddings), grad_const_i32s(g, at, rank),
                    grad_shape(g, x));
}

/* The same along the second last axis (up: to greater indices), of x of any rank; where the rank is
 * not known, as a row of matrices. Along the last where `last`. */
static struct output shifted(struct grad_ctx *g, struct output x, bool last, bool up)
{
    if (grad_shape_of(g, x)->rank >= 0)
        return shifted_known(g, x, last ? 1 : 2, up);
    struct output shape = grad_shape(g, x), zero = grad_const_i32(g, 0);
    struct output from = grad_sub(g, grad_op1(g, "Rank", x), grad_const_i32(g, last ? 1 : 2));
    struct output tail = grad_op3(g, "Slice", shape, grad_op2(g, "ExpandDims", from, zero),
                                  grad_const_i32s(g, (int32_t[]){-1}, 1));
    struct output parts[] = {grad_const_i32s(g, (int32_t[]){-1}, 1), tail, zero};
    struct grad_build b = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 3, .list_sizes = (int[]){2, 1}};
    struct output flat_shape = grad_node_out(g, grad_node(g, &b), 0);
    struct output flat = grad_reshape(g, x, flat_shape);
    struct output pads = grad_const_i32s(
        g, last ? (int32_t[]){0, 0, !!up, !up} : (int32_t[]){0, 0, !!up, !up, 0, 0}, last ? 4 : 6);
    pads = grad_reshape(g, pads, grad_const_i32s(g, (int32_t[]){last ? 2 : 3, 2}, 2));
    struct output at = grad_const_i32s(g, (int32_t[]){0, !up, 0}, last ? 2 : 3);
    struct output moved =
        grad_op3(g, "Slice", grad_op2(g, "Pad", flat, pads), at, grad_shape(g, flat));
    return grad_reshape(g, moved, shape);
}

static struct output pack(struct grad_ctx *g, const struct output *parts, int n, int axis)
{
    struct attrs attrs = {0};
    attrs_set(&attrs, "axis", attr_int(axis));
    struct grad_build b = {.op = "stack=Pack",
                           .inputs = parts,
                           .num_inputs = n,
                           .list_sizes = (int[]){n},
                           .attrs = &attrs};
    struct output out = grad_node_out(g, grad_node(g, &b), 0);
    attrs_clear(&attrs);
    return out;
}

static struct output row_sum(struct grad_ctx *g, struct output x, struct output y)
{
    return grad_op2(g, "Sum", grad_mul(g, x, y), grad_const_i32(g, -1));
}

static bool solve_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_out(g, 0), d[3];
    struct attr axis[] = {{(char *)"num", attr_int(3)}, {(char *)"axis", attr_int(-2)}};
    struct output diagonals = grad_in(g, 0);
    struct node *rows = grad_nodev(g, "unstack=Unpack", 1, &diagonals, 2, axis);
    for (int i = 0; i < 3; i++)
        d[i] = grad_node_out(g, rows, i);
    struct output turned[] = {shifted(g, d[2], true, false), d[1], shifted(g, d[0], true, true)};
    struct attr pivoting = {(char *)"partial_pivoting",
                            attr_bool(attrs_bool(grad_attrs(g), "partial_pivoting"))};
    struct output in[] = {pack(g, turned, 3, -2), grad_dy(g, 0)};
    struct output db = grad_opv(g, "TridiagonalSolve", 2, in, 1, &pivoting);
    struct output dd[] = {row_sum(g, db, shifted(g, x, false, false)), row_sum(g, db, x),
                          row_sum(g, db, shifted(g, x, false, true))};
    grad_set(g, 0, grad_neg(g, pack(g, dd, 3, -2)));
    grad_set(g, 1, db);
    return grad_done(g, st);
}

static bool product_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_conj(g, grad_in(g, 3)), dy = grad_dy(g, 0), d[3];
    for (int i = 0; i < 3; i++) /* rows become columns */
        d[i] = grad_op2(g, "ExpandDims",
                        grad_conj(g, grad_op2(g, "Sum", grad_in(g, i), grad_const_i32(g, -2))),
                        grad_const_i32(g, -1));
    struct output beside[] = {shifted(g, x, false, false), x, shifted(g, x, false, true)};
    for (int i = 0; i < 3; i++)
        grad_set(g, i, grad_op2(g, "ExpandDims", row_sum(g, beside[i], dy), grad_const_i32(g, -2)));
    struct output above = shifted(g, grad_mul(g, d[0], dy), false, true);
    struct output below = shifted(g, grad_mul(g, d[2], dy), false, false);
    grad_set(g, 3, grad_add(g, grad_add(g, above, grad_mul(g, d[1], dy)), below));
    return grad_done(g, st);
}

OP_DEF(tridiagonal_solve) = {
    .name = "TridiagonalSolve",
    .summary = "Solutions of systems whose matrices have three diagonals.",
    .inputs = {"diagonals: T", "rhs: T"},
    .outputs = {"output: T"},
    .attrs = {"partial_pivoting: bool = true", "T: {double, float, complex64, complex128}"},
    .shape = solve_shape,
    .grad = solve_grad,
};
KERNEL_DEF(tridiagonal_solve_cpu) = {.op = "TridiagonalSolve", .device = "CPU", .run = solve_run};

OP_DEF(tridiagonal_mat_mul) = {
    .name = "TridiagonalMatMul",
    .summary = "Products of matrices that have three diagonals.",
    .inputs = {"superdiag: T", "maindiag: T", "subdiag: T", "rhs: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {double, float, complex64, complex128}"},
    .shape = product_shape,
    .grad = product_grad,
};
KERNEL_DEF(tridiagonal_mat_mul_cpu) = {
    .op = "TridiagonalMatMul", .device = "CPU", .run = product_run};
