/* SPDX-License-Identifier: Apache-2.0 */
/* SparseAdd: two sparse tensors, whose entries are in order, merged; sums of two
 * entries that are smaller than a threshold are left out. And the gradient's op. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "math/value_add.h"
#include "op/grad.h"
#include "ops/sparse/coords.h"

static int64_t integer(int dtype, const void *p)
{
    switch (dtype) {
    case DT_INT8:
        return *(const int8_t *)p;
    case DT_INT16:
        return *(const int16_t *)p;
    case DT_INT32:
        return *(const int32_t *)p;
    default:
        return *(const int64_t *)p;
    }
}

/* Whether the value's magnitude is at least the threshold: NaN's is not. */
static bool keeps(int dtype, const void *value, const void *thresh)
{
    switch (dtype) {
    case DT_FLOAT:
        return *(const float *)thresh <= fabsf(*(const float *)value);
    case DT_DOUBLE:
        return *(const double *)thresh <= fabs(*(const double *)value);
    case DT_COMPLEX64:
        return *(const float *)thresh <= cabsf(*(const float complex *)value);
    case DT_COMPLEX128:
        return *(const double *)thresh <= cabs(*(const double complex *)value);
    default: {
        int64_t v = integer(dtype, value);
        return integer(dtype, thresh) <= (v < 0 ? (int64_t)(0 - (uint64_t)v) : v);
    }
    }
}

struct merge {
    const struct tensor *ix[2], *values[2];
    int64_t rank, n;
    const int64_t **rows; /* n: where each entry's coordinates stand */
    char *sums;           /* n values */
};

static void merge(struct merge *m, const void *thresh)
{
    int dtype = m->values[0]->dtype;
    size_t item = dtype_size(dtype);
    value_add_fn add = value_add_of(dtype);
    int64_t at[2] = {0, 0};
    while (at[0] < m->values[0]->num_elems || at[1] < m->values[1]->num_elems) {
        const int64_t *row[2];
        for (int k = 0; k < 2; k++)
            row[k] =
                at[k] < m->values[k]->num_elems ? tensor_i64(m->ix[k]) + at[k] * m->rank : NULL;
        int way = !row[0] ? 1 : !row[1] ? -1 : coords_compare(row[0], row[1], m->rank);
        int first = way > 0;
        char *sum = m->sums + (size_t)m->n * item;
        memcpy(sum, (const char *)m->values[first]->data + (size_t)at[first] * item, item);
        if (way == 0)
            add(sum, (const char *)m->values[1]->data + (size_t)at[1] * item, 1);
        m->rows[m->n] = row[first];
        m->n += way != 0 || keeps(dtype, sum, thresh);
        at[0] += way <= 0;
        at[1] += way >= 0;
    }
}

static bool check(const struct kctx *c, struct status *st)
{
    const struct tensor *a = kernel_in(c, 2), *b = kernel_in(c, 5), *thresh = kernel_in(c, 6);
    int dtype = kernel_in(c, 1)->dtype;
    int real = dtype == DT_COMPLEX64 ? DT_FLOAT : dtype == DT_COMPLEX128 ? DT_DOUBLE : dtype;
    if (!sparse_check(c, 0, st) || !sparse_check(c, 3, st))
        return false;
    if (a->num_elems != b->num_elems ||
        (a->num_elems > 0 && memcmp(a->data, b->data, tensor_bytes(a)) != 0))
        return status_invalid(st, "Operands' shapes do not match");
    if (tensor_rank(thresh) != 0)
        return status_invalid(st, "The magnitude threshold must be a scalar: got rank %d",
                              tensor_rank(thresh));
    return thresh->dtype == real ||
           status_invalid(st, "a threshold of type %s does not go with values of type %s",
                          dtype_name(thresh->dtype), dtype_name(dtype));
}

static bool add_run(struct kctx *c, struct status *st)
{
    if (!check(c, st))
        return false;
    struct merge m = {.ix = {kernel_in(c, 0), kernel_in(c, 3)},
                      .values = {kernel_in(c, 1), kernel_in(c, 4)},
                      .rank = kernel_in(c, 2)->num_elems};
    int64_t most = m.values[0]->num_elems + m.values[1]->num_elems;
    size_t item = dtype_size(m.values[0]->dtype);
    m.rows = kernel_scratch(c, most * (int64_t)sizeof(*m.rows), st);
    m.sums = m.rows ? kernel_scratch(c, most * (int64_t)item, st) : NULL;
    if (!m.sums)
        return false;
    merge(&m, kernel_in(c, 6)->data);
    struct shape s = shape_2(m.n, m.rank), v = shape_1(m.n);
    struct tensor *ix = kernel_out(c, 0, &s, st);
    struct tensor *y = ix ? kernel_out(c, 1, &v, st) : NULL;
    if (!y)
        return false;
    for (int64_t i = 0; i < m.n && m.rank > 0; i++)
        memcpy(tensor_i64(ix) + i * m.rank, m.rows[i], (size_t)m.rank * sizeof(int64_t));
    if (m.n > 0)
        memcpy(y->data, m.sums, (size_t)m.n * item);
    kernel_out_share(c, 2, kernel_in(c, 2));
    return true;
}

