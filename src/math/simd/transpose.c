/* SPDX-License-Identifier: Apache-2.0 */
/* Plane transposition in tiles: squares in registers for items of 4 and 8 bytes, plain loops over
 * small tiles for the others. */
#include "math/simd/transpose_simd.h"

#include "math/simd/lanes.h"
#include "math/simd/square.h"

#define TILE 32 /* elements each way: both sides of a tile stay in the first cache level */

struct item16 {
    uint64_t half[2];
};

#define PLAIN(T, name)                                                                             \
    static void plain_##name(const struct plane *p, int64_t r0, int64_t c0, int64_t rows,          \
                             int64_t cols)                                                         \
    {                                                                                              \
        for (int64_t c = c0; c < c0 + cols; c++)                                                   \
            for (int64_t r = r0; r < r0 + rows; r++)                                               \
                ((T *)(void *)(p->y + c * p->y_row))[r] =                                          \
                    ((const T *)(const void *)(p->x + r * p->x_row))[c];                           \
    }
PLAIN(uint8_t, 1)
PLAIN(uint16_t, 2)
PLAIN(uint32_t, 4)
PLAIN(uint64_t, 8)
PLAIN(struct item16, 16)
#undef PLAIN

#define SQUARE(T, V, L, name, prefix)                                                              \
    static void square_##name(const struct plane *p, int64_t r0, int64_t c0)                       \
    {                                                                                              \
        V v[L];                                                                                    \
        const char *x = p->x + r0 * p->x_row + c0 * (int64_t)sizeof(T);                            \
        char *y = p->y + c0 * p->y_row + r0 * (int64_t)sizeof(T);                                  \
        for (int i = 0; i < L; i++, x += p->x_row)                                                 \
            v[i] = prefix##_load((const T *)(const void *)x);                                      \
        prefix##_transpose(v);                                                                     \
        for (int i = 0; i < L; i++, y += p->y_row)                                                 \
            prefix##_store((T *)(void *)y, v[i]);                                                  \
    }
SQUARE(float, vf, VF_LANES, 4, vf)
SQUARE(double, vd, VD_LANES, 8, vd)
#undef SQUARE

typedef void (*plain_fn)(const struct plane *p, int64_t r0, int64_t c0, int64_t rows, int64_t cols);
typedef void (*square_fn)(const struct plane *p, int64_t r0, int64_t c0);

static void tiles(const struct plane *p, plain_fn plain, square_fn square, int64_t lanes)
{
    for (int64_t c = 0; c < p->cols; c += TILE) {
        const int64_t cols = min_i64(TILE, p->cols - c);
        for (int64_t r = 0; r < p->rows; r += TILE) {
            const int64_t rows = min_i64(TILE, p->rows - r);
            const int64_t full_c = square ? cols / lanes * lanes : 0;
            const int64_t full_r = square ? rows / lanes * lanes : 0;
            for (int64_t j = 0; j < full_c; j += lanes)
                for (int64_t i = 0; i < full_r; i += lanes)
                    square(p, r + i, c + j);
            if (full_r < rows)
                plain(p, r + full_r, c, rows - full_r, cols);
            if (full_c < cols && full_r > 0)
                plain(p, r, c + full_c, full_r, cols - full_c);
        }
    }
}

void LEAT_FN(transpose_plane)(size_t item, const struct plane *p)
{
    switch (item) {
    case 1:
        tiles(p, plain_1, NULL, 1);
        break;
    case 2:
        tiles(p, plain_2, NULL, 1);
        break;
    case 4:
        tiles(p, plain_4, square_4, VF_LANES);
        break;
    case 8:
        tiles(p, plain_8, square_8, VD_LANES);
        break;
    case 16:
        tiles(p, plain_16, NULL, 1);
        break;
    default:
        ASSERT(!"an item size of 1, 2, 4, 8 or 16");
    }
}
