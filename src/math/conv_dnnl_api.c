/* SPDX-License-Identifier: Apache-2.0 */
/* needs: onednn */
/* Finding oneDNN's functions, once. */
#include "math/conv_dnnl_api.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/cpu.h"
#include "math/libs.h"

static struct dnnl_api api;
static bool api_ok;
static pthread_once_t api_once = PTHREAD_ONCE_INIT;

static void api_open(void)
{
    void *lib = math_lib_dnnl();
    if (!lib)
        return;
    bool all = true;
#define X(name)                                                                                    \
    *(void **)&api.name = dlsym(lib, "dnnl_" #name);                                               \
    all = all && api.name;
    DNNL_TABLE(X)
#undef X
    if (!all)
        return;
    /* LEAT_CPU lowers the library's instruction set too. */
    if (cpu_level() == CPU_AVX2)
        api.set_max_cpu_isa(dnnl_cpu_isa_avx2);
    else if (cpu_level() == CPU_BASE)
        api.set_max_cpu_isa(dnnl_cpu_isa_sse41);
    api_ok = api.engine_create(&api.engine, dnnl_cpu, 0) == dnnl_success;
}

const struct dnnl_api *dnnl_api_find(void)
{
    pthread_once(&api_once, api_open);
    return api_ok ? &api : NULL;
}
