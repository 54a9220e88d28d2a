/* SPDX-License-Identifier: Apache-2.0 */
/* Range and LinSpace: evenly spaced numbers.
 *
 * Range adds delta again and again, rounding each time, and LinSpace multiplies the step: the
 * numbers are those of TensorFlow to the last bit. */
#include "op/infer.h"
#include "op/kernel.h"

#include <math.h>

/* --- Range --- */

static double as_double(const struct tensor *t)
{
    switch (t->dtype) {
    case DT_FLOAT:
        return (double)tensor_f32(t)[0];
    case DT_DOUBLE:
        return tensor_f64(t)[0];
    case DT_BFLOAT16:
        return (double)bf16_to_f32(*(const struct bf16 *)t->data);
    default:
        return (double)tensor_index(t, 0);
    }
}

static bool fail_order(const char *sign, double start, double limit, struct status *st)
{
    return status_invalid(st, "Requires start %s limit when delta %s 0: %g/%g",
                          sign[0] == '>' ? "<=" : ">=", sign, start, limit);
}

static bool count_ints(const struct tensor *const t[3], int64_t *n, struct status *st)
{
    int64_t start = tensor_index(t[0], 0), limit = tensor_index(t[1], 0),
            delta = tensor_index(t[2], 0);
    if (delta == 0)
        return status_invalid(st, "Requires delta != 0: 0");
    if (delta > 0 ? start > limit : start < limit)
        return status_invalid(st, "Requires start %s limit when delta %s 0: %lld/%lld",
                              delta > 0 ? "<=" : ">=", delta > 0 ? ">" : "<", (long long)start,
                              (long long)limit);
    uint64_t span =
        delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    uint64_t count = span / step + (span % step != 0);
    if (count > INT64_MAX)
        return status_invalid(st, "Range: too many elements");
    *n = (int64_t)count;
    return true;
}

/* As many as the quotient, rounded in the type itself, reaches. */
static bool count_reals(const struct tensor *const t[3], int64_t *n, struct status *st)
{
    double start = as_double(t[0]), limit = as_double(t[1]), delta = as_double(t[2]), count;
    if (delta == 0)
        return status_invalid(st, "Requires delta != 0: 0");
    if (delta > 0 ? !(start <= limit) : !(start >= limit))
        return fail_order(delta > 0 ? ">" : "<", start, limit, st);
    if (t[0]->dtype == DT_DOUBLE) {
        count = ceil(fabs((limit - start) / delta));
    } else {
        float span = (float)limit - (float)start;
        count = (double)ceilf(fabsf(span / (float)delta));
    }
    if (!(count < 0x1p62))
        return status_invalid(st, "Range: too many elements: %g", count);
    *n = (int64_t)count;
    return true;
}

static bool count_range(const struct tensor *const t[3], int64_t *n, struct status *st)
{
    bool ints = t[0]->dtype == DT_INT32 || t[0]->dtype == DT_INT64;
    return ints ? count_ints(t, n, st) : count_reals(t, n, st);
}

static const char *const range_args[] = {"start", "limit", "delta"};

static bool range_shape(struct infer_ctx *c, struct status *st)
{
    const struct tensor *t[3];
    const struct shape *unused;
    int64_t n = DIM_UNKNOWN;
    bool known = true;
    for (int i = 0; i < 3; i++) {
        if (!infer_want_rank(c, infer_input(c, i), 0, &unused, st)) {
            status_append(st, "\n\t for '%s'", range_args[i]);
            return false;
        }
        t[i] = infer_const(c, i);
        known = known && t[i];
    }
    if (known && !count_range(t, &n, st))
        return false;
    infer_set(c, 0, infer_vector(c, n));
    return true;
}

static void fill_ints(const struct tensor *const t[3], struct tensor *out)
{
    uint64_t start = (uint64_t)tensor_index(t[0], 0), delta = (uint64_t)tensor_index(t[2], 0);
    if (out->dtype == DT_INT32) {
        for (int64_t i = 0; i < out->num_elems; i++)
            tensor_i32(out)[i] = (int32_t)((uint32_t)start + (uint32_t)i * (uint32_t)delta);
    } else {
        for (int64_t i = 0; i < out->num_elems; i++)
            tensor_i64(out)[i] = (int64_t)(start + (uint64_t)i * delta);
    }
}

static void fill_reals(const struct tensor *const t[3], struct tensor *out)
{
    if (out->dtype == DT_DOUBLE) {
        double v = tensor_f64(t[0])[0], delta = tensor_f64(t[2])[0];
        for (int64_t i = 0; i < out->num_elems; i++, v += delta)
            tensor_f64(out)[i] = v;
    } else if (out->dtype == DT_FLOAT) {
        float v = tensor_f32(t[0])[0], delta = tensor_f32(t[2])[0];
        for (int64_t i = 0; i < out->num_elems; i++, v += delta)
            tensor_f32(out)[i] = v;
    } else {
        struct bf16 v = *(const struct bf16 *)t[0]->data;
        float delta = bf16_to_f32(*(const struct bf16 *)t[2]->data);
        for (int64_t i = 0; i < out->num_elems; i++) {
            ((struct bf16 *)out->data)[i] = v;
            v = bf16_from_f32(bf16_to_f32(v) + delta);
        }
    }
}

