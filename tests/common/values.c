/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto to TF_Tensor, strings included; see values.h. */
#include "common/values.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/wire.h"

enum { MAX_RANK = 254 };
static const int64_t max_elements = INT64_C(1) << 28;

/* Per type: name, bytes, the field of TensorProto for values, how its numbers stand there. */
static const struct dtype_row {
    const char *name;
    size_t bytes;
    uint32_t field;
    enum wire_type wire;
} dtype_rows[24] = {
    [TF_FLOAT] = {"float32", 4, 5, WIRE_FIXED32},
    [TF_DOUBLE] = {"float64", 8, 6, WIRE_FIXED64},
    [TF_INT32] = {"int32", 4, 7, WIRE_VARINT},
    [TF_UINT8] = {"uint8", 1, 7, WIRE_VARINT},
    [TF_INT16] = {"int16", 2, 7, WIRE_VARINT},
    [TF_INT8] = {"int8", 1, 7, WIRE_VARINT},
    [TF_STRING] = {"string", 0, 8, WIRE_BYTES},
    [TF_COMPLEX64] = {"complex64", 8, 9, WIRE_FIXED32},
    [TF_INT64] = {"int64", 8, 10, WIRE_VARINT},
    [TF_BOOL] = {"bool", 1, 11, WIRE_VARINT},
    [TF_QINT8] = {"qint8", 1, 7, WIRE_VARINT},
    [TF_QUINT8] = {"quint8", 1, 7, WIRE_VARINT},
    [TF_QINT32] = {"qint32", 4, 7, WIRE_VARINT},
    [TF_BFLOAT16] = {"bfloat16", 2, 13, WIRE_VARINT},
    [TF_QINT16] = {"qint16", 2, 7, WIRE_VARINT},
    [TF_QUINT16] = {"quint16", 2, 7, WIRE_VARINT},
    [TF_UINT16] = {"uint16", 2, 7, WIRE_VARINT},
    [TF_COMPLEX128] = {"complex128", 16, 12, WIRE_FIXED64},
    [TF_HALF] = {"float16", 2, 13, WIRE_VARINT},
    [TF_RESOURCE] = {"resource", 0, 0, WIRE_BYTES},
    [TF_VARIANT] = {"variant", 0, 0, WIRE_BYTES},
    [TF_UINT32] = {"uint32", 4, 16, WIRE_VARINT},
    [TF_UINT64] = {"uint64", 8, 17, WIRE_VARINT},
};

static const struct dtype_row *dtype_row(int dtype)
{
    bool known = dtype > 0 && dtype < 24;
    return &dtype_rows[known ? dtype : 0];
}

const char *dtype_name(int dtype)
{
    static char other[24];
    const struct dtype_row *row = dtype_row(dtype);
    if (row->name)
        return row->name;
    snprintf(other, sizeof(other), "type %d", dtype);
    return other;
}

size_t dtype_bytes(int dtype)
{
    return dtype_row(dtype)->bytes;
}

void shape_print(struct text *out, const int64_t *dims, int num_dims)
{
    if (num_dims < 0) {
        text_puts(out, "?");
        return;
    }
    text_puts(out, "[");
    for (int i = 0; i < num_dims; i++) {
        if (i)
            text_puts(out, ",");
        if (dims[i] < 0)
            text_puts(out, "?");
        else
            text_printf(out, "%lld", (long long)dims[i]);
    }
    text_puts(out, "]");
}

void tensor_print_shape(struct text *out, const TF_Tensor *t)
{
    int64_t dims[MAX_RANK];
    int num = TF_NumDims(t) < MAX_RANK ? TF_NumDims(t) : MAX_RANK;
    for (int i = 0; i < num; i++)
        dims[i] = TF_Dim(t, i);
    shape_print(out, dims, num);
}

float bfloat16_to_float(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h >> 15) << 31, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 0) { /* zero and denormals: an exact product */
        float f = (float)fraction * 0x1p-24f;
        return sign ? -f : f;
    }
    uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* ---- strings ---- */

TF_Tensor *tensor_from_strings(const struct bytes *strings, int64_t num, const int64_t *dims,
                               int num_dims)
{
    size_t bytes = (size_t)num * 8;
    for (int64_t i = 0; i < num; i++)
        bytes += TF_StringEncodedSize(strings[i].n);
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims, num_dims, bytes);
    if (!t)
        return NULL;
    char *base = TF_TensorData(t);
    size_t at = (size_t)num * 8;
    TF_Status *status = TF_NewStatus();
    for (int64_t i = 0; i < num; i++) {
        uint64_t offset = at - (size_t)num * 8;
        memcpy(base + i * 8, &offset, 8);
        at += TF_StringEncode((const char *)strings[i].p, strings[i].n, base + at, bytes - at,
                              status);
        if (TF_GetCode(status) != TF_OK) {
            TF_DeleteTensor(t);
            t = NULL;
            break;
        }
    }
    TF_DeleteStatus(status);
    return t;
}

