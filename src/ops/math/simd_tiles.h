/* SPDX-License-Identifier: Apache-2.0 */
/* The tile functions that are compiled once per instruction level: finders by op and type. */
#ifndef LEAT_OPS_MATH_SIMD_TILES_H
#define LEAT_OPS_MATH_SIMD_TILES_H

#include "math/simd.h"
#include "op/kernel.h"

SIMD_DECLARE(ewise_fn, tile_arith, (int id, int dtype));
SIMD_DECLARE(ewise_fn, tile_compare, (int id, int dtype));
SIMD_DECLARE(ewise_fn, tile_select, (size_t bytes));   /* in: condition, then, else */
SIMD_DECLARE(ewise_fn, tile_cast, (int from, int to)); /* the common ones; NULL: none */

#endif
