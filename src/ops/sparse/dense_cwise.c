/* SPDX-License-Identifier: Apache-2.0 */
/* SparseDenseCwiseAdd, SparseDenseCwiseMul, SparseDenseCwiseDiv: each entry of a sparse tensor with
 * the element of a dense one that stands beside it when the dense one is broadcast to the sparse
 * one's shape. The result has the sparse tensor's entries. */
#include <string.h>

#include "op/grad.h"
#include "ops/sparse/coords.h"
#include "ops/sparse/reals.h"

enum side_op { SIDE_ADD, SIDE_MUL, SIDE_DIV };

/* y[i] = x[i] op y[i]. False: an integer over zero. */
#define BOTH(NAME, T, LOAD, STORE)                                                                 \
    static bool both_##NAME(enum side_op op, const T *x, T *y, int64_t n)                          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            if (op == SIDE_ADD)                                                                    \
                y[i] = STORE(LOAD(x[i]) + LOAD(y[i]));                                             \
            else if (op == SIDE_MUL)                                                               \
                y[i] = STORE(LOAD(x[i]) * LOAD(y[i]));                                             \
            else                                                                                   \
                y[i] = STORE(LOAD(x[i]) / LOAD(y[i]));                                             \
        }                                                                                          \
        return true;                                                                               \
    }
/* Integers wrap. */
#define BOTH_INTEGER(NAME, T)                                                                      \
    static bool both_##NAME(enum side_op op, const T *x, T *y, int64_t n)                          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            uint64_t u = (uint64_t)x[i], v = (uint64_t)y[i];                                       \
            if (op == SIDE_ADD)                                                                    \
                y[i] = (T)(u + v);                                                                 \
            else if (op == SIDE_MUL)                                                               \
                y[i] = (T)(u * v);                                                                 \
            else if (y[i] == 0)                                                                    \
                return false;                                                                      \
            else                                                                                   \
                y[i] = v == UINT64_MAX ? (T)(0 - u) : (T)(x[i] / y[i]);                            \
        }                                                                                          \
        return true;                                                                               \
    }
#define BOTH_FLOAT(dtype, name, T, load, store) BOTH(name, T, load, store)
#define BOTH_OF(dtype, name, T) BOTH_INTEGER(name, T)
SPARSE_FLOATS(BOTH_FLOAT)
SPARSE_INTEGERS(BOTH_OF)

static bool both(int dtype, enum side_op op, const void *x, void *y, int64_t n)
{
#define CASE(type, name, ...)                                                                      \
    case type:                                                                                     \
        return both_##name(op, x, y, n);
    switch (dtype) {
        SPARSE_FLOATS(CASE)
        SPARSE_INTEGERS(CASE)
    }
#undef CASE
    return false; /* no kernel is of another type */
}

/* How far apart in the dense tensor two neighbours along each of the sparse one's axes lie. */
static bool find_steps(const struct tensor *dims, const struct tensor *dense, int64_t *steps,
                       struct status *st)
{
    int64_t rank = dims->num_elems, step = 1, extra = rank - tensor_rank(dense);
    bool fits = extra >= 0;
    for (int64_t d = rank - 1; fits && d >= 0; d--) {
        int64_t n = d < extra ? 1 : tensor_dim(dense, (int)(d - extra));
        fits = n == 1 || n == tensor_i64(dims)[d];
        steps[d] = n == 1 ? 0 : step;
        step *= n;
    }
    if (fits)
        return true;
    struct strbuf text = {0};
    shape_print(&dense->shape, &text);
    status_invalid(st,
                   "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                   "shapes: a sparse one of %lld dims vs. %s",
                   (long long)rank, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool cwise_run(struct kctx *c, enum side_op op, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *x = kernel_in(c, 1), *dims = kernel_in(c, 2);
    const struct tensor *dense = kernel_in(c, 3);
    int64_t steps[SHAPE_MAX_RANK], rank = dims->num_elems;
    if (!sparse_check(c, 0, st))
        return false;
    if (rank > SHAPE_MAX_RANK)
        return status_invalid(st, "too many dimensions: %lld", (long long)rank);
    if (!sparse_check_inside(ix, tensor_i64(dims), "the sparse operand", st) ||
        !find_steps(dims, dense, steps, st))
        return false;
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y)
        return false;
    size_t item = dtype_size(y->dtype);
    for (int64_t i = 0; i < x->num_elems; i++) {
        int64_t at = 0;
        for (int64_t d = 0; d < rank; d++)
            at += steps[d] * tensor_i64(ix)[i * rank + d];
        memcpy((char *)y->data + (size_t)i * item, (const char *)dense->data + (size_t)at * item,
               item);
    }
    return both(y->dtype, op, x->data, y->data, x->num_elems) ||
           status_invalid(st, "Integer division by zero");
}

static bool cwise_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *ix;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &ix, st))
        return false;
    infer_set(c, 0, infer_vector(c, infer_dim(ix, 0)));
    return true;
}

