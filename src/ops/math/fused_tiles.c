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
    LONG = 16,
    STREAM_MIN_BYTES = 8 << 20, /* of the output: less may stay in a cache for who reads it next */
    PREFETCH_MIN_BYTES = 64 << 10,
    PREFETCH_ALONE_MIN_BYTES = 6 << 20, /* one chain: the processor's own fetching does, from the
                                           third level, and costs no instructions */
    POOL_MIN_NS = 10000,
};

struct worker { /* one piece of the loop; the tiles are the thread's */
    const struct fused_call *call;
    const char *now[FUSED_MAX_VALUES]; /* each value's data for this tile */
    uint8_t single[FUSED_MAX_VALUES];
    const char *fetch[FUSED_MAX_INPUTS]; /* full inputs: what is prefetched */
    uint8_t fetch_bytes[FUSED_MAX_INPUTS];
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
SPREAD_ROWS(spread_8, uint8_t)
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
    w->now[value] = c->values[value].data + at * c->f->bytes[value];
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
    if (c->f->bytes[value] == 1)
        spread_8(s, (const uint8_t *)v->data, begin, n, (uint8_t *)tile);
    else if (c->f->bytes[value] == 4)
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
            w->fetch_bytes[w->num_fetch] = f->bytes[i], w->fetch[w->num_fetch++] = v->data;
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
            w->now[i] = v->data + begin * c->f->bytes[i];
        else if (v->kind == FUSED_SPREAD && !has_period(c, &c->spreads[v->spread]))
            place_spread(w, i, begin, n);
    }
}

struct fetcher {      /* walks the lines of the next tile of each full input */
    int64_t from, to; /* elements */
    int64_t at;       /* bytes after `from` */
    int input;
};

static inline void fetch_some(const struct worker *w, struct fetcher *p, int lines)
{
    while (lines > 0 && p->input < w->num_fetch) {
        const char *base = w->fetch[p->input] + p->from * w->fetch_bytes[p->input];
        int64_t bytes = (p->to - p->from) * w->fetch_bytes[p->input];
        for (; lines > 0 && p->at < bytes; lines--, p->at += LINE)
            math_prefetch(base + p->at);
        if (p->at < bytes)
            return;
        p->input++;
        p->at = 0;
    }
}

static void run_one(const struct worker *w, const struct fused_op *op, char *to, int64_t n)
{
    const void *in[FUSED_ARGS];
    unsigned scalars = 0;
    for (int i = 0; i < op->num_args; i++) {
        in[i] = w->now[op->args[i]];
        scalars |= (unsigned)w->single[op->args[i]] << i;
    }
    op->fn(to, in, scalars, n);
}

static void run_chain(const struct worker *w, const struct fused_run *r, char *to, bool stream,
                      int64_t n)
{
    const struct fused_call *c = w->call;
    bool alone = c->num_runs == 1 && c->prefetch; /* else the next tile is being fetched */
    struct math_chain_step steps[MATH_CHAIN_STEPS];
    for (int i = 0; i < r->num_steps; i++) {
        const struct fused_step *s = &c->steps[r->first_step + i];
        steps[i].op = s->op;
        steps[i].single = s->y < 0 || w->single[s->y];
        steps[i].y = s->y < 0 ? NULL : w->now[s->y];
        steps[i].fetch = alone && s->y >= 0 && c->values[s->y].kind == FUSED_FULL && s->y != r->x;
        for (int j = 0; j < i && steps[i].fetch; j++) /* once is enough */
            steps[i].fetch = c->steps[r->first_step + j].y != s->y;
    }
    struct math_chain chain = {.steps = steps,
                               .num = r->num_steps,
                               .fetch = alone && c->values[r->x].kind == FUSED_FULL,
                               .stream = stream};
    const void *x = w->now[r->x];
    if (c->f->bytes[r->x] == 4)
        math_chain_f32(&chain, (float *)(void *)to, x, n);
    else
        math_chain_f64(&chain, (double *)(void *)to, x, n);
}

