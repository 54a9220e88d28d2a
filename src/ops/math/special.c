/* SPDX-License-Identifier: Apache-2.0 */
/* Special functions: digamma. */
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
