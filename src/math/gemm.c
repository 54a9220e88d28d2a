/* SPDX-License-Identifier: Apache-2.0 */
/* Who serves a matrix product, and how it is shared out.
 *
 * Measured on Zen 5 (see README.md): our kernels lead below about 110^3, for double always, for a
 * tall A times a small B, and whenever both operands are transposed; oneDNN's sgemm leads by a few
 * per cent for other large float products on AVX-512. OpenBLAS leads nowhere. A piece of a product
 * is computed by one thread, a library's team being one. */
#include "math/gemm.h"

#include <dlfcn.h>
#include <pthread.h>

#include "math/libs.h"
#include "math/simd/gemm_generic.h"
#include "math/simd/gemm_simd.h"
#include "tensor/dtype.h"

/* Multiply-adds of a piece at least, about 35 us: half of what a worker is woken for. */
#define PIECE_WORK 4e6
#define PIECES_MAX 16
#define PIECE_MIN 64 /* rows or columns */
#define COLS_MIN 16
#define ROWS_MIN 32    /* fewer rows may be summed in another order */
#define SMALL 64       /* no side longer: neither a library's nor to be shared out */
#define SMALL_NS 1.5e4 /* nor what takes no longer than this */
#define TALL_ROWS 4096
#define TALL_B_ITEMS (64 << 10) /* a share of a second level */
#define K_ONE_BLOCK 256         /* of k, in our kernels and in the library's */

/* dnnl_sgemm of oneDNN's C API: row-major, dnnl_status_t result. */
typedef int (*dnnl_sgemm_fn)(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                             float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                             float beta, float *c, int64_t ldc);

static dnnl_sgemm_fn dnnl_sgemm_found;
static pthread_once_t dnnl_sgemm_once = PTHREAD_ONCE_INIT;

static void dnnl_sgemm_open(void)
{
    void *lib = math_lib_dnnl();
    if (lib)
        *(void **)&dnnl_sgemm_found = dlsym(lib, "dnnl_sgemm");
}

/* Many rows that pass through the caches once, times what stays in them (in pieces, too). */
static bool gemm_is_tall(const struct math_gemm *g)
{
    return !g->trans_a && g->m >= TALL_ROWS && g->m / GEMM_TALL >= g->n &&
           g->n * g->k <= TALL_B_ITEMS;
}

/* The rule of the choice: shape and instruction set. */
static bool gemm_prefers_dnnl(const struct math_gemm *g)
{
    const double work = (double)g->m * (double)g->n * (double)g->k;
    return cpu_level() == CPU_AVX512 && g->m >= 96 && g->n >= 96 && g->k >= 96 && work >= 1.5e6 &&
           !(g->trans_a && g->trans_b) && !gemm_is_tall(g);
}

static bool gemm_uses_dnnl(const struct math_gemm *g)
{
    if (!gemm_prefers_dnnl(g))
        return false;
    pthread_once(&dnnl_sgemm_once, dnnl_sgemm_open);
    return dnnl_sgemm_found != NULL;
}

static bool gemm_by_dnnl(const struct math_gemm *g)
{
    const int saved = math_team_enter();
    const int err =
        dnnl_sgemm_found(g->trans_a ? 'T' : 'N', g->trans_b ? 'T' : 'N', g->m, g->n, g->k, 1.0f,
                         g->a, g->lda, g->b, g->ldb, g->beta ? 1.0f : 0.0f, g->c, g->ldc);
    math_team_leave(saved);
    if (err == 0)
        SIMD_CALL(gemm_epilogue_f32)(g);
    return err == 0;
}

/* One product, or one piece of it, on this thread. */
static void gemm_piece(int dtype, const struct math_gemm *g, bool by_dnnl)
{
    if (g->m <= 0 || g->n <= 0)
        return;
    if (dtype == DT_FLOAT) {
        if (!by_dnnl || !gemm_by_dnnl(g))
            SIMD_CALL(gemm_own_f32)(g);
    } else if (dtype == DT_DOUBLE) {
        SIMD_CALL(gemm_own_f64)(g);
    } else {
        SIMD_CALL(gemm_generic)(dtype, g);
    }
}

