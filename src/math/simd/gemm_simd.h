/* SPDX-License-Identifier: Apache-2.0 */
/* Our own matrix product, compiled per instruction level. */
#ifndef LEAT_MATH_SIMD_GEMM_SIMD_H
#define LEAT_MATH_SIMD_GEMM_SIMD_H

#include "math/gemm.h"
#include "math/simd.h"

#define GEMM_TALL 8 /* so many times more rows than columns make a product a tall one */

/* The whole of *g on the calling thread, epilogue included; m, n > 0. Each element of C is summed
 * over k in an order that depends on k alone, so splitting m or n changes no bit. */
SIMD_DECLARE(void, gemm_own_f32, (const struct math_gemm *g));
SIMD_DECLARE(void, gemm_own_f64, (const struct math_gemm *g));

/* A product with A transposed and B not, over so long a k that its operands pass through the caches
 * while C stays there; beta is heeded, bias and activation are not. n is a multiple of 16 (whole
 * vectors of any level). The bits depend on k alone, too; they are not gemm_own's. */
SIMD_DECLARE(void, gemm_long_f32, (const struct math_gemm *g));

/* Bias and activation on m x n elements of g->c in place. */
SIMD_DECLARE(void, gemm_epilogue_f32, (const struct math_gemm *g));
SIMD_DECLARE(void, gemm_epilogue_f64, (const struct math_gemm *g));

#endif
