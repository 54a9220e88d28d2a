/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged tensors as variants: one holds a vector of variants, a tensor each, the splits from the
 * outermost on and then the values. A whole ragged tensor is one such, or, batched, each of its
 * outermost rows is one; what was stacked of those is taken apart again. Values are shared, not
 * copied, until the parts of a stack are put behind each other. */
#include <string.h>

#include "op/infer.h"
#include "op/tensor_variant.h"
#include "ops/array/ragged.h"

static struct variant **elems_of(const struct tensor *t)
{
    return t->data;
}

/* --- to a variant --- */

/* A variant of the n parts; they stay the caller's. */
static bool encode(const struct tensor *parts, int n, struct variant **out, struct status *st)
{
    const struct shape s = shape_1(n);
    struct tensor all;
    if (!tensor_new(&all, DT_VARIANT, &s, st))
        return false;
    for (int i = 0; i < n; i++)
        elems_of(&all)[i] = tensor_variant_new(&parts[i]);
    *out = tensor_variant_new(&all);
    tensor_clear(&all);
    return true;
}

/* splits[begin..end], from 0 on. */
static bool piece_of(const struct tensor *splits, int64_t begin, int64_t end, struct tensor *out,
                     struct status *st)
{
    const struct shape s = shape_1(end - begin + 1);
    if (!tensor_new(out, splits->dtype, &s, st))
        return false;
    const int64_t first = tensor_index(splits, begin);
    for (int64_t i = begin; i <= end; i++) {
        if (!ragged_put(out, i - begin, tensor_index(splits, i) - first, st)) {
            tensor_clear(out);
            return false;
        }
    }
    return true;
}

/* Row `row` of the outermost level, as a ragged tensor with a level less. */
static bool encode_row(const struct kctx *c, const struct tensor *values, int64_t row,
                       struct tensor *parts, struct variant **out, struct status *st)
{
    const int levels = kernel_num_inputs(c) - 1;
    int64_t begin = row, end = row + 1;
    int n = 0;
    bool ok = true;
    for (int l = 0; ok && l < levels; l++) {
        const struct tensor *s = kernel_in(c, l);
        if (l > 0) {
            ok = piece_of(s, begin, end, &parts[n], st);
            n += ok;
        }
        begin = tensor_index(s, begin);
        end = tensor_index(s, end);
    }
    if (ok)
        parts[n++] = tensor_rows(values, begin, end);
    ok = ok && encode(parts, n, out, st);
    for (int i = 0; i < n; i++)
        tensor_clear(&parts[i]);
    return ok;
}

static bool encode_rows(struct kctx *c, struct tensor *parts, struct status *st)
{
    const int levels = kernel_num_inputs(c) - 1;
    struct tensor values;
    if (!ragged_check(c, levels, st))
        return false;
    for (int l = 0; l < levels; l++) {
        if (kernel_in(c, l)->num_elems == 0)
            return status_invalid(st, "ragged splits may not be empty.");
    }
    const struct shape s = shape_1(ragged_rows(kernel_in(c, 0)));
    struct tensor *y = kernel_out(c, 0, &s, st);
    if (!y || !kernel_in_keep(c, levels, &values, st))
        return false;
    bool ok = true;
    for (int64_t i = 0; ok && i < y->num_elems; i++)
        ok = encode_row(c, &values, i, parts, &elems_of(y)[i], st);
    tensor_clear(&values);
    return ok;
}

static bool encode_whole(struct kctx *c, struct tensor *parts, struct status *st)
{
    const struct shape s = shape_scalar();
    struct tensor *y = kernel_out(c, 0, &s, st);
    int n = 0;
    bool ok = y;
    while (ok && n < kernel_num_inputs(c)) {
        ok = kernel_in_keep(c, n, &parts[n], st);
        n += ok;
    }
    ok = ok && encode(parts, n, elems_of(y), st);
    for (int i = 0; i < n; i++)
        tensor_clear(&parts[i]);
    return ok;
}

static bool to_variant_run(struct kctx *c, struct status *st)
{
    struct tensor *parts =
        kernel_scratch(c, kernel_num_inputs(c) * (int64_t)sizeof(struct tensor), st);
    if (!parts)
        return false;
    return attrs_bool(kernel_attrs(c), "batched_input") ? encode_rows(c, parts, st)
                                                        : encode_whole(c, parts, st);
}

