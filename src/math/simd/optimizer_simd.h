/* SPDX-License-Identifier: Apache-2.0 */
/* The update of n float or double parameters, compiled per instruction level. */
#ifndef LEAT_MATH_SIMD_OPTIMIZER_SIMD_H
#define LEAT_MATH_SIMD_OPTIMIZER_SIMD_H

#include "math/optimizer.h"
#include "math/simd.h"

/* u->dtype is not looked at: pointers are float's or double's. */
SIMD_DECLARE(void, optimizer_run_f32, (const struct math_update *u));
SIMD_DECLARE(void, optimizer_run_f64, (const struct math_update *u));

#endif
