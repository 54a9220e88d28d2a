/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse gradients: rows of some indices, merged with those that are there.
 *
 * As in TensorFlow the merge trusts that indices rise: of two lists that do not, equal indices may
 * stay apart. A mean divides each row by the number of gradients that had it. */
#include <string.h>

#include "base/mem.h"
#include "ops/data_flow/accumulator.h"

struct gradient {
    const struct tensor *indices, *values, *shape;
    bool shape_known;
};

/* --- is it fit? --- */

static bool check_form(const struct gradient *g, struct status *st)
{
    struct strbuf b = {0};

    if (tensor_rank(g->indices) != 1) {
        shape_print(&g->indices->shape, &b);
        status_invalid(st, "Input indices should be vector but received shape: %s",
                       strbuf_text(&b));
        strbuf_release(&b);
        return false;
    }
    if (tensor_rank(g->values) == 0)
        return status_invalid(st, "Values cannot be 0-dimensional.");
    if (g->indices->num_elems != tensor_dim(g->values, 0))
        return status_invalid(st, "Expected %lld non-empty input values, got %lld",
                              (long long)g->indices->num_elems,
                              (long long)tensor_dim(g->values, 0));
    return true;
}

static bool check_shape(const struct accumulator *a, const struct gradient *g, struct status *st)
{
    const int rank = a->shape.rank;

    if (!g->shape_known)
        return true;
    if (rank > g->shape->num_elems)
        return status_invalid(st, "Shape mismatch: expected shape rank at least %d, got %lld", rank,
                              (long long)g->shape->num_elems);
    for (int i = 0; i < rank; i++) {
        int64_t want = shape_dim(&a->shape, i), got = tensor_i64(g->shape)[i];

        if (want != -1 && want != got)
            return status_invalid(st, "Shape mismatch: expected shape dim %d to be %lld, got %lld",
                                  i, (long long)want, (long long)got);
    }
    return true;
}

static bool check_indices(const struct accumulator *a, const struct gradient *g, struct status *st)
{
    const int64_t limit = a->shape.rank > 0 ? shape_dim(&a->shape, 0) : -1;
    const int64_t *index = tensor_i64(g->indices);

    for (int64_t i = 0; limit != -1 && i < g->indices->num_elems; i++) {
        if (index[i] >= limit)
            return status_invalid(st,
                                  "Shape mismatch: index of slice %lld exceeded limits of shape; "
                                  "index is %lld exceeded %lld",
                                  (long long)i, (long long)index[i], (long long)limit);
    }
    return true;
}

static bool check_values(const struct accumulator *a, const struct gradient *g, struct status *st)
{
    const bool begun = a->count > 0;
    const struct shape *want = begun ? &a->sum.shape : &a->shape;
    const int rank = want->rank, got = tensor_rank(g->values);

    if (begun ? rank != got : rank > got)
        return status_invalid(st, "Shape mismatch: expected values rank %s%d, got %d",
                              begun ? "" : "at least ", rank, got);
    for (int i = 1; i < rank; i++) {
        int64_t dim = shape_dim(want, i);

        if (dim != -1 && dim != tensor_dim(g->values, i))
            return status_invalid(st, "Shape mismatch: expected values dim %d to be %lld, got %lld",
                                  i, (long long)dim, (long long)tensor_dim(g->values, i));
    }
    return true;
}

/* --- merging --- */

struct merge { /* of what is there (a) with what comes (b) */
    const int64_t *a, *b;
    const int64_t *counts;
    int64_t num_a, num_b;
};

struct merged {
    int64_t index, count;
    int64_t from_a, from_b; /* rows, -1: none */
};

/* The next row; false: no more. */
static bool merge_next(const struct merge *m, int64_t *i, int64_t *j, struct merged *out)
{
    if (*i == m->num_a && *j == m->num_b)
        return false;
    const bool a = *j == m->num_b || (*i < m->num_a && m->a[*i] <= m->b[*j]);
    const bool b = *i == m->num_a || (*j < m->num_b && m->b[*j] <= m->a[*i]);

    *out = (struct merged){.index = a ? m->a[*i] : m->b[*j],
                           .count = (a ? m->counts[*i] : 0) + b,
                           .from_a = a ? *i : -1,
                           .from_b = b ? *j : -1};
    *i += a;
    *j += b;
    return true;
}