static bool to_variant_shape(struct infer_ctx *c, struct status *st)
{
    const int levels = infer_num_inputs(c) - 1;
    const struct shape *s;
    for (int i = 0; i < levels; i++) {
        if (!infer_want_rank(c, infer_input(c, i), 1, &s, st))
            return false;
    }
    if (!infer_want_rank_min(c, infer_input(c, levels), 1, &s, st))
        return false;
    if (!attrs_bool(infer_attrs(c), "batched_input")) {
        infer_set(c, 0, infer_scalar(c));
        return true;
    }
    const int64_t n = infer_dim(infer_input(c, 0), 0);
    if (n == 0)
        return status_invalid(st, "Negative dimension size caused by subtracting 1 from 0");
    infer_set(c, 0, infer_vector(c, n < 0 ? n : n - 1));
    return true;
}

OP_DEF(ragged_tensor_to_variant) = {
    .name = "RaggedTensorToVariant",
    .summary = "A ragged tensor, or each of its outermost rows, as a variant.",
    .inputs = {"rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: Tvalues"},
    .outputs = {"encoded_ragged: variant"},
    .attrs = {"RAGGED_RANK: int >= 1", "Tvalues: type", "Tsplits: {int32, int64}",
              "batched_input: bool"},
    .shape = to_variant_shape,
    .no_grad = "undefined: the values are in a variant",
};
KERNEL_DEF(ragged_tensor_to_variant_cpu) = {.op = "RaggedTensorToVariant",
                                            .device = "CPU",
                                            .types = {RAGGED_VALUES, "Tsplits: {int32, int64}"},
                                            .run = to_variant_run};

/* --- from variants --- */

struct stack {
    int levels;                  /* of each part */
    int64_t n;                   /* parts */
    const struct tensor **parts; /* n times levels + 1: splits, values */
};

static bool check_part(const struct kctx *c, const struct tensor *t, int64_t i, int level,
                       bool values, struct status *st)
{
    const int want = kernel_output_type(c, values ? kernel_num_outputs(c) - 1 : 0);
    if (!t)
        return status_invalid(
            st,
            "%s element at index %d for encoded scalar at index %lld doesn't hold "
            "a Tensor",
            values ? "Dense values" : "Ragged splits", level, (long long)i);
    if (t->dtype != want)
        return status_invalid(st, "Expected %s Tensor dtype: %d, found: %d",
                              values ? "values" : "splits", want, t->dtype);
    if (!values && tensor_rank(t) != 1)
        return status_invalid(st,
                              "Ragged splits must have rank 1; encoded scalar element at index "
                              "%lld has splits Tensor of rank %d at split_index %d",
                              (long long)i, tensor_rank(t), level);
    if (values && tensor_rank(t) < 1)
        return status_invalid(st,
                              "Ragged values must have rank >= 1; encoded scalar element at index "
                              "%lld has a scalar",
                              (long long)i);
    return true;
}

static bool decode(const struct kctx *c, struct stack *s, int64_t i, struct status *st)
{
    const struct variant *v = elems_of(kernel_in(c, 0))[i];
    const struct tensor *all = tensor_variant_get(v);
    if (!all)
        return status_invalid(st, "Input Variant element at index %lld doesn't hold a Tensor: %s",
                              (long long)i, v ? v->type->name : "nothing");
    if (tensor_rank(all) != 1 || all->dtype != DT_VARIANT)
        return status_invalid(st, "Encoded input Variant must have rank 1, but found rank: %d",
                              tensor_rank(all));
    if (all->num_elems != s->levels + 1)
        return status_invalid(st,
                              "Encoded input Variant must hold either input_ragged_rank + 1 "
                              "Tensors or an empty Tensor (zero splits Tensors, 1 values Tensor), "
                              "input_ragged_rank: %d, and it holds %lld",
                              s->levels, (long long)all->num_elems);
    for (int l = 0; l <= s->levels; l++) {
        const struct tensor *t = tensor_variant_get(elems_of(all)[l]);
        if (!check_part(c, t, i, l, l == s->levels, st))
            return false;
        s->parts[i * (s->levels + 1) + l] = t;
    }
    return true;
}

