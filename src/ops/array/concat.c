/* SPDX-License-Identifier: Apache-2.0 */
/* Concat, ConcatV2, ConcatOffset: joining tensors along an axis. (Gradients: concat_grad.c.)
 *
 * The two joins differ in where the axis stands among the inputs. Seen from the axis, each input is
 * a matrix of "everything before" rows; the joins are copied as such. */
#include "ops/array/concat.h"
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

#include <limits.h>
#include <stdio.h>

/* --- shape --- */

static bool unknown_axis_shape(struct infer_ctx *c, struct join j, struct status *st)
{
    int rank = RANK_UNKNOWN;
    const struct shape *unused;
    for (int i = j.first; i < j.first + j.n; i++) {
        if (rank < 0)
            rank = infer_input(c, i)->rank;
        if (rank >= 0 && !infer_want_rank(c, infer_input(c, i), rank, &unused, st))
            return false;
    }
    if (rank == 0)
        return status_invalid(st, "Can't concatenate scalars (use tf.stack instead)");
    infer_set(c, 0, infer_of_rank(c, rank));
    return true;
}

bool join_shape(struct infer_ctx *c, struct join j, struct status *st)
{
    const struct shape *before = NULL, *after = NULL, *b, *a, *in;
    const struct tensor *t = infer_const(c, j.axis);
    if (!infer_want_rank(c, infer_input(c, j.axis), 0, &in, st))
        return false;
    if (!t || t->num_elems != 1)
        return unknown_axis_shape(c, j, st);
    int64_t axis = tensor_index(t, 0), sum = 0;
    if (axis < -SHAPE_MAX_RANK - 1 || axis > SHAPE_MAX_RANK)
        axis = axis < 0 ? -SHAPE_MAX_RANK - 1 : SHAPE_MAX_RANK;
    int at = (int)axis, min_rank = at < 0 ? -at : at + 1;
    for (int i = j.first + j.n - 1; i >= j.first; i--) {
        if (!infer_want_rank_min(c, infer_input(c, i), min_rank, &in, st))
            return false;
        b = infer_slice(c, in, 0, at);
        a = at == -1 ? infer_scalar(c) : infer_slice(c, in, at + 1, INT_MAX);
        sum = infer_dim_add(sum, infer_dim(in, at));
        if (!infer_merge(c, b, before ? before : b, &before, st) ||
            !infer_merge(c, a, after ? after : a, &after, st))
            return false;
    }
    infer_set(c, 0, infer_concat(c, infer_concat(c, before, infer_vector(c, sum)), after));
    return true;
}

static bool concat_shape(struct infer_ctx *c, struct status *st)
{
    return join_shape(c, (struct join){1, infer_num_inputs(c) - 1, 0}, st);
}

static bool concat_v2_shape(struct infer_ctx *c, struct status *st)
{
    int n = infer_num_inputs(c) - 1;
    return join_shape(c, (struct join){0, n, n}, st);
}

/* --- kernel --- */

static bool fail_match(const char *what, const struct shape *a, int i, const struct shape *b,
                       struct status *st)
{
    char words[96];
    snprintf(words, sizeof words, " vs. shape[%d] = ", i);
    return array_fail_shapes(st, what, a, words, b, "");
}

bool joined_shape(struct kctx *c, struct join j, int64_t *dims, int *at, struct status *st)
{
    const struct tensor *t = kernel_in(c, j.axis), *first = kernel_in(c, j.first);
    const struct shape *s = &first->shape;
    if (tensor_rank(t) != 0)
        return array_fail_shape(st,
                                j.axis == 0
                                    ? "concat_dim tensor should be a scalar integer, but got shape "
                                    : "axis tensor should be a scalar integer, but got shape ",
                                &t->shape);
    int64_t axis = tensor_index(t, 0);
    if (axis < -s->rank || axis >= s->rank)
        return status_invalid(st,
                              "ConcatOp : Expected concatenating dimensions in the range [%d, %d), "
                              "but got %lld",
                              -s->rank, s->rank, (long long)axis);
    *at = (int)(axis < 0 ? axis + s->rank : axis);
    for (int k = 0; k < s->rank; k++)
        dims[k] = shape_dim(s, k);
    for (int i = 1; i < j.n; i++) {
        const struct shape *o = &kernel_in(c, j.first + i)->shape;
        if (o->rank != s->rank)
            return fail_match("ConcatOp : Ranks of all input tensors should match: shape[0] = ", s,
                              i, o, st);
        for (int k = 0; k < s->rank; k++) {
            if (k != *at && shape_dim(o, k) != dims[k])
                return fail_match("ConcatOp : Dimensions of inputs should match: shape[0] = ", s, i,
                                  o, st);
        }
        if (!size_add(dims[*at], shape_dim(o, *at), &dims[*at]))
            return status_invalid(st, "ConcatOp : The joined dimension is too long");
    }
    return true;
}

static void join_strips(struct kctx *c, struct join j, struct tensor *out, int64_t rows)
{
    struct nd_strip strips[ND_STRIPS];
    const int64_t out_row = (int64_t)tensor_bytes(out) / rows;
    char *dst = out->data;
    int num = 0;
    for (int i = 0; i < j.n; i++) {
        const struct tensor *in = kernel_in(c, j.first + i);
        const int64_t run = (int64_t)tensor_bytes(in) / rows;
        if (run > 0)
            strips[num++] = (struct nd_strip){in->data, dst, run, out_row, run};
        dst += run;
    }
    nd_strips_run(c, strips, num, rows);
}

