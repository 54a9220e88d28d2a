/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between the types that most graphs convert: tile functions, compiled once per
 * instruction level. Signed and unsigned results of one width have the same bits. */
#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

#define CAST(name, from, to, expr) TILE_UNARY(name, from, to, expr)

/* From a float: to narrow integers by way of int32, as the processor converts. */
#define CASTS_OF_FLOAT(s, type)                                                                    \
    CAST(s##_to_bool, type, bool, x != 0)                                                          \
    CAST(s##_to_8, type, uint8_t, (int32_t)x)                                                      \
    CAST(s##_to_i32, type, int32_t, x)                                                             \
    CAST(s##_to_i64, type, int64_t, x)
CASTS_OF_FLOAT(f32, float)
CASTS_OF_FLOAT(f64, double)
CAST(f32_to_f64, float, double, x)
CAST(f64_to_f32, double, float, x)

#define CASTS_OF_INT(s, type)                                                                      \
    CAST(s##_to_bool, type, bool, x != 0)                                                          \
    CAST(s##_to_f32, type, float, x)                                                               \
    CAST(s##_to_f64, type, double, x)
CASTS_OF_INT(i32, int32_t)
CASTS_OF_INT(i64, int64_t)
CASTS_OF_INT(u8, uint8_t)
CAST(i32_to_8, int32_t, uint8_t, x)
CAST(i32_to_64, int32_t, int64_t, x)
CAST(i64_to_8, int64_t, uint8_t, x)
CAST(i64_to_32, int64_t, uint32_t, x)
CAST(u8_to_32, uint8_t, uint32_t, x)
CAST(u8_to_64, uint8_t, uint64_t, x)
CAST(bool_to_8, uint8_t, uint8_t, x != 0)
CAST(bool_to_32, uint8_t, uint32_t, x != 0)
CAST(bool_to_64, uint8_t, uint64_t, x != 0)
CAST(bool_to_f32, uint8_t, float, x != 0 ? 1.0f : 0.0f)
CAST(bool_to_f64, uint8_t, double, x != 0 ? 1.0 : 0.0)

static const struct tile_row rows[] = {
#define X(from, FROM, to, TO)                                                                      \
    {                                                                                              \
        DT_##FROM, DT_##TO, from##_to_##to                                                         \
    }
    X(f32, FLOAT, bool, BOOL),  X(f32, FLOAT, 8, INT8),     X(f32, FLOAT, 8, UINT8),
    X(f32, FLOAT, i32, INT32),  X(f32, FLOAT, i64, INT64),  X(f32, FLOAT, f64, DOUBLE),
    X(f64, DOUBLE, bool, BOOL), X(f64, DOUBLE, 8, INT8),    X(f64, DOUBLE, 8, UINT8),
    X(f64, DOUBLE, i32, INT32), X(f64, DOUBLE, i64, INT64), X(f64, DOUBLE, f32, FLOAT),
    X(i32, INT32, bool, BOOL),  X(i32, INT32, f32, FLOAT),  X(i32, INT32, f64, DOUBLE),
    X(i32, INT32, 8, INT8),     X(i32, INT32, 8, UINT8),    X(i32, INT32, 64, INT64),
    X(i32, INT32, 64, UINT64),  X(i64, INT64, bool, BOOL),  X(i64, INT64, f32, FLOAT),
    X(i64, INT64, f64, DOUBLE), X(i64, INT64, 8, INT8),     X(i64, INT64, 8, UINT8),
    X(i64, INT64, 32, INT32),   X(i64, INT64, 32, UINT32),  X(u8, UINT8, bool, BOOL),
    X(u8, UINT8, f32, FLOAT),   X(u8, UINT8, f64, DOUBLE),  X(u8, UINT8, 32, INT32),
    X(u8, UINT8, 32, UINT32),   X(u8, UINT8, 64, INT64),    X(u8, UINT8, 64, UINT64),
    X(bool, BOOL, 8, INT8),     X(bool, BOOL, 8, UINT8),    X(bool, BOOL, 32, INT32),
    X(bool, BOOL, 32, UINT32),  X(bool, BOOL, 64, INT64),   X(bool, BOOL, 64, UINT64),
    X(bool, BOOL, f32, FLOAT),  X(bool, BOOL, f64, DOUBLE),
#undef X
};

ewise_fn LEAT_FN(tile_cast)(int from, int to)
{
    return tile_find(rows, ARRAY_LEN(rows), from, to);
}
