/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose, ConjugateTranspose, InvertPermutation. Where the permutation moves only axes of length
 * one the buffer is shared; the rest is math/transpose.h. */
#include "math/transpose.h"

#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

/* --- shape --- */

static bool permuted_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *perm_shape = infer_input(c, 1);
    const struct tensor *perm = infer_const(c, 1);
    int64_t n = perm_shape->rank < 0    ? DIM_UNKNOWN
                : perm_shape->rank == 0 ? 1
                                        : infer_dim(perm_shape, 0);
    int64_t rank = in->rank >= 0 ? in->rank : n, dims[SHAPE_MAX_RANK];
    if (perm_shape->rank > 1)
        return infer_want_rank(c, perm_shape, 1, &perm_shape, st);
    if (rank < 0) {
        infer_set(c, 0, infer_unknown(c));
        return true;
    }
    if (rank > SHAPE_MAX_RANK)
        return status_invalid(st, "Shape must be at most rank %d but is rank %lld", SHAPE_MAX_RANK,
                              (long long)rank);
    if (in->rank < 0 && rank < 2) { /* scalars and vectors go either way */
        infer_set(c, 0, in);
        return true;
    }
    if (!infer_want_rank(c, in, (int)rank, &in, st) ||
        !infer_want_rank(c, perm_shape, 1, &perm_shape, st) || !infer_want_dim(c, n, rank, &n, st))
        return false;
    for (int i = 0; i < (int)rank; i++) {
        int64_t from = perm ? tensor_index(perm, i) : 0;
        if (from >= rank)
            return status_invalid(st, "perm dim %lld is out of range of input rank %lld",
                                  (long long)from, (long long)rank);
        dims[i] = perm && from >= -rank ? infer_dim(in, (int)from) : DIM_UNKNOWN;
    }
    infer_set(c, 0, infer_make(c, dims, (int)rank));
    return true;
}

/* --- gradients --- */

static bool transpose_grad(struct grad_ctx *g, struct status *st)
{
    struct output back = grad_op1(g, "InvertPermutation", grad_in(g, 1));
    grad_set(g, 0, grad_op2(g, "transpose=Transpose", grad_dy(g, 0), back));
    return grad_done(g, st);
}

static bool conj_transpose_grad(struct grad_ctx *g, struct status *st)
{
    struct output back = grad_op1(g, "InvertPermutation", grad_in(g, 1));
    grad_set(g, 0, grad_op2(g, "ConjugateTranspose", grad_dy(g, 0), back));
    return grad_done(g, st);
}

/* --- kernels --- */

static bool fail_missing(const struct tensor *perm, int i, struct status *st)
{
    struct strbuf text = {0};
    for (int64_t k = 0; k < perm->num_elems; k++)
        strbuf_printf(&text, "%s%lld", k ? "," : "", (long long)tensor_index(perm, k));
    status_invalid(st, "%d is missing from {%s}.", i, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool read_perm(const struct tensor *t, int rank, int *perm, struct status *st)
{
    if (tensor_rank(t) != 1)
        return array_fail_shape(st, "perm must be a vector, not ", &t->shape);
    if (t->num_elems != rank)
        return status_invalid(
            st, "transpose expects a vector of size %d. But input(1) is a vector of size %lld",
            rank, (long long)t->num_elems);
    bool seen[SHAPE_MAX_RANK];
    for (int i = 0; i < rank; i++)
        seen[i] = false;
    for (int i = 0; i < rank; i++) {
        int64_t p = tensor_index(t, i);
        if (p < 0 || p >= rank)
            return status_invalid(st, "%lld is out of range [0 .. %d)", (long long)p, rank);
        perm[i] = (int)p;
        seen[p] = true;
    }
    for (int i = 0; i < rank; i++) {
        if (!seen[i])
            return fail_missing(t, i, st);
    }
    return true;
}

/* Axes longer than one keep their order: the elements do not move. */
static bool stays(const struct tensor *in, const int *perm)
{
    int last = -1;
    for (int i = 0; i < tensor_rank(in); i++) {
        if (tensor_dim(in, perm[i]) == 1)
            continue;
        if (perm[i] < last)
            return false;
        last = perm[i];
    }
    return true;
}

static bool transpose_managed(struct kctx *c, const struct tensor *in, const int *perm,
                              struct tensor *out, struct status *st)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    struct nd_copy copy;
    nd_steps(&in->shape, from);
    nd_steps(&out->shape, to);
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < tensor_rank(in); i++)
        nd_axis(&copy, tensor_dim(out, i), from[perm[i]], to[i]);
    return nd_run(c, &copy, st);
}

