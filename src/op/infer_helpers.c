/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic for shape functions: makers, checks and merges over ranks and dims that may be
 * unknown. The words of the errors are TensorFlow's: tests of programs match on them. */
#include "op/infer_ctx.h"

/* --- makers --- */

const struct shape *infer_keep(struct infer_ctx *c, struct shape s)
{
    struct shape *kept = arena_new(&c->arena, struct shape);
    *kept = s;
    if (s.rank > SHAPE_INLINE_DIMS) {
        struct kept_shape *k = arena_new(&c->arena, struct kept_shape);
        *k = (struct kept_shape){.shape = kept, .next = c->kept};
        c->kept = k;
    }
    return kept;
}

const struct shape *infer_unknown(struct infer_ctx *c)
{
    return &c->unknown;
}

const struct shape *infer_scalar(struct infer_ctx *c)
{
    return &c->scalar;
}

const struct shape *infer_vector(struct infer_ctx *c, int64_t n)
{
    return infer_keep(c, shape_1(n));
}

const struct shape *infer_matrix(struct infer_ctx *c, int64_t rows, int64_t cols)
{
    return infer_keep(c, shape_2(rows, cols));
}

const struct shape *infer_of_rank(struct infer_ctx *c, int rank)
{
    ASSERT(rank <= SHAPE_MAX_RANK);
    return rank < 0 ? infer_unknown(c) : infer_keep(c, shape_of_rank(rank));
}

const struct shape *infer_make(struct infer_ctx *c, const int64_t *dims, int rank)
{
    ASSERT(rank <= SHAPE_MAX_RANK);
    return rank < 0 ? infer_unknown(c) : infer_keep(c, shape_make(dims, rank));
}

const struct shape *infer_copy(struct infer_ctx *c, const struct shape *s)
{
    return infer_keep(c, shape_copy(s));
}

int64_t infer_dim(const struct shape *s, int i)
{
    if (i < 0)
        i += s->rank;
    return s->rank < 0 || i < 0 || i >= s->rank ? DIM_UNKNOWN : shape_dim(s, i);
}

/* --- checks --- */

bool infer_want_rank(struct infer_ctx *c, const struct shape *s, int rank, const struct shape **out,
                     struct status *st)
{
    if (s->rank >= 0 && s->rank != rank)
        return status_invalid(st, "Shape must be rank %d but is rank %d", rank, s->rank);
    *out = s->rank < 0 ? infer_of_rank(c, rank) : s;
    return true;
}

bool infer_want_rank_min(struct infer_ctx *c UNUSED, const struct shape *s, int rank,
                         const struct shape **out, struct status *st)
{
    if (s->rank >= 0 && s->rank < rank)
        return status_invalid(st, "Shape must be at least rank %d but is rank %d", rank, s->rank);
    *out = s;
    return true;
}

bool infer_want_rank_max(struct infer_ctx *c UNUSED, const struct shape *s, int rank,
                         const struct shape **out, struct status *st)
{
    if (s->rank > rank)
        return status_invalid(st, "Shape must be at most rank %d but is rank %d", rank, s->rank);
    *out = s;
    return true;
}

bool infer_want_dim(struct infer_ctx *c UNUSED, int64_t dim, int64_t value, int64_t *out,
                    struct status *st)
{
    if (dim != DIM_UNKNOWN && dim != value)
        return status_invalid(st, "Dimension must be %lld but is %lld", (long long)value,
                              (long long)dim);
    *out = value;
    return true;
}

bool infer_merge_dim(int64_t a, int64_t b, int64_t *out, struct status *st)
{
    if (a != DIM_UNKNOWN && b != DIM_UNKNOWN && a != b)
        return status_invalid(st, "Dimensions must be equal, but are %lld and %lld", (long long)a,
                              (long long)b);
    *out = a == DIM_UNKNOWN ? b : a;
    return true;
}

