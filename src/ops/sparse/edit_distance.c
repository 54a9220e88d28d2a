/* SPDX-License-Identifier: Apache-2.0 */
/* EditDistance: of sequences that lie along the last dimension of two sparse tensors, how many
 * insertions, deletions and changes make one the other (Levenshtein), cell by cell. Entries may
 * come in any order of cells; within a cell they are taken as they come. */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"

struct side { /* one of the two sparse tensors */
    const char *name;
    const struct tensor *indices, *values, *shape;
    int64_t *start; /* of cell k: its entries are order[start[k]] to order[start[k + 1] - 1] */
    int64_t *order;
};

static bool elems_equal(const struct tensor *a, int64_t i, const struct tensor *b, int64_t j)
{
    const size_t bytes = dtype_size(a->dtype);
    switch (a->dtype) {
    case DT_STRING:
        return str_eq(tstr_view(&tensor_str(a)[i]), tstr_view(&tensor_str(b)[j]));
    case DT_FLOAT:
        return tensor_f32(a)[i] == tensor_f32(b)[j];
    case DT_DOUBLE:
        return tensor_f64(a)[i] == tensor_f64(b)[j];
    case DT_HALF:
        return f16_to_f32(((const struct f16 *)a->data)[i]) ==
               f16_to_f32(((const struct f16 *)b->data)[j]);
    case DT_BFLOAT16:
        return bf16_to_f32(((const struct bf16 *)a->data)[i]) ==
               bf16_to_f32(((const struct bf16 *)b->data)[j]);
    case DT_COMPLEX64: {
        const float *x = (const float *)a->data + 2 * i, *y = (const float *)b->data + 2 * j;
        return x[0] == y[0] && x[1] == y[1];
    }
    case DT_COMPLEX128: {
        const double *x = (const double *)a->data + 2 * i, *y = (const double *)b->data + 2 * j;
        return x[0] == y[0] && x[1] == y[1];
    }
    default:
        return memcmp((const char *)a->data + (size_t)i * bytes,
                      (const char *)b->data + (size_t)j * bytes, bytes) == 0;
    }
}

static bool want_side(const struct side *s, struct status *st)
{
    if (tensor_rank(s->indices) != 2)
        return status_invalid(st, "%s_indices should be a matrix, but its rank is %d", s->name,
                              tensor_rank(s->indices));
    if (tensor_rank(s->values) != 1 || tensor_rank(s->shape) != 1)
        return status_invalid(st, "%s_values and %s_shape should be vectors", s->name, s->name);
    if (s->values->num_elems != tensor_dim(s->indices, 0))
        return status_invalid(st, "%s_values has %lld elements, %s_indices %lld rows", s->name,
                              (long long)s->values->num_elems, s->name,
                              (long long)tensor_dim(s->indices, 0));
    return (s->shape->num_elems >= 1 && s->shape->num_elems == tensor_dim(s->indices, 1)) ||
           status_invalid(st, "%s_shape has %lld elements, %s_indices %lld columns", s->name,
                          (long long)s->shape->num_elems, s->name,
                          (long long)tensor_dim(s->indices, 1));
}

/* The cell of entry i; -1: outside. */
static int64_t cell_of(const struct side *s, int64_t i, const struct shape *cells)
{
    const int64_t *row = tensor_i64(s->indices) + i * (cells->rank + 1);
    int64_t cell = 0;
    for (int d = 0; d < cells->rank; d++) {
        if (row[d] < 0 || row[d] >= shape_dim(cells, d))
            return -1;
        cell = cell * shape_dim(cells, d) + row[d];
    }
    return cell;
}

/* Counts the entries of each cell, then lists them. */
static bool sort_side(struct kctx *c, struct side *s, const struct tensor *out, struct status *st)
{
    const int64_t n = s->values->num_elems, cells = out->num_elems;
    int64_t words;
    if (!size_mul(cells + 2 + n, sizeof(int64_t), &words))
        return status_exhausted(st, "EditDistance: %lld cells", (long long)cells);
    int64_t *p = kernel_scratch(c, words, st);
    if (!p)
        return false;
    memset(p, 0, (size_t)(cells + 2) * sizeof *p);
    s->start = p + 1; /* one behind for the time being: start[k + 1] counts cell k's below */
    s->order = p + cells + 2;
    for (int64_t i = 0; i < n; i++) {
        const int64_t cell = cell_of(s, i, &out->shape);
        if (cell < 0)
            return status_invalid(st, "%s_indices: row %lld lies outside of the shapes", s->name,
                                  (long long)i);
        s->start[cell + 1]++;
    }
    for (int64_t k = 0; k < cells; k++)
        s->start[k + 1] += s->start[k];
    s->start = p; /* from here start[k + 1] is where cell k goes on, in the end where it ends */
    for (int64_t i = 0; i < n; i++)
        s->order[s->start[cell_of(s, i, &out->shape) + 1]++] = i;
    return true;
}

