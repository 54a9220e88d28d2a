/* SPDX-License-Identifier: Apache-2.0 */
/* Cumulative sums and products, and the index of the greatest or smallest element: serial along the
 * axis, shared out over the other elements. half and bfloat16 accumulate in float. */
#include "math/reduce.h"

#include <math.h>

#include "tensor/dtype.h"

#ifndef __clang__
#pragma GCC optimize("O3")
#endif

#define SCAN_COST_NS 1.0

/* Element r of the axis in the order of the scan. */
static inline int64_t scan_at(const struct math_scan *s, int64_t r)
{
    return s->reverse ? s->num - 1 - r : r;
}

/* One body: element type S, sum type A, LOAD, SAVE, ADD and MUL on A. */
#define SCAN(name, S, A, LOAD, SAVE, ADD, MUL, ZERO, ONE)                                          \
    static void scan_##name(const struct math_scan *s, int64_t o, int64_t c)                       \
    {                                                                                              \
        const S *x = (const S *)s->x + o * s->num * s->inner + c;                                  \
        S *y = (S *)s->y + o * s->num * s->inner + c;                                              \
        A acc = s->prod ? ONE : ZERO;                                                              \
        for (int64_t r = 0; r < s->num; r++) {                                                     \
            const int64_t i = scan_at(s, r) * s->inner;                                            \
            const A v = LOAD(x[i]), next = s->prod ? MUL(acc, v) : ADD(acc, v);                    \
            y[i] = SAVE(s->exclusive ? acc : next);                                                \
            acc = next;                                                                            \
        }                                                                                          \
    }
#define SAME(v) (v)
#define ADD1(a, b) ((a) + (b))
#define MUL1(a, b) ((a) * (b))
#define CADD(a, b)                                                                                 \
    {                                                                                              \
        (a).re + (b).re, (a).im + (b).im                                                           \
    }
#define CMUL(a, b)                                                                                 \
    {                                                                                              \
        (a).re *(b).re - (a).im *(b).im, (a).re *(b).im + (a).im *(b).re                           \
    }
SCAN(f32, float, float, SAME, SAME, ADD1, MUL1, 0, 1)
SCAN(f64, double, double, SAME, SAME, ADD1, MUL1, 0, 1)
SCAN(f16, struct f16, float, f16_to_f32, f16_from_f32, ADD1, MUL1, 0, 1)
SCAN(bf16, struct bf16, float, bf16_to_f32, bf16_from_f32, ADD1, MUL1, 0, 1)
/* Unsigned arithmetic wraps; the low bits are the same for signed types. */
SCAN(i8, uint8_t, uint32_t, SAME, (uint8_t), ADD1, MUL1, 0, 1)
SCAN(i16, uint16_t, uint32_t, SAME, (uint16_t), ADD1, MUL1, 0, 1)
SCAN(i32, uint32_t, uint32_t, SAME, SAME, ADD1, MUL1, 0, 1)
SCAN(i64, uint64_t, uint64_t, SAME, SAME, ADD1, MUL1, 0, 1)
#undef SCAN

#define SCAN_COMPLEX(name, S)                                                                      \
    static void scan_##name(const struct math_scan *s, int64_t o, int64_t c)                       \
    {                                                                                              \
        const S *x = (const S *)s->x + o * s->num * s->inner + c;                                  \
        S *y = (S *)s->y + o * s->num * s->inner + c;                                              \
        S acc = {s->prod ? 1 : 0, 0};                                                              \
        for (int64_t r = 0; r < s->num; r++) {                                                     \
            const int64_t i = scan_at(s, r) * s->inner;                                            \
            const S v = x[i], add = CADD(acc, v), mul = CMUL(acc, v);                              \
            const S next = s->prod ? mul : add;                                                    \
            y[i] = s->exclusive ? acc : next;                                                      \
            acc = next;                                                                            \
        }                                                                                          \
    }
SCAN_COMPLEX(c64, struct c64)
SCAN_COMPLEX(c128, struct c128)
#undef SCAN_COMPLEX
#undef SAME
#undef ADD1
#undef MUL1
#undef CADD
#undef CMUL

typedef void (*scan_fn)(const struct math_scan *s, int64_t o, int64_t c);

