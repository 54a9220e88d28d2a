/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of any real type, read as floats. */
#include "op/floats.h"

#include <string.h>

#define EACH_TYPE(X)                                                                               \
    X(HALF, struct f16, f16_to_f32)                                                                \
    X(BFLOAT16, struct bf16, bf16_to_f32)                                                          \
    X(DOUBLE, double, (float))                                                                     \
    X(INT8, int8_t, (float))                                                                       \
    X(UINT8, uint8_t, (float))                                                                     \
    X(INT16, int16_t, (float))                                                                     \
    X(UINT16, uint16_t, (float))                                                                   \
    X(INT32, int32_t, (float))                                                                     \
    X(UINT32, uint32_t, (float))                                                                   \
    X(INT64, int64_t, (float))                                                                     \
    X(UINT64, uint64_t, (float))

#define READ(id, type, TO)                                                                         \
    static void read_##id(const void *from, float *to, int64_t n)                                  \
    {                                                                                              \
        const type *x = from;                                                                      \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] = TO(x[i]);                                                                      \
    }
EACH_TYPE(READ)
#undef READ

static void read_floats(int dtype, const void *from, float *to, int64_t n)
{
    switch (dtype) {
#define CASE(id, type, TO)                                                                         \
    case DT_##id:                                                                                  \
        read_##id(from, to, n);                                                                    \
        return;
        EACH_TYPE(CASE)
#undef CASE
    default:
        ASSERT(dtype == DT_FLOAT);
        memcpy(to, from, (size_t)n * sizeof(*to));
    }
}
#undef EACH_TYPE

const float *kernel_floats(struct kctx *c, const struct tensor *t, struct status *st)
{
    static const float none;
    if (t->dtype == DT_FLOAT)
        return t->data ? tensor_f32(t) : &none;
    int64_t bytes;
    float *x = size_mul(t->num_elems, (int64_t)sizeof(*x), &bytes)
                   ? kernel_scratch(c, max_i64(bytes, 1), st)
                   : NULL;
    if (x && t->num_elems)
        read_floats(t->dtype, t->data, x, t->num_elems);
    return x;
}

float tensor_as_float(const struct tensor *t, int64_t i)
{
    float x;
    read_floats(t->dtype, (const char *)t->data + (size_t)i * dtype_size(t->dtype), &x, 1);
    return x;
}

void tensor_put_floats(struct tensor *t, const float *x, int64_t n)
{
    if (n == 0 || t->data == x)
        return;
    if (t->dtype == DT_HALF) {
        for (int64_t i = 0; i < n; i++)
            ((struct f16 *)t->data)[i] = f16_from_f32(x[i]);
    } else if (t->dtype == DT_BFLOAT16) {
        for (int64_t i = 0; i < n; i++)
            ((struct bf16 *)t->data)[i] = bf16_from_f32(x[i]);
    } else if (t->dtype == DT_DOUBLE) {
        for (int64_t i = 0; i < n; i++)
            tensor_f64(t)[i] = (double)x[i];
    } else {
        memcpy(tensor_f32(t), x, (size_t)n * sizeof(*x));
    }
}

float *kernel_float_room(struct kctx *c, struct tensor *t, struct status *st)
{
    if (t->dtype == DT_FLOAT)
        return tensor_f32(t);
    int64_t bytes;
    return size_mul(t->num_elems, (int64_t)sizeof(float), &bytes)
               ? kernel_scratch(c, max_i64(bytes, 1), st)
               : NULL;
}

bool kernel_scalar_float(struct kctx *c, int i, const char *name, float *out, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    struct strbuf text = {0};
    if (tensor_rank(t) == 0) {
        *out = tensor_as_float(t, 0);
        return true;
    }
    strbuf_printf(&text, "%s must be 0-D, got shape ", name);
    status_bad_shape(st, strbuf_text(&text), &t->shape);
    strbuf_release(&text);
    return false;
}

bool status_bad_shape(struct status *st, const char *words, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}
