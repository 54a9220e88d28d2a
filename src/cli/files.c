/* SPDX-License-Identifier: Apache-2.0 */
/* Files read and written whole, and the small helpers that every command shares. */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
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

void names_split(struct arena *a, const char *text, struct names *out)
{
    struct str rest = str_of(text), piece;
    int most = 1;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    *out = (struct names){arena_array(a, const char *, most), 0};
    while (str_split(&rest, ',', &piece)) {
        if (piece.n > 0)
            out->v[out->n++] = arena_strndup(a, piece.p, piece.n);
    }
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

int cli_by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}
