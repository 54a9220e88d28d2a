/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of numbers with commas between them, as the demo's data are. */
#include <math.h>

#include "base/mem.h"
#include "cli/demo.h"

bool table_parse(struct str text, const char *path, struct table *out, struct status *st)
{
    *out = (struct table){0};
    int64_t cap = 0, used = 0, line_number = 0;
    struct str line, cell;
    bool ok = true;
    while (ok && str_split(&text, '\n', &line)) {
        line = str_trim(line);
        if (++line_number > 1 ? line.n == 0 : line.n == 0 || line.p[0] < '0' || line.p[0] > '9')
            continue; /* empty, or the head line */
        int64_t cols = 0;
        double v;
        for (; ok && str_split(&line, ',', &cell); cols++) {
            ok = str_to_double(str_trim(cell), &v) && isfinite((float)v);
            out->values = vec_reserve(out->values, &cap, used + 1, sizeof *out->values);
            out->values[used++] = ok ? (float)v : 0;
        }
        ok = ok && (out->rows == 0 || cols == out->cols);
        out->rows += ok;
        out->cols = cols;
    }
    return (ok && out->rows > 0) ||
           status_invalid(st,
                          "%s: line %lld: numbers with commas between them are wanted, on every "
                          "line as many",
                          path, (long long)line_number);
}

bool table_read(const char *path, struct table *out, struct status *st)
{
    char *bytes;
    size_t n;
    *out = (struct table){0};
    if (!cli_read_file(path, &bytes, &n, st))
        return false;
    bool ok = table_parse(str_make(bytes, n), path, out, st);
    mem_free(bytes);
    return ok;
}
