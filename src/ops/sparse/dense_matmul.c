/* SPDX-License-Identifier: Apache-2.0 */
/* SparseTensorDenseMatMul: the product of a sparse matrix and a dense one. Entries are taken in the
 * order they have: each adds a multiple of a row of b (or a column, where b is transposed) to a row
 * of the product. */
#include <complex.h>
#include <string.h>

#include "op/grad.h"
#include "ops/sparse/coords.h"

struct product {
    const struct tensor *ix, *values, *b;
    void *y;
    int64_t rows, cols;         /* of y */
    int64_t row_step, col_step; /* of b, as it takes part */
    bool adjoint_a, adjoint_b;  /* transposed; b conjugated, too */
};

#define SAME(x) (x)
#define PRODUCT(NAME, T, CONJ, MUL_ADD)                                                            \
    static void product_##NAME(const struct product *p)                                            \
    {                                                                                              \
        const T *values = p->values->data, *b = p->b->data;                                        \
        for (int64_t i = 0; i < p->values->num_elems; i++) {                                       \
            int64_t m = tensor_index(p->ix, 2 * i + p->adjoint_a);                                 \
            int64_t k = tensor_index(p->ix, 2 * i + !p->adjoint_a);                                \
            T *restrict y = (T *)p->y + m * p->cols;                                               \
            const T *restrict x = b + k * p->row_step;                                             \
            T a = values[i]; /* TensorFlow turns a, but does not conjugate it */                   \
            if (!p->adjoint_b) {                                                                   \
                for (int64_t j = 0; j < p->cols; j++)                                              \
                    y[j] = MUL_ADD(a, x[j], y[j]);                                                 \
            } else {                                                                               \
                for (int64_t j = 0; j < p->cols; j++)                                              \
                    y[j] = MUL_ADD(a, CONJ(x[j * p->col_step]), y[j]);                             \
            }                                                                                      \
        }                                                                                          \
    }
#define PLAIN(a, x, y) ((y) + (a) * (x))
#define WRAP(a, x, y) ((int32_t)((uint32_t)(y) + (uint32_t)(a) * (uint32_t)(x)))
#define ROUNDED(a, x, y)                                                                           \
    bf16_from_f32(bf16_to_f32(y) + bf16_to_f32(bf16_from_f32(bf16_to_f32(a) * bf16_to_f32(x))))

PRODUCT(f32, float, SAME, PLAIN)
PRODUCT(f64, double, SAME, PLAIN)
PRODUCT(i32, int32_t, SAME, WRAP)
PRODUCT(bf16, struct bf16, SAME, ROUNDED)
PRODUCT(c64, float complex, conjf, PLAIN)
PRODUCT(c128, double complex, conj, PLAIN)

static void run_product(int dtype, const struct product *p)
{
    switch (dtype) {
    case DT_FLOAT:
        product_f32(p);
        break;
    case DT_DOUBLE:
        product_f64(p);
        break;
    case DT_INT32:
        product_i32(p);
        break;
    case DT_BFLOAT16:
        product_bf16(p);
        break;
    case DT_COMPLEX64:
        product_c64(p);
        break;
    default:
        product_c128(p);
        break;
    }
}

static bool check(const struct kctx *c, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1);
    const struct tensor *dims = kernel_in(c, 2);
    if (tensor_rank(kernel_in(c, 3)) != 2)
        return status_invalid(st, "Tensor 'b' is not a matrix");
    if (tensor_rank(dims) != 1)
        return status_invalid(st, "Tensor 'a_shape' is not a vector");
    if (dims->num_elems != 2)
        return status_invalid(st, "Tensor 'a_shape' must have 2 elements");
    if (tensor_rank(values) != 1)
        return status_invalid(st, "Tensor 'a_values' is not a vector");
    if (tensor_rank(ix) != 2)
        return status_invalid(st, "Tensor 'a_indices' is not a matrix");
    if (tensor_dim(ix, 0) != values->num_elems)
        return status_invalid(st, "Number of rows of a_indices does not match number of entries in "
                                  "a_values");
    if (tensor_dim(ix, 1) != 2)
        return status_invalid(st, "Number of columns of a_indices does not match number of entries "
                                  "in a_shape");
    if (tensor_i64(dims)[0] < 0 || tensor_i64(dims)[1] < 0)
        return status_invalid(st, "Tensor 'a_shape' has a negative dim");
    return sparse_check_inside(ix, tensor_i64(dims), "a", st);
}

