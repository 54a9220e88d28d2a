/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixDiagV2, MatrixDiagPartV2, MatrixSetDiagV2: a band of diagonals, from number k[0] below to
 * k[1] above the main one. Several are rows of a matrix, the uppermost first, each beginning at the
 * left, padded on the right. */
#include "op/grad.h"
#include "ops/matrix/batch.h"

struct band {
    int64_t low, high; /* numbers of the diagonals; columns minus rows */
    int64_t rows, cols;
    int64_t len; /* of the longest */
};

static int64_t band_num(const struct band *b)
{
    return b->high - b->low + 1;
}

/* Input i: one number, or two. */
static bool band_read(const struct tensor *k, struct band *b, struct status *st)
{
    if (tensor_rank(k) > 1 || k->num_elems < 1 || k->num_elems > 2)
        return status_invalid(st,
                              "diag_index must be a scalar or vector with one or two elements. It "
                              "has %lld elements",
                              (long long)k->num_elems);
    b->low = tensor_index(k, 0);
    b->high = tensor_index(k, k->num_elems - 1);
    return b->low <= b->high ||
           status_invalid(st,
                          "lower_diag_index must not be larger than upper_diag_index: %lld > %lld",
                          (long long)b->low, (long long)b->high);
}

/* Of matrices that are there: both diagonals are in them, and how long the longest is. */
static bool band_in(struct band *b, int64_t rows, int64_t cols, struct status *st)
{
    b->rows = rows;
    b->cols = cols;
    if ((b->low != 0 && (b->low <= -rows || b->low >= cols)) ||
        (b->high != 0 && (b->high <= -rows || b->high >= cols)))
        return status_invalid(st, "%s_diag_index is out of bound",
                              b->low != 0 && (b->low <= -rows || b->low >= cols) ? "lower"
                                                                                 : "upper");
    b->len = matrix_min(rows + matrix_min(b->high, 0), cols - (b->low > 0 ? b->low : 0));
    return true;
}

/* Of matrices that are made: sizes that are -1 follow from the longest diagonal. */
static bool band_around(struct band *b, int64_t len, int64_t rows, int64_t cols, struct status *st)
{
    const int64_t least_rows = len - matrix_min(b->high, 0);
    const int64_t least_cols = len + (b->low > 0 ? b->low : 0);
    b->len = len;
    b->rows = rows >= 0 ? rows : least_rows;
    b->cols = cols >= 0 ? cols : least_cols;
    if (rows < 0 && cols < 0)
        b->rows = b->cols = max_i64(least_rows, least_cols);
    if (b->rows < least_rows || b->cols < least_cols)
        return status_invalid(st, "The number of %s is too small.",
                              b->rows < least_rows ? "rows" : "columns");
    return b->rows == least_rows || b->cols == least_cols ||
           status_invalid(st, "The number of rows or columns is not consistent with the specified "
                              "d_lower, d_upper, and diagonal.");
}

/* Diagonal `d` in a matrix: its first element, and how many there are. */
static int64_t diagonal_at(const struct band *b, int64_t d, int64_t *num)
{
    const int64_t row = d < 0 ? -d : 0, col = d > 0 ? d : 0;
    *num = max_i64(0, matrix_min(b->rows - row, b->cols - col));
    *num = matrix_min(*num, b->len);
    return row * b->cols + col;
}

/* --- shapes --- */

/* False with st unset: the band is not known. */
static bool known_band(struct infer_ctx *c, int i, struct band *b, struct status *st)
{
    const struct shape *k;
    const struct tensor *t = infer_const(c, i);
    return infer_want_rank_max(c, infer_input(c, i), 1, &k, st) && t && band_read(t, b, st);
}

static bool known_size(struct infer_ctx *c, int i, bool *known, int64_t *n, struct status *st)
{
    const struct shape *s;
    *n = -1;
    return infer_want_rank(c, infer_input(c, i), 0, &s, st) && infer_const_int(c, i, known, n, st);
}

