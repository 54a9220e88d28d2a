/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution with fewer products (Winograd's), compiled per instruction level.
 *
 * Polynomials of degree 5 are known by their values at six points (0, 1, -1, 1/2, -2 and infinity).
 * So `tile` neighbouring outputs of a row of `filter` taps, tile + filter = 7, take six products
 * instead of tile * filter; in two dimensions 36. A tile of 6 x 6 inputs becomes its values at 36
 * points, a filter likewise, and at each point the channels are one matrix product over the tiles;
 * results go back from points to outputs. A gradient by the filter turns the same round: outputs'
 * gradients go to points, products are summed over the tiles, and sums come back as filter taps.
 *
 * Points are the outermost axis of what is kept at points. Channels are whole vectors. */
#ifndef LEAT_MATH_SIMD_CONV_FAST_SIMD_H
#define LEAT_MATH_SIMD_CONV_FAST_SIMD_H

#include "math/simd.h"

#define CONV_FAST_SIDE 6
#define CONV_FAST_POINTS (CONV_FAST_SIDE * CONV_FAST_SIDE)
#define CONV_FAST_CHANNELS 16 /* channels come in multiples of this */

struct conv_fast {
    int64_t in_h, in_w, in_c, out_h, out_w, out_c;
    int64_t pad_top, pad_left;
    int64_t filter, tile;     /* sides */
    int64_t tiles_h, tiles_w; /* of an image */
    int64_t most;             /* tiles of a block */
};

/* Some tiles of the batch. */
struct conv_fast_block {
    const struct conv_fast *d;
    int64_t first, num;
    const float *x;
    const float *filter;   /* at points: [36][in_c][out_c] */
    float *y;              /* outputs, or their gradient, which is read only */
    const float *bias;     /* forward: out_c floats, or NULL */
    bool relu;             /* forward */
    float *sum;            /* filter gradient at points, as filter; added to */
    float *at_in, *at_out; /* room for conv_fast_room floats each, of in_c and of out_c */
    const float *zeros;    /* max(in_c, out_c) */
    bool finite;           /* forward: set false when an output is not */
};

/* Floats from one point to the next: never a multiple of a page, which caches dislike. */
static inline int64_t conv_fast_pitch(const struct conv_fast *d, int64_t channels)
{
    return d->most * channels + 16;
}

SIMD_DECLARE(void, conv_fast_filter,
             (const struct conv_fast *d, const float *filter, float *at_points));
SIMD_DECLARE(void, conv_fast_forward, (struct conv_fast_block * b));
SIMD_DECLARE(void, conv_fast_backward_filter, (const struct conv_fast_block *b));
/* False: some element is not finite. */
SIMD_DECLARE(bool, conv_fast_filter_back,
             (const struct conv_fast *d, const float *sum, float *dfilter));

#endif
