/* SPDX-License-Identifier: Apache-2.0 */
/* leat demo: trains models on the data that comes with Leat and tells how well. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/demo.h"
#include "io/folder.h"

const char demo_usage[] =
    "leat demo [--cluster] [--json] [--out DIR] [--data-dir DIR] [--csv-dir DIR]\n"
    "Ridge regression on Iris; softmax regression, a perceptron and a convolutional network on\n"
    "handwritten digits; then a perceptron on a local cluster of three processes. Less than a\n"
    "minute.\n"
    "  --cluster       the local cluster alone: one parameter server, two workers\n"
    "  --data-dir DIR  also trains on MNIST, whose four idx files (.gz or not) lie in DIR\n"
    "  --json          print one JSON object with every figure, and nothing else\n"
    "  --out DIR       write the same object to DIR/demo.json too\n"
    "  --csv-dir DIR   the folder with iris.csv and digits.csv, when not where they were "
    "installed\n";

void figure_add(struct figures *f, const char *model, const char *what, double value)
{
    strbuf_printf(&f->json, "%s\"%s_%s\": %.6g", f->json.n > 0 ? ", " : "", model, what,
                  isfinite(value) ? value : -1);
    if (!f->quiet)
        printf("%-14s %-26s %.6g\n", model, what, value);
    fflush(stdout);
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
    return status_not_found(st,
                            "the demo's data is not where it was installed; give --csv-dir DIR");
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
    struct strbuf path = {0}, text = {0};
    strbuf_printf(&path, "%s/demo.json", folder);
    strbuf_printf(&text, "{%s}\n", json);
    bool ok = cli_write_file(path.p, text.p, text.n, st);
    strbuf_release(&path);
    strbuf_release(&text);
    return ok;
}

struct options {
    struct strbuf found; /* where the CSV files are, when it was not said */
    const char *csv, *mnist, *out, *worker, *spec;
    bool cluster; /* alone */
};

static const char *csv_folder(const struct options *o)
{
    return o->csv ? o->csv : o->found.p;
}

/* One of the cluster's processes. */
static bool be_worker(const struct options *o, struct status *st)
{
    struct table digits = {0};
    int64_t index;
    if (!o->spec || !str_to_i64(str_of(o->worker), &index) || index < 0 || index > 9)
        return status_invalid(st, "--worker wants INDEX CLUSTER");
    bool ok = read_in(csv_folder(o), "digits.csv", &digits, st) &&
              demo_worker((int)index, o->spec, &digits, st);
    mem_free(digits.values);
    return ok;
}

static bool run_cluster(const struct options *o, struct figures *f, struct status *st)
{
    struct table digits = {0};
    bool ok = (!o->out || folder_make(o->out, st)) &&
              read_in(csv_folder(o), "digits.csv", &digits, st) &&
              demo_cluster(&digits, csv_folder(o), f, st) &&
              (!o->out || write_figures(o->out, strbuf_text(&f->json), st));
    mem_free(digits.values);
    return ok;
}

/* As the last part of all; a library without the network leaves it out. */
static bool cluster_too(const struct table *digits, const char *csv, struct figures *f,
                        struct status *st)
{
    struct status own = {0};
    bool ok = demo_cluster(digits, csv, f, &own);
    if (!ok && own.code == STATUS_UNIMPLEMENTED && !f->quiet)
        printf("%-14s left out: %s\n", "cluster", status_message(&own));
    ok = ok || own.code == STATUS_UNIMPLEMENTED;
    if (ok)
        status_clear(&own);
    else
        status_move(st, &own);
    return ok;
}

static bool run_all(const struct options *o, struct figures *f, struct status *st)
{
    struct table iris = {0}, digits = {0};
    const char *csv = csv_folder(o);
    /* what can be missing is looked for before anything is trained */
    bool ok = (!o->out || folder_make(o->out, st)) &&
              (!o->mnist || demo_mnist_there(o->mnist, st)) &&
              read_in(csv, "iris.csv", &iris, st) && read_in(csv, "digits.csv", &digits, st);
    if (ok && iris.cols != 5)
        ok = status_invalid(st, "iris.csv: rows of 5 numbers are wanted");
    ok = ok && demo_ridge(&iris, f, st) && demo_digits(&digits, f, st);
    ok = ok && (!o->mnist || demo_mnist(o->mnist, f, st)) && cluster_too(&digits, csv, f, st);
    ok = ok && (!o->out || write_figures(o->out, strbuf_text(&f->json), st));
    mem_free(iris.values);
    mem_free(digits.values);
    return ok;
}

static bool parse(struct args args, struct options *o, struct figures *f, struct status *st)
{
    const struct {
        const char *name, **value;
    } valued[] = {{"--out", &o->out}, {"--data-dir", &o->mnist}, {"--csv-dir", &o->csv}};
    for (int i = 0; i < args.n; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(valued) && strcmp(args.words[i], valued[k].name) != 0)
            k++;
        if (k < ARRAY_LEN(valued)) {
            const char *value = args_value(args, &i, st);
            if (!value)
                return false;
            *valued[k].value = value;
        } else if (strcmp(args.words[i], "--json") == 0) {
            f->quiet = true;
        } else if (strcmp(args.words[i], "--cluster") == 0) {
            o->cluster = true;
        } else if (strcmp(args.words[i], "--worker") == 0) {
            o->worker = args_value(args, &i, st);
            if (!o->worker || !(o->spec = args_value(args, &i, st)))
                return false;
        } else {
            return args_unknown("demo", args.words[i], st);
        }
    }
    return true;
}

static void say_what_next(const struct options *o)
{
    puts("\nNext:");
    if (!o->mnist)
        puts("  leat demo --data-dir DIR   the same on MNIST, whose four .gz files lie in DIR");
    puts("  examples/                  these models as short programs, and more\n"
         "  leat info ops              what graphs can be made of\n"
         "  leat run --help            run a saved graph\n"
         "  leat bench                 how fast this machine trains");
}

bool demo_main(struct args args, struct status *st)
{
    struct figures f = {0};
    struct options o = {0};
    bool ok = parse(args, &o, &f, st) && (o.csv || find_data(&o.found, st));
    ok = ok && (o.worker    ? be_worker(&o, st)
                : o.cluster ? run_cluster(&o, &f, st)
                            : run_all(&o, &f, st));
    if (o.worker)
        ; /* it has told its master all */
    else if (ok && f.quiet)
        printf("{%s}\n", f.json.p);
    else if (ok)
        say_what_next(&o);
    strbuf_release(&o.found);
    strbuf_release(&f.json);
    return ok;
}
