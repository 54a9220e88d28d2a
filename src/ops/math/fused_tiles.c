/* SPDX-License-Identifier: Apache-2.0 */
/* The tile interpreter: the whole program over one tile, then the next tile.
 *
 * Made for chains whose operands do not fit the caches: memory is read and written once, results in
 * between live in a few tiles that stay in the first cache. While a tile is computed the next one
 * is fetched, a few lines before each instruction, and a big result is streamed past the caches.
 * What an element becomes depends neither on the tile it is in nor on the thread. */
#include <string.h>

#include "math/stream.h"
#include "ops/math/fused.h"

enum {
    LINE = 64,
    STREAM_MIN_BYTES = 8 << 20, /* of the output: less may stay in a cache for who reads it next */
    PREFETCH_MIN_BYTES = 64 << 10,
    POOL_MIN_NS = 30000,
};

struct worker { /* one piece of the loop; the tiles are the thread's */
    const struct fused_call *call;
    const char *now[FUSED_MAX_VALUES]; /* each value's data for this tile */
    uint8_t single[FUSED_MAX_VALUES];
    const char *fetch[FUSED_MAX_INPUTS]; /* full inputs: what is prefetched */
    int num_fetch;
    char *spread_tiles;
    char *regs;
};

/* --- spreads --- */

/* Elements of src from `begin` of the output's on, as the output sees them. */
#define SPREAD_ROWS(name, type)                                                                    \
    static void name(const struct fused_spread *s, const type *src, int64_t begin, int64_t n,      \
                     type *to)                                                                     \
    {                                                                                              \
        int64_t index[FUSED_MAX_DIMS], at = 0, last = s->rank - 1, step = s->steps[last];          \
        for (int i = s->rank - 1; i >= 0; i--) {                                                   \
            index[i] = begin % s->dims[i];                                                         \
            begin /= s->dims[i];                                                                   \
            at += index[i] * s->steps[i];                                                          \
        }                                                                                          \
        while (n > 0) {                                                                            \
            int64_t len = min_i64(s->dims[last] - index[last], n);                                 \
            if (step == 0) {                                                                       \
                for (int64_t i = 0; i < len; i++)                                                  \
                    to[i] = src[at];                                                               \
            } else {                                                                               \
                memcpy(to, src + at, sizeof *to * (size_t)len);                                    \
            }                                                                                      \
            to += len;                                                                             \
            n -= len;                                                                              \
            at -= index[last] * step;                                                              \
            index[last] = 0;                                                                       \
            for (int64_t i = last - 1; i >= 0; i--) {                                              \
                at += s->steps[i];                                                                 \
                if (++index[i] < s->dims[i])                                                       \
                    break;                                                                         \
                at -= s->dims[i] * s->steps[i];                                                    \
                index[i] = 0;                                                                      \
            }                                                                                      \
        }                                                                                          \
    }
SPREAD_ROWS(spread_32, uint32_t)
SPREAD_ROWS(spread_64, uint64_t)

/* A stretch inside one row is read where it lies. */
static bool within_row(struct worker *w, int value, const struct fused_spread *s, int64_t begin,
                       int64_t n)
{
    const struct fused_call *c = w->call;
    int last = s->rank - 1;
    int64_t col = begin % s->dims[last], row = begin / s->dims[last], at = col * s->steps[last];
    if (col + n > s->dims[last])
        return false;
    for (int i = last - 1; i >= 0; i--) {
        at += row % s->dims[i] * s->steps[i];
        row /= s->dims[i];
    }
    w->now[value] = c->values[value].data + at * c->f->bytes;
    w->single[value] = s->steps[last] == 0;
    return true;
}

static bool has_period(const struct fused_call *c, const struct fused_spread *s)
{
    return c->period > 0 && s->rank == 2 && s->steps[0] == 0 && s->dims[1] == c->period;
}

static void place_spread(struct worker *w, int value, int64_t begin, int64_t n)
{
    const struct fused_call *c = w->call;
    const struct fused_value *v = &c->values[value];
    const struct fused_spread *s = &c->spreads[v->spread];
    if (!has_period(c, s) && within_row(w, value, s, begin, n))
        return;
    char *tile = w->spread_tiles + (int)v->spread * FUSED_TILE_BYTES;
    if (c->f->bytes == 4)
        spread_32(s, (const uint32_t *)(const void *)v->data, begin, n, (uint32_t *)(void *)tile);
    else
        spread_64(s, (const uint64_t *)(const void *)v->data, begin, n, (uint64_t *)(void *)tile);
    w->now[value] = tile;
    w->single[value] = 0;
}

/* --- a piece --- */

