/* SPDX-License-Identifier: Apache-2.0 */
/* SerializeSparse and SerializeManySparse: sparse tensors as three elements each (indices, values,
 * shape), which are the bytes of TensorProtos or variants that hold the tensors. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"
#include "op/tensor_variant.h"
#include "ops/parsing/tensor_bytes.h"

static bool bad_shape(const char *what, const char *want, const struct tensor *t, struct status *st)
{
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "Input %s should be a %s but received shape %s", what, want,
                   strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool check(const struct kctx *c, struct status *st)
{
    if (tensor_rank(kernel_in(c, 0)) != 2)
        return bad_shape("indices", "matrix", kernel_in(c, 0), st);
    if (tensor_rank(kernel_in(c, 1)) != 1)
        return bad_shape("values", "vector", kernel_in(c, 1), st);
    if (tensor_rank(kernel_in(c, 2)) != 1)
        return bad_shape("shape", "vector", kernel_in(c, 2), st);
    return true;
}

/* Element i of the output: t as bytes, or t itself. */
static bool put(struct tensor *out, int64_t i, const struct tensor *t, struct status *st)
{
    if (out->dtype == DT_STRING)
        return tensor_to_bytes_raw(t, &tensor_str(out)[i], st);
    struct variant **v = out->data;
    if (tensor_is_borrowed(t)) { /* variants outlive the step */
        struct tensor own;
        if (!tensor_dup(t, &own, st))
            return false;
        v[i] = tensor_variant_new(&own);
        tensor_clear(&own);
        return true;
    }
    v[i] = tensor_variant_new(t);
    return true;
}

static bool one_run(struct kctx *c, struct status *st)
{
    struct shape three = shape_1(3);
    struct tensor *out = check(c, st) ? kernel_out(c, 0, &three, st) : NULL;
    return out && put(out, 0, kernel_in(c, 0), st) && put(out, 1, kernel_in(c, 1), st) &&
           put(out, 2, kernel_in(c, 2), st);
}

static bool one_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &s, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &s, st))
        return false;
    infer_set(c, 0, infer_vector(c, 3));
    return true;
}

OP_DEF(serialize_sparse) = {
    .name = "SerializeSparse",
    .summary = "A sparse tensor as a vector of three: its indices, values and shape.",
    .inputs = {"sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"},
    .outputs = {"serialized_sparse: out_type"},
    .attrs = {"T: type", "out_type: {string, variant} = DT_STRING"},
    .shape = one_shape,
    .no_grad = "undefined: serialized tensors have no gradient",
};
KERNEL_DEF(serialize_sparse_cpu) = {.op = "SerializeSparse", .device = "CPU", .run = one_run};

/* --- SerializeManySparse --- */

static bool bad_index(const int64_t *row, int64_t i, const struct tensor *shape, bool order,
                      struct status *st)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "indices[%lld] = [", (long long)i);
    for (int64_t d = 0; d < shape->num_elems; d++)
        strbuf_printf(&text, "%s%lld", d ? "," : "", (long long)row[d]);
    if (order) {
        strbuf_puts(&text, "] is out of order. Many sparse ops require sorted indices.");
    } else {
        strbuf_puts(&text, "] is out of bounds: need 0 <= index < [");
        for (int64_t d = 0; d < shape->num_elems; d++)
            strbuf_printf(&text, "%s%lld", d ? "," : "", (long long)tensor_i64(shape)[d]);
        strbuf_puts(&text, "]");
    }
    status_invalid(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* In bounds, and in order by the first dim: the rows of one example lie together. */
static bool check_indices(const struct tensor *ix, const struct tensor *shape, struct status *st)
{
    int64_t rank = shape->num_elems, n = tensor_dim(ix, 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t *row = tensor_i64(ix) + i * rank;
        int order = i ? 0 : 1;
        for (int64_t d = 0; d < rank; d++) {
            if (row[d] < 0 || row[d] >= tensor_i64(shape)[d])
                return bad_index(row, i, shape, false, st);
            if (order == 0)
                order = row[d] > row[d - rank] ? 1 : row[d] < row[d - rank] ? -1 : 0;
        }
        if (order < 0)
            return bad_index(row, i, shape, true, st);
        if (order == 0)
            return status_invalid(st, "indices[%lld] is repeated", (long long)i);
    }
    return true;
}

static bool check_many(const struct kctx *c, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1), *shape = kernel_in(c, 2);
    if (!check(c, st))
        return false;
    if (shape->num_elems <= 1)
        return status_invalid(st, "Rank of input SparseTensor should be > 1, but saw rank: %lld",
                              (long long)shape->num_elems);
    if (tensor_dim(ix, 1) != shape->num_elems || tensor_dim(ix, 0) != values->num_elems)
        return status_invalid(st, "indices, values and shape do not fit one another");
    for (int64_t d = 0; d < shape->num_elems; d++) {
        if (tensor_i64(shape)[d] < 0)
            return status_invalid(st, "Input shape: dimension %lld is negative", (long long)d);
    }
    return check_indices(ix, shape, st);
}

