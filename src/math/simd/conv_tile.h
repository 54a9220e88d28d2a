/* SPDX-License-Identifier: Apache-2.0 */
/* Products of small matrices that lie in the nearest caches: tiles of a few rows and vectors of
 * columns stay in registers over the whole sum, and nothing is packed. Forward, a tile's rows are
 * outputs; for a gradient by the filter they are neighbours in memory, and what is there already is
 * added to. Included by the files of this folder that convolve. */
#ifndef LEAT_MATH_SIMD_CONV_TILE_H
#define LEAT_MATH_SIMD_CONV_TILE_H

#include "math/simd/lanes.h"

/* Rows of a tile at most, with one vector and with two. */
/* clang-format off */
#if defined(__AVX512F__)
#define ROWS_1 16
#define ROWS_2 14
#define TILES(X) \
    X(1, 1) X(2, 1) X(3, 1) X(4, 1) X(5, 1) X(6, 1) X(7, 1) X(8, 1) X(9, 1) X(10, 1) X(11, 1) \
    X(12, 1) X(13, 1) X(14, 1) X(15, 1) X(16, 1) X(1, 2) X(2, 2) X(3, 2) X(4, 2) X(5, 2) X(6, 2) \
    X(7, 2) X(8, 2) X(9, 2) X(10, 2) X(11, 2) X(12, 2) X(13, 2) X(14, 2) \
    X(1, 4) X(2, 4) X(3, 4) X(4, 4) X(5, 4) X(6, 4)
#define ROWS_4 6
#else
#define ROWS_1 8
#define ROWS_2 6
#define TILES(X) \
    X(1, 1) X(2, 1) X(3, 1) X(4, 1) X(5, 1) X(6, 1) X(7, 1) X(8, 1) \
    X(1, 2) X(2, 2) X(3, 2) X(4, 2) X(5, 2) X(6, 2)
#define ROWS_4 0 /* too few registers */
#endif
/* clang-format on */

#define WIDE 4

/* A product summed over `outer` runs of `inner` steps. Of operand a the tile's rows are a_row
 * apart. */
struct tile {
    int64_t outer, inner;
    const float *a;
    int64_t a_outer, a_inner, a_row;
    const float *b;
    int64_t b_outer, b_inner;
    float *c;
    int64_t ldc;
    int64_t tail;      /* lanes of the last vector */
    const float *bias; /* forward, or NULL */
    bool relu;
};

/* consecutive: the tile's rows of a are neighbours (a_row is 1) and c is added to. */
LANES_INLINE void tile_run(const struct tile *t, const int mr, const int nv, const bool consecutive)
{
    vf acc[ROWS_1][WIDE];
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++)
            acc[i][j] = vf_splat(0);
    const int heads = consecutive ? 1 : (mr + 2) / 3; /* pointers to every third row */
    for (int64_t o = 0; o < t->outer; o++) {
        const float *a[(ROWS_1 + 2) / 3], *b = t->b + o * t->b_outer;
#pragma GCC unroll 8
        for (int i = 0; i < heads; i++)
            a[i] = t->a + o * t->a_outer + 3 * i * t->a_row;
        for (int64_t p = t->inner; p > 0; p--, b += t->b_inner) {
            vf bv[WIDE];
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++)
                bv[j] =
                    j + 1 < nv ? vf_load(b + j * VF_LANES) : vf_load_n(b + j * VF_LANES, t->tail);
#pragma GCC unroll 16
            for (int i = 0; i < mr; i++) {
                const vf av = vf_splat(consecutive ? a[0][i] : a[i / 3][(i % 3) * t->a_row]);
#pragma GCC unroll 4
                for (int j = 0; j < nv; j++)
                    acc[i][j] = vf_fma(av, bv[j], acc[i][j]);
            }
#pragma GCC unroll 8
            for (int i = 0; i < heads; i++)
                a[i] += consecutive ? t->a_inner : 1;
        }
    }
    float *c = t->c;
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++, c += t->ldc) {
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++) {
            const int64_t n = j + 1 < nv ? VF_LANES : t->tail, at = j * VF_LANES;
            vf v = acc[i][j];
            if (consecutive)
                v += vf_load_n(c + at, n);
            if (!consecutive && t->bias)
                v += vf_load_n(t->bias + at, n);
            if (!consecutive && t->relu)
                v = vf_select(v < vf_splat(0), vf_splat(0), v);
            vf_store_n(c + at, v, n);
        }
    }
}

#define X(mr, nv)                                                                                  \
    static void outputs_##mr##x##nv(const struct tile *t)                                          \
    {                                                                                              \
        tile_run(t, mr, nv, false);                                                                \
    }                                                                                              \
    static void elements_##mr##x##nv(const struct tile *t)                                         \
    {                                                                                              \
        tile_run(t, mr, nv, true);                                                                 \
    }
TILES(X)
#undef X

typedef void (*tile_fn)(const struct tile *t);

/* [filter gradient][vectors][rows] */
static const tile_fn tiles[2][WIDE + 1][ROWS_1 + 1] = {
#define X(mr, nv) [0][nv][mr] = outputs_##mr##x##nv, [1][nv][mr] = elements_##mr##x##nv,
    TILES(X)
#undef X
};

/* First of part i when n is cut into num parts whose sizes differ by at most one. */
static inline int64_t share(int64_t n, int64_t num, int64_t i)
{
    return n / num * i + min_i64(i, n % num);
}

/* A block of output channels: one, two or four vectors. */
struct columns {
    int64_t first, nv, tail;
};

static inline int64_t rows_most(int64_t nv)
{
    return nv == 1 ? ROWS_1 : nv == 2 ? ROWS_2 : ROWS_4;
}

static inline struct columns columns_at(int64_t first, int64_t all)
{
    const int64_t left = all - first;
    const int64_t nv = ROWS_4 && left > 3 * VF_LANES ? 4 : left > VF_LANES ? 2 : 1;
    return (struct columns){first, nv, min_i64(left - (nv - 1) * VF_LANES, VF_LANES)};
}

#endif
