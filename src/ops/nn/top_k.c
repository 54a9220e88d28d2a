/* SPDX-License-Identifier: Apache-2.0 */
/* TopK and TopKV2: the k greatest of each row and where they stood, of equal ones the first.
 *
 * A heap of the k best so far, the least of them on top: a value that is not better is passed over
 * with one comparison, so the usual k of a few among thousands costs one pass over the row. In what
 * order `sorted` = false leaves the heap follows from the textbook binary heap. Narrow types are
 * widened to one of three first. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* One row: the indices of the best k in order[0..k); order has room for k + 1. NaN is never less
 * than anything. */
#define TOP_ROW(T)                                                                                 \
    static inline bool better_##T(const T *row, int32_t a, int32_t b)                              \
    {                                                                                              \
        return row[b] < row[a] || (!(row[b] > row[a]) && a < b);                                   \
    }                                                                                              \
    /* Lets v rise from the free place `at` to where its parent is worse, not above `top`. */      \
    static void rise_##T(const T *row, int32_t *heap, int64_t at, int64_t top, int32_t v)          \
    {                                                                                              \
        for (; at > top && better_##T(row, heap[(at - 1) / 2], v); at = (at - 1) / 2)              \
            heap[at] = heap[(at - 1) / 2];                                                         \
        heap[at] = v;                                                                              \
    }                                                                                              \
    /* The worse child moves up until the free place is at the bottom, where v goes in. */         \
    static void sink_##T(const T *row, int32_t *heap, int64_t at, int64_t n, int32_t v)            \
    {                                                                                              \
        int64_t top = at, child = at;                                                              \
        while (child < (n - 1) / 2) {                                                              \
            child = 2 * child + 2;                                                                 \
            child -= better_##T(row, heap[child], heap[child - 1]);                                \
            heap[at] = heap[child];                                                                \
            at = child;                                                                            \
        }                                                                                          \
        if (n % 2 == 0 && child == (n - 2) / 2) {                                                  \
            heap[at] = heap[2 * child + 1];                                                        \
            at = 2 * child + 1;                                                                    \
        }                                                                                          \
        rise_##T(row, heap, at, top, v);                                                           \
    }                                                                                              \
    static void heapify_##T(const T *row, int32_t *heap, int64_t n)                                \
    {                                                                                              \
        for (int64_t i = n / 2 - 1; i >= 0; i--)                                                   \
            sink_##T(row, heap, i, n, heap[i]);                                                    \
    }                                                                                              \
    /* Takes the worst off the n of the heap to place n - 1. */                                    \
    static void take_##T(const T *row, int32_t *heap, int64_t n)                                   \
    {                                                                                              \
        int32_t v = heap[n - 1];                                                                   \
        heap[n - 1] = heap[0];                                                                     \
        sink_##T(row, heap, 0, n - 1, v);                                                          \
    }                                                                                              \
    static void top_row_##T(const void *row_data, int64_t n, int64_t k, bool sorted,               \
                            int32_t *order)                                                        \
    {                                                                                              \
        const T *row = row_data;                                                                   \
        for (int64_t i = 0; i < min_i64(n, k + 1); i++)                                            \
            order[i] = (int32_t)i;                                                                 \
        heapify_##T(row, order, min_i64(n, k + 1));                                                \
        if (k < n) {                                                                               \
            take_##T(row, order, k + 1);                                                           \
            for (int64_t i = k + 1; i < n; i++)                                                    \
                if (better_##T(row, (int32_t)i, order[0]))                                         \
                    sink_##T(row, order, 0, k, (int32_t)i);                                        \
        }                                                                                          \
        for (int64_t i = k; (sorted || k == n) && i > 1; i--)                                      \
            take_##T(row, order, i);                                                               \
    }                                                                                              \
    static void top_one_##T(const void *row_data, int64_t n, int32_t *order)                       \
    {                                                                                              \
        const T *row = row_data;                                                                   \
        int64_t best = 0;                                                                          \
        while (best + 1 < n && row[best] != row[best]) /* a NaN only when there is nothing else */ \
            best++;                                                                                \
        for (int64_t i = best + 1; i < n; i++)                                                     \
            best = row[i] > row[best] ? i : best;                                                  \
        order[0] = row[best] == row[best] ? (int32_t)best : 0;                                     \
    }
TOP_ROW(float)
TOP_ROW(double)
TOP_ROW(int64_t)
#undef TOP_ROW

/* The type in which dtype is compared. */
static int wide_type(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
    case DT_HALF:
    case DT_BFLOAT16:
        return DT_FLOAT;
    case DT_DOUBLE:
        return DT_DOUBLE;
    default:
        return DT_INT64;
    }
}

