/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction loops at this instruction level: reduce_body.inc for each type and operation. */
#include "math/simd/reduce_simd.h"

#include "math/simd/lanes.h"
#include "tensor/dtype.h"

#define ROW_LEAF 4096 /* elements summed in lanes before sums are added pairwise */
#define COL_LEAF 256  /* rows, likewise */
#define COL_TILE_BYTES 2048

/* Sums of float rows are formed as TensorFlow forms them, so that those agree to the bit which
 * nobody can expect to: eight sums of every eighth element, halves added to halves, then what is
 * left over. Four rows go side by side: one's additions wait for each other. */
#define EIGHTS_MOST 8192 /* longer rows are cut there too, and nothing is gained */
typedef float eight __attribute__((vector_size(32)));
typedef float eight_unaligned __attribute__((vector_size(32), aligned(4), may_alias));

static float eights_end(const eight *sums, const float *rest, int64_t n)
{
    float lane[8], tail = 0;
    memcpy(lane, sums, sizeof lane);
    for (int half = 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    for (int64_t i = 0; i < n; i++)
        tail += rest[i];
    return tail + lane[0];
}

static void eights_sum(const float *x, int64_t rows, int64_t cols, float *y)
{
    const int64_t whole = cols / 8 * 8;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, x += 4 * cols) {
        eight a = {0}, b = {0}, c = {0}, d = {0};
        for (int64_t i = 0; i < whole; i += 8) {
            a += *(const eight_unaligned *)(x + i);
            b += *(const eight_unaligned *)(x + cols + i);
            c += *(const eight_unaligned *)(x + 2 * cols + i);
            d += *(const eight_unaligned *)(x + 3 * cols + i);
        }
        const eight all[4] = {a, b, c, d};
        for (int k = 0; k < 4; k++)
            y[r + k] = eights_end(&all[k], x + k * cols + whole, cols - whole);
    }
    for (; r < rows; r++, x += cols) {
        eight a = {0};
        for (int64_t i = 0; i < whole; i += 8)
            a += *(const eight_unaligned *)(x + i);
        y[r] = eights_end(&a, x + whole, cols - whole);
    }
}

/* clang-format off */
#define SUM_ROWS(p, y) ((p)->cols <= EIGHTS_MOST ? (eights_sum((p)->x, (p)->num, (p)->cols, (y)), true) : false)
#define S float
#define I int32_t
#define TYPE(x) x##_f32
#define SELECT(m, a, b) vf_select((vi)(m), a, b)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#include "math/simd/reduce_type.inc"
#undef SUM_ROWS

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
