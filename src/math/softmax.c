/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing softmax rows out, and rows of half and bfloat16 through float. */
#include "math/softmax.h"

#include <math.h>

#include "math/scratch.h"
#include "math/simd/softmax_simd.h"
#include "math/vec.h"
#include "tensor/dtype.h"

static bool narrow(int dtype)
{
    return dtype == DT_HALF || dtype == DT_BFLOAT16;
}

static void widen(int dtype, const void *x, float *y, int64_t n)
{
    if (dtype == DT_HALF)
        math_f16_to_f32(x, y, n);
    else
        math_bf16_to_f32(x, y, n);
}

static void shorten(int dtype, const float *x, void *y, int64_t n)
{
    if (dtype == DT_HALF)
        math_f32_to_f16(x, y, n);
    else
        math_f32_to_bf16(x, y, n);
}

static double row_cost(int64_t classes, int dtype)
{
    return 15 + (double)classes * (dtype == DT_FLOAT ? 0.5 : 1.5);
}

static const void *row_of(const void *base, int64_t r, int64_t n, size_t item)
{
    return (const char *)base + r * n * (int64_t)item;
}

static void *row_of_out(void *base, int64_t r, int64_t n, size_t item)
{
    return base ? (char *)base + r * n * (int64_t)item : NULL;
}

static void softmax_run(void *arg, int64_t begin, int64_t end)
{
    const struct math_softmax *s = arg;
    const size_t item = dtype_size(s->dtype);
    const int64_t n = s->classes;
    float *wide =
        narrow(s->dtype) ? math_scratch(MATH_SCRATCH_ROWS, (size_t)n * sizeof(float)) : NULL;
    for (int64_t r = begin; r < end; r++) {
        const void *x = row_of(s->x, r, n, item);
        void *y = row_of_out(s->y, r, n, item);
        if (s->dtype == DT_FLOAT) {
            SIMD_CALL(softmax_row_f32)(x, y, n, s->log);
        } else if (s->dtype == DT_DOUBLE) {
            SIMD_CALL(softmax_row_f64)(x, y, n, s->log);
        } else {
            widen(s->dtype, x, wide, n);
            SIMD_CALL(softmax_row_f32)(wide, wide, n, s->log);
            shorten(s->dtype, wide, y, n);
        }
    }
}

void math_softmax(struct pool *pool, const struct math_softmax *s)
{
    if (s->classes <= 0)
        return;
    const double cost = row_cost(s->classes, s->dtype);
    pool_loop(pool, s->rows, pool_grain(s->rows, cost), cost, softmax_run, (void *)s);
}

static void softmax_grad_run(void *arg, int64_t begin, int64_t end)
{
    const struct math_softmax_grad *s = arg;
    const size_t item = dtype_size(s->dtype);
    const int64_t n = s->classes;
    float *wide =
        narrow(s->dtype) ? math_scratch(MATH_SCRATCH_ROWS, 2 * (size_t)n * sizeof(float)) : NULL;
    for (int64_t r = begin; r < end; r++) {
        const void *y = row_of(s->y, r, n, item), *dy = row_of(s->dy, r, n, item);
        void *dx = row_of_out(s->dx, r, n, item);
        if (s->dtype == DT_FLOAT) {
            SIMD_CALL(softmax_grad_row_f32)(y, dy, dx, n, s->log);
        } else if (s->dtype == DT_DOUBLE) {
            SIMD_CALL(softmax_grad_row_f64)(y, dy, dx, n, s->log);
        } else {
            widen(s->dtype, y, wide, n);
            widen(s->dtype, dy, wide + n, n);
            SIMD_CALL(softmax_grad_row_f32)(wide, wide + n, wide + n, n, s->log);
            shorten(s->dtype, wide + n, dx, n);
        }
    }
}

void math_softmax_grad(struct pool *pool, const struct math_softmax_grad *s)
{
    if (s->classes <= 0)
        return;
    const double cost = row_cost(s->classes, s->dtype);
    pool_loop(pool, s->rows, pool_grain(s->rows, cost), cost, softmax_grad_run, (void *)s);
}

/* A row of an operand that may be broadcast or narrow: itself, or laid out in `to`. */
static const void *xent_row(const void *base, int64_t offset, int64_t col,
                            const struct math_xent *s, void *to)
{
    const size_t item = dtype_size(s->dtype);
    const char *from = (const char *)base + offset * (int64_t)item;
    if (col == 1 && !narrow(s->dtype))
        return from;
    for (int64_t c = 0; c < s->classes; c++) {
        const char *at = from + c * col * (int64_t)item;
        if (narrow(s->dtype))
            widen(s->dtype, at, (float *)to + c, 1);
        else
            memcpy((char *)to + (size_t)c * item, at, item);
    }
    return to;
}

