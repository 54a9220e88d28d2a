/* SPDX-License-Identifier: Apache-2.0 */
/* Many Philox blocks at once, compiled per instruction level. */
#ifndef LEAT_MATH_SIMD_RNG_SIMD_H
#define LEAT_MATH_SIMD_RNG_SIMD_H

#include "math/rng.h"
#include "math/simd.h"

/* out[4 * i .. 4 * i + 3]: the words of block i after *g, as floats in [0, 1), for i < blocks.
 * Returns how many blocks were done: a multiple of a vector; the caller does the others. */
SIMD_DECLARE(int64_t, rng_uniform, (const struct math_philox *g, float *out, int64_t blocks));

#endif
