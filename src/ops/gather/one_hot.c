/* SPDX-License-Identifier: Apache-2.0 */
/* OneHot: off_value everywhere but on_value where the position along a new axis is the index. */
#include "ops/gather/gather.h"

static bool one_hot_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *indices = infer_input(c, 0);
    int64_t axis = attrs_int(infer_attrs(c), "axis"), depth;
    if (axis < -1)
        return status_invalid(st, "axis must be >= -1");
    if (!infer_dim_from(c, 1, &depth, st))
        return false;
    if (indices->rank < 0)
        return true;
    if (axis > indices->rank)
        return status_invalid(st, "Expected axis to be -1 or between [0, %d).  But received: %lld",
                              indices->rank + 1, (long long)axis);
    int at = axis < 0 ? indices->rank : (int)axis;
    const struct shape *out =
        infer_concat(c, infer_slice(c, indices, 0, at), infer_vector(c, depth));
    infer_set(c, 0, infer_concat(c, out, infer_slice(c, indices, at, indices->rank)));
    return true;
}

static bool want_scalar(const struct tensor *t, const char *name, struct status *st)
{
    if (tensor_rank(t) == 0)
        return true;
    gather_fail_shapes(st, " must be a scalar, but got: ", &t->shape, "", NULL, "");
    status_prepend(st, "%s", name);
    return false;
}

/* All of out becomes the element at value. */
static bool fill(struct tensor *out, const void *value, struct status *st)
{
    int64_t item = (int64_t)dtype_size(out->dtype), n = out->num_elems;
    char *to = out->data;
    if (n == 0)
        return true;
    if (!elems_copy(out->dtype, to, value, 1))
        return status_exhausted(st, "no memory to copy strings");
    for (int64_t done = 1; done < n; done *= 2) {
        if (!elems_copy(out->dtype, to + done * item, to, min_i64(done, n - done)))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static int64_t index_of(const struct tensor *indices, int64_t i)
{
    return indices->dtype == DT_UINT8 ? ((const uint8_t *)indices->data)[i]
                                      : tensor_index(indices, i);
}

static bool one_hot_run(struct kctx *c, struct status *st)
{
    const struct tensor *indices = kernel_in(c, 0), *depth_in = kernel_in(c, 1);
    const struct tensor *on = kernel_in(c, 2), *off = kernel_in(c, 3);
    int64_t axis = attrs_int(kernel_attrs(c), "axis"), n;
    int rank = tensor_rank(indices);
    if (axis < -1 || axis > rank)
        return status_invalid(st, "Expected axis to be -1 or between [0, %d).  But received: %lld",
                              rank + 1, (long long)axis);
    if (!want_scalar(depth_in, "depth", st) || !want_scalar(on, "on_value", st) ||
        !want_scalar(off, "off_value", st))
        return false;
    int64_t depth = tensor_index(depth_in, 0);
    if (depth < 0)
        return status_invalid(st, "depth must be non-negative, got: %lld", (long long)depth);
    int at = axis < 0 ? rank : (int)axis;
    struct shape vector = shape_1(depth), tail, shape = {0};
    if (!gather_join(&vector, 1, &indices->shape, at, &tail, st))
        return false;
    bool ok = gather_join(&indices->shape, at, &tail, 0, &shape, st);
    shape_clear(&tail);
    struct tensor *out =
        ok && shape_num_elems(&shape, &n, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out || !fill(out, off->data, st))
        return false;
    int64_t inner = gather_span(&indices->shape, at, rank);
    int64_t item = (int64_t)dtype_size(out->dtype);
    for (int64_t i = 0; i < indices->num_elems; i++) {
        int64_t k = index_of(indices, i);
        if (k < 0 || k >= depth)
            continue;
        int64_t to = (i / inner * depth + k) * inner + i % inner;
        if (!elems_copy(out->dtype, (char *)out->data + to * item, on->data, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

OP_DEF(one_hot) = {
    .name = "OneHot",
    .summary = "A new axis in which the position that the index names is on, the others off.",
    .inputs = {"indices: TI", "depth: int32", "on_value: T", "off_value: T"},
    .outputs = {"output: T"},
    .attrs = {"axis: int = -1", "T: type", "TI: {uint8, int32, int64} = DT_INT64"},
    .shape = one_hot_shape,
    .no_grad = "its indices are integers, its values constants",
};
KERNEL_DEF(one_hot_cpu) = {
    .op = "OneHot",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = one_hot_run,
};
