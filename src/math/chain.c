/* SPDX-License-Identifier: Apache-2.0 */
/* Chains at the best level this processor has. */
#include "math/chain.h"

#include "math/simd/chain_simd.h"

void math_chain_f32(const struct math_chain *c, float *z, const float *x, int64_t n)
{
    SIMD_CALL(chain_f32)(c, z, x, n);
}

void math_chain_f64(const struct math_chain *c, double *z, const double *x, int64_t n)
{
    SIMD_CALL(chain_f64)(c, z, x, n);
}
