/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged tensors: rows of a level l are cut out of those of level l + 1, the last one's out of the
 * dense values, at splits[l]. RaggedGather takes rows of the outermost; RaggedTensorToSparse gives
 * every value its coordinates. */
#include "ops/array/ragged.h"

#include <string.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

bool ragged_put(struct tensor *splits, int64_t i, int64_t v, struct status *st)
{
    if (splits->dtype == DT_INT64)
        tensor_i64(splits)[i] = v;
    else if (v > INT32_MAX)
        return status_invalid(st, "%lld does not fit into splits of int32", (long long)v);
    else
        tensor_i32(splits)[i] = (int32_t)v;
    return true;
}

bool ragged_check(const struct kctx *c, int levels, struct status *st)
{
    if (tensor_rank(kernel_in(c, levels)) < 1)
        return status_invalid(st, "the values of a ragged tensor are at least a vector");
    for (int l = 0; l < levels; l++) {
        const struct tensor *s = kernel_in(c, l);
        if (tensor_rank(s) != 1)
            return status_invalid(st, "ragged splits are vectors, but not those of level %d", l);
    }
    for (int l = 0; l < levels; l++) {
        const struct tensor *s = kernel_in(c, l), *next = kernel_in(c, l + 1);
        const int64_t limit = l + 1 < levels ? ragged_rows(next) : tensor_dim(next, 0);
        for (int64_t i = 0; i < s->num_elems; i++) {
            if (tensor_index(s, i) < (i > 0 ? tensor_index(s, i - 1) : 0))
                return status_invalid(st, "Ragged splits must be sorted");
        }
        if (s->num_elems > 0 && tensor_index(s, s->num_elems - 1) > (limit > 0 ? limit : 0))
            return status_invalid(st, "Ragged splits must not point past values");
    }
    return true;
}

/* --- gather --- */

struct gather {
    int levels;      /* of the params */
    int64_t n;       /* indices */
    int64_t *ranges; /* n pairs: the rows that each index takes, of the level that is worked on */
    int out;         /* the next output */
};

/* The splits that the shape of the indices makes: of all dims but the last. */
static bool outer_splits(struct kctx *c, struct gather *g, struct status *st)
{
    const struct tensor *indices = kernel_in(c, g->levels + 1);
    int64_t rows = 1;
    for (int d = 0; d + 1 < tensor_rank(indices); d++) {
        rows *= tensor_dim(indices, d);
        const struct shape s = shape_1(rows + 1);
        struct tensor *splits = kernel_out(c, g->out++, &s, st);
        if (!splits)
            return false;
        for (int64_t i = 0; i <= rows; i++) {
            if (!ragged_put(splits, i, i * tensor_dim(indices, d + 1), st))
                return false;
        }
    }
    return true;
}

static bool sum_ranges(const struct gather *g, int64_t *sum, struct status *st)
{
    *sum = 0;
    for (int64_t i = 0; i < g->n; i++) {
        if (__builtin_add_overflow(*sum, g->ranges[2 * i + 1] - g->ranges[2 * i], sum))
            return status_invalid(st, "RaggedGather: the result is too large");
    }
    return true;
}

/* The splits of what the ranges name, unless the index was one row alone; the ranges become those
 * of the next level. */
static bool level_splits(struct kctx *c, struct gather *g, int level, bool wanted,
                         struct status *st)
{
    const struct tensor *from = kernel_in(c, level);
    int64_t rows, at = 0, sum = 0;
    if (!sum_ranges(g, &rows, st))
        return false;
    const struct shape s = shape_1(rows + 1);
    struct tensor *to = wanted ? kernel_out(c, g->out++, &s, st) : NULL;
    if (wanted && (!to || !ragged_put(to, 0, 0, st)))
        return false;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t *r = g->ranges + 2 * i;
        for (int64_t k = r[0]; wanted && k < r[1]; k++) {
            if (__builtin_add_overflow(sum, tensor_index(from, k + 1) - tensor_index(from, k),
                                       &sum))
                return status_invalid(st, "RaggedGather: the result is too large");
            if (!ragged_put(to, ++at, sum, st))
                return false;
        }
        r[0] = tensor_index(from, r[0]);
        r[1] = tensor_index(from, r[1]);
    }
    return true;
}

