/* SPDX-License-Identifier: Apache-2.0 */
/* _MatMulAdd: a tensor plus a product, in the tensor's memory where that is allowed: the optimiser
 * makes chains of it out of AddN of products, the gradients of weights that are used at each step
 * of a recurrent network. Sums are formed as AddN forms them, bit for bit (math_gemm_adds_exactly);
 * whatever does not fit goes through the product's own kernel and a sum apart. */
#include <string.h>

#include "math/gemm.h"
#include "op/infer.h"
#include "op/part.h"

struct matmul_add {
    struct kernel *product; /* owned */
    bool trans_a, trans_b;
};

static void matmul_add_release(void *state)
{
    kernel_free(((struct matmul_add *)state)->product);
}

static bool matmul_add_init(struct kernel *k, void *state, struct status *st)
{
    static const char *const products[] = {"MatMul"};
    struct matmul_add *f = state;
    if (!part_check_count(k, 1, st))
        return false;
    f->product = part_new(k, 0, products, 1, st);
    if (!f->product)
        return false;
    f->trans_a = attrs_bool(f->product->attrs, "transpose_a");
    f->trans_b = attrs_bool(f->product->attrs, "transpose_b");
    return true;
}

static bool fail_shapes(struct kctx *c, const struct tensor *x, const struct tensor *y,
                        struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(&x->shape, &a);
    shape_print(&y->shape, &b);
    const struct attrs *attrs = c->kernel->attrs;
    const struct str sum = attrs_string(attrs, "sum");
    status_invalid(st,
                   "Inputs to operation %.*s of type AddN must have the same size and shape.  "
                   "Input 0: %s != input %lld: %s\n\t [[{{node %.*s}}]]",
                   (int)sum.n, sum.p, strbuf_text(&a), (long long)attrs_int(attrs, "place"),
                   strbuf_text(&b), (int)sum.n, sum.p);
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static void add(const struct tensor *x, const struct tensor *y, struct tensor *out)
{
    for (int64_t i = 0; i < out->num_elems && out->dtype == DT_FLOAT; i++)
        tensor_f32(out)[i] = tensor_f32(x)[i] + tensor_f32(y)[i];
    for (int64_t i = 0; i < out->num_elems && out->dtype == DT_DOUBLE; i++)
        tensor_f64(out)[i] = tensor_f64(x)[i] + tensor_f64(y)[i];
}

static bool run_apart(struct kctx *c, struct status *st)
{
    const struct matmul_add *f = kernel_state(c);
    struct tensor product = {0}, *in[2] = {c->in[0], c->in[1]};
    if (!part_run(c, f->product, in, &product, st))
        return false;
    const struct tensor *x = kernel_in(c, 2);
    bool ok = shape_equal(&x->shape, &product.shape) || fail_shapes(c, x, &product, st);
    struct tensor *out = ok ? kernel_out(c, 0, &x->shape, st) : NULL;
    if (out)
        add(x, &product, out);
    tensor_clear(&product);
    return out != NULL;
}

static bool matmul_add_run(struct kctx *c, struct status *st)
{
    const struct matmul_add *f = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1), *x = kernel_in(c, 2);
    if (tensor_rank(a) != 2 || tensor_rank(b) != 2 || tensor_rank(x) != 2)
        return run_apart(c, st);
    struct math_gemm g = {.m = tensor_dim(a, f->trans_a),
                          .k = tensor_dim(a, !f->trans_a),
                          .n = tensor_dim(b, !f->trans_b),
                          .a = a->data,
                          .b = b->data,
                          .beta = 1,
                          .lda = tensor_dim(a, 1),
                          .ldb = tensor_dim(b, 1),
                          .trans_a = f->trans_a,
                          .trans_b = f->trans_b};
    if (g.k != tensor_dim(b, f->trans_b) || g.m != tensor_dim(x, 0) || g.n != tensor_dim(x, 1) ||
        x->data == a->data || x->data == b->data || !math_gemm_adds_exactly(&g))
        return run_apart(c, st);
    const void *from = x->data;
    struct shape shape = shape_2(g.m, g.n);
    struct tensor *out = kernel_out_forward(c, 2, 0, &shape, st);
    if (!out)
        return false;
    if (out->data != from)
        memcpy(out->data, from, (size_t)out->num_elems * dtype_size(out->dtype));
    g.c = out->data;
    g.ldc = g.n;
    if (out->num_elems > 0)
        math_gemm(kernel_pool(c), out->dtype, &g);
    return true;
}

OP_DEF(matmul_add) = {
    .name = "_MatMulAdd",
    .summary = "A matrix plus a product; made by the optimiser.",
    .description = "nodes: the MatMul; names and made say what it is called and where it was made. "
                   "sum, place: the AddN, and which of its inputs this was, for messages.",
    .inputs = {"a: T", "b: T", "x: T"},
    .outputs = {"sum: T"},
    .attrs = {"T: {float, double}", "nodes: list(func)", "names: list(string)",
              "made: list(string)", "sum: string = ''", "place: int = 0"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(matmul_add_cpu) = {.op = "_MatMulAdd",
                              .device = "CPU",
                              .state_bytes = sizeof(struct matmul_add),
                              .init = matmul_add_init,
                              .release = matmul_add_release,
                              .run = matmul_add_run,
                              .flags = KERNEL_EXPENSIVE};
