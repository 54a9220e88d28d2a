/* SPDX-License-Identifier: Apache-2.0 */
/* The chains of math/chain.h at each instruction level. */
#ifndef LEAT_MATH_SIMD_CHAIN_SIMD_H
#define LEAT_MATH_SIMD_CHAIN_SIMD_H

#include "math/chain.h"
#include "math/simd.h"

SIMD_DECLARE(void, chain_f32, (const struct math_chain *c, float *z, const float *x, int64_t n));
SIMD_DECLARE(void, chain_f64, (const struct math_chain *c, double *z, const double *x, int64_t n));

#endif
