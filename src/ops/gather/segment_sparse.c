/* SPDX-License-Identifier: Apache-2.0 */
/* SparseSegmentSum, Mean, SqrtN, their forms with a number of segments, and the gradients' ops:
 * rows of a table that indices name, added up over runs of equal, ascending segment ids, without a
 * copy of the rows in between. Made for sums of embeddings: wide rows of float. */
#include <math.h>
#include <string.h>

#include "math/rows.h"
#include "ops/gather/gather.h"
#include "ops/gather/segment.h"

enum weight { WEIGHT_ONE, WEIGHT_MEAN, WEIGHT_SQRT };

#define ROWS(name, type)                                                                           \
    static void add_##name(void *y_, const void *x_, int64_t n)                                    \
    {                                                                                              \
        type *restrict y = y_;                                                                     \
        const type *restrict x = x_;                                                               \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] += x[i];                                                                          \
    }                                                                                              \
    static void scale_##name(void *y_, double by, int64_t n)                                       \
    {                                                                                              \
        type *y = y_;                                                                              \
        type f = (type)by;                                                                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] *= f;                                                                             \
    }                                                                                              \
    static void add_scaled_##name(void *y_, const void *x_, double by, int64_t n)                  \
    {                                                                                              \
        type *restrict y = y_;                                                                     \
        const type *restrict x = x_;                                                               \
        type f = (type)by;                                                                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] += x[i] * f;                                                                      \
    }
ROWS(f32, float)
ROWS(f64, double)
#undef ROWS

static double factor(enum weight w, int64_t n)
{
    return w == WEIGHT_MEAN ? 1.0 / (double)n : w == WEIGHT_SQRT ? 1.0 / sqrt((double)n) : 1.0;
}

/* --- checks --- */

static bool check_pairs(const struct kctx *c, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 1), *ids = kernel_in(c, 2);
    if (tensor_rank(ix) != 1)
        return status_invalid(st, "indices should be a vector.");
    if (tensor_rank(ids) != 1)
        return status_invalid(st, "segment_ids should be a vector.");
    if (ix->num_elems != ids->num_elems)
        return status_invalid(st, "segment_ids and indices should have same size.");
    return tensor_rank(kernel_in(c, 0)) >= 1 || status_invalid(st, "Shape must be at least rank 1");
}

static bool check_ids(const struct tensor *ids, int64_t rows, struct status *st)
{
    const int32_t *id = tensor_i32(ids);
    for (int64_t i = 0; i < ids->num_elems; i++) {
        if (i + 1 < ids->num_elems && id[i + 1] < id[i])
            return status_invalid(st, "segment ids are not increasing");
        if (id[i] < 0 || id[i] >= rows)
            return status_invalid(st,
                                  "Segment id %d out of range [0, %lld), possibly because "
                                  "'segment_ids' input is not sorted.",
                                  id[i], (long long)rows);
    }
    return true;
}

/* --- the sums --- */

struct sums {
    const struct tensor *data, *ix, *ids;
    struct tensor *out;
    int64_t inner;
    enum weight weight;
};

