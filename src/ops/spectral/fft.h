/* SPDX-License-Identifier: Apache-2.0 */
/* The discrete Fourier transform of a line of any length, in place, in double precision. */
#ifndef LEAT_OPS_SPECTRAL_FFT_H
#define LEAT_OPS_SPECTRAL_FFT_H

#include <complex.h>

#include "op/kernel.h"

/* C11's CMPLX, which not every pair of compiler and C library has. */
static inline double _Complex complex_of(double re, double im)
{
    return __builtin_complex(re, im);
}

struct fft {
    int64_t n, m;             /* the length; the power of two that the work is done in */
    double _Complex *twiddle; /* m / 2 */
    double _Complex *chirp;   /* n; NULL when n is a power of two */
    double _Complex *filter;  /* m: the chirp's transform */
    double _Complex *work;    /* m */
};

/* Tables in scratch memory of the call; n >= 1. */
MUST_CHECK bool fft_init(struct fft *f, struct kctx *c, int64_t n, struct status *st);
/* inverse: with the factor 1 / n. */
void fft_run(const struct fft *f, double _Complex *x, bool inverse);

#endif
