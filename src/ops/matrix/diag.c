/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixDiag, MatrixDiagPart, MatrixSetDiag: vectors as diagonals of matrices in the last two
 * dims. Items are moved by their size. */
#include "op/grad.h"
#include "ops/matrix/batch.h"

#define COPY_STRIDED(type)                                                                         \
    do {                                                                                           \
        type *d = dst;                                                                             \
        const type *s = src;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            d[i * dst_step] = s[i * src_step];                                                     \
    } while (0)

void matrix_copy_strided(size_t item, void *dst, int64_t dst_step, const void *src,
                         int64_t src_step, int64_t n)
{
    switch (item) {
    case 1:
        COPY_STRIDED(uint8_t);
        break;
    case 2:
        COPY_STRIDED(uint16_t);
        break;
    case 4:
        COPY_STRIDED(uint32_t);
        break;
    case 8:
        COPY_STRIDED(uint64_t);
        break;
    default:
        COPY_STRIDED(struct c128);
        break;
    }
}

struct shape matrix_shape(const struct tensor *t, int drop, const int64_t *tail, int n)
{
    int64_t dims[SHAPE_MAX_RANK + 2];
    int rank = tensor_rank(t) - drop;
    for (int i = 0; i < rank; i++)
        dims[i] = tensor_dim(t, i);
    for (int i = 0; i < n; i++)
        dims[rank++] = tail[i];
    return shape_make(dims, rank);
}

bool matrix_fail_shape(struct status *st, const char *text, const struct tensor *t)
{
    struct strbuf b = {0};
    shape_print(&t->shape, &b);
    status_invalid(st, "%s%s", text, strbuf_text(&b));
    strbuf_release(&b);
    return false;
}

/* --- shapes --- */

static bool diag_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &in, st))
        return false;
    if (in->rank >= 0)
        infer_set(c, 0, infer_concat(c, in, infer_vector(c, infer_dim(in, -1))));
    return true;
}

static int64_t known_min(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? DIM_UNKNOWN : matrix_min(a, b);
}

static bool diag_part_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st))
        return false;
    if (in->rank < 0)
        return true;
    int64_t n = known_min(infer_dim(in, -2), infer_dim(in, -1));
    infer_set(c, 0, infer_concat(c, infer_slice(c, in, 0, -2), infer_vector(c, n)));
    return true;
}

static bool set_diag_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *diag, *want;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 1, &diag, st))
        return false;
    if (in->rank >= 0) {
        int64_t n = known_min(infer_dim(in, -2), infer_dim(in, -1));
        want = infer_concat(c, infer_slice(c, in, 0, -2), infer_vector(c, n));
        if (!infer_merge(c, want, diag, &diag, st))
            return false;
        want = infer_concat(c, infer_slice(c, diag, 0, -1), infer_slice(c, in, -2, in->rank));
        if (!infer_merge(c, in, want, &in, st))
            return false;
    }
    infer_set(c, 0, in);
    return true;
}

/* --- gradients --- */

static bool diag_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op1(g, "diag_part=MatrixDiagPart", grad_dy(g, 0)));
    return grad_done(g, st);
}

static bool diag_part_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), dy = grad_dy(g, 0);
    int64_t rows = infer_dim(grad_shape_of(g, x), -2), cols = infer_dim(grad_shape_of(g, x), -1);
    if (rows >= 0 && rows == cols)
        grad_set(g, 0, grad_op1(g, "diag=MatrixDiag", dy));
    else
        grad_set(g, 0, grad_op2(g, "MatrixSetDiag", grad_zeros_like(g, x), dy));
    return grad_done(g, st);
}

static bool set_diag_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), zeros = grad_zeros_like(g, grad_in(g, 1));
    grad_set(g, 0, grad_op2(g, "MatrixSetDiag", dy, zeros));
    grad_set(g, 1, grad_op1(g, "diag_part=MatrixDiagPart", dy));
    return grad_done(g, st);
}

/* --- kernels --- */

