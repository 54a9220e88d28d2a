/* SPDX-License-Identifier: Apache-2.0 */
/* Fast convolution at this instruction level: to points, products there, and back; see
 * conv_fast_simd.h. A line through a tile is six numbers, or what the filter or the outputs have;
 * a tile goes column by column, then row by row, a vector of channels at a time. */
#include "math/simd/conv_fast_simd.h"

#include "math/simd/conv_tile.h"

#define SIDE CONV_FAST_SIDE

/* --- one line --- */

/* Values at the points from six inputs: the transpose of how products are interpolated. */
LANES_INLINE void inputs_to_points(const vf d[SIDE], vf t[SIDE])
{
    const vf e = d[3] - d[1], f = d[4] - d[2];
    t[0] = vf_fma(vf_splat(1.5f), e, d[0]) + vf_fma(vf_splat(-2), d[2], d[4]);
    t[1] = vf_fma(vf_splat(0.5f), d[2], vf_fma(vf_splat(2.5f), d[3], d[4] - d[1]));
    t[2] = vf_fma(vf_splat(-2.5f), d[2], vf_fma(vf_splat(0.5f), d[3], d[4] + d[1]));
    t[3] = vf_fma(vf_splat(2), e, f);
    t[4] = vf_fma(vf_splat(-0.5f), e, f);
    t[5] = vf_fma(vf_splat(1.5f), f, d[1]) + vf_fma(vf_splat(-2), d[3], d[5]);
}

/* Values at the points of a polynomial with n coefficients, over the products of differences. */
LANES_INLINE void taps_to_points(const vf *g, const int n, vf t[SIDE])
{
    vf even = g[0], odd = g[1], half = g[0], two = g[0];
    float up = 1, down = 1;
    for (int k = 1; k < n; k++) {
        up *= -2;
        down *= 0.5f;
        half = vf_fma(vf_splat(down), g[k], half);
        two = vf_fma(vf_splat(up), g[k], two);
        if (k > 1 && k % 2)
            odd += g[k];
        else if (k > 1)
            even += g[k];
    }
    t[0] = g[0];
    t[1] = (even + odd) * vf_splat(1 / 3.0f);
    t[2] = (odd - even) * vf_splat(1 / 3.0f);
    t[3] = half * vf_splat(-16 / 15.0f);
    t[4] = two * vf_splat(1 / 15.0f);
    t[5] = g[n - 1];
}

/* n results from products at the points. */
LANES_INLINE void points_to_results(const vf t[SIDE], const int n, vf *out)
{
    const vf even = t[1] + t[2], odd = t[1] - t[2];
    float up = 1, down = 1;
    for (int k = 0; k < n; k++) {
        vf v = k % 2 ? odd : even;
        if (k == 0)
            v += t[0];
        v = vf_fma(vf_splat(down), t[3], v);
        v = vf_fma(vf_splat(up), t[4], v);
        out[k] = k == n - 1 ? v + t[5] : v;
        up *= -2;
        down *= 0.5f;
    }
}

/* --- one tile --- */

/* Where the n x n places of a tile lie, and where their values at the points go. */
struct spread {
    const float *from[CONV_FAST_POINTS];
    float *to;
    int64_t pitch, channels;
};

/* n is 6: inputs; else what is multiplied with them. */
LANES_INLINE void spread_run(const struct spread *s, const int n)
{
    for (int64_t c = 0; c < s->channels; c += VF_LANES) {
        vf a[SIDE][SIDE], line[SIDE], t[SIDE];
#pragma GCC unroll 6
        for (int j = 0; j < n; j++) {
#pragma GCC unroll 6
            for (int i = 0; i < n; i++)
                line[i] = vf_load(s->from[i * n + j] + c);
            if (n == SIDE)
                inputs_to_points(line, t);
            else
                taps_to_points(line, n, t);
#pragma GCC unroll 6
            for (int i = 0; i < SIDE; i++)
                a[i][j] = t[i];
        }
#pragma GCC unroll 6
        for (int i = 0; i < SIDE; i++) {
            if (n == SIDE)
                inputs_to_points(a[i], t);
            else
                taps_to_points(a[i], n, t);
#pragma GCC unroll 6
            for (int j = 0; j < SIDE; j++)
                vf_store(s->to + (i * SIDE + j) * s->pitch + c, t[j]);
        }
    }
}

