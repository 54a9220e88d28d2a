/* SPDX-License-Identifier: Apache-2.0 */
/* Our own matrix product for float and double: gemm_body.inc at this instruction level. */
#include "math/simd/gemm_simd.h"

#include "math/scratch.h"
#include "math/simd/lanes.h"
#include "math/simd/square.h"
#include "math/vec.h"

#define GEMM_KC 384              /* a block of k: one panel of B stays near the first cache level */
#define GEMM_A_BYTES (512 << 10) /* a packed block of A: half of a second level */
#define GEMM_B_BYTES (4 << 20)   /* a packed block of B: a share of the third level */
#define GEMM_B_NEAR_BYTES (256 << 10) /* B up to this size stays in the second level */
#define TILES_DIRECT 8 /* so many tiles read a far B where it lies, before a copy of it pays */
#define SMALL 64       /* no side longer: one block, read where it lies */
#define LINE 64
#define GEMV_CHUNK 2048
#define GEMV_ROWS 8

/* Dot products: up to DOT_M_MAX rows with the rows of a transposed B, where packing it would cost
 * more than the product. */
#define DOT_M_MAX 8
#define DOT_M_LONG 24 /* of rows as long as DOT_K_LONG vectors */
#define DOT_K_LONG 32
#define DOT_BLOCK 24 /* rows of B: whole tiles of any shape */
#define DOT_PACK_ITEMS (32 << 10)
#define DOT_ROWS 4
#define DOT_WIDE 8
/* clang-format off */
#if defined(__AVX512F__)
#define DOT_TABLE(X) X(1, 8) X(2, 8) X(3, 6) X(4, 4) X(1, 1) X(2, 1) X(3, 1) X(4, 1)
#define DOT_TILES { \
    {0}, \
    {NAME(dots_1x8), NAME(dots_1x1), 8}, \
    {NAME(dots_2x8), NAME(dots_2x1), 8}, \
    {NAME(dots_3x6), NAME(dots_3x1), 6}, \
    {NAME(dots_4x4), NAME(dots_4x1), 4}}
#else
#define DOT_TABLE(X) X(1, 8) X(2, 4) X(3, 3) X(4, 2) X(1, 1) X(2, 1) X(3, 1) X(4, 1)
#define DOT_TILES { \
    {0}, \
    {NAME(dots_1x8), NAME(dots_1x1), 8}, \
    {NAME(dots_2x4), NAME(dots_2x1), 4}, \
    {NAME(dots_3x3), NAME(dots_3x1), 3}, \
    {NAME(dots_4x2), NAME(dots_4x1), 2}}
#endif
/* clang-format on */

/* Tiles: TILE_ROWS x TILE_NV vectors, or, of TILE_FEW rows at most, TILE_WIDE vectors, or, of one
 * vector, TILE_TALL rows, or TILE_ROWS_OF_3 of three. They leave registers for a row of B and one
 * element of A. */
/* clang-format off */
#if defined(__AVX512F__)
#define TILE_ROWS 14
#define TILE_TALL 16
#define TILE_NV 2
#define TILE_FEW 4
#define TILE_WIDE 4
#define TILE_ROWS_OF_3 8
#define TILE_ROWS_OF_4 6
#define LOAD_LAST(p, n) V_(load_n)(p, n)
#define LOADS_LAST(n) true
#define TILE_TABLE(X) \
    X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(2, 1) X(2, 2) X(2, 3) X(2, 4) \
    X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(4, 1) X(4, 2) X(4, 3) X(4, 4) \
    X(5, 1) X(5, 2) X(6, 1) X(6, 2) X(7, 1) X(7, 2) X(8, 1) X(8, 2) X(9, 1) X(9, 2) \
    X(5, 3) X(6, 3) X(7, 3) X(8, 3) X(10, 1) X(10, 2) X(11, 1) X(11, 2) X(12, 1) X(12, 2) X(13, 1) X(13, 2) X(14, 1) X(14, 2) \
    X(15, 1) X(16, 1) X(5, 4) X(6, 4)
#define TILE_FAR_TABLE(X) \
    X(1, 4) X(2, 4) X(3, 4) X(4, 4) X(5, 2) X(6, 2) X(7, 2) X(8, 2) X(9, 2) X(10, 2) X(11, 2) \
    X(12, 2) X(13, 2) X(14, 2)
