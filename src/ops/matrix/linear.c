/* SPDX-License-Identifier: Apache-2.0 */
/* needs: openblas */
/* Cholesky, MatrixInverse, determinants and solvers over batches of square matrices, one matrix
 * after the other through math/linalg.h. Rules of shapes and gradients are here, no numerics. */
#include "math/linalg.h"
#include "op/grad.h"
#include "ops/matrix/batch.h"

/* --- shapes --- */

/* Input i as batch dims and the size of its square matrices. */
static bool square(struct infer_ctx *c, int i, const struct shape **batch, int64_t *n,
                   struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank_min(c, infer_input(c, i), 2, &s, st) ||
        !infer_merge_dim(infer_dim(s, -2), infer_dim(s, -1), n, st))
        return false;
    *batch = infer_slice(c, s, 0, -2);
    return true;
}

static bool square_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *batch;
    int64_t n;
    if (!square(c, 0, &batch, &n, st))
        return false;
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, n, n)));
    return true;
}

static bool determinant_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *batch;
    int64_t n; /* asked the other way round than elsewhere: the words are TensorFlow's */
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &s, st) ||
        !infer_merge_dim(infer_dim(s, -1), infer_dim(s, -2), &n, st))
        return false;
    batch = infer_slice(c, s, 0, -2);
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, batch);
    return true;
}

static bool solve_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *batch, *rhs;
    int64_t n;
    if (!square(c, 0, &batch, &n, st) || !infer_want_rank_min(c, infer_input(c, 1), 2, &rhs, st) ||
        !infer_merge_dim(n, infer_dim(rhs, -2), &n, st) ||
        !infer_merge(c, batch, infer_slice(c, rhs, 0, -2), &batch, st))
        return false;
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, n, infer_dim(rhs, -1))));
    return true;
}

/* --- gradients --- */

static struct output band(struct grad_ctx *g, struct output x, bool lower)
{
    struct output all = grad_const_i32(g, -1), none = grad_const_i32(g, 0);
    return lower ? grad_op3(g, "MatrixBandPart", x, all, none)
                 : grad_op3(g, "MatrixBandPart", x, none, all);
}

/* Unit matrices of x's shape. */
static struct output unit_like(struct grad_ctx *g, struct output x)
{
    struct output diag = grad_op1(g, "diag_part=MatrixDiagPart", x);
    return grad_op1(g, "diag=MatrixDiag", grad_op1(g, "OnesLike", diag));
}

/* L^-H P L^-1, made self-adjoint, where P is the lower part of L^H dL with half its diagonal. */
static bool cholesky_grad(struct grad_ctx *g, struct status *st)
{
    struct output l = grad_out(g, 0), unit = unit_like(g, l);
    struct output inverse = grad_op2(g, "MatrixTriangularSolve", l, unit);
    struct output middle = grad_matmul(g, l, grad_dy(g, 0), true, false);
    struct output diag = grad_op1(g, "diag_part=MatrixDiagPart", middle);
    struct output half = grad_const_like(g, diag, 0.5);
    middle = grad_op2(g, "MatrixSetDiag", middle, grad_mul(g, half, diag));
    middle = band(g, middle, true);
    /* P + P^H in place of adding the adjoint at the end: the same by linearity */
    middle = grad_add(g, middle, grad_matmul(g, middle, unit, true, false));
    struct output dx =
        grad_matmul(g, grad_matmul(g, inverse, middle, true, false), inverse, false, false);
    grad_set(g, 0, grad_mul(g, dx, grad_const_like(g, dx, 0.5)));
    return grad_done(g, st);
}

/* -Y^H (dY Y^H), also for the adjoint inverse: TensorFlow's values, though wrong for that. */
static bool inverse_grad(struct grad_ctx *g, struct status *st)
{
    struct output y = grad_out(g, 0), dy = grad_dy(g, 0);
    struct output dx = grad_matmul(g, y, grad_matmul(g, dy, y, false, true), true, false);
    grad_set(g, 0, grad_neg(g, dx));
    return grad_done(g, st);
}

/* scale A^-H, with one number of scale for each matrix */
static struct output scaled_inverse(struct grad_ctx *g, struct output scale)
{
    struct attr adjoint = {(char *)"adjoint", attr_bool(true)};
    struct output a = grad_in(g, 0), inverse = grad_opv(g, "MatrixInverse", 1, &a, 1, &adjoint);
    struct output last = grad_const_i32(g, -1);
    scale = grad_op2(g, "ExpandDims", grad_op2(g, "ExpandDims", scale, last), last);
    return grad_mul(g, scale, inverse);
}

