/* SPDX-License-Identifier: Apache-2.0 */
/* leat bench: measures this library, through the public API, on this machine.
 *
 * Alone it prints a table. With --json it prints one line a case; with --serve it measures a part
 * each time a line comes, so that another program can measure others in between: what bench/run.py
 * does. It sets thread counts and nothing else: pin it with taskset for steady figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/bench.h"

const char bench_usage[] =
    "leat bench [--case NAME] [--part PART] [--threads T] [--seconds S] [--json]\n"
    "    measures a case, or all of them; --list names the cases and what they measure.\n"
    "--threads T   threads of the session (1 where it is left out)\n"
    "--seconds S   how long each part of a case is measured (1)\n"
    "--json        one JSON object a case, on a line of its own\n"
    "--profile     with --case: where the time of a run goes, by op\n"
    "--graph FILE  with --case and --part: writes the graph as a GraphDef and measures nothing\n"
    "--folder DIR  where cases that write files do so (TMPDIR, or /tmp)\n"
    "--serve       with --case: measures when a line \"SECONDS PART\" comes on standard input\n";

struct options {
    const struct bench_case *only;
    const char *part, *graph, *folder;
    int threads;
    double seconds;
    bool json, list, serve, profile;
};

/* One case with those of its parts that were built. */
struct bench {
    const struct bench_case *c;
    const struct options *o;
    struct bench_part *parts;
    bool *built;
};

static const struct bench_case *case_at(int i)
{
    const struct bench_case *const tables[] = {bench_micro_cases,   bench_model_cases,
                                               bench_net_cases,     bench_import_cases,
                                               bench_cluster_cases, bench_file_cases};
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        for (const struct bench_case *c = tables[t]; c->name; c++)
            if (i-- == 0)
                return c;
    return NULL;
}

static const struct bench_case *case_find(const char *name, struct status *st)
{
    const struct bench_case *near = case_at(0), *c;
    for (int i = 0; (c = case_at(i)); i++) {
        if (strcmp(c->name, name) == 0)
            return c;
        if (str_distance(c->name, name) < str_distance(near->name, name))
            near = c;
    }
    status_invalid(st, "there is no case '%s'; did you mean '%s'? `leat bench --list` has all",
                   name, near->name);
    return NULL;
}

static void part_name(const struct bench_case *c, int part, char name[BENCH_PART_NAME])
{
    name[0] = 0;
    if (c->part_name)
        c->part_name(part, name, BENCH_PART_NAME);
}

static void bench_open(struct bench *b, const struct bench_case *c, const struct options *o)
{
    *b = (struct bench){.c = c, .o = o};
    b->parts = mem_new_array(struct bench_part, c->num_parts);
    b->built = mem_new_array(bool, c->num_parts);
}

static void part_drop(struct bench *b, int part)
{
    if (b->built[part])
        bench_part_release(&b->parts[part]);
    b->built[part] = false;
}

static void bench_close(struct bench *b)
{
    for (int i = 0; i < b->c->num_parts; i++)
        part_drop(b, i);
    mem_free(b->parts);
    mem_free(b->built);
}

static bool part_get(struct bench *b, int part, struct status *st)
{
    struct bench_part *p = &b->parts[part];
    if (b->built[part])
        return true;
    *p = (struct bench_part){.folder = b->o->folder};
    maker_init(&p->m);
    b->built[part] = true;
    b->c->build(p, part);
    return bench_part_start(p, b->c, b->o->threads, st);
}

static bool part_find(const struct bench_case *c, const char *name, int *part, struct status *st)
{
    char own[BENCH_PART_NAME];
    for (*part = 0; *part < c->num_parts; ++*part) {
        part_name(c, *part, own);
        if (strcmp(own, name) == 0)
            return true;
    }
    part_name(c, 0, own);
    if (own[0] == 0)
        return status_invalid(st, "it has no parts to choose from: leave --part out");
    return status_invalid(st, "no part '%s'; the first is '%s', and its table shows all", name,
                          own);
}

/* ---- what is printed */

/* MiB of memory that is this process's alone; 0 where the system does not say. */
static double private_mib(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "RssAnon:", 8) == 0)
            kib = strtol(line + 8, NULL, 10);
    if (f)
        fclose(f);
    return (double)kib / 1024;
}