static void widen(const struct tensor *in, void *out)
{
    const int64_t n = in->num_elems;
#define WIDEN(id, T, W, expr)                                                                      \
    case DT_##id:                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T x = ((const T *)in->data)[i];                                                  \
            ((W *)out)[i] = expr;                                                                  \
        }                                                                                          \
        break;
    switch (in->dtype) {
        WIDEN(HALF, struct f16, float, f16_to_f32(x))
        WIDEN(BFLOAT16, struct bf16, float, bf16_to_f32(x))
        WIDEN(INT8, int8_t, int64_t, x)
        WIDEN(UINT8, uint8_t, int64_t, x)
        WIDEN(INT16, int16_t, int64_t, x)
        WIDEN(UINT16, uint16_t, int64_t, x)
        WIDEN(INT32, int32_t, int64_t, x)
    }
#undef WIDEN
}

struct top {
    const char *rows; /* of wide elements */
    size_t row_bytes;
    int wide, dtype;
    const char *in;
    char *values;
    int32_t *indices, *order; /* order: k + 1 for each row */
    int64_t columns, k;
    bool sorted;
};

static void top_rows(void *arg, int64_t begin, int64_t end)
{
    const struct top *t = arg;
    const size_t item = dtype_size(t->dtype);
    for (int64_t r = begin; r < end; r++) {
        const char *row = t->rows + (size_t)r * t->row_bytes;
        int32_t *order = t->order + r * (t->k + 1);
        if (t->k == 1 && t->wide == DT_FLOAT)
            top_one_float(row, t->columns, order);
        else if (t->k == 1 && t->wide == DT_DOUBLE)
            top_one_double(row, t->columns, order);
        else if (t->k == 1)
            top_one_int64_t(row, t->columns, order);
        else if (t->wide == DT_FLOAT)
            top_row_float(row, t->columns, t->k, t->sorted, order);
        else if (t->wide == DT_DOUBLE)
            top_row_double(row, t->columns, t->k, t->sorted, order);
        else
            top_row_int64_t(row, t->columns, t->k, t->sorted, order);
        for (int64_t i = 0; i < t->k; i++)
            memcpy(t->values + (size_t)(r * t->k + i) * item,
                   t->in + (size_t)(r * t->columns + order[i]) * item, item);
        memcpy(t->indices + r * t->k, order, (size_t)t->k * sizeof *order);
    }
}

static bool find_top(struct kctx *c, int64_t k, struct tensor *values, struct tensor *indices,
                     struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const int64_t columns = tensor_dim(in, tensor_rank(in) - 1),
                  rows = columns ? in->num_elems / columns : 0;
    if (k == 0 || rows == 0)
        return true;
    struct top t = {.wide = wide_type(in->dtype),
                    .dtype = in->dtype,
                    .rows = in->data,
                    .in = in->data,
                    .values = values->data,
                    .indices = tensor_i32(indices),
                    .columns = columns,
                    .k = k,
                    .sorted = attrs_bool(kernel_attrs(c), "sorted")};
    t.row_bytes = (size_t)columns * dtype_size(t.wide);
    if (t.wide != in->dtype) {
        char *wide = kernel_scratch(c, in->num_elems * (int64_t)dtype_size(t.wide), st);
        if (!wide)
            return false;
        widen(in, wide);
        t.rows = wide;
    }
    t.order = kernel_scratch(c, rows * (k + 1) * (int64_t)sizeof *t.order, st);
    if (!t.order)
        return false;
    kernel_loop(c, rows, (double)columns * (k == 1 ? 1 : 2) + (double)k * 20, top_rows, &t);
    return true;
}

static bool run(struct kctx *c, int64_t k, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (k < 0)
        return status_invalid(st, "Need k >= 0, got %lld", (long long)k);
    if (tensor_rank(in) < 1)
        return status_invalid(st, "input must be >= 1-D, got shape []");
    const int64_t columns = tensor_dim(in, tensor_rank(in) - 1);
    if (columns < k)
        return status_invalid(st, "input must have at least k columns. Had %lld, needed %lld",
                              (long long)columns, (long long)k);
    if (columns > INT32_MAX)
        return status_invalid(st, "input has too many columns");
    const int rank = tensor_rank(in);
    int64_t dims[SHAPE_MAX_RANK];
    memcpy(dims, shape_dims(&in->shape), (size_t)rank * sizeof *dims);
    dims[rank - 1] = k;
    struct shape shape = shape_make(dims, rank);
    struct tensor *values = kernel_out(c, 0, &shape, st);
    struct tensor *indices = values ? kernel_out(c, 1, &shape, st) : NULL;
    shape_clear(&shape);
    return indices && find_top(c, k, values, indices, st);
}

static bool top_k_run(struct kctx *c, struct status *st)
{
    return run(c, attrs_int(kernel_attrs(c), "k"), st);
}