/* The first entry whose id is at least `row`. */
static int64_t first_at(const struct tensor *ids, int64_t row)
{
    int64_t low = 0, high = ids->num_elems;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (tensor_i32(ids)[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Rows [begin, end) of the result, each by one thread. */
static void sum_rows(void *arg, int64_t begin, int64_t end)
{
    const struct sums *s = arg;
    bool f64 = s->data->dtype == DT_DOUBLE;
    size_t row = (size_t)s->inner * dtype_size(s->data->dtype);
    int64_t n = s->ids->num_elems;
    for (int64_t r = begin, i = first_at(s->ids, begin); r < end; r++) {
        char *y = (char *)s->out->data + (size_t)r * row;
        int64_t from = i;
        for (; i < n && tensor_i32(s->ids)[i] == r; i++) {
            const char *x = (const char *)s->data->data + (size_t)tensor_index(s->ix, i) * row;
            if (i == from)
                memcpy(y, x, row);
            else if (f64)
                add_f64(y, x, s->inner);
            else
                add_f32(y, x, s->inner);
        }
        if (i == from)
            memset(y, 0, row);
        else if (s->weight != WEIGHT_ONE && i - from > 1)
            (f64 ? scale_f64 : scale_f32)(y, factor(s->weight, i - from), s->inner);
    }
}

/* The other types, which only Sum has: rows are gathered, then added. */
static bool sum_others(struct kctx *c, const struct sums *s, struct status *st)
{
    int64_t row = s->inner * (int64_t)dtype_size(s->data->dtype), bytes;
    if (__builtin_mul_overflow(row, s->ids->num_elems, &bytes))
        return status_exhausted(st, "the rows are too large");
    void *rows = kernel_scratch(c, bytes, st);
    if (!rows)
        return false;
    struct math_gather g = {.index_dtype = s->ix->dtype,
                            .indices = s->ix->data,
                            .num = s->ix->num_elems,
                            .limit = tensor_dim(s->data, 0),
                            .outer = 1,
                            .row_bytes = row,
                            .x = s->data->data,
                            .y = rows};
    struct math_scatter add = {.op = MATH_SCATTER_ADD,
                               .dtype = s->data->dtype,
                               .index_dtype = DT_INT32,
                               .indices = s->ids->data,
                               .num = s->ids->num_elems,
                               .limit = tensor_dim(s->out, 0),
                               .row_items = s->inner,
                               .updates = rows,
                               .table = s->out->data};
    segment_fill(s->out, SEGMENT_ZERO);
    math_gather(kernel_pool(c), &g); /* both kinds of indices were checked */
    math_scatter(kernel_pool(c), &add);
    return true;
}

static bool num_rows(const struct kctx *c, int64_t *rows, struct status *st)
{
    const struct tensor *ids = kernel_in(c, 2);
    int64_t last = ids->num_elems ? tensor_i32(ids)[ids->num_elems - 1] : -1;
    *rows = last + 1;
    if (kernel_num_inputs(c) == 3)
        return *rows >= 0 || status_invalid(st, "segment ids must be >= 0");
    const struct tensor *num = kernel_in(c, 3);
    if (tensor_rank(num) != 0)
        return gather_fail_shapes(st, "num_segments should be a scalar, not shape ", &num->shape,
                                  "", NULL, "");
    if (tensor_index(num, 0) < last + 1)
        return status_invalid(st, "segment ids must be < num_segments");
    *rows = tensor_index(num, 0);
    return *rows >= 0 || status_invalid(st, "segment ids must be >= 0");
}

static bool sums_run(struct kctx *c, struct status *st)
{
    const struct tensor *data = kernel_in(c, 0), *ix = kernel_in(c, 1), *ids = kernel_in(c, 2);
    int64_t rows, elems;
    if (!check_pairs(c, st) || !num_rows(c, &rows, st))
        return false;
    int64_t bad = math_find_bad_index(ix->dtype, ix->data, ix->num_elems, tensor_dim(data, 0));
    if (bad >= 0 && check_ids(ids, rows, st))
        return status_invalid(st, "Bad: indices[%lld] == %lld out of range [0, %lld)",
                              (long long)bad, (long long)tensor_index(ix, bad),
                              (long long)tensor_dim(data, 0));
    if (bad >= 0 || !check_ids(ids, rows, st))
        return false;
    struct shape head = shape_1(rows), shape;
    if (!gather_join(&head, 1, &data->shape, 1, &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out || elems == 0)
        return out != NULL;
    struct sums s = {data,
                     ix,
                     ids,
                     out,
                     gather_span(&data->shape, 1, tensor_rank(data)),
                     *(enum weight *)kernel_state(c)};
    if (data->dtype != DT_FLOAT && data->dtype != DT_DOUBLE)
        return sum_others(c, &s, st);
    double each = 5 + 0.3 * (double)s.inner * (double)(ids->num_elems + rows) / (double)rows;
    kernel_loop(c, rows, each, sum_rows, &s);
    return true;
}

/* --- the gradients' ops: dy of a segment goes back to each row that it was made of --- */

static bool back_rows(struct kctx *c, enum weight weight, struct tensor *out, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *ix = kernel_in(c, 1), *ids = kernel_in(c, 2);
    bool f64 = dy->dtype == DT_DOUBLE;
    int64_t n = ids->num_elems, num = tensor_dim(dy, 0), rows = tensor_dim(out, 0);
    int64_t inner = gather_span(&dy->shape, 1, tensor_rank(dy));
    size_t row = (size_t)inner * dtype_size(dy->dtype);
    double *by = kernel_scratch(c, num * (int64_t)sizeof(*by), st);
    if (!by)
        return false;
    memset(by, 0, (size_t)num * sizeof(*by));
    for (int64_t i = 0; i < n; i++) {
        int32_t id = tensor_i32(ids)[i];
        if (id < 0 || id >= num)
            return status_invalid(st, "Segment id %d out of range [0, %lld).", id, (long long)num);
        by[id]++;
    }
    for (int64_t i = 0; i < num; i++)
        by[i] = by[i] > 0 ? factor(weight, (int64_t)by[i]) : 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = tensor_index(ix, i), id = tensor_i32(ids)[i];
        if (at < 0 || at >= rows)
            return status_invalid(st, "Index %lld out of range [0, %lld).", (long long)at,
                                  (long long)rows);
        (f64 ? add_scaled_f64 : add_scaled_f32)((char *)out->data + (size_t)at * row,
                                                (const char *)dy->data + (size_t)id * row, by[id],
                                                inner);
    }
    return true;
}

static bool back_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *ids = kernel_in(c, 2), *dim = kernel_in(c, 3);
    int64_t elems;
    if (!check_pairs(c, st))
        return false;
    if (tensor_rank(dim) != 0)
        return status_invalid(st, "output_dim0 should be a scalar.");
    int64_t rows = tensor_i32(dim)[0], n = ids->num_elems;
    if (rows < 0)
        return status_invalid(st, "output_dim0 is negative: %lld", (long long)rows);
    if (n > 0 && (int64_t)tensor_i32(ids)[n - 1] + 1 > tensor_dim(dy, 0))
        return status_invalid(st, "Invalid number of segments");
    struct shape head = shape_1(rows), shape;
    if (!gather_join(&head, 1, &dy->shape, 1, &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    memset(out->data, 0, tensor_bytes(out));
    return back_rows(c, *(enum weight *)kernel_state(c), out, st);
}

/* --- shapes and gradients --- */

static bool infer_rows(struct infer_ctx *c, int64_t rows, struct status *st)
{
    const struct shape *data, *ix, *ids, *merged;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &data, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &ix, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &ids, st) ||
        !infer_merge(c, ix, ids, &merged, st))
        return false;
    infer_set(c, 0,
              infer_concat(c, infer_vector(c, rows), infer_slice(c, data, 1, SHAPE_MAX_RANK)));
    return true;
}

static bool sums_shape(struct infer_ctx *c, struct status *st)
{
    return infer_rows(c, DIM_UNKNOWN, st);
}

static bool numbered_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    bool known;
    int64_t rows;
    if (!infer_want_rank(c, infer_input(c, 3), 0, &s, st) ||
        !infer_const_int(c, 3, &known, &rows, st))
        return false;
    if (known && rows < 0)
        return status_invalid(st, "Cannot specify a negative value for %s", "num_segments");
    return infer_rows(c, known ? rows : DIM_UNKNOWN, st);
}

/* How many rows the data have, as an int32 scalar. */
static struct output data_rows(struct grad_ctx *g)
{
    return grad_take_rows(g, grad_shape(g, grad_in(g, 0)), grad_const_i32(g, 0));
}

static bool sum_grad(struct grad_ctx *g, struct status *st)
{
    struct output rows = grad_take_rows(g, grad_dy(g, 0), grad_in(g, 2));
    grad_set(g, 0, grad_op3(g, "UnsortedSegmentSum", rows, grad_in(g, 1), data_rows(g)));
    return grad_done(g, st);
}

static bool weighted_grad(struct grad_ctx *g, const char *op, struct status *st)
{
    struct output in[] = {grad_dy(g, 0), grad_in(g, 1), grad_in(g, 2), data_rows(g)};
    grad_set(g, 0, grad_opv(g, op, 4, in, 0, NULL));
    return grad_done(g, st);
}

static bool mean_grad(struct grad_ctx *g, struct status *st)
{
    return weighted_grad(g, "SparseSegmentMeanGrad", st);
}

static bool sqrt_grad(struct grad_ctx *g, struct status *st)
{
    return weighted_grad(g, "SparseSegmentSqrtNGrad", st);
}

static bool init_one(struct kernel *k UNUSED, void *state, struct status *st UNUSED)
{
    *(enum weight *)state = WEIGHT_ONE;
    return true;
}

static bool init_mean(struct kernel *k UNUSED, void *state, struct status *st UNUSED)
{
    *(enum weight *)state = WEIGHT_MEAN;
    return true;
}

static bool init_sqrt(struct kernel *k UNUSED, void *state, struct status *st UNUSED)
{
    *(enum weight *)state = WEIGHT_SQRT;
    return true;
}

#define FLOATS "T: {float, double}"

#define SUMS(id, op_name, text, constraint, kernel_types, init_fn, grad_fn)                        \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text ".",                                                                       \
        .inputs = {"data: T", "indices: Tidx", "segment_ids: int32"},                              \
        .outputs = {"output: T"},                                                                  \
        .attrs = {constraint, "Tidx: {int32, int64} = DT_INT32"},                                  \
        .shape = sums_shape,                                                                       \
        .grad = grad_fn,                                                                           \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {kernel_types, "Tidx: {int32}"},                              \
                            .state_bytes = sizeof(enum weight),                                    \
                            .init = init_fn,                                                       \
                            .run = sums_run};                                                      \
    OP_DEF(id##_num) = {                                                                           \
        .name = op_name "WithNumSegments",                                                         \
        .summary = text ", with a given number of segments.",                                      \
        .inputs = {"data: T", "indices: Tidx", "segment_ids: int32",                               \
                   "num_segments: Tnumsegments"},                                                  \
        .outputs = {"output: T"},                                                                  \
        .attrs = {constraint, "Tidx: {int32, int64} = DT_INT32",                                   \
                  "Tnumsegments: {int32, int64} = DT_INT32"},                                      \
        .shape = numbered_shape,                                                                   \
        .grad = grad_fn,                                                                           \
    };                                                                                             \
    KERNEL_DEF(id##_num_cpu) = {.op = op_name "WithNumSegments",                                   \
                                .device = "CPU",                                                   \
                                .types = {kernel_types, "Tidx: {int32}"},                          \
                                .state_bytes = sizeof(enum weight),                                \
                                .init = init_fn,                                                   \
                                .run = sums_run}

