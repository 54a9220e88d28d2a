/* SPDX-License-Identifier: Apache-2.0 */
/* Radix 2 (J. Cooley and J. Tukey, 1965), and for other lengths L. Bluestein's algorithm (1970),
 * which turns the transform into a convolution of a length that is a power of two. */
#include "ops/spectral/fft.h"

#include <math.h>

static double _Complex unit(double turns)
{
    const double angle = -2 * M_PI * turns;
    return complex_of(cos(angle), sin(angle));
}

static void reverse_bits(double _Complex *x, int64_t m)
{
    for (int64_t i = 1, j = 0; i < m; i++) {
        int64_t bit = m / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const double _Complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
}

static double _Complex times(double _Complex a, double _Complex b)
{
    return complex_of(creal(a) * creal(b) - cimag(a) * cimag(b),
                      creal(a) * cimag(b) + cimag(a) * creal(b));
}

static void run_power(const struct fft *f, double _Complex *x)
{
    reverse_bits(x, f->m);
    for (int64_t half = 1; half < f->m; half *= 2) {
        const int64_t step = f->m / (2 * half);
        for (int64_t at = 0; at < f->m; at += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                const double _Complex a = x[at + k];
                const double _Complex b = times(x[at + k + half], f->twiddle[k * step]);
                x[at + k] = a + b;
                x[at + k + half] = a - b;
            }
    }
}

static void make_chirp(struct fft *f)
{
    for (int64_t i = 0; i < f->m; i++)
        f->filter[i] = 0;
    for (int64_t k = 0; k < f->n; k++) {
        /* k^2 / 2n turns, of which whole ones do not count */
        const uint64_t square = (uint64_t)k * (uint64_t)k % (uint64_t)(2 * f->n);
        f->chirp[k] = unit((double)square / (double)(2 * f->n));
        f->filter[k] = conj(f->chirp[k]);
        if (k > 0)
            f->filter[f->m - k] = f->filter[k];
    }
    run_power(f, f->filter);
}

bool fft_init(struct fft *f, struct kctx *c, int64_t n, struct status *st)
{
    const bool power = (n & (n - 1)) == 0;
    const int64_t item = (int64_t)sizeof(double _Complex);
    if (n > INT32_MAX)
        return status_invalid(st, "%s: too long: %lld", c->kernel->op->name, (long long)n);
    *f = (struct fft){.n = n, .m = 1};
    while (f->m < (power ? n : 2 * n - 1))
        f->m *= 2;
    f->twiddle = kernel_scratch(c, (f->m / 2 + 1) * item, st);
    if (!f->twiddle)
        return false;
    for (int64_t i = 0; i < f->m / 2; i++)
        f->twiddle[i] = unit((double)i / (double)f->m);
    if (power)
        return true;
    f->chirp = kernel_scratch(c, (n + 2 * f->m) * item, st);
    if (!f->chirp)
        return false;
    f->filter = f->chirp + n;
    f->work = f->filter + f->m;
    make_chirp(f);
    return true;
}

static void run_chirp(const struct fft *f, double _Complex *x)
{
    double _Complex *w = f->work;
    for (int64_t i = 0; i < f->m; i++)
        w[i] = i < f->n ? times(x[i], f->chirp[i]) : 0;
    run_power(f, w);
    for (int64_t i = 0; i < f->m; i++)
        w[i] = conj(times(w[i], f->filter[i]));
    run_power(f, w);
    for (int64_t i = 0; i < f->n; i++)
        x[i] = times(conj(w[i]), f->chirp[i]) / (double)f->m;
}

void fft_run(const struct fft *f, double _Complex *x, bool inverse)
{
    for (int64_t i = 0; inverse && i < f->n; i++)
        x[i] = conj(x[i]);
    if (f->chirp)
        run_chirp(f, x);
    else
        run_power(f, x);
    for (int64_t i = 0; inverse && i < f->n; i++)
        x[i] = conj(x[i]) / (double)f->n;
}
