/* SPDX-License-Identifier: Apache-2.0 */
/* SparseConcat: sparse tensors of one rank, one after the other along a dimension; the entries in
 * the order of their coordinates. */
#include <string.h>

#include "op/infer.h"
#include "ops/sparse/coords.h"

struct concat {
    int n; /* tensors */
    int64_t rank, dim, entries;
    int64_t dims[SHAPE_MAX_RANK]; /* of the result */
};

/* The three tensors of part k. */
static const struct tensor *part(const struct kctx *c, const struct concat *p, int k, int which)
{
    return kernel_in(c, which * p->n + k);
}

static bool check_part(const struct kctx *c, const struct concat *p, int k, struct status *st)
{
    const struct tensor *ix = part(c, p, k, 0), *values = part(c, p, k, 1),
                        *dims = part(c, p, k, 2);
    if (tensor_rank(ix) != 2 || tensor_rank(values) != 1 || tensor_rank(dims) != 1)
        return status_invalid(st,
                              "Input indices should be matrices, values and shapes vectors, but "
                              "those at position %d are of ranks %d, %d, %d",
                              k, tensor_rank(ix), tensor_rank(values), tensor_rank(dims));
    if (dims->num_elems != p->rank)
        return status_invalid(
            st, "Ranks of all input tensors must match: expected %lld but got %lld at position %d",
            (long long)p->rank, (long long)dims->num_elems, k);
    if (tensor_dim(ix, 0) != values->num_elems || tensor_dim(ix, 1) != p->rank)
        return status_invalid(st, "%lld values at position %d, but indices of shape [%lld, %lld]",
                              (long long)values->num_elems, k, (long long)tensor_dim(ix, 0),
                              (long long)tensor_dim(ix, 1));
    for (int64_t d = 0; d < p->rank; d++) {
        const int64_t have = tensor_i64(dims)[d], want = tensor_i64(part(c, p, 0, 2))[d];
        if (have < 0)
            return status_invalid(st, "dim %lld of the shape at position %d is negative: %lld",
                                  (long long)d, k, (long long)have);
        if (d != p->dim && have != want)
            return status_invalid(st,
                                  "Input shapes must match: expected %lld for dimension %lld but "
                                  "got %lld at position %d",
                                  (long long)want, (long long)d, (long long)have, k);
    }
    return true;
}

static bool plan(const struct kctx *c, struct concat *p, struct status *st)
{
    const int64_t given = attrs_int(kernel_attrs(c), "concat_dim");
    *p = (struct concat){.n = kernel_num_inputs(c) / 3};
    p->rank = part(c, p, 0, 2)->num_elems;
    p->dim = given < 0 ? given + p->rank : given;
    if (p->rank > SHAPE_MAX_RANK)
        return status_invalid(st, "too many dimensions: %lld", (long long)p->rank);
    if (p->dim < 0 || p->dim >= p->rank)
        return status_invalid(st, "Concat dimension must be in range [%lld, %lld), got %lld",
                              (long long)-p->rank, (long long)p->rank, (long long)given);
    for (int k = 0; k < p->n; k++) {
        if (!check_part(c, p, k, st))
            return false;
        const int64_t *dims = tensor_i64(part(c, p, k, 2));
        if (k == 0)
            memcpy(p->dims, dims, (size_t)p->rank * sizeof *dims);
        else if (__builtin_add_overflow(p->dims[p->dim], dims[p->dim], &p->dims[p->dim]))
            return status_invalid(st, "the dimensions add up to more than an int64 holds");
        p->entries += part(c, p, k, 1)->num_elems;
    }
    return true;
}

/* All coordinates as those of the result. */
static void move_rows(const struct kctx *c, const struct concat *p, int64_t *rows)
{
    uint64_t offset = 0;
    for (int k = 0; k < p->n; k++) {
        const struct tensor *ix = part(c, p, k, 0);
        const int64_t n = tensor_dim(ix, 0);
        if (n > 0)
            memcpy(rows, ix->data, tensor_bytes(ix));
        for (int64_t i = 0; i < n; i++)
            rows[i * p->rank + p->dim] = (int64_t)((uint64_t)rows[i * p->rank + p->dim] + offset);
        rows += n * p->rank;
        offset += (uint64_t)tensor_i64(part(c, p, k, 2))[p->dim];
    }
}