/* Results that are outputs are written where they go, or, past the caches, from their tiles. */
static void run_tile(struct worker *w, struct fetcher *p, int lines, int64_t begin, int64_t n)
{
    const struct fused_call *c = w->call;
    const struct fused *f = c->f;
    for (int i = 0; i < c->num_runs; i++) {
        const struct fused_run *r = &c->runs[i];
        const struct fused_op *op = &f->ops[r->last];
        int value = f->num_in + r->last;
        bool last = i == c->num_runs - 1, streams = last && c->stream && r->x >= 0;
        char *out = op->out >= 0 ? c->out[op->out] + begin * f->bytes[value] : NULL;
        char *tile = w->regs + op->reg * FUSED_TILE_BYTES;
        char *to = out && (!c->stream || streams) ? out : tile;
        if (c->num_runs > 1)
            fetch_some(w, p, lines);
        if (r->x >= 0)
            run_chain(w, r, to, streams, n);
        else
            run_one(w, op, to, n);
        if (out && to != out)
            math_stream_copy(out, to, n * f->bytes[value]);
        w->now[value] = to;
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
    int64_t tile_bytes = c->tile * c->f->most_bytes;
    int lines = (int)(w.num_fetch * tile_bytes / LINE / c->num_runs) + 1;
    for (int64_t at = begin; at < end; at += c->tile) {
        int64_t n = min_i64(c->tile, end - at), next = at + n;
        struct fetcher p = {.from = next, .to = min_i64(next + c->tile, end)};
        place_inputs(&w, at, n);
        run_tile(&w, &p, lines, at, n);
    }
    if (c->stream)
        math_stream_end();
}

/* --- runs --- */

/* The operand that goes through a chain's first step: one that is an array in every tile. */
static int first_operand(const struct fused_call *c, const struct fused_op *op)
{
    for (int i = 0; i < op->num_args; i++) {
        int kind = c->values[op->args[i]].kind;
        if (kind == FUSED_FULL || kind == FUSED_TILE)
            return i;
    }
    return -1;
}

/* Appends op's step, its operand number `through` being what goes through; false: it has none. */
static bool add_step(struct fused_call *c, const struct fused_op *op, int through)
{
    struct fused_step *s = &c->steps[c->num_steps];
    if (op->chain == MATH_CHAIN_NUM || through < 0)
        return false;
    *s = (struct fused_step){op->chain, -1};
    if (op->num_args == 2) {
        if (op->args[0] == op->args[1] && op->chain != MATH_CHAIN_MUL)
            return false;
        s->y = op->args[1 - through];
        s->op = (uint8_t)(through ? op->chain + MATH_CHAIN_REVERSE : op->chain);
        if (op->args[0] == op->args[1])
            *s = (struct fused_step){MATH_CHAIN_SQUARE, -1};
    }
    c->num_steps++;
    return true;
}

/* Which operand of op is the result of the chain that ends in `last` and of nothing else; -1. */
static int goes_on(const struct fused *f, const struct fused_op *op, int last)
{
    int at = -1;
    if (f->ops[last].out >= 0)
        return -1;
    if (f->ops[last].num_uses != 1 && !(op->num_args == 2 && op->args[0] == op->args[1]))
        return -1;
    if (f->ops[last].num_uses > 2)
        return -1;
    for (int i = 0; i < op->num_args; i++)
        at = op->args[i] == f->num_in + last ? i : at;
    return at;
}

static void find_runs(struct fused_call *c)
{
    const struct fused *f = c->f;
    c->num_runs = c->num_steps = 0;
    for (int k = 0; k < f->num_ops; k++) {
        const struct fused_op *op = &f->ops[k];
        struct fused_run *r = c->num_runs > 0 ? &c->runs[c->num_runs - 1] : NULL;
        if (c->values[f->num_in + k].kind != FUSED_TILE)
            continue;
        int through = r && r->x >= 0 ? goes_on(f, op, r->last) : -1;
        if (through >= 0 && add_step(c, op, through)) {
            r->num_steps++;
            r->last = (int16_t)k;
            continue;
        }
        r = &c->runs[c->num_runs++];
        *r = (struct fused_run){(int16_t)k, -1, (int16_t)c->num_steps, 1};
        through = first_operand(c, op);
        if (add_step(c, op, through))
            r->x = op->args[through];
    }
}

/* --- the loop --- */

/* Rows that repeat within a tile make it a whole number of them, so that one expansion serves. */
static void choose_tile(struct fused_call *c)
{
    c->tile = FUSED_TILE_BYTES / c->f->most_bytes;
    c->period = 0;
    for (int i = 0; i < c->num_spreads && c->period == 0; i++) {
        const struct fused_spread *s = &c->spreads[i];
        if (s->rank == 2 && s->steps[0] == 0 && s->dims[1] <= c->tile)
            c->period = s->dims[1];
    }
    if (c->period > 0)
        c->tile = c->tile / c->period * c->period;
    if (c->num_runs == 1 && c->runs[0].x >= 0 && c->num_spreads == 0)
        c->tile *= LONG; /* no tile is needed */
}

void fused_run_tiles(struct pool *pool, struct fused_call *c)
{
    const struct fused *f = c->f;
    int64_t bytes = c->n * f->most_bytes;
    find_runs(c);
    choose_tile(c);
    c->prefetch = bytes >= (c->num_runs == 1 ? PREFETCH_ALONE_MIN_BYTES : PREFETCH_MIN_BYTES);
    c->stream = c->stream && bytes >= STREAM_MIN_BYTES;
    const int64_t threads = pool ? pool_num_threads(pool) : 1;
    if (threads == 1 || (double)c->n * f->cost_ns < POOL_MIN_NS) {
        run_piece(c, 0, c->n);
        return;
    }
    int64_t grain = min_i64(pool_grain(c->n, f->cost_ns), c->n / (2 * threads) + 1);
    grain = (grain + c->tile - 1) / c->tile * c->tile;
    pool_loop(pool, c->n, grain, f->cost_ns, run_piece, c);
}
