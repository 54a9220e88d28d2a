/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions of comparisons and tests, and of logical ops: what gives bool. Compiled once per
 * instruction level. */
#include <math.h>

#include "ops/math/ewise_table.h"
#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

#define X(id, expr) TILE_BINARY(id##_f32, float, bool, expr)
EWISE_COMPARE(X)
#undef X
#define X(id, expr) TILE_BINARY(id##_f64, double, bool, expr)
EWISE_COMPARE(X)
#undef X
#define X(id, expr) TILE_BINARY(id##_i32, int32_t, bool, expr)
EWISE_COMPARE(X)
#undef X
#define X(id, expr) TILE_BINARY(id##_i64, int64_t, bool, expr)
EWISE_COMPARE(X)
#undef X
#define X(id, expr) TILE_UNARY(id##_f32, float, bool, expr)
EWISE_FLOAT_TEST(X)
#undef X
#define X(id, expr) TILE_UNARY(id##_f64, double, bool, expr)
EWISE_FLOAT_TEST(X)
#undef X

/* A bool from outside may be any byte: what is not 0 is true. */
TILE_BINARY(logical_and_bool, uint8_t, uint8_t, (x != 0) & (y != 0))
TILE_BINARY(logical_or_bool, uint8_t, uint8_t, (x | y) != 0)
TILE_UNARY(logical_not_bool, uint8_t, uint8_t, x == 0)
TILE_BINARY(equal_bool, uint8_t, uint8_t, (x != 0) == (y != 0))
TILE_BINARY(not_equal_bool, uint8_t, uint8_t, (x != 0) != (y != 0))

static const struct tile_row rows[] = {
#define X(id, expr) {EW_##id, DT_FLOAT, id##_f32}, {EW_##id, DT_DOUBLE, id##_f64},
    EWISE_COMPARE(X) EWISE_FLOAT_TEST(X)
#undef X
#define X(id, expr) {EW_##id, DT_INT32, id##_i32}, {EW_##id, DT_INT64, id##_i64},
        EWISE_COMPARE(X)
#undef X
            {EW_logical_and, DT_BOOL, logical_and_bool},
    {EW_logical_or, DT_BOOL, logical_or_bool},
    {EW_logical_not, DT_BOOL, logical_not_bool},
    {EW_equal, DT_BOOL, equal_bool},
    {EW_not_equal, DT_BOOL, not_equal_bool},
};

ewise_fn LEAT_FN(tile_compare)(int id, int dtype)
{
    return tile_find(rows, ARRAY_LEN(rows), id, dtype);
}
