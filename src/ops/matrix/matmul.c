/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul: the product of two matrices, each transposed on wish. math/gemm.h does the work. */
#include "math/gemm.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool matmul_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &a, st) ||
        !infer_want_rank(c, infer_input(c, 1), 2, &b, st))
        return false;
    int ta = attrs_bool(infer_attrs(c), "transpose_a");
    int tb = attrs_bool(infer_attrs(c), "transpose_b");
    int64_t inner;
    if (!infer_merge_dim(infer_dim(a, 1 - ta), infer_dim(b, tb), &inner, st))
        return false;
    infer_set(c, 0, infer_matrix(c, infer_dim(a, ta), infer_dim(b, 1 - tb)));
    return true;
}

static struct output product(struct grad_ctx *g, struct output a, struct output b, bool ta, bool tb)
{
    struct attr attrs[] = {{(char *)"transpose_a", attr_bool(ta)},
                           {(char *)"transpose_b", attr_bool(tb)}};
    return grad_opv(g, "MatMul", 2, (struct output[]){a, b}, 2, attrs);
}

static bool matmul_grad(struct grad_ctx *g, struct status *st)
{
    bool ta = attrs_bool(grad_attrs(g), "transpose_a"),
         tb = attrs_bool(grad_attrs(g), "transpose_b");
    struct output dy = grad_dy(g, 0);
    struct output a = grad_conj(g, grad_in(g, 0)), b = grad_conj(g, grad_in(g, 1));
    grad_set(g, 0, ta ? product(g, b, dy, tb, true) : product(g, dy, b, false, !tb));
    grad_set(g, 1, tb ? product(g, dy, a, true, ta) : product(g, a, dy, !ta, false));
    return grad_done(g, st);
}

struct matmul_state {
    bool trans_a, trans_b;
};

static bool matmul_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct matmul_state *s = state;
    s->trans_a = attrs_bool(k->attrs, "transpose_a");
    s->trans_b = attrs_bool(k->attrs, "transpose_b");
    return true;
}

static bool fail_shapes(const struct tensor *a, const struct tensor *b, struct status *st)
{
    struct strbuf text = {0};
    shape_print(&a->shape, &text);
    strbuf_puts(&text, ", In[1]: ");
    shape_print(&b->shape, &text);
    status_invalid(st, "Matrix size-incompatible: In[0]: %s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool matmul_run(struct kctx *c, struct status *st)
{
    const struct matmul_state *s = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    if (tensor_rank(a) != 2)
        return status_invalid(st, "In[0] is not a matrix. Instead it has rank %d", tensor_rank(a));
    if (tensor_rank(b) != 2)
        return status_invalid(st, "In[1] is not a matrix. Instead it has rank %d", tensor_rank(b));
    struct math_gemm g = {.m = tensor_dim(a, s->trans_a),
                          .k = tensor_dim(a, !s->trans_a),
                          .n = tensor_dim(b, !s->trans_b),
                          .a = a->data,
                          .b = b->data,
                          .lda = tensor_dim(a, 1),
                          .ldb = tensor_dim(b, 1),
                          .trans_a = s->trans_a,
                          .trans_b = s->trans_b};
    if (g.k != tensor_dim(b, s->trans_b))
        return fail_shapes(a, b, st);
    struct shape shape = shape_2(g.m, g.n);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    if (!y)
        return false;
    g.c = y->data;
    g.ldc = g.n;
    if (y->num_elems > 0)
        math_gemm(kernel_pool(c), y->dtype, &g);
    return true;
}

OP_DEF(mat_mul) = {
    .name = "MatMul",
    .summary = "The product of matrices a and b, each transposed first where the attrs say so.",
    .inputs = {"a: T", "b: T"},
    .outputs = {"product: T"},
    .attrs = {"transpose_a: bool = false", "transpose_b: bool = false",
              "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"},
    .shape = matmul_shape,
    .grad = matmul_grad,
};
KERNEL_DEF(mat_mul_cpu) = {.op = "MatMul",
                           .device = "CPU",
                           .state_bytes = sizeof(struct matmul_state),
                           .init = matmul_init,
                           .run = matmul_run,
                           .flags = KERNEL_EXPENSIVE};
KERNEL_DEF(mat_mul_eigen_cpu) = {.op = "MatMul",
                                 .device = "CPU",
                                 .label = "eigen",
                                 .state_bytes = sizeof(struct matmul_state),
                                 .init = matmul_init,
                                 .run = matmul_run,
                                 .flags = KERNEL_EXPENSIVE};
