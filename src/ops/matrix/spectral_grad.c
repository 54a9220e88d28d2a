/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of decompositions (M. Giles, "An extended collection of matrix derivative results
 * for forward and reverse mode algorithmic differentiation", 2008; for thin singular vectors J.
 * Townsend, "Differentiating the singular value decomposition", 2016). Where values coincide the
 * vectors are not unique and the gradient is NaN, as in TensorFlow. */
#include "ops/matrix/spectral.h"

/* 0, 1, ... with the last two swapped, as many as x has dims. */
static struct output swapped_axes(struct grad_ctx *g, struct output x)
{
    int32_t order[SHAPE_MAX_RANK];
    const int rank = grad_shape_of(g, x)->rank;
    if (rank >= 2) {
        for (int i = 0; i < rank; i++)
            order[i] = i;
        order[rank - 2] = rank - 1;
        order[rank - 1] = rank - 2;
        return grad_const_i32s(g, order, rank);
    }
    struct output zero = grad_const_i32(g, 0), one = grad_const_i32(g, 1);
    struct output last = grad_sub(g, grad_op1(g, "Rank", x), one), before = grad_sub(g, last, one);
    struct output parts[] = {grad_op3(g, "range=Range", zero, before, one),
                             grad_op2(g, "ExpandDims", last, zero),
                             grad_op2(g, "ExpandDims", before, zero), zero};
    struct grad_build b = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 4, .list_sizes = (int[]){3, 1}};
    return grad_node_out(g, grad_node(g, &b), 0);
}

/* The last two dims of x swapped, and its conjugate where `conjugate` says so. */
static struct output transposed(struct grad_ctx *g, struct output x, bool conjugate)
{
    return grad_op2(g, conjugate ? "ConjugateTranspose" : "Transpose", x, swapped_axes(g, x));
}

static struct output expand(struct grad_ctx *g, struct output x, int axis)
{
    return grad_op2(g, "ExpandDims", x, grad_const_i32(g, axis));
}

/* 1 / (w_j - w_i) in row i and column j, 0 on the diagonal. */
static struct output gaps(struct grad_ctx *g, struct output w)
{
    struct output d = grad_sub(g, expand(g, w, -2), expand(g, w, -1));
    return grad_op2(g, "MatrixSetDiag", grad_op1(g, "Reciprocal", d), grad_zeros_like(g, w));
}

static struct output lower(struct grad_ctx *g, struct output x)
{
    return grad_op3(g, "MatrixBandPart", x, grad_const_i32(g, -1), grad_const_i32(g, 0));
}

/* Only the lower half of the input is read, so that half gets all of the gradient. */
bool spectral_eig_grad(struct grad_ctx *g, struct status *st)
{
    struct output v, middle = grad_op1(g, "diag=MatrixDiag", grad_dy(g, 0));
    if (attrs_bool(grad_attrs(g), "compute_v")) {
        v = grad_out(g, 1);
        struct output vectors = grad_matmul(g, v, grad_dy(g, 1), true, false);
        middle = grad_add(g, middle, grad_mul(g, gaps(g, grad_out(g, 0)), vectors));
    } else {
        struct output a = grad_in(g, 0);
        v = grad_node_out(g, grad_nodev(g, "SelfAdjointEigV2", 1, &a, 0, NULL), 1);
    }
    struct output da = grad_matmul(g, v, grad_matmul(g, middle, v, false, true), false, false);
    da = lower(g, grad_add(g, da, transposed(g, da, true)));
    struct output diag = grad_op1(g, "diag_part=MatrixDiagPart", da);
    diag = grad_mul(g, diag, grad_const_like(g, diag, 0.5));
    grad_set(g, 0, grad_op2(g, "MatrixSetDiag", da, diag));
    return grad_done(g, st);
}

/* x r^-1 */
static struct output divided(struct grad_ctx *g, struct output x, struct output r)
{
    struct attr attrs[] = {{(char *)"lower", attr_bool(false)},
                           {(char *)"adjoint", attr_bool(false)}};
    struct output in[] = {r, transposed(g, x, true)};
    return transposed(g, grad_opv(g, "MatrixTriangularSolve", 2, in, 2, attrs), true);
}

bool spectral_qr_grad(struct grad_ctx *g, struct status *st)
{
    struct output q = grad_out(g, 0), r = grad_out(g, 1);
    const struct shape *s = grad_shape_of(g, r);
    if (dtype_is_complex(grad_type_of(g, q)))
        return grad_fail(g, st, STATUS_UNIMPLEMENTED, "QrGrad not implemented for complex types");
    if (s->rank < 2 || shape_dim(s, s->rank - 1) < 0 || shape_dim(s, s->rank - 2) < 0)
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "QrGrad not implemented with dynamic shapes.");
    if (shape_dim(s, s->rank - 1) != shape_dim(s, s->rank - 2))
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "QrGrad not implemented when ncols > nrows or full_matrices is true and "
                         "ncols != nrows.");
    struct output dq = grad_dy(g, 0), dr = grad_dy(g, 1);
    struct output qdq = grad_matmul(g, q, dq, true, false),
                  rdr = grad_matmul(g, r, dr, false, true);
    struct output skew = grad_add(g, grad_sub(g, qdq, transposed(g, qdq, true)),
                                  grad_sub(g, rdr, transposed(g, rdr, true)));
    struct output in_q = grad_add(g, dr, divided(g, lower(g, skew), r));
    struct output beside = grad_sub(g, dq, grad_matmul(g, q, qdq, false, false));
    grad_set(g, 0, grad_add(g, grad_matmul(g, q, in_q, false, false), divided(g, beside, r)));
    return grad_done(g, st);
}

