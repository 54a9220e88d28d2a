/* SPDX-License-Identifier: Apache-2.0 */
/* Where the pixels of one size lie in another: between which two of them, along one axis. */
#ifndef LEAT_MATH_RESIZE_H
#define LEAT_MATH_RESIZE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Pixels of an axis of n, for each of m. */
static inline float math_resize_scale(int64_t n, int64_t m, bool align_corners)
{
    return align_corners && m > 1 ? (float)(n - 1) / (float)(m - 1) : (float)n / (float)m;
}

struct math_between {
    int64_t low, high;
    float part; /* of high */
};

/* Where pixel i of another size lies among n. */
static inline struct math_between math_between(int64_t i, float scale, int64_t n, bool half_pixels)
{
    float at = half_pixels ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
    float floor = floorf(at);
    int64_t low = (int64_t)floor, high = (int64_t)ceilf(at);
    return (struct math_between){low > 0 ? low : 0, high < n - 1 ? high : n - 1, at - floor};
}

#endif