bool tensor_string(const TF_Tensor *t, int64_t i, struct bytes *s)
{
    const uint8_t *base = TF_TensorData(t);
    size_t size = TF_TensorByteSize(t), table = (size_t)TF_TensorElementCount(t) * 8;
    uint64_t offset;
    if (size < table || i < 0 || (size_t)i * 8 >= table)
        return false;
    memcpy(&offset, base + i * 8, 8);
    if (offset > size - table)
        return false;
    const char *p;
    TF_Status *status = TF_NewStatus();
    TF_StringDecode((const char *)base + table + offset, size - table - offset, &p, &s->n, status);
    bool ok = TF_GetCode(status) == TF_OK;
    s->p = (const uint8_t *)p;
    TF_DeleteStatus(status);
    return ok;
}

/* ---- TensorProto ---- */

struct proto_tensor {
    const struct dtype_row *row;
    int dtype, num_dims;
    int64_t dims[MAX_RANK], num_elements;
    struct bytes proto, content;
};

static bool read_shape(struct proto_tensor *t, struct text *why)
{
    struct bytes shape = wire_get_bytes(t->proto, 2);
    t->num_elements = 1;
    for (struct wire_field f; wire_next(&shape, &f);) {
        if (f.number != 2)
            continue;
        int64_t size = (int64_t)wire_get_number(f.bytes, 1);
        if (t->num_dims == MAX_RANK || size < 0 || size > max_elements ||
            t->num_elements * size > max_elements) {
            text_puts(why, "recorded value with a shape out of bounds");
            return false;
        }
        t->dims[t->num_dims++] = size;
        t->num_elements *= size;
    }
    return true;
}

static TF_Tensor *read_strings(const struct proto_tensor *t)
{
    struct bytes *strings = test_alloc((size_t)t->num_elements, sizeof(*strings));
    struct bytes rest = t->proto;
    int64_t num = 0;
    for (struct wire_field f; wire_next(&rest, &f) && num < t->num_elements;)
        if (f.number == 8)
            strings[num++] = f.bytes;
    for (int64_t i = num; num > 0 && i < t->num_elements; i++)
        strings[i] = strings[num - 1];
    TF_Tensor *tensor = tensor_from_strings(strings, t->num_elements, t->dims, t->num_dims);
    free(strings);
    return tensor;
}

/* Fills the elements from the typed list; the last value stands for the missing ones. Numbers are
 * little-endian in memory too, so that the low bytes are the element. A complex element is two. */
static void fill_numbers(const struct proto_tensor *t, uint8_t *data)
{
    bool complex = t->row->field == 9 || t->row->field == 12;
    size_t part = complex ? t->row->bytes / 2 : t->row->bytes;
    int64_t num = 0, parts = t->num_elements * (complex ? 2 : 1);
    struct bytes rest = t->proto;
    for (struct wire_field f; wire_next(&rest, &f);) {
        if (f.number != t->row->field)
            continue;
        struct bytes packed = f.bytes;
        while (num < parts) {
            uint64_t value = f.value;
            if (f.type == WIRE_BYTES && !wire_next_packed(&packed, t->row->wire, &value))
                break;
            memcpy(data + (size_t)num++ * part, &value, part);
            if (f.type != WIRE_BYTES)
                break;
        }
    }
    int64_t filled = num / (complex ? 2 : 1);
    size_t size = t->row->bytes;
    for (int64_t i = filled; i < t->num_elements; i++) {
        if (filled)
            memcpy(data + (size_t)i * size, data + (size_t)(filled - 1) * size, size);
        else
            memset(data + (size_t)i * size, 0, size);
    }
}

static TF_Tensor *read_numbers(const struct proto_tensor *t, struct text *why)
{
    size_t bytes = (size_t)t->num_elements * t->row->bytes;
    if (t->content.n && t->content.n != bytes) {
        text_printf(why, "recorded value with %zu bytes for %zu", t->content.n, bytes);
        return NULL;
    }
    TF_Tensor *tensor = TF_AllocateTensor((TF_DataType)t->dtype, t->dims, t->num_dims, bytes);
    if (!tensor || bytes == 0)
        return tensor;
    if (t->content.n)
        memcpy(TF_TensorData(tensor), t->content.p, bytes);
    else
        fill_numbers(t, TF_TensorData(tensor));
    return tensor;
}

TF_Tensor *tensor_from_proto(struct bytes proto, struct text *why)
{
    struct proto_tensor t = {.proto = proto,
                             .dtype = (int)wire_get_number(proto, 1),
                             .content = wire_get_bytes(proto, 4)};
    t.row = dtype_row(t.dtype);
    if (!read_shape(&t, why))
        return NULL;
    if (t.row->field == 0 || (t.dtype == TF_STRING && t.content.n)) {
        text_printf(why, "recorded value of type %s", dtype_name(t.dtype));
        return NULL;
    }
    TF_Tensor *tensor = t.dtype == TF_STRING ? read_strings(&t) : read_numbers(&t, why);
    if (!tensor && why->n == 0)
        text_printf(why, "TF_AllocateTensor gave no %s tensor", dtype_name(t.dtype));
    return tensor;
}
