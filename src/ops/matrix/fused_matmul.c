/* SPDX-License-Identifier: Apache-2.0 */
/* _FusedMatMul: a product, a vector added to its rows and an activation, in one kernel, made by the
 * optimiser. The vector and the activation are applied to each block of the product while it is in
 * the cache (math/gemm.h). Operands that do not fit that go through the nodes' own kernels, one
 * after the other: so shapes that broadcast and errors are as they were. */
#include <string.h>

#include "base/mem.h"
#include "math/gemm.h"
#include "op/infer.h"
#include "op/kernel.h"

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

/* Whether op may stand at place i of the parts. */
static bool op_fits(struct fused_matmul *f, const char *op, int i)
{
    if (i == 0)
        return strcmp(op, "MatMul") == 0;
    if (i == 1)
        return strcmp(op, "BiasAdd") == 0 || strcmp(op, "BiasAddV1") == 0 ||
               strcmp(op, "Add") == 0 || strcmp(op, "AddV2") == 0;
    return find_act(op, &f->act);
}

static bool make_part(const struct kernel *k, struct fused_matmul *f, int i, struct status *st)
{
    const struct attr_func *node = attrs_list(k->attrs, "nodes")->funcs[i];
    struct str name = attrs_list(k->attrs, "names")->ss[i];
    struct str made = attrs_list(k->attrs, "made")->ss[i];
    const struct op *op = op_find(node->name);
    if (!op || op->function || !op_fits(f, op->name, i) ||
        attrs_type(&node->attrs, "T") != attrs_type(k->attrs, "T"))
        return status_invalid(st, "_FusedMatMul '%s': cannot hold this %s", k->node_name,
                              node->name);
    const char *called = name.n > 0 ? name.p : k->node_name;
    if (!op_check_attrs(op, &node->attrs, called, st))
        return false;
    const struct kernel_def *def = kernel_find(op, "CPU", &node->attrs, called, st);
    if (!def)
        return false;
    f->parts[i] = kernel_new(def, op, called, &node->attrs, k->device, st);
    if (!f->parts[i])
        return false;
    f->num_parts = i + 1;
    f->parts[i]->made_at = made.n > 0 ? made.p : NULL;
    return true;
}

static bool fused_init(struct kernel *k, void *state, struct status *st)
{
    struct fused_matmul *f = state;
    int64_t n = attrs_list(k->attrs, "nodes")->n;
    if (n < 2 || n > MAX_PARTS || attrs_list(k->attrs, "names")->n != n ||
        attrs_list(k->attrs, "made")->n != n)
        return status_invalid(st, "_FusedMatMul '%s': nodes, names and places differ in number",
                              k->node_name);
    for (int i = 0; i < n; i++) {
        if (!make_part(k, f, i, st))
            return false;
    }
    f->trans_a = attrs_bool(f->parts[0]->attrs, "transpose_a");
    f->trans_b = attrs_bool(f->parts[0]->attrs, "transpose_b");
    f->bias_first = attrs_bool(k->attrs, "bias_first");
    return true;
}

/* The words that the executor would have added for the part. */
static void explain(const struct kernel *part, struct tensor *const *in, struct status *st)
{
    struct strbuf shapes = {0};
    for (int i = 0; i < part->num_inputs; i++) {
        strbuf_puts(&shapes, i ? ", " : "");
        shape_print(&in[i]->shape, &shapes);
    }
    status_append(st, "\n\t [[{{node %s}}]] (op %s, input shapes: %s%s%s)", part->node_name,
                  part->op->name, strbuf_text(&shapes), part->made_at ? ", made at " : "",
                  part->made_at ? part->made_at : "");
    strbuf_release(&shapes);
}

static bool run_part(struct kctx *c, const struct kernel *part, struct tensor **in,
                     struct tensor *out, struct status *st)
{
    struct kctx sub = {.kernel = (struct kernel *)(uintptr_t)part,
                       .in = in,
                       .out = out,
                       .env = c->env,
                       .frame = c->frame,
                       .frame_iter = c->frame_iter,
                       .expected_alive = -1};
    bool ok = part->def->run(&sub, st);
    if (sub.scratch_head)
        kernel_scratch_release(&sub);
    if (!ok)
        explain(part, in, st);
    return ok;
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
    bool ok = run_part(c, f->parts[0], product, &results[0], st) &&
              run_part(c, f->parts[1], sum, &results[1], st) &&
              (f->num_parts < 3 || run_part(c, f->parts[2], act, &results[2], st));
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