static scan_fn scan_find(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return scan_f32;
    case DT_DOUBLE:
        return scan_f64;
    case DT_HALF:
        return scan_f16;
    case DT_BFLOAT16:
        return scan_bf16;
    case DT_INT8:
    case DT_UINT8:
        return scan_i8;
    case DT_INT16:
    case DT_UINT16:
        return scan_i16;
    case DT_INT32:
    case DT_UINT32:
        return scan_i32;
    case DT_INT64:
    case DT_UINT64:
        return scan_i64;
    case DT_COMPLEX64:
        return scan_c64;
    case DT_COMPLEX128:
        return scan_c128;
    default:
        return NULL;
    }
}

static void scan_run(void *arg, int64_t begin, int64_t end)
{
    const struct math_scan *s = arg;
    const scan_fn fn = scan_find(s->dtype);
    for (int64_t i = begin; i < end; i++)
        fn(s, i / s->inner, i % s->inner);
}

void math_scan(struct pool *pool, const struct math_scan *s)
{
    const double cost = SCAN_COST_NS * (double)s->num + 5;
    const int64_t n = s->num > 0 ? s->outer * s->inner : 0;
    ASSERT(scan_find(s->dtype));
    pool_loop(pool, n, pool_grain(n, cost), cost, scan_run, (void *)s);
}

/* The first element that is greater (less) than all before it; NaN never is. Where none is (all
 * NaN), the first element of all. */
#define ARG(name, S, A, LOAD)                                                                      \
    static int64_t arg_##name(const struct math_arg_reduce *a, int64_t o, int64_t c)               \
    {                                                                                              \
        const S *x = (const S *)a->x + o * a->num * a->inner + c;                                  \
        int64_t best = -1;                                                                         \
        A top = LOAD(*x);                                                                          \
        for (int64_t r = 0; r < a->num; r++) {                                                     \
            const A v = LOAD(x[r * a->inner]);                                                     \
            if (best < 0 ? v == v : (a->min ? v < top : v > top))                                  \
                top = v, best = r;                                                                 \
        }                                                                                          \
        return best < 0 ? 0 : best;                                                                \
    }
#define SAME(v) (v)
ARG(f32, float, float, SAME)
ARG(f64, double, double, SAME)
ARG(f16, struct f16, float, f16_to_f32)
ARG(bf16, struct bf16, float, bf16_to_f32)
ARG(i8, int8_t, int8_t, SAME)
ARG(u8, uint8_t, uint8_t, SAME)
ARG(i16, int16_t, int16_t, SAME)
ARG(u16, uint16_t, uint16_t, SAME)
ARG(i32, int32_t, int32_t, SAME)
ARG(u32, uint32_t, uint32_t, SAME)
ARG(i64, int64_t, int64_t, SAME)
ARG(u64, uint64_t, uint64_t, SAME)
#undef ARG
#undef SAME

typedef int64_t (*arg_fn)(const struct math_arg_reduce *a, int64_t o, int64_t c);

static arg_fn arg_find(int dtype)
{
    static const struct {
        int dtype;
        arg_fn fn;
    } table[] = {
        {DT_FLOAT, arg_f32}, {DT_DOUBLE, arg_f64}, {DT_HALF, arg_f16},  {DT_BFLOAT16, arg_bf16},
        {DT_INT8, arg_i8},   {DT_UINT8, arg_u8},   {DT_INT16, arg_i16}, {DT_UINT16, arg_u16},
        {DT_INT32, arg_i32}, {DT_UINT32, arg_u32}, {DT_INT64, arg_i64}, {DT_UINT64, arg_u64},
        {DT_BOOL, arg_u8},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].dtype == dtype)
            return table[i].fn;
    return NULL;
}

static void arg_run(void *arg, int64_t begin, int64_t end)
{
    const struct math_arg_reduce *a = arg;
    const arg_fn fn = arg_find(a->dtype);
    for (int64_t i = begin; i < end; i++) {
        const int64_t best = fn(a, i / a->inner, i % a->inner);
        if (a->out_dtype == DT_INT32)
            ((int32_t *)a->y)[i] = (int32_t)best;
        else
            ((int64_t *)a->y)[i] = best;
    }
}

void math_arg_reduce(struct pool *pool, const struct math_arg_reduce *a)
{
    const double cost = SCAN_COST_NS * (double)a->num + 5;
    const int64_t n = a->outer * a->inner;
    ASSERT(arg_find(a->dtype));
    pool_loop(pool, n, pool_grain(n, cost), cost, arg_run, (void *)a);
}