static void spread(const struct spread *s, int64_t n)
{
    switch (n) {
    case 2:
        spread_run(s, 2);
        break;
    case 3:
        spread_run(s, 3);
        break;
    case 4:
        spread_run(s, 4);
        break;
    case 5:
        spread_run(s, 5);
        break;
    default:
        spread_run(s, SIDE);
    }
}

/* The way back: to n x n places, some of which may be NULL. */
struct gather {
    const float *from;
    float *to[5 * 5];
    int64_t pitch, channels;
    const float *bias;
    bool relu;
};

/* A vector of zeros if all results are finite; else some are NaN. */
LANES_INLINE vf gather_run(const struct gather *g, const int n)
{
    vf odd = vf_splat(0);
    for (int64_t c = 0; c < g->channels; c += VF_LANES) {
        vf a[5][SIDE], line[SIDE], out[5];
#pragma GCC unroll 6
        for (int j = 0; j < SIDE; j++) {
#pragma GCC unroll 6
            for (int i = 0; i < SIDE; i++)
                line[i] = vf_load(g->from + (i * SIDE + j) * g->pitch + c);
            points_to_results(line, n, out);
#pragma GCC unroll 5
            for (int i = 0; i < n; i++)
                a[i][j] = out[i];
        }
        const vf bias = g->bias ? vf_load(g->bias + c) : vf_splat(0);
#pragma GCC unroll 5
        for (int i = 0; i < n; i++) {
            points_to_results(a[i], n, out);
#pragma GCC unroll 5
            for (int j = 0; j < n; j++) {
                float *to = g->to[i * n + j];
                vf v = out[j];
                if (!to)
                    continue;
                odd = vf_fma(v, vf_splat(0), odd);
                if (g->bias)
                    v += bias;
                if (g->relu)
                    v = vf_select(v < vf_splat(0), vf_splat(0), v);
                vf_store(to + c, v);
            }
        }
    }
    return odd;
}

static vf gather(const struct gather *g, int64_t n)
{
    switch (n) {
    case 2:
        return gather_run(g, 2);
    case 3:
        return gather_run(g, 3);
    case 4:
        return gather_run(g, 4);
    default:
        return gather_run(g, 5);
    }
}

/* --- blocks --- */

/* The image, row and column of tile i. */
struct place {
    int64_t image, h, w;
};

static struct place place_of(const struct conv_fast *d, int64_t i)
{
    const int64_t row = i / d->tiles_w;
    return (struct place){row / d->tiles_h, row % d->tiles_h * d->tile, i % d->tiles_w * d->tile};
}

/* Pointers to n x n pixels of an image from (h, w) on; what lies outside is `outside`. */
static void find_pixels(const float *image, const int64_t hwc[3], int64_t h, int64_t w, int n,
                        const float *outside, const float **to)
{
    const int64_t first = max_i64(0, -w), end = min_i64(n, hwc[1] - w);
    for (int i = 0; i < n; i++, to += n) {
        const bool inside = h + i >= 0 && h + i < hwc[0];
        const float *row = image + ((h + i) * hwc[1] + w) * hwc[2];
        for (int j = 0; j < n; j++)
            to[j] = inside && j >= first && j < end ? row + j * hwc[2] : outside;
    }
}

/* The tiles' inputs at the points. */
static void spread_inputs(const struct conv_fast_block *b)
{
    const struct conv_fast *d = b->d;
    const int64_t hwc[3] = {d->in_h, d->in_w, d->in_c};
    struct spread s = {.pitch = conv_fast_pitch(d, d->in_c), .channels = d->in_c};
    for (int64_t i = 0; i < b->num; i++) {
        const struct place p = place_of(d, b->first + i);
        find_pixels(b->x + p.image * d->in_h * d->in_w * d->in_c, hwc, p.h - d->pad_top,
                    p.w - d->pad_left, SIDE, b->zeros, s.from);
        s.to = b->at_in + i * d->in_c;
        spread(&s, SIDE);
    }
}

/* The outputs' gradients at the points. */
static void spread_outputs(const struct conv_fast_block *b)
{
    const struct conv_fast *d = b->d;
    const int64_t hwc[3] = {d->out_h, d->out_w, d->out_c};
    struct spread s = {.pitch = conv_fast_pitch(d, d->out_c), .channels = d->out_c};
    for (int64_t i = 0; i < b->num; i++) {
        const struct place p = place_of(d, b->first + i);
        find_pixels(b->y + p.image * d->out_h * d->out_w * d->out_c, hwc, p.h, p.w, (int)d->tile,
                    b->zeros, s.from);
        s.to = b->at_out + i * d->out_c;
        spread(&s, d->tile);
    }
}