static int64_t merge_count(const struct merge *m)
{
    int64_t i = 0, j = 0, n = 0;
    struct merged row;

    while (merge_next(m, &i, &j, &row))
        n++;
    return n;
}

static bool sum_new(const struct gradient *g, int64_t rows, int dtype, struct tensor *out,
                    struct status *st)
{
    const int rank = tensor_rank(g->values);
    int64_t *dims = mem_new_array(int64_t, rank);

    memcpy(dims, shape_dims(&g->values->shape), (size_t)rank * sizeof *dims);
    dims[0] = rows;
    struct shape shape = shape_make(dims, rank);
    bool ok = tensor_new(out, dtype, &shape, st);

    shape_clear(&shape);
    mem_free(dims);
    return ok;
}

/* Elements of a row. */
static int64_t width_of(const struct tensor *values)
{
    int64_t n = 1;

    for (int i = 1; i < tensor_rank(values); i++)
        n *= tensor_dim(values, i);
    return n;
}

static bool add_rows(struct accumulator *a, const struct gradient *g, struct status *st)
{
    const struct merge m = {.a = a->rows.indices,
                            .b = tensor_i64(g->indices),
                            .counts = a->rows.counts,
                            .num_a = a->rows.n,
                            .num_b = g->indices->num_elems};
    const int64_t n = merge_count(&m), width = width_of(g->values);
    const size_t bytes = (size_t)width * dtype_size(a->dtype);
    struct tensor sum;
    struct merged row;

    if (!sum_new(g, n, a->dtype, &sum, st))
        return false;
    struct sparse_sum rows = {mem_new_array(int64_t, n), mem_new_array(int64_t, n), n};

    for (int64_t i = 0, j = 0, k = 0; merge_next(&m, &i, &j, &row); k++) {
        rows.indices[k] = row.index;
        rows.counts[k] = row.count;
        if (bytes == 0) /* then there may be no memory to point into */
            continue;
        const int64_t at_a = row.from_a, at_b = row.from_b;
        const char *first = at_a < 0 ? NULL : (const char *)a->sum.data + (size_t)at_a * bytes;
        const char *second = at_b < 0 ? NULL : (const char *)g->values->data + (size_t)at_b * bytes;
        char *to = (char *)sum.data + (size_t)k * bytes;

        memcpy(to, first ? first : second, bytes);
        if (first && second)
            accumulator_add(a->dtype, to, second, width);
    }
    tensor_clear(&a->sum);
    mem_free(a->rows.indices);
    mem_free(a->rows.counts);
    a->sum = sum;
    a->rows = rows;
    return true;
}

/* Under the lock, of a gradient that is not late. */
static bool add_sparse(struct accumulator *a, const struct gradient *g, struct status *st)
{
    if (!check_form(g, st) || !check_shape(a, g, st) || !check_indices(a, g, st) ||
        !check_values(a, g, st) || !add_rows(a, g, st))
        return false;
    a->count++;
    return true;
}

static bool apply_run(struct kctx *c, struct status *st)
{
    struct accumulator *a = accumulator_of(c, st);
    const struct gradient g = {.indices = kernel_in(c, 2),
                               .values = kernel_in(c, 3),
                               .shape = kernel_in(c, 4),
                               .shape_known = attrs_bool(kernel_attrs(c), "has_known_shape")};
    int64_t step;
    bool ok = a && accumulator_want_sparse(a, true, st) &&
              accumulator_check_type(c, a, true, 3, st) &&
              accumulator_number(c, "local_step", &step, st);

    if (ok) {
        waits_begin(&a->waits);
        ok = step < a->step || add_sparse(a, &g, st);
        if (ok && step >= a->step)
            accumulator_log(a, c);
        waits_end(&a->waits);
    }
    accumulator_unref(a);
    return ok;
}

