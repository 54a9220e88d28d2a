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

/* exp(-|x|) I_0(x) and exp(-|x|) I_1(x), the modified Bessel functions. */
void special_bessel_i0e_f32(const float *x, float *y, int64_t n);
void special_bessel_i0e_f64(const double *x, double *y, int64_t n);
void special_bessel_i1e_f32(const float *x, float *y, int64_t n);
void special_bessel_i1e_f64(const double *x, double *y, int64_t n);

/* The Hurwitz zeta function: the sum of (q + k)^-s over k >= 0; NaN for s < 1. */
double special_zeta(double s, double q);
/* The n-th derivative of digamma; NaN unless n is a whole number. */
double special_polygamma(double n, double x);

/* P(a, x), the regularised lower incomplete gamma function; Q = 1 - P; dP/da; and dx/da where x is
 * a number drawn with P(a, x) kept. NaN for a <= 0 and for x < 0. */
double special_igamma(double a, double x);
double special_igammac(double a, double x);
double special_igamma_grad_a(double a, double x);
double special_gamma_sample_grad(double a, double x);
/* I_x(a, b), the regularised incomplete beta function. */
double special_betainc(double a, double b, double x);

#endif
