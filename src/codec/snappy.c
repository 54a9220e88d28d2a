/* SPDX-License-Identifier: Apache-2.0 */
/* libsnappy by dlopen: it brings the C++ library with it, which a program that never meets a packed
 * block need not load. What the bytes say of their length is believed only within what so many
 * bytes can give: a copy of 64 bytes takes two. */
#include "codec/snappy.h"

#include <pthread.h>

#include "base/mem.h"
#include "config.h"

#if LEAT_HAVE_SNAPPY
#include <dlfcn.h>

enum { MOST_PER_BYTE = 32 };

static struct {
    int (*length)(const char *packed, size_t n, size_t *out);
    int (*unpack)(const char *packed, size_t n, char *out, size_t *out_n);
} library;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void library_open(void)
{
    void *h = dlopen("libsnappy.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!h)
        return;
    *(void **)&library.length = dlsym(h, "snappy_uncompressed_length");
    *(void **)&library.unpack = dlsym(h, "snappy_uncompress");
}

bool snappy_available(void)
{
    pthread_once(&library_once, library_open);
    return library.length && library.unpack;
}

bool snappy_unpack(const void *bytes, size_t n, size_t limit, const char *what, char **out,
                   size_t *out_n, struct status *st)
{
    size_t len;
    *out = NULL;
    *out_n = 0;
    if (!snappy_available())
        return status_unimplemented(st, "%s: packed by Snappy, and libsnappy.so.1 is not installed",
                                    what);
    if (library.length(bytes, n, &len) != 0 || len / MOST_PER_BYTE > n)
        return status_fail(st, STATUS_DATA_LOSS, "%s: broken Snappy data", what);
    if (len > limit)
        return status_exhausted(st, "%s: %zu bytes when unpacked, at most %zu are expected", what,
                                len, limit);
    char *p = mem_try(len > 0 ? len : 1, what, st);
    if (!p)
        return false;
    if (library.unpack(bytes, n, p, &len) != 0) {
        mem_free(p);
        return status_fail(st, STATUS_DATA_LOSS, "%s: broken Snappy data", what);
    }
    *out = p;
    *out_n = len;
    return true;
}
#else
bool snappy_available(void)
{
    return false;
}

bool snappy_unpack(const void *bytes, size_t n, size_t limit, const char *what, char **out,
                   size_t *out_n, struct status *st)
{
    (void)bytes;
    (void)n;
    (void)limit;
    *out = NULL;
    *out_n = 0;
    return status_unimplemented(st, "%s: packed by Snappy, and this was built without snappy",
                                what);
}
#endif
