/* SPDX-License-Identifier: Apache-2.0 */
/* exp, tanh and the logistic function on vectors, short enough to stand inside a loop.
 *
 * exp: x = n ln 2 + r with |r| <= ln 2 / 2, exp(r) by a minimax polynomial, then scaled by 2^n in
 * two steps so that the result may overflow or be subnormal. tanh: a minimax quotient of
 * polynomials in x^2 up to 9.02, where it rounds to 1 (float); double goes through expm1 in vec.c.
 * Errors below 1 ulp (exp) and 3 ulp; NaN, infinities and signed zeros as in math.h. */
#ifndef LEAT_MATH_SIMD_EXP_H
#define LEAT_MATH_SIMD_EXP_H

#include "math/simd/lanes.h"

/* a * 2^n, n whole, |n| < 300. */
LANES_INLINE vf vf_scale(vf a, vf n)
{
#if defined(__AVX512F__)
    return (vf)_mm512_scalef_ps((__m512)a, (__m512)n);
#else
    const vi whole = vf_to_vi(n), half = whole >> 1;
    return a * (vf)((half + 127) << 23) * (vf)((whole - half + 127) << 23);
#endif
}

/* |n| < 2000. */
LANES_INLINE vd vd_scale(vd a, vd n)
{
#if defined(__AVX512F__)
    return (vd)_mm512_scalef_pd((__m512d)a, (__m512d)n);
#else
    const vd half = vd_rint(n * 0.5);
    const vl h = vd_to_vl(half), rest = vd_to_vl(n - half);
    return a * (vd)((h + 1023) << 52) * (vd)((rest + 1023) << 52);
#endif
}

LANES_INLINE vf vf_exp(vf x)
{
    /* Beyond these the result is infinite or zero; the order of arguments keeps a NaN. */
    x = vf_min(vf_splat(89.0f), x);
    x = vf_max(vf_splat(-104.5f), x);
    const vf n = vf_rint(x * 1.44269504f);
    /* ln 2 in two parts, the first short enough for an exact product. */
    vf r = vf_fma(n, vf_splat(-0.693359375f), x);
    r = vf_fma(n, vf_splat(2.12194440e-4f), r);
    vf p = vf_splat(0.0013814611f);
    p = vf_fma(p, r, vf_splat(0.00836871004f));
    p = vf_fma(p, r, vf_splat(0.0416683874f));
    p = vf_fma(p, r, vf_splat(0.166665207f));
    p = vf_fma(p, r, vf_splat(0.499999935f));
    p = vf_fma(p, r * r, r) + 1.0f;
    return vf_scale(p, n);
}

LANES_INLINE vd vd_exp(vd x)
{
    x = vd_min(vd_splat(710.0), x);
    x = vd_max(vd_splat(-746.0), x);
    const vd n = vd_rint(x * 1.4426950408889634);
    vd r = vd_fma(n, vd_splat(-0.693145751953125), x);
    r = vd_fma(n, vd_splat(-1.42860682030941723212e-6), r);
    vd p = vd_splat(2.5000558527552579e-08);
    p = vd_fma(p, r, vd_splat(2.7630243375837781e-07));
    p = vd_fma(p, r, vd_splat(2.75575847209001e-06));
    p = vd_fma(p, r, vd_splat(2.4801493107578026e-05));
    p = vd_fma(p, r, vd_splat(0.00019841269508472022));
    p = vd_fma(p, r, vd_splat(0.001388888894362798));
    p = vd_fma(p, r, vd_splat(0.0083333333334936043));
    p = vd_fma(p, r, vd_splat(0.041666666666530135));
    p = vd_fma(p, r, vd_splat(0.16666666666666413));
    p = vd_fma(p, r, vd_splat(0.50000000000000111));
    p = vd_fma(p, r * r, r) + 1.0;
    return vd_scale(p, n);
}

LANES_INLINE vf vf_tanh(vf x)
{
    vf a = vf_min(vf_splat(9.02f), x);
    a = vf_max(vf_splat(-9.02f), a);
    const vf t = a * a;
    vf p = vf_splat(-1.220356446e-11f);
    p = vf_fma(p, t, vf_splat(3.058516062e-08f));
    p = vf_fma(p, t, vf_splat(2.800751747e-05f));
    p = vf_fma(p, t, vf_splat(3.868330662e-03f));
    p = vf_fma(p, t, vf_splat(1.367991740e-01f));
    p = vf_fma(p, t, vf_splat(9.999999987e-01f));
    vf q = vf_splat(1.287370663e-06f);
    q = vf_fma(q, t, vf_splat(3.938636253e-04f));
    q = vf_fma(q, t, vf_splat(2.724584948e-02f));
    q = vf_fma(q, t, vf_splat(4.701324946e-01f));
    q = vf_fma(q, t, vf_splat(1.0f));
    vf y = a * p / q;
    /* Rounding may step past 1; the sign of zero and NaN pass through a * p / q. */
    y = vf_min(vf_splat(1.0f), y);
    return vf_max(vf_splat(-1.0f), y);
}

LANES_INLINE vf vf_sigmoid(vf x)
{
    return 1.0f / (1.0f + vf_exp(-x));
}

LANES_INLINE vd vd_sigmoid(vd x)
{
    return 1.0 / (1.0 + vd_exp(-x));
}

#endif
