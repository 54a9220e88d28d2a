/* SPDX-License-Identifier: Apache-2.0 */
/* Finding LAPACK's functions, once. */
#include "math/lapack.h"

#include <dlfcn.h>
#include <pthread.h>

#include "math/libs.h"
#include "tensor/dtype.h"

enum { TYPES = 4 }; /* s, d, c, z */

static struct lapack found[TYPES];
static bool found_ok;
static pthread_once_t found_once = PTHREAD_ONCE_INIT;

/* "dgetrf_" into a member; false when there is none. */
static bool lookup(void *lib, char type, const char *name, void *member)
{
    char symbol[16];
    snprintf(symbol, sizeof symbol, "%c%s_", type, name);
    void *at = dlsym(lib, symbol);
    memcpy(member, &at, sizeof at);
    return at != NULL;
}

static bool lookup_type(void *lib, char type, bool complex_type, struct lapack *l)
{
    const bool common =
        lookup(lib, type, "getrf", &l->getrf) && lookup(lib, type, "getrs", &l->getrs) &&
        lookup(lib, type, "getri", &l->getri) && lookup(lib, type, "potrf", &l->potrf) &&
        lookup(lib, type, "trsm", &l->trsm) && lookup(lib, type, "geqrf", &l->geqrf);
    if (complex_type)
        return common && lookup(lib, type, "ungqr", &l->orgqr) &&
               lookup(lib, type, "gesdd", &l->gesdd_complex) &&
               lookup(lib, type, "heevd", &l->heevd);
    return common && lookup(lib, type, "orgqr", &l->orgqr) &&
           lookup(lib, type, "gesdd", &l->gesdd) && lookup(lib, type, "syevd", &l->syevd);
}

static void lapack_open(void)
{
    void *lib = math_lib_openblas();
    if (!lib)
        return;
    found_ok = true;
    for (int i = 0; i < TYPES; i++)
        found_ok = found_ok && lookup_type(lib, "sdcz"[i], i >= 2, &found[i]);
}

const struct lapack *lapack_find(int dtype)
{
    static const int types[TYPES] = {DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128};
    pthread_once(&found_once, lapack_open);
    for (int i = 0; i < TYPES && found_ok; i++)
        if (types[i] == dtype)
            return &found[i];
    return NULL;
}