static bool join_run(struct kctx *c, struct join j, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int at = 0;
    if (!joined_shape(c, j, dims, &at, st))
        return false;
    struct shape shape = shape_make(dims, tensor_rank(kernel_in(c, j.first)));
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t rows = 1;
    for (int k = 0; k < at; k++)
        rows *= dims[k];
    int64_t out_run = out->num_elems / rows, done = 0;
    if (nd_strips_suit(out->dtype, j.n, rows, (int64_t)tensor_bytes(out))) {
        join_strips(c, j, out, rows);
        return true;
    }
    for (int i = 0; i < j.n; i++) {
        const struct tensor *in = kernel_in(c, j.first + i);
        int64_t run = in->num_elems / rows;
        struct nd_copy copy;
        nd_begin(&copy, in->dtype, in->data,
                 (char *)out->data + done * (int64_t)dtype_size(in->dtype));
        nd_axis(&copy, rows, run, out_run);
        nd_axis(&copy, run, 1, 1);
        if (!nd_run(c, &copy, st))
            return false;
        done += run;
    }
    return true;
}

static bool concat_run(struct kctx *c, struct status *st)
{
    return join_run(c, (struct join){1, kernel_num_inputs(c) - 1, 0}, st);
}

static bool concat_v2_run(struct kctx *c, struct status *st)
{
    int n = kernel_num_inputs(c) - 1;
    return join_run(c, (struct join){0, n, n}, st);
}

OP_DEF(concat) = {
    .name = "Concat",
    .summary = "The values joined along an axis.",
    .inputs = {"concat_dim: int32", "values: N * T"},
    .outputs = {"output: T"},
    .attrs = {"N: int >= 2", "T: type"},
    .shape = concat_shape,
    .grad = concat_grad,
};
KERNEL_DEF(concat_cpu) = {.op = "Concat", .device = "CPU", .run = concat_run};

OP_DEF(concat_v2) = {
    .name = "ConcatV2",
    .summary = "The values joined along an axis.",
    .inputs = {"values: N * T", "axis: Tidx"},
    .outputs = {"output: T"},
    .attrs = {"N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"},
    .shape = concat_v2_shape,
    .grad = concat_v2_grad,
};
KERNEL_DEF(concat_v2_cpu) = {.op = "ConcatV2", .device = "CPU", .run = concat_v2_run};

/* --- ConcatOffset: where each piece begins in the joined tensor --- */

static bool offset_shape(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 1; i < infer_num_inputs(c); i++)
        infer_set(c, i - 1, infer_input(c, i));
    return true;
}

static bool fail_agree(const struct tensor *t, const struct tensor *first, int i, int axis,
                       struct status *st)
{
    struct strbuf a = {0}, b = {0};
    tensor_summarize(t, 10, &a);
    tensor_summarize(first, 10, &b);
    status_invalid(st,
                   "All dimensions except %d must match. Input %d has shape [%s] and doesn't match "
                   "input 0 with shape [%s].",
                   axis, i, strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool check_offset_input(struct kctx *c, int i, int axis, struct status *st)
{
    const struct tensor *first = kernel_in(c, 1), *t = kernel_in(c, i + 1);
    if (t->num_elems != first->num_elems)
        return status_invalid(st, "input %d should contain %lld elements, but got %lld", i,
                              (long long)first->num_elems, (long long)t->num_elems);
    for (int k = 0; k < (int)t->num_elems; k++) {
        if (k != axis && tensor_i32(t)[k] != tensor_i32(first)[k])
            return fail_agree(t, first, i, axis, st);
    }
    return true;
}

static bool offset_run(struct kctx *c, struct status *st)
{
    const struct tensor *dim = kernel_in(c, 0), *first = kernel_in(c, 1);
    int n = kernel_num_inputs(c) - 1;
    if (tensor_rank(dim) != 0)
        return array_fail_shape(st, "Concat dim tensor should be a scalar integer, but got shape ",
                                &dim->shape);
    for (int i = 0; i < n; i++) {
        const struct shape *s = &kernel_in(c, i + 1)->shape;
        char words[64];
        if (s->rank == 1)
            continue;
        snprintf(words, sizeof words, "input %d should be a vector, but got shape ", i + 1);
        return array_fail_shape(st, words, s);
    }
    int64_t rank = first->num_elems, axis = tensor_i32(dim)[0];
    if (axis < -rank || axis >= rank)
        return status_invalid(st, "Concat dim is out of range: %lld vs. %lld", (long long)axis,
                              (long long)rank);
    axis = axis < 0 ? axis + rank : axis;
    int64_t begin = 0;
    for (int i = 0; i < n; i++) {
        if (!check_offset_input(c, i, (int)axis, st))
            return false;
        struct tensor *out = kernel_out(c, i, &first->shape, st);
        if (!out)
            return false;
        for (int64_t k = 0; k < rank; k++)
            tensor_i32(out)[k] = k == axis ? (int32_t)begin : 0;
        begin += tensor_i32(kernel_in(c, i + 1))[axis];
    }
    return true;
}

OP_DEF(concat_offset) = {
    .name = "ConcatOffset",
    .summary = "Where each of the given shapes begins when tensors of them are joined.",
    .inputs = {"concat_dim: int32", "shape: N * int32"},
    .outputs = {"offset: N * int32"},
    .attrs = {"N: int >= 2"},
    .shape = offset_shape,
    .no_grad = "shapes are integers",
};
KERNEL_DEF(concat_offset_cpu) = {.op = "ConcatOffset", .device = "CPU", .run = offset_run};
