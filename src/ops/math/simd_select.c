/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions of Select by element size: operands are the condition, then and else. Compiled
 * once per instruction level. */
#include <string.h>

#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

#define SELECT_LOOP(type, t_value, e_value)                                                        \
    TILE_LOOP                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const type t = t_value, e = e_value;                                                       \
        z[i] = cond[i] ? t : e;                                                                    \
    }

#define SELECT(name, type)                                                                         \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        const uint8_t *cond = in[0];                                                               \
        const type *a = in[1], *b = in[2];                                                         \
        type *z = out;                                                                             \
        if (scalars & 1) {                                                                         \
            const type *from = cond[0] ? a : b;                                                    \
            if (!(scalars >> (cond[0] ? 1 : 2) & 1)) {                                             \
                if (from != z)                                                                     \
                    memcpy(z, from, (size_t)n * sizeof(type));                                     \
                return;                                                                            \
            }                                                                                      \
            const type v = from[0];                                                                \
            for (int64_t i = 0; i < n; i++)                                                        \
                z[i] = v;                                                                          \
            return;                                                                                \
        }                                                                                          \
        const type t0 = a[0], e0 = b[0];                                                           \
        switch (scalars >> 1) {                                                                    \
        case 0:                                                                                    \
            SELECT_LOOP(type, a[i], b[i])                                                          \
            return;                                                                                \
        case 1:                                                                                    \
            SELECT_LOOP(type, t0, b[i])                                                            \
            return;                                                                                \
        case 2:                                                                                    \
            SELECT_LOOP(type, a[i], e0)                                                            \
            return;                                                                                \
        default:                                                                                   \
            SELECT_LOOP(type, t0, e0)                                                              \
        }                                                                                          \
    }
SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)
SELECT(select_16, struct c128)

ewise_fn LEAT_FN(tile_select)(size_t bytes)
{
    switch (bytes) {
    case 1:
        return select_1;
    case 2:
        return select_2;
    case 4:
        return select_4;
    case 8:
        return select_8;
    default:
        return select_16;
    }
}