/* --- out --- */

static bool give_shape(struct kctx *c, const struct accumulator *a, struct status *st)
{
    const int rank = tensor_rank(&a->sum);
    struct shape s = shape_1(rank);
    struct tensor *out = kernel_out(c, 2, &s, st);

    for (int i = 0; out && i < rank; i++)
        tensor_i64(out)[i] = i > 0               ? tensor_dim(&a->sum, i)
                             : a->shape.rank > 0 ? shape_dim(&a->shape, 0)
                                                 : -1;
    return out != NULL;
}

/* It is divided in place. */
static bool own_sum(struct accumulator *a, struct status *st)
{
    struct tensor own;

    if (tensor_is_sole(&a->sum))
        return true;
    if (!tensor_dup(&a->sum, &own, st))
        return false;
    tensor_clear(&a->sum);
    a->sum = own;
    return true;
}

static bool give_sparse(struct kctx *c, struct accumulator *a, struct status *st)
{
    const struct sparse_sum *rows = &a->rows;
    const int64_t width = width_of(&a->sum);
    const size_t bytes = (size_t)width * dtype_size(a->dtype);
    struct shape s = shape_1(rows->n);
    struct tensor *indices = kernel_out(c, 0, &s, st);

    if (!indices || !give_shape(c, a, st) || (a->mean && !own_sum(a, st)))
        return false;
    if (rows->n > 0)
        memcpy(indices->data, rows->indices, (size_t)rows->n * sizeof *rows->indices);
    for (int64_t i = 0; a->mean && i < rows->n; i++)
        accumulator_divide(a->dtype, (char *)a->sum.data + (size_t)i * bytes, rows->counts[i],
                           width);
    kernel_out_take(c, 1, &a->sum);
    mem_free(a->rows.indices);
    mem_free(a->rows.counts);
    a->rows = (struct sparse_sum){0};
    return true;
}

static void take_start(struct kctx *c)
{
    struct status st = {0};
    struct accumulator *a = accumulator_of(c, &st);

    if (a && accumulator_want_sparse(a, true, &st) && accumulator_check_type(c, a, false, 1, &st)) {
        accumulator_take(c, a, give_sparse);
        return;
    }
    accumulator_unref(a);
    kernel_done(c, &st);
    status_clear(&st);
}

static bool apply_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    return infer_want_rank(c, infer_input(c, 1), 0, &s, st);
}

OP_DEF(sparse_accumulator_apply_gradient) = {
    .name = "SparseAccumulatorApplyGradient",
    .summary = "Adds rows of a gradient to an accumulator, unless they come from a step before "
               "its.",
    .inputs = {"handle: Ref(string)", "local_step: int64", "gradient_indices: int64",
               "gradient_values: dtype", "gradient_shape: int64"},
    .attrs = {"dtype: numbertype", "has_known_shape: bool"},
    .shape = apply_shape,
    .no_grad = ACCUMULATOR_NO_GRAD,
};
KERNEL_DEF(sparse_accumulator_apply_gradient_cpu) = {.op = "SparseAccumulatorApplyGradient",
                                                     .device = "CPU",
                                                     .flags = KERNEL_NOTES,
                                                     .run = apply_run};

OP_DEF(sparse_accumulator_take_gradient) = {
    .name = "SparseAccumulatorTakeGradient",
    .summary = "Waits until an accumulator has so many gradients, and takes the mean or sum of "
               "each row.",
    .inputs = {"handle: Ref(string)", "num_required: int32"},
    .outputs = {"indices: int64", "values: dtype", "shape: int64"},
    .attrs = {"dtype: numbertype"},
    .shape = infer_unknown_outputs,
    .no_grad = ACCUMULATOR_NO_GRAD,
};
KERNEL_DEF(sparse_accumulator_take_gradient_cpu) = {.op = "SparseAccumulatorTakeGradient",
                                                    .device = "CPU",
                                                    .flags = KERNEL_ASYNC | KERNEL_NOTES,
                                                    .run_async = take_start};