static bool gather(struct kctx *c, const struct concat *p, const int64_t *rows,
                   const int64_t *order, struct status *st)
{
    const struct shape m = shape_2(p->entries, p->rank), v = shape_1(p->entries),
                       r = shape_1(p->rank);
    struct tensor *ix = kernel_out(c, 0, &m, st);
    struct tensor *y = ix ? kernel_out(c, 1, &v, st) : NULL;
    struct tensor *dims = y ? kernel_out(c, 2, &r, st) : NULL;
    const char **from = dims ? kernel_scratch(c, p->entries * (int64_t)sizeof *from + 1, st) : NULL;
    if (!from)
        return false;
    const size_t item = dtype_size(y->dtype);
    int64_t at = 0;
    for (int k = 0; k < p->n; k++) {
        const struct tensor *values = part(c, p, k, 1);
        for (int64_t i = 0; i < values->num_elems; i++)
            from[at++] = (const char *)values->data + (size_t)i * item;
    }
    for (int64_t i = 0; i < p->entries; i++) {
        memcpy(tensor_i64(ix) + i * p->rank, rows + order[i] * p->rank,
               (size_t)p->rank * sizeof *rows);
        if (!elems_copy(y->dtype, (char *)y->data + (size_t)i * item, from[order[i]], 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    memcpy(dims->data, p->dims, (size_t)p->rank * sizeof *p->dims);
    return true;
}

static bool concat_run(struct kctx *c, struct status *st)
{
    struct concat p;
    if (!plan(c, &p, st))
        return false;
    int64_t *rows = kernel_scratch(c, p.entries * p.rank * (int64_t)sizeof *rows + 1, st);
    int64_t *order =
        rows ? kernel_scratch(c, 2 * p.entries * (int64_t)sizeof *order + 1, st) : NULL;
    if (!order)
        return false;
    move_rows(c, &p, rows);
    coords_sort(rows, p.entries, p.rank, order);
    return gather(c, &p, rows, order, st);
}

static bool concat_shape(struct infer_ctx *c, struct status *st)
{
    const int n = infer_num_inputs(c) / 3;
    const struct shape *rank = infer_unknown(c);
    int64_t entries = 0, cols = DIM_UNKNOWN;
    for (int k = 0; k < n; k++) {
        const struct shape *ix, *values, *dims;
        int64_t rows;
        if (!infer_want_rank(c, infer_input(c, k), 2, &ix, st) ||
            !infer_want_rank(c, infer_input(c, n + k), 1, &values, st) ||
            !infer_want_rank(c, infer_input(c, 2 * n + k), 1, &dims, st) ||
            !infer_merge_dim(infer_dim(ix, 0), infer_dim(values, 0), &rows, st) ||
            !infer_merge_dim(cols, infer_dim(ix, 1), &cols, st) ||
            !infer_merge(c, rank, dims, &rank, st))
            return false;
        entries = infer_dim_add(entries, rows);
    }
    infer_set(c, 0, infer_matrix(c, entries, cols));
    infer_set(c, 1, infer_vector(c, entries));
    infer_set(c, 2, rank);
    return true;
}

OP_DEF(sparse_concat) = {
    .name = "SparseConcat",
    .summary = "Joins sparse tensors along a dimension.",
    .inputs = {"indices: N * int64", "values: N * T", "shapes: N * int64"},
    .outputs = {"output_indices: int64", "output_values: T", "output_shape: int64"},
    .attrs = {"concat_dim: int", "N: int >= 2", "T: type"},
    .shape = concat_shape,
    .no_grad = "as in TensorFlow",
};
KERNEL_DEF(sparse_concat_cpu) = {
    .op = "SparseConcat",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = concat_run,
};