static bool permute(struct kctx *c, bool conj, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in), perm[SHAPE_MAX_RANK];
    int64_t dims[SHAPE_MAX_RANK];
    if (!read_perm(kernel_in(c, 1), rank, perm, st))
        return false;
    for (int i = 0; i < rank; i++)
        dims[i] = tensor_dim(in, perm[i]);
    struct shape shape = shape_make(dims, rank);
    conj = conj && dtype_is_complex(in->dtype);
    if (!conj && stays(in, perm)) {
        struct tensor same;
        bool ok = tensor_reshaped(in, &shape, &same, st);
        shape_clear(&shape);
        if (ok)
            kernel_out_take(c, 0, &same);
        return ok;
    }
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (dtype_is_managed(in->dtype))
        return transpose_managed(c, in, perm, out, st);
    math_transpose(kernel_pool(c), &(struct math_transpose){.item = dtype_size(in->dtype),
                                                            .x = in->data,
                                                            .y = out->data,
                                                            .rank = rank,
                                                            .dims = shape_dims(&in->shape),
                                                            .perm = perm,
                                                            .conj = conj});
    return true;
}

static bool transpose_run(struct kctx *c, struct status *st)
{
    return permute(c, false, st);
}

static bool conj_transpose_run(struct kctx *c, struct status *st)
{
    return permute(c, true, st);
}

OP_DEF(transpose) = {
    .name = "Transpose",
    .summary = "The input with its axes reordered: axis i of the result is axis perm[i] of x.",
    .inputs = {"x: T", "perm: Tperm"},
    .outputs = {"y: T"},
    .attrs = {"T: type", "Tperm: {int32, int64} = DT_INT32"},
    .shape = permuted_shape,
    .grad = transpose_grad,
};
KERNEL_DEF(transpose_cpu) = {
    .op = "Transpose", .device = "CPU", .run = transpose_run, .flags = KERNEL_ALIAS};

OP_DEF(conjugate_transpose) = {
    .name = "ConjugateTranspose",
    .summary = "The complex conjugate of the input with its axes reordered by perm.",
    .inputs = {"x: T", "perm: Tperm"},
    .outputs = {"y: T"},
    .attrs = {"T: type", "Tperm: {int32, int64} = DT_INT32"},
    .shape = permuted_shape,
    .grad = conj_transpose_grad,
};
KERNEL_DEF(conjugate_transpose_cpu) = {
    .op = "ConjugateTranspose", .device = "CPU", .run = conj_transpose_run, .flags = KERNEL_ALIAS};

/* --- InvertPermutation --- */

static bool invert_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool invert_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) != 1)
        return status_invalid(st, "invert_permutation expects a 1D vector.");
    int64_t n = in->num_elems;
    if (n > INT32_MAX)
        return status_invalid(st,
                              "permutation of nonnegative int32s must have <= int32 max elements");
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out)
        return false;
    bool wide = in->dtype == DT_INT64;
    for (int64_t i = 0; i < n; i++) {
        if (wide)
            tensor_i64(out)[i] = -1;
        else
            tensor_i32(out)[i] = -1;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t d = tensor_index(in, i);
        if (d < 0 || d >= n)
            return status_invalid(st, "%lld is not between 0 and %lld", (long long)d, (long long)n);
        if (tensor_index(out, d) != -1)
            return status_invalid(st, "%lld is duplicated in the input.", (long long)d);
        if (wide)
            tensor_i64(out)[d] = i;
        else
            tensor_i32(out)[d] = (int32_t)i;
    }
    return true;
}

OP_DEF(invert_permutation) = {
    .name = "InvertPermutation",
    .summary = "The permutation y with y[x[i]] = i.",
    .inputs = {"x: T"},
    .outputs = {"y: T"},
    .attrs = {"T: {int32, int64} = DT_INT32"},
    .shape = invert_shape,
    .no_grad = "permutations are integers",
};
KERNEL_DEF(invert_permutation_cpu) = {
    .op = "InvertPermutation", .device = "CPU", .run = invert_run};
