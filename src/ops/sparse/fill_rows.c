/* SPDX-License-Identifier: Apache-2.0 */
/* SparseFillEmptyRows: every row without an entry gets one of the default value, at column 0; rows
 * come out in order, the entries of a row in the order they had. And the gradient's op. */
#include <string.h>

#include "math/value_add.h"
#include "op/grad.h"
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

static bool check(const struct kctx *c, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1), *dims = kernel_in(c, 2);
    if (tensor_rank(dims) != 1)
        return fail_shape(st, "dense_shape must be a vector, saw: ", &dims->shape);
    if (tensor_rank(ix) != 2)
        return fail_shape(st, "indices must be a matrix, saw: ", &ix->shape);
    if (tensor_rank(values) != 1)
        return fail_shape(st, "values must be a vector, saw: ", &values->shape);
    if (tensor_rank(kernel_in(c, 3)) != 0)
        return fail_shape(st, "default_value must be a scalar, saw: ", &kernel_in(c, 3)->shape);
    if (dims->num_elems == 0)
        return status_invalid(st, "Dense shape cannot be empty.");
    if (tensor_dim(ix, 0) != values->num_elems)
        return status_invalid(st,
                              "The length of `values` (%lld) must match the first dimension of "
                              "`indices` (%lld).",
                              (long long)values->num_elems, (long long)tensor_dim(ix, 0));
    if (tensor_dim(ix, 1) != dims->num_elems)
        return status_invalid(st, "indices have %lld columns, but the dense shape has %lld dims",
                              (long long)tensor_dim(ix, 1), (long long)dims->num_elems);
    int64_t rows = tensor_i64(dims)[0];
    if (rows == 0 && values->num_elems > 0)
        return status_invalid(
            st, "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %lld",
            (long long)values->num_elems);
    return rows >= 0 || status_invalid(st, "dense_shape[0] is negative: %lld", (long long)rows);
}

/* ends[r]: entries of row r, then the place behind them; returns the places in all, -1: bad. */
static int64_t place_rows(const struct tensor *ix, int64_t rows, int64_t *ends, bool *empty,
                          struct status *st)
{
    int64_t n = tensor_dim(ix, 0), rank = tensor_dim(ix, 1), total = 0;
    memset(ends, 0, (size_t)rows * sizeof(*ends));
    for (int64_t i = 0; i < n; i++) {
        int64_t r = tensor_i64(ix)[i * rank];
        if (r < 0 || r >= rows) {
            status_invalid(st, "indices(%lld, 0) is invalid: %lld >= %lld", (long long)i,
                           (long long)r, (long long)rows);
            return -1;
        }
        ends[r]++;
    }
    for (int64_t r = 0; r < rows; r++) {
        empty[r] = ends[r] == 0;
        int64_t room = empty[r] ? 1 : ends[r];
        ends[r] = total; /* for now: where the row begins */
        total += room;
    }
    return total;
}

static bool put_defaults(const struct kctx *c, const bool *empty, const int64_t *begins,
                         int64_t rows, struct status *st)
{
    int64_t rank = tensor_dim(&c->out[0], 1);
    char *y = c->out[1].data;
    size_t item = dtype_size(c->out[1].dtype);
    for (int64_t r = 0; r < rows; r++) {
        if (!empty[r])
            continue;
        int64_t *row = tensor_i64(&c->out[0]) + begins[r] * rank;
        memset(row, 0, (size_t)rank * sizeof(*row));
        row[0] = r;
        if (!elems_copy(c->out[1].dtype, y + (size_t)begins[r] * item, kernel_in(c, 3)->data, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool put_entries(const struct kctx *c, int64_t *begins, int64_t *moved, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1);
    int64_t rank = tensor_dim(ix, 1);
    size_t item = dtype_size(values->dtype);
    for (int64_t i = 0; i < values->num_elems; i++) {
        const int64_t *row = tensor_i64(ix) + i * rank;
        int64_t at = begins[row[0]]++;
        moved[i] = at;
        memcpy(tensor_i64(&c->out[0]) + at * rank, row, (size_t)rank * sizeof(*row));
        if (!elems_copy(values->dtype, (char *)c->out[1].data + (size_t)at * item,
                        (const char *)values->data + (size_t)i * item, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool fill_run(struct kctx *c, struct status *st)
{
    if (!check(c, st))
        return false;
    const struct tensor *ix = kernel_in(c, 0);
    int64_t rows = tensor_i64(kernel_in(c, 2))[0];
    struct shape by_row = shape_1(rows), by_entry = shape_1(tensor_dim(ix, 0));
    struct tensor *empty = kernel_out(c, 2, &by_row, st);
    struct tensor *moved = empty ? kernel_out(c, 3, &by_entry, st) : NULL;
    struct tensor begins;
    if (!moved || !kernel_temp(c, DT_INT64, &by_row, &begins, st))
        return false;
    int64_t total = place_rows(ix, rows, tensor_i64(&begins), tensor_bool(empty), st);
    struct shape s = shape_2(total, tensor_dim(ix, 1)), v = shape_1(total);
    bool ok = total >= 0 && kernel_out(c, 0, &s, st) && kernel_out(c, 1, &v, st) &&
              put_defaults(c, tensor_bool(empty), tensor_i64(&begins), rows, st) &&
              put_entries(c, tensor_i64(&begins), tensor_i64(moved), st);
    tensor_clear(&begins);
    return ok;
}

static bool fill_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *ix, *values, *dims, *fallback;
    int64_t n, rank;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &ix, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &values, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &dims, st) ||
        !infer_want_rank(c, infer_input(c, 3), 0, &fallback, st) ||
        !infer_merge_dim(infer_dim(ix, 0), infer_dim(values, 0), &n, st) ||
        !infer_merge_dim(infer_dim(ix, 1), infer_dim(dims, 0), &rank, st))
        return false;
    const struct tensor *known = infer_const(c, 2);
    int64_t rows = known && known->num_elems > 0 ? tensor_index(known, 0) : DIM_UNKNOWN;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, rank));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, infer_vector(c, rows < 0 ? DIM_UNKNOWN : rows));
    infer_set(c, 3, infer_vector(c, n));
    return true;
}

static bool fill_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[] = {grad_out(g, 3), grad_dy(g, 1)};
    struct node *n = grad_nodev(g, "SparseFillEmptyRowsGrad", 2, in, 0, NULL);
    grad_set(g, 1, grad_node_out(g, n, 0));
    grad_set(g, 3, grad_node_out(g, n, 1));
    return grad_done(g, st);
}

