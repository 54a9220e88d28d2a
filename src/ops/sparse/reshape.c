/* SPDX-License-Identifier: Apache-2.0 */
/* SparseReshape: the same entries under another dense shape; one dim may be -1. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"

static bool fail_shape(struct status *st, const char *words, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static void print_dims(struct strbuf *text, const int64_t *dims, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        strbuf_printf(text, "%s%lld", i ? "," : "[", (long long)dims[i]);
    strbuf_puts(text, n ? "]" : "[]");
}

/* INVALID_ARGUMENT: what is wrong, then both shapes. words: of what, and what its shape does. */
static bool fail_sizes(struct status *st, const char *const words[2], const int64_t elems[2],
                       const struct tensor *from, const int64_t *to, int64_t n)
{
    struct strbuf a = {0}, b = {0};
    print_dims(&a, tensor_i64(from), from->num_elems);
    print_dims(&b, to, n);
    status_invalid(st,
                   "Input to reshape is a %s with %lld dense values, but the requested shape %s "
                   "%lld. input_shape=%s output_shape=%s",
                   words[0], (long long)elems[0], words[1], (long long)elems[1], strbuf_text(&a),
                   strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

/* The product of dims, none negative. */
static bool product(const struct tensor *dims, int64_t *out, struct status *st)
{
    struct shape s;
    if (!kernel_shape_from(dims, &s, st))
        return false;
    bool ok = shape_num_elems(&s, out, st);
    shape_clear(&s);
    return ok;
}

/* The new dims, with what -1 stands for, into `to`. */
static bool new_dims(const struct kctx *c, int64_t *to, int64_t *elems, struct status *st)
{
    const struct tensor *from = kernel_in(c, 1), *want = kernel_in(c, 2);
    int64_t n = want->num_elems, rest = 1, hole = -1;
    if (!product(from, elems, st))
        return false;
    for (int64_t i = 0; i < n; i++) {
        to[i] = tensor_i64(want)[i];
        if (to[i] == -1 && hole >= 0)
            return status_invalid(st, "only one output dimension may be -1, not both %lld and %lld",
                                  (long long)hole, (long long)i);
        if (to[i] == -1)
            hole = i;
        else if (to[i] < 0)
            return status_invalid(st, "size %lld must be non-negative, not %lld", (long long)i,
                                  (long long)to[i]);
        else if (__builtin_mul_overflow(rest, to[i], &rest))
            return status_invalid(st, "the requested shape has too many elements");
    }
    if (hole >= 0 && rest == 0)
        return status_invalid(st, "reshape cannot infer the missing input size for an empty tensor "
                                  "unless all specified input sizes are non-zero");
    if (hole >= 0) {
        to[hole] = *elems / rest;
        if (rest * to[hole] != *elems)
            return fail_sizes(st, (const char *[]){"SparseTensor", "requires a multiple of"},
                              (int64_t[]){*elems, rest}, from, to, n);
        rest *= to[hole];
    }
    if (rest != *elems)
        return fail_sizes(st, (const char *[]){"tensor", "has"}, (int64_t[]){*elems, rest}, from,
                          to, n);
    return true;
}

/* Row by row: the place in row-major order, and back to coordinates. */
static bool move_indices(const struct kctx *c, const int64_t *to, int64_t n, int64_t elems,
                         struct tensor *out, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *from = kernel_in(c, 1);
    int64_t rank = from->num_elems, rows = tensor_dim(ix, 0);
    const int64_t *dims = tensor_i64(from), *x = tensor_i64(ix);
    int64_t *y = tensor_i64(out);
    for (int64_t r = 0; r < rows; r++, x += rank, y += n) {
        uint64_t at = 0;
        for (int64_t d = 0; d < rank; d++)
            at = at * (uint64_t)dims[d] + (uint64_t)x[d];
        int64_t left = (int64_t)at;
        if (elems == 0)
            return status_invalid(st, "indices[%lld] lies in a tensor without elements",
                                  (long long)r);
        for (int64_t d = n - 1; d > 0; d--) {
            y[d] = left % to[d];
            left /= to[d];
        }
        if (n > 0)
            y[0] = left;
    }
    return true;
}

static bool same_dims(const struct tensor *a, const struct tensor *b)
{
    return a->num_elems == b->num_elems &&
           memcmp(a->data, b->data, (size_t)a->num_elems * sizeof(int64_t)) == 0;
}

static bool reshape_run(struct kctx *c, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *from = kernel_in(c, 1), *want = kernel_in(c, 2);
    if (tensor_rank(ix) != 2)
        return fail_shape(st, "Input indices should be a matrix but received shape ", &ix->shape);
    if (tensor_rank(from) != 1)
        return fail_shape(st, "Input shape should be a vector but received shape ", &from->shape);
    if (tensor_rank(want) != 1)
        return fail_shape(st, "Target shape should be a vector but received shape ", &want->shape);
    if (from->num_elems == 0)
        return status_invalid(st, "Input shape should not be empty");
    if (tensor_dim(ix, 1) != from->num_elems)
        return status_invalid(st, "Input tensor rank must match input shape length: %lld vs. %lld",
                              (long long)tensor_dim(ix, 1), (long long)from->num_elems);
    struct shape s = shape_2(tensor_dim(ix, 0), want->num_elems), v = shape_1(want->num_elems);
    struct tensor *out = kernel_out(c, 0, &s, st);
    struct tensor *dims = out ? kernel_out(c, 1, &v, st) : NULL;
    int64_t elems;
    if (!dims || !new_dims(c, tensor_i64(dims), &elems, st))
        return false;
    if (same_dims(from, dims)) { /* indices stay even where they leave the shape */
        if (ix->num_elems > 0)
            memcpy(out->data, ix->data, (size_t)ix->num_elems * sizeof(int64_t));
        return true;
    }
    return move_indices(c, tensor_i64(dims), want->num_elems, elems, out, st);
}

static bool reshape_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *ix, *from, *want;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &ix, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &from, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &want, st))
        return false;
    infer_set(c, 0, infer_matrix(c, infer_dim(ix, 0), infer_dim(want, 0)));
    infer_set(c, 1, want);
    return true;
}

OP_DEF(sparse_reshape) = {
    .name = "SparseReshape",
    .summary = "A sparse tensor's entries under another dense shape.",
    .inputs = {"input_indices: int64", "input_shape: int64", "new_shape: int64"},
    .outputs = {"output_indices: int64", "output_shape: int64"},
    .shape = reshape_shape,
    .no_grad = "indices have no gradient",
};
KERNEL_DEF(sparse_reshape_cpu) = {.op = "SparseReshape", .device = "CPU", .run = reshape_run};
