/* SPDX-License-Identifier: Apache-2.0 */
/* needs: openblas */
/* MatrixSolveLs: least squares for tall matrices and least norm for wide ones, regularized, through
 * the normal equations (fast) or the singular values (not fast, and then not regularized). */
#include "math/gemm.h"
#include "math/linalg.h"
#include "op/grad.h"
#include "ops/matrix/batch.h"

static bool ls_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b, *l2, *batch;
    int64_t rows;
    if (!infer_want_rank(c, infer_input(c, 2), 0, &l2, st) ||
        !infer_want_rank_min(c, infer_input(c, 0), 2, &a, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 2, &b, st) ||
        !infer_merge_dim(infer_dim(a, -2), infer_dim(b, -2), &rows, st) ||
        !infer_merge(c, infer_slice(c, a, 0, -2), infer_slice(c, b, 0, -2), &batch, st))
        return false;
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, infer_dim(a, -1), infer_dim(b, -1))));
    return true;
}

/* --- gradient --- */

/* The Cholesky factor of A^H A + l2 (tall) or A A^H + l2. */
static struct output factor(struct grad_ctx *g, struct output a, bool tall)
{
    struct output gram = grad_matmul(g, a, a, tall, !tall);
    struct output diag = grad_op1(g, "diag_part=MatrixDiagPart", gram);
    struct output l2 = grad_cast(g, grad_in(g, 2), grad_type_of(g, a));
    return grad_op1(g, "Cholesky", grad_op2(g, "MatrixSetDiag", gram, grad_add(g, diag, l2)));
}

/* (L L^H)^-1 b */
static struct output solve(struct grad_ctx *g, struct output l, struct output b)
{
    struct attr adjoint = {(char *)"adjoint", attr_bool(true)};
    struct output y = grad_op2(g, "MatrixTriangularSolve", l, b);
    return grad_opv(g, "MatrixTriangularSolve", 2, (struct output[]){l, y}, 1, &adjoint);
}

static void tall_grad(struct grad_ctx *g)
{
    struct output a = grad_in(g, 0), b = grad_in(g, 1), x = grad_out(g, 0);
    struct output z = solve(g, factor(g, a, true), grad_dy(g, 0));
    struct output both =
        grad_add(g, grad_matmul(g, x, z, false, true), grad_matmul(g, z, x, false, true));
    grad_set(g, 0,
             grad_sub(g, grad_matmul(g, b, z, false, true), grad_matmul(g, a, both, false, false)));
    grad_set(g, 1, grad_matmul(g, a, z, false, false));
}

static void wide_grad(struct grad_ctx *g)
{
    struct output a = grad_in(g, 0), dy = grad_dy(g, 0), l = factor(g, a, false);
    struct output db = solve(g, l, grad_matmul(g, a, dy, false, false));
    struct output t = solve(g, l, grad_in(g, 1));
    struct output rest = grad_sub(g, dy, grad_matmul(g, a, db, true, false));
    struct output along = grad_matmul(g, db, grad_matmul(g, t, a, true, false), false, false);
    grad_set(g, 0, grad_sub(g, grad_matmul(g, t, rest, false, true), along));
    grad_set(g, 1, db);
}

static bool ls_grad(struct grad_ctx *g, struct status *st)
{
    const struct shape *s = grad_shape_of(g, grad_in(g, 0));
    if (!attrs_bool(grad_attrs(g), "fast"))
        return grad_fail(g, st, STATUS_INVALID_ARGUMENT, "Gradient not defined for fast=False");
    if (s->rank < 2 || shape_dim(s, s->rank - 1) < 0 || shape_dim(s, s->rank - 2) < 0)
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "the gradient of MatrixSolveLs needs the matrix's rows and columns");
    if (shape_dim(s, s->rank - 2) >= shape_dim(s, s->rank - 1))
        tall_grad(g);
    else
        wide_grad(g);
    return grad_done(g, st);
}

/* --- kernel --- */

struct ls {
    struct kctx *c;
    int dtype;
    int64_t item, rows, cols, rhs;
    double l2;
    const char *a, *b;
    char *x;
    char *gram, *right; /* min(rows, cols) squared, and by rhs */
    struct math_svd svd;
};

static void add_diagonal(struct ls *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        void *at = s->gram + i * (n + 1) * s->item;
        if (s->dtype == DT_FLOAT || s->dtype == DT_COMPLEX64)
            *(float *)at += (float)s->l2;
        else
            *(double *)at += s->l2;
    }
}

