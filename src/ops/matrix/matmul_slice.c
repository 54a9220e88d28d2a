/* SPDX-License-Identifier: Apache-2.0 */
/* _MatMulSlice: a box of a product, computed alone: what the gradient of a concatenation keeps of
 * the gradient of a layer's inputs. Made by the optimiser out of MatMul and Slice. The bits are
 * those of the whole product (math_gemm_cuts_exactly); whatever does not fit goes through the two
 * nodes' own kernels. */
#include "math/gemm.h"
#include "op/infer.h"
#include "op/part.h"

struct matmul_slice {
    struct kernel *product, *slice; /* owned */
    bool trans_a, trans_b;
};

static void matmul_slice_release(void *state)
{
    struct matmul_slice *f = state;
    kernel_free(f->product);
    kernel_free(f->slice);
}

static bool matmul_slice_init(struct kernel *k, void *state, struct status *st)
{
    static const char *const products[] = {"MatMul"}, *const slices[] = {"Slice"};
    struct matmul_slice *f = state;
    if (!part_check_count(k, 2, st))
        return false;
    f->product = part_new(k, 0, products, 1, st);
    f->slice = f->product ? part_new(k, 1, slices, 1, st) : NULL;
    if (!f->slice)
        return false;
    f->trans_a = attrs_bool(f->product->attrs, "transpose_a");
    f->trans_b = attrs_bool(f->product->attrs, "transpose_b");
    return true;
}

static bool run_apart(struct kctx *c, struct status *st)
{
    const struct matmul_slice *f = kernel_state(c);
    struct tensor product = {0}, out = {0};
    struct tensor *in[2] = {c->in[0], c->in[1]}, *cut[3] = {&product, c->in[2], c->in[3]};
    bool ok = part_run(c, f->product, in, &product, st) && part_run(c, f->slice, cut, &out, st);
    if (ok)
        kernel_out_take(c, 0, &out);
    tensor_clear(&product);
    tensor_clear(&out);
    return ok;
}

/* Where the box begins along axis i of `dim`, and how long it is; false: not inside. */
static bool box(const struct kctx *c, int i, int64_t dim, int64_t *begin, int64_t *size)
{
    *begin = tensor_index(kernel_in(c, 2), i);
    *size = tensor_index(kernel_in(c, 3), i);
    if (*begin < 0 || *begin > dim || *size < -1)
        return false;
    *size = *size < 0 ? dim - *begin : *size;
    return *size <= dim - *begin;
}

static bool is_pair(const struct tensor *t)
{
    return tensor_rank(t) == 1 && t->num_elems == 2;
}

static bool matmul_slice_run(struct kctx *c, struct status *st)
{
    const struct matmul_slice *f = kernel_state(c);
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    if (tensor_rank(a) != 2 || tensor_rank(b) != 2 || !is_pair(kernel_in(c, 2)) ||
        !is_pair(kernel_in(c, 3)))
        return run_apart(c, st);
    const struct math_gemm whole = {.m = tensor_dim(a, f->trans_a),
                                    .k = tensor_dim(a, !f->trans_a),
                                    .n = tensor_dim(b, !f->trans_b),
                                    .a = a->data,
                                    .b = b->data,
                                    .lda = tensor_dim(a, 1),
                                    .ldb = tensor_dim(b, 1),
                                    .trans_a = f->trans_a,
                                    .trans_b = f->trans_b};
    struct math_gemm g = whole;
    int64_t i0, j0;
    if (g.k != tensor_dim(b, f->trans_b) || !box(c, 0, whole.m, &i0, &g.m) ||
        !box(c, 1, whole.n, &j0, &g.n) ||
        !math_gemm_cuts_exactly(kernel_output_type(c, 0), &whole, &g))
        return run_apart(c, st);
    struct shape shape = shape_2(g.m, g.n);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    if (!y)
        return false;
    const int64_t item = (int64_t)dtype_size(y->dtype);
    g.a = (const char *)a->data + i0 * (g.trans_a ? 1 : g.lda) * item;
    g.b = (const char *)b->data + j0 * (g.trans_b ? g.ldb : 1) * item;
    g.c = y->data;
    g.ldc = g.n;
    math_gemm(kernel_pool(c), y->dtype, &g);
    return true;
}

OP_DEF(matmul_slice) = {
    .name = "_MatMulSlice",
    .summary = "A box of a product; made by the optimiser.",
    .description = "nodes: the MatMul and the Slice; names and made say what they are called and "
                   "where they were made.",
    .inputs = {"a: T", "b: T", "begin: Index", "size: Index"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, double}", "Index: {int32, int64}", "nodes: list(func)",
              "names: list(string)", "made: list(string)"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(matmul_slice_cpu) = {.op = "_MatMulSlice",
                                .device = "CPU",
                                .state_bytes = sizeof(struct matmul_slice),
                                .init = matmul_slice_init,
                                .release = matmul_slice_release,
                                .run = matmul_slice_run,
                                .flags = KERNEL_EXPENSIVE};
