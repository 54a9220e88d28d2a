/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions of the arithmetic ops for float, double, int32 and int64, vectorised by the
 * compiler; this file is compiled once per instruction level. */
#include <math.h>

#include "ops/math/ewise_table.h"
#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

#define X(id, expr) TILE_BINARY(id##_f32, float, float, expr)
EWISE_FLOAT_BINARY(X)
#undef X
#define X(id, expr) TILE_BINARY(id##_f64, double, double, expr)
EWISE_FLOAT_BINARY(X)
#undef X
#define X(id, expr) TILE_UNARY(id##_f32, float, float, expr)
EWISE_FLOAT_UNARY(X)
#undef X
#define X(id, expr) TILE_UNARY(id##_f64, double, double, expr)
EWISE_FLOAT_UNARY(X)
#undef X

#define X(id, expr) TILE_BINARY(id##_i32, int32_t, int32_t, expr)
EWISE_INT_BINARY(X)
#undef X
#define X(id, expr) TILE_UNARY(id##_i32, int32_t, int32_t, expr)
EWISE_INT_UNARY(X)
#undef X
#define X(id, expr) TILE_BINARY(id##_i64, int64_t, int64_t, expr)
EWISE_INT_BINARY(X)
#undef X
#define X(id, expr) TILE_UNARY(id##_i64, int64_t, int64_t, expr)
EWISE_INT_UNARY(X)
#undef X

static const struct tile_row rows[] = {
#define X(id, expr) {EW_##id, DT_FLOAT, id##_f32}, {EW_##id, DT_DOUBLE, id##_f64},
    EWISE_FLOAT_BINARY(X) EWISE_FLOAT_UNARY(X)
#undef X
#define X(id, expr) {EW_##id, DT_INT32, id##_i32}, {EW_##id, DT_INT64, id##_i64},
        EWISE_INT_BINARY(X) EWISE_INT_UNARY(X)
#undef X
};

ewise_fn LEAT_FN(tile_arith)(int id, int dtype)
{
    return tile_find(rows, ARRAY_LEN(rows), id, dtype);
}