#define STREAM_ROW_TABLE(X) X(6, 4) X(8, 3) X(14, 2) X(16, 1)
#define STREAM_COL_TABLE(X) \
    X(4, 4) X(5, 4) X(6, 4) X(5, 3) X(6, 3) X(7, 3) X(8, 3) X(8, 2) X(9, 2) X(10, 2) X(11, 2) \
    X(12, 2) X(13, 2) X(14, 2) X(8, 1) X(9, 1) X(10, 1) X(11, 1) X(12, 1) X(13, 1) X(14, 1) \
    X(15, 1) X(16, 1)
#else
#define TILE_ROWS 6
#define TILE_TALL 6
#define TILE_NV 2
#define TILE_FEW 4
#define TILE_WIDE 3
#define TILE_ROWS_OF_3 4
#define LOADS_LAST(n) ((n) == LANES)
#define LOAD_LAST(p, n) V_(load)(p) /* B is packed, so padded, where n is not a whole vector */
#define TILE_TABLE(X) \
    X(1, 1) X(1, 2) X(1, 3) X(2, 1) X(2, 2) X(2, 3) X(3, 1) X(3, 2) X(3, 3) \
    X(4, 1) X(4, 2) X(4, 3) X(5, 1) X(5, 2) X(6, 1) X(6, 2)
#define TILE_FAR_TABLE(X) X(1, 3) X(2, 3) X(3, 3) X(4, 3) X(4, 2) X(5, 2) X(6, 2)
#define STREAM_ROW_TABLE(X) X(4, 3) X(6, 2) X(6, 1)
#define STREAM_COL_TABLE(X) X(3, 3) X(4, 3) X(4, 2) X(5, 2) X(6, 2) X(4, 1) X(5, 1) X(6, 1)
#endif
/* clang-format on */

/* What a tile asks for while it computes. */
enum tile_fetch { NEAR, FAR, STREAM };

/* Products that pass through the caches once: gemm_tall_body.inc, gemm_long_body.inc. */
#define TALL_BYTES (1 << 20)         /* of A and C at least: all of a second level */
#define TALL_BLOCK_BYTES (128 << 10) /* of A and C at a time */
#define TALL_ROWS 256
#define LONG_KC 96 /* of both operands: four vectors of it stay in the first level */

/* Products with a few columns: gemm_thin_body.inc. */
#define THIN_ROWS 2
#define THIN_VECTORS 2
#define THIN_COLS 12
#define THIN_M_MIN 32
#define THIN_K_MAX 8192 /* what is packed stays in the second level */
/* clang-format off */
#define THIN_TO_3(X) X(2) X(3)
#define THIN_TO_6(X) THIN_TO_3(X) X(4) X(5) X(6)
#define THIN_TO_12(X) THIN_TO_6(X) X(7) X(8) X(9) X(10) X(11) X(12)
#if LANES_BYTES == 64
#define THIN_F32 THIN_TO_12
#define THIN_F64 THIN_TO_6
#elif LANES_BYTES == 32
#define THIN_F32 THIN_TO_6
#define THIN_F64 THIN_TO_3
#else
#define THIN_F32 THIN_TO_3
#define THIN_F64(X) X(2)
#endif
/* clang-format on */

/* First element of part i when n is cut into num parts whose sizes differ by at most one. */
static inline int64_t share(int64_t n, int64_t num, int64_t i)
{
    return n / num * i + min_i64(i, n % num);
}

/* Equal blocks of n: the fewest of at most `most`, each a multiple of `multiple`. */
static inline int64_t even(int64_t n, int64_t most, int64_t multiple)
{
    const int64_t parts = (n + most - 1) / most, size = (n + parts - 1) / parts;
    return (size + multiple - 1) / multiple * multiple;
}

#define T float
#define V vf
#define LANES VF_LANES
#define NAME(x) x##_f32
#define V_(x) vf_##x
#define THIN_TABLE THIN_F32
#include "math/simd/gemm_body.inc"
#include "math/simd/gemm_long_body.inc"
#undef T
#undef V
#undef LANES
#undef NAME
#undef V_
#undef THIN_TABLE

#define T double
#define V vd
#define LANES VD_LANES
#define NAME(x) x##_f64
#define V_(x) vd_##x
#define THIN_TABLE THIN_F64
#include "math/simd/gemm_body.inc"
