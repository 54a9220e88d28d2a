/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixBandPart: matrices with all but a band about the diagonal set to zero. */
#include "op/grad.h"
#include "ops/matrix/batch.h"

static bool band_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op3(g, "MatrixBandPart", grad_dy(g, 0), grad_in(g, 1), grad_in(g, 2)));
    return grad_done(g, st);
}

static bool read_bound(struct kctx *c, int i, const char *name, int64_t most, const char *of,
                       int64_t *out, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (tensor_rank(t) != 0) {
        char text[64];
        snprintf(text, sizeof text, "%s must be scalar, got shape ", name);
        return matrix_fail_shape(st, text, t);
    }
    *out = tensor_index(t, 0);
    if (*out > most)
        return status_invalid(
            st, "%s must be negative or less or equal to number of %s (%lld) got: %lld", name, of,
            (long long)most, (long long)*out);
    return true;
}

static bool band_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t lower, upper;
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "input must be at least 2-dim, received shape: ", in);
    struct matrix_batch m = matrix_batch_of(in);
    if (!read_bound(c, 1, "num_lower", m.rows, "rows", &lower, st) ||
        !read_bound(c, 2, "num_upper", m.cols, "columns", &upper, st))
        return false;
    struct tensor *out = kernel_out_forward(c, 0, 0, &in->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    size_t item = dtype_size(in->dtype);
    if (out->data != in->data)
        memcpy(out->data, in->data, tensor_bytes(out));
    for (int64_t r = 0; r < m.num * m.rows; r++) {
        char *row = (char *)out->data + (size_t)(r * m.cols) * item;
        int64_t i = r % m.rows;
        int64_t begin = lower < 0 || i < lower ? 0 : matrix_min(i - lower, m.cols);
        int64_t end = upper < 0 ? m.cols : matrix_min(i + upper + 1, m.cols);
        memset(row, 0, (size_t)begin * item);
        if (end < m.cols)
            memset(row + (size_t)end * item, 0, (size_t)(m.cols - end) * item);
    }
    return true;
}

#define BAND_TYPES                                                                                 \
    "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "         \
    "complex128"

OP_DEF(matrix_band_part) = {
    .name = "MatrixBandPart",
    .summary = "Matrices with zeros outside a band about the main diagonal.",
    .inputs = {"input: T", "num_lower: Tindex", "num_upper: Tindex"},
    .outputs = {"band: T"},
    .attrs = {"T: type", "Tindex: {int32, int64} = DT_INT64"},
    .shape = infer_unchanged,
    .grad = band_grad,
    .no_kernel = "bands are for numbers and bool",
};
KERNEL_DEF(matrix_band_part_cpu) = {.op = "MatrixBandPart",
                                    .device = "CPU",
                                    .types = {"T: {" BAND_TYPES ", bool}"},
                                    .run = band_run};

OP_DEF(batch_matrix_band_part) = {
    .name = "BatchMatrixBandPart",
    .summary = "MatrixBandPart under its old name.",
    .inputs = {"input: T", "num_lower: int64", "num_upper: int64"},
    .outputs = {"band: T"},
    .attrs = {"T: type"},
    .deprecated_at = 14,
    .deprecated_why = "Use MatrixBandPart",
    .shape = infer_unchanged,
    .no_grad = "undefined: MatrixBandPart has one",
    .no_kernel = "bands are for numbers",
};
KERNEL_DEF(batch_matrix_band_part_cpu) = {.op = "BatchMatrixBandPart",
                                          .device = "CPU",
                                          .types = {"T: {" BAND_TYPES "}"},
                                          .run = band_run};
