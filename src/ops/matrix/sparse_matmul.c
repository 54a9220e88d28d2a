/* SPDX-License-Identifier: Apache-2.0 */
/* SparseMatMul: the product of two matrices of float or bfloat16, said to have many zeros, as
 * float. What is said changes nothing: the dense product is the fast one here. */
#include "math/gemm.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool sparse_matmul_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b;
    const int ta = attrs_bool(infer_attrs(c), "transpose_a");
    const int tb = attrs_bool(infer_attrs(c), "transpose_b");
    int64_t inner;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &a, st) ||
        !infer_want_rank(c, infer_input(c, 1), 2, &b, st) ||
        !infer_merge_dim(infer_dim(a, !ta), infer_dim(b, tb), &inner, st))
        return false;
    infer_set(c, 0, infer_matrix(c, infer_dim(a, ta), infer_dim(b, !tb)));
    return true;
}

/* --- the gradient --- */

struct factor {
    struct output x;
    bool sparse, turned;
};

static struct output product(struct grad_ctx *g, struct factor a, struct factor b, int dtype)
{
    struct output in[] = {a.x, b.x};
    struct attr attrs[] = {{(char *)"transpose_a", attr_bool(a.turned)},
                           {(char *)"transpose_b", attr_bool(b.turned)},
                           {(char *)"a_is_sparse", attr_bool(a.sparse)},
                           {(char *)"b_is_sparse", attr_bool(b.sparse)}};
    return grad_cast(g, grad_opv(g, "SparseMatMul", 2, in, 4, attrs), dtype);
}

static struct factor turned(struct factor f)
{
    f.turned = !f.turned;
    return f;
}

static bool sparse_matmul_grad(struct grad_ctx *g, struct status *st)
{
    const struct attrs *attrs = grad_attrs(g);
    struct factor a = {grad_in(g, 0), attrs_bool(attrs, "a_is_sparse"),
                       attrs_bool(attrs, "transpose_a")};
    struct factor b = {grad_in(g, 1), attrs_bool(attrs, "b_is_sparse"),
                       attrs_bool(attrs, "transpose_b")};
    struct factor dy = {grad_dy(g, 0), false, false};
    const int at = grad_type_of(g, a.x), bt = grad_type_of(g, b.x);
    grad_set(g, 0, a.turned ? product(g, b, turned(dy), at) : product(g, dy, turned(b), at));
    grad_set(g, 1, b.turned ? product(g, turned(dy), a, bt) : product(g, turned(a), dy, bt));
    return grad_done(g, st);
}

/* --- the kernel --- */

/* Input i as floats; NULL: no memory. */
static const float *floats(struct kctx *c, int i, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->dtype == DT_FLOAT)
        return tensor_f32(t);
    float *to = kernel_scratch(c, max_i64(1, t->num_elems) * (int64_t)sizeof *to, st);
    for (int64_t k = 0; to && k < t->num_elems; k++)
        to[k] = bf16_to_f32(((const struct bf16 *)t->data)[k]);
    return to;
}

static bool sparse_matmul_run(struct kctx *c, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    const int ta = attrs_bool(kernel_attrs(c), "transpose_a");
    const int tb = attrs_bool(kernel_attrs(c), "transpose_b");
    if (tensor_rank(a) != 2 || tensor_rank(b) != 2)
        return status_invalid(st, "%s is not a matrix", tensor_rank(a) != 2 ? "a" : "b");
    if (tensor_dim(a, !ta) != tensor_dim(b, tb))
        return status_invalid(st, "Matrix size incompatible: %lld columns against %lld rows",
                              (long long)tensor_dim(a, !ta), (long long)tensor_dim(b, tb));
    struct math_gemm g = {.m = tensor_dim(a, ta),
                          .n = tensor_dim(b, !tb),
                          .k = tensor_dim(b, tb),
                          .lda = tensor_dim(a, 1),
                          .ldb = tensor_dim(b, 1),
                          .trans_a = ta,
                          .trans_b = tb};
    struct shape shape = shape_make((const int64_t[]){g.m, g.n}, 2);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    g.a = floats(c, 0, st);
    g.b = g.a ? floats(c, 1, st) : NULL;
    g.c = out->data;
    g.ldc = g.n;
    if (!g.b)
        return false;
    math_gemm_f32(kernel_pool(c), &g);
    return true;
}

OP_DEF(sparse_mat_mul) = {
    .name = "SparseMatMul",
    .summary = "The product of matrices that may have many zeros.",
    .inputs = {"a: Ta", "b: Tb"},
    .outputs = {"product: float"},
    .attrs = {"transpose_a: bool = false", "transpose_b: bool = false", "a_is_sparse: bool = false",
              "b_is_sparse: bool = false", "Ta: {float, bfloat16} = DT_FLOAT",
              "Tb: {float, bfloat16} = DT_FLOAT"},
    .shape = sparse_matmul_shape,
    .grad = sparse_matmul_grad,
};
KERNEL_DEF(sparse_mat_mul_cpu) = {
    .op = "SparseMatMul", .device = "CPU", .run = sparse_matmul_run, .flags = KERNEL_EXPENSIVE};