static bool gather_values(struct kctx *c, struct gather *g, struct status *st)
{
    const struct tensor *from = kernel_in(c, g->levels);
    int64_t rows, row = 1, dims[SHAPE_MAX_RANK];
    if (!sum_ranges(g, &rows, st))
        return false;
    dims[0] = rows;
    for (int d = 1; d < tensor_rank(from); d++)
        row *= dims[d] = tensor_dim(from, d);
    struct shape s = shape_make(dims, tensor_rank(from));
    struct tensor *to = kernel_out(c, g->out, &s, st);
    shape_clear(&s);
    if (!to)
        return false;
    const size_t item = (size_t)row * dtype_size(from->dtype);
    char *at = to->data;
    for (int64_t i = 0; i < g->n && item > 0; i++) {
        const int64_t *r = g->ranges + 2 * i, n = r[1] - r[0];
        if (n > 0 &&
            !elems_copy(from->dtype, at, (const char *)from->data + (size_t)r[0] * item, n * row))
            return status_exhausted(st, "no memory to copy strings");
        at += (size_t)n * item;
    }
    return true;
}

static bool start_ranges(struct kctx *c, struct gather *g, struct status *st)
{
    const struct tensor *indices = kernel_in(c, g->levels + 1);
    const int64_t rows = ragged_rows(kernel_in(c, 0));
    g->n = indices->num_elems;
    g->ranges = kernel_scratch(c, 2 * g->n * (int64_t)sizeof *g->ranges + 1, st);
    if (!g->ranges)
        return false;
    for (int64_t i = 0; i < g->n; i++) {
        const int64_t v = tensor_index(indices, i);
        if (v < 0 || v >= rows)
            return status_invalid(st, "indices[%lld] = %lld is not in [0, %lld)", (long long)i,
                                  (long long)v, (long long)rows);
        g->ranges[2 * i] = v;
        g->ranges[2 * i + 1] = v + 1;
    }
    return true;
}

static bool gather_run(struct kctx *c, struct status *st)
{
    struct gather g = {.levels = kernel_num_inputs(c) - 2};
    const int rank = tensor_rank(kernel_in(c, g.levels + 1));
    if (kernel_num_outputs(c) != g.levels + rank)
        return status_invalid(st,
                              "OUTPUT_RAGGED_RANK must be %d with %d levels and indices of rank %d",
                              g.levels + rank - 1, g.levels, rank);
    if (!ragged_check(c, g.levels, st) || !start_ranges(c, &g, st) || !outer_splits(c, &g, st))
        return false;
    for (int l = 0; l < g.levels; l++) {
        if (!level_splits(c, &g, l, l > 0 || rank > 0, st))
            return false;
    }
    return gather_values(c, &g, st);
}

static bool gather_shape(struct infer_ctx *c, struct status *st)
{
    const int levels = infer_num_inputs(c) - 2, out = infer_num_outputs(c) - 1;
    const struct shape *s;
    for (int i = 0; i < levels; i++) {
        if (!infer_want_rank(c, infer_input(c, i), 1, &s, st))
            return false;
    }
    if (out - levels + 1 < 0)
        return status_invalid(st, "OUTPUT_RAGGED_RANK is at least PARAMS_RAGGED_RANK - 1");
    if (!infer_want_rank(c, infer_input(c, levels + 1), out - levels + 1, &s, st))
        return false;
    for (int i = 0; i < out; i++)
        infer_set(c, i, infer_vector(c, DIM_UNKNOWN));
    if (!infer_want_rank_min(c, infer_input(c, levels), 1, &s, st))
        return false;
    infer_set(c, out, s->rank == RANK_UNKNOWN ? s : infer_with_dim(c, s, 0, DIM_UNKNOWN));
    return true;
}

static struct output gather_of(struct grad_ctx *g, struct output from, struct output at)
{
    return grad_op3(g, "GatherV2", from, at, grad_const_i32(g, 0));
}

