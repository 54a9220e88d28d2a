/* SPDX-License-Identifier: Apache-2.0 */
/* Files read whole and folders made, and the small helpers that every command shares. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "io/file.h"

/* More than any memory: what bounds a file is what can be allocated. */
#define MAX_FILE_BYTES ((size_t)1 << 46)

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

bool cli_read_file(const char *path, char **bytes, size_t *n, struct status *st)
{
    return file_read(path, MAX_FILE_BYTES, bytes, n, st);
}

bool cli_write_file(const char *path, const void *bytes, size_t n, struct status *st)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return status_fail(st, STATUS_PERMISSION_DENIED, "%s: %s", path, strerror(errno));
    bool ok = n == 0 || fwrite(bytes, 1, n, f) == n;
    return cli_close(f, ok, path, st);
}

bool cli_close(FILE *f, bool ok, const char *path, struct status *st)
{
    ok = ok && fflush(f) == 0;
    int why = errno;
    if (fclose(f) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok ||
           status_fail(st, STATUS_DATA_LOSS, "%s: cannot be written: %s", path, strerror(why));
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
