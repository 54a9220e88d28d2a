/* SPDX-License-Identifier: Apache-2.0 */
/* DynamicPartition: rows dealt out to outputs by number; DynamicStitch puts rows back. */
#include <string.h>

#include "base/mem.h"
#include "ops/gather/gather.h"

/* --- DynamicPartition --- */

static bool partition_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *rest;
    if (!infer_merge_front(c, infer_input(c, 0), infer_input(c, 1), &rest, st))
        return false;
    const struct shape *out = infer_concat(c, infer_vector(c, DIM_UNKNOWN), rest);
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, out);
    return true;
}

/* The rows' own numbers go the same way; then dy's rows are stitched in these places. */
static bool partition_grad(struct grad_ctx *g, struct status *st)
{
    struct output data = grad_in(g, 0), parts = grad_in(g, 1);
    int n = grad_num_outputs(g);
    struct output num, shape = grad_shape(g, parts);
    if (grad_as_python(g)) {
        grad_name(g, "Const");
        num = grad_op2(g, "Prod", shape, grad_const_i32s(g, (int32_t[]){0}, 1));
    } else {
        num = grad_op1(g, "Size", parts);
    }
    struct output numbers =
        grad_op3(g, "range=Range", grad_const_i32(g, 0), num, grad_const_i32(g, 1));
    numbers = grad_reshape(g, numbers, shape);
    struct node *dealt = grad_nodev(g, "DynamicPartition", 2, (struct output[]){numbers, parts}, 1,
                                    (struct attr[]){{(char *)"num_partitions", attr_int(n)}});
    struct output *in = mem_new_array(struct output, 2 * n);
    for (int i = 0; i < n; i++) {
        in[i] = grad_node_out(g, dealt, i);
        in[n + i] = grad_dy(g, i);
    }
    struct grad_build b = {
        .op = "DynamicStitch", .inputs = in, .num_inputs = 2 * n, .list_sizes = (int[]){n, n}};
    struct output merged = grad_node_out(g, grad_node(g, &b), 0);
    mem_free(in);
    grad_set(g, 0, grad_reshape(g, merged, grad_shape(g, data)));
    return grad_done(g, st);
}

