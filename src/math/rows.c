/* SPDX-License-Identifier: Apache-2.0 */
/* Gathering and scattering rows.
 *
 * A gather is shared out over (outer, index) pairs. A scatter is shared out over columns of wide
 * rows, or over the table's rows where there is much to do, so that who writes an element sees its
 * indices in order, and repeated ones combine the same way for any thread count; few narrow rows
 * are done by the caller alone. */
#include "math/rows.h"

#include "tensor/dtype.h"

#ifndef __clang__
#pragma GCC optimize("O3")
#endif

static inline int64_t index_at(int dtype, const void *indices, int64_t i)
{
    /* Read once: the array may be shared with another step. */
    return dtype == DT_INT32 ? ((const volatile int32_t *)indices)[i]
                             : ((const volatile int64_t *)indices)[i];
}

int64_t math_find_bad_index(int index_dtype, const void *indices, int64_t num, int64_t limit)
{
    for (int64_t i = 0; i < num; i++)
        if ((uint64_t)index_at(index_dtype, indices, i) >= (uint64_t)limit)
            return i;
    return -1;
}

struct gather_job {
    const struct math_gather *g;
    int64_t first_bad; /* atomic minimum; num when none */
};

static void note_bad(int64_t *first_bad, int64_t i)
{
    int64_t seen = __atomic_load_n(first_bad, __ATOMIC_RELAXED);
    while (i < seen && !__atomic_compare_exchange_n(first_bad, &seen, i, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
    }
}

/* Rows lie anywhere in a table that no cache holds: the next ones are fetched while one is copied.
 */
enum { ROWS_AHEAD = 6, LINE = 64, ROW_LINES = 16 };

static inline void fetch_row(const char *row, int64_t bytes)
{
    for (int64_t at = 0; at < bytes && at < ROW_LINES * LINE; at += LINE)
        __builtin_prefetch(row + at);
}

static void fetch_ahead(const struct math_gather *g, int64_t i)
{
    const int64_t index = index_at(g->index_dtype, g->indices, i % g->num);
    if ((uint64_t)index < (uint64_t)g->limit)
        fetch_row((const char *)g->x + (i / g->num * g->limit + index) * g->row_bytes,
                  g->row_bytes);
}

static void gather_run(void *arg, int64_t begin, int64_t end)
{
    struct gather_job *j = arg;
    const struct math_gather *g = j->g;
    const size_t bytes = (size_t)g->row_bytes;
    for (int64_t i = begin; bytes >= LINE && i < end && i < begin + ROWS_AHEAD; i++)
        fetch_ahead(g, i);
    for (int64_t i = begin; i < end; i++) {
        const int64_t o = i / g->num, at = i % g->num;
        if (bytes >= LINE && i + ROWS_AHEAD < end)
            fetch_ahead(g, i + ROWS_AHEAD);
        const int64_t index = index_at(g->index_dtype, g->indices, at);
        char *to = (char *)g->y + i * g->row_bytes;
        if ((uint64_t)index >= (uint64_t)g->limit) {
            note_bad(&j->first_bad, at);
            memset(to, 0, bytes);
            continue;
        }
        const char *from = (const char *)g->x + (o * g->limit + index) * g->row_bytes;
        if (bytes == 4)
            memcpy(to, from, 4);
        else if (bytes == 8)
            memcpy(to, from, 8);
        else
            memcpy(to, from, bytes);
    }
}

int64_t math_gather(struct pool *pool, const struct math_gather *g)
{
    struct gather_job j = {.g = g, .first_bad = g->num};
    const int64_t n = g->outer * g->num;
    const double cost = 3 + 0.1 * (double)g->row_bytes;
    if (g->outer <= 0) /* the indices are checked all the same */
        return math_find_bad_index(g->index_dtype, g->indices, g->num, g->limit);
    pool_loop(pool, n, pool_grain(n, cost), cost, gather_run, &j);
    return j.first_bad < g->num ? j.first_bad : -1;
}

/* ---- scatter: one loop a type and operation, over n elements; step is 1, or 0: u is
 * one element. */

/* W: products in it do not overflow into int. */
#define EACH(expr)                                                                                 \
    if (step == 0) {                                                                               \
        const __typeof__(*t) b = *u;                                                               \
        for (int64_t i = 0; i < n; i++)                                                            \
            t[i] = (expr);                                                                         \
    } else {                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const __typeof__(*t) b = u[i];                                                         \
            t[i] = (expr);                                                                         \
        }                                                                                          \
    }
