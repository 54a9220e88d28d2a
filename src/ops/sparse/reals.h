/* SPDX-License-Identifier: Apache-2.0 */
/* The real types that sparse values may have, as tables for loops that are written once:
 * X(dtype, name, C type, to a number, from a number) and X(dtype, name, C type). */
#ifndef LEAT_OPS_SPARSE_REALS_H
#define LEAT_OPS_SPARSE_REALS_H

#include "tensor/dtype.h"

#define SPARSE_SAME(x) (x)
#define SPARSE_FLOATS(X)                                                                           \
    X(DT_FLOAT, f32, float, SPARSE_SAME, SPARSE_SAME)                                              \
    X(DT_DOUBLE, f64, double, SPARSE_SAME, SPARSE_SAME)                                            \
    X(DT_HALF, f16, struct f16, f16_to_f32, f16_from_f32)                                          \
    X(DT_BFLOAT16, bf16, struct bf16, bf16_to_f32, bf16_from_f32)
#define SPARSE_INTEGERS(X)                                                                         \
    X(DT_INT8, i8, int8_t)                                                                         \
    X(DT_UINT8, u8, uint8_t)                                                                       \
    X(DT_INT16, i16, int16_t)                                                                      \
    X(DT_UINT16, u16, uint16_t)                                                                    \
    X(DT_INT32, i32, int32_t)                                                                      \
    X(DT_INT64, i64, int64_t)

#endif