static bool top_k_v2_run(struct kctx *c, struct status *st)
{
    const struct tensor *k = kernel_in(c, 1);
    if (tensor_rank(k) != 0) {
        struct strbuf text = {0};
        shape_print(&k->shape, &text);
        status_invalid(st, "k must be scalar, got shape %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    return run(c, tensor_i32(k)[0], st);
}

/* --- shape --- */

/* k: unknown perhaps */
static bool top_shape(struct infer_ctx *c, int64_t k, struct status *st)
{
    const struct shape *in;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &in, st))
        return false;
    const int64_t columns = infer_dim(in, -1);
    if (columns >= 0 && columns < k)
        return status_invalid(st, "input must have last dimension >= k = %lld but is %lld",
                              (long long)k, (long long)columns);
    const struct shape *out = in->rank < 0 ? in : infer_with_dim(c, in, in->rank - 1, k);
    infer_set(c, 0, out);
    infer_set(c, 1, out);
    return true;
}

static bool top_k_shape(struct infer_ctx *c, struct status *st)
{
    return top_shape(c, attrs_int(infer_attrs(c), "k"), st);
}

static bool top_k_v2_shape(struct infer_ctx *c, struct status *st)
{
    int64_t k;
    return infer_dim_from(c, 1, &k, st) && top_shape(c, k, st);
}

/* --- gradient --- */

static struct output item(struct grad_ctx *g, int32_t v)
{
    return grad_const_i32s(g, &v, 1);
}

/* dy goes back to the places that the values came from, which are counted over all rows. */
static bool top_grad(struct grad_ctx *g, struct status *st)
{
    struct output indices = grad_out(g, 1), shape = grad_shape(g, grad_in(g, 0));
    struct output last = grad_reshape(
        g, grad_op2(g, "Sub", grad_op1(g, "Rank", grad_in(g, 0)), grad_const_i32(g, 1)),
        item(g, 1));
    struct output columns = grad_op3(g, "Slice", shape, last, item(g, 1));
    struct output k = grad_op3(g, "Slice", grad_shape(g, indices), last, item(g, 1));
    struct output num_rows =
        grad_op2(g, "Prod", grad_op3(g, "Slice", shape, item(g, 0), last), grad_const_i32(g, 0));
    struct grad_build concat = {
        .op = "concat=ConcatV2",
        .inputs = (struct output[]){grad_reshape(g, num_rows, item(g, 1)), k, grad_const_i32(g, 0)},
        .num_inputs = 3,
        .list_sizes = (int[]){2, 1}};
    struct output matrix_shape = grad_node_out(g, grad_node(g, &concat), 0);
    struct output rows =
        grad_op3(g, "range=Range", grad_const_i32(g, 0), num_rows, grad_const_i32(g, 1));
    struct output starts =
        grad_op2(g, "ExpandDims", grad_mul(g, rows, columns), grad_const_i32(g, -1));
    struct output places =
        grad_reshape(g, grad_add(g, grad_reshape(g, indices, matrix_shape), starts), item(g, -1));
    struct output total =
        grad_reshape(g, grad_op2(g, "Prod", shape, grad_const_i32(g, 0)), item(g, 1));
    struct output dx =
        grad_op3(g, "ScatterNd", grad_op2(g, "ExpandDims", places, grad_const_i32(g, -1)),
                 grad_reshape(g, grad_dy(g, 0), item(g, -1)), total);
    grad_set(g, 0, grad_reshape(g, dx, shape));
    return grad_done(g, st);
}

OP_DEF(top_k) = {
    .name = "TopK",
    .summary = "The k greatest of each row, and their places in it.",
    .inputs = {"input: T"},
    .outputs = {"values: T", "indices: int32"},
    .attrs = {"k: int >= 0", "sorted: bool = true", "T: realnumbertype"},
    .deprecated_at = 7,
    .deprecated_why = "Use TopKV2 instead",
    .shape = top_k_shape,
    .grad = top_grad,
    .no_kernel = "TensorFlow has none for unsigned 32 and 64 bit integers",
};
KERNEL_DEF(top_k_cpu) = {
    .op = "TopK",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .run = top_k_run};

OP_DEF(top_kv2) = {
    .name = "TopKV2",
    .summary = "The k greatest of each row, and their places in it; k is an input.",
    .inputs = {"input: T", "k: int32"},
    .outputs = {"values: T", "indices: int32"},
    .attrs = {"sorted: bool = true", "T: realnumbertype"},
    .shape = top_k_v2_shape,
    .grad = top_grad,
    .no_kernel = "TensorFlow has none for unsigned 32 and 64 bit integers",
};
KERNEL_DEF(top_kv2_cpu) = {
    .op = "TopKV2",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .run = top_k_v2_run};