static bool determinant_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, scaled_inverse(g, grad_mul(g, grad_dy(g, 0), grad_out(g, 0))));
    return grad_done(g, st);
}

static bool log_determinant_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, scaled_inverse(g, grad_dy(g, 1)));
    return grad_done(g, st);
}

static void set_solve_grads(struct grad_ctx *g, struct output db, bool adjoint, int part)
{
    struct output x = grad_out(g, 0);
    struct output da =
        adjoint ? grad_matmul(g, x, db, false, true) : grad_matmul(g, db, x, false, true);
    da = grad_neg(g, da);
    grad_set(g, 0, part < 0 ? da : band(g, da, part));
    grad_set(g, 1, db);
}

static bool solve_grad(struct grad_ctx *g, struct status *st)
{
    bool adjoint = attrs_bool(grad_attrs(g), "adjoint");
    struct attr attr = {(char *)"adjoint", attr_bool(!adjoint)};
    struct output in[] = {grad_in(g, 0), grad_dy(g, 0)};
    set_solve_grads(g, grad_opv(g, "MatrixSolve", 2, in, 1, &attr), adjoint, -1);
    return grad_done(g, st);
}

static bool triangular_grad(struct grad_ctx *g, struct status *st)
{
    bool adjoint = attrs_bool(grad_attrs(g), "adjoint"), lower = attrs_bool(grad_attrs(g), "lower");
    struct attr attrs[] = {{(char *)"adjoint", attr_bool(!adjoint)},
                           {(char *)"lower", attr_bool(lower)}};
    struct output in[] = {grad_in(g, 0), grad_dy(g, 0)};
    struct output db = grad_opv(g, "MatrixTriangularSolve", 2, in, 2, attrs);
    set_solve_grads(g, db, adjoint, lower);
    return grad_done(g, st);
}

/* --- kernels --- */

struct linear_state {
    bool adjoint, lower;
};

static bool linear_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct linear_state *s = state;
    const struct attr_value *lower = attrs_find(k->attrs, "lower");
    const struct attr_value *adjoint = attrs_find(k->attrs, "adjoint");
    s->lower = lower && lower->b;
    s->adjoint = adjoint && adjoint->b;
    return true;
}

static bool want_square(const struct tensor *t, struct matrix_batch *m, struct status *st)
{
    if (tensor_rank(t) < 2)
        return matrix_fail_shape(st, "Input tensor 0 must have rank >= 2, got shape ", t);
    *m = matrix_batch_of(t);
    if (m->rows != m->cols)
        return status_invalid(st, "Input matrix must be square.");
    return true;
}

/* Scratch for the task; *out NULL where it needs none. */
static bool linear_scratch(struct kctx *c, enum math_linalg_task task, int64_t m, int64_t n,
                           void **out, struct status *st)
{
    int64_t bytes = math_linalg_scratch_bytes(task, kernel_in(c, 0)->dtype, m, n);
    *out = NULL;
    if (bytes < 0)
        return status_invalid(st, "%s: a matrix of %lld rows is too big", c->kernel->op->def->name,
                              (long long)m);
    if (bytes > 0)
        *out = kernel_scratch(c, bytes, st);
    return bytes == 0 || *out;
}