/* Rows [begin, end), without their first index, as elements at, at + 1 and at + 2. */
static bool put_part(struct kctx *c, int64_t begin, int64_t end, int64_t at,
                     const struct tensor *shape, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1);
    int64_t rank = shape->num_elems + 1;
    struct shape rows = shape_2(end - begin, rank - 1), vector = shape_1(end - begin);
    struct tensor part_ix = {0}, part_values = {0};
    bool ok = kernel_temp(c, DT_INT64, &rows, &part_ix, st) &&
              kernel_temp(c, values->dtype, &vector, &part_values, st);
    for (int64_t i = begin; ok && i < end; i++)
        memcpy(tensor_i64(&part_ix) + (i - begin) * (rank - 1), tensor_i64(ix) + i * rank + 1,
               (size_t)(rank - 1) * sizeof(int64_t));
    size_t size = dtype_size(values->dtype);
    ok = ok && (elems_copy(values->dtype, part_values.data,
                           (const char *)values->data + (size_t)begin * size, end - begin) ||
                status_exhausted(st, "no memory for strings"));
    ok = ok && put(&c->out[0], at, &part_ix, st) && put(&c->out[0], at + 1, &part_values, st) &&
         put(&c->out[0], at + 2, shape, st);
    tensor_clear(&part_ix);
    tensor_clear(&part_values);
    return ok;
}

static bool many_run(struct kctx *c, struct status *st)
{
    if (!check_many(c, st))
        return false;
    const struct tensor *ix = kernel_in(c, 0), *shape = kernel_in(c, 2);
    int64_t rank = shape->num_elems, n = tensor_dim(ix, 0), at = 0;
    struct shape outs = shape_2(tensor_i64(shape)[0], 3), rest = shape_1(rank - 1);
    struct tensor part = {0};
    if (!kernel_out(c, 0, &outs, st) || !kernel_temp(c, DT_INT64, &rest, &part, st))
        return false;
    memcpy(part.data, tensor_i64(shape) + 1, (size_t)(rank - 1) * sizeof(int64_t));
    bool ok = true;
    for (int64_t b = 0; ok && b < tensor_i64(shape)[0]; b++) {
        int64_t begin = at;
        while (at < n && tensor_i64(ix)[at * rank] == b)
            at++;
        ok = put_part(c, begin, at, 3 * b, &part, st);
    }
    tensor_clear(&part);
    return ok;
}

static bool many_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &s, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &s, st))
        return false;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, 3));
    return true;
}

OP_DEF(serialize_many_sparse) = {
    .name = "SerializeManySparse",
    .summary = "Each of a batch of sparse tensors as a row of three: indices, values and shape.",
    .inputs = {"sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"},
    .outputs = {"serialized_sparse: out_type"},
    .attrs = {"T: type", "out_type: {string, variant} = DT_STRING"},
    .shape = many_shape,
    .no_grad = "undefined: serialized tensors have no gradient",
};
KERNEL_DEF(serialize_many_sparse_cpu) = {
    .op = "SerializeManySparse", .device = "CPU", .run = many_run};