static bool add_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a;
    if (!infer_want_rank(c, infer_input(c, 2), 1, &a, st))
        return false;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, infer_dim(a, 0)));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, a);
    return true;
}

static bool add_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[] = {grad_dy(g, 1), grad_in(g, 0), grad_in(g, 3), grad_out(g, 0)};
    struct node *n = grad_nodev(g, "SparseAddGrad", 4, in, 0, NULL);
    grad_set(g, 1, grad_node_out(g, n, 0));
    grad_set(g, 4, grad_node_out(g, n, 1));
    return grad_done(g, st);
}

#define TYPES "T: {float, double, int8, int16, int32, int64, complex64, complex128}"
OP_DEF(sparse_add) = {
    .name = "SparseAdd",
    .summary = "The sum of two sparse tensors, without entries below a threshold.",
    .inputs = {"a_indices: int64", "a_values: T", "a_shape: int64", "b_indices: int64",
               "b_values: T", "b_shape: int64", "thresh: Treal"},
    .outputs = {"sum_indices: int64", "sum_values: T", "sum_shape: int64"},
    .attrs = {"T: numbertype", "Treal: realnumbertype"},
    .shape = add_shape,
    .grad = add_grad,
};
KERNEL_DEF(sparse_add_cpu) = {.op = "SparseAdd", .device = "CPU", .types = {TYPES}, .run = add_run};

/* --- the gradient's op --- */

/* Output k: for each row of ix what dy has where the sum has that row, 0 where it has none. */
static bool put_side(struct kctx *c, int k, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *ix = kernel_in(c, 1 + k), *sum = kernel_in(c, 3);
    int64_t n = tensor_dim(ix, 0), rank = tensor_dim(ix, 1), at = 0;
    struct shape s = shape_1(n);
    struct tensor *dx = kernel_out(c, k, &s, st);
    if (!dx)
        return false;
    size_t item = dtype_size(dy->dtype);
    if (n > 0)
        memset(dx->data, 0, tensor_bytes(dx));
    for (int64_t i = 0; i < n && at < dy->num_elems;) {
        int way = coords_compare(tensor_i64(ix) + i * rank, tensor_i64(sum) + at * rank, rank);
        if (way == 0)
            memcpy((char *)dx->data + (size_t)i * item, (const char *)dy->data + (size_t)at * item,
                   item);
        i += way <= 0;
        at += way >= 0;
    }
    return true;
}

static bool back_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *sum = kernel_in(c, 3);
    for (int i = 1; i < 4; i++) {
        if (tensor_rank(kernel_in(c, i)) != 2 ||
            tensor_dim(kernel_in(c, i), 1) != tensor_dim(kernel_in(c, 1), 1))
            return status_invalid(st, "indices should be matrices of as many columns");
    }
    if (tensor_rank(dy) != 1 || dy->num_elems != tensor_dim(sum, 0))
        return status_invalid(st, "# elements of backprop_val_grad and rows of sum_indices should "
                                  "match (#nnz of sum)");
    return put_side(c, 0, st) && put_side(c, 1, st);
}

static bool back_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b;
    if (!infer_want_rank(c, infer_input(c, 1), 2, &a, st) ||
        !infer_want_rank(c, infer_input(c, 2), 2, &b, st))
        return false;
    infer_set(c, 0, infer_vector(c, infer_dim(a, 0)));
    infer_set(c, 1, infer_vector(c, infer_dim(b, 0)));
    return true;
}

OP_DEF(sparse_add_grad) = {
    .name = "SparseAddGrad",
    .summary = "The gradients of SparseAdd's two lists of values.",
    .inputs = {"backprop_val_grad: T", "a_indices: int64", "b_indices: int64",
               "sum_indices: int64"},
    .outputs = {"a_val_grad: T", "b_val_grad: T"},
    .attrs = {"T: numbertype"},
    .shape = back_shape,
    .no_grad = "it stands in gradients",
};
KERNEL_DEF(sparse_add_grad_cpu) = {
    .op = "SparseAddGrad", .device = "CPU", .types = {TYPES}, .run = back_run};
