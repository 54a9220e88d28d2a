/* SPDX-License-Identifier: Apache-2.0 */
/* Special functions over arrays that C's math.h lacks. The float forms compute in double. y may be
 * x itself. */
#ifndef LEAT_OPS_MATH_SPECIAL_H
#define LEAT_OPS_MATH_SPECIAL_H

#include "base/base.h"

/* The logarithmic derivative of gamma; infinite at 0, -1, -2... */
double special_digamma(double x);
void special_digamma_f32(const float *x, float *y, int64_t n);
void special_digamma_f64(const double *x, double *y, int64_t n);

/* The Hurwitz zeta function: the sum of (q + k)^-s over k >= 0; NaN for s < 1. */
double special_zeta(double s, double q);
/* The n-th derivative of digamma; NaN unless n is a whole number. */
double special_polygamma(double n, double x);

#endif
