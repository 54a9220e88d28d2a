/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution along lines at this instruction level: to points, products there, and back; see
 * conv_line_simd.h. The points but 0 and infinity come in pairs of opposite sign: what even and odd
 * places give is computed once for both. */
#include "math/simd/conv_line_simd.h"

#include "math/simd/conv_tile.h"

#define POINTS CONV_LINE_POINTS
#define TAPS_MAX CONV_LINE_TAPS_MAX

/* Values at the points from eight inputs: the transpose of how products are interpolated. */
LANES_INLINE void inputs_to_points(const vf d[POINTS], vf t[POINTS])
{
    t[0] = vf_fma(vf_splat(5.25f), d[2] - d[4], d[6] - d[0]);
    t[7] = vf_fma(vf_splat(5.25f), d[3] - d[5], d[7] - d[1]);
    vf even = vf_fma(vf_splat(-4.25f), d[4], d[2] + d[6]);
    vf odd = vf_fma(vf_splat(-4.25f), d[3], d[1] + d[5]);
    t[1] = even + odd;
    t[2] = even - odd;
    const vf middle = d[3] * vf_splat(-2.5f);
    even = vf_fma(vf_splat(0.25f), d[2], vf_fma(vf_splat(-1.25f), d[4], d[6]));
    odd = vf_fma(vf_splat(0.5f), d[1], vf_fma(vf_splat(2), d[5], middle));
    t[3] = even + odd;
    t[4] = even - odd;
    even = vf_fma(vf_splat(4), d[2], vf_fma(vf_splat(-5), d[4], d[6]));
    odd = vf_fma(vf_splat(2), d[1], vf_fma(vf_splat(0.5f), d[5], middle));
    t[5] = even + odd;
    t[6] = even - odd;
}

/* The values at x and -x of a polynomial with n coefficients, times a factor. */
LANES_INLINE void values_at(const vf *g, const int n, const float x, const float factor, vf to[2])
{
    vf even = g[0] * vf_splat(factor), odd = g[1] * vf_splat(factor * x);
    float power = factor * x;
#pragma GCC unroll 8
    for (int k = 2; k < n; k++) {
        power *= x;
        if (k % 2)
            odd = vf_fma(vf_splat(power), g[k], odd);
        else
            even = vf_fma(vf_splat(power), g[k], even);
    }
    to[0] = even + odd;
    to[1] = even - odd;
}

/* Values at the points of a polynomial with n coefficients, over the products of differences. */
LANES_INLINE void taps_to_points(const vf *g, const int n, vf t[POINTS])
{
    t[0] = vf_splat(0) - g[0];
    values_at(g, n, 1, -2 / 9.0f, t + 1);
    values_at(g, n, 2, 1 / 90.0f, t + 3);
    values_at(g, n, 0.5f, 32 / 45.0f, t + 5);
    t[7] = g[n - 1];
}

/* n results from products at the points. */
LANES_INLINE void points_to_results(const vf t[POINTS], const int n, vf *out)
{
    const vf one[2] = {t[1] + t[2], t[1] - t[2]};
    const vf two[2] = {t[3] + t[4], t[3] - t[4]};
    const vf half[2] = {t[5] + t[6], t[5] - t[6]};
    float up = 1, down = 1;
#pragma GCC unroll 8
    for (int k = 0; k < n; k++, up *= 2, down *= 0.5f) {
        vf v = vf_fma(vf_splat(up), two[k % 2], one[k % 2]);
        v = vf_fma(vf_splat(down), half[k % 2], v);
        if (k == 0)
            v += t[0];
        out[k] = k == n - 1 ? v + t[7] : v;
    }
}

/* Where the pixels of a tile lie, and where their values at the points go. */
struct spread {
    const float *from[POINTS];
    float *to;
    int64_t pitch, channels;
};

/* n is 8: inputs; else what is multiplied with them. */
LANES_INLINE void spread_run(const struct spread *s, const int n)
{
    for (int64_t c = 0; c < s->channels; c += VF_LANES) {
        vf line[POINTS], t[POINTS];
#pragma GCC unroll 8
        for (int i = 0; i < n; i++)
            line[i] = vf_load(s->from[i] + c);
        if (n == POINTS)
            inputs_to_points(line, t);
        else
            taps_to_points(line, n, t);
#pragma GCC unroll 8
        for (int i = 0; i < POINTS; i++)
            vf_store(s->to + i * s->pitch + c, t[i]);
    }
}