/* ns for one multiply-add of a type, on a fast core. */
static double gemm_cost_ns(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return 0.01;
    case DT_DOUBLE:
        return 0.02;
    case DT_COMPLEX128:
        return 0.4;
    default:
        return 0.2;
    }
}

struct pieces {
    int dtype;
    const struct math_gemm *g;
    bool by_dnnl;
    int64_t num_m, num_n; /* pieces */
    int64_t rows, cols;   /* of a piece */
    size_t item;
};

/* How many pieces a product may be cut into. A library's bits may depend on the piece: shape alone
 * decides, and sparingly, since each piece packs its operands again: eight pieces of 2048^3 cost a
 * single thread six per cent. Our own sums do not depend on the split, so it follows the threads
 * there are. */
static int64_t pieces_wanted(const struct pool *pool, const struct math_gemm *g, double work,
                             bool by_dnnl)
{
    if (by_dnnl) /* turning B costs most */
        return work < (g->trans_b ? 4 : 2) * PIECE_WORK ? 1
               : work < 256 * PIECE_WORK                ? 2
               : work < 4096 * PIECE_WORK               ? 4
                                                        : 8;
    const int64_t threads = pool ? pool_num_threads(pool) : 1;
    const double most = work / PIECE_WORK;
    if (threads == 1 || most < 2)
        return 1;
    return min_i64(PIECES_MAX, min_i64(2 * threads, most < 64 ? (int64_t)most : 64));
}

/* Parts of n when it is cut into num: multiples of what the code takes at once. */
static int64_t piece_size(int64_t n, int64_t num, int64_t multiple)
{
    return ((n + num - 1) / num + multiple - 1) / multiple * multiple;
}

static struct pieces pieces_of(const struct pool *pool, int dtype, const struct math_gemm *g,
                               bool by_dnnl)
{
    struct pieces p = {.dtype = dtype, .g = g, .by_dnnl = by_dnnl, .num_m = 1, .num_n = 1};
    p.rows = g->m, p.cols = g->n;
    p.item = dtype_size(dtype);
    const double work =
        (double)g->m * (double)g->n * (double)g->k * gemm_cost_ns(dtype) / gemm_cost_ns(DT_FLOAT);
    const int64_t wanted = pieces_wanted(pool, g, work, by_dnnl);
    while (p.num_m * p.num_n < wanted) {
        if (p.rows >= p.cols && p.rows >= 2 * PIECE_MIN)
            p.num_m *= 2, p.rows = piece_size(g->m, p.num_m, by_dnnl ? 8 : 1);
        else if (p.cols >= 2 * PIECE_MIN)
            p.num_n *= 2, p.cols = piece_size(g->n, p.num_n, by_dnnl ? 48 : 32);
        else
            break;
    }
    return p;
}

static void pieces_run(void *arg, int64_t begin, int64_t end)
{
    const struct pieces *p = arg;
    for (int64_t i = begin; i < end; i++) {
        struct math_gemm g = *p->g;
        const int64_t i0 = i / p->num_n * p->rows, j0 = i % p->num_n * p->cols;
        /* A few columns at the end go with those before: alone, other code would serve them. */
        if (i0 >= g.m || j0 >= g.n || (j0 > 0 && g.n - j0 < COLS_MIN))
            continue;
        const int64_t item = (int64_t)p->item;
        g.m = min_i64(p->rows, g.m - i0);
        g.n = g.n - j0 < p->cols + COLS_MIN ? g.n - j0 : p->cols;
        if (g.k > 0) { /* else an epilogue by itself has neither */
            g.a = (const char *)g.a + i0 * (g.trans_a ? 1 : g.lda) * item;
            g.b = (const char *)g.b + j0 * (g.trans_b ? g.ldb : 1) * item;
        }
        g.c = (char *)g.c + (i0 * g.ldc + j0) * item;
        g.bias = g.bias ? (const char *)g.bias + j0 * item : NULL;
        gemm_piece(p->dtype, &g, p->by_dnnl);
    }
}

