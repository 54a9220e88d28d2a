/* SPDX-License-Identifier: Apache-2.0 */
/* CompareAndBitpack: one bit for each value above a threshold, eight to a byte, the first the
 * highest. Of bool the values are the bits. */
#include "op/infer.h"
#include "op/kernel.h"

typedef void (*pack_fn)(const void *x, const void *threshold, uint8_t *y, int64_t n);

#define PACK(name, type, bit)                                                                      \
    static void name(const void *x_, const void *threshold, uint8_t *y, int64_t n)                 \
    {                                                                                              \
        const type *x = x_, t = *(const type *)threshold;                                          \
        (void)t;                                                                                   \
        for (int64_t i = 0; i < n; i++, x += 8) {                                                  \
            unsigned bits = 0;                                                                     \
            for (int k = 0; k < 8; k++)                                                            \
                bits = bits << 1 | (unsigned)(bit);                                                \
            y[i] = (uint8_t)bits;                                                                  \
        }                                                                                          \
    }
PACK(pack_bool, uint8_t, x[k] != 0)
PACK(pack_i8, int8_t, x[k] > t)
PACK(pack_i16, int16_t, x[k] > t)
PACK(pack_i32, int32_t, x[k] > t)
PACK(pack_i64, int64_t, x[k] > t)
PACK(pack_f16, struct f16, f16_to_f32(x[k]) > f16_to_f32(t))
PACK(pack_f32, float, x[k] > t)
PACK(pack_f64, double, x[k] > t)
#undef PACK

static pack_fn pack_of(int dtype)
{
    switch (dtype) {
    case DT_BOOL:
        return pack_bool;
    case DT_INT8:
        return pack_i8;
    case DT_INT16:
        return pack_i16;
    case DT_INT32:
        return pack_i32;
    case DT_INT64:
        return pack_i64;
    case DT_HALF:
        return pack_f16;
    case DT_FLOAT:
        return pack_f32;
    default:
        return pack_f64;
    }
}

static bool fail_shape(struct status *st, const char *words, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool pack_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *t = kernel_in(c, 1);
    int64_t dims[SHAPE_MAX_RANK];
    int rank = tensor_rank(x);
    if (rank < 1)
        return status_invalid(st, "input should be at least a vector, but saw a scalar.");
    if (tensor_rank(t) != 0)
        return fail_shape(st, "threshold must be a scalar, but saw shape ", &t->shape);
    if (tensor_dim(x, rank - 1) % 8 != 0)
        return fail_shape(
            st, "Inner dimension of input should be divisible by 8, but saw shape: ", &x->shape);
    for (int i = 0; i < rank; i++)
        dims[i] = i == rank - 1 ? tensor_dim(x, i) / 8 : tensor_dim(x, i);
    struct shape s = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &s, st);
    shape_clear(&s);
    if (!out)
        return false;
    pack_of(x->dtype)(x->data, t->data, out->data, out->num_elems);
    return true;
}

static bool pack_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x = infer_input(c, 0), *t;
    if (!infer_want_rank(c, infer_input(c, 1), 0, &t, st) || !infer_want_rank_min(c, x, 1, &x, st))
        return false;
    int64_t bytes;
    if (!infer_dim_div(infer_dim(x, -1), 8, &bytes, st))
        return false;
    if (x->rank > 0)
        x = infer_with_dim(c, x, x->rank - 1, bytes);
    infer_set(c, 0, x);
    return true;
}

OP_DEF(compare_and_bitpack) = {
    .name = "CompareAndBitpack",
    .summary = "One bit for each value above a threshold, eight to a byte.",
    .inputs = {"input: T", "threshold: T"},
    .outputs = {"output: uint8"},
    .attrs = {"T: {bool, half, float, double, int8, int16, int32, int64}"},
    .shape = pack_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(compare_and_bitpack_cpu) = {.op = "CompareAndBitpack", .device = "CPU", .run = pack_run};