/* The way back: to n pixels, some of which may be NULL. */
struct gather {
    const float *from;
    float *to[POINTS];
    int64_t pitch, channels;
    const float *bias;
    bool relu;
};

/* A vector of zeros if all results are finite; else some are NaN. */
LANES_INLINE vf gather_run(const struct gather *g, const int n)
{
    vf odd = vf_splat(0);
    for (int64_t c = 0; c < g->channels; c += VF_LANES) {
        vf t[POINTS], out[TAPS_MAX];
#pragma GCC unroll 8
        for (int i = 0; i < POINTS; i++)
            t[i] = vf_load(g->from + i * g->pitch + c);
        points_to_results(t, n, out);
        const vf bias = g->bias ? vf_load(g->bias + c) : vf_splat(0);
#pragma GCC unroll 8
        for (int i = 0; i < n; i++) {
            vf v = out[i];
            if (!g->to[i])
                continue;
            odd = vf_fma(v, vf_splat(0), odd);
            if (g->bias)
                v += bias;
            if (g->relu)
                v = vf_select(v < vf_splat(0), vf_splat(0), v);
            vf_store(g->to[i] + c, v);
        }
    }
    return odd;
}

/* One function a number of pixels. */
#define COUNTS(X) X(2) X(3) X(4) X(5) X(6) X(7)
#define X(n)                                                                                       \
    static void spread_##n(const struct spread *s)                                                 \
    {                                                                                              \
        spread_run(s, n);                                                                          \
    }                                                                                              \
    static void gather_##n(const struct gather *g, vf *odd)                                        \
    {                                                                                              \
        *odd += gather_run(g, n);                                                                  \
    }
COUNTS(X)
#undef X

static void spread_8(const struct spread *s)
{
    spread_run(s, POINTS);
}

#define X(n) [n] = spread_##n,
static void (*const spreads[])(const struct spread *s) = {COUNTS(X) X(8)};
#undef X
#define X(n) [n] = gather_##n,
static void (*const gathers[])(const struct gather *g, vf *odd) = {COUNTS(X)};
#undef X

/* --- blocks --- */

/* Neighbours on a line: n from the first of a tile, less `pad`, on. */
struct run {
    const struct conv_line_at *at;
    int64_t pad, n;
};

/* Pointers to the pixels of tile number i; what lies outside is `outside`. */
static void find_pixels(const struct conv_line *d, const struct run *r, const float *all, int64_t i,
                        const float *outside, const float **to)
{
    const int64_t line = i / d->tiles, first = i % d->tiles * d->tile - r->pad;
    const float *from = all + line / d->lines * r->at->image + line % d->lines * r->at->line;
    for (int64_t k = 0; k < r->n; k++) {
        const bool inside = first + k >= 0 && first + k < r->at->pixels;
        to[k] = inside ? from + (first + k) * r->at->step : outside;
    }
}

/* The tiles' inputs at the points. */
static void spread_inputs(const struct conv_line_block *b)
{
    const struct conv_line *d = b->d;
    const int64_t channels = d->in.channels;
    const struct run run = {&d->in, d->pad, POINTS};
    struct spread s = {.pitch = conv_line_pitch(d, channels), .channels = channels};
    for (int64_t i = 0; i < b->num; i++) {
        find_pixels(d, &run, b->x, b->first + i, b->zeros, s.from);
        s.to = b->at_in + i * channels;
        spread_8(&s);
    }
}

/* The outputs' gradients at the points. */
static void spread_outputs(const struct conv_line_block *b)
{
    const struct conv_line *d = b->d;
    const int64_t channels = d->out.channels;
    const struct run run = {&d->out, 0, d->tile};
    struct spread s = {.pitch = conv_line_pitch(d, channels), .channels = channels};
    for (int64_t i = 0; i < b->num; i++) {
        find_pixels(d, &run, b->y, b->first + i, b->zeros, s.from);
        s.to = b->at_out + i * channels;
        spreads[d->tile](&s);
    }
}