/* The rows of the values that were taken, one after another. */
static bool gather_grad(struct grad_ctx *g, struct status *st)
{
    const int levels = grad_num_inputs(g) - 2;
    struct output splits = grad_in(g, 0);
    for (int l = 1; l < levels; l++)
        splits = gather_of(g, grad_in(g, l), splits);
    struct output flat =
        grad_reshape(g, grad_in(g, levels + 1), grad_const_i32s(g, (int32_t[]){-1}, 1));
    struct output starts = gather_of(g, splits, flat);
    struct output ends = grad_opv(g, "strided_slice=StridedSlice", 4,
                                  (struct output[]){splits, grad_const_i32s(g, (int32_t[]){1}, 1),
                                                    grad_const_i32s(g, (int32_t[]){0}, 1),
                                                    grad_const_i32s(g, (int32_t[]){1}, 1)},
                                  1, (struct attr[]){{(char *)"end_mask", attr_int(1)}});
    struct output one = grad_cast(g, grad_const_i32(g, 1), grad_type_of(g, splits));
    struct node *rows =
        grad_nodev(g, "RaggedRange", 3, (struct output[]){starts, gather_of(g, ends, flat), one}, 1,
                   (struct attr[]){{(char *)"Tsplits", attr_type(grad_type_of(g, splits))}});
    grad_set_slices(g, levels,
                    (struct grad_slices){grad_dy(g, grad_num_outputs(g) - 1),
                                         grad_node_out(g, rows, 1),
                                         grad_shape(g, grad_in(g, levels))});
    return grad_done(g, st);
}

OP_DEF(ragged_gather) = {
    .name = "RaggedGather",
    .summary = "Rows of a ragged tensor, chosen by indices.",
    .inputs = {"params_nested_splits: PARAMS_RAGGED_RANK * Tsplits", "params_dense_values: Tvalues",
               "indices: Tindices"},
    .outputs = {"output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits",
                "output_dense_values: Tvalues"},
    .attrs = {"Tvalues: type", "Tindices: {int32, int64}", "Tsplits: {int32, int64} = DT_INT64",
              "PARAMS_RAGGED_RANK: int >= 1", "OUTPUT_RAGGED_RANK: int >= 0"},
    .shape = gather_shape,
    .grad = gather_grad,
};
KERNEL_DEF(ragged_gather_cpu) = {
    .op = "RaggedGather",
    .device = "CPU",
    .types = {RAGGED_VALUES, "Tindices: {int32, int64}", "Tsplits: {int32, int64}"},
    .run = gather_run,
};

/* --- to sparse --- */

struct places {
    int levels, inner; /* dims of a value's own, inside of the ragged ones */
    int64_t row[SHAPE_MAX_RANK], dims[SHAPE_MAX_RANK];
};

static bool find_dims(const struct kctx *c, struct places *p, struct status *st)
{
    const struct tensor *values = kernel_in(c, p->levels);
    if (p->levels + tensor_rank(values) > SHAPE_MAX_RANK)
        return status_invalid(st, "too many dimensions: %d", p->levels + tensor_rank(values));
    for (int l = 0; l < p->levels; l++) {
        const struct tensor *s = kernel_in(c, l), *next = kernel_in(c, l + 1);
        if (s->num_elems == 0)
            return status_invalid(st, "ragged splits may not be empty.");
        if (tensor_index(s, 0) != 0)
            return status_invalid(st, "First value of ragged splits must be 0.");
        const int64_t all = l + 1 < p->levels ? ragged_rows(next) : tensor_dim(next, 0);
        if (tensor_index(s, ragged_rows(s)) != all)
            return status_invalid(st,
                                  "Final value of ragged splits must match the length the "
                                  "corresponding ragged array: %lld, not %lld",
                                  (long long)all, (long long)tensor_index(s, ragged_rows(s)));
        for (int64_t i = 0; i < ragged_rows(s); i++) {
            const int64_t n = tensor_index(s, i + 1) - tensor_index(s, i);
            if (n > p->dims[l + 1])
                p->dims[l + 1] = n;
        }
    }
    p->dims[0] = ragged_rows(kernel_in(c, 0));
    for (int d = 0; d < p->inner; d++)
        p->dims[p->levels + 1 + d] = tensor_dim(values, d + 1);
    return true;
}

