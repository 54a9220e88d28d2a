/* SPDX-License-Identifier: Apache-2.0 */
/* What segments without rows hold, and the types of segment kernels. */
#ifndef LEAT_OPS_GATHER_SEGMENT_H
#define LEAT_OPS_GATHER_SEGMENT_H

#include "tensor/tensor.h"

enum segment_value { SEGMENT_ZERO, SEGMENT_ONE, SEGMENT_LOWEST, SEGMENT_HIGHEST };
/* Every element of t, of a number type, becomes that; lowest and highest are finite. */
void segment_fill(struct tensor *t, enum segment_value v);

#define SEGMENT_REALS "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"
#define SEGMENT_NUMBERS                                                                            \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "     \
    "complex128}"

#endif