static bool diag_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *padding;
    struct band b;
    bool rows_known, cols_known;
    int64_t rows, cols;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &in, st) ||
        !known_size(c, 2, &rows_known, &rows, st) || !known_size(c, 3, &cols_known, &cols, st) ||
        !infer_want_rank(c, infer_input(c, 4), 0, &padding, st))
        return false;
    infer_set(c, 0, infer_unknown(c));
    if (!known_band(c, 1, &b, st) || in->rank < 0)
        return status_ok(st);
    const int drop = band_num(&b) > 1 ? 2 : 1;
    if (!infer_want_rank_min(c, in, drop, &in, st))
        return false;
    if (drop == 2 && infer_dim(in, -2) >= 0 && infer_dim(in, -2) != band_num(&b))
        return status_invalid(st, "The number of rows of `diagonal` doesn't match the number of "
                                  "diagonals implied from `d_lower` and `d_upper`.");
    const struct shape *batch = infer_slice(c, in, 0, -drop);
    int64_t dims[2] = {DIM_UNKNOWN, DIM_UNKNOWN};
    if (rows_known && cols_known && infer_dim(in, -1) >= 0) {
        if (!band_around(&b, infer_dim(in, -1), rows, cols, st))
            return false;
        dims[0] = b.rows;
        dims[1] = b.cols;
    }
    infer_set(c, 0, infer_concat(c, batch, infer_make(c, dims, 2)));
    return true;
}

/* The shape of the band's part of matrices of this shape; NULL: not known, or st is set. */
static const struct shape *part_of(struct infer_ctx *c, const struct shape *in, int k,
                                   struct status *st)
{
    struct band b;
    if (!known_band(c, k, &b, st) || in->rank < 0)
        return NULL;
    const int64_t rows = infer_dim(in, -2), cols = infer_dim(in, -1);
    int64_t dims[2] = {band_num(&b), DIM_UNKNOWN};
    if (rows >= 0 && cols >= 0) {
        if (!band_in(&b, rows, cols, st))
            return NULL;
        dims[1] = b.len;
    }
    const bool several = dims[0] > 1;
    return infer_concat(c, infer_slice(c, in, 0, -2),
                        infer_make(c, several ? dims : dims + 1, several ? 2 : 1));
}

static bool part_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *padding, *out;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_want_rank(c, infer_input(c, 2), 0, &padding, st))
        return false;
    out = part_of(c, in, 1, st);
    infer_set(c, 0, out ? out : infer_unknown(c));
    return status_ok(st);
}

static bool set_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *diag, *want;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 1, &diag, st))
        return false;
    infer_set(c, 0, in);
    want = part_of(c, in, 2, st);
    return want ? infer_merge(c, want, diag, &diag, st) : status_ok(st);
}

/* --- gradients --- */

static struct output part_node(struct grad_ctx *g, struct output x, struct output k)
{
    return grad_op3(g, "MatrixDiagPartV2", x, k, grad_const_like(g, x, 0));
}

static bool diag_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, part_node(g, grad_dy(g, 0), grad_in(g, 1)));
    return grad_done(g, st);
}

static bool part_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), dy = grad_dy(g, 0), k = grad_in(g, 1);
    int64_t rows = infer_dim(grad_shape_of(g, x), -2), cols = infer_dim(grad_shape_of(g, x), -1);
    struct output in[] = {dy, k, grad_const_i32(g, (int32_t)rows), grad_const_i32(g, (int32_t)cols),
                          grad_const_like(g, dy, 0)};
    if (rows >= 0 && cols >= 0 && rows <= INT32_MAX && cols <= INT32_MAX)
        grad_set(g, 0, grad_opv(g, "MatrixDiagV2", 5, in, 0, NULL));
    else
        grad_set(g, 0, grad_op3(g, "MatrixSetDiagV2", grad_zeros_like(g, x), dy, k));
    return grad_done(g, st);
}

static bool set_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), k = grad_in(g, 2), zeros = grad_zeros_like(g, grad_in(g, 1));
    grad_set(g, 0, grad_op3(g, "MatrixSetDiagV2", dy, zeros, k));
    grad_set(g, 1, part_node(g, dy, k));
    return grad_done(g, st);
}

/* --- kernels --- */

static void fill(struct tensor *t, const void *value)
{
    const size_t item = dtype_size(t->dtype);
    for (int64_t i = 0; i < t->num_elems; i++)
        memcpy((char *)t->data + (size_t)i * item, value, item);
}

/* Between matrices and the band's rows, for the whole batch. */
static void move(const struct band *b, size_t item, char *matrices, char *diagonals, int64_t num,
                 bool into_matrices)
{
    const int64_t size = b->rows * b->cols, part = band_num(b) * b->len;
    for (int64_t i = 0; i < num; i++)
        for (int64_t d = b->low; d <= b->high; d++) {
            int64_t n, at = i * size + diagonal_at(b, d, &n);
            char *m = matrices + (size_t)at * item;
            char *v = diagonals + (size_t)(i * part + (b->high - d) * b->len) * item;
            if (into_matrices)
                matrix_copy_strided(item, m, b->cols + 1, v, 1, n);
            else
                matrix_copy_strided(item, v, 1, m, b->cols + 1, n);
        }
}

