/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as complex numbers of double. */
#include "ops/matrix/complex_items.h"

#include <complex.h>

static double _Complex complex_of(double re, double im)
{
    union {
        double parts[2];
        double _Complex whole; /* laid out like the two parts */
    } u = {.parts = {re, im}};
    return u.whole;
}

static double _Complex element(const struct tensor *t, int64_t i)
{
    const struct c64 *narrow = t->data;
    const struct c128 *wide = t->data;
    switch (t->dtype) {
    case DT_FLOAT:
        return (double)((const float *)t->data)[i];
    case DT_DOUBLE:
        return ((const double *)t->data)[i];
    case DT_COMPLEX64:
        return complex_of((double)narrow[i].re, (double)narrow[i].im);
    default:
        return complex_of(wide[i].re, wide[i].im);
    }
}

void complex_load(const struct tensor *t, int64_t at, int64_t n, double _Complex *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = element(t, at + i);
}

void complex_store(struct tensor *t, int64_t at, int64_t n, const double _Complex *from)
{
    for (int64_t i = 0; i < n; i++) {
        const double re = creal(from[i]), im = cimag(from[i]);
        if (t->dtype == DT_FLOAT)
            ((float *)t->data)[at + i] = (float)re;
        else if (t->dtype == DT_DOUBLE)
            ((double *)t->data)[at + i] = re;
        else if (t->dtype == DT_COMPLEX64)
            ((struct c64 *)t->data)[at + i] = (struct c64){(float)re, (float)im};
        else
            ((struct c128 *)t->data)[at + i] = (struct c128){re, im};
    }
}
