/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about element types, expanded from DTYPE_TABLE, and the 16-bit floats.
 *
 * The conversions work on bits, so that they do not depend on the thread's rounding or flush-to-
 * zero mode. They serve single values and the tails of loops; the wide ones are in math/. */
#include "tensor/dtype.h"

#include <string.h>

#include "tensor/tstr.h"

#define FLOAT_TYPES (DTYPE_BIT(HALF) | DTYPE_BIT(BFLOAT16) | DTYPE_BIT(FLOAT) | DTYPE_BIT(DOUBLE))
#define COMPLEX_TYPES (DTYPE_BIT(COMPLEX64) | DTYPE_BIT(COMPLEX128))
#define SIGNED_TYPES (DTYPE_BIT(INT8) | DTYPE_BIT(INT16) | DTYPE_BIT(INT32) | DTYPE_BIT(INT64))
#define UNSIGNED_TYPES                                                                             \
    (DTYPE_BIT(UINT8) | DTYPE_BIT(UINT16) | DTYPE_BIT(UINT32) | DTYPE_BIT(UINT64))
#define QUANTIZED_TYPES                                                                            \
    (DTYPE_BIT(QINT8) | DTYPE_BIT(QUINT8) | DTYPE_BIT(QINT16) | DTYPE_BIT(QUINT16) |               \
     DTYPE_BIT(QINT32))

struct facts {
    const char *name, *ref_name;
    const char *enum_name; /* without "DT_" */
    size_t size;
};

static const struct facts facts[DT_NUM] = {
#define X(id, number, name, type) [number] = {name, name "_ref", #id, sizeof(type)},
    DTYPE_TABLE(X)
#undef X
};

bool dtype_valid(int t)
{
    int base = dtype_base(t);
    return base > DT_INVALID && base < DT_NUM;
}

size_t dtype_size(int t)
{
    return dtype_valid(t) ? facts[dtype_base(t)].size : 0;
}

const char *dtype_name(int t)
{
    if (!dtype_valid(t))
        return "unknown";
    return dtype_is_ref(t) ? facts[t - DT_REF].ref_name : facts[t].name;
}

static struct str without_prefix(struct str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return str_starts(s, prefix) ? str_make(s.p + n, s.n - n) : s;
}

static struct str without_suffix(struct str s, const char *suffix)
{
    return str_ends(s, suffix) ? str_make(s.p, s.n - strlen(suffix)) : s;
}

static int from_enum_name(struct str name)
{
    for (int t = 1; t < DT_NUM; t++)
        if (str_is(name, facts[t].enum_name))
            return t;
    return DT_INVALID;
}

static int from_attr_name(struct str name)
{
    static const struct {
        const char *name;
        int t;
    } others[] = {
        {"float32", DT_FLOAT},
        {"float64", DT_DOUBLE},
        {"float16", DT_HALF},
        {"complex", DT_COMPLEX64},
    };
    for (int t = 1; t < DT_NUM; t++)
        if (str_is(name, facts[t].name))
            return t;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_is(name, others[i].name))
            return others[i].t;
    return DT_INVALID;
}

bool dtype_from_name(struct str name, int *out)
{
    bool is_enum = str_starts(name, "DT_");
    struct str base = without_suffix(without_prefix(name, "DT_"), is_enum ? "_REF" : "_ref");
    int t = is_enum ? from_enum_name(base) : from_attr_name(base);
    if (t == DT_INVALID)
        return false;
    *out = base.n + (is_enum ? 3 : 0) < name.n ? t + DT_REF : t;
    return true;
}

static bool in_set(int t, dtype_set set)
{
    return dtype_valid(t) && (set >> dtype_base(t) & 1);
}

bool dtype_is_float(int t)
{
    return in_set(t, FLOAT_TYPES);
}

bool dtype_is_complex(int t)
{
    return in_set(t, COMPLEX_TYPES);
}

bool dtype_is_integer(int t)
{
    return in_set(t, SIGNED_TYPES | UNSIGNED_TYPES);
}

bool dtype_is_quantized(int t)
{
    return in_set(t, QUANTIZED_TYPES);
}

int dtype_real_of(int t)
{
    return t == DT_COMPLEX64 ? DT_FLOAT : t == DT_COMPLEX128 ? DT_DOUBLE : t;
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof(u));
    return u;
}

static float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof(f));
    return f;
}

float f16_to_f32(struct f16 h)
{
    uint32_t sign = (uint32_t)(h.bits & 0x8000) << 16;
    uint32_t exponent = h.bits >> 10 & 0x1f, mantissa = h.bits & 0x3ff;
    if (exponent == 0) /* zero or subnormal: a multiple of 2^-24 */
        return float_of(sign | bits_of((float)mantissa * 0x1p-24f));
    if (exponent == 0x1f)
        return float_of(sign | 0x7f800000 | mantissa << 13);
    return float_of(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

/* The magnitude `a` (bits of a float under 2^-14) as a multiple of 2^-24. */
static uint16_t subnormal_half(uint32_t a)
{
    uint32_t exponent = a >> 23;
    if (exponent < 102) /* under 2^-25: nearer to 0 */
        return 0;
    uint32_t mantissa = (a & 0x7fffff) | 0x800000, shift = 126 - exponent;
    uint32_t whole = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    return (uint16_t)(whole + (rest > half || (rest == half && (whole & 1))));
}

struct f16 f16_from_f32(float f)
{
    uint32_t u = bits_of(f), a = u & 0x7fffffff;
    uint16_t sign = (uint16_t)(u >> 16 & 0x8000), bits;
    if (a >= 0x47800000) /* 65536 and more, and NaN */
        bits = a > 0x7f800000 ? 0x7e00 : 0x7c00;
    else if (a < 0x38800000) /* 2^-14 */
        bits = subnormal_half(a);
    else /* the carry of the rounding may reach the exponent, up to infinity */
        bits = (uint16_t)((a - ((uint32_t)112 << 23) + 0xfff + (a >> 13 & 1)) >> 13);
    return (struct f16){(uint16_t)(sign | bits)};
}

struct bf16 bf16_from_f32(float f)
{
    uint32_t u = bits_of(f);
    if ((u & 0x7fffffff) > 0x7f800000)
        return (struct bf16){0x7fc0};
    return (struct bf16){(uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16)};
}
