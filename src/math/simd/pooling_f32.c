/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling of float images with their channels next to each other, and its gradient, at
 * this instruction level: the maximum of a window and its place stay in registers, one vector of
 * channels at a time. Every array passes once. */
#include "math/simd/lanes.h"
#include "math/simd/pooling_simd.h"

/* One output: its window [h0, h1) x [w0, w1) of the image, clipped, and its offset in y. */
struct spot {
    int64_t h0, h1, w0, w1;
    int64_t y_at;
};

static struct spot spot_of(const struct pooling_piece *p, int64_t oh, int64_t ow)
{
    const struct math_pooling *s = p->s;
    const int64_t h = oh * s->stride_h - s->pad_top, w = ow * s->stride_w - s->pad_left;
    const int64_t pixel = (p->image * s->out_h + oh) * s->out_w + ow;
    return (struct spot){max_i64(h, 0), min_i64(h + s->window_h, s->in_h), max_i64(w, 0),
                         min_i64(w + s->window_w, s->in_w), pixel * s->channels + p->channel};
}

/* The greatest number of a window for some lanes; of NaN alone -infinity. */
LANES_INLINE vf window_max(const float *x, const struct spot *o, int64_t pixel, int64_t row,
                           int64_t lanes)
{
    vf best = vf_splat(-INFINITY);
    for (int64_t h = o->h0; h < o->h1; h++) {
        const float *from = x + h * row + o->w0 * pixel;
        for (int64_t w = o->w0; w < o->w1; w++, from += pixel)
            best = vf_max(lanes == VF_LANES ? vf_load(from) : vf_load_n(from, lanes), best);
    }
    return best;
}

/* Vectors of channels side by side: a pixel's lines are fetched together. */
enum { SIDE = VF_LANES == 16 ? 4 : 2 };

static inline void window_max_side(const float *x, const struct spot *o, int64_t pixel, int64_t row,
                                   vf best[SIDE])
{
    for (int i = 0; i < SIDE; i++)
        best[i] = vf_splat(-INFINITY);
    for (int64_t h = o->h0; h < o->h1; h++) {
        const float *from = x + h * row + o->w0 * pixel;
        for (int64_t w = o->w0; w < o->w1; w++, from += pixel) {
            for (int i = 0; i < SIDE; i++)
                best[i] = vf_max(vf_load(from + i * VF_LANES), best[i]);
        }
    }
}

/* A window of 2 x 2 at an image's first pixels: the compiler writes its loops out. */
static const struct spot square = {0, 2, 0, 2, 0};

static bool is_square(const struct spot *o)
{
    return o->h1 - o->h0 == 2 && o->w1 - o->w0 == 2;
}

static void max_spot(const struct pooling_piece *p, const float *x, const struct spot *o)
{
    const int64_t pixel = p->s->channels, row = p->s->in_w * pixel, n = p->num_channels;
    float *y = (float *)p->y + o->y_at;
    int64_t c = 0;
    if (is_square(o)) {
        const float *from = x + o->h0 * row + o->w0 * pixel;
        for (; c + VF_LANES <= n; c += VF_LANES)
            vf_store(y + c, window_max(from + c, &square, pixel, row, VF_LANES));
    }
    for (; c + SIDE * VF_LANES <= n; c += SIDE * VF_LANES) {
        vf best[SIDE];
        window_max_side(x + c, o, pixel, row, best);
        for (int i = 0; i < SIDE; i++)
            vf_store(y + c + i * VF_LANES, best[i]);
    }
    for (; c < n; c += VF_LANES) {
        const int64_t lanes = min_i64(VF_LANES, n - c);
        if (lanes == VF_LANES)
            vf_store(y + c, window_max(x + c, o, pixel, row, VF_LANES));
        else
            vf_store_n(y + c, window_max(x + c, o, pixel, row, lanes), lanes);
    }
}

/* How a window's gradient goes to its places: added to what is there; written, where windows share
 * nothing; written times the slope of a Relu that gave x. */
enum gradient { ADDED, ALONE, MASKED };