/* The coordinates of row v of the values; called with rising v. */
static void place(const struct kctx *c, struct places *p, int64_t v, int64_t *at)
{
    for (int l = p->levels - 1; l >= 0; l--) {
        const struct tensor *s = kernel_in(c, l);
        while (tensor_index(s, p->row[l] + 1) <= v)
            p->row[l]++;
        at[l + 1] = v - tensor_index(s, p->row[l]);
        v = p->row[l];
    }
    at[0] = v;
}

static void fill_places(const struct kctx *c, struct places *p, int64_t rows, int64_t each,
                        int64_t *to)
{
    const int width = p->levels + 1 + p->inner;
    int64_t at[SHAPE_MAX_RANK];
    for (int64_t v = 0; v < rows; v++) {
        place(c, p, v, at);
        for (int64_t k = 0; k < each; k++) {
            int64_t rest = k;
            for (int d = p->inner; d > 0; d--) {
                at[p->levels + d] = rest % p->dims[p->levels + d];
                rest /= p->dims[p->levels + d];
            }
            memcpy(to, at, (size_t)width * sizeof *to);
            to += width;
        }
    }
}

static bool to_sparse_run(struct kctx *c, struct status *st)
{
    struct places p = {.levels = kernel_num_inputs(c) - 1};
    const struct tensor *values = kernel_in(c, p.levels);
    p.inner = tensor_rank(values) - 1;
    if (!ragged_check(c, p.levels, st) || !find_dims(c, &p, st))
        return false;
    const int width = p.levels + 1 + p.inner;
    const int64_t n = values->num_elems, rows = tensor_dim(values, 0);
    const struct shape m = shape_2(n, width), v = shape_1(n), r = shape_1(width);
    struct tensor *ix = kernel_out(c, 0, &m, st);
    struct tensor *y = ix ? kernel_out(c, 1, &v, st) : NULL;
    struct tensor *dims = y ? kernel_out(c, 2, &r, st) : NULL;
    if (!dims)
        return false;
    if (n > 0)
        fill_places(c, &p, rows, n / rows, tensor_i64(ix));
    if (!elems_copy(y->dtype, y->data, values->data, n))
        return status_exhausted(st, "no memory to copy strings");
    memcpy(dims->data, p.dims, (size_t)width * sizeof *p.dims);
    return true;
}

static bool to_sparse_shape(struct infer_ctx *c, struct status *st)
{
    const int levels = infer_num_inputs(c) - 1;
    const struct shape *s;
    for (int i = 0; i < levels; i++) {
        if (!infer_want_rank(c, infer_input(c, i), 1, &s, st))
            return false;
    }
    if (!infer_want_rank_min(c, infer_input(c, levels), 1, &s, st))
        return false;
    int64_t n = s->rank == RANK_UNKNOWN ? DIM_UNKNOWN : 1;
    for (int d = 0; d < s->rank; d++)
        n = infer_dim_mul(n, infer_dim(s, d));
    const int64_t width = s->rank == RANK_UNKNOWN ? DIM_UNKNOWN : levels + s->rank;
    infer_set(c, 0, infer_matrix(c, n, width));
    infer_set(c, 1, infer_vector(c, n));
    infer_set(c, 2, infer_vector(c, width));
    return true;
}

static bool to_sparse_grad(struct grad_ctx *g, struct status *st)
{
    const int levels = grad_num_inputs(g) - 1;
    grad_set(g, levels, grad_reshape(g, grad_dy(g, 1), grad_shape(g, grad_in(g, levels))));
    return grad_done(g, st);
}

OP_DEF(ragged_tensor_to_sparse) = {
    .name = "RaggedTensorToSparse",
    .summary = "A ragged tensor as a sparse one of the same values.",
    .inputs = {"rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: T"},
    .outputs = {"sparse_indices: int64", "sparse_values: T", "sparse_dense_shape: int64"},
    .attrs = {"RAGGED_RANK: int >= 1", "T: type", "Tsplits: {int32, int64} = DT_INT64"},
    .shape = to_sparse_shape,
    .grad = to_sparse_grad,
};
KERNEL_DEF(ragged_tensor_to_sparse_cpu) = {.op = "RaggedTensorToSparse",
                                           .device = "CPU",
                                           .types = {"Tsplits: {int32, int64}"},
                                           .run = to_sparse_run};
