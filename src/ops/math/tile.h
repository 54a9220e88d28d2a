/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that make tile functions out of the expressions of ewise_table.h, and the small tables
 * in which each file offers what it has made. The result may lie exactly in an operand's memory:
 * element j depends on elements j alone, which the loops promise the compiler. */
#ifndef LEAT_OPS_MATH_TILE_H
#define LEAT_OPS_MATH_TILE_H

#include "op/kernel.h"

#if defined(__clang__)
#define TILE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILE_LOOP _Pragma("GCC ivdep")
#endif

/* T, and U: its unsigned form of at least 32 bits. */
/* clang-format off */
#define TILE_TYPES(type)                                                                           \
    typedef type T UNUSED;                                                                         \
    typedef __typeof__(_Generic((type *)0,                                                         \
        int64_t *: (uint64_t)0, uint64_t *: (uint64_t)0, default: (uint32_t)0)) U UNUSED;
/* clang-format on */

#define TILE_UNARY(name, type, result, expr)                                                       \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        TILE_TYPES(type)                                                                           \
        result *z = out;                                                                           \
        const type *a = in[0];                                                                     \
        if (scalars & 1) {                                                                         \
            const type x = a[0];                                                                   \
            const result v = (result)(expr);                                                       \
            for (int64_t i = 0; i < n; i++)                                                        \
                z[i] = v;                                                                          \
            return;                                                                                \
        }                                                                                          \
        TILE_LOOP                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type x = a[i];                                                                   \
            z[i] = (result)(expr);                                                                 \
        }                                                                                          \
    }

#define TILE_BINARY(name, type, result, expr)                                                      \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        TILE_TYPES(type)                                                                           \
        result *z = out;                                                                           \
        const type *a = in[0], *b = in[1];                                                         \
        if (scalars & 1) {                                                                         \
            const type x = a[0];                                                                   \
            const int64_t step = scalars & 2 ? 0 : 1;                                              \
            if (step == 0) {                                                                       \
                const type y = b[0];                                                               \
                const result v = (result)(expr);                                                   \
                for (int64_t i = 0; i < n; i++)                                                    \
                    z[i] = v;                                                                      \
                return;                                                                            \
            }                                                                                      \
            TILE_LOOP                                                                              \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const type y = b[i];                                                               \
                z[i] = (result)(expr);                                                             \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        if (scalars & 2) {                                                                         \
            const type y = b[0];                                                                   \
            TILE_LOOP                                                                              \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const type x = a[i];                                                               \
                z[i] = (result)(expr);                                                             \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        TILE_LOOP                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type x = a[i], y = b[i];                                                         \
            z[i] = (result)(expr);                                                                 \
        }                                                                                          \
    }

/* For expressions that are slow anyway: one loop. */
#define TILE_BINARY_SLOW(name, type, result, expr)                                                 \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        TILE_TYPES(type)                                                                           \
        result *z = out;                                                                           \
        const type *a = in[0], *b = in[1];                                                         \
        const int64_t da = scalars & 1 ? 0 : 1, db = scalars & 2 ? 0 : 1;                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type x = a[i * da], y = b[i * db];                                               \
            z[i] = (result)(expr);                                                                 \
        }                                                                                          \
    }

/* C's functions for T. */
#define TILE_FN(fn, x) _Generic((x), float : fn##f, default : fn)(x)
#define RINT(x) TILE_FN(rint, x)
#define FABS(x) TILE_FN(fabs, x)
/* By way of RINT, which compilers vectorise while floor may not raise `inexact`. x is simple. */
#define FLOOR(x) (RINT(x) - (T)(RINT(x) > (x)))
#define CEIL(x) (RINT(x) < (x) ? RINT(x) + 1 : RINT(x))

struct tile_row {
    int16_t id, dtype;
    ewise_fn fn;
};

static inline ewise_fn tile_find(const struct tile_row *rows, size_t n, int id, int dtype)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].id == id && rows[i].dtype == dtype)
            return rows[i].fn;
    }
    return NULL;
}

/* What the files compiled once offer: the function, or NULL. See simd_tiles.h for the others. */
ewise_fn tile_find_int(int id, int dtype);     /* tile_int.c */
ewise_fn tile_find_complex(int id, int dtype); /* tile_complex.c */
ewise_fn tile_find_steps(int id, int dtype);   /* tile_steps.c */
ewise_fn tile_cast_find(int from, int to);     /* tile_cast.c: bool, integers, float, double */

#endif
