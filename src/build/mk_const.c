/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of build/mk.h. */
#include <stdlib.h>
#include <string.h>

#include "build/mk.h"

/* The nearest half, ties to even; beyond its range infinity. */
static uint16_t half_bits(float value)
{
    uint32_t u, sign;
    memcpy(&u, &value, sizeof u);
    sign = u >> 16 & 0x8000;
    u &= 0x7fffffff;
    if (u >= 0x47800000) /* 2^16 and more, or NaN */
        return (uint16_t)(sign | (u > 0x7f800000 ? 0x7e00 : 0x7c00));
    if (u < 0x38800000) { /* subnormal: units of 2^-24 */
        float magnitude, shifted;
        memcpy(&magnitude, &u, sizeof u);
        shifted = magnitude + 0.5f; /* 2^-24 is the last place of what lies at 0.5 */
        memcpy(&u, &shifted, sizeof u);
        return (uint16_t)(sign | (u - 0x3f000000));
    }
    u += 0xfff + (u >> 13 & 1);
    return (uint16_t)(sign | (u - 0x38000000) >> 13);
}

/* The nearest bfloat16, ties to even. */
static uint16_t bfloat16_bits(float value)
{
    uint32_t u;
    memcpy(&u, &value, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000)
        return 0x7fc0;
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* Writes value as one element of dtype; its size, or 0 for a type that is not served. */
static size_t element(TF_DataType dtype, double value, unsigned char *out)
{
#define CASE(enumerator, type)                                                                     \
    case enumerator: {                                                                             \
        type v = (type)value;                                                                      \
        memcpy(out, &v, sizeof v);                                                                 \
        return sizeof v;                                                                           \
    }
    switch (dtype) {
        CASE(TF_FLOAT, float)
        CASE(TF_DOUBLE, double)
        CASE(TF_INT8, int8_t)
        CASE(TF_INT16, int16_t)
        CASE(TF_INT32, int32_t)
        CASE(TF_INT64, int64_t)
        CASE(TF_UINT8, uint8_t)
        CASE(TF_UINT16, uint16_t)
        CASE(TF_UINT32, uint32_t)
        CASE(TF_UINT64, uint64_t)
    case TF_HALF:
    case TF_BFLOAT16: {
        uint16_t bits = dtype == TF_HALF ? half_bits((float)value) : bfloat16_bits((float)value);
        memcpy(out, &bits, sizeof bits);
        return sizeof bits;
    }
    default:
        return 0;
    }
#undef CASE
}

/* A Const of value, which is freed. */
static TF_Output constant(TF_Graph *g, const char *name, TF_Tensor *value)
{
    TF_OperationDescription *d = leat_begin(g, "Const", name, NULL);
    TF_Status *status = TF_NewStatus();
    TF_Output y = MK_NONE;
    if (d && status) {
        TF_SetAttrTensor(d, "value", value, status);
        TF_SetAttrType(d, "dtype", TF_TensorType(value));
        y = leat_output_of(leat_finish(d), 0);
    }
    TF_DeleteStatus(status);
    TF_DeleteTensor(value);
    return y;
}

static TF_Output no_memory(TF_Graph *g, const char *name)
{
    return leat_fail(g, NULL, TF_RESOURCE_EXHAUSTED, "Const: no memory for constant '%s'", name);
}

TF_Output mk_full(TF_Graph *g, const char *name, TF_DataType dtype, struct leat_shape dims,
                  double value)
{
    unsigned char one[16];
    size_t size = element(dtype, value, one), bytes = size;
    if (!size)
        return leat_fail(g, NULL, TF_UNIMPLEMENTED, "Const: '%s' of type %d", name, (int)dtype);
    for (int i = 0; i < dims.rank; i++)
        if (dims.dims[i] < 0 || __builtin_mul_overflow(bytes, (size_t)dims.dims[i], &bytes))
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "Const: the shape of '%s'", name);
    TF_Tensor *t = TF_AllocateTensor(dtype, dims.dims, dims.rank, bytes);
    if (!t)
        return no_memory(g, name);
    unsigned char *data = TF_TensorData(t);
    for (size_t at = 0; at < bytes; at += size)
        memcpy(data + at, one, size);
    return constant(g, name, t);
}

TF_Output mk_scalar(TF_Graph *g, const char *name, TF_DataType dtype, double value)
{
    return mk_full(g, name, dtype, (struct leat_shape){NULL, 0}, value);
}

TF_Output mk_i32(TF_Graph *g, const char *name, int64_t value)
{
    if (value != (int32_t)value)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "Const: '%s' is %lld, more than int32", name,
                         (long long)value);
    return mk_scalar(g, name, TF_INT32, (double)value);
}

TF_Output mk_i32s(TF_Graph *g, const char *name, struct leat_ints values)
{
    int64_t n = values.n < 0 ? 0 : values.n;
    TF_Tensor *t = TF_AllocateTensor(TF_INT32, &n, 1, (size_t)n * sizeof(int32_t));
    if (!t)
        return no_memory(g, name);
    int32_t *out = TF_TensorData(t);
    for (int64_t i = 0; i < n; i++) {
        out[i] = (int32_t)values.v[i];
        if (out[i] != values.v[i]) {
            TF_DeleteTensor(t);
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "Const: '%s' has %lld, more than int32",
                             name, (long long)values.v[i]);
        }
    }
    return constant(g, name, t);
}

TF_Output mk_floats(TF_Graph *g, const char *name, struct leat_floats values)
{
    int64_t n = values.n < 0 ? 0 : values.n;
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, &n, 1, (size_t)n * sizeof(float));
    if (!t)
        return no_memory(g, name);
    if (n)
        memcpy(TF_TensorData(t), values.v, (size_t)n * sizeof(float));
    return constant(g, name, t);
}
