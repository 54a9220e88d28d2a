/* SPDX-License-Identifier: Apache-2.0 */
/* GFLOP/s of math_gemm beside bare oneDNN and OpenBLAS, which are opened by name: absent ones are
 * left out. A part is "MxNxK FORM", FORM two letters for A and B, N as stored or T transposed, and
 * perhaps " double". OpenBLAS is the serial build, so it has no figure for more threads. */
#include <dlfcn.h>

#include "bare.h"
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
static void *arrays[3];
static dnnl_sgemm_fn dnnl_sgemm;
static blas_gemm_fn blas_gemm[2]; /* float, double */
static void (*omp_threads)(int);

static void run_math(void)
{
    math_gemm(bare_threads > 1 ? bare_pool : NULL, dtype, &g);
}

static void run_dnnl(void)
{
    if (omp_threads)
        omp_threads(bare_threads);
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

static double prepare(const char *part, struct bare_code codes[BARE_MAX_CODES])
{
    int m, n, k;
    char form[3], type[8] = "float";
    if (sscanf(part, "%dx%dx%d %2[NT] %7s", &m, &n, &k, form, type) < 4 || m < 1 || n < 1 || k < 1)
        return 0;
    dtype = strcmp(type, "double") == 0 ? DT_DOUBLE : DT_FLOAT;
    const size_t size = dtype_size(dtype);
    g = (struct math_gemm){
        .m = m, .n = n, .k = k, .trans_a = form[0] == 'T', .trans_b = form[1] == 'T'};
    g.lda = g.trans_a ? m : k;
    g.ldb = g.trans_b ? k : n;
    g.ldc = n;
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
    g.a = arrays[0] = bare_array((int64_t)m * k, size, size == 8);
    g.b = arrays[1] = bare_array((int64_t)k * n, size, size == 8);
    g.c = arrays[2] = bare_array((int64_t)m * n, size, size == 8);
    codes[0] = (struct bare_code){"math", run_math};
    if (dnnl_sgemm && dtype == DT_FLOAT)
        codes[1] = (struct bare_code){"oneDNN", run_dnnl};
    if (blas_gemm[dtype == DT_DOUBLE] && bare_threads == 1)
        codes[2] = (struct bare_code){"OpenBLAS", run_blas};
    return 2e-9 * m * n * k;
}

int main(int argc, char **argv)
{
    if (math_lib_dnnl()) {
        *(void **)&dnnl_sgemm = dlsym(math_lib_dnnl(), "dnnl_sgemm");
        *(void **)&omp_threads = dlsym(math_lib_dnnl(), "omp_set_num_threads");
    }
    if (math_lib_openblas()) {
        *(void **)&blas_gemm[0] = dlsym(math_lib_openblas(), "sgemm_");
        *(void **)&blas_gemm[1] = dlsym(math_lib_openblas(), "dgemm_");
    }
    const struct bare program = {"GFLOP/s", prepare};
    const int code = bare_main(&program, argc, argv);
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
    return code;
}
