/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction loops at this instruction level: reduce_body.inc for each type and operation. */
#include "math/simd/reduce_simd.h"

#include "math/simd/lanes.h"
#include "tensor/dtype.h"

#define ROW_LEAF 4096 /* elements summed in lanes before sums are added pairwise */
#define COL_LEAF 256  /* rows, likewise */
#define COL_TILE_BYTES 2048

/* clang-format off */
#define S float
#define I int32_t
#define TYPE(x) x##_f32
#define SELECT(m, a, b) vf_select((vi)(m), a, b)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#include "math/simd/reduce_type.inc"

#define S double
#define I int64_t
#define TYPE(x) x##_f64
#define SELECT(m, a, b) vd_select((vl)(m), a, b)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#include "math/simd/reduce_type.inc"

#define INTEGER_TYPE 1
#define SIGNED_TYPE 1
#define S int8_t
#define I int8_t
#define TYPE(x) x##_i8
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#include "math/simd/reduce_type.inc"

#define S uint8_t
#define I int8_t
#define TYPE(x) x##_u8
#define LOWEST 0
#define HIGHEST UINT8_MAX
#include "math/simd/reduce_type.inc"

#define SIGNED_TYPE 1
#define S int16_t
#define I int16_t
#define TYPE(x) x##_i16
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#include "math/simd/reduce_type.inc"

#define S uint16_t
#define I int16_t
#define TYPE(x) x##_u16
#define LOWEST 0
#define HIGHEST UINT16_MAX
#include "math/simd/reduce_type.inc"

#define SIGNED_TYPE 1
#define S int32_t
#define I int32_t
#define TYPE(x) x##_i32
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include "math/simd/reduce_type.inc"

#define S uint32_t
#define I int32_t
#define TYPE(x) x##_u32
#define LOWEST 0
#define HIGHEST UINT32_MAX
#include "math/simd/reduce_type.inc"

#define SIGNED_TYPE 1
#define S int64_t
#define I int64_t
#define TYPE(x) x##_i64
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#include "math/simd/reduce_type.inc"

#define S uint64_t
#define I int64_t
#define TYPE(x) x##_u64
#define LOWEST 0
#define HIGHEST UINT64_MAX
#include "math/simd/reduce_type.inc"

#define REDUCE_TYPES(X) \
    X(DT_FLOAT, f32) X(DT_DOUBLE, f64) X(DT_INT8, i8) X(DT_UINT8, u8) X(DT_INT16, i16) \
    X(DT_UINT16, u16) X(DT_INT32, i32) X(DT_UINT32, u32) X(DT_INT64, i64) X(DT_UINT64, u64) \
    X(DT_BOOL, u8)
/* clang-format on */

/* Sums and products of signed numbers wrap: they are done on the unsigned type. */
static int wrapping(enum math_reduce_op op, int dtype)
{
    if (op != MATH_REDUCE_SUM && op != MATH_REDUCE_PROD)
        return dtype;
    switch (dtype) {
    case DT_INT8:
        return DT_UINT8;
    case DT_INT16:
        return DT_UINT16;
    case DT_INT32:
        return DT_UINT32;
    case DT_INT64:
        return DT_UINT64;
    default:
        return dtype;
    }
}

void LEAT_FN(reduce_rows)(enum math_reduce_op op, int dtype, const struct reduce_piece *p, void *y)
{
    switch (wrapping(op, dtype)) {
#define X(dt, name)                                                                                \
    case dt:                                                                                       \
        reduce_rows_##name(op, p, y);                                                              \
        break;
        REDUCE_TYPES(X)
#undef X
    default:
        ASSERT(!"a type that reduce.c lets through");
    }
}

void LEAT_FN(reduce_columns)(enum math_reduce_op op, int dtype, const struct reduce_piece *p,
                             void *y)
{
    switch (wrapping(op, dtype)) {
#define X(dt, name)                                                                                \
    case dt:                                                                                       \
        reduce_columns_##name(op, p, y);                                                           \
        break;
        REDUCE_TYPES(X)
#undef X
    default:
        ASSERT(!"a type that reduce.c lets through");
    }
}