/* The first place that holds the maximum has the gradient, or the first of all if NaN is in it. */
LANES_INLINE void grad_lanes(const float *x, const float *dy, float *dx, const struct spot *o,
                             const int64_t step[2], int64_t lanes, const enum gradient how)
{
    const int64_t pixel = step[0], row = step[1];
    if (o->w0 >= o->w1 || o->h0 >= o->h1)
        return;
    const float *start = x + o->h0 * row + o->w0 * pixel;
    const vf begin = lanes == VF_LANES ? vf_load(start) : vf_load_n(start, lanes);
    /* a NaN in the first place equals nothing: `none` */
    const vf best = vf_select(begin == begin, window_max(x, o, pixel, row, lanes), begin);
    vi left = (vi)(lanes == VF_LANES ? vf_load(dy) : vf_load_n(dy, lanes)), none = vi_splat(-1);
    for (int64_t h = o->h0; h < o->h1; h++) {
        const float *from = x + h * row + o->w0 * pixel;
        float *to = dx + h * row + o->w0 * pixel;
        for (int64_t w = o->w0; w < o->w1; w++, from += pixel, to += pixel) {
            const vf v = lanes == VF_LANES ? vf_load(from) : vf_load_n(from, lanes);
            const vi here = v == best;
            vf mine = (vf)(left & here);
            left &= ~here;
            none &= ~here;
            if (how == MASKED)
                mine *= vf_select(v > vf_splat(0), vf_splat(1), vf_splat(0));
            if (lanes == VF_LANES)
                vf_store(to, how != ADDED ? mine : vf_load(to) + mine);
            else
                vf_store_n(to, how != ADDED ? mine : vf_load_n(to, lanes) + mine, lanes);
        }
    }
    if (!vi_any(none))
        return;
    float *first = dx + o->h0 * row + o->w0 * pixel;
    for (int64_t i = 0; i < lanes; i++)
        if (none[i])
            first[i] = how == ADDED ? first[i] + dy[i] : how == ALONE ? dy[i] : dy[i] * 0.0f;
}

/* The gradient of a wide window in a dx that was cleared: the winner's place is found first, and
 * nothing but that is written. */
static void pick_side(const float *x, const float *dy, float *dx, const struct spot *o,
                      const int64_t step[2])
{
    const int64_t pixel = step[0], row = step[1];
    vf best[SIDE];
    vi at[SIDE];
    window_max_side(x, o, pixel, row, best);
    for (int i = 0; i < SIDE; i++)
        at[i] = vi_splat((int32_t)(o->h0 * row + o->w0 * pixel));
    for (int64_t h = o->h1 - 1; h >= o->h0; h--) {
        for (int64_t w = o->w1 - 1; w >= o->w0; w--) {
            const int64_t here = h * row + w * pixel;
            for (int i = 0; i < SIDE; i++)
                at[i] = (vi)vf_select(vf_load(x + here + i * VF_LANES) == best[i],
                                      (vf)vi_splat((int32_t)here), (vf)at[i]);
        }
    }
    for (int i = 0; i < SIDE * VF_LANES; i++)
        dx[at[i / VF_LANES][i % VF_LANES] + i] += dy[i];
}

enum { WIDE = 16 }; /* pixels of a window */

static bool window_is_wide(const struct math_pooling *s)
{
    const int64_t pixels = min_i64(s->window_h, s->in_h) * min_i64(s->window_w, s->in_w);
    int64_t items;
    return pixels >= WIDE && size_mul(s->in_h * s->in_w, s->channels, &items) && items <= INT32_MAX;
}

static void pick_spot(const struct pooling_piece *p, const float *x, float *dx,
                      const struct spot *o)
{
    const int64_t n = p->num_channels, step[2] = {p->s->channels, p->s->in_w * p->s->channels};
    const float *dy = (const float *)p->from + o->y_at;
    int64_t c = 0;
    if (o->h0 >= o->h1 || o->w0 >= o->w1)
        return;
    for (; c + SIDE * VF_LANES <= n; c += SIDE * VF_LANES)
        pick_side(x + c, dy + c, dx + c, o, step);
    for (; c < n; c += VF_LANES)
        grad_lanes(x + c, dy + c, dx + c, o, step, min_i64(VF_LANES, n - c), ADDED);
}

