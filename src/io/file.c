/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files whole: sizes are believed only as far as bytes come, so that pipes and files that
 * grow or shrink under the reader are read as they are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "codec/gzip.h"
#include "io/file.h"

static bool cannot_open(const char *path, int error, struct status *st)
{
    int code = error == EACCES || error == EPERM ? STATUS_PERMISSION_DENIED : STATUS_NOT_FOUND;
    return status_fail(st, code, "%s: %s", path, strerror(error));
}

/* Reads to the end of f into *bytes, which grows; `first` is a guess of the size. */
static bool read_all(FILE *f, const char *path, size_t limit, size_t first, char **bytes, size_t *n,
                     struct status *st)
{
    size_t cap = 0;
    for (;;) {
        if (*n == cap) {
            if (cap > limit)
                return status_exhausted(st, "%s: more than %zu bytes", path, limit);
            cap = cap > 0 ? (cap > limit / 2 ? limit + 1 : cap * 2) : first;
            char *more = mem_try(cap, path, st);
            if (!more)
                return false;
            if (*n > 0)
                memcpy(more, *bytes, *n);
            mem_free(*bytes);
            *bytes = more;
        }
        size_t got = fread(*bytes + *n, 1, cap - *n, f);
        if (got == 0)
            return !ferror(f) || status_fail(st, STATUS_DATA_LOSS, "%s: cannot be read", path);
        *n += got;
    }
}

static bool unpack(const char *path, size_t limit, char **bytes, size_t *n, struct status *st)
{
    char *out;
    size_t out_n;
    bool ok = gzip_unpack(*bytes, *n, limit, path, &out, &out_n, st);
    mem_free(*bytes);
    *bytes = ok ? out : NULL;
    *n = ok ? out_n : 0;
    return ok;
}

bool file_read(const char *path, size_t limit, char **bytes, size_t *n, struct status *st)
{
    *bytes = NULL;
    *n = 0;
    struct stat about;
    FILE *f = fopen(path, "rb");
    if (!f)
        return cannot_open(path, errno, st);
    bool ok = fstat(fileno(f), &about) == 0 && !S_ISDIR(about.st_mode);
    if (!ok) {
        status_invalid(st, "%s: is a folder", path);
    } else {
        size_t first = about.st_size > 0 ? (size_t)about.st_size + 1 : 1 << 16;
        ok = limit >= SIZE_MAX / 4
                 ? status_invalid(st, "%s: no such limit", path)
                 : read_all(f, path, limit, first > limit ? limit + 1 : first, bytes, n, st);
    }
    fclose(f);
    if (ok && gzip_is(*bytes, *n))
        return unpack(path, limit, bytes, n, st);
    if (!ok) {
        mem_free(*bytes);
        *bytes = NULL;
        *n = 0;
    }
    return ok;
}
