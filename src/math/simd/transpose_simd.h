/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing one plane, compiled per instruction level. */
#ifndef LEAT_MATH_SIMD_TRANSPOSE_SIMD_H
#define LEAT_MATH_SIMD_TRANSPOSE_SIMD_H

#include "base/base.h"
#include "math/simd.h"

/* y column r = x row r: element (r, c) of x lies at x + r * x_row + c * item, and goes to y + c *
 * y_row + r * item. Row distances in bytes. */
struct plane {
    const char *x;
    char *y;
    int64_t x_row, y_row;
    int64_t rows, cols;
};

SIMD_DECLARE(void, transpose_plane, (size_t item, const struct plane *p));

#endif