static bool partition_run(struct kctx *c, struct status *st)
{
    const struct tensor *data = kernel_in(c, 0), *parts = kernel_in(c, 1);
    int num = kernel_num_outputs(c), rank = tensor_rank(parts);
    bool starts = tensor_rank(data) >= rank;
    for (int i = 0; starts && i < rank; i++)
        starts = tensor_dim(data, i) == tensor_dim(parts, i);
    if (!starts)
        return gather_fail_shapes(
            st, "data.shape must start with partitions.shape, got data.shape = ", &data->shape,
            ", partitions.shape = ", &parts->shape, "");
    int64_t n = parts->num_elems, bytes, all;
    if (!size_add(n, num, &all) || !size_mul(all, (int64_t)sizeof(int64_t), &bytes))
        return status_exhausted(st, "too many rows");
    int64_t *count = kernel_scratch(c, bytes, st);
    if (!count)
        return false;
    int64_t *part = count + num; /* read once: counts and copies must agree */
    memset(count, 0, (size_t)num * sizeof(int64_t));
    for (int64_t i = 0; i < n; i++) {
        part[i] = ((const volatile int32_t *)parts->data)[i];
        if (part[i] < 0 || part[i] >= num) {
            struct strbuf place = {0};
            gather_place(&place, &parts->shape, rank, i);
            status_invalid(st, "partitions%s = %lld is not in [0, %d)", strbuf_text(&place),
                           (long long)part[i], num);
            strbuf_release(&place);
            return false;
        }
        count[part[i]]++;
    }
    for (int i = 0; i < num; i++) {
        struct shape head = shape_1(count[i]), shape;
        if (!gather_join(&head, 1, &data->shape, rank, &shape, st))
            return false;
        bool ok = kernel_out(c, i, &shape, st) != NULL;
        shape_clear(&shape);
        if (!ok)
            return false;
        count[i] = 0;
    }
    int64_t row = gather_span(&data->shape, rank, tensor_rank(data));
    int64_t row_bytes = row * (int64_t)dtype_size(data->dtype);
    for (int64_t i = 0; i < n; i++) {
        char *to = (char *)c->out[part[i]].data + count[part[i]]++ * row_bytes;
        if (!elems_copy(data->dtype, to, (const char *)data->data + i * row_bytes, row))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

OP_DEF(dynamic_partition) = {
    .name = "DynamicPartition",
    .summary = "Deals the rows of data out to outputs whose numbers partitions holds.",
    .inputs = {"data: T", "partitions: int32"},
    .outputs = {"outputs: num_partitions * T"},
    .attrs = {"num_partitions: int >= 1", "T: type"},
    .shape = partition_shape,
    .grad = partition_grad,
};
KERNEL_DEF(dynamic_partition_cpu) = {
    .op = "DynamicPartition",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = partition_run,
};

/* --- DynamicStitch --- */

static bool stitch_shape(struct infer_ctx *c, struct status *st)
{
    int n = infer_num_inputs(c) / 2;
    int64_t rows = 0;
    const struct shape *tail = infer_unknown(c), *rest;
    for (int i = 0; i < n; i++) {
        const struct shape *ix = infer_input(c, i), *data = infer_input(c, n + i);
        const struct tensor *t = infer_const(c, i);
        for (int64_t k = 0; t && rows >= 0 && k < t->num_elems; k++)
            rows = max_i64(rows, tensor_index(t, k) + 1);
        if (!t)
            rows = DIM_UNKNOWN;
        if (!infer_merge_front(c, data, ix, &rest, st) || !infer_merge(c, tail, rest, &tail, st))
            return false;
    }
    infer_set(c, 0, infer_concat(c, infer_vector(c, rows), tail));
    return true;
}

static bool stitch_grad(struct grad_ctx *g, struct status *st)
{
    int n = grad_num_inputs(g) / 2;
    struct output dy = grad_dy(g, 0);
    for (int i = 0; i < n; i++)
        grad_set(g, n + i, grad_take_rows(g, dy, grad_in(g, i)));
    return grad_done(g, st);
}

/* Row count of the result, and whether all inputs fit each other. */
static bool stitch_check(const struct kctx *c, int n, int64_t *rows, struct status *st)
{
    const struct tensor *data0 = kernel_in(c, n), *ix0 = kernel_in(c, 0);
    *rows = 0;
    for (int i = 0; i < n; i++) {
        const struct tensor *ix = kernel_in(c, i), *data = kernel_in(c, n + i);
        int a = tensor_rank(ix), tail = tensor_rank(data) - a;
        bool starts = tail >= 0;
        for (int k = 0; starts && k < a; k++)
            starts = tensor_dim(ix, k) == tensor_dim(data, k);
        if (!starts) {
            gather_fail_shapes(st, "].shape = ", &data->shape, " does not start with indices[",
                               NULL, "");
            struct strbuf text = {0};
            shape_print(&ix->shape, &text);
            status_prepend(st, "data[%d", i);
            status_append(st, "%d].shape = %s", i, strbuf_text(&text));
            strbuf_release(&text);
            return false;
        }
        bool same = tail == tensor_rank(data0) - tensor_rank(ix0);
        for (int k = 0; same && k < tail; k++)
            same = tensor_dim(data, a + k) == tensor_dim(data0, tensor_rank(ix0) + k);
        if (!same) {
            gather_fail_shapes(st, "got data[0].shape = ", &data0->shape,
                               ", data[i].shape = ", &data->shape, "");
            status_prepend(st, "Need data[0].shape[%d:] = data[%d].shape[%d:], ", tensor_rank(ix0),
                           i, a);
            return false;
        }
        for (int64_t k = 0; k < ix->num_elems; k++)
            *rows = max_i64(*rows, tensor_index(ix, k) + 1);
    }
    return true;
}

static bool stitch_run(struct kctx *c, struct status *st)
{
    int n = kernel_num_inputs(c) / 2;
    int64_t rows, elems;
    if (!stitch_check(c, n, &rows, st))
        return false;
    struct shape head = shape_1(rows), shape;
    const struct shape *first = &kernel_in(c, n)->shape;
    int ix_rank = tensor_rank(kernel_in(c, 0));
    if (!gather_join(&head, 1, first, ix_rank, &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    if (!dtype_is_managed(out->dtype)) /* rows that no index names are zero */
        memset(out->data, 0, tensor_bytes(out));
    int64_t row = gather_span(first, ix_rank, first->rank);
    int64_t row_bytes = row * (int64_t)dtype_size(out->dtype);
    for (int i = 0; i < n; i++) {
        const struct tensor *ix = kernel_in(c, i), *data = kernel_in(c, n + i);
        for (int64_t k = 0; k < ix->num_elems; k++) {
            int64_t at = ((const volatile int32_t *)ix->data)[k];
            if (at < 0 || at >= rows) {
                struct strbuf place = {0};
                gather_place(&place, &ix->shape, tensor_rank(ix), k);
                status_invalid(st, "indices%s is out of range", strbuf_text(&place));
                strbuf_release(&place);
                return false;
            }
            if (!elems_copy(out->dtype, (char *)out->data + at * row_bytes,
                            (const char *)data->data + k * row_bytes, row))
                return status_exhausted(st, "no memory to copy strings");
        }
    }
    return true;
}

#define STITCH(id, op_name, text)                                                                  \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"indices: N * int32", "data: N * T"},                                           \
        .outputs = {"merged: T"},                                                                  \
        .attrs = {"N: int >= 1", "T: type"},                                                       \
        .shape = stitch_shape,                                                                     \
        .grad = stitch_grad,                                                                       \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "  \
                  "complex64, complex128, bool, string, variant, qint32, qint8, quint8}"},         \
        .run = stitch_run,                                                                         \
    }
STITCH(dynamic_stitch, "DynamicStitch",
       "Rows of several tensors put where their indices say; of repeated ones the last stays.");
STITCH(parallel_dynamic_stitch, "ParallelDynamicStitch",
       "Rows of several tensors put where their indices say, in any order.");
