/* SPDX-License-Identifier: Apache-2.0 */
/* The 23 element types, with TensorFlow's numbers, sizes and names; a reference type is the value
 * plus 100. One X-macro table is the source of everything said about a type. */
#ifndef LEAT_TENSOR_DTYPE_H
#define LEAT_TENSOR_DTYPE_H

#include "base/base.h"
#include "base/str.h"

/* clang-format off */
/* X(id, number, name in attr specs, C type of an element) */
#define DTYPE_TABLE(X) \
    X(FLOAT,       1, "float",      float)              \
    X(DOUBLE,      2, "double",     double)             \
    X(INT32,       3, "int32",      int32_t)            \
    X(UINT8,       4, "uint8",      uint8_t)            \
    X(INT16,       5, "int16",      int16_t)            \
    X(INT8,        6, "int8",       int8_t)             \
    X(STRING,      7, "string",     struct tstr)        \
    X(COMPLEX64,   8, "complex64",  struct c64)         \
    X(INT64,       9, "int64",      int64_t)            \
    X(BOOL,       10, "bool",       bool)               \
    X(QINT8,      11, "qint8",      int8_t)             \
    X(QUINT8,     12, "quint8",     uint8_t)            \
    X(QINT32,     13, "qint32",     int32_t)            \
    X(BFLOAT16,   14, "bfloat16",   struct bf16)        \
    X(QINT16,     15, "qint16",     int16_t)            \
    X(QUINT16,    16, "quint16",    uint16_t)           \
    X(UINT16,     17, "uint16",     uint16_t)           \
    X(COMPLEX128, 18, "complex128", struct c128)        \
    X(HALF,       19, "half",       struct f16)         \
    X(RESOURCE,   20, "resource",   struct handle *)    \
    X(VARIANT,    21, "variant",    struct variant *)   \
    X(UINT32,     22, "uint32",     uint32_t)           \
    X(UINT64,     23, "uint64",     uint64_t)
/* clang-format on */

enum dtype {
    DT_INVALID = 0,
#define X(id, number, name, type) DT_##id = number,
    DTYPE_TABLE(X)
#undef X
        DT_NUM = 24,
    DT_REF = 100 /* added to a value type: a reference to a variable of it */
};

struct f16 {
    uint16_t bits; /* IEEE binary16 */
};
struct bf16 {
    uint16_t bits; /* upper half of a binary32 */
};
struct c64 {
    float re, im;
};
struct c128 {
    double re, im;
};

/* A set of types: bit (1 << number). */
typedef uint32_t dtype_set;
#define DTYPE_BIT(id) ((dtype_set)1 << DT_##id)

bool dtype_valid(int t);       /* a value type or a reference type */
size_t dtype_size(int t);      /* bytes in an element as kernels see it; 0: not a type */
const char *dtype_name(int t); /* "float", "float_ref"; "unknown" */
bool dtype_from_name(struct str name,
                     int *out); /* also "DT_FLOAT", "float32", "half"/"float16", "complex"... */
static inline bool dtype_is_ref(int t)
{
    return t > DT_REF;
}
static inline int dtype_base(int t)
{
    return t > DT_REF ? t - DT_REF : t;
}
/* Elements that own memory: STRING, RESOURCE, VARIANT. */
static inline bool dtype_is_managed(int t)
{
    return t == DT_STRING || t == DT_RESOURCE || t == DT_VARIANT;
}
bool dtype_is_float(int t); /* half, bfloat16, float, double */
bool dtype_is_complex(int t);
bool dtype_is_integer(int t); /* signed and unsigned, not quantised, not bool */
bool dtype_is_quantized(int t);
int dtype_real_of(int t); /* complex64 -> float, complex128 -> double, others themselves */

/* Conversions round to nearest even; NaN stays NaN. */
float f16_to_f32(struct f16 h);
struct f16 f16_from_f32(float f);
static inline float bf16_to_f32(struct bf16 b)
{
    union {
        uint32_t u;
        float f;
    } v = {.u = (uint32_t)b.bits << 16};
    return v.f;
}
struct bf16 bf16_from_f32(float f);

#endif