void math_gemm(struct pool *pool, int dtype, const struct math_gemm *g)
{
    if ((g->m <= SMALL && g->n <= SMALL && g->k <= SMALL) ||
        (double)g->m * (double)g->n * (double)g->k * gemm_cost_ns(dtype) < SMALL_NS) {
        gemm_piece(dtype, g, false);
        return;
    }
    const bool by_dnnl = dtype == DT_FLOAT && gemm_uses_dnnl(g);
    struct pieces p = pieces_of(pool, dtype, g, by_dnnl);
    if (p.num_m * p.num_n == 1) {
        gemm_piece(dtype, g, by_dnnl);
        return;
    }
    const double cost = (double)p.rows * (double)p.cols * (double)g->k * gemm_cost_ns(dtype);
    pool_loop(pool, p.num_m * p.num_n, 1, cost, pieces_run, &p);
}

void math_gemm_f32(struct pool *pool, const struct math_gemm *g)
{
    math_gemm(pool, DT_FLOAT, g);
}

void math_gemm_f64(struct pool *pool, const struct math_gemm *g)
{
    math_gemm(pool, DT_DOUBLE, g);
}

bool math_gemm_supports(int dtype)
{
    return dtype == DT_FLOAT || dtype == DT_DOUBLE || gemm_generic_supports(dtype);
}

const char *math_gemm_provider(int dtype, const struct math_gemm *g)
{
    return dtype == DT_FLOAT && gemm_uses_dnnl(g) ? "oneDNN" : "own";
}

/* Tiles sum each element alike, whichever others are computed with it; kernels for a few rows or
 * columns sum in other orders. */
bool math_gemm_cuts_exactly(int dtype, const struct math_gemm *whole, const struct math_gemm *part)
{
    const bool by_dnnl = dtype == DT_FLOAT && gemm_uses_dnnl(whole);
    return (dtype == DT_FLOAT || dtype == DT_DOUBLE) &&
           (part->m >= ROWS_MIN || part->m == whole->m) && part->n >= COLS_MIN &&
           by_dnnl == (dtype == DT_FLOAT && gemm_uses_dnnl(part));
}

/* Where all of k is one block, C is added to once, at its end. */
bool math_gemm_adds_exactly(const struct math_gemm *g)
{
    return g->m > 1 && g->n > 1 && g->k <= K_ONE_BLOCK;
}

struct batched {
    int dtype;
    const struct math_gemm *g;
    const struct math_gemm_batch *batch;
    struct pool *pool;
};

static void batched_run(void *arg, int64_t begin, int64_t end)
{
    const struct batched *b = arg;
    const struct math_gemm_batch *t = b->batch;
    const int64_t item = (int64_t)dtype_size(b->dtype);
    for (int64_t i = begin; i < end; i++) {
        struct math_gemm g = *b->g;
        g.a = (const char *)g.a + (t->a_index ? t->a_index[i] : i) * t->a_stride * item;
        g.b = (const char *)g.b + (t->b_index ? t->b_index[i] : i) * t->b_stride * item;
        g.c = (char *)g.c + i * t->c_stride * item;
        math_gemm(b->pool, b->dtype, &g);
    }
}

void math_gemm_batched(struct pool *pool, int dtype, const struct math_gemm *g,
                       const struct math_gemm_batch *batch)
{
    struct batched b = {.dtype = dtype, .g = g, .batch = batch, .pool = pool};
    const double cost = (double)g->m * (double)g->n * (double)g->k * gemm_cost_ns(dtype) + 50;
    const struct pieces p = pieces_of(pool, dtype, g, dtype == DT_FLOAT && gemm_uses_dnnl(g));
    /* Few large products are cut inside; many small ones are shared out whole. */
    if (batch->num < PIECES_MAX && p.num_m * p.num_n > 1) {
        batched_run(&b, 0, batch->num);
        return;
    }
    b.pool = NULL;
    pool_loop(pool, batch->num, pool_grain(batch->num, cost), cost, batched_run, &b);
}

void math_bias_act(struct pool *pool, int dtype, const struct math_gemm *g)
{
    struct math_gemm e = *g;
    e.k = 0;
    e.beta = 1; /* a product over nothing, added: the epilogue alone */
    struct pieces p = {.dtype = dtype, .g = &e, .num_n = 1, .cols = g->n};
    p.item = dtype_size(dtype);
    p.rows = pool_grain(g->m, (double)g->n * 0.2);
    p.num_m = (g->m + p.rows - 1) / max_i64(p.rows, 1);
    pool_loop(pool, p.num_m, 1, (double)p.rows * (double)g->n * 0.2, pieces_run, &p);
}