static void print_json_head(const struct bench *b, const struct bench_figures *f)
{
    printf("{\"case\": \"%s\", \"threads\": %d, \"unit\": \"%s\", \"median\": %.6g, \"p10\": %.6g, "
           "\"p90\": %.6g",
           b->c->name, b->o->threads, bench_unit_name(b->c->unit), f->median, f->p10, f->p90);
}

static void print_json_training(const struct bench_part *p)
{
    double data = 0;
    for (int i = 0; i < p->num_feeds; i++)
        data += (double)p->feeds[i].bytes * p->feeds[i].num_batches / (1 << 20);
    if (p->training)
        printf(", \"first_loss\": %.6g, \"loss\": %.6g, \"steps\": %lld, \"private_mib\": %.1f, "
               "\"data_mib\": %.1f",
               p->first, p->last, (long long)p->runs, private_mib(), data);
}

/* The geometric mean of the parts stands for the case. */
static void summarize(const struct bench_figures *v, int n, struct bench_figures *out)
{
    double sum[3] = {0};
    for (int i = 0; i < n; i++) {
        sum[0] += log(v[i].median) / n;
        sum[1] += log(v[i].p10) / n;
        sum[2] += log(v[i].p90) / n;
    }
    *out = (struct bench_figures){exp(sum[0]), exp(sum[1]), exp(sum[2])};
}

static void print_row(const struct bench *b, int part, const struct bench_figures *f)
{
    char name[BENCH_PART_NAME];
    part_name(b->c, part, name);
    printf("%-14s %-24s %2d %12.4g %12.4g %12.4g  %s\n", b->c->name, name, b->o->threads, f->median,
           f->p10, f->p90, bench_unit_name(b->c->unit));
    fflush(stdout);
}

static void print_json(const struct bench *b, const struct bench_figures *v, int first, int n)
{
    struct bench_figures all;
    char name[BENCH_PART_NAME];
    summarize(v, n, &all);
    print_json_head(b, &all);
    if (n == 1)
        printf(", \"runs\": %lld", (long long)b->parts[first].runs);
    if (n == 1)
        print_json_training(&b->parts[first]);
    if (b->c->part_name) {
        fputs(", \"parts\": [", stdout);
        for (int i = 0; i < n; i++) {
            part_name(b->c, first + i, name);
            printf("%s{\"part\": \"%s\", \"median\": %.6g, \"p10\": %.6g, \"p90\": %.6g}",
                   i > 0 ? ", " : "", name, v[i].median, v[i].p10, v[i].p90);
        }
        putchar(']');
    }
    puts("}");
    fflush(stdout);
}

static void show_progress(const struct bench *b, int part)
{
    char name[BENCH_PART_NAME];
    part_name(b->c, part, name);
    if (isatty(STDERR_FILENO) && !b->o->json)
        fprintf(stderr, "measuring %s %s ...\033[K\r", b->c->name, name);
}

/* ---- what is done */

static bool run_case(const struct bench_case *c, const struct options *o, struct status *st)
{
    struct bench b;
    bench_open(&b, c, o);
    struct bench_figures *v = mem_new_array(struct bench_figures, c->num_parts);
    int first = 0, n = c->num_parts;
    bool ok = true;
    if (o->part) {
        ok = part_find(c, o->part, &first, st);
        n = 1;
    }
    for (int i = 0; ok && i < n; i++) {
        show_progress(&b, first + i);
        ok = part_get(&b, first + i, st) &&
             bench_measure(&b.parts[first + i], c->unit, o->seconds, &v[i], st);
        if (ok && !o->json)
            print_row(&b, first + i, &v[i]);
        if (ok && o->profile)
            ok = bench_profile(&b.parts[first + i], st);
        if (n > 1)
            part_drop(&b, first + i);
    }
    if (ok && o->json)
        print_json(&b, v, first, n);
    mem_free(v);
    bench_close(&b);
    if (!ok)
        status_prepend(st, "%s: ", c->name);
    return ok;
}

/* The graph that the part runs, or the one that it imports. */
static bool write_graph(const struct bench_case *c, const struct options *o, struct status *st)
{
    struct bench b;
    int part = 0;
    TF_Status *status = TF_NewStatus();
    TF_Buffer *def = NULL;
    bench_open(&b, c, o);
    bool ok = (!o->part || part_find(c, o->part, &part, st)) && part_get(&b, part, st);
    const TF_Buffer *bytes = b.parts[part].graph_def;
    if (ok && !bytes) {
        bytes = def = TF_NewBuffer();
        TF_GraphToGraphDef(b.parts[part].m.graph, def, status);
        ok = cli_ok(status, st);
    }
    ok = ok && cli_write_file(o->graph, bytes->data, bytes->length, st);
    TF_DeleteBuffer(def);
    TF_DeleteStatus(status);
    bench_close(&b);
    return ok;
}

