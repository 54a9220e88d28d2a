/* SPDX-License-Identifier: Apache-2.0 */
/* Adding arrays of any numeric type: integers wrap around, halves are added in float and rounded,
 * complex numbers are pairs. */
#include "ops/array/value.h"

#define ADD_FN(name, type)                                                                         \
    static void name(void *y, const void *x, int64_t n)                                            \
    {                                                                                              \
        type *restrict a = y;                                                                      \
        const type *restrict b = x;                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            a[i] = (type)(a[i] + b[i]);                                                            \
    }
ADD_FN(add_f32, float)
ADD_FN(add_f64, double)
ADD_FN(add_8, uint8_t)
ADD_FN(add_16, uint16_t)
ADD_FN(add_32, uint32_t)
ADD_FN(add_64, uint64_t)
#undef ADD_FN

static void add_f16(void *y, const void *x, int64_t n)
{
    struct f16 *a = y;
    const struct f16 *b = x;
    for (int64_t i = 0; i < n; i++)
        a[i] = f16_from_f32(f16_to_f32(a[i]) + f16_to_f32(b[i]));
}

static void add_bf16(void *y, const void *x, int64_t n)
{
    struct bf16 *a = y;
    const struct bf16 *b = x;
    for (int64_t i = 0; i < n; i++)
        a[i] = bf16_from_f32(bf16_to_f32(a[i]) + bf16_to_f32(b[i]));
}

static void add_c64(void *y, const void *x, int64_t n)
{
    add_f32(y, x, 2 * n);
}

static void add_c128(void *y, const void *x, int64_t n)
{
    add_f64(y, x, 2 * n);
}

value_add_fn value_add_of(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return add_f32;
    case DT_DOUBLE:
        return add_f64;
    case DT_HALF:
        return add_f16;
    case DT_BFLOAT16:
        return add_bf16;
    case DT_COMPLEX64:
        return add_c64;
    case DT_COMPLEX128:
        return add_c128;
    default: /* integers wrap around */
        switch (dtype_size(dtype)) {
        case 1:
            return add_8;
        case 2:
            return add_16;
        case 4:
            return add_32;
        default:
            return add_64;
        }
    }
}