static bool fail_merge(const struct shape *a, const struct shape *b, int i, struct status *st)
{
    struct strbuf x = {0}, y = {0};
    shape_print(a, &x);
    shape_print(b, &y);
    status_invalid(st,
                   "Dimension %d in both shapes must be equal, but are %lld and %lld. Shapes are "
                   "%s and %s.",
                   i, (long long)shape_dim(a, i), (long long)shape_dim(b, i), strbuf_text(&x),
                   strbuf_text(&y));
    strbuf_release(&x);
    strbuf_release(&y);
    return false;
}

bool infer_merge(struct infer_ctx *c, const struct shape *a, const struct shape *b,
                 const struct shape **out, struct status *st)
{
    *out = a->rank < 0 ? b : a;
    if (a->rank < 0 || b->rank < 0)
        return true;
    if (a->rank != b->rank)
        return status_invalid(st, "Shapes must be equal rank, but are %d and %d", a->rank, b->rank);
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < a->rank; i++) {
        int64_t x = shape_dim(a, i), y = shape_dim(b, i);
        if (x != DIM_UNKNOWN && y != DIM_UNKNOWN && x != y)
            return fail_merge(a, b, i, st);
        dims[i] = x == DIM_UNKNOWN ? y : x;
    }
    *out = infer_make(c, dims, a->rank);
    return true;
}

/* --- building shapes from shapes --- */

static int clamp_index(int i, int rank)
{
    if (i < 0)
        i += rank;
    return i < 0 ? 0 : i > rank ? rank : i;
}

const struct shape *infer_slice(struct infer_ctx *c, const struct shape *s, int begin, int end)
{
    if (s->rank < 0)
        return infer_unknown(c);
    begin = clamp_index(begin, s->rank);
    end = clamp_index(end, s->rank);
    return infer_make(c, shape_dims(s) + begin, end > begin ? end - begin : 0);
}

const struct shape *infer_concat(struct infer_ctx *c, const struct shape *a, const struct shape *b)
{
    if (a->rank < 0 || b->rank < 0 || a->rank + b->rank > SHAPE_MAX_RANK)
        return infer_unknown(c);
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < a->rank; i++)
        dims[i] = shape_dim(a, i);
    for (int i = 0; i < b->rank; i++)
        dims[a->rank + i] = shape_dim(b, i);
    return infer_make(c, dims, a->rank + b->rank);
}

const struct shape *infer_with_dim(struct infer_ctx *c, const struct shape *s, int i, int64_t dim)
{
    if (i < 0)
        i += s->rank;
    if (s->rank < 0 || i < 0 || i >= s->rank)
        return s;
    int64_t dims[SHAPE_MAX_RANK];
    for (int j = 0; j < s->rank; j++)
        dims[j] = j == i ? dim : shape_dim(s, j);
    return infer_make(c, dims, s->rank);
}

int64_t infer_dim_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == DIM_UNKNOWN || b == DIM_UNKNOWN || __builtin_add_overflow(a, b, &sum) || sum < 0)
        return DIM_UNKNOWN;
    return sum;
}

int64_t infer_dim_mul(int64_t a, int64_t b)
{
    int64_t product;
    if (a == 0 || b == 0)
        return 0;
    if (a == DIM_UNKNOWN || b == DIM_UNKNOWN || __builtin_mul_overflow(a, b, &product) ||
        product < 0)
        return DIM_UNKNOWN;
    return product;
}

bool infer_dim_div(int64_t dim, int64_t by, int64_t *out, struct status *st)
{
    *out = dim == DIM_UNKNOWN ? dim : dim / by;
    return dim == DIM_UNKNOWN || dim % by == 0 ||
           status_invalid(st, "Dimension size must be evenly divisible by %lld but is %lld",
                          (long long)by, (long long)dim);
}

