/* SPDX-License-Identifier: Apache-2.0 */
/* The conversions that simd_cast.c leaves out: narrow and unsigned types. Numbers that do not fit
 * become what x86's conversions make of them, as TensorFlow has it: floats go through a wider
 * signed integer, whose low bits are kept. */
#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

#define TWO_63 9223372036854775808.0

static inline uint64_t to_u64(double x)
{
    return x >= TWO_63 ? (uint64_t)(int64_t)(x - TWO_63) ^ (uint64_t)1 << 63 : (uint64_t)(int64_t)x;
}

/* Results of a width by name: their bits do not depend on the result's sign. */
#define CAST(name, from, to, expr) TILE_UNARY(name, from, to, expr)
#define CASTS_OF_FLOAT(s, type)                                                                    \
    CAST(s##_to_16, type, uint16_t, (int32_t)x)                                                    \
    CAST(s##_to_u32, type, uint32_t, (int64_t)x)                                                   \
    CAST(s##_to_u64, type, uint64_t, to_u64((double)x))
CASTS_OF_FLOAT(f32, float)
CASTS_OF_FLOAT(f64, double)

#define CASTS_OF_INT(s, type)                                                                      \
    CAST(s##_to_flag, type, bool, x != 0)                                                          \
    CAST(s##_to_f32, type, float, x)                                                               \
    CAST(s##_to_f64, type, double, x)                                                              \
    CAST(s##_to_8, type, uint8_t, x)                                                               \
    CAST(s##_to_16, type, uint16_t, x)                                                             \
    CAST(s##_to_32, type, uint32_t, x)                                                             \
    CAST(s##_to_64, type, uint64_t, x)
CASTS_OF_INT(i8, int8_t)
CASTS_OF_INT(i16, int16_t)
CASTS_OF_INT(u16, uint16_t)
CASTS_OF_INT(u32, uint32_t)
CASTS_OF_INT(u64, uint64_t)
CAST(u8_to_8, uint8_t, uint8_t, x)
CAST(u8_to_16, uint8_t, uint16_t, x)
CAST(i32_to_16, int32_t, uint16_t, x)
CAST(i32_to_32, int32_t, uint32_t, x)
CAST(i64_to_16, int64_t, uint16_t, x)
CAST(i64_to_64, int64_t, uint64_t, x)
CAST(flag_to_16, uint8_t, uint16_t, x != 0)

#define ROW(from, FROM, to, TO) {DT_##FROM, DT_##TO, from##_to_##to},
#define ROWS_8(s, S) ROW(s, S, 8, INT8) ROW(s, S, 8, UINT8)
#define ROWS_16(s, S) ROW(s, S, 16, INT16) ROW(s, S, 16, UINT16)
#define ROWS_32(s, S) ROW(s, S, 32, INT32) ROW(s, S, 32, UINT32)
#define ROWS_64(s, S) ROW(s, S, 64, INT64) ROW(s, S, 64, UINT64)
#define ROWS_FLOAT(s, S) ROWS_16(s, S) ROW(s, S, u32, UINT32) ROW(s, S, u64, UINT64)
#define ROWS_INT(s, S)                                                                             \
    ROW(s, S, flag, BOOL)                                                                          \
    ROW(s, S, f32, FLOAT)                                                                          \
    ROW(s, S, f64, DOUBLE) ROWS_8(s, S) ROWS_16(s, S) ROWS_32(s, S) ROWS_64(s, S)

/* clang-format off */
static const struct tile_row rows[] = {
    ROWS_FLOAT(f32, FLOAT) ROWS_FLOAT(f64, DOUBLE)
    ROWS_INT(i8, INT8) ROWS_INT(i16, INT16) ROWS_INT(u16, UINT16)
    ROWS_INT(u32, UINT32) ROWS_INT(u64, UINT64)
    ROW(u8, UINT8, 8, INT8) ROWS_16(u8, UINT8)
    ROWS_16(i32, INT32) ROW(i32, INT32, 32, UINT32)
    ROWS_16(i64, INT64) ROW(i64, INT64, 64, UINT64)
    ROWS_16(flag, BOOL)
};
/* clang-format on */

ewise_fn tile_cast_find(int from, int to)
{
    ewise_fn fn = SIMD_CALL(tile_cast)(from, to);
    return fn ? fn : tile_find(rows, ARRAY_LEN(rows), from, to);
}
