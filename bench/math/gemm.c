/* SPDX-License-Identifier: Apache-2.0 */
/* GFLOP/s of math_gemm beside the bare libraries, one thread, at the sizes that matter: one line a
 * size and transposition, the last column our share of the best library. Sizes may be given as m n
 * k triples. Built by hand against libleat.a's objects; the libraries are opened here by name. */
#include <dlfcn.h>

#include "base/base.h"
#include "base/lock.h"
#include "base/str.h"
#include "math/gemm.h"
#include "math/libs.h"
#include "tensor/dtype.h"

typedef int (*dnnl_sgemm_fn)(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t,
                             const float *, int64_t, float, float *, int64_t);
typedef void (*blas_gemm_fn)(const char *, const char *, const int *, const int *, const int *,
                             const void *, const void *, const int *, const void *, const int *,
                             const void *, void *, const int *);

static struct math_gemm g;
static int dtype;
static dnnl_sgemm_fn dnnl_sgemm;
static blas_gemm_fn blas_gemm[2]; /* float, double */

static void run_math(void)
{
    math_gemm(NULL, dtype, &g);
}

static void run_dnnl(void)
{
    dnnl_sgemm(g.trans_a ? 'T' : 'N', g.trans_b ? 'T' : 'N', g.m, g.n, g.k, 1, g.a, g.lda, g.b,
               g.ldb, 0, g.c, g.ldc);
}

static void run_blas(void)
{
    const int m = (int)g.m, n = (int)g.n, k = (int)g.k;
    const int lda = (int)g.lda, ldb = (int)g.ldb, ldc = (int)g.ldc;
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    const bool f64 = dtype == DT_DOUBLE;
    blas_gemm[f64](g.trans_b ? "T" : "N", g.trans_a ? "T" : "N", &n, &m, &k,
                   f64 ? (const void *)&one64 : &one, g.b, &ldb, g.a, &lda,
                   f64 ? (const void *)&zero64 : &zero, g.c, &ldc);
}

/* The best of eight rounds of about 20 million multiply-adds each. */
static double rate(void (*fn)(void))
{
    const double flops = 2.0 * (double)g.m * (double)g.n * (double)g.k;
    const int repeat = (int)(4e7 / flops) + 1;
    double best = 0;
    fn();
    for (int round = 0; round < 8; round++) {
        const int64_t start = clock_now_ns();
        for (int i = 0; i < repeat; i++)
            fn();
        const double now = flops * repeat / (double)(clock_now_ns() - start);
        best = now > best ? now : best;
    }
    return best;
}

static void *filled(int64_t n)
{
    void *p = aligned_alloc(64, (size_t)(n * 8 + 127) / 64 * 64);
    for (int64_t i = 0; i < n; i++) {
        const double v = (double)(i * 7919 % 1000) / 1000 - 0.5;
        if (dtype == DT_DOUBLE)
            ((double *)p)[i] = v;
        else
            ((float *)p)[i] = (float)v;
    }
    return p;
}

static void measure(int64_t m, int64_t n, int64_t k, int trans)
{
    g = (struct math_gemm){.m = m, .n = n, .k = k, .trans_a = trans & 1, .trans_b = trans >> 1};
    g.lda = g.trans_a ? m : k;
    g.ldb = g.trans_b ? k : n;
    g.ldc = n;
    void *a = filled(m * k), *b = filled(k * n), *c = filled(m * n);
    g.a = a, g.b = b, g.c = c;
    const double own = rate(run_math);
    const double dnnl = dtype == DT_FLOAT && dnnl_sgemm ? rate(run_dnnl) : 0;
    const double blas = blas_gemm[dtype == DT_DOUBLE] ? rate(run_blas) : 0;
    const double top = dnnl > blas ? dnnl : blas;
    printf(
        "%-6s %5lld %5lld %5lld %c%c  math %6.1f (%s)  oneDNN %6.1f  OpenBLAS %6.1f  share %.2f\n",
        dtype_name(dtype), (long long)m, (long long)n, (long long)k, g.trans_a ? 'T' : 'N',
        g.trans_b ? 'T' : 'N', own, math_gemm_provider(dtype, &g), dnnl, blas,
        top > 0 ? own / top : 0);
    free(a);
    free(b);
    free(c);
}

int main(int argc, char **argv)
{
    static const int64_t sizes[][3] = {
        {16, 16, 16},      {32, 32, 32},       {64, 64, 64},    {128, 128, 128},  {256, 256, 256},
        {512, 512, 512},   {2048, 2048, 2048}, {128, 128, 784}, {100, 10, 784},   {784, 10, 100},
        {128, 1000, 1024}, {128, 512, 784},    {784, 512, 128}, {37, 53, 71},     {100, 100, 100},
        {1, 1024, 1024},   {2, 512, 512},      {8, 512, 512},   {1000, 1000, 17},
    };
    math_team_enter();
    if (math_lib_dnnl())
        *(void **)&dnnl_sgemm = dlsym(math_lib_dnnl(), "dnnl_sgemm");
    if (math_lib_openblas()) {
        *(void **)&blas_gemm[0] = dlsym(math_lib_openblas(), "sgemm_");
        *(void **)&blas_gemm[1] = dlsym(math_lib_openblas(), "dgemm_");
    }
    math_team_enter(); /* again: OpenMP came with the library */
    for (int t = 0; t < 2; t++) {
        dtype = t ? DT_DOUBLE : DT_FLOAT;
        for (int i = 1; i + 2 < argc; i += 3) {
            int64_t s[3] = {1, 1, 1};
            for (int k = 0; k < 3; k++)
                if (!str_to_i64(str_of(argv[i + k]), &s[k]) || s[k] < 1)
                    return 1;
            for (int trans = 0; trans < 4; trans++)
                measure(s[0], s[1], s[2], trans);
        }
        for (size_t i = 0; i < ARRAY_LEN(sizes) && argc < 4; i++)
            for (int trans = 0; trans < 4; trans++)
                measure(sizes[i][0], sizes[i][1], sizes[i][2], trans);
    }
    return 0;
}
