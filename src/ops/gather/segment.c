/* SPDX-License-Identifier: Apache-2.0 */
/* SegmentSum, Mean, Prod, Max, Min: rows reduced over runs of equal, ascending segment ids. A
 * segment without rows is 0 (1 for Prod). */
#include <string.h>

#include "math/reduce.h"
#include "ops/gather/gather.h"
#include "ops/gather/segment.h"

static bool segment_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *data = infer_input(c, 0), *ids;
    if (!infer_want_rank_min(c, data, 1, &data, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &ids, st))
        return false;
    infer_set(
        c, 0,
        infer_concat(c, infer_vector(c, DIM_UNKNOWN), infer_slice(c, data, 1, SHAPE_MAX_RANK)));
    return true;
}

static struct output gather_by(struct grad_ctx *g, struct output x, struct output ids)
{
    return grad_take_rows(g, x, ids);
}

static bool sum_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, gather_by(g, grad_dy(g, 0), grad_in(g, 1)));
    return grad_done(g, st);
}

/* dy over the number of rows, which is counted by summing ones. */
static bool mean_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), ids = grad_in(g, 1), dy = grad_dy(g, 0);
    struct output rank = grad_rank(g, x);
    struct output tail =
        grad_op2(g, "ExpandDims", grad_sub(g, rank, grad_const_i32(g, 1)), grad_const_i32(g, 0));
    struct output parts[] = {grad_shape(g, ids), grad_op2(g, "Fill", tail, grad_const_i32(g, 1)),
                             grad_const_i32(g, 0)};
    struct grad_build join = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 3, .list_sizes = (int[]){2, 1}};
    struct output shape = grad_node_out(g, grad_node(g, &join), 0);
    grad_name(g, "Const");
    struct output ones = grad_op2(g, "Fill", shape, grad_const_like(g, dy, 1));
    struct output counts = grad_op2(g, "SegmentSum", ones, ids);
    grad_set(g, 0, gather_by(g, grad_div(g, dy, counts), ids));
    return grad_done(g, st);
}

/* Rows that attain the extreme share dy. */
static bool extreme_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), ids = grad_in(g, 1), dy = grad_dy(g, 0);
    struct output hit = grad_op2(g, "Equal", x, gather_by(g, grad_out(g, 0), ids));
    struct output num = grad_op2(g, "SegmentSum", grad_cast(g, hit, grad_type_of(g, dy)), ids);
    struct output share = gather_by(g, grad_div(g, dy, num), ids);
    grad_set(g, 0, grad_op3(g, "Select", hit, share, grad_zeros_like(g, share)));
    return grad_done(g, st);
}

static bool check_ids(const struct tensor *data, const struct tensor *ids, struct status *st)
{
    if (tensor_rank(ids) != 1)
        return status_invalid(st, "segment_ids should be a vector.");
    if (tensor_rank(data) < 1 || tensor_dim(data, 0) != ids->num_elems)
        return status_invalid(st, "segment_ids should be the same size as dimension 0 of input.");
    return true;
}

/* The reduced run of rows [begin, end) goes to row `id` of out. */
static bool reduce_run(struct kctx *c, struct math_reduce *r, int64_t begin, int64_t end,
                       const struct tensor *data, struct status *st)
{
    int64_t row = r->inner * (int64_t)dtype_size(r->dtype);
    (void)st;
    r->num = end - begin;
    r->x = (const char *)data->data + begin * row;
    math_reduce(kernel_pool(c), r);
    return true;
}

static bool segment_run(struct kctx *c, struct status *st)
{
    const struct tensor *data = kernel_in(c, 0), *ids = kernel_in(c, 1);
    enum math_reduce_op op = *(enum math_reduce_op *)kernel_state(c);
    if (!check_ids(data, ids, st))
        return false;
    int64_t n = ids->num_elems, rows = 0;
    if (n > 0 && __builtin_add_overflow(tensor_index(ids, n - 1), 1, &rows))
        return status_invalid(st, "segment ids are too large");
    if (rows < 0)
        return status_invalid(st, "segment ids must be >= 0");
    struct shape head = shape_1(rows), shape;
    int64_t elems;
    if (!gather_join(&head, 1, &data->shape, 1, &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    segment_fill(out, op == MATH_REDUCE_PROD ? SEGMENT_ONE : SEGMENT_ZERO);
    int64_t inner = gather_span(&data->shape, 1, tensor_rank(data));
    int64_t row_bytes = inner * (int64_t)dtype_size(data->dtype);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        int64_t id = tensor_index(ids, begin);
        for (end = begin + 1; end < n && tensor_index(ids, end) == id;)
            end++;
        if (end < n && tensor_index(ids, end) < id)
            return status_invalid(st, "segment ids are not increasing");
        if (id < 0 || id >= rows)
            return status_invalid(st,
                                  "Segment id %lld out of range [0, %lld), possibly because "
                                  "'segment_ids' input is not sorted.",
                                  (long long)id, (long long)rows);
        struct math_reduce r = {.op = op,
                                .dtype = data->dtype,
                                .y = (char *)out->data + id * row_bytes,
                                .outer = 1,
                                .inner = inner};
        if (inner > 0 && !reduce_run(c, &r, begin, end, data, st))
            return false;
    }
    return true;
}

#define SEGMENT(id, op_name, text, constraint, code, kernel_types, ...)                            \
    static bool id##_init(struct kernel *k, void *state, struct status *st)                        \
    {                                                                                              \
        (void)k;                                                                                   \
        (void)st;                                                                                  \
        *(enum math_reduce_op *)state = code;                                                      \
        return true;                                                                               \
    }                                                                                              \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"data: T", "segment_ids: Tindices"},                                            \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: " constraint, "Tindices: {int32, int64}"},                                   \
        .shape = segment_shape,                                                                    \
        __VA_ARGS__,                                                                               \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {kernel_types},                                                                   \
        .state_bytes = sizeof(enum math_reduce_op),                                                \
        .init = id##_init,                                                                         \
        .run = segment_run,                                                                        \
        .flags = KERNEL_EXPENSIVE,                                                                 \
    }

SEGMENT(segment_sum, "SegmentSum", "Sums of rows with equal, ascending segment ids.", "numbertype",
        MATH_REDUCE_SUM, SEGMENT_NUMBERS, .grad = sum_grad);
SEGMENT(segment_mean, "SegmentMean", "Means of rows with equal, ascending segment ids.",
        "numbertype", MATH_REDUCE_MEAN, SEGMENT_NUMBERS, .grad = mean_grad);
SEGMENT(segment_prod, "SegmentProd", "Products of rows with equal, ascending segment ids.",
        "numbertype", MATH_REDUCE_PROD, SEGMENT_NUMBERS,
        .no_grad = "undefined: TensorFlow registers none");
SEGMENT(segment_max, "SegmentMax", "Greatest of rows with equal, ascending segment ids.",
        "realnumbertype", MATH_REDUCE_MAX, SEGMENT_REALS, .grad = extreme_grad);
SEGMENT(segment_min, "SegmentMin", "Least of rows with equal, ascending segment ids.",
        "realnumbertype", MATH_REDUCE_MIN, SEGMENT_REALS, .grad = extreme_grad);
