/* SPDX-License-Identifier: Apache-2.0 */
/* Training updates of float and double: optimizer_body.inc at this instruction level. */
#include "math/simd/optimizer_simd.h"

#include "math/simd/lanes.h"

#define T float
#define V vf
#define M vi
#define LANES VF_LANES
#define NAME(x) x##_f32
#define V_(x) vf_##x
#define POW powf
#define SQRT sqrtf
#define EXP expf
#include "math/simd/optimizer_body.inc"
#undef T
#undef V
#undef M
#undef LANES
#undef NAME
#undef V_
#undef POW
#undef SQRT
#undef EXP

#define T double
#define V vd
#define M vl
#define LANES VD_LANES
#define NAME(x) x##_f64
#define V_(x) vd_##x
#define POW pow
#define SQRT sqrt
#define EXP exp
#include "math/simd/optimizer_body.inc"