#define ROW_ARITHMETIC(T, name, W, DIV)                                                            \
    static void row_##name(enum math_scatter_op op, void *table, const void *updates, int64_t n,   \
                           int64_t step)                                                           \
    {                                                                                              \
        T *t = table;                                                                              \
        const T *u = updates;                                                                      \
        switch (op) {                                                                              \
        case MATH_SCATTER_UPDATE:                                                                  \
            EACH(b) break;                                                                         \
        case MATH_SCATTER_ADD:                                                                     \
            EACH((T)(t[i] + b)) break;                                                             \
        case MATH_SCATTER_SUB:                                                                     \
            EACH((T)(t[i] - b)) break;                                                             \
        case MATH_SCATTER_MUL:                                                                     \
            EACH((T)((W)t[i] * (W)b)) break;                                                       \
        case MATH_SCATTER_DIV:                                                                     \
            EACH(DIV(T, t[i], b)) break;                                                           \
        case MATH_SCATTER_MIN:                                                                     \
            EACH(b < t[i] ? b : t[i]) break;                                                       \
        case MATH_SCATTER_MAX:                                                                     \
            EACH(b > t[i] ? b : t[i]) break;                                                       \
        }                                                                                          \
    }
#define DIV_FLOAT(T, a, b) ((a) / (b))
#define DIV_UNSIGNED(T, a, b) ((T)((b) == 0 ? 0 : (a) / (b)))
/* The least value over -1 has no result: it stays (two's complement). */
#define DIV_SIGNED(T, a, b) ((T)((b) == 0 ? 0 : (b) == -1 ? (T)(0 - (uint64_t)(a)) : (a) / (b)))
ROW_ARITHMETIC(float, f32, float, DIV_FLOAT)
ROW_ARITHMETIC(double, f64, double, DIV_FLOAT)
ROW_ARITHMETIC(uint8_t, u8, uint64_t, DIV_UNSIGNED)
ROW_ARITHMETIC(uint16_t, u16, uint64_t, DIV_UNSIGNED)
ROW_ARITHMETIC(uint32_t, u32, uint64_t, DIV_UNSIGNED)
ROW_ARITHMETIC(uint64_t, u64, uint64_t, DIV_UNSIGNED)

/* Signed types wrap: all but division and order is done on the unsigned type. */
#define ROW_SIGNED(T, name, unsigned_name)                                                         \
    static void row_##name(enum math_scatter_op op, void *table, const void *updates, int64_t n,   \
                           int64_t step)                                                           \
    {                                                                                              \
        T *t = table;                                                                              \
        const T *u = updates;                                                                      \
        if (op == MATH_SCATTER_DIV) {                                                              \
            EACH(DIV_SIGNED(T, t[i], b))                                                           \
        } else if (op == MATH_SCATTER_MIN) {                                                       \
            EACH(b < t[i] ? b : t[i])                                                              \
        } else if (op == MATH_SCATTER_MAX) {                                                       \
            EACH(b > t[i] ? b : t[i])                                                              \
        } else {                                                                                   \
            row_##unsigned_name(op, table, updates, n, step);                                      \
        }                                                                                          \
    }
ROW_SIGNED(int8_t, i8, u8)
ROW_SIGNED(int16_t, i16, u16)
ROW_SIGNED(int32_t, i32, u32)
ROW_SIGNED(int64_t, i64, u64)

