/* SPDX-License-Identifier: Apache-2.0 */
/* Direct convolution at this instruction level: tiles of a few outputs and vectors of output
 * channels (forward), or of a few filter elements and vectors (filter gradient): conv_tile.h. */
#include "math/simd/conv_simd.h"

#include "math/simd/conv_tile.h"

#define L1_BYTES (48 << 10) /* what a block of rows takes of the nearest cache */

/* The filter rows that meet the image, of output row oh: [taps[0], taps[1]). */
static void taps_of(const struct conv_direct *d, int64_t oh, int64_t taps[2])
{
    const int64_t h0 = oh * d->stride_h - d->pad_top, dh = d->dilation_h;
    taps[0] = h0 < 0 ? min_i64((-h0 + dh - 1) / dh, d->filter_h) : 0;
    taps[1] = h0 >= d->in_h ? taps[0]
                            : max_i64(taps[0], min_i64(d->filter_h, (d->in_h - h0 + dh - 1) / dh));
}

static void forward_row(const struct conv_rows *r, const struct columns *at, int64_t oh)
{
    const struct conv_direct *d = r->d;
    int64_t taps[2];
    taps_of(d, oh, taps);
    struct tile t = {.outer = taps[1] - taps[0],
                     .inner = d->run,
                     .a_outer = d->dilation_h * d->pitch,
                     .a_row = d->step,
                     .b = r->filter + taps[0] * d->run * d->out_c + at->first,
                     .b_outer = d->run * d->out_c,
                     .b_inner = d->out_c,
                     .ldc = d->out_c,
                     .tail = at->tail,
                     .bias = r->bias ? r->bias + at->first : NULL,
                     .relu = r->relu};
    const float *x = r->x + (oh * d->stride_h - d->pad_top + taps[0] * d->dilation_h) * d->pitch;
    float *y = r->y + oh * d->out_w * d->out_c + at->first;
    const int64_t most = rows_most(at->nv), parts = (d->out_w + most - 1) / most;
    for (int64_t i = 0; i < parts; i++) {
        const int64_t w = share(d->out_w, parts, i), rows = share(d->out_w, parts, i + 1) - w;
        t.a = x + w * d->step;
        t.c = y + w * d->out_c;
        tiles[0][at->nv][rows](&t);
    }
}

/* Fetches a share of what comes next into the second cache level. */
static void fetch_ahead(const struct conv_rows *r, int64_t oh)
{
    const int64_t rows = r->end - r->begin;
    const char *at = r->next + share(r->next_bytes, rows, oh - r->begin);
    const char *end = r->next + share(r->next_bytes, rows, oh - r->begin + 1);
    for (; at < end; at += 64)
        __builtin_prefetch(at, 0, 2);
}

void LEAT_FN(conv_rows_forward)(const struct conv_rows *r)
{
    struct columns at;
    for (int64_t c = 0; c < r->d->out_c; c += at.nv * VF_LANES) {
        at = columns_at(c, r->d->out_c);
        for (int64_t oh = r->begin; oh < r->end; oh++) {
            if (c == 0 && r->next)
                fetch_ahead(r, oh);
            forward_row(r, &at, oh);
        }
    }
}

/* Elements of the filter's gradient that are summed over the same outputs. */
struct elements {
    int64_t first, num; /* of a filter row */
    int64_t w0, w1;     /* output columns */
    int64_t begin, end; /* output rows */
    const float *x;     /* what the first element meets at the first of the outputs */
};

static void filter_elements(const struct conv_rows *r, int64_t k, const struct elements *el)
{
    const struct conv_direct *d = r->d;
    struct tile t = {.outer = el->end - el->begin,
                     .inner = el->w1 - el->w0,
                     .a_outer = d->stride_h * d->pitch,
                     .a_inner = d->step,
                     .b_outer = d->out_w * d->out_c,
                     .b_inner = d->out_c,
                     .ldc = d->out_c};
    struct columns at;
    for (int64_t c = 0; c < d->out_c; c += at.nv * VF_LANES) {
        at = columns_at(c, d->out_c);
        const int64_t most = rows_most(at.nv), parts = (el->num + most - 1) / most;
        t.b = r->y + (el->begin * d->out_w + el->w0) * d->out_c + c;
        t.tail = at.tail;
        for (int64_t i = 0; i < parts; i++) {
            const int64_t e = share(el->num, parts, i), rows = share(el->num, parts, i + 1) - e;
            t.a = el->x + e;
            t.c = r->dfilter + (k * d->run + el->first + e) * d->out_c + c;
            tiles[1][at.nv][rows](&t);
        }
    }
}

/* What output rows [begin, end), for all of which filter row k meets the image, add to it. */
static void filter_row(const struct conv_rows *r, int64_t k, int64_t begin, int64_t end)
{
    const struct conv_direct *d = r->d;
    const float *x = r->x + (begin * d->stride_h - d->pad_top + k * d->dilation_h) * d->pitch;
    struct elements el = {.num = d->run, .w1 = d->out_w, .begin = begin, .end = end, .x = x};
    if (d->in_c < CONV_TAP_CHANNELS) {
        filter_elements(r, k, &el);
        return;
    }
    el.num = d->in_c;
    for (int64_t kw = 0; kw < d->filter_w; kw++) {
        const int64_t out = d->left - kw; /* how far the first output's tap lies outside */
        const int64_t within = d->in_w - 1 + out;
        el.first = kw * d->in_c;
        el.w0 = out > 0 ? (out + d->stride_w - 1) / d->stride_w : 0;
        el.w1 = within < 0 ? 0 : min_i64(d->out_w, within / d->stride_w + 1);
        el.x = x + (el.w0 * d->stride_w - out) * d->in_c;
        if (el.w1 > el.w0)
            filter_elements(r, k, &el);
    }
}

void LEAT_FN(conv_rows_filter)(const struct conv_rows *r)
{
    const struct conv_direct *d = r->d;
    const int64_t row_bytes =
        (d->stride_h * d->pitch + d->out_w * d->out_c) * (int64_t)sizeof(float);
    const int64_t block = max_i64(1, L1_BYTES / max_i64(row_bytes, 1));
    for (int64_t begin = r->begin; begin < r->end; begin += block) {
        const int64_t end = min_i64(begin + block, r->end);
        for (int64_t k = 0; k < d->filter_h; k++) {
            int64_t first = begin, last = end, taps[2];
            for (; first < end; first++) {
                taps_of(d, first, taps);
                if (k >= taps[0] && k < taps[1])
                    break;
            }
            for (; last > first; last--) {
                taps_of(d, last - 1, taps);
                if (k >= taps[0] && k < taps[1])
                    break;
            }
            if (last > first)
                filter_row(r, k, first, last);
        }
    }
}
