/* SPDX-License-Identifier: Apache-2.0 */
/* Special functions: digamma, Hurwitz zeta, polygamma, modified Bessel functions. Every loop is
 * bounded for any argument. */
#include "ops/math/special.h"

#include <math.h>

enum { DIGAMMA_LARGE = 10 }; /* from here on the asymptotic series has double's accuracy */

/* psi(x) ~ log x - 1/(2x) - sum B_2k / (2k x^2k) (Abramowitz and Stegun 6.3.18), reached by
 * psi(x) = psi(x + 1) - 1/x (6.3.5); negative x by reflection, psi(x) = psi(1 - x) - pi cot(pi x)
 * (6.3.7). */
double special_digamma(double x)
{
    static const double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                    1.0 / 132, -691.0 / 32760, 1.0 / 12};
    double result = 0;
    if (x <= 0) {
        double whole = floor(x), rest = x - whole;
        if (rest == 0 || isinf(x))
            return INFINITY;
        result = rest == 0.5 ? 0 : -M_PI / tan(M_PI * rest);
        x = 1 - x;
    }
    for (; x < DIGAMMA_LARGE; x++)
        result -= 1 / x;
    double u = 1 / (x * x), power = u;
    result += log(x) - 0.5 / x;
    for (size_t i = 0; i < ARRAY_LEN(series); i++, power *= u)
        result -= series[i] * power;
    return result;
}

void special_digamma_f64(const double *x, double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = special_digamma(x[i]);
}

void special_digamma_f32(const float *x, float *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)special_digamma(x[i]);
}

/* The sum of (q + k)^-s over k >= 0, for s > 1 and finite q > 0, by Euler and Maclaurin: terms
 * until w = q + k is large, then w^(1-s)/(s-1) + w^-s/2 + sum of B_2j/(2j)! s(s+1)...(s+2j-2)
 * w^(1-s-2j), which shrinks once w passes s/2. For large s the terms themselves vanish first. */
static double zeta_positive(double s, double q)
{
    static const double series[] = {1.0 / 12,
                                    -1.0 / 720,
                                    1.0 / 30240,
                                    -1.0 / 1209600,
                                    1.0 / 47900160,
                                    -691.0 / 1307674368000.0,
                                    1.0 / 74724249600.0,
                                    -3617.0 / 10670622842880000.0,
                                    43867.0 / 5109094217170944000.0,
                                    -174611.0 / 802857662698291200000.0};
    const double epsilon = 1e-17;
    double sum = 0, w = q, large = s / 2 > 10 ? s / 2 : 10;
    for (; w < large; w++) {
        double term = pow(w, -s);
        sum += term;
        if (term < epsilon * sum)
            return sum;
    }
    double power = pow(w, -s), rising = s;
    sum += power * w / (s - 1) + 0.5 * power;
    power /= w;
    for (size_t j = 0; j < ARRAY_LEN(series); j++) {
        double term = series[j] * rising * power;
        sum += term;
        if (fabs(term) < epsilon * fabs(sum))
            break;
        rising *= (s + 2 * (double)j + 1) * (s + 2 * (double)j + 2);
        power /= w * w;
    }
    return sum;
}

/* Below 0 the terms up to the pole at 0 are a piece of another such sum: with f = q - floor(q),
 * zeta(s, q) = zeta(s, f) + (-1)^s (zeta(s, 1 - f) - zeta(s, 1 - q)). */
double special_zeta(double s, double q)
{
    if (s == 1)
        return INFINITY;
    if (s < 1)
        return NAN;
    if (q <= 0) {
        if (q == floor(q))
            return INFINITY;
        if (s != floor(s))
            return NAN;
    }
    if (isnan(s) || isnan(q))
        return NAN;
    if (isinf(s) || isinf(q))
        return q < 1 ? INFINITY : q == 1 ? 1 : NAN;
    if (q > 0)
        return zeta_positive(s, q);
    double f = q - floor(q), sign = fmod(s, 2) == 0 ? 1 : -1;
    return zeta_positive(s, f) + sign * (zeta_positive(s, 1 - f) - zeta_positive(s, 1 - q));
}

/* The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x). */
double special_polygamma(double n, double x)
{
    if (!(n >= 0) || n != floor(n))
        return NAN;
    if (n == 0)
        return special_digamma(x);
    return (fmod(n, 2) == 0 ? -1 : 1) * tgamma(n + 1) * special_zeta(n + 1, x);
}

enum { BESSEL_LARGE = 30 }; /* from here on the asymptotic series has double's accuracy */

/* exp(-x) I_n(x) for n 0 or 1 and x > 0: the power series (Abramowitz and Stegun 9.6.10), whose
 * terms are all positive, or the asymptotic one (9.7.1). */
static double bessel_ie(int n, double x)
{
    double term = 1, sum = 1;
    if (x < BESSEL_LARGE) {
        for (int k = 1; term > 1e-17 * sum; k++) {
            term *= x * x / 4 / ((double)k * (k + n));
            sum += term;
        }
        return exp(-x) * sum * (n ? x / 2 : 1);
    }
    for (int k = 1; fabs(term) > 1e-17 * fabs(sum); k++) {
        term *= -(4.0 * n * n - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8 * x);
        sum += term;
    }
    return sum / sqrt(2 * M_PI * x);
}

static double bessel_i0e(double x)
{
    return isnan(x) ? x : x == 0 ? 1 : bessel_ie(0, fabs(x));
}

static double bessel_i1e(double x)
{
    return isnan(x) || x == 0 ? x : copysign(bessel_ie(1, fabs(x)), x);
}

#define OVER_ARRAYS(name)                                                                          \
    void special_##name##_f32(const float *x, float *y, int64_t n)                                 \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = (float)name((double)x[i]);                                                      \
    }                                                                                              \
    void special_##name##_f64(const double *x, double *y, int64_t n)                               \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = name(x[i]);                                                                     \
    }
OVER_ARRAYS(bessel_i0e)
OVER_ARRAYS(bessel_i1e)
