/* SPDX-License-Identifier: Apache-2.0 */
/* RaggedRange: ranges one after another, and where each begins. */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"

enum { STARTS, LIMITS, DELTAS };

static const char *const names[] = {"starts", "limits", "deltas"};

static double real_at(const struct tensor *t, int64_t i)
{
    i = tensor_rank(t) == 0 ? 0 : i;
    return t->dtype == DT_FLOAT ? (double)((const float *)t->data)[i] : tensor_f64(t)[i];
}

static int64_t whole_at(const struct tensor *t, int64_t i)
{
    return tensor_index(t, tensor_rank(t) == 0 ? 0 : i);
}

/* Elements of range i; -1: too many or not a number of them. */
static int64_t range_size(struct kctx *c, int64_t i, bool real)
{
    const struct tensor *s = kernel_in(c, STARTS), *l = kernel_in(c, LIMITS);
    const struct tensor *d = kernel_in(c, DELTAS);
    if (real) {
        const double start = real_at(s, i), limit = real_at(l, i), delta = real_at(d, i);
        if ((delta > 0 && limit < start) || (delta < 0 && limit > start))
            return 0;
        const double size = ceil(fabs((limit - start) / delta));
        return size >= 0 && size < 0x1p62 ? (int64_t)size : -1;
    }
    const int64_t start = whole_at(s, i), limit = whole_at(l, i), delta = whole_at(d, i);
    if ((delta > 0 && limit < start) || (delta < 0 && limit > start))
        return 0;
    const uint64_t span =
        limit > start ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    const uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    const uint64_t size = span / step + (span % step != 0);
    return size < (uint64_t)1 << 62 ? (int64_t)size : -1;
}

/* The number of ranges; all inputs that are vectors have as many elements. */
static bool count_ranges(struct kctx *c, int64_t *num, struct status *st)
{
    *num = -1;
    for (int i = 0; i < 3; i++) {
        const struct tensor *t = kernel_in(c, i);
        if (tensor_rank(t) > 1)
            return status_invalid(st, "%s must be a scalar or vector", names[i]);
        if (tensor_rank(t) == 1 && *num >= 0 && *num != t->num_elems)
            return status_invalid(st, "starts, limits, and deltas must have the same shape");
        if (tensor_rank(t) == 1)
            *num = t->num_elems;
    }
    *num = *num < 0 ? 1 : *num;
    return true;
}

static void put_split(struct tensor *splits, int64_t i, int64_t v)
{
    if (splits->dtype == DT_INT32)
        tensor_i32(splits)[i] = (int32_t)v;
    else
        tensor_i64(splits)[i] = v;
}

static bool make_splits(struct kctx *c, struct tensor *splits, int64_t num, int64_t *total,
                        struct status *st)
{
    const bool real =
        kernel_in(c, STARTS)->dtype == DT_FLOAT || kernel_in(c, STARTS)->dtype == DT_DOUBLE;
    const int64_t most = splits->dtype == DT_INT32 ? INT32_MAX : INT64_MAX;
    *total = 0;
    put_split(splits, 0, 0);
    for (int64_t i = 0; i < num; i++) {
        const struct tensor *d = kernel_in(c, DELTAS);
        if (real ? real_at(d, i) == 0 : whole_at(d, i) == 0)
            return status_invalid(st, "Requires delta != 0");
        const int64_t size = range_size(c, i, real);
        if (size < 0 || size > most - *total)
            return status_invalid(st, "range %lld has no size, or is too long", (long long)i);
        *total += size;
        put_split(splits, i + 1, *total);
    }
    return true;
}

/* Each value by adding the step to the one before, as rounding shows. */
#define FILL(T)                                                                                    \
    for (int64_t i = 0, at = 0; i < num; i++) {                                                    \
        T v = ((const T *)s->data)[tensor_rank(s) ? i : 0];                                        \
        const T step = ((const T *)d->data)[tensor_rank(d) ? i : 0];                               \
        for (const int64_t end = tensor_index(splits, i + 1); at < end; at++) {                    \
            ((T *)values->data)[at] = v;                                                           \
            v = at + 1 < end ? (T)(v + step) : v;                                                  \
        }                                                                                          \
    }

static bool run(struct kctx *c, struct status *st)
{
    int64_t num, total = 0;
    if (!count_ranges(c, &num, st))
        return false;
    const struct shape shape = shape_1(num + 1);
    struct tensor *splits = kernel_out(c, 0, &shape, st);
    if (!splits || !make_splits(c, splits, num, &total, st))
        return false;
    const struct shape values_shape = shape_1(total);
    struct tensor *values = kernel_out(c, 1, &values_shape, st);
    const struct tensor *s = kernel_in(c, STARTS), *d = kernel_in(c, DELTAS);
    if (!values)
        return false;
    switch (values->dtype) {
    case DT_FLOAT:
        FILL(float)
        break;
    case DT_DOUBLE:
        FILL(double)
        break;
    case DT_INT32:
        FILL(int32_t)
        break;
    default:
        FILL(int64_t)
    }
    return true;
}

static bool range_shape(struct infer_ctx *c, struct status *st)
{
    int64_t num = DIM_UNKNOWN;
    bool scalars = true;
    for (int i = 0; i < 3; i++) {
        const struct shape *s;
        if (!infer_want_rank_max(c, infer_input(c, i), 1, &s, st))
            return false;
        scalars = scalars && s->rank == 0;
        if (s->rank == 1 && !infer_merge_dim(infer_dim(s, 0), num, &num, st))
            return false;
    }
    infer_set(c, 0, infer_vector(c, scalars ? 2 : infer_dim_add(num, 1)));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    return true;
}

OP_DEF(ragged_range) = {
    .name = "RaggedRange",
    .summary = "Ranges of numbers as the rows of a ragged tensor.",
    .inputs = {"starts: T", "limits: T", "deltas: T"},
    .outputs = {"rt_nested_splits: Tsplits", "rt_dense_values: T"},
    .attrs = {"T: {bfloat16, float, double, int32, int64} = DT_INT32",
              "Tsplits: {int32, int64} = DT_INT64"},
    .shape = range_shape,
    .no_grad = "undefined: ranges have none",
    .no_kernel = "TensorFlow has none for bfloat16",
};
KERNEL_DEF(ragged_range_cpu) = {.op = "RaggedRange",
                                .device = "CPU",
                                .types = {"T: {float, double, int32, int64}"},
                                .run = run};