/* What stays the same for all tiles; periodic spreads are expanded here once. */
static void start(struct worker *w, int64_t begin, int64_t end)
{
    const struct fused_call *c = w->call;
    const struct fused *f = c->f;
    for (int i = 0; i < f->num_in + f->num_ops; i++) {
        const struct fused_value *v = &c->values[i];
        w->single[i] = v->kind == FUSED_SINGLE;
        w->now[i] = v->data;
        if (v->kind == FUSED_FULL && i < f->num_in && c->prefetch)
            w->fetch[w->num_fetch++] = v->data;
        if (v->kind == FUSED_SPREAD && has_period(c, &c->spreads[v->spread]))
            place_spread(w, i, begin, min_i64(c->tile, end - begin));
        if (v->kind == FUSED_TILE)
            w->now[i] = w->regs + f->ops[i - f->num_in].reg * FUSED_TILE_BYTES;
    }
}

static void place_inputs(struct worker *w, int64_t begin, int64_t n)
{
    const struct fused_call *c = w->call;
    int num = c->f->num_in + c->f->num_ops;
    for (int i = 0; i < num; i++) {
        const struct fused_value *v = &c->values[i];
        if (v->kind == FUSED_FULL)
            w->now[i] = v->data + begin * c->f->bytes;
        else if (v->kind == FUSED_SPREAD && !has_period(c, &c->spreads[v->spread]))
            place_spread(w, i, begin, n);
    }
}

struct fetcher {          /* walks the lines of the next tile of each full input */
    int64_t from, to, at; /* bytes into the inputs */
    int input;
};

static inline void fetch_some(const struct worker *w, struct fetcher *p, int lines)
{
    while (lines > 0 && p->input < w->num_fetch) {
        const char *base = w->fetch[p->input];
        for (; lines > 0 && p->at < p->to; lines--, p->at += LINE)
            math_prefetch(base + p->at);
        if (p->at < p->to)
            return;
        p->input++;
        p->at = p->from;
    }
}

static void run_tile(struct worker *w, struct fetcher *p, int lines, int64_t begin, int64_t n)
{
    const struct fused_call *c = w->call;
    const struct fused *f = c->f;
    for (int k = 0; k < f->num_ops; k++) {
        const struct fused_op *op = &f->ops[k];
        const void *in[FUSED_ARGS];
        unsigned scalars = 0;
        if (c->values[f->num_in + k].kind != FUSED_TILE)
            continue;
        for (int i = 0; i < op->num_args; i++) {
            in[i] = w->now[op->args[i]];
            scalars |= (unsigned)w->single[op->args[i]] << i;
        }
        fetch_some(w, p, lines);
        char *to = w->regs + op->reg * FUSED_TILE_BYTES;
        if (k == f->num_ops - 1 && !c->stream)
            to = c->out + begin * f->bytes;
        op->fn(to, in, scalars, n);
        if (k == f->num_ops - 1 && c->stream)
            math_stream_copy(c->out + begin * f->bytes, to, n * f->bytes);
    }
}

static void run_piece(void *arg, int64_t begin, int64_t end)
{
    const struct fused_call *c = arg;
    _Alignas(LINE) char regs[FUSED_MAX_REGS * FUSED_TILE_BYTES];
    _Alignas(LINE) char spread_tiles[FUSED_MAX_SPREADS * FUSED_TILE_BYTES];
    struct worker w;
    w.call = c;
    w.num_fetch = 0;
    w.regs = regs;
    w.spread_tiles = spread_tiles;
    start(&w, begin, end);
    int64_t tile_bytes = c->tile * c->f->bytes;
    int lines = (int)(w.num_fetch * tile_bytes / LINE / c->f->num_ops) + 1;
    for (int64_t at = begin; at < end; at += c->tile) {
        int64_t n = min_i64(c->tile, end - at), next = at + n;
        struct fetcher p = {.from = next * c->f->bytes,
                            .at = next * c->f->bytes,
                            .to = min_i64(next + c->tile, end) * c->f->bytes};
        place_inputs(&w, at, n);
        run_tile(&w, &p, lines, at, n);
    }
    if (c->stream)
        math_stream_end();
}

/* Rows that repeat within a tile make it a whole number of them, so that one expansion serves. */
static void choose_tile(struct fused_call *c)
{
    c->tile = FUSED_TILE_BYTES / c->f->bytes;
    c->period = 0;
    for (int i = 0; i < c->num_spreads && c->period == 0; i++) {
        const struct fused_spread *s = &c->spreads[i];
        if (s->rank == 2 && s->steps[0] == 0 && s->dims[1] <= c->tile)
            c->period = s->dims[1];
    }
    if (c->period > 0)
        c->tile = c->tile / c->period * c->period;
}

void fused_run_tiles(struct pool *pool, struct fused_call *c)
{
    const struct fused *f = c->f;
    int64_t bytes = c->n * f->bytes;
    choose_tile(c);
    c->prefetch = bytes >= PREFETCH_MIN_BYTES;
    c->stream = c->stream && bytes >= STREAM_MIN_BYTES;
    if ((double)c->n * f->cost_ns < POOL_MIN_NS) {
        run_piece(c, 0, c->n);
        return;
    }
    int64_t grain = pool_grain(c->n, f->cost_ns);
    grain = (grain + c->tile - 1) / c->tile * c->tile;
    pool_loop(pool, c->n, grain, f->cost_ns, run_piece, c);
}