/* right = (A^H A + l2)^-1 right, or by A A^H. */
static bool solve_gram(struct ls *s, int64_t n, struct status *st)
{
    add_diagonal(s, n);
    struct math_triangular t = {.dtype = s->dtype,
                                .n = n,
                                .num_rhs = s->rhs,
                                .t = s->gram,
                                .b = s->right,
                                .x = s->right,
                                .lower = true};
    bool ok = math_cholesky(s->dtype, n, s->gram, s->gram, st) && math_triangular_solve(&t, st);
    t.adjoint = true;
    ok = ok && math_triangular_solve(&t, st);
    if (ok || st->code != STATUS_INVALID_ARGUMENT)
        return ok;
    status_clear(st);
    return status_invalid(st, "Input matrix was rank deficient or ill-conditioned. Try setting "
                              "fast=False or provide a larger l2_regularizer > 0.");
}

static bool solve_fast(struct ls *s, struct status *st)
{
    const bool tall = s->rows >= s->cols;
    const int64_t n = tall ? s->cols : s->rows, k = tall ? s->rows : s->cols;
    struct pool *pool = kernel_pool(s->c);
    math_gemm(pool, s->dtype,
              &(struct math_gemm){.m = n,
                                  .n = n,
                                  .k = k,
                                  .a = s->a,
                                  .b = s->a,
                                  .c = s->gram,
                                  .lda = s->cols,
                                  .ldb = s->cols,
                                  .ldc = n,
                                  .trans_a = tall,
                                  .conj_a = tall,
                                  .trans_b = !tall,
                                  .conj_b = !tall});
    if (tall)
        math_gemm(pool, s->dtype,
                  &(struct math_gemm){.m = n,
                                      .n = s->rhs,
                                      .k = k,
                                      .a = s->a,
                                      .b = s->b,
                                      .c = s->right,
                                      .lda = s->cols,
                                      .ldb = s->rhs,
                                      .ldc = s->rhs,
                                      .trans_a = true,
                                      .conj_a = true});
    else
        memcpy(s->right, s->b, (size_t)(n * s->rhs * s->item));
    if (!solve_gram(s, n, st))
        return false;
    if (tall)
        memcpy(s->x, s->right, (size_t)(n * s->rhs * s->item));
    else
        math_gemm(pool, s->dtype,
                  &(struct math_gemm){.m = k,
                                      .n = s->rhs,
                                      .k = n,
                                      .a = s->a,
                                      .b = s->right,
                                      .c = s->x,
                                      .lda = s->cols,
                                      .ldb = s->rhs,
                                      .ldc = s->rhs,
                                      .trans_a = true,
                                      .conj_a = true});
    return true;
}

/* right's rows by the reciprocals of the singular values; those too small against the greatest
 * count as zero. */
static void divide_rows(struct ls *s, int64_t n)
{
    const bool narrow = s->dtype == DT_FLOAT || s->dtype == DT_COMPLEX64;
    const int64_t reals = s->rhs * (dtype_is_complex(s->dtype) ? 2 : 1);
    const double least = (narrow ? 0x1p-23 : 0x1p-52) * (double)n;
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = narrow ? (double)((float *)s->svd.s)[i] : ((double *)s->svd.s)[i];
        most = i == 0 ? w : most;
        const double by = w > least * most ? 1 / w : 0;
        for (int64_t j = 0; j < reals; j++)
            if (narrow)
                ((float *)(void *)s->right)[i * reals + j] *= (float)by;
            else
                ((double *)(void *)s->right)[i * reals + j] *= by;
    }
}

static bool solve_svd(struct ls *s, struct status *st)
{
    const int64_t n = matrix_min(s->rows, s->cols);
    s->svd.a = s->a;
    if (!math_svd(&s->svd, st))
        return false;
    math_gemm(kernel_pool(s->c), s->dtype,
              &(struct math_gemm){.m = n,
                                  .n = s->rhs,
                                  .k = s->rows,
                                  .a = s->svd.u,
                                  .b = s->b,
                                  .c = s->right,
                                  .lda = n,
                                  .ldb = s->rhs,
                                  .ldc = s->rhs,
                                  .trans_a = true,
                                  .conj_a = true});
    divide_rows(s, n);
    math_gemm(kernel_pool(s->c), s->dtype,
              &(struct math_gemm){.m = s->cols,
                                  .n = s->rhs,
                                  .k = n,
                                  .a = s->svd.v,
                                  .b = s->right,
                                  .c = s->x,
                                  .lda = n,
                                  .ldb = s->rhs,
                                  .ldc = s->rhs});
    return true;
}