static const struct tensor *part_of(const struct stack *s, int64_t i, int level)
{
    return s->parts[i * (s->levels + 1) + level];
}

static struct tensor *splits_out(struct kctx *c, int i, int64_t rows, struct status *st)
{
    const struct shape s = shape_1(rows + 1);
    struct tensor *t = kernel_out(c, i, &s, st);
    return t && ragged_put(t, 0, 0, st) ? t : NULL;
}

/* The splits of the dims of the stack but the last, whose rows are all as long. */
static bool uniform_splits(struct kctx *c, const struct tensor *in, struct status *st)
{
    int64_t rows = 1;
    for (int d = 0; d + 1 < tensor_rank(in); d++) {
        if (__builtin_mul_overflow(rows, tensor_dim(in, d), &rows))
            return status_invalid(st, "the stack is too large");
        struct tensor *t = splits_out(c, d, rows, st);
        if (!t)
            return false;
        for (int64_t i = 1; i <= rows; i++) {
            if (!ragged_put(t, i, i * tensor_dim(in, d + 1), st))
                return false;
        }
    }
    return true;
}

/* What level `level` of a part cuts the parts' rows into: each part is one row of the stack. */
static bool stack_splits(struct kctx *c, const struct stack *s, int at, struct status *st)
{
    struct tensor *t = splits_out(c, at, s->n, st);
    int64_t sum = 0;
    if (!t)
        return false;
    for (int64_t i = 0; i < s->n; i++) {
        const struct tensor *first = part_of(s, i, 0);
        const int64_t rows = s->levels ? ragged_rows(first) : tensor_dim(first, 0);
        if (rows < 0)
            return status_invalid(st, "ragged splits may not be empty.");
        sum += rows;
        if (!ragged_put(t, i + 1, sum, st))
            return false;
    }
    return true;
}

static bool join_splits(struct kctx *c, const struct stack *s, int level, int at, struct status *st)
{
    int64_t rows = 0, sum = 0, k = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t r = ragged_rows(part_of(s, i, level));
        if (r < 0)
            return status_invalid(st, "ragged splits may not be empty.");
        rows += r;
    }
    struct tensor *t = splits_out(c, at, rows, st);
    if (!t)
        return false;
    for (int64_t i = 0; i < s->n; i++) {
        const struct tensor *from = part_of(s, i, level);
        int64_t end = sum;
        for (int64_t j = 1; j < from->num_elems; j++) {
            if (__builtin_add_overflow(sum, tensor_index(from, j), &end))
                return status_invalid(st, "the stack is too large");
            if (!ragged_put(t, ++k, end, st))
                return false;
        }
        sum = end;
    }
    return true;
}

/* The shape of all values; parts without elements fit every other. */
static bool join_shape(const struct stack *s, int64_t *dims, int *rank, struct status *st)
{
    *rank = 1;
    dims[0] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const struct tensor *t = part_of(s, i, s->levels);
        if (i == 0) {
            *rank = tensor_rank(t);
            memcpy(dims, shape_dims(&t->shape), (size_t)*rank * sizeof *dims);
            dims[0] = 0;
        }
        if (tensor_rank(t) != *rank)
            return status_invalid(st,
                                  "Rank of values must match for all components; values at index 0 "
                                  "have rank %d, those at index %lld rank %d",
                                  *rank, (long long)i, tensor_rank(t));
        for (int d = 1; d < *rank && t->num_elems > 0; d++) {
            if (tensor_dim(t, d) != dims[d])
                return status_invalid(st,
                                      "the values at index %lld have another shape than those "
                                      "at index 0",
                                      (long long)i);
        }
        if (__builtin_add_overflow(dims[0], tensor_dim(t, 0), &dims[0]))
            return status_invalid(st, "the stack is too large");
    }
    return true;
}