static bool diag_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in);
    if (rank < 1)
        return matrix_fail_shape(st, "input must be at least 1-dim, received shape: ", in);
    if (rank >= SHAPE_MAX_RANK)
        return status_invalid(st, "input has too many dims: %d", rank);
    int64_t n = tensor_dim(in, rank - 1);
    struct shape shape = matrix_shape(in, 0, &n, 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    size_t item = dtype_size(in->dtype);
    memset(out->data, 0, tensor_bytes(out));
    for (int64_t b = 0; b < in->num_elems / n; b++)
        matrix_copy_strided(item, (char *)out->data + (size_t)(b * n * n) * item, n + 1,
                            (const char *)in->data + (size_t)(b * n) * item, 1, n);
    return true;
}

static bool diag_part_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "input must be at least 2-dim, received shape: ", in);
    struct matrix_batch m = matrix_batch_of(in);
    int64_t n = matrix_min(m.rows, m.cols);
    struct shape shape = matrix_shape(in, 2, &n, 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    size_t item = dtype_size(in->dtype);
    for (int64_t b = 0; b < m.num; b++)
        matrix_copy_strided(item, (char *)out->data + (size_t)(b * n) * item, 1,
                            (const char *)in->data + (size_t)(b * m.rows * m.cols) * item,
                            m.cols + 1, n);
    return true;
}

static bool set_diag_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *diag = kernel_in(c, 1);
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "input must be at least 2-dim, received shape: ", in);
    if (tensor_rank(diag) < 1)
        return matrix_fail_shape(st, "diagonal must be at least 1-dim, received shape: ", diag);
    struct matrix_batch m = matrix_batch_of(in);
    int64_t n = matrix_min(m.rows, m.cols);
    struct shape want = matrix_shape(in, 2, &n, 1);
    bool fits = shape_equal(&want, &diag->shape);
    shape_clear(&want);
    if (!fits)
        return matrix_fail_shape(
            st, "diagonal must have the shape of input's diagonals, received shape: ", diag);
    struct tensor *out = kernel_out_forward(c, 0, 0, &in->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    size_t item = dtype_size(out->dtype);
    if (out->data != in->data)
        memcpy(out->data, in->data, tensor_bytes(out));
    for (int64_t b = 0; b < m.num; b++)
        matrix_copy_strided(item, (char *)out->data + (size_t)(b * m.rows * m.cols) * item,
                            m.cols + 1, (const char *)diag->data + (size_t)(b * n) * item, 1, n);
    return true;
}

/* --- definitions, and those under the names of old --- */

#define DIAG_OP(id, op_name, text, shape_fn, run_fn, ...)                                          \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .attrs = {"T: type"},                                                            \
                  .shape = shape_fn,                                                               \
                  .no_kernel = "diagonals are for numbers and bool",                               \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .types = {MATRIX_DIAG_TYPES}, .run = run_fn}

#define OLD(new_name)                                                                              \
    .deprecated_at = 14, .deprecated_why = "Use " new_name,                                        \
    .no_grad = "undefined: " new_name " has one"

DIAG_OP(matrix_diag, "MatrixDiag", "Matrices with the given diagonals, zero elsewhere.", diag_shape,
        diag_run, .inputs = {"diagonal: T"}, .outputs = {"output: T"}, .grad = diag_grad);
DIAG_OP(matrix_diag_part, "MatrixDiagPart", "The main diagonals of matrices.", diag_part_shape,
        diag_part_run, .inputs = {"input: T"}, .outputs = {"diagonal: T"}, .grad = diag_part_grad);
DIAG_OP(matrix_set_diag, "MatrixSetDiag", "Matrices with their main diagonals replaced.",
        set_diag_shape, set_diag_run, .inputs = {"input: T", "diagonal: T"},
        .outputs = {"output: T"}, .grad = set_diag_grad);
DIAG_OP(batch_matrix_diag, "BatchMatrixDiag", "MatrixDiag under its old name.", diag_shape,
        diag_run, .inputs = {"diagonal: T"}, .outputs = {"output: T"}, OLD("MatrixDiag"));
DIAG_OP(batch_matrix_diag_part, "BatchMatrixDiagPart", "MatrixDiagPart under its old name.",
        diag_part_shape, diag_part_run, .inputs = {"input: T"}, .outputs = {"diagonal: T"},
        OLD("MatrixDiagPart"));
DIAG_OP(batch_matrix_set_diag, "BatchMatrixSetDiag", "MatrixSetDiag under its old name.",
        set_diag_shape, set_diag_run, .inputs = {"input: T", "diagonal: T"},
        .outputs = {"output: T"}, OLD("MatrixSetDiag"));
