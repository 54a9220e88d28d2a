/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of elementwise ops. The common case, operands of one shape and few elements, is a
 * compare of shapes, an output and one call; everything else is decided once per call. */
#include "ops/math/ewise.h"

#include "math/vec.h"
#include "ops/math/bcast.h"

enum {
    TILE = 512,          /* elements of the buffers below: 24 bytes x 3 of them stay in L1 */
    SHORT_ROW = 24,      /* below, rows are gathered into tiles instead of run one by one */
    POOL_MIN_NS = 30000, /* loops below that are not split */
    GRAIN_ROUND = 1024,  /* pieces begin at multiples of it: aligned and of whole vectors */
};

/* --- tiles --- */

/* Half and bfloat16: widens a tile of each operand, runs fn on float, rounds. */
static void run_narrow(const struct ewise_loop *l, void *out, const void *const *in,
                       unsigned scalars, int64_t n)
{
    float wide[BCAST_MAX][TILE], result[TILE];
    const void *from[BCAST_MAX];
    bool half = l->narrow == DT_HALF;
    for (int64_t at = 0; at < n; at += TILE) {
        int64_t len = min_i64(TILE, n - at);
        for (int i = 0; i < l->num_in; i++) {
            bool single = scalars >> i & 1;
            const uint16_t *x = (const uint16_t *)in[i] + (single ? 0 : at);
            if (half)
                math_f16_to_f32((const struct f16 *)x, wide[i], single ? 1 : len);
            else
                math_bf16_to_f32((const struct bf16 *)x, wide[i], single ? 1 : len);
            from[i] = wide[i];
        }
        if (!l->narrow_out) {
            l->fn((char *)out + at * l->out_bytes, from, scalars, len);
            continue;
        }
        l->fn(result, from, scalars, len);
        if (half)
            math_f32_to_f16(result, (struct f16 *)out + at, len);
        else
            math_f32_to_bf16(result, (struct bf16 *)out + at, len);
    }
}

static inline void run_tile(const struct ewise_loop *l, void *out, const void *const *in,
                            unsigned scalars, int64_t n)
{
    if (UNLIKELY(l->narrow))
        run_narrow(l, out, in, scalars, n);
    else
        l->fn(out, in, scalars, n);
}

/* --- loops --- */

struct job { /* one call, shared by the pieces of its loop */
    const struct ewise_loop *loop;
    char *out;
    const void *const *in;
    unsigned scalars;
    const struct bcast *b;
    unsigned gather; /* operands that are expanded into tiles */
};

static int64_t grain_of(int64_t n, double cost_ns)
{
    int64_t grain = pool_grain(n, cost_ns);
    return (grain + GRAIN_ROUND - 1) / GRAIN_ROUND * GRAIN_ROUND;
}

static void split(struct pool *pool, const struct ewise_loop *l, int64_t n, pool_loop_fn fn,
                  struct job *job)
{
    if ((double)n * l->cost_ns < POOL_MIN_NS)
        fn(job, 0, n);
    else
        pool_loop(pool, n, grain_of(n, l->cost_ns), l->cost_ns, fn, job);
}

static void run_flat(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct ewise_loop *l = j->loop;
    const void *in[BCAST_MAX];
    for (int i = 0; i < l->num_in; i++)
        in[i] = (const char *)j->in[i] + (j->scalars >> i & 1 ? 0 : begin * l->bytes[i]);
    run_tile(l, j->out + begin * l->out_bytes, in, j->scalars, end - begin);
}

void ewise_run(struct pool *pool, const struct ewise_loop *l, void *out, const void *const *in,
               unsigned scalars, int64_t n)
{
    if (LIKELY((double)n * l->cost_ns < POOL_MIN_NS)) {
        if (n > 0)
            run_tile(l, out, in, scalars, n);
        return;
    }
    struct job job = {.loop = l, .out = out, .in = in, .scalars = scalars};
    split(pool, l, n, run_flat, &job);
}

/* Row by row: along the last dim every operand is contiguous or single. */
static void run_rows(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct ewise_loop *l = j->loop;
    const struct bcast *b = j->b;
    unsigned single = b->repeated[b->rank - 1];
    struct bcast_at at;
    bcast_seek(b, &at, begin);
    while (begin < end) {
        const void *in[BCAST_MAX];
        int64_t len = min_i64(bcast_row_left(b, &at), end - begin);
        for (int i = 0; i < l->num_in; i++)
            in[i] = (const char *)j->in[i] + at.offset[i] * l->bytes[i];
        run_tile(l, j->out + begin * l->out_bytes, in, single, len);
        begin += len;
        bcast_next_row(b, &at);
    }
}

/* Rows too short for that: repeated operands are expanded into tiles that span many rows. */
static void run_gathered(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    const struct ewise_loop *l = j->loop;
    struct tstr tiles[BCAST_MAX][TILE]; /* of the biggest element */
    for (; begin < end; begin += TILE) {
        const void *in[BCAST_MAX];
        int64_t len = min_i64(TILE, end - begin);
        for (int i = 0; i < l->num_in; i++) {
            in[i] = (const char *)j->in[i] + begin * l->bytes[i];
            if (j->scalars >> i & 1)
                in[i] = j->in[i];
            if (!(j->gather >> i & 1))
                continue;
            bcast_expand(j->b, i, j->in[i], l->bytes[i], begin, len, tiles[i]);
            in[i] = tiles[i];
        }
        run_tile(l, j->out + begin * l->out_bytes, in, j->scalars, len);
    }
}