/* Outputs from products at the points. */
static void gather_outputs(struct conv_fast_block *b)
{
    const struct conv_fast *d = b->d;
    struct gather g = {.pitch = conv_fast_pitch(d, d->out_c),
                       .channels = d->out_c,
                       .bias = b->bias,
                       .relu = b->relu};
    const int64_t hwc[3] = {d->out_h, d->out_w, d->out_c};
    vf odd = vf_splat(0);
    for (int64_t i = 0; i < b->num; i++) {
        const struct place p = place_of(d, b->first + i);
        find_pixels(b->y + p.image * d->out_h * d->out_w * d->out_c, hwc, p.h, p.w, (int)d->tile,
                    NULL, (const float **)g.to);
        g.from = b->at_out + i * d->out_c;
        odd += gather(&g, d->tile);
    }
    const float sum = vf_sum(odd);
    b->finite = b->finite && sum == 0;
}

/* All tiles of a product whose rows are `rows` of a. */
static void product(struct tile *t, int64_t rows, int64_t cols, bool consecutive)
{
    const float *a = t->a, *b = t->b;
    float *c = t->c;
    struct columns at;
    for (int64_t j = 0; j < cols; j += at.nv * VF_LANES) {
        at = columns_at(j, cols);
        const int64_t most = rows_most(at.nv), parts = (rows + most - 1) / most;
        t->b = b + j;
        t->tail = at.tail;
        for (int64_t i = 0; i < parts; i++) {
            const int64_t r = share(rows, parts, i), n = share(rows, parts, i + 1) - r;
            t->a = a + r * t->a_row;
            t->c = c + r * t->ldc + j;
            tiles[consecutive][at.nv][n](t);
        }
    }
}

void LEAT_FN(conv_fast_filter)(const struct conv_fast *d, const float *filter, float *at_points)
{
    const int64_t matrix = d->in_c * d->out_c, taps = d->filter * d->filter;
    struct spread s = {.pitch = matrix, .channels = d->out_c};
    for (int64_t c = 0; c < d->in_c; c++) {
        for (int64_t k = 0; k < taps; k++)
            s.from[k] = filter + k * matrix + c * d->out_c;
        s.to = at_points + c * d->out_c;
        spread(&s, d->filter);
    }
}

void LEAT_FN(conv_fast_forward)(struct conv_fast_block *b)
{
    const struct conv_fast *d = b->d;
    const int64_t matrix = d->in_c * d->out_c;
    spread_inputs(b);
    for (int64_t p = 0; p < CONV_FAST_POINTS; p++) {
        struct tile t = {.outer = 1,
                         .inner = d->in_c,
                         .a = b->at_in + p * conv_fast_pitch(d, d->in_c),
                         .a_row = d->in_c,
                         .b = b->filter + p * matrix,
                         .b_inner = d->out_c,
                         .c = b->at_out + p * conv_fast_pitch(d, d->out_c),
                         .ldc = d->out_c};
        product(&t, b->num, d->out_c, false);
    }
    gather_outputs(b);
}

void LEAT_FN(conv_fast_backward_filter)(const struct conv_fast_block *b)
{
    const struct conv_fast *d = b->d;
    const int64_t matrix = d->in_c * d->out_c;
    spread_inputs(b);
    spread_outputs(b);
    for (int64_t p = 0; p < CONV_FAST_POINTS; p++) {
        struct tile t = {.outer = 1,
                         .inner = b->num,
                         .a = b->at_in + p * conv_fast_pitch(d, d->in_c),
                         .a_inner = d->in_c,
                         .a_row = 1,
                         .b = b->at_out + p * conv_fast_pitch(d, d->out_c),
                         .b_inner = d->out_c,
                         .c = b->sum + p * matrix,
                         .ldc = d->out_c};
        product(&t, d->in_c, d->out_c, true);
    }
}

bool LEAT_FN(conv_fast_filter_back)(const struct conv_fast *d, const float *sum, float *dfilter)
{
    const int64_t matrix = d->in_c * d->out_c, taps = d->filter * d->filter;
    struct gather g = {.pitch = matrix, .channels = d->out_c};
    vf odd = vf_splat(0);
    for (int64_t c = 0; c < d->in_c; c++) {
        for (int64_t k = 0; k < taps; k++)
            g.to[k] = dfilter + k * matrix + c * d->out_c;
        g.from = sum + c * d->out_c;
        odd += gather(&g, d->filter);
    }
    const float all = vf_sum(odd);
    return all == 0;
}
