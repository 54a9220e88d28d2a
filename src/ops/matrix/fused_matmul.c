/* SPDX-License-Identifier: Apache-2.0 */
/* _FusedMatMul: a product, a vector added to its rows and an activation, in one kernel, made by the
 * optimiser. The vector and the activation are applied to each block of the product while it is in
 * the cache (math/gemm.h). Operands that do not fit that go through the nodes' own kernels, one
 * after the other: so shapes that broadcast and errors are as they were. */
#include <string.h>

#include "base/mem.h"
#include "math/gemm.h"
#include "op/infer.h"
#include "ops/matrix/part.h"

enum { MAX_PARTS = 3 };

struct fused_matmul {
    struct kernel *parts[MAX_PARTS]; /* the product, the sum, the activation; owned */
    int num_parts;
    bool trans_a, trans_b;
    bool bias_first; /* the sum's first operand is the vector */
    enum math_act act;
};

static void fused_release(void *state)
{
    struct fused_matmul *f = state;
    for (int i = 0; i < f->num_parts; i++)
        kernel_free(f->parts[i]);
}

static bool find_act(const char *op, enum math_act *act)
{
    static const struct {
        const char *op;
        enum math_act act;
    } rows[] = {{"Relu", MATH_ACT_RELU},
                {"Relu6", MATH_ACT_RELU6},
                {"Elu", MATH_ACT_ELU},
                {"Tanh", MATH_ACT_TANH},
                {"Sigmoid", MATH_ACT_SIGMOID}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(op, rows[i].op) == 0) {
            *act = rows[i].act;
            return true;
        }
    }
    return false;
}

/* What may stand at each place of the parts. */
static bool make_part(const struct kernel *k, struct fused_matmul *f, int i, struct status *st)
{
    static const char *const products[] = {"MatMul"},
                             *const sums[] = {"BiasAdd", "BiasAddV1", "Add", "AddV2"},
                             *const acts[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"};
    const char *const *ops[MAX_PARTS] = {products, sums, acts};
    const int num[MAX_PARTS] = {ARRAY_LEN(products), ARRAY_LEN(sums), ARRAY_LEN(acts)};
    f->parts[i] = part_new(k, i, ops[i], num[i], st);
    if (!f->parts[i])
        return false;
    f->num_parts = i + 1;
    return i < 2 || find_act(f->parts[i]->op->name, &f->act);
}

static bool fused_init(struct kernel *k, void *state, struct status *st)
{
    struct fused_matmul *f = state;
    const int64_t n = attrs_list(k->attrs, "nodes")->n == MAX_PARTS ? MAX_PARTS : 2;
    if (!part_check_count(k, n, st))
        return false;
    for (int i = 0; i < n; i++) {
        if (!make_part(k, f, i, st))
            return false;
    }
    f->trans_a = attrs_bool(f->parts[0]->attrs, "transpose_a");
    f->trans_b = attrs_bool(f->parts[0]->attrs, "transpose_b");
    f->bias_first = attrs_bool(k->attrs, "bias_first");
    return true;
}

static bool run_apart(struct kctx *c, struct status *st)
{
    const struct fused_matmul *f = kernel_state(c);
    struct tensor results[MAX_PARTS] = {0};
    struct tensor *product[2] = {c->in[0], c->in[1]}, *sum[2] = {&results[0], c->in[2]};
    struct tensor *act[1] = {&results[1]};
    if (f->bias_first) {
        sum[0] = c->in[2];
        sum[1] = &results[0];
    }
    bool ok = part_run(c, f->parts[0], product, &results[0], st) &&
              part_run(c, f->parts[1], sum, &results[1], st) &&
              (f->num_parts < 3 || part_run(c, f->parts[2], act, &results[2], st));
    if (ok)
        kernel_out_take(c, 0, &results[f->num_parts - 1]);
    for (int i = 0; i < MAX_PARTS; i++)
        tensor_clear(&results[i]);
    return ok;
}

static bool fused_run(struct kctx *c, struct status *st)
{
    const struct fused_matmul *f = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1), *bias = kernel_in(c, 2);
    if (tensor_rank(a) != 2 || tensor_rank(b) != 2 || tensor_rank(bias) != 1)
        return run_apart(c, st);
    struct math_gemm g = {.m = tensor_dim(a, f->trans_a),
                          .k = tensor_dim(a, !f->trans_a),
                          .n = tensor_dim(b, !f->trans_b),
                          .a = a->data,
                          .b = b->data,
                          .bias = bias->data,
                          .act = f->act,
                          .lda = tensor_dim(a, 1),
                          .ldb = tensor_dim(b, 1),
                          .trans_a = f->trans_a,
                          .trans_b = f->trans_b};
    if (g.k != tensor_dim(b, f->trans_b) || g.n != bias->num_elems)
        return run_apart(c, st);
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
