/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution along lines with fewer products (Toom's and Winograd's), compiled per instruction
 * level.
 *
 * Polynomials of degree 7 are known by their values at eight points (0, 1, -1, 2, -2, 1/2, -1/2 and
 * infinity). So `tile` neighbouring outputs of `filter` taps, tile + filter = 9, take eight
 * products instead of tile * filter. Eight pixels become their values at the points, a filter
 * likewise, and at each point the channels are one matrix product over the tiles; results go back
 * from points to outputs. A gradient by the filter turns the same round: outputs' gradients go to
 * points, products are summed over the tiles, and sums come back as taps.
 *
 * Points are the outermost axis of what is kept at points. Channels are whole vectors. */
#ifndef LEAT_MATH_SIMD_CONV_LINE_SIMD_H
#define LEAT_MATH_SIMD_CONV_LINE_SIMD_H

#include "math/simd.h"

#define CONV_LINE_POINTS 8
#define CONV_LINE_TAPS_MIN 2
#define CONV_LINE_TAPS_MAX 7
#define CONV_LINE_CHANNELS 16 /* channels come in multiples of this */

/* Where lines of pixels lie: floats between neighbours on a line, between lines, between images. */
struct conv_line_at {
    int64_t pixels, channels;
    int64_t step, line, image;
};

struct conv_line {
    struct conv_line_at in, out;
    int64_t lines; /* of an image */
    int64_t pad, filter, tile;
    int64_t tiles; /* of a line */
    int64_t most;  /* tiles of a block */
};

/* Some tiles of the batch. */
struct conv_line_block {
    const struct conv_line *d;
    int64_t first, num;
    const float *x;
    const float *filter;   /* at points: [8], then panels of columns */
    float *y;              /* outputs, or their gradient, which is read only */
    const float *bias;     /* forward: a float a channel, or NULL */
    bool relu;             /* forward */
    float *sum;            /* filter gradient at points [8][in][out]; added to */
    float *at_in, *at_out; /* room for 8 * conv_line_pitch floats each, of in and of out */
    const float *zeros;    /* as many as the more of both channels */
    bool finite;           /* forward: set false when an output is not */
};

/* Floats from one point to the next: never a multiple of a page, which caches dislike. */
static inline int64_t conv_line_pitch(const struct conv_line *d, int64_t channels)
{
    return d->most * channels + 16;
}

SIMD_DECLARE(void, conv_line_filter,
             (const struct conv_line *d, const float *filter, float *at_points));
SIMD_DECLARE(void, conv_line_forward, (struct conv_line_block * b));
SIMD_DECLARE(void, conv_line_backward_filter, (const struct conv_line_block *b));
/* False: some element is not finite. */
SIMD_DECLARE(bool, conv_line_filter_back,
             (const struct conv_line *d, const float *sum, float *dfilter));

#endif
