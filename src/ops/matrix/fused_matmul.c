/* SPDX-License-Identifier: Apache-2.0 */
/* _FusedMatMul: a product, a vector added to its rows and an activation, in one kernel, made by the
 * optimiser. The vector and the activation are applied to each block of the product while it is in
 * the cache (math/gemm.h). Operands that do not fit that go through the nodes' own kernels, one
 * after the other: so shapes that broadcast and errors are as they were. */
#include "math/gemm.h"
#include "op/fused_sum.h"
#include "op/infer.h"

struct fused_matmul {
    struct fused_sum sum;
    bool trans_a, trans_b;
};

static void fused_release(void *state)
{
    fused_sum_release(&((struct fused_matmul *)state)->sum);
}

static bool fused_init(struct kernel *k, void *state, struct status *st)
{
    struct fused_matmul *f = state;
    if (!fused_sum_init(&f->sum, k, "MatMul", st))
        return false;
    f->trans_a = attrs_bool(f->sum.parts[0]->attrs, "transpose_a");
    f->trans_b = attrs_bool(f->sum.parts[0]->attrs, "transpose_b");
    return true;
}

static bool fused_run(struct kctx *c, struct status *st)
{
    const struct fused_matmul *f = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1), *bias = kernel_in(c, 2);
    if (tensor_rank(a) != 2 || tensor_rank(b) != 2 || tensor_rank(bias) != 1)
        return fused_sum_run_apart(c, &f->sum, st);
    struct math_gemm g = {.m = tensor_dim(a, f->trans_a),
                          .k = tensor_dim(a, !f->trans_a),
                          .n = tensor_dim(b, !f->trans_b),
                          .a = a->data,
                          .b = b->data,
                          .bias = bias->data,
                          .act = (enum math_act)f->sum.act,
                          .lda = tensor_dim(a, 1),
                          .ldb = tensor_dim(b, 1),
                          .trans_a = f->trans_a,
                          .trans_b = f->trans_b};
    if (g.k != tensor_dim(b, f->trans_b) || g.n != bias->num_elems)
        return fused_sum_run_apart(c, &f->sum, st);
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

OP_DEF(fused_mat_mul) = {
    .name = "_FusedMatMul",
    .summary = "A product, plus a vector, through an activation; made by the optimiser.",
    .description =
        "nodes: the MatMul, the sum, and perhaps the activation; names and made say what "
        "each is called and where it was made, for messages.",
    .inputs = {"a: T", "b: T", "bias: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, double}", "nodes: list(func)", "names: list(string)",
              "made: list(string)", "bias_first: bool = false"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(fused_mat_mul_cpu) = {.op = "_FusedMatMul",
                                 .device = "CPU",
                                 .state_bytes = sizeof(struct fused_matmul),
                                 .init = fused_init,
                                 .release = fused_release,
                                 .run = fused_run,
                                 .flags = KERNEL_EXPENSIVE};
