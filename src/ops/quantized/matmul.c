/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedMatMul: sums of products of small integers, less those that stand for zero. */
#include "op/qrange.h"

struct product {
    const uint8_t *a, *b;
    int32_t *y;
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col; /* from one element to the next */
    int64_t zero_a, zero_b;
};

static void product_rows(void *arg, int64_t begin, int64_t end)
{
    const struct product *p = arg;
    for (int64_t i = begin * p->n; i < end * p->n; i++) {
        const uint8_t *a = p->a + i / p->n * p->a_row, *b = p->b + i % p->n * p->b_col;
        uint32_t sum = 0;
        for (int64_t j = 0; j < p->k; j++)
            sum += (uint32_t)((a[j * p->a_col] - p->zero_a) * (b[j * p->b_row] - p->zero_b));
        p->y[i] = (int32_t)sum;
    }
}

static bool matmul_run(struct kctx *c, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    bool trans_a = attrs_bool(kernel_attrs(c), "transpose_a");
    bool trans_b = attrs_bool(kernel_attrs(c), "transpose_b");
    struct qrange ra, rb;
    if (!qrange_in(c, 2, &ra, st) || !qrange_in(c, 4, &rb, st))
        return false;
    if (tensor_rank(a) != 2 || tensor_rank(b) != 2)
        return status_invalid(st, "In[%d] is not a matrix", tensor_rank(a) != 2 ? 0 : 1);
    struct product p = {.a = a->data, .b = b->data, .m = tensor_dim(a, trans_a)};
    p.k = tensor_dim(a, !trans_a);
    p.n = tensor_dim(b, !trans_b);
    if (p.k != tensor_dim(b, trans_b))
        return status_bad_shape(st, "Matrix size-incompatible: In[1]: ", &b->shape);
    p.a_row = trans_a ? 1 : p.k;
    p.a_col = trans_a ? p.m : 1;
    p.b_row = trans_b ? 1 : p.n;
    p.b_col = trans_b ? p.k : 1;
    p.zero_a = qrange_zero(ra, DT_QUINT8);
    p.zero_b = qrange_zero(rb, DT_QUINT8);
    struct shape s = shape_2(p.m, p.n);
    struct tensor *y = kernel_out(c, 0, &s, st);
    if (!y)
        return false;
    p.y = y->data;
    if (y->num_elems)
        kernel_loop(c, p.m, (double)(p.n * p.k), product_rows, &p);
    return qrange_out(c, 1, qrange_of_product(ra, rb, DT_QUINT8), st);
}

static bool matmul_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b;
    int64_t inner;
    bool trans_a = attrs_bool(infer_attrs(c), "transpose_a");
    bool trans_b = attrs_bool(infer_attrs(c), "transpose_b");
    if (!infer_want_rank(c, infer_input(c, 0), 2, &a, st) ||
        !infer_want_rank(c, infer_input(c, 1), 2, &b, st) || !qrange_infer_scalars(c, 2, st) ||
        !infer_merge_dim(infer_dim(a, !trans_a), infer_dim(b, trans_b), &inner, st))
        return false;
    infer_set(c, 0, infer_matrix(c, infer_dim(a, trans_a), infer_dim(b, !trans_b)));
    qrange_infer_limits(c, 1);
    return true;
}

OP_DEF(quantized_mat_mul) = {
    .name = "QuantizedMatMul",
    .summary = "The product of matrices of quantised numbers.",
    .inputs = {"a: T1", "b: T2", "min_a: float", "max_a: float", "min_b: float", "max_b: float"},
    .outputs = {"out: Toutput", "min_out: float", "max_out: float"},
    .attrs = {"T1: " QTYPES, "T2: " QTYPES, "Toutput: " QTYPES " = DT_QINT32",
              "transpose_a: bool = false", "transpose_b: bool = false",
              "Tactivation: " QTYPES " = DT_QUINT8"},
    .shape = matmul_shape,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has one of quint8 to qint32 alone",
};
KERNEL_DEF(quantized_mat_mul_cpu) = {.op = "QuantizedMatMul",
                                     .device = "CPU",
                                     .types = {"T1: {quint8}", "T2: {quint8}", "Toutput: {qint32}"},
                                     .run = matmul_run};
