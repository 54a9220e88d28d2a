/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution without a matrix of windows, compiled per instruction level.
 *
 * Along one row of an NHWC image the window of an output is one run of filter_w * in_c floats, and
 * the next output's begins stride_w * in_c further: a matrix whose rows overlap, multiplied where
 * it lies by filter_w * in_c rows of the HWIO filter. What lies outside the image must be there as
 * zeros, left and right (but see left); rows above and below are left out. */
#ifndef LEAT_MATH_SIMD_CONV_SIMD_H
#define LEAT_MATH_SIMD_CONV_SIMD_H

#include "math/simd.h"

struct conv_direct {
    int64_t in_h, out_h, out_w, out_c;
    int64_t filter_h, run; /* run = filter_w * in_c */
    int64_t stride_h, dilation_h, pad_top;
    int64_t pitch; /* floats from one image row to the next */
    int64_t step;  /* stride_w * in_c */
    /* Filter gradient. Where the padding is in memory, the image is that much wider. */
    int64_t in_w, in_c, filter_w, stride_w;
    int64_t left; /* columns of padding that are not in memory; then in_c >= CONV_TAP_CHANNELS */
};

/* From so many channels on, the filter's gradient is formed tap by tap, over the columns where the
 * tap meets the image; with fewer, a whole run at a time. */
#define CONV_TAP_CHANNELS 8

/* Some output rows of one image. x: where row 0 of the image would lie, its left padding included;
 * the rows that the output rows need must be there. */
struct conv_rows {
    const struct conv_direct *d;
    int64_t begin, end; /* output rows */
    const float *x;
    float *y;            /* the image's outputs; their gradient */
    const float *filter; /* forward */
    const float *bias;   /* forward: out_c floats, or NULL */
    bool relu;           /* forward */
    float *dfilter;      /* filter gradient: added to */
    const char *next;    /* what will be read after this, or NULL: fetched ahead, row by row */
    int64_t next_bytes;
};

SIMD_DECLARE(void, conv_rows_forward, (const struct conv_rows *r));
SIMD_DECLARE(void, conv_rows_filter, (const struct conv_rows *r));

#endif