static bool diag_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct band b;
    if (!band_read(kernel_in(c, 1), &b, st))
        return false;
    const int rank = tensor_rank(in), drop = band_num(&b) > 1 ? 2 : 1;
    if (rank < drop)
        return matrix_fail_shape(st,
                                 "diagonal must be at least 1-dim, and 2-dim where it is of "
                                 "several diagonals, received shape: ",
                                 in);
    for (int i = 2; i < 5; i++)
        if (!kernel_want_scalar(c, i, st))
            return false;
    if (drop == 2 && tensor_dim(in, rank - 2) != band_num(&b))
        return status_invalid(st,
                              "The number of diagonals provided in the input does not match the "
                              "lower_diag_index and upper_diag_index range.");
    if (!band_around(&b, tensor_dim(in, rank - 1), tensor_index(kernel_in(c, 2), 0),
                     tensor_index(kernel_in(c, 3), 0), st))
        return false;
    if (rank - drop + 2 > SHAPE_MAX_RANK)
        return status_invalid(st, "input has too many dims: %d", rank);
    struct shape shape = matrix_shape(in, drop, (int64_t[]){b.rows, b.cols}, 2);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    fill(out, kernel_in(c, 4)->data);
    move(&b, dtype_size(in->dtype), out->data, in->data, out->num_elems / (b.rows * b.cols), true);
    return true;
}

/* The matrices of input 0, and the band that input k names in them. */
static bool begin(struct kctx *c, int k, struct band *b, struct matrix_batch *m, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "input must be at least 2-dim, received shape: ", in);
    *m = matrix_batch_of(in);
    return band_read(kernel_in(c, k), b, st) && band_in(b, m->rows, m->cols, st);
}

static struct shape part_shape_of(const struct tensor *in, const struct band *b)
{
    const int64_t dims[2] = {band_num(b), b->len};
    return matrix_shape(in, 2, dims[0] > 1 ? dims : dims + 1, dims[0] > 1 ? 2 : 1);
}

static bool part_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct matrix_batch m;
    struct band b;
    if (!begin(c, 1, &b, &m, st) || !kernel_want_scalar(c, 2, st))
        return false;
    struct shape shape = part_shape_of(in, &b);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    fill(out, kernel_in(c, 2)->data);
    move(&b, dtype_size(in->dtype), in->data, out->data, m.num, false);
    return true;
}

static bool set_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *diag = kernel_in(c, 1);
    struct matrix_batch m;
    struct band b;
    if (!begin(c, 2, &b, &m, st))
        return false;
    struct shape want = part_shape_of(in, &b);
    const bool fits = shape_equal(&want, &diag->shape);
    shape_clear(&want);
    if (!fits)
        return matrix_fail_shape(
            st, "diagonal must have the shape of the input's band of diagonals, received shape: ",
            diag);
    struct tensor *out = kernel_out_forward(c, 0, 0, &in->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (out->data != in->data)
        memcpy(out->data, in->data, tensor_bytes(out));
    move(&b, dtype_size(in->dtype), out->data, diag->data, m.num, true);
    return true;
}

#define BAND_OP(id, op_name, text, shape_fn, grad_fn, run_fn, ...)                                 \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .attrs = {"T: type"},                                                            \
                  .shape = shape_fn,                                                               \
                  .grad = grad_fn,                                                                 \
                  .no_kernel = "diagonals are for numbers and bool",                               \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .types = {MATRIX_DIAG_TYPES}, .run = run_fn}
BAND_OP(matrix_diag_v2, "MatrixDiagV2", "Matrices with the given bands of diagonals.", diag_shape,
        diag_grad, diag_run,
        .inputs = {"diagonal: T", "k: int32", "num_rows: int32", "num_cols: int32",
                   "padding_value: T"},
        .outputs = {"output: T"});
BAND_OP(matrix_diag_part_v2, "MatrixDiagPartV2", "Bands of diagonals of matrices.", part_shape,
        part_grad, part_run, .inputs = {"input: T", "k: int32", "padding_value: T"},
        .outputs = {"diagonal: T"});
BAND_OP(matrix_set_diag_v2, "MatrixSetDiagV2", "Matrices with a band of diagonals replaced.",
        set_shape, set_grad, set_run, .inputs = {"input: T", "diagonal: T", "k: int32"},
        .outputs = {"output: T"});
