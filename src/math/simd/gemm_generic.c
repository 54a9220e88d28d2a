/* SPDX-License-Identifier: Apache-2.0 */
/* Products of half, bfloat16, int32, int64 and the complex types.
 *
 * A block of B (GENERIC_K x GENERIC_N, op applied) is copied in the type of the sums, real and
 * imaginary parts apart; each row of C is then a few vector loops. half and bfloat16 are summed in
 * float over all of k; integers wrap. */
#include "math/simd/gemm_generic.h"

#include "math/scratch.h"

#define GENERIC_K 128
#define GENERIC_N 128

#ifndef __clang__
#pragma GCC optimize("O3") /* the loops below are meant for the vectoriser */
#endif

/* One instance of the real scheme: S stored type, A sum type. */
#define S struct f16
#define A float
#define NAME(x) x##_f16
#define LOAD(s) f16_to_f32(s)
#define SAVE(a) f16_from_f32(a)
#include "math/simd/gemm_generic_real.inc"

#define S struct bf16
#define A float
#define NAME(x) x##_bf16
#define LOAD(s) bf16_to_f32(s)
#define SAVE(a) bf16_from_f32(a)
#include "math/simd/gemm_generic_real.inc"

#define S uint32_t
#define A uint32_t
#define NAME(x) x##_i32
#define LOAD(s) (s)
#define SAVE(a) (a)
#define SIGNED int32_t
#include "math/simd/gemm_generic_real.inc"

#define S uint64_t
#define A uint64_t
#define NAME(x) x##_i64
#define LOAD(s) (s)
#define SAVE(a) (a)
#define SIGNED int64_t
#include "math/simd/gemm_generic_real.inc"

#define S struct c64
#define A float
#define NAME(x) x##_c64
#include "math/simd/gemm_generic_complex.inc"

#define S struct c128
#define A double
#define NAME(x) x##_c128
#include "math/simd/gemm_generic_complex.inc"

void LEAT_FN(gemm_generic)(int dtype, const struct math_gemm *g)
{
    switch (dtype) {
    case DT_HALF:
        gemm_f16(g);
        break;
    case DT_BFLOAT16:
        gemm_bf16(g);
        break;
    case DT_INT32:
        gemm_i32(g);
        break;
    case DT_INT64:
        gemm_i64(g);
        break;
    case DT_COMPLEX64:
        gemm_c64(g);
        break;
    case DT_COMPLEX128:
        gemm_c128(g);
        break;
    default:
        ASSERT(!"a type that gemm_generic_supports");
    }
}