static bool range_run(struct kctx *c, struct status *st)
{
    const struct tensor *t[3];
    int64_t n;
    for (int i = 0; i < 3; i++) {
        t[i] = kernel_in(c, i);
        if (!kernel_want_scalar(c, i, st))
            return false;
    }
    if (!count_range(t, &n, st))
        return false;
    struct shape shape = shape_1(n);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    if (!out)
        return false;
    if (out->dtype == DT_INT32 || out->dtype == DT_INT64)
        fill_ints(t, out);
    else
        fill_reals(t, out);
    return true;
}

OP_DEF(range) = {
    .name = "Range",
    .summary = "The numbers from start up to limit, which is not reached, in steps of delta.",
    .inputs = {"start: Tidx", "limit: Tidx", "delta: Tidx"},
    .outputs = {"output: Tidx"},
    .attrs = {"Tidx: {bfloat16, float, double, int32, int64} = DT_INT32"},
    .shape = range_shape,
    .no_grad = "the number of elements depends on the inputs, and TensorFlow defines none",
};
KERNEL_DEF(range_cpu) = {.op = "Range", .device = "CPU", .run = range_run};

/* --- LinSpace --- */

static bool lin_space_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *unused;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"start", "stop", "num"};
        if (!infer_want_rank(c, infer_input(c, i), 0, &unused, st)) {
            status_append(st, "\n\t for '%s'", names[i]);
            return false;
        }
    }
    const struct tensor *num = infer_const(c, 2);
    int64_t n = num ? tensor_index(num, 0) : DIM_UNKNOWN;
    if (num && n <= 0)
        return status_invalid(st, "Requires num > 0: %lld", (long long)n);
    infer_set(c, 0, infer_vector(c, n));
    return true;
}

#define LIN_SPACE(name, type, view)                                                                \
    static void name(const struct tensor *a, const struct tensor *b, struct tensor *out)           \
    {                                                                                              \
        type start = view(a)[0], stop = view(b)[0], *restrict y = view(out);                       \
        int64_t n = out->num_elems;                                                                \
        type step = n > 1 ? (stop - start) / (type)(n - 1) : 0;                                    \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = start + step * (type)i;                                                         \
        y[0] = start;                                                                              \
        if (n > 1)                                                                                 \
            y[n - 1] = stop;                                                                       \
    }
LIN_SPACE(lin_space_f32, float, tensor_f32)
LIN_SPACE(lin_space_f64, double, tensor_f64)
#undef LIN_SPACE

/* In float, each number rounded. */
static void lin_space_bf16(const struct tensor *a, const struct tensor *b, struct tensor *out)
{
    struct bf16 *y = out->data, from = *(const struct bf16 *)a->data,
                to = *(const struct bf16 *)b->data;
    float start = bf16_to_f32(from), stop = bf16_to_f32(to);
    int64_t n = out->num_elems;
    float step = n > 1 ? (stop - start) / (float)(n - 1) : 0;
    for (int64_t i = 0; i < n; i++)
        y[i] = i == n - 1 && n > 1 ? to : bf16_from_f32(start + step * (float)i);
}

static bool lin_space_run(struct kctx *c, struct status *st)
{
    for (int i = 0; i < 3; i++) {
        if (!kernel_want_scalar(c, i, st))
            return false;
    }
    int64_t n = tensor_index(kernel_in(c, 2), 0);
    if (n <= 0)
        return status_invalid(st, "Requires num > 0: %lld", (long long)n);
    struct shape shape = shape_1(n);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    if (!out)
        return false;
    if (out->dtype == DT_FLOAT)
        lin_space_f32(kernel_in(c, 0), kernel_in(c, 1), out);
    else if (out->dtype == DT_DOUBLE)
        lin_space_f64(kernel_in(c, 0), kernel_in(c, 1), out);
    else
        lin_space_bf16(kernel_in(c, 0), kernel_in(c, 1), out);
    return true;
}

OP_DEF(lin_space) = {
    .name = "LinSpace",
    .summary = "As many numbers as num says, evenly spaced from start to stop, both included.",
    .inputs = {"start: T", "stop: T", "num: Tidx"},
    .outputs = {"output: T"},
    .attrs = {"T: {bfloat16, float, double}", "Tidx: {int32, int64} = DT_INT32"},
    .shape = lin_space_shape,
    .no_grad = "TensorFlow defines none",
};
KERNEL_DEF(lin_space_cpu) = {.op = "LinSpace", .device = "CPU", .run = lin_space_run};
