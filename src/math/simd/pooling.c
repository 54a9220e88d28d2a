/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling loops at this instruction level: pooling_body.inc for each type. Channels are the inner
 * loop: next to each other in NHWC, one at a time in NCHW. */
#include "math/simd/pooling_simd.h"

#include <math.h>

#include "tensor/dtype.h"

#ifndef __clang__
#pragma GCC optimize("O3") /* the channel loops are meant for the vectoriser */
#endif

enum { SMALL_WINDOW = 9 }; /* pixels */

/* The input elements of a window: rows h0..h1, columns w0..w1, clipped to the image. */
struct window {
    int64_t h0, h1, w0, w1;
};

static inline struct window window_of(const struct math_pooling *s, int64_t oh, int64_t ow)
{
    const int64_t h = oh * s->stride_h - s->pad_top, w = ow * s->stride_w - s->pad_left;
    return (struct window){max_i64(h, 0), min_i64(h + s->window_h, s->in_h), max_i64(w, 0),
                           min_i64(w + s->window_w, s->in_w)};
}

/* Where an image's channel begins, and how far apart pixels lie. */
static inline int64_t plane_at(const struct math_pooling *s, const struct pooling_piece *p,
                               int64_t pixels)
{
    return p->image * pixels * s->channels + (s->nchw ? p->channel * pixels : p->channel);
}

#define SAME(v) (v)

#define S float
#define A float
#define NAME(x) x##_f32
#define LOAD SAME
#define SAVE SAME
#define LOWEST (-INFINITY)
#define WITH_AVERAGE 1
#include "math/simd/pooling_body.inc"

#define S double
#define A double
#define NAME(x) x##_f64
#define LOAD SAME
#define SAVE SAME
#define LOWEST (-INFINITY)
#define WITH_AVERAGE 1
#include "math/simd/pooling_body.inc"

#define S struct f16
#define A float
#define NAME(x) x##_f16
#define LOAD f16_to_f32
#define SAVE f16_from_f32
#define LOWEST (-INFINITY)
#define WITH_AVERAGE 1
#include "math/simd/pooling_body.inc"

#define S struct bf16
#define A float
#define NAME(x) x##_bf16
#define LOAD bf16_to_f32
#define SAVE bf16_from_f32
#define LOWEST (-INFINITY)
#define WITH_AVERAGE 1
#include "math/simd/pooling_body.inc"

#define S int8_t
#define A int8_t
#define NAME(x) x##_i8
#define LOAD SAME
#define SAVE SAME
#define LOWEST INT8_MIN
#include "math/simd/pooling_body.inc"

#define S uint8_t
#define A uint8_t
#define NAME(x) x##_u8
#define LOAD SAME
#define SAVE SAME
#define LOWEST 0
#include "math/simd/pooling_body.inc"

#define S int16_t
#define A int16_t
#define NAME(x) x##_i16
#define LOAD SAME
#define SAVE SAME
#define LOWEST INT16_MIN
#include "math/simd/pooling_body.inc"

#define S uint16_t
#define A uint16_t
#define NAME(x) x##_u16
#define LOAD SAME
#define SAVE SAME
#define LOWEST 0
#include "math/simd/pooling_body.inc"

#define S int32_t
#define A int32_t
#define NAME(x) x##_i32
#define LOAD SAME
#define SAVE SAME
#define LOWEST INT32_MIN
#include "math/simd/pooling_body.inc"

#define S int64_t
#define A int64_t
#define NAME(x) x##_i64
#define LOAD SAME
#define SAVE SAME
#define LOWEST INT64_MIN
#include "math/simd/pooling_body.inc"

void LEAT_FN(pooling_run)(const struct pooling_piece *p)
{
    switch (p->s->dtype) {
    case DT_FLOAT:
        piece_f32(p);
        break;
    case DT_DOUBLE:
        piece_f64(p);
        break;
    case DT_HALF:
        piece_f16(p);
        break;
    case DT_BFLOAT16:
        piece_bf16(p);
        break;
    case DT_INT8:
    case DT_QINT8:
        piece_i8(p);
        break;
    case DT_UINT8:
    case DT_QUINT8:
        piece_u8(p);
        break;
    case DT_INT16:
        piece_i16(p);
        break;
    case DT_UINT16:
        piece_u16(p);
        break;
    case DT_INT32:
        piece_i32(p);
        break;
    case DT_INT64:
        piece_i64(p);
        break;
    default:
        ASSERT(!"a type that math_pooling_supports");
    }
}