/* Outputs from products at the points. */
static void gather_outputs(struct conv_line_block *b)
{
    const struct conv_line *d = b->d;
    const int64_t channels = d->out.channels;
    const struct run run = {&d->out, 0, d->tile};
    struct gather g = {.pitch = conv_line_pitch(d, channels),
                       .channels = channels,
                       .bias = b->bias,
                       .relu = b->relu};
    vf odd = vf_splat(0);
    for (int64_t i = 0; i < b->num; i++) {
        find_pixels(d, &run, b->y, b->first + i, NULL, (const float **)g.to);
        g.from = b->at_out + i * channels;
        gathers[d->tile](&g, &odd);
    }
    const float sum = vf_sum(odd);
    b->finite = b->finite && sum == 0;
}

/* All tiles of a product whose rows are `rows` of a. B's columns lie in panels: forward, where the
 * filter's were laid so; else in rows as wide as the whole. */
static void product(struct tile *t, int64_t rows, int64_t cols, bool consecutive)
{
    const float *a = t->a, *b = t->b;
    float *c = t->c;
    struct columns at;
    for (int64_t j = 0; j < cols; j += at.nv * VF_LANES) {
        at = columns_at(j, cols);
        const int64_t most = rows_most(at.nv), parts = (rows + most - 1) / most;
        t->b = consecutive ? b + j : b + j * t->inner;
        t->b_inner = consecutive ? cols : min_i64(at.nv * VF_LANES, cols - j);
        t->tail = at.tail;
        for (int64_t i = 0; i < parts; i++) {
            const int64_t r = share(rows, parts, i), n = share(rows, parts, i + 1) - r;
            t->a = a + r * t->a_row;
            t->c = c + r * t->ldc + j;
            tiles[consecutive][at.nv][n](t);
        }
    }
}

void LEAT_FN(conv_line_filter)(const struct conv_line *d, const float *filter, float *at_points)
{
    const int64_t in = d->in.channels, out = d->out.channels;
    struct columns at;
    for (int64_t j = 0; j < out; j += at.nv * VF_LANES) {
        at = columns_at(j, out);
        const int64_t width = min_i64(at.nv * VF_LANES, out - j);
        struct spread s = {.pitch = in * out, .channels = width};
        for (int64_t c = 0; c < in; c++) {
            for (int64_t k = 0; k < d->filter; k++)
                s.from[k] = filter + (k * in + c) * out + j;
            s.to = at_points + j * in + c * width;
            spreads[d->filter](&s);
        }
    }
}

void LEAT_FN(conv_line_forward)(struct conv_line_block *b)
{
    const struct conv_line *d = b->d;
    const int64_t in = d->in.channels, out = d->out.channels;
    spread_inputs(b);
    for (int64_t p = 0; p < POINTS; p++) {
        struct tile t = {.outer = 1,
                         .inner = in,
                         .a = b->at_in + p * conv_line_pitch(d, in),
                         .a_row = in,
                         .b = b->filter + p * in * out,
                         .c = b->at_out + p * conv_line_pitch(d, out),
                         .ldc = out};
        product(&t, b->num, out, false);
    }
    gather_outputs(b);
}

void LEAT_FN(conv_line_backward_filter)(const struct conv_line_block *b)
{
    const struct conv_line *d = b->d;
    const int64_t in = d->in.channels, out = d->out.channels;
    spread_inputs(b);
    spread_outputs(b);
    for (int64_t p = 0; p < POINTS; p++) {
        struct tile t = {.outer = 1,
                         .inner = b->num,
                         .a = b->at_in + p * conv_line_pitch(d, in),
                         .a_inner = in,
                         .a_row = 1,
                         .b = b->at_out + p * conv_line_pitch(d, out),
                         .c = b->sum + p * in * out,
                         .ldc = out};
        product(&t, in, out, true);
    }
}

bool LEAT_FN(conv_line_filter_back)(const struct conv_line *d, const float *sum, float *dfilter)
{
    const int64_t in = d->in.channels, out = d->out.channels;
    struct gather g = {.pitch = in * out, .channels = out};
    vf odd = vf_splat(0);
    for (int64_t c = 0; c < in; c++) {
        for (int64_t k = 0; k < d->filter; k++)
            g.to[k] = dfilter + (k * in + c) * out;
        g.from = sum + c * out;
        gathers[d->filter](&g, &odd);
    }
    const float all = vf_sum(odd);
    return all == 0;
}
