/* SPDX-License-Identifier: Apache-2.0 */
/* Cross: cross products of the vectors of length 3 in the last dim. */
#include "op/grad.h"
#include "ops/matrix/batch.h"

static bool cross_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b, *out;
    int64_t unused;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &a, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 1, &b, st) || !infer_merge(c, a, b, &out, st))
        return false;
    if (out->rank >= 0 && !infer_want_dim(c, infer_dim(out, -1), 3, &unused, st))
        return false;
    infer_set(c, 0, out);
    return true;
}

static bool cross_grad(struct grad_ctx *g, struct status *st)
{
    struct output a = grad_in(g, 0), b = grad_in(g, 1), dy = grad_dy(g, 0);
    grad_set(g, 0, grad_op2(g, "Cross", b, dy));
    grad_set(g, 1, grad_op2(g, "Cross", dy, a));
    return grad_done(g, st);
}

/* Integers are multiplied in an unsigned type, so that they wrap; narrow floats are rounded after
 * each step. */
#define AS_IS(x) (x)
#define CROSS_TYPES(X)                                                                             \
    X(FLOAT, float, float, AS_IS, AS_IS)                                                           \
    X(DOUBLE, double, double, AS_IS, AS_IS)                                                        \
    X(INT8, int8_t, uint32_t, AS_IS, (int8_t))                                                     \
    X(UINT8, uint8_t, uint32_t, AS_IS, (uint8_t))                                                  \
    X(INT16, int16_t, uint32_t, AS_IS, (int16_t))                                                  \
    X(UINT16, uint16_t, uint32_t, AS_IS, (uint16_t))                                               \
    X(INT32, int32_t, uint32_t, AS_IS, (int32_t))                                                  \
    X(INT64, int64_t, uint64_t, AS_IS, (int64_t))                                                  \
    X(HALF, struct f16, float, f16_to_f32, f16_from_f32)                                           \
    X(BFLOAT16, struct bf16, float, bf16_to_f32, bf16_from_f32)

#define CROSS_FN(id, type, wide, load, store)                                                      \
    static type minor_##id(type a, type b, type c, type d)                                         \
    {                                                                                              \
        type ad = store((wide)load(a) * (wide)load(d)), bc = store((wide)load(b) * (wide)load(c)); \
        return store((wide)load(ad) - (wide)load(bc));                                             \
    }                                                                                              \
    static void cross_##id(const type *a, const type *b, type *y, int64_t n)                       \
    {                                                                                              \
        for (int64_t i = 0; i < 3 * n; i += 3) {                                                   \
            y[i] = minor_##id(a[i + 1], a[i + 2], b[i + 1], b[i + 2]);                             \
            y[i + 1] = minor_##id(a[i + 2], a[i], b[i + 2], b[i]);                                 \
            y[i + 2] = minor_##id(a[i], a[i + 1], b[i], b[i + 1]);                                 \
        }                                                                                          \
    }
CROSS_TYPES(CROSS_FN)

static bool cross_run(struct kctx *c, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    int rank = tensor_rank(a);
    if (!shape_equal(&a->shape, &b->shape))
        return matrix_fail_shape(st, "Both inputs must be of same shape, second input: ", b);
    if (rank < 1)
        return matrix_fail_shape(st, "Input must be at least 1D: ", a);
    if (tensor_dim(a, rank - 1) != 3)
        return status_precondition(st, "Cross-products are only defined for 3-element vectors.");
    struct tensor *y = kernel_out(c, 0, &a->shape, st);
    if (!y)
        return false;
    int64_t n = a->num_elems / 3;
    switch (a->dtype) {
#define CROSS_CASE(id, type, wide, load, store)                                                    \
    case DT_##id:                                                                                  \
        cross_##id(a->data, b->data, y->data, n);                                                  \
        return true;
        CROSS_TYPES(CROSS_CASE)
    default:
        return status_internal(st, "Cross: no loop for this type");
    }
}

OP_DEF(cross) = {
    .name = "Cross",
    .summary = "Cross products of vectors of length 3.",
    .inputs = {"a: T", "b: T"},
    .outputs = {"product: T"},
    .attrs = {"T: realnumbertype"},
    .shape = cross_shape,
    .grad = cross_grad,
    .no_kernel = "wide unsigned types have no arithmetic",
};
KERNEL_DEF(cross_cpu) = {
    .op = "Cross",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .run = cross_run};