static void xent_run(void *arg, int64_t begin, int64_t end)
{
    const struct math_xent *s = arg;
    const size_t item = dtype_size(s->dtype);
    const int64_t n = s->classes;
    const bool lay_out = narrow(s->dtype) || s->logits_col != 1 || s->labels_col != 1;
    char *lent = lay_out ? math_scratch(MATH_SCRATCH_ROWS, 2 * (size_t)n * sizeof(double)) : NULL;
    for (int64_t r = begin; r < end; r++) {
        const void *x = xent_row(s->logits, r * s->logits_row, s->logits_col, s, lent);
        const void *labels = xent_row(s->labels, r * s->labels_row, s->labels_col, s,
                                      lay_out ? lent + (size_t)n * sizeof(double) : NULL);
        void *back = row_of_out(s->backprop, r, n, item);
        if (s->dtype == DT_DOUBLE) {
            ((double *)s->loss)[r] = SIMD_CALL(xent_row_f64)(x, labels, back, n);
        } else if (s->dtype == DT_FLOAT) {
            ((float *)s->loss)[r] = SIMD_CALL(xent_row_f32)(x, labels, back, n);
        } else {
            float *wide = (float *)(void *)lent; /* x is there already */
            const float loss = SIMD_CALL(xent_row_f32)(x, labels, wide, n);
            shorten(s->dtype, &loss, (char *)s->loss + r * (int64_t)item, 1);
            if (back)
                shorten(s->dtype, wide, back, n);
        }
    }
}

void math_xent(struct pool *pool, const struct math_xent *s)
{
    if (s->classes <= 0) {
        memset(s->loss, 0, (size_t)max_i64(s->rows, 0) * dtype_size(s->dtype));
        return;
    }
    const double cost = 2 * row_cost(s->classes, s->dtype);
    pool_loop(pool, s->rows, pool_grain(s->rows, cost), cost, xent_run, (void *)s);
}

struct sparse_job {
    const struct math_sparse_xent *s;
    int64_t first_bad; /* atomic minimum; rows when none */
};

static void note_bad(struct sparse_job *j, int64_t r)
{
    int64_t seen = __atomic_load_n(&j->first_bad, __ATOMIC_RELAXED);
    while (r < seen && !__atomic_compare_exchange_n(&j->first_bad, &seen, r, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
    }
}

/* A row whose label is no class. */
static void sparse_bad_row(const struct math_sparse_xent *s, int64_t r)
{
    const size_t item = dtype_size(s->dtype);
    const float nan32 = NAN;
    const double nan64 = (double)NAN;
    char nan[8];
    if (s->dtype == DT_FLOAT)
        memcpy(nan, &nan32, item);
    else if (s->dtype == DT_DOUBLE)
        memcpy(nan, &nan64, item);
    else
        shorten(s->dtype, &nan32, nan, 1);
    memcpy((char *)s->loss + r * (int64_t)item, nan, item);
    for (int64_t c = 0; c < s->classes && s->backprop; c++)
        memcpy((char *)s->backprop + (r * s->classes + c) * (int64_t)item, nan, item);
}

static void sparse_run(void *arg, int64_t begin, int64_t end)
{
    struct sparse_job *j = arg;
    const struct math_sparse_xent *s = j->s;
    const size_t item = dtype_size(s->dtype);
    const int64_t n = s->classes;
    float *wide = narrow(s->dtype)
                      ? math_scratch(MATH_SCRATCH_ROWS, (size_t)max_i64(n, 1) * sizeof(float))
                      : NULL;
    for (int64_t r = begin; r < end; r++) {
        const int64_t label = s->label_dtype == DT_INT32 ? ((const int32_t *)s->labels)[r]
                                                         : ((const int64_t *)s->labels)[r];
        const void *x = row_of(s->logits, r, n, item);
        void *back = row_of_out(s->backprop, r, n, item);
        if (label < 0 || label >= n) {
            note_bad(j, r);
            sparse_bad_row(s, r);
        } else if (s->dtype == DT_FLOAT) {
            ((float *)s->loss)[r] = SIMD_CALL(sparse_xent_row_f32)(x, label, back, n);
        } else if (s->dtype == DT_DOUBLE) {
            ((double *)s->loss)[r] = SIMD_CALL(sparse_xent_row_f64)(x, label, back, n);
        } else {
            widen(s->dtype, x, wide, n);
            const float loss = SIMD_CALL(sparse_xent_row_f32)(wide, label, wide, n);
            shorten(s->dtype, &loss, (char *)s->loss + r * (int64_t)item, 1);
            if (back)
                shorten(s->dtype, wide, back, n);
        }
    }
}

int64_t math_sparse_xent(struct pool *pool, const struct math_sparse_xent *s)
{
    struct sparse_job j = {.s = s, .first_bad = s->rows};
    const double cost = row_cost(s->classes, s->dtype);
    pool_loop(pool, s->rows, pool_grain(s->rows, cost), cost, sparse_run, &j);
    return j.first_bad < s->rows ? j.first_bad : -1;
}