SUMS(sparse_segment_sum, "SparseSegmentSum", "Sums of the rows that indices name, by segment",
     "T: realnumbertype", SEGMENT_REALS, init_one, sum_grad);
SUMS(sparse_segment_mean, "SparseSegmentMean", "Means of the rows that indices name, by segment",
     FLOATS, FLOATS, init_mean, mean_grad);
SUMS(sparse_segment_sqrt_n, "SparseSegmentSqrtN",
     "Sums of the rows that indices name over the root of their number, by segment", FLOATS, FLOATS,
     init_sqrt, sqrt_grad);

#define BACK(id, op_name, text, init_fn)                                                           \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"grad: T", "indices: Tidx", "segment_ids: int32", "output_dim0: int32"},        \
        .outputs = {"output: T"},                                                                  \
        .attrs = {FLOATS, "Tidx: {int32, int64} = DT_INT32"},                                      \
        .shape = numbered_shape,                                                                   \
        .no_grad = "undefined: TensorFlow registers none",                                         \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {FLOATS, "Tidx: {int32}"},                                    \
                            .state_bytes = sizeof(enum weight),                                    \
                            .init = init_fn,                                                       \
                            .run = back_run}
BACK(sparse_segment_mean_grad, "SparseSegmentMeanGrad", "The gradient of SparseSegmentMean's data.",
     init_mean);
BACK(sparse_segment_sqrt_n_grad, "SparseSegmentSqrtNGrad",
     "The gradient of SparseSegmentSqrtN's data.", init_sqrt);