bool infer_merge_front(struct infer_ctx *c, const struct shape *a, const struct shape *b,
                       const struct shape **rest, struct status *st)
{
    *rest = infer_unknown(c);
    if (a->rank < 0 || b->rank < 0)
        return true;
    if (!infer_want_rank_min(c, a, b->rank, &a, st))
        return false;
    for (int i = 0; i < b->rank; i++) {
        int64_t same;
        if (!infer_merge_dim(infer_dim(a, i), infer_dim(b, i), &same, st))
            return false;
    }
    *rest = infer_slice(c, a, b->rank, a->rank);
    return true;
}

/* What two dims that meet in a broadcast become. */
static bool broadcast_dim(int64_t a, int64_t b, int64_t *out, struct status *st)
{
    if (a == DIM_UNKNOWN || b == DIM_UNKNOWN) {
        /* anything above one must be the result; below, either may win */
        *out = a > 1 ? a : b > 1 ? b : DIM_UNKNOWN;
        return true;
    }
    if (a == 1 || b == 1) {
        *out = a == 1 ? b : a;
        return true;
    }
    return infer_merge_dim(a, b, out, st);
}

bool infer_broadcast(struct infer_ctx *c, const struct shape *a, const struct shape *b,
                     const struct shape **out, struct status *st)
{
    *out = infer_unknown(c);
    if (a->rank < 0 || b->rank < 0)
        return true;
    int rank = a->rank > b->rank ? a->rank : b->rank;
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        int ia = i - (rank - a->rank), ib = i - (rank - b->rank);
        int64_t x = ia < 0 ? 1 : shape_dim(a, ia), y = ib < 0 ? 1 : shape_dim(b, ib);
        if (!broadcast_dim(x, y, &dims[i], st))
            return false;
    }
    *out = infer_make(c, dims, rank);
    return true;
}

/* --- windows --- */

/* How far the filter reaches with its dilation; -1: unknown. */
static bool window_spread(const struct infer_window *w, int64_t *spread, struct status *st)
{
    if (w->stride <= 0)
        return status_invalid(st, "Stride must be > 0, but got %lld", (long long)w->stride);
    if (w->dilation < 1)
        return status_invalid(st, "Dilation rate must be >= 1, but got %lld",
                              (long long)w->dilation);
    *spread = DIM_UNKNOWN;
    if (w->filter == DIM_UNKNOWN)
        return true;
    int64_t steps;
    if (!size_mul(w->filter > 0 ? w->filter - 1 : 0, w->dilation, &steps) ||
        !size_add(steps, 1, spread) || w->filter < 0)
        return status_invalid(st, "A window of %lld with dilation %lld is out of range",
                              (long long)w->filter, (long long)w->dilation);
    return true;
}

bool infer_window(const struct infer_window *w, int64_t *out, struct status *st)
{
    int64_t spread = DIM_UNKNOWN, in = w->in;
    if (!window_spread(w, &spread, st))
        return false;
    *out = DIM_UNKNOWN;
    if (str_is(w->padding, "SAME")) {
        if (in != DIM_UNKNOWN)
            *out = in / w->stride + (in % w->stride != 0);
        return true;
    }
    bool is_explicit = str_is(w->padding, "EXPLICIT");
    if (!is_explicit && !str_is(w->padding, "VALID"))
        return status_invalid(st, "Unknown padding type '%.*s'",
                              (int)min_i64((int64_t)w->padding.n, 40), w->padding.p);
    if (in == DIM_UNKNOWN || spread == DIM_UNKNOWN)
        return true;
    if (is_explicit && (!size_add(in, w->before, &in) || !size_add(in, w->after, &in)))
        return status_invalid(st, "Padding must be non-negative, but is %lld and %lld",
                              (long long)w->before, (long long)w->after);
    if (in < spread)
        return status_invalid(st, "Negative dimension size caused by subtracting %lld from %lld",
                              (long long)spread, (long long)in);
    *out = (in - spread) / w->stride + 1;
    return true;
}
