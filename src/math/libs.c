/* SPDX-License-Identifier: Apache-2.0 */
/* Opening oneDNN and OpenBLAS, and keeping OpenMP's teams at one thread. */
#include "math/libs.h"

#include <dlfcn.h>
#include <pthread.h>

struct libs {
    void *dnnl, *openblas;
    int (*omp_get)(void);
    void (*omp_set)(int);
};

static struct libs libs;
static pthread_once_t libs_dnnl_once = PTHREAD_ONCE_INIT, libs_blas_once = PTHREAD_ONCE_INIT;

static bool libs_wanted(void)
{
    const char *s = getenv("LEAT_MATH_LIBS");
    return !s || strcmp(s, "none") != 0;
}

static void *open_first(const char *const *names, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        void *h = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (h)
            return h;
    }
    return NULL;
}

static void libs_open_dnnl(void)
{
    static const char *const names[] = {"libdnnl.so.2"};
    if (!libs_wanted())
        return;
    libs.dnnl = open_first(names, ARRAY_LEN(names));
    if (!libs.dnnl)
        return;
    /* dlsym also looks through what the library depends on: its own OpenMP. */
    *(void **)&libs.omp_get = dlsym(libs.dnnl, "omp_get_max_threads");
    *(void **)&libs.omp_set = dlsym(libs.dnnl, "omp_set_num_threads");
}

static void libs_open_openblas(void)
{
    /* By path: "libopenblas.so.0" may be the threaded build that numpy shares. */
    static const char *const names[] = {
        "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
        "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0",
        "/usr/lib/openblas-serial/libopenblas.so.0",
    };
    if (libs_wanted())
        libs.openblas = open_first(names, ARRAY_LEN(names));
}

void *math_lib_dnnl(void)
{
    pthread_once(&libs_dnnl_once, libs_open_dnnl);
    return libs.dnnl;
}

void *math_lib_openblas(void)
{
    pthread_once(&libs_blas_once, libs_open_openblas);
    return libs.openblas;
}

int math_team_enter(void)
{
    if (!libs.omp_get || !libs.omp_set)
        return 0;
    const int saved = libs.omp_get();
    if (saved != 1)
        libs.omp_set(1);
    return saved;
}

void math_team_leave(int saved)
{
    if (saved > 1)
        libs.omp_set(saved);
}
