/* SPDX-License-Identifier: Apache-2.0 */
/* The incomplete gamma and beta functions, regularised, and the derivative of the former by its
 * first argument. Every loop is bounded for any argument. */
#include "ops/math/special.h"

#include <math.h>

enum { MAX_TERMS = 5000 }; /* about the square root of the largest `a` that is exact */

static const double EPS = 0x1p-53;

/* A value and its derivative by a. */
struct with_da {
    double v, da;
};

/* The sum of x^n / ((a+1)...(a+n)) over n >= 0, where P(a, x) = x^a e^-x / Gamma(a+1) times it
 * (Abramowitz and Stegun 6.5.29); for x <= 1 or x <= a. */
static struct with_da lower_series(double a, double x)
{
    struct with_da sum = {1, 0}, term = {1, 0};
    for (int n = 1; n <= MAX_TERMS; n++) {
        const double d = a + n;
        term.da = (term.da - term.v / d) * (x / d);
        term.v *= x / d;
        sum.v += term.v;
        sum.da += term.da;
        if (term.v <= EPS * sum.v && fabs(term.da) <= EPS * fabs(sum.da))
            break;
    }
    return sum;
}

/* The continued fraction 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))), where Q(a, x) =
 * x^a e^-x / Gamma(a) times it (6.5.31); for x > 1 and x > a. Numerators and denominators of its
 * convergents obey w_k = b_k w_(k-1) + a_k w_(k-2), and so, differentiated, do their derivatives.
 */
static struct with_da upper_fraction(double a, double x)
{
    struct with_da p0 = {0, 0}, p1 = {1, 0}, q0 = {1, 0}, q1 = {x + 1 - a, -1};
    struct with_da c = {p1.v / q1.v, 1 / (q1.v * q1.v)};
    for (int k = 1; k <= MAX_TERMS; k++) {
        const double num = -k * (k - a), den = x + 2 * k + 1 - a;
        struct with_da p = {den * p1.v + num * p0.v, den * p1.da - p1.v + num * p0.da + k * p0.v};
        struct with_da q = {den * q1.v + num * q0.v, den * q1.da - q1.v + num * q0.da + k * q0.v};
        if (q.v == 0 || !isfinite(q.v))
            break;
        struct with_da next = {p.v / q.v, 0};
        next.da = (p.da - next.v * q.da) / q.v;
        const bool still =
            fabs(next.v - c.v) <= EPS * fabs(next.v) && fabs(next.da - c.da) <= EPS * fabs(next.da);
        c = next;
        if (still)
            break;
        const double scale = fabs(q.v) > 0x1p52 ? 0x1p-52 : 1;
        p0 = (struct with_da){p1.v * scale, p1.da * scale};
        q0 = (struct with_da){q1.v * scale, q1.da * scale};
        p1 = (struct with_da){p.v * scale, p.da * scale};
        q1 = (struct with_da){q.v * scale, q.da * scale};
    }
    return c;
}

static bool is_lower(double a, double x)
{
    return x <= 1 || x <= a;
}

static double log_gamma(double x)
{
    return lgamma_r(x, &(int){0});
}

static double lower_of(double a, double x)
{
    return exp(a * log(x) - x - log_gamma(a + 1)) * lower_series(a, x).v;
}

static double upper_of(double a, double x)
{
    return exp(a * log(x) - x - log_gamma(a)) * upper_fraction(a, x).v;
}

double special_igamma(double a, double x)
{
    if (x == 0)
        return 0;
    if (!(x > 0) || !(a > 0) || isinf(a))
        return NAN;
    if (isinf(x))
        return 1;
    return is_lower(a, x) ? lower_of(a, x) : 1 - upper_of(a, x);
}

double special_igammac(double a, double x)
{
    if (!(x >= 0) || !(a > 0))
        return NAN;
    if (isinf(x))
        return 0;
    if (x == 0)
        return 1;
    if (isinf(a))
        return NAN;
    return is_lower(a, x) ? 1 - lower_of(a, x) : upper_of(a, x);
}

/* With P = pdf times x/a times the series, or 1 - pdf times x times the fraction, where pdf =
 * x^(a-1) e^-x / Gamma(a): the derivative of P by a, over pdf. */
static double grad_over_pdf(double a, double x)
{
    if (is_lower(a, x)) {
        struct with_da s = lower_series(a, x);
        return x / a * (s.v * (log(x) - special_digamma(a + 1)) + s.da);
    }
    struct with_da c = upper_fraction(a, x);
    return -x * (c.v * (log(x) - special_digamma(a)) + c.da);
}

double special_igamma_grad_a(double a, double x)
{
    if (x == 0)
        return 0;
    if (!(x > 0) || !(a > 0) || isinf(a))
        return NAN;
    if (isinf(x))
        return -0.0;
    return exp((a - 1) * log(x) - x - log_gamma(a)) * grad_over_pdf(a, x);
}

double special_gamma_sample_grad(double a, double x)
{
    if (x == 0)
        return 0;
    if (!(x > 0) || !(a > 0) || isinf(a))
        return NAN;
    return isinf(x) ? -0.0 : -grad_over_pdf(a, x);
}

/* --- beta --- */

/* The continued fraction of 26.5.8, which converges quickly for x < (a+1)/(a+b+2); evaluated from
 * the front as W. J. Lentz does. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m <= MAX_TERMS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        if (fabs(d * c - 1) <= 4 * EPS)
            break;
    }
    return f;
}

double special_betainc(double a, double b, double x)
{
    if (!(a > 0) || !(b > 0) || isinf(a) || isinf(b) || !(x >= 0) || !(x <= 1))
        return NAN;
    if (x == 0 || x == 1)
        return x;
    const double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    const double front = exp(a * log(x) + b * log1p(-x) - log_beta);
    if (x <= (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}