/* --- Svd --- */

/* A = u diag(s) v^H with u square: m rows, n >= m columns. */
struct svd {
    struct output s, u, v, ds, du, dv;
    int64_t m, n;
    int rank;
    bool full;
};

/* Columns [begin, end) of x. */
static struct output columns(struct grad_ctx *g, const struct svd *d, struct output x,
                             int64_t begin, int64_t end)
{
    int32_t at[SHAPE_MAX_RANK] = {0}, size[SHAPE_MAX_RANK];
    for (int i = 0; i < d->rank; i++)
        size[i] = -1;
    at[d->rank - 1] = (int32_t)begin;
    size[d->rank - 1] = (int32_t)(end - begin);
    return grad_op3(g, "Slice", x, grad_const_i32s(g, at, d->rank),
                    grad_const_i32s(g, size, d->rank));
}

/* What changes of v outside the space of its first m columns give. */
static struct output svd_outside(struct grad_ctx *g, const struct svd *d, struct output v1,
                                 struct output dv1)
{
    struct output dv1t = transposed(g, dv1, false);
    struct output in_space =
        grad_matmul(g, grad_matmul(g, dv1t, v1, false, false), v1, false, true);
    struct output rest = grad_sub(g, dv1t, in_space);
    if (d->full) {
        struct output v2 = columns(g, d, d->v, d->m, d->n);
        struct output dv2 = columns(g, d, d->dv, d->m, d->n);
        struct output mixed = grad_matmul(g, v1, dv2, true, false);
        rest = grad_sub(g, rest, grad_matmul(g, mixed, v2, false, true));
    }
    struct output inverse = grad_op1(g, "diag=MatrixDiag", grad_op1(g, "Reciprocal", d->s));
    return grad_matmul(g, grad_matmul(g, d->u, inverse, false, false), rest, false, false);
}

static struct output svd_wide(struct grad_ctx *g, const struct svd *d)
{
    struct output s = grad_op1(g, "diag=MatrixDiag", d->s);
    struct output f = gaps(g, grad_op1(g, "Square", d->s));
    struct output v1 = columns(g, d, d->v, 0, d->m), dv1 = columns(g, d, d->dv, 0, d->m);
    struct output fu = grad_mul(g, f, grad_matmul(g, d->u, d->du, true, false));
    struct output fv = grad_mul(g, f, grad_matmul(g, v1, dv1, true, false));
    struct output left = grad_matmul(g, grad_add(g, fu, transposed(g, fu, true)), s, false, false);
    struct output right = grad_matmul(g, s, grad_add(g, fv, transposed(g, fv, true)), false, false);
    struct output middle =
        grad_add(g, grad_add(g, grad_op1(g, "diag=MatrixDiag", d->ds), left), right);
    struct output da = grad_matmul(g, d->u, grad_matmul(g, middle, v1, false, true), false, false);
    return d->m == d->n ? da : grad_add(g, da, svd_outside(g, d, v1, dv1));
}

static bool svd_values_grad(struct grad_ctx *g, struct status *st)
{
    struct output a = grad_in(g, 0);
    struct node *svd = grad_nodev(g, "Svd", 1, &a, 0, NULL);
    struct output ds = grad_op1(g, "diag=MatrixDiag", grad_dy(g, 0));
    struct output u = grad_node_out(g, svd, 1), v = grad_node_out(g, svd, 2);
    grad_set(g, 0, grad_matmul(g, u, grad_matmul(g, ds, v, false, true), false, false));
    return grad_done(g, st);
}

bool spectral_svd_grad(struct grad_ctx *g, struct status *st)
{
    const struct shape *s = grad_shape_of(g, grad_in(g, 0));
    if (!attrs_bool(grad_attrs(g), "compute_uv"))
        return svd_values_grad(g, st);
    if (dtype_is_complex(grad_type_of(g, grad_in(g, 0))))
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "SVD gradient is not implemented for complex types and compute_uv=True.");
    if (s->rank < 2 || shape_dim(s, s->rank - 1) < 0 || shape_dim(s, s->rank - 2) < 0)
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "SVD gradient has not been implemented for input with unknown inner "
                         "matrix shape.");
    struct svd d = {.s = grad_out(g, 0),
                    .u = grad_out(g, 1),
                    .v = grad_out(g, 2),
                    .ds = grad_dy(g, 0),
                    .du = grad_dy(g, 1),
                    .dv = grad_dy(g, 2),
                    .m = shape_dim(s, s->rank - 2),
                    .n = shape_dim(s, s->rank - 1),
                    .rank = s->rank,
                    .full = attrs_bool(grad_attrs(g), "full_matrices")};
    const bool tall = d.m > d.n; /* then by A^H = v diag(s) u^H */
    if (tall) {
        struct svd t = d;
        d.u = t.v, d.v = t.u, d.du = t.dv, d.dv = t.du, d.m = t.n, d.n = t.m;
    }
    if (d.full && d.n - d.m > 1)
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "svd gradient is not implemented for abs(m - n) > 1 when full_matrices "
                         "is True");
    struct output da = svd_wide(g, &d);
    grad_set(g, 0, tall ? transposed(g, da, false) : da);
    return grad_done(g, st);
}