static bool cholesky_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct matrix_batch m;
    if (!want_square(in, &m, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t size = m.rows * m.rows * (int64_t)dtype_size(in->dtype);
    for (int64_t i = 0; i < m.num; i++) {
        if (!math_cholesky(in->dtype, m.rows, (char *)in->data + i * size,
                           (char *)out->data + i * size, st))
            return false;
    }
    return true;
}

/* MatrixInverse has words of its own for it. */
static bool inverse_fail(struct status *st)
{
    if (st->code != STATUS_INVALID_ARGUMENT)
        return false;
    status_clear(st);
    return status_invalid(st, "Input is not invertible.");
}

static bool inverse_run(struct kctx *c, struct status *st)
{
    const struct linear_state *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct matrix_batch m;
    void *scratch;
    if (!want_square(in, &m, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (!linear_scratch(c, MATH_LINALG_INVERSE, m.rows, m.rows, &scratch, st))
        return false;
    int64_t size = m.rows * m.rows * (int64_t)dtype_size(in->dtype);
    for (int64_t i = 0; i < m.num; i++) {
        if (!math_inverse(in->dtype, m.rows, (char *)in->data + i * size,
                          (char *)out->data + i * size, s->adjoint, scratch, st))
            return inverse_fail(st);
    }
    return true;
}

/* MatrixDeterminant has one output, LogMatrixDeterminant two. */
static bool determinant_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out[2] = {NULL, NULL};
    struct matrix_batch m;
    if (!want_square(in, &m, st))
        return false;
    int num = kernel_num_outputs(c);
    for (int i = 0; i < num; i++) {
        struct shape shape = matrix_shape(in, 2, NULL, 0);
        out[i] = kernel_out(c, i, &shape, st);
        shape_clear(&shape);
        if (!out[i])
            return false;
    }
    struct math_determinant d = {.dtype = in->dtype, .n = m.rows};
    if (!linear_scratch(c, MATH_LINALG_DETERMINANT, m.rows, m.rows, &d.scratch, st))
        return false;
    int64_t item = (int64_t)dtype_size(in->dtype), size = m.rows * m.rows * item;
    for (int64_t i = 0; i < m.num; i++) {
        d.a = (char *)in->data + i * size;
        if (num == 1) {
            d.det = (char *)out[0]->data + i * item;
        } else {
            d.sign = (char *)out[0]->data + i * item;
            d.log_abs = (char *)out[1]->data + i * item;
        }
        if (!math_determinant(&d, st))
            return false;
    }
    return true;
}

/* The checks that both solvers share; *out NULL and true: nothing to compute. */
static bool solve_begin(struct kctx *c, struct matrix_batch *m, struct matrix_batch *rhs,
                        struct tensor **out, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    if (!want_square(a, m, st))
        return false;
    bool same = tensor_rank(a) == tensor_rank(b);
    for (int i = 0; same && i < tensor_rank(a) - 1; i++)
        same = tensor_dim(a, i) == tensor_dim(b, i);
    if (!same)
        return matrix_fail_shape(
            st,
            "Input matrix and right-hand side must have the same number of rows and the same "
            "batch dimensions; right-hand side: ",
            b);
    *rhs = matrix_batch_of(b);
    *out = kernel_out(c, 0, &b->shape, st);
    if (!*out)
        return false;
    if ((*out)->num_elems == 0)
        *out = NULL;
    return true;
}

static bool solve_run(struct kctx *c, struct status *st)
{
    const struct linear_state *state = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    struct matrix_batch m, rhs;
    struct tensor *out;
    if (!solve_begin(c, &m, &rhs, &out, st))
        return false;
    if (!out)
        return true;
    struct math_solve s = {
        .dtype = a->dtype, .n = m.rows, .num_rhs = rhs.cols, .adjoint = state->adjoint};
    if (!linear_scratch(c, MATH_LINALG_SOLVE, m.rows, rhs.cols, &s.scratch, st))
        return false;
    int64_t item = (int64_t)dtype_size(a->dtype);
    for (int64_t i = 0; i < m.num; i++) {
        s.a = (char *)a->data + i * m.rows * m.rows * item;
        s.b = (char *)b->data + i * m.rows * rhs.cols * item;
        s.x = (char *)out->data + i * m.rows * rhs.cols * item;
        if (!math_solve(&s, st))
            return false;
    }
    return true;
}

static bool triangular_run(struct kctx *c, struct status *st)
{
    const struct linear_state *state = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    struct matrix_batch m, rhs;
    struct tensor *out;
    if (!solve_begin(c, &m, &rhs, &out, st))
        return false;
    if (!out)
        return true;
    struct math_triangular s = {.dtype = a->dtype,
                                .n = m.rows,
                                .num_rhs = rhs.cols,
                                .lower = state->lower,
                                .adjoint = state->adjoint};
    int64_t item = (int64_t)dtype_size(a->dtype);
    for (int64_t i = 0; i < m.num; i++) {
        s.t = (char *)a->data + i * m.rows * m.rows * item;
        s.b = (char *)b->data + i * m.rows * rhs.cols * item;
        s.x = (char *)out->data + i * m.rows * rhs.cols * item;
        if (!math_triangular_solve(&s, st))
            return false;
    }
    return true;
}

/* --- definitions --- */

#define LINEAR_OP(id, op_name, text, run_fn, ...)                                                  \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .no_kernel = "half is too narrow to decompose matrices",                         \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T: {float, double, complex64, complex128}"},                \
                            .state_bytes = sizeof(struct linear_state),                            \
                            .init = linear_init,                                                   \
                            .run = run_fn,                                                         \
                            .flags = KERNEL_EXPENSIVE}

#define LINEAR_T "T: {double, float, half, complex64, complex128}"
#define LINEAR_T_HALF_FIRST "T: {half, float, double, complex64, complex128}"

LINEAR_OP(cholesky, "Cholesky", "Lower factors L of self-adjoint positive matrices L L^H.",
          cholesky_run, .inputs = {"input: T"}, .outputs = {"output: T"}, .attrs = {LINEAR_T},
          .shape = square_shape, .grad = cholesky_grad);
LINEAR_OP(matrix_inverse, "MatrixInverse", "Inverses, or adjoint inverses, of square matrices.",
          inverse_run, .inputs = {"input: T"}, .outputs = {"output: T"},
          .attrs = {"adjoint: bool = false", LINEAR_T}, .shape = square_shape,
          .grad = inverse_grad);
LINEAR_OP(matrix_determinant, "MatrixDeterminant", "Determinants of square matrices.",
          determinant_run, .inputs = {"input: T"}, .outputs = {"output: T"},
          .attrs = {LINEAR_T_HALF_FIRST}, .shape = determinant_shape, .grad = determinant_grad);
LINEAR_OP(log_matrix_determinant, "LogMatrixDeterminant",
          "Signs and logarithms of the moduli of determinants.", determinant_run,
          .inputs = {"input: T"}, .outputs = {"sign: T", "log_abs_determinant: T"},
          .attrs = {LINEAR_T_HALF_FIRST}, .shape = determinant_shape, .grad = log_determinant_grad);
LINEAR_OP(matrix_solve, "MatrixSolve", "Solutions of systems of linear equations.", solve_run,
          .inputs = {"matrix: T", "rhs: T"}, .outputs = {"output: T"},
          .attrs = {"adjoint: bool = false", LINEAR_T}, .shape = solve_shape, .grad = solve_grad);
LINEAR_OP(matrix_triangular_solve, "MatrixTriangularSolve",
          "Solutions of systems of linear equations with triangular matrices.", triangular_run,
          .inputs = {"matrix: T", "rhs: T"}, .outputs = {"output: T"},
          .attrs = {"lower: bool = true", "adjoint: bool = false", LINEAR_T}, .shape = solve_shape,
          .grad = triangular_grad);

/* --- the old names --- */

#define OLD_OP(id, op_name, run_fn, use, ...)                                                      \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = "The former name of " use ".",                                        \
                  .outputs = {"output: T"},                                                        \
                  .deprecated_at = 13,                                                             \
                  .deprecated_why = "Use " use " instead.",                                        \
                  .no_grad = "undefined: " use " has it",                                          \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T: {float, double, complex64, complex128}"},                \
                            .state_bytes = sizeof(struct linear_state),                            \
                            .init = linear_init,                                                   \
                            .run = run_fn,                                                         \
                            .flags = KERNEL_EXPENSIVE}
#define OLD_T "T: {double, float}"

OLD_OP(batch_cholesky, "BatchCholesky", cholesky_run, "Cholesky", .inputs = {"input: T"},
       .attrs = {OLD_T}, .shape = square_shape);
OLD_OP(batch_matrix_inverse, "BatchMatrixInverse", inverse_run, "MatrixInverse",
       .inputs = {"input: T"}, .attrs = {"adjoint: bool = false", OLD_T}, .shape = square_shape);
OLD_OP(batch_matrix_determinant, "BatchMatrixDeterminant", determinant_run, "MatrixDeterminant",
       .inputs = {"input: T"}, .attrs = {"T: {float, double, complex64, complex128}"},
       .shape = determinant_shape);
OLD_OP(batch_matrix_solve, "BatchMatrixSolve", solve_run, "MatrixSolve",
       .inputs = {"matrix: T", "rhs: T"}, .attrs = {"adjoint: bool = false", OLD_T},
       .shape = solve_shape);
OLD_OP(batch_matrix_triangular_solve, "BatchMatrixTriangularSolve", triangular_run,
       "MatrixTriangularSolve", .inputs = {"matrix: T", "rhs: T"},
       .attrs = {"lower: bool = true", "adjoint: bool = false", OLD_T}, .shape = solve_shape);
