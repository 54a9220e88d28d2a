/* SPDX-License-Identifier: Apache-2.0 */
/* GFLOP/s of libxsmm, which Debian has as a static library alone: a program of its own, built where
 * that is found. Parts as in gemm.c: float, one thread, nothing transposed, up to about 64 a side;
 * beyond that it calls a BLAS. */
#include "bare.h"

/* The library's BLAS-like entry point: column-major, so A and B change places. */
void libxsmm_sgemm(const char *, const char *, const int *, const int *, const int *, const float *,
                   const float *, const int *, const float *, const int *, const float *, float *,
                   const int *);

static struct {
    int m, n, k;
    float *a, *b, *c;
} g;

static void run_xsmm(void)
{
    const float one = 1, zero = 0;
    libxsmm_sgemm("N", "N", &g.n, &g.m, &g.k, &one, g.b, &g.n, g.a, &g.k, &zero, g.c, &g.n);
}

static double prepare(const char *part, struct bare_code codes[BARE_MAX_CODES])
{
    char form[3], type[8] = "float";
    if (sscanf(part, "%dx%dx%d %2[NT] %7s", &g.m, &g.n, &g.k, form, type) < 4 || g.m < 1 ||
        g.n < 1 || g.k < 1 || strcmp(type, "float") != 0 || bare_threads > 1 ||
        strcmp(form, "NN") != 0 || (double)g.m * g.n * g.k > 64.0 * 64 * 64)
        return 0;
    free(g.a);
    free(g.b);
    free(g.c);
    g.a = bare_array((int64_t)g.m * g.k, sizeof(float), false);
    g.b = bare_array((int64_t)g.k * g.n, sizeof(float), false);
    g.c = bare_array((int64_t)g.m * g.n, sizeof(float), false);
    codes[0] = (struct bare_code){"libxsmm", run_xsmm};
    return 2e-9 * g.m * g.n * g.k;
}

int main(int argc, char **argv)
{
    const struct bare program = {"GFLOP/s", prepare};
    return bare_main(&program, argc, argv);
}
