/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of the types that have no kernel of their own: simple loops, blocked. */
#ifndef LEAT_MATH_SIMD_GEMM_GENERIC_H
#define LEAT_MATH_SIMD_GEMM_GENERIC_H

#include "math/gemm.h"
#include "math/simd.h"
#include "tensor/dtype.h"

static inline bool gemm_generic_supports(int dtype)
{
    return dtype == DT_HALF || dtype == DT_BFLOAT16 || dtype == DT_COMPLEX64 ||
           dtype == DT_COMPLEX128 || dtype == DT_INT32 || dtype == DT_INT64;
}

/* The whole of *g on the calling thread; m, n > 0. */
SIMD_DECLARE(void, gemm_generic, (int dtype, const struct math_gemm *g));

#endif
