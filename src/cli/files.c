/* SPDX-License-Identifier: Apache-2.0 */
/* Files read whole and folders made, and the small helpers that every command shares. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/cli.h"

bool cli_ok(const TF_Status *from, struct status *st)
{
    return TF_GetCode(from) == TF_OK ||
           status_fail(st, (int)TF_GetCode(from), "%s", TF_Message(from));
}

const char *args_value(struct args args, int *i, struct status *st)
{
    if (*i + 1 >= args.n) {
        status_invalid(st, "option %s wants a value after it", args.words[*i]);
        return NULL;
    }
    return args.words[++*i];
}

bool args_unknown(const char *command, const char *word, struct status *st)
{
    return status_invalid(st, "%s is not known to `leat %s`; `leat %s --help` lists what is", word,
                          command, command);
}

/* Reads to the end of f into *bytes, which grows. */
static bool read_all(FILE *f, const char *path, char **bytes, size_t *n, struct status *st)
{
    size_t cap = 0;
    for (;;) {
        if (*n == cap) {
            cap = cap ? cap * 2 : 1 << 16;
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

bool cli_read_file(const char *path, char **bytes, size_t *n, struct status *st)
{
    *bytes = NULL;
    *n = 0;
    struct stat about;
    FILE *f = fopen(path, "rb");
    if (!f)
        return status_not_found(st, "%s: %s", path, strerror(errno));
    bool ok = false;
    if (fstat(fileno(f), &about) == 0 && S_ISDIR(about.st_mode))
        status_invalid(st, "%s: is a folder, not a file", path);
    else
        ok = read_all(f, path, bytes, n, st);
    fclose(f);
    if (!ok) {
        mem_free(*bytes);
        *bytes = NULL;
    }
    return ok;
}

bool cli_make_folder(const char *path, struct status *st)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return true;
    int why = errno;
    if (why == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return true;
    return status_fail(st, STATUS_PERMISSION_DENIED, "%s: cannot be made a folder: %s", path,
                       strerror(why));
}