/* half and bfloat16: each step in float, rounded on store. */
#define ROW_NARROW(T, name, LOAD, SAVE)                                                            \
    static void row_##name(enum math_scatter_op op, void *table, const void *updates, int64_t n,   \
                           int64_t step)                                                           \
    {                                                                                              \
        T *t = table;                                                                              \
        const T *u = updates;                                                                      \
        for (int64_t i = 0; i < n; i++, u += step) {                                               \
            float a = LOAD(t[i]), b = LOAD(*u);                                                    \
            row_f32(op, &a, &b, 1, 1);                                                             \
            t[i] = SAVE(a);                                                                        \
        }                                                                                          \
    }
ROW_NARROW(struct f16, f16, f16_to_f32, f16_from_f32)
ROW_NARROW(struct bf16, bf16, bf16_to_f32, bf16_from_f32)

#define ROW_COMPLEX(S, A, name)                                                                    \
    static void row_##name(enum math_scatter_op op, void *table, const void *updates, int64_t n,   \
                           int64_t step)                                                           \
    {                                                                                              \
        S *t = table;                                                                              \
        const S *u = updates;                                                                      \
        for (int64_t i = 0; i < n; i++, u += step) {                                               \
            const S a = t[i], b = *u;                                                              \
            if (op == MATH_SCATTER_UPDATE) {                                                       \
                t[i] = b;                                                                          \
            } else if (op == MATH_SCATTER_ADD) {                                                   \
                t[i] = (S){a.re + b.re, a.im + b.im};                                              \
            } else if (op == MATH_SCATTER_SUB) {                                                   \
                t[i] = (S){a.re - b.re, a.im - b.im};                                              \
            } else if (op == MATH_SCATTER_MUL) {                                                   \
                t[i] = (S){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                  \
            } else {                                                                               \
                const A m = b.re * b.re + b.im * b.im;                                             \
                t[i] = (S){(a.re * b.re + a.im * b.im) / m, (a.im * b.re - a.re * b.im) / m};      \
            }                                                                                      \
        }                                                                                          \
    }
ROW_COMPLEX(struct c64, float, c64)
ROW_COMPLEX(struct c128, double, c128)

typedef void (*row_fn)(enum math_scatter_op op, void *table, const void *updates, int64_t n,
                       int64_t step);

/* Sums and differences of truth values are those of 0 and 1, as truth values. */
static void row_bool(enum math_scatter_op op, void *to, const void *from, int64_t n, int64_t step)
{
    bool *y = to;
    const bool *x = from;
    for (int64_t i = 0; i < n; i++)
        y[i] = op == MATH_SCATTER_ADD ? (y[i] || x[i * step]) : (y[i] != x[i * step]);
}

static row_fn row_find(int dtype)
{
    static const struct {
        int dtype;
        row_fn fn;
    } table[] = {
        {DT_FLOAT, row_f32},     {DT_DOUBLE, row_f64},      {DT_HALF, row_f16},
        {DT_BFLOAT16, row_bf16}, {DT_INT8, row_i8},         {DT_UINT8, row_u8},
        {DT_INT16, row_i16},     {DT_UINT16, row_u16},      {DT_INT32, row_i32},
        {DT_UINT32, row_u32},    {DT_INT64, row_i64},       {DT_UINT64, row_u64},
        {DT_COMPLEX64, row_c64}, {DT_COMPLEX128, row_c128}, {DT_BOOL, row_bool},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].dtype == dtype)
            return table[i].fn;
    return NULL;
}

bool math_scatter_supports(enum math_scatter_op op, int dtype)
{
    if (op == MATH_SCATTER_UPDATE && !dtype_is_managed(dtype))
        return dtype_size(dtype) > 0;
    if (dtype == DT_BOOL)
        return op == MATH_SCATTER_ADD || op == MATH_SCATTER_SUB;
    if (dtype_is_complex(dtype))
        return op != MATH_SCATTER_MIN && op != MATH_SCATTER_MAX;
    return row_find(dtype) != NULL;
}

/* Columns of a piece: no two threads write one cache line of a row, nor walk the indices in vain;
 * and shares of the rows, each of which walks them all. */
enum { SCATTER_COLUMNS = 256, MOST_SHARES = 8 };
#define SHARE_NS 60e3

struct scatter_job {
    const struct math_scatter *s;
    row_fn fn; /* NULL: bytes are copied */
    size_t item;
    int64_t shares; /* of the rows: share k has those whose number is k modulo shares */
};