static bool serve_line(struct bench *b, char *line, struct status *st)
{
    struct bench_figures f;
    int part;
    char *rest;
    line[strcspn(line, "\n")] = 0;
    double seconds = strtod(line, &rest);
    if (rest == line || !(seconds >= 0 && seconds <= 3600))
        return status_invalid(st, "a line \"SECONDS PART\" is wanted, not '%s'", line);
    if (!part_find(b->c, rest + (*rest == ' '), &part, st) || !part_get(b, part, st) ||
        !bench_measure(&b->parts[part], b->c->unit, seconds, &f, st))
        return false;
    print_json(b, &f, part, 1);
    return true;
}

static bool serve(const struct bench_case *c, const struct options *o, struct status *st)
{
    struct bench b;
    char line[256], name[BENCH_PART_NAME];
    bool ok = true;
    bench_open(&b, c, o);
    fputs("{\"ready\": [", stdout);
    for (int i = 0; i < c->num_parts; i++) {
        part_name(c, i, name);
        printf("%s\"%s\"", i > 0 ? ", " : "", name);
    }
    puts("]}");
    fflush(stdout);
    while (ok && fgets(line, sizeof line, stdin))
        ok = serve_line(&b, line, st);
    bench_close(&b);
    return ok;
}

static bool read_option(struct options *o, struct args args, int *i, struct status *st)
{
    const char *word = args.words[*i];
    bool *flag = strcmp(word, "--json") == 0      ? &o->json
                 : strcmp(word, "--list") == 0    ? &o->list
                 : strcmp(word, "--serve") == 0   ? &o->serve
                 : strcmp(word, "--profile") == 0 ? &o->profile
                                                  : NULL;
    if (flag) {
        *flag = true;
        return true;
    }
    static const char *const with_value[] = {"--case",    "--part",  "--threads",
                                             "--seconds", "--graph", "--folder"};
    int which = 0, all = (int)ARRAY_LEN(with_value);
    while (which < all && strcmp(word, with_value[which]) != 0)
        which++;
    if (which == all)
        return args_unknown("bench", word, st);
    const char *value = args_value(args, i, st);
    int64_t threads = 1;
    if (!value)
        return false;
    if (which == 0)
        return (o->only = case_find(value, st)) != NULL;
    if (which == 1)
        o->part = value;
    if (which == 4)
        o->graph = value;
    if (which == 5)
        o->folder = value;
    if (which == 2 && (!str_to_i64(str_of(value), &threads) || threads < 1 || threads > 256))
        return status_invalid(st, "--threads wants a number from 1 to 256, not '%s'", value);
    if (which == 2)
        o->threads = (int)threads;
    if (which == 3 &&
        (!str_to_double(str_of(value), &o->seconds) || !(o->seconds >= 0) || o->seconds > 3600))
        return status_invalid(st, "--seconds wants a number from 0 to 3600, not '%s'", value);
    return true;
}

static bool list_cases(void)
{
    const struct bench_case *c;
    for (int i = 0; (c = case_at(i)); i++)
        printf("%-14s %-8s %s\n", c->name, bench_unit_name(c->unit), c->what);
    return true;
}

bool bench_main(struct args args, struct status *st)
{
    struct options o = {.threads = 1, .seconds = 1, .folder = getenv("TMPDIR")};
    const struct bench_case *c;
    for (int i = 0; i < args.n; i++)
        if (!read_option(&o, args, &i, st))
            return false;
    if (!o.folder)
        o.folder = "/tmp";
    if (o.list)
        return list_cases();
    if (!o.only && (o.part || o.serve || o.profile || o.graph))
        return status_invalid(st, "--part, --serve, --profile and --graph want a --case");
    if (o.graph)
        return write_graph(o.only, &o, st);
    if (o.serve)
        return serve(o.only, &o, st);
    if (!o.json)
        printf("%-14s %-24s %2s %12s %12s %12s  unit\n", "case", "part", "T", "median", "p10",
               "p90");
    if (o.only)
        return run_case(o.only, &o, st);
    bool ok = true;
    for (int i = 0; ok && (c = case_at(i)); i++)
        ok = run_case(c, &o, st);
    return ok;
}