/* row has room for the truth and one more. */
static int64_t distance(const struct side *h, const struct side *t, int64_t cell, int64_t *row)
{
    const int64_t *a = h->order + h->start[cell], *b = t->order + t->start[cell];
    const int64_t n = h->start[cell + 1] - h->start[cell], m = t->start[cell + 1] - t->start[cell];
    for (int64_t j = 0; j <= m; j++)
        row[j] = j;
    for (int64_t i = 0; i < n; i++) {
        int64_t diagonal = row[0];
        row[0] = i + 1;
        for (int64_t j = 0; j < m; j++) {
            int64_t best = diagonal + !elems_equal(h->values, a[i], t->values, b[j]);
            diagonal = row[j + 1];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j + 1] = best < diagonal + 1 ? best : diagonal + 1;
        }
    }
    return row[m];
}

static bool distance_run(struct kctx *c, struct status *st)
{
    struct side h = {"hypothesis", kernel_in(c, 0), kernel_in(c, 1), kernel_in(c, 2), NULL, NULL};
    struct side t = {"truth", kernel_in(c, 3), kernel_in(c, 4), kernel_in(c, 5), NULL, NULL};
    int64_t dims[SHAPE_MAX_RANK];
    if (!want_side(&h, st) || !want_side(&t, st))
        return false;
    const int64_t rank = h.shape->num_elems;
    if (rank != t.shape->num_elems || rank > SHAPE_MAX_RANK)
        return status_invalid(st, "truth_shape and hypothesis_shape: %lld and %lld dimensions",
                              (long long)t.shape->num_elems, (long long)rank);
    for (int64_t d = 0; d < rank - 1; d++) {
        const int64_t a = tensor_i64(h.shape)[d], b = tensor_i64(t.shape)[d];
        dims[d] = a > b ? a : b;
        if (a < 0 || b < 0)
            return status_invalid(st, "EditDistance: a dimension is negative");
    }
    struct shape shape = shape_make(dims, (int)rank - 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    int64_t *row = kernel_scratch(c, 8 * (t.values->num_elems + 1), st);
    if (!out || !row || !sort_side(c, &h, out, st) || !sort_side(c, &t, out, st))
        return false;
    const bool normalize = attrs_bool(kernel_attrs(c), "normalize");
    for (int64_t k = 0; k < out->num_elems; k++) {
        const float d = (float)distance(&h, &t, k, row);
        const int64_t length = t.start[k + 1] - t.start[k];
        const float by = normalize ? (float)length : 1;
        tensor_f32(out)[k] = d == 0 ? 0 : by == 0 ? INFINITY : d / by;
    }
    return true;
}

static bool distance_shape(struct infer_ctx *c, struct status *st)
{
    static const int ranks[] = {2, 1, 1};
    const struct shape *h, *t;
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < 6; i++) {
        if (!infer_want_rank(c, infer_input(c, i), ranks[i % 3], &h, st))
            return false;
    }
    if (!infer_const(c, 2) || !infer_const(c, 5))
        return true;
    if (!infer_const_shape(c, 2, &h, st) || !infer_const_shape(c, 5, &t, st))
        return false;
    if (h->rank < 1 || t->rank < 1)
        return true;
    if (h->rank != t->rank)
        return status_invalid(st,
                              "Num elements of hypothesis_shape does not match truth_shape: "
                              "%d vs. %d",
                              h->rank, t->rank);
    for (int d = 0; d < h->rank - 1; d++) {
        const int64_t a = shape_dim(h, d), b = shape_dim(t, d);
        dims[d] = a < 0 || b < 0 ? -1 : a > b ? a : b;
    }
    infer_set(c, 0, infer_make(c, dims, h->rank - 1));
    return true;
}

OP_DEF(edit_distance) = {
    .name = "EditDistance",
    .summary = "Levenshtein distances of sequences in sparse tensors.",
    .inputs = {"hypothesis_indices: int64", "hypothesis_values: T", "hypothesis_shape: int64",
               "truth_indices: int64", "truth_values: T", "truth_shape: int64"},
    .outputs = {"output: float"},
    .attrs = {"normalize: bool = true", "T: type"},
    .shape = distance_shape,
    .no_grad = "distances are counted",
};
KERNEL_DEF(edit_distance_cpu) = {
    .op = "EditDistance",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string}"},
    .run = distance_run};
