/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax rows of float and double: softmax_body.inc at this instruction level. */
#include "math/simd/softmax_simd.h"

#include "math/simd/exp.h"
#include "math/simd/lanes.h"

#define T float
#define V vf
#define LANES VF_LANES
#define NAME(x) x##_f32
#define V_(x) vf_##x
#define LOG logf
#include "math/simd/softmax_body.inc"
#undef T
#undef V
#undef LANES
#undef NAME
#undef V_
#undef LOG

#define T double
#define V vd
#define LANES VD_LANES
#define NAME(x) x##_f64
#define V_(x) vd_##x
#define LOG log
#include "math/simd/softmax_body.inc"
