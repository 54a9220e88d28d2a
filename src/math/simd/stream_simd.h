/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of math/stream.h at each instruction level. */
#ifndef LEAT_MATH_SIMD_STREAM_SIMD_H
#define LEAT_MATH_SIMD_STREAM_SIMD_H

#include <stddef.h>

#include "math/simd.h"

SIMD_DECLARE(void, stream_copy, (char *to, const char *from, size_t bytes));

#endif
