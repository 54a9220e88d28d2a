/* SPDX-License-Identifier: Apache-2.0 */
/* Adding and subtracting arrays of any numeric type: integers wrap around, halves are added in
 * float and rounded, complex numbers are pairs. */
#include "math/value_add.h"

#include "tensor/dtype.h"

#define FN(name, type, op)                                                                         \
    static void name(void *y, const void *x, int64_t n)                                            \
    {                                                                                              \
        type *restrict a = y;                                                                      \
        const type *restrict b = x;                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            a[i] = (type)(a[i] op b[i]);                                                           \
    }
#define NARROW_FN(name, type, to, from, op)                                                        \
    static void name(void *y, const void *x, int64_t n)                                            \
    {                                                                                              \
        type *a = y;                                                                               \
        const type *b = x;                                                                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            a[i] = from(to(a[i]) op to(b[i]));                                                     \
    }
#define FAMILY(verb, op)                                                                           \
    FN(verb##_f32, float, op)                                                                      \
    FN(verb##_f64, double, op)                                                                     \
    FN(verb##_8, uint8_t, op)                                                                      \
    FN(verb##_16, uint16_t, op)                                                                    \
    FN(verb##_32, uint32_t, op)                                                                    \
    FN(verb##_64, uint64_t, op)                                                                    \
    NARROW_FN(verb##_f16, struct f16, f16_to_f32, f16_from_f32, op)                                \
    NARROW_FN(verb##_bf16, struct bf16, bf16_to_f32, bf16_from_f32, op)                            \
    static void verb##_c64(void *y, const void *x, int64_t n)                                      \
    {                                                                                              \
        verb##_f32(y, x, 2 * n);                                                                   \
    }                                                                                              \
    static void verb##_c128(void *y, const void *x, int64_t n)                                     \
    {                                                                                              \
        verb##_f64(y, x, 2 * n);                                                                   \
    }
FAMILY(add, +)
FAMILY(sub, -)

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

value_add_fn value_sub_of(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return sub_f32;
    case DT_DOUBLE:
        return sub_f64;
    case DT_HALF:
        return sub_f16;
    case DT_BFLOAT16:
        return sub_bf16;
    case DT_COMPLEX64:
        return sub_c64;
    case DT_COMPLEX128:
        return sub_c128;
    default: /* integers wrap around */
        switch (dtype_size(dtype)) {
        case 1:
            return sub_8;
        case 2:
            return sub_16;
        case 4:
            return sub_32;
        default:
            return sub_64;
        }
    }
}