/* Memory for one matrix. */
static bool ls_scratch(struct ls *s, bool fast, struct status *st)
{
    const int64_t n = matrix_min(s->rows, s->cols);
    s->right = kernel_scratch(s->c, n * s->rhs * s->item, st);
    if (!s->right)
        return false;
    if (fast) {
        s->gram = kernel_scratch(s->c, n * n * s->item, st);
        return s->gram != NULL;
    }
    const int64_t bytes =
        math_linalg_scratch_bytes(MATH_LINALG_SVD_THIN, s->dtype, s->rows, s->cols);
    if (bytes < 0)
        return status_invalid(st, "MatrixSolveLs: a matrix of %lld by %lld is too big",
                              (long long)s->rows, (long long)s->cols);
    s->svd = (struct math_svd){.dtype = s->dtype, .m = s->rows, .n = s->cols};
    char *parts = kernel_scratch(s->c, n * (s->rows + s->cols + 1) * s->item, st);
    s->svd.scratch = parts ? kernel_scratch(s->c, max_i64(bytes, 1), st) : NULL;
    s->svd.u = parts;
    s->svd.v = parts + n * s->rows * s->item;
    s->svd.s = parts + n * (s->rows + s->cols) * s->item;
    return s->svd.scratch != NULL;
}

static bool ls_check(struct kctx *c, struct ls *s, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1), *l2 = kernel_in(c, 2);
    if (tensor_rank(a) < 2)
        return matrix_fail_shape(st, "Input tensor 0 must have rank >= 2, got shape ", a);
    bool same = tensor_rank(a) == tensor_rank(b);
    for (int i = 0; same && i < tensor_rank(a) - 2; i++)
        same = tensor_dim(a, i) == tensor_dim(b, i);
    if (!same)
        return status_invalid(st, "All input tensors must have the same outer dimensions.");
    if (tensor_rank(l2) != 0)
        return matrix_fail_shape(st, "l2_regularizer must be scalar, got shape ", l2);
    struct matrix_batch m = matrix_batch_of(a), rhs = matrix_batch_of(b);
    *s = (struct ls){.c = c,
                     .dtype = a->dtype,
                     .item = (int64_t)dtype_size(a->dtype),
                     .rows = m.rows,
                     .cols = m.cols,
                     .rhs = rhs.cols,
                     .l2 = tensor_f64(l2)[0]};
    if (rhs.rows != m.rows)
        return status_invalid(st, "Input matrix and rhs are incompatible.");
    return s->l2 >= 0 || status_invalid(st, "l2_regularizer must be >= 0.");
}

static bool ls_run(struct kctx *c, struct status *st)
{
    struct ls s;
    if (!ls_check(c, &s, st))
        return false;
    struct shape shape = matrix_shape(kernel_in(c, 0), 2, (int64_t[]){s.cols, s.rhs}, 2);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (s.rows == 0) {
        memset(out->data, 0, tensor_bytes(out));
        return true;
    }
    const bool fast = attrs_bool(kernel_attrs(c), "fast");
    if (!ls_scratch(&s, fast, st))
        return false;
    const int64_t num = out->num_elems / (s.cols * s.rhs);
    for (int64_t i = 0; i < num; i++) {
        s.a = (const char *)kernel_in(c, 0)->data + i * s.rows * s.cols * s.item;
        s.b = (const char *)kernel_in(c, 1)->data + i * s.rows * s.rhs * s.item;
        s.x = (char *)out->data + i * s.cols * s.rhs * s.item;
        if (!(fast ? solve_fast(&s, st) : solve_svd(&s, st)))
            return false;
    }
    return true;
}

OP_DEF(matrix_solve_ls) = {
    .name = "MatrixSolveLs",
    .summary = "Least-squares solutions of systems of linear equations, by choice regularized.",
    .inputs = {"matrix: T", "rhs: T", "l2_regularizer: double"},
    .outputs = {"output: T"},
    .attrs = {"T: {double, float, half, complex64, complex128}", "fast: bool = true"},
    .shape = ls_shape,
    .grad = ls_grad,
    .no_kernel = "half is too narrow to decompose matrices",
};
KERNEL_DEF(matrix_solve_ls_cpu) = {.op = "MatrixSolveLs",
                                   .device = "CPU",
                                   .types = {"T: {float, double, complex64, complex128}"},
                                   .run = ls_run,
                                   .flags = KERNEL_EXPENSIVE};

OP_DEF(batch_matrix_solve_ls) = {
    .name = "BatchMatrixSolveLs",
    .summary = "The former name of MatrixSolveLs.",
    .inputs = {"matrix: T", "rhs: T", "l2_regularizer: double"},
    .outputs = {"output: T"},
    .attrs = {"T: {double, float}", "fast: bool = true"},
    .deprecated_at = 13,
    .deprecated_why = "Use MatrixSolveLs instead.",
    .shape = ls_shape,
    .no_grad = "undefined: MatrixSolveLs has it",
};
KERNEL_DEF(batch_matrix_solve_ls_cpu) = {
    .op = "BatchMatrixSolveLs", .device = "CPU", .run = ls_run, .flags = KERNEL_EXPENSIVE};