/* Windows that share nothing. */
LANES_INLINE void grad_alone(const struct pooling_piece *p, const float *x, float *dx,
                             const struct spot *o, const enum gradient how)
{
    const int64_t n = p->num_channels, step[2] = {p->s->channels, p->s->in_w * p->s->channels};
    const float *dy = (const float *)p->from + o->y_at;
    const int64_t at = o->h0 * step[1] + o->w0 * step[0];
    int64_t c = 0;
    if (is_square(o)) {
        for (; c + VF_LANES <= n; c += VF_LANES)
            grad_lanes(x + at + c, dy + c, dx + at + c, &square, step, VF_LANES, how);
    }
    for (; c < n; c += VF_LANES)
        grad_lanes(x + c, dy + c, dx + c, o, step, min_i64(VF_LANES, n - c), how);
}

static void grad_spot(const struct pooling_piece *p, const float *x, float *dx,
                      const struct spot *o)
{
    const int64_t n = p->num_channels, step[2] = {p->s->channels, p->s->in_w * p->s->channels};
    const float *dy = (const float *)p->from + o->y_at;
    int64_t c = 0;
    for (; c + VF_LANES <= n; c += VF_LANES)
        grad_lanes(x + c, dy + c, dx + c, o, step, VF_LANES, ADDED);
    if (c < n)
        grad_lanes(x + c, dy + c, dx + c, o, step, n - c, ADDED);
}

/* Windows along one dim that share nothing and leave nothing out. */
static bool dim_tiles(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t pad)
{
    return (out == 1 || window == stride) && (out - 1) * stride + window - pad >= in;
}

/* Windows that share no pixel and leave none out: nothing needs to be cleared. */
static bool windows_tile(const struct math_pooling *s)
{
    return dim_tiles(s->in_h, s->out_h, s->window_h, s->stride_h, s->pad_top) &&
           dim_tiles(s->in_w, s->out_w, s->window_w, s->stride_w, s->pad_left);
}

static void clear(const struct pooling_piece *p, float *dx)
{
    const struct math_pooling *s = p->s;
    const int64_t pixels = s->in_h * s->in_w;
    if (p->num_channels == s->channels) {
        memset(dx, 0, (size_t)(pixels * s->channels) * sizeof(float));
        return;
    }
    for (int64_t i = 0; i < pixels; i++)
        memset(dx + i * s->channels, 0, (size_t)p->num_channels * sizeof(float));
}

static void windows_alone(const struct pooling_piece *p, const float *x, float *dx)
{
    for (int64_t h = 0; h < p->s->out_h; h++) {
        for (int64_t w = 0; w < p->s->out_w; w++) {
            const struct spot o = spot_of(p, h, w);
            if (p->relu)
                grad_alone(p, x, dx, &o, MASKED);
            else
                grad_alone(p, x, dx, &o, ALONE);
        }
    }
}

static void relu_slope(const float *x, float *dx, int64_t n)
{
    const vf one = vf_splat(1), zero = vf_splat(0);
    int64_t c = 0;
    for (; c + VF_LANES <= n; c += VF_LANES)
        vf_store(dx + c, vf_load(dx + c) * vf_select(vf_load(x + c) > zero, one, zero));
    for (; c < n; c++)
        dx[c] *= (float)(x[c] > 0);
}

/* dx times the slope of a Relu that gave x. */
static void relu_slopes(const struct pooling_piece *p, const float *x, float *dx)
{
    const int64_t pixels = p->s->in_h * p->s->in_w, step = p->s->channels;
    for (int64_t i = 0; i < pixels; i++, x += step, dx += step)
        relu_slope(x, dx, p->num_channels);
}

void LEAT_FN(pooling_max_f32)(const struct pooling_piece *p)
{
    const struct math_pooling *s = p->s;
    const int64_t x_at = p->image * s->in_h * s->in_w * s->channels + p->channel;
    const float *x = (const float *)p->x + x_at;
    const bool grad = p->task == POOLING_MAX_GRAD, wide = grad && window_is_wide(s);
    float *dx = grad ? (float *)p->y + x_at : NULL;
    if (grad && !wide && windows_tile(s)) {
        windows_alone(p, x, dx);
        return;
    }
    if (grad)
        clear(p, dx);
    for (int64_t h = 0; h < s->out_h; h++) {
        for (int64_t w = 0; w < s->out_w; w++) {
            const struct spot o = spot_of(p, h, w);
            if (wide)
                pick_spot(p, x, dx, &o);
            else if (grad)
                grad_spot(p, x, dx, &o);
            else
                max_spot(p, x, &o);
        }
    }
    if (grad && p->relu)
        relu_slopes(p, x, dx);
}
