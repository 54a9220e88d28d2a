/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling of one image and some of its channels, compiled per instruction level. */
#ifndef LEAT_MATH_SIMD_POOLING_SIMD_H
#define LEAT_MATH_SIMD_POOLING_SIMD_H

#include "math/pooling.h"
#include "math/simd.h"

enum pooling_task {
    POOLING_MAX,
    POOLING_ARGMAX, /* y (may be NULL) and argmax */
    POOLING_MAX_GRAD,
    POOLING_MAX_GRAD_GRAD,
    POOLING_AVG,
    POOLING_AVG_GRAD,
};

struct pooling_piece {
    const struct math_pooling *s;
    enum pooling_task task;
    const void *x;    /* max: the input */
    const void *from; /* what is moved: dy, or ddx */
    void *y;          /* the result */
    int64_t *argmax;
    bool include_batch;
    bool relu; /* POOLING_MAX_GRAD of float, NHWC: x is what a Relu gave; its gradient too */
    int64_t image, channel, num_channels;
};

SIMD_DECLARE(void, pooling_run, (const struct pooling_piece *p));
/* POOLING_MAX and POOLING_MAX_GRAD of float, NHWC. */
SIMD_DECLARE(void, pooling_max_f32, (const struct pooling_piece *p));

/* Channels handled together where they are next to each other. */
#define POOLING_CHANNELS 128

#endif