static bool join_values(struct kctx *c, const struct stack *s, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank;
    if (!join_shape(s, dims, &rank, st))
        return false;
    struct shape shape = shape_make(dims, rank);
    struct tensor *y = kernel_out(c, kernel_num_outputs(c) - 1, &shape, st);
    shape_clear(&shape);
    if (!y)
        return false;
    char *to = y->data;
    int64_t left = y->num_elems;
    for (int64_t i = 0; i < s->n; i++) {
        const struct tensor *t = part_of(s, i, s->levels);
        if (t->num_elems > left)
            return status_invalid(st,
                                  "the values at index %lld have another shape than those at "
                                  "index 0",
                                  (long long)i);
        if (!elems_copy(t->dtype, to, t->data, t->num_elems))
            return status_exhausted(st, "no memory to copy strings");
        to += tensor_bytes(t);
        left -= t->num_elems;
    }
    if (left > 0)
        return status_invalid(st, "parts without elements do not fit the first one's values");
    return true;
}

static bool find_levels(const struct kctx *c, int *levels, struct status *st)
{
    const int out = kernel_num_outputs(c) - 1, rank = tensor_rank(kernel_in(c, 0));
    const int64_t in = attrs_int(kernel_attrs(c), "input_ragged_rank");
    if (in == -1 && out < rank)
        return status_invalid(st,
                              "Inferred input_ragged_rank (output_ragged_rank - "
                              "encoded_variant.dims()) must be >= 0, found output_ragged_rank: %d, "
                              "encoded_variant.dims(): %d, inferred input_ragged_rank: %d",
                              out, rank, out - rank);
    if (in != -1 && in + rank != out)
        return status_invalid(st,
                              "output_ragged_rank must be equal to input_ragged_rank + "
                              "encoded_ragged.dims(); output_ragged_rank: %d, input_ragged_rank: "
                              "%lld, encoded_variant.dims(): %d.",
                              out, (long long)in, rank);
    *levels = out - rank;
    return true;
}

static bool from_variant_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct stack s = {.n = in->num_elems};
    int64_t bytes;
    if (!find_levels(c, &s.levels, st))
        return false;
    if (__builtin_mul_overflow(s.n, (s.levels + 1) * (int64_t)sizeof *s.parts, &bytes))
        return status_invalid(st, "the stack is too large");
    s.parts = kernel_scratch(c, bytes + 1, st);
    if (!s.parts)
        return false;
    for (int64_t i = 0; i < s.n; i++) {
        if (!decode(c, &s, i, st))
            return false;
    }
    const int rank = tensor_rank(in);
    if (rank == 0) {
        for (int l = 0; l <= s.levels; l++)
            kernel_out_share(c, l, part_of(&s, 0, l));
        return true;
    }
    if (!uniform_splits(c, in, st) || !stack_splits(c, &s, rank - 1, st))
        return false;
    for (int l = 0; l < s.levels; l++) {
        if (!join_splits(c, &s, l, rank + l, st))
            return false;
    }
    return join_values(c, &s, st);
}

static bool from_variant_shape(struct infer_ctx *c, struct status *st)
{
    const int out = infer_num_outputs(c) - 1;
    const int64_t in = attrs_int(infer_attrs(c), "input_ragged_rank");
    const struct shape *s;
    if (in >= 0 && in <= out && !infer_want_rank(c, infer_input(c, 0), out - (int)in, &s, st))
        return false;
    for (int i = 0; i < out; i++)
        infer_set(c, i, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, out, infer_unknown(c));
    return true;
}

OP_DEF(ragged_tensor_from_variant) = {
    .name = "RaggedTensorFromVariant",
    .summary =
        "The ragged tensor that a variant is, or that the rows in a tensor of variants make.",
    .inputs = {"encoded_ragged: variant"},
    .outputs = {"output_nested_splits: output_ragged_rank * Tsplits",
                "output_dense_values: Tvalues"},
    .attrs = {"input_ragged_rank: int >= -1", "output_ragged_rank: int >= 1", "Tvalues: type",
              "Tsplits: {int32, int64}"},
    .shape = from_variant_shape,
    .no_grad = "undefined: the values were in a variant",
};
KERNEL_DEF(ragged_tensor_from_variant_cpu) = {.op = "RaggedTensorFromVariant",
                                              .device = "CPU",
                                              .types = {RAGGED_VALUES, "Tsplits: {int32, int64}"},
                                              .run = from_variant_run};