/* --- gradients: the dense tensor's elements beside the entries, and back to their places --- */

struct beside {
    struct output at, values; /* rows of coordinates in the dense tensor; its elements there */
};

static struct beside beside(struct grad_ctx *g)
{
    struct output dims = grad_in(g, 2), dense = grad_in(g, 3), zero = grad_const_i32(g, 0);
    struct output shape = grad_cast(g, grad_shape(g, dense), DT_INT64);
    struct output rank = grad_op1(g, "Size", dims), own = grad_op1(g, "Rank", dense);
    struct output extra = grad_sub(g, rank, own);
    struct output one_dim = grad_const_i32s(g, (int32_t[]){1}, 1);
    struct output ones =
        grad_op2(g, "Fill", grad_reshape(g, extra, one_dim), grad_const_like(g, dims, 1));
    struct grad_build join = {.op = "concat=ConcatV2",
                              .inputs = (struct output[]){ones, shape, zero},
                              .num_inputs = 3,
                              .list_sizes = (int[]){2, 1}};
    struct output full = grad_node_out(g, grad_node(g, &join), 0);
    struct output scale = grad_op2(g, "FloorDiv", dims, full);
    struct output at = grad_op2(g, "FloorDiv", grad_in(g, 0), scale);
    struct grad_build pack = {.op = "stack=Pack",
                              .inputs = (struct output[]){zero, extra},
                              .num_inputs = 2,
                              .list_sizes = (int[]){2}};
    struct output begin = grad_node_out(g, grad_node(g, &pack), 0);
    at = grad_op3(g, "Slice", at, begin, grad_const_i32s(g, (int32_t[]){-1, -1}, 2));
    return (struct beside){at, grad_op2(g, "GatherNd", dense, at)};
}

static void set_dense(struct grad_ctx *g, struct beside b, struct output values)
{
    struct output dense = grad_in(g, 3);
    struct output in[] = {b.at, values, grad_cast(g, grad_shape(g, dense), DT_INT64),
                          grad_zeros_like(g, dense)};
    grad_set(g, 3, grad_opv(g, "SparseTensorDenseAdd", 4, in, 0, NULL));
}

static bool mul_grad(struct grad_ctx *g, struct status *st)
{
    struct beside b = beside(g);
    grad_set(g, 1, grad_mul(g, grad_dy(g, 0), b.values));
    set_dense(g, b, grad_mul(g, grad_dy(g, 0), grad_in(g, 1)));
    return grad_done(g, st);
}

static bool div_grad(struct grad_ctx *g, struct status *st)
{
    struct beside b = beside(g);
    struct output slope =
        grad_op2(g, "Div", grad_neg(g, grad_in(g, 1)), grad_op1(g, "Square", b.values));
    grad_set(g, 1, grad_op2(g, "Div", grad_dy(g, 0), b.values));
    set_dense(g, b, grad_mul(g, grad_dy(g, 0), slope));
    return grad_done(g, st);
}

/* TensorFlow has none; with it SparseSoftmax has second derivatives. */
static bool add_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 1, grad_dy(g, 0));
    set_dense(g, beside(g), grad_dy(g, 0));
    return grad_done(g, st);
}

#define CWISE(ID, NAME, SIDE, SUMMARY, GRAD)                                                       \
    static bool ID##_run(struct kctx *c, struct status *st)                                        \
    {                                                                                              \
        return cwise_run(c, SIDE, st);                                                             \
    }                                                                                              \
    OP_DEF(sparse_dense_cwise_##ID) = {                                                            \
        .name = NAME,                                                                              \
        .summary = SUMMARY,                                                                        \
        .inputs = {"sp_indices: int64", "sp_values: T", "sp_shape: int64", "dense: T"},            \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: numbertype"},                                                                \
        .shape = cwise_shape,                                                                      \
        .grad = GRAD,                                                                              \
    };                                                                                             \
    KERNEL_DEF(sparse_dense_cwise_##ID##_cpu) = {                                                  \
        .op = NAME,                                                                                \
        .device = "CPU",                                                                           \
        .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"}, \
        .run = ID##_run,                                                                           \
    }

CWISE(add, "SparseDenseCwiseAdd", SIDE_ADD,
      "Adds to a sparse tensor's entries what a dense one has beside them.", add_grad);
CWISE(mul, "SparseDenseCwiseMul", SIDE_MUL,
      "Multiplies a sparse tensor's entries by what a dense one has beside them.", mul_grad);
CWISE(div, "SparseDenseCwiseDiv", SIDE_DIV,
      "Divides a sparse tensor's entries by what a dense one has beside them.", div_grad);