/* Columns [begin, end) of the row that index i names. */
static void scatter_row(const struct scatter_job *j, int64_t i, int64_t index, int64_t begin,
                        int64_t end)
{
    const struct math_scatter *s = j->s;
    const int64_t item = (int64_t)j->item, cols = end - begin;
    char *to = (char *)s->table + (index * s->row_items + begin) * item;
    const char *from =
        s->scalar ? s->updates : (const char *)s->updates + (i * s->row_items + begin) * item;
    if (j->fn)
        j->fn(s->op, to, from, cols, s->scalar ? 0 : 1);
    else if (!s->scalar)
        memcpy(to, from, (size_t)(cols * item));
    else
        for (int64_t c = 0; c < cols; c++)
            memcpy(to + c * item, from, j->item);
}

/* Columns [begin, end) of all rows, in the order of the indices. */
static void scatter_run(void *arg, int64_t begin, int64_t end)
{
    const struct scatter_job *j = arg;
    const struct math_scatter *s = j->s;
    for (int64_t i = 0; i < s->num; i++) {
        const int64_t index = index_at(s->index_dtype, s->indices, i);
        if ((uint64_t)index < (uint64_t)s->limit)
            scatter_row(j, i, index, begin, end);
    }
}

/* The rows of index i, if it is in these shares: what is read and what is written. */
static inline void fetch_scattered(const struct scatter_job *j, int64_t i, int64_t begin,
                                   int64_t end)
{
    const struct math_scatter *s = j->s;
    const int64_t bytes = s->row_items * (int64_t)j->item, mask = j->shares - 1;
    const int64_t index = index_at(s->index_dtype, s->indices, i);
    if ((uint64_t)index >= (uint64_t)s->limit || (index & mask) < begin || (index & mask) >= end)
        return;
    fetch_row((const char *)s->table + index * bytes, bytes);
    if (!s->scalar)
        fetch_row((const char *)s->updates + i * bytes, bytes);
}

/* Shares [begin, end) of the rows, each in the order of the indices. */
static void scatter_shares(void *arg, int64_t begin, int64_t end)
{
    const struct scatter_job *j = arg;
    const struct math_scatter *s = j->s;
    const int64_t mask = j->shares - 1, ahead = ROWS_AHEAD * j->shares / (end - begin);
    for (int64_t i = 0; i < s->num; i++) {
        const int64_t index = index_at(s->index_dtype, s->indices, i);
        if (i + ahead < s->num)
            fetch_scattered(j, i + ahead, begin, end);
        if ((uint64_t)index < (uint64_t)s->limit && (index & mask) >= begin && (index & mask) < end)
            scatter_row(j, i, index, 0, s->row_items);
    }
}

/* A power of two, by shape alone; 1: rows are not shared out. */
static int64_t row_shares(const struct math_scatter *s, size_t item, double cost_ns)
{
    int64_t shares = 1;
    if (s->row_items > SCATTER_COLUMNS || s->row_items * (int64_t)item < LINE)
        return 1;
    while (shares < MOST_SHARES && cost_ns / (double)shares > SHARE_NS)
        shares *= 2;
    return shares;
}

int64_t math_scatter(struct pool *pool, const struct math_scatter *s)
{
    struct scatter_job j = {.s = s, .item = dtype_size(s->dtype)};
    const int64_t bad = math_find_bad_index(s->index_dtype, s->indices, s->num, s->limit);
    if (bad >= 0 && !s->skip_bad)
        return bad;
    if (s->op != MATH_SCATTER_UPDATE)
        j.fn = row_find(s->dtype);
    const double cost = (double)s->num * (0.5 * (double)s->row_items + 2);
    j.shares = row_shares(s, j.item, cost);
    if (j.shares > 1)
        pool_loop(pool, j.shares, 1, cost / (double)j.shares, scatter_shares, &j);
    else
        pool_loop(pool, s->row_items, SCATTER_COLUMNS, 0.5 * (double)s->num, scatter_run, &j);
    return bad;
}