void ewise_run_spread(struct pool *pool, const struct ewise_loop *l, void *out,
                      const void *const *in, const struct bcast *b)
{
    if (b->num_elems == 0)
        return;
    int64_t row = b->dims[b->rank - 1];
    struct job job = {.loop = l, .out = out, .in = in, .b = b};
    if (b->rank == 1) {
        ewise_run(pool, l, out, in, b->repeated[0], row);
        return;
    }
    if (row >= SHORT_ROW) {
        split(pool, l, b->num_elems, run_rows, &job);
        return;
    }
    unsigned always = ~0u, ever = 0;
    for (int i = 0; i < b->rank; i++) {
        always &= b->repeated[i];
        ever |= b->repeated[i];
    }
    job.scalars = always;
    job.gather = ever & ~always;
    split(pool, l, b->num_elems, run_gathered, &job);
}

/* --- kernels --- */

/* Any input may give its memory that dies here, is held by nobody else, and has the output's size.
 */
struct tensor *ewise_out(struct kctx *c, const struct ewise_loop *l, const struct shape *shape,
                         int64_t n, struct status *st)
{
    uint64_t dying = c->in_last_use;
    for (int i = 0; dying && i < l->num_in; i++, dying >>= 1) {
        const struct tensor *t = c->in[i];
        if ((dying & 1) && t->num_elems == n && l->bytes[i] == l->out_bytes && tensor_is_sole(t))
            return kernel_out_forward(c, i, 0, shape, st);
    }
    return kernel_out(c, 0, shape, st);
}

bool ewise_run_unary(struct kctx *c, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    const void *in[1] = {x->data};
    struct tensor *out = ewise_out(c, l, &x->shape, x->num_elems, st);
    if (!out)
        return false;
    ewise_run(kernel_pool(c), l, out->data, in, 0, out->num_elems);
    return true;
}

static bool has_int(const struct tensor *t, bool negative)
{
#define X(type)                                                                                    \
    {                                                                                              \
        const type *x = t->data;                                                                   \
        bool found = false;                                                                        \
        for (int64_t i = 0; i < t->num_elems; i++)                                                 \
            found |= negative ? x[i] < 0 : x[i] == 0;                                              \
        return found;                                                                              \
    }
    switch (dtype_size(t->dtype)) {
    case 1:
        X(int8_t)
    case 2:
        X(int16_t)
    case 4:
        X(int32_t)
    default:
        X(int64_t)
    }
#undef X
}

/* The second operand's forbidden values; asked only when the result has elements. */
static bool checked(const struct ewise_loop *l, const struct tensor *y, struct status *st)
{
    bool negative = l->check == EWISE_CHECK_NEGATIVE;
    if (!has_int(y, negative))
        return true;
    if (negative)
        return status_invalid(st, "Integers to negative integer powers are not allowed");
    if (l->check == EWISE_CHECK_ZERO)
        return status_invalid(st, "Integer division by zero");
    return status_internal(st, "Integer division by zero");
}

static bool run_general(struct kctx *c, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const struct shape *shapes[BCAST_MAX];
    const void *in[BCAST_MAX];
    for (int i = 0; i < l->num_in; i++) {
        shapes[i] = &kernel_in(c, i)->shape;
        in[i] = kernel_in(c, i)->data;
    }
    struct bcast b;
    if (!bcast_make(&b, shapes, l->num_in, st))
        return false;
    if (l->check && b.num_elems > 0 && !checked(l, kernel_in(c, 1), st))
        return false;
    struct shape shape = shape_make(b.out_dims, b.out_rank);
    struct tensor *out = ewise_out(c, l, &shape, b.num_elems, st);
    shape_clear(&shape);
    if (!out)
        return false;
    ewise_run_spread(kernel_pool(c), l, out->data, in, &b);
    return true;
}

/* Both shapes as one: 0; the first a scalar: 1; the second: 2; else -1. */
static int simple_form(const struct tensor *x, const struct tensor *y)
{
    if (LIKELY(shape_equal(&x->shape, &y->shape)))
        return 0;
    if (y->num_elems == 1 && y->shape.rank <= x->shape.rank)
        return 2;
    return x->num_elems == 1 && x->shape.rank <= y->shape.rank ? 1 : -1;
}

bool ewise_run_binary(struct kctx *c, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    int form = simple_form(x, y);
    if (form < 0)
        return run_general(c, st);
    const struct tensor *full = form == 1 ? y : x;
    const void *in[2] = {x->data, y->data};
    if (UNLIKELY(l->check) && full->num_elems > 0 && !checked(l, y, st))
        return false;
    struct tensor *out = ewise_out(c, l, &full->shape, full->num_elems, st);
    if (!out)
        return false;
    ewise_run(kernel_pool(c), l, out->data, in, (unsigned)form, out->num_elems);
    return true;
}

bool ewise_run_same(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    if (LIKELY(shape_equal(&x->shape, &y->shape)))
        return ewise_run_binary(c, st);
    struct strbuf a = {0}, b = {0};
    shape_print(&x->shape, &a);
    shape_print(&y->shape, &b);
    status_invalid(st, "Inputs must have the same shape: %s vs. %s", strbuf_text(&a),
                   strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

bool ewise_run_ternary(struct kctx *c, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1), *z = kernel_in(c, 2);
    if (!shape_equal(&x->shape, &y->shape) || !shape_equal(&x->shape, &z->shape))
        return run_general(c, st);
    const void *in[3] = {x->data, y->data, z->data};
    struct tensor *out = ewise_out(c, l, &x->shape, x->num_elems, st);
    if (!out)
        return false;
    ewise_run(kernel_pool(c), l, out->data, in, 0, out->num_elems);
    return true;
}