OP_DEF(sparse_fill_empty_rows) = {
    .name = "SparseFillEmptyRows",
    .summary = "Gives each empty row of a sparse tensor an entry of a default value.",
    .inputs = {"indices: int64", "values: T", "dense_shape: int64", "default_value: T"},
    .outputs = {"output_indices: int64", "output_values: T", "empty_row_indicator: bool",
                "reverse_index_map: int64"},
    .attrs = {"T: type"},
    .shape = fill_shape,
    .grad = fill_grad,
};
KERNEL_DEF(sparse_fill_empty_rows_cpu) = {
    .op = "SparseFillEmptyRows",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = fill_run,
};

/* --- the gradient's op --- */

/* Entries take what stands at their place; the default gets the sum of all the rest. */
static bool back_run(struct kctx *c, struct status *st)
{
    const struct tensor *map = kernel_in(c, 0), *dy = kernel_in(c, 1);
    if (tensor_rank(map) != 1)
        return fail_shape(st, "reverse_index_map must be a vector, saw: ", &map->shape);
    if (tensor_rank(dy) != 1)
        return fail_shape(st, "grad_values must be a vector, saw: ", &dy->shape);
    struct shape scalar = shape_scalar();
    struct tensor *dx = kernel_out(c, 0, &map->shape, st);
    struct tensor *rest = dx ? kernel_out(c, 1, &scalar, st) : NULL;
    bool *seen = rest ? kernel_scratch(c, dy->num_elems, st) : NULL;
    if (!seen)
        return false;
    size_t item = dtype_size(dy->dtype);
    memset(seen, 0, (size_t)dy->num_elems);
    for (int64_t i = 0; i < map->num_elems; i++) {
        int64_t at = tensor_i64(map)[i];
        if (at < 0 || at >= dy->num_elems)
            return status_invalid(st, "Elements in reverse index must be in [0, %lld) but got %lld",
                                  (long long)dy->num_elems, (long long)at);
        memcpy((char *)dx->data + (size_t)i * item, (const char *)dy->data + (size_t)at * item,
               item);
        seen[at] = true;
    }
    value_add_fn add = value_add_of(dy->dtype);
    memset(rest->data, 0, item);
    for (int64_t i = 0; i < dy->num_elems; i++) {
        if (!seen[i])
            add(rest->data, (const char *)dy->data + (size_t)i * item, 1);
    }
    return true;
}

static bool back_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *map, *dy;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &map, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &dy, st))
        return false;
    infer_set(c, 0, map);
    infer_set(c, 1, infer_scalar(c));
    return true;
}

OP_DEF(sparse_fill_empty_rows_grad) = {
    .name = "SparseFillEmptyRowsGrad",
    .summary = "The gradients of SparseFillEmptyRows' values and default value.",
    .inputs = {"reverse_index_map: int64", "grad_values: T"},
    .outputs = {"d_values: T", "d_default_value: T"},
    .attrs = {"T: type"},
    .shape = back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(sparse_fill_empty_rows_grad_cpu) = {
    .op = "SparseFillEmptyRowsGrad",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128}"},
    .run = back_run,
};