static bool product_run(struct kctx *c, struct status *st)
{
    if (!check(c, st))
        return false;
    const int64_t *dims = tensor_i64(kernel_in(c, 2));
    struct product p = {.ix = kernel_in(c, 0), .values = kernel_in(c, 1), .b = kernel_in(c, 3)};
    p.adjoint_a = attrs_bool(kernel_attrs(c), "adjoint_a");
    p.adjoint_b = attrs_bool(kernel_attrs(c), "adjoint_b");
    int64_t inner = dims[p.adjoint_a ? 0 : 1], b_inner = tensor_dim(p.b, p.adjoint_b ? 1 : 0);
    if (inner != b_inner)
        return status_invalid(
            st,
            "Cannot multiply A and B because inner dimension does not match: "
            "%lld vs. %lld.  Did you forget a transpose?  Dimensions of A: [%lld, "
            "%lld).  Dimensions of B: [%lld,%lld]",
            (long long)inner, (long long)b_inner, (long long)dims[0], (long long)dims[1],
            (long long)tensor_dim(p.b, 0), (long long)tensor_dim(p.b, 1));
    p.rows = dims[p.adjoint_a ? 1 : 0];
    p.cols = tensor_dim(p.b, p.adjoint_b ? 0 : 1);
    p.row_step = p.adjoint_b ? 1 : tensor_dim(p.b, 1);
    p.col_step = p.adjoint_b ? tensor_dim(p.b, 1) : 1;
    struct shape s = shape_2(p.rows, p.cols);
    int64_t elems;
    struct tensor *y = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    if (!y)
        return false;
    if (y->num_elems == 0)
        return true;
    memset(y->data, 0, tensor_bytes(y));
    p.y = y->data;
    run_product(y->dtype, &p);
    return true;
}

static bool product_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b, *x;
    int64_t inner;
    bool adjoint_a = attrs_bool(infer_attrs(c), "adjoint_a");
    bool adjoint_b = attrs_bool(infer_attrs(c), "adjoint_b");
    if (!infer_want_rank(c, infer_input(c, 0), 2, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &x, st) || !infer_const_shape(c, 2, &a, st) ||
        !infer_want_rank(c, a, 2, &a, st) || !infer_want_rank(c, infer_input(c, 3), 2, &b, st) ||
        !infer_merge_dim(infer_dim(a, adjoint_a ? 0 : 1), infer_dim(b, adjoint_b ? 1 : 0), &inner,
                         st))
        return false;
    infer_set(c, 0,
              infer_matrix(c, infer_dim(a, adjoint_a ? 1 : 0), infer_dim(b, adjoint_b ? 0 : 1)));
    return true;
}

/* Column col of the coordinates. */
static struct output column(struct grad_ctx *g, int col)
{
    struct output in[] = {grad_in(g, 0), grad_const_i32(g, col), grad_const_i32(g, 1)};
    return grad_opv(g, "GatherV2", 3, in, 0, NULL);
}

static struct output transposed(struct grad_ctx *g, struct output x)
{
    return grad_op2(g, "transpose=Transpose", x, grad_const_i32s(g, (int32_t[]){1, 0}, 2));
}

static bool product_grad(struct grad_ctx *g, struct status *st)
{
    bool adjoint_a = attrs_bool(grad_attrs(g), "adjoint_a");
    bool adjoint_b = attrs_bool(grad_attrs(g), "adjoint_b");
    if (dtype_is_complex(grad_type_of(g, grad_in(g, 1))))
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "SparseTensorDenseMatMul op does not support complex gradients.");
    struct output dy = grad_dy(g, 0), b = grad_in(g, 3), zero = grad_const_i32(g, 0);
    struct output in[] = {grad_in(g, 0), grad_in(g, 1), grad_in(g, 2), dy};
    struct output db = grad_opv(g, "SparseTensorDenseMatMul", 4, in, 1,
                                (struct attr[]){{(char *)"adjoint_a", attr_bool(!adjoint_a)}});
    grad_set(g, 3, adjoint_b ? transposed(g, db) : db);
    struct output of_dy = grad_op3(g, "GatherV2", dy, column(g, adjoint_a ? 1 : 0), zero);
    struct output of_b = grad_op3(g, "GatherV2", adjoint_b ? transposed(g, b) : b,
                                  column(g, adjoint_a ? 0 : 1), zero);
    grad_set(g, 1, grad_op2(g, "Sum", grad_mul(g, of_dy, of_b), grad_const_i32(g, 1)));
    return grad_done(g, st);
}

OP_DEF(sparse_tensor_dense_mat_mul) = {
    .name = "SparseTensorDenseMatMul",
    .summary = "The product of a sparse matrix and a dense one.",
    .inputs = {"a_indices: Tindices", "a_values: T", "a_shape: int64", "b: T"},
    .outputs = {"product: T"},
    .attrs = {"T: type", "Tindices: {int32, int64} = DT_INT64", "adjoint_a: bool = false",
              "adjoint_b: bool = false"},
    .shape = product_shape,
    .grad = product_grad,
};
KERNEL_DEF(sparse_tensor_dense_mat_mul_cpu) = {
    .op = "SparseTensorDenseMatMul",
    .device = "CPU",
    .types = {"T: {bfloat16, float, double, int32, complex64, complex128}",
              "Tindices: {int32, int64}"},
    .run = product_run,
};
