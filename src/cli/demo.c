/* SPDX-License-Identifier: Apache-2.0 */
/* leat demo: trains models on the data that comes with Leat and tells how well. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/demo.h"

const char demo_usage[] =
    "leat demo [--json] [--out DIR] [--data DIR]\n"
    "Ridge regression on Iris; softmax regression and a perceptron on handwritten digits.\n"
    "  --json      print one JSON object with every figure, and nothing else\n"
    "  --out DIR   write the same object to DIR/demo.json too\n"
    "  --data DIR  the folder with iris.csv and digits.csv\n";

bool table_read(const char *path, struct table *out, struct status *st)
{
    char *bytes;
    size_t n;
    if (!cli_read_file(path, &bytes, &n, st))
        return false;
    *out = (struct table){0};
    int64_t cap = 0, used = 0, line_number = 0;
    struct str rest = str_make(bytes, n), line, cell;
    bool ok = true;
    while (ok && str_split(&rest, '\n', &line)) {
        line = str_trim(line);
        if (line.n == 0 || (line_number++ == 0 && (line.p[0] < '0' || line.p[0] > '9')))
            continue;
        int64_t cols = 0;
        double v;
        for (; ok && str_split(&line, ',', &cell); cols++) {
            ok = str_to_double(str_trim(cell), &v) && isfinite(v);
            out->values = vec_reserve(out->values, &cap, used + 1, sizeof *out->values);
            out->values[used++] = ok ? (float)v : 0;
        }
        ok = ok && (out->rows++ == 0 || cols == out->cols);
        out->cols = cols;
    }
    mem_free(bytes);
    return (ok && out->rows > 0) ||
           status_invalid(st, "%s: row %lld is no row of numbers like those before it", path,
                          (long long)out->rows);
}

void figure_add(struct figures *f, const char *model, const char *what, double value)
{
    strbuf_printf(&f->json, "%s\"%s_%s\": %.6g", f->json.n > 0 ? ", " : "", model, what,
                  isfinite(value) ? value : -1);
    if (!f->quiet)
        printf("%s%s %s: %.6g\n", strcmp(what, "loss") == 0 ? "\n" : "", model, what, value);
}

/* The folder of the data, seen from the program: in a build folder, then installed. */
static bool find_data(struct strbuf *out, struct status *st)
{
    static const char *const places[] = {"../../data", "../share/leat/data"};
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash = n > 0 ? memrchr(exe, '/', (size_t)n) : NULL;
    for (size_t i = 0; slash && i < ARRAY_LEN(places); i++) {
        strbuf_clear(out);
        strbuf_add(out, exe, (size_t)(slash - exe));
        strbuf_printf(out, "/%s", places[i]);
        struct strbuf file = {0};
        strbuf_printf(&file, "%s/iris.csv", out->p);
        bool found = access(file.p, R_OK) == 0;
        strbuf_release(&file);
        if (found)
            return true;
    }
    return status_not_found(st, "the demo's data is not where it was installed; give --data DIR");
}

static bool read_in(const char *folder, const char *name, struct table *out, struct status *st)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", folder, name);
    bool ok = table_read(path.p, out, st);
    strbuf_release(&path);
    return ok;
}

static bool write_figures(const char *folder, const char *json, struct status *st)
{
    if (!cli_make_folder(folder, st))
        return false;
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/demo.json", folder);
    FILE *file = fopen(path.p, "w");
    bool ok = file && fprintf(file, "{%s}\n", json) > 0;
    if (file)
        ok = fclose(file) == 0 && ok;
    if (!ok)
        status_fail(st, STATUS_PERMISSION_DENIED, "%s: cannot be written", path.p);
    strbuf_release(&path);
    return ok;
}

static bool run_all(const char *folder, const char *out, struct figures *f, struct status *st)
{
    struct table iris = {0}, digits = {0};
    bool ok = read_in(folder, "iris.csv", &iris, st) && read_in(folder, "digits.csv", &digits, st);
    if (ok && iris.cols != 5)
        ok = status_invalid(st, "iris.csv: rows of 5 numbers are wanted");
    ok = ok && demo_ridge(&iris, f, st) && demo_digits(&digits, f, st);
    ok = ok && (!out || write_figures(out, strbuf_text(&f->json), st));
    mem_free(iris.values);
    mem_free(digits.values);
    return ok;
}

bool demo_main(struct args args, struct status *st)
{
    struct figures f = {0};
    struct strbuf data = {0};
    const char *out = NULL, *folder = NULL;
    for (int i = 0; i < args.n; i++) {
        bool is_out = strcmp(args.words[i], "--out") == 0;
        if (strcmp(args.words[i], "--json") == 0) {
            f.quiet = true;
        } else if (is_out || strcmp(args.words[i], "--data") == 0) {
            const char *value = args_value(args, &i, st);
            if (!value)
                return false;
            *(is_out ? &out : &folder) = value;
        } else {
            return args_unknown("demo", args.words[i], st);
        }
    }
    bool ok = folder || find_data(&data, st);
    ok = ok && run_all(folder ? folder : data.p, out, &f, st);
    if (ok && f.quiet)
        printf("{%s}\n", f.json.p);
    else if (ok)
        puts("\nNext: `leat info ops` lists what graphs can be made of; `leat run --help` runs a "
             "saved one.");
    strbuf_release(&data);
    strbuf_release(&f.json);
    return ok;
}
