/* SPDX-License-Identifier: Apache-2.0 */
/* UpperBound and LowerBound: where values would stand in sorted rows, by bisection. What is no
 * number is neither below nor above any. */
#include "op/infer.h"
#include "op/kernel.h"

/* The first of n elements above v (upper), or not below it. */
typedef int64_t (*bound_fn)(const void *row, int64_t n, const void *values, int64_t i, bool upper);

#define SAME(v) (v)
#define BOUND(name, type, num)                                                                     \
    static int64_t name(const void *row, int64_t n, const void *values, int64_t i, bool upper)     \
    {                                                                                              \
        const type *x = row;                                                                       \
        const type v = ((const type *)values)[i];                                                  \
        int64_t first = 0;                                                                         \
        while (n > 0) {                                                                            \
            const int64_t half = n / 2;                                                            \
            const type e = x[first + half];                                                        \
            if (upper ? !(num(v) < num(e)) : num(e) < num(v)) {                                    \
                first += half + 1;                                                                 \
                n -= half + 1;                                                                     \
            } else {                                                                               \
                n = half;                                                                          \
            }                                                                                      \
        }                                                                                          \
        return first;                                                                              \
    }
BOUND(bound_f32, float, SAME)
BOUND(bound_f64, double, SAME)
BOUND(bound_i8, int8_t, SAME)
BOUND(bound_u8, uint8_t, SAME)
BOUND(bound_i16, int16_t, SAME)
BOUND(bound_u16, uint16_t, SAME)
BOUND(bound_i32, int32_t, SAME)
BOUND(bound_i64, int64_t, SAME)
BOUND(bound_f16, struct f16, f16_to_f32)
BOUND(bound_bf16, struct bf16, bf16_to_f32)

struct bound {
    bound_fn fn;
    bool upper;
};

static bool bound_init(struct kernel *k, void *state, struct status *st)
{
    static const bound_fn by_type[] = {
        [DT_FLOAT] = bound_f32,    [DT_DOUBLE] = bound_f64, [DT_INT8] = bound_i8,
        [DT_UINT8] = bound_u8,     [DT_INT16] = bound_i16,  [DT_UINT16] = bound_u16,
        [DT_INT32] = bound_i32,    [DT_INT64] = bound_i64,  [DT_HALF] = bound_f16,
        [DT_BFLOAT16] = bound_bf16};
    const int type = dtype_base(k->input_types[0]);
    struct bound *b = state;
    b->fn = type < (int)ARRAY_LEN(by_type) ? by_type[type] : NULL;
    b->upper = strcmp(k->op->name, "UpperBound") == 0;
    return b->fn || status_unimplemented(st, "%s of %s", k->op->name, dtype_name(type));
}

static bool bound_run(struct kctx *c, struct status *st)
{
    const struct bound *b = kernel_state(c);
    const struct tensor *rows = kernel_in(c, 0), *values = kernel_in(c, 1);
    if (tensor_rank(rows) != 2 || tensor_rank(values) != 2)
        return status_invalid(st, "%s: both tensors must have two dimensions, not %d and %d",
                              c->kernel->op->name, tensor_rank(rows), tensor_rank(values));
    if (tensor_dim(rows, 0) != tensor_dim(values, 0))
        return status_invalid(st, "Leading dim_size of both tensors must match.");
    const int64_t n = tensor_dim(rows, 1), m = tensor_dim(values, 1);
    const size_t bytes = dtype_size(rows->dtype);
    struct tensor *out = kernel_out(c, 0, &values->shape, st);
    if (!out)
        return false;
    if (out->dtype == DT_INT32 && n > INT32_MAX)
        return status_invalid(st, "trying to output int32 but tensor has too many elements");
    for (int64_t i = 0; i < out->num_elems; i++) {
        const char *row = (const char *)rows->data + (size_t)(i / m * n) * bytes;
        const int64_t at = b->fn(row, n, values->data, i, b->upper);
        if (out->dtype == DT_INT32)
            tensor_i32(out)[i] = (int32_t)at;
        else
            tensor_i64(out)[i] = at;
    }
    return true;
}

static bool bound_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 2, &s, st))
        return false;
    infer_set(c, 0, infer_input(c, 1));
    return true;
}

#define BOUND_OP(id, op_name, text)                                                                \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"sorted_inputs: T", "values: T"},                                               \
        .outputs = {"output: out_type"},                                                           \
        .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},                               \
        .shape = bound_shape,                                                                      \
        .no_grad = "undefined: it gives integers",                                                 \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"}, \
        .state_bytes = sizeof(struct bound),                                                       \
        .init = bound_init,                                                                        \
        .run = bound_run}

BOUND_OP(upper_bound, "UpperBound",
         "The first place in a sorted row at which something greater than a value stands.");
BOUND_OP(lower_bound, "LowerBound",
         "The first place in a sorted row at which nothing smaller than a value stands.");
