/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions of integers that are not worth a vector unit: the narrow and the unsigned ones,
 * division, shifts and powers. What does not depend on the sign is made once a width. */
#include "ops/math/ewise_table.h"
#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

/* x to the power y >= 0, wrapping around. */
#define POWER(name, type, wide)                                                                    \
    static type name(type x, type y)                                                               \
    {                                                                                              \
        wide base = (wide)x, result = 1;                                                           \
        for (; y > 0; y >>= 1, base *= base)                                                       \
            result = y & 1 ? result * base : result;                                               \
        return (type)result;                                                                       \
    }
POWER(power_i32, int32_t, uint32_t)
POWER(power_i64, int64_t, uint64_t)

#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_u8, uint8_t, uint8_t, expr)                                              \
    TILE_BINARY_SLOW(id##_u16, uint16_t, uint16_t, expr)
EWISE_INT_BITS(X)
#undef X
#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_i8, int8_t, bool, expr)                                                  \
    TILE_BINARY_SLOW(id##_u8, uint8_t, bool, expr)                                                 \
    TILE_BINARY_SLOW(id##_i16, int16_t, bool, expr)
EWISE_COMPARE(X)
#undef X
#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_i8, int8_t, int8_t, expr)                                                \
    TILE_BINARY_SLOW(id##_i16, int16_t, int16_t, expr)                                             \
    TILE_BINARY_SLOW(id##_i32, int32_t, int32_t, expr)                                             \
    TILE_BINARY_SLOW(id##_i64, int64_t, int64_t, expr)
EWISE_SIGNED_DIVISION(X)
EWISE_SIGNED_SHIFT(X)
#undef X
#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_u8, uint8_t, uint8_t, expr)                                              \
    TILE_BINARY_SLOW(id##_u16, uint16_t, uint16_t, expr)
EWISE_UNSIGNED_DIVISION(X)
EWISE_UNSIGNED_SHIFT(X)
#undef X
#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_u32, uint32_t, uint32_t, expr)                                           \
    TILE_BINARY_SLOW(id##_u64, uint64_t, uint64_t, expr)
EWISE_UNSIGNED_SHIFT(X)
#undef X
TILE_UNARY(abs_i8, int8_t, int8_t, (int8_t)(x < 0 ? -x : x))
TILE_UNARY(abs_i16, int16_t, int16_t, (int16_t)(x < 0 ? -x : x))
TILE_UNARY(invert_u8, uint8_t, uint8_t, ~x)
TILE_UNARY(invert_u16, uint16_t, uint16_t, ~x)
TILE_BINARY_SLOW(pow_i32, int32_t, int32_t, power_i32(x, y))
TILE_BINARY_SLOW(pow_i64, int64_t, int64_t, power_i64(x, y))

static const struct tile_row rows[] = {
#define X(id, expr)                                                                                \
    {EW_##id, DT_INT8, id##_u8}, {EW_##id, DT_UINT8, id##_u8}, {EW_##id, DT_INT16, id##_u16},      \
        {EW_##id, DT_UINT16, id##_u16},
    EWISE_INT_BITS(X)
#undef X
#define X(id, expr)                                                                                \
    {EW_##id, DT_INT8, id##_i8}, {EW_##id, DT_UINT8, id##_u8}, {EW_##id, DT_INT16, id##_i16},
        EWISE_COMPARE(X)
#undef X
#define X(id, expr)                                                                                \
    {EW_##id, DT_INT8, id##_i8}, {EW_##id, DT_INT16, id##_i16}, {EW_##id, DT_INT32, id##_i32},     \
        {EW_##id, DT_INT64, id##_i64},
            EWISE_SIGNED_DIVISION(X) EWISE_SIGNED_SHIFT(X)
#undef X
#define X(id, expr) {EW_##id, DT_UINT8, id##_u8}, {EW_##id, DT_UINT16, id##_u16},
                EWISE_UNSIGNED_DIVISION(X) EWISE_UNSIGNED_SHIFT(X)
#undef X
#define X(id, expr) {EW_##id, DT_UINT32, id##_u32}, {EW_##id, DT_UINT64, id##_u64},
                    EWISE_UNSIGNED_SHIFT(X)
#undef X
                        {EW_abs, DT_INT8, abs_i8},
    {EW_abs, DT_INT16, abs_i16},
    {EW_invert, DT_INT8, invert_u8},
    {EW_invert, DT_UINT8, invert_u8},
    {EW_invert, DT_INT16, invert_u16},
    {EW_invert, DT_UINT16, invert_u16},
    {EW_pow, DT_INT32, pow_i32},
    {EW_pow, DT_INT64, pow_i64},
};

ewise_fn tile_find_int(int id, int dtype)
{
    bool bits =
        id == EW_bitwise_and || id == EW_bitwise_or || id == EW_bitwise_xor || id == EW_invert;
    if (bits && (dtype == DT_UINT32 || dtype == DT_UINT64))
        return SIMD_CALL(tile_arith)(id, dtype == DT_UINT32 ? DT_INT32 : DT_INT64);
    return tile_find(rows, ARRAY_LEN(rows), id, dtype);
}
