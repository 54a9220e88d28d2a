/* SPDX-License-Identifier: Apache-2.0 */
/* The command line and the tables of harness.h. */
#include "common/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/files.h"
#include "common/known.h"
#include "common/workers.h"

enum { SHORT_LIST = 20, MAX_GROUPS = 8 };

/* Seconds for one case; sanitizers slow it down. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CASE_SECONDS = 120 };
#else
enum { CASE_SECONDS = 20 };
#endif

static void print_usage(const char *program, const char *about)
{
    printf("%s\n"
           "usage: %s [options]\n"
           "  --filter SUBSTR          only cases whose name has SUBSTR\n"
           "  --list-wrong             every wrong case, not the first %d\n"
           "  --ops-missing            every missing op, not the first %d\n"
           "  --ops-needed             run nothing; list which ops block how many cases\n"
           "  --no-optimizer-switches  ignore the optimiser switches of recorded configs (traces)\n"
           "  --timeout SECONDS        for one case (%d)\n"
           "  -j N                     child processes (one a core, at most 4)\n"
           "  -v                       what the library prints, and the slowest cases\n",
           about, program, SHORT_LIST, SHORT_LIST, CASE_SECONDS);
}

static bool parse_number(const char *text, int low, int high, int *out)
{
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    if (!text || *end || end == text || n < low || n > high)
        return false;
    *out = (int)n;
    return true;
}

static bool parse_one(struct harness_options *o, const char *arg, const char *value, bool *took)
{
    if (strcmp(arg, "--filter") == 0 && value)
        o->filter = value;
    else if (strcmp(arg, "--timeout") == 0)
        return *took = true, parse_number(value, 1, 100000, &o->timeout_s);
    else if (strncmp(arg, "-j", 2) == 0 && arg[2])
        return parse_number(arg + 2, 1, 16, &o->jobs);
    else if (strcmp(arg, "-j") == 0)
        return *took = true, parse_number(value, 1, 16, &o->jobs);
    else if (strcmp(arg, "--list-wrong") == 0)
        return o->list_wrong = true;
    else if (strcmp(arg, "--ops-missing") == 0)
        return o->ops_missing = true;
    else if (strcmp(arg, "--ops-needed") == 0)
        return o->ops_needed = true;
    else if (strcmp(arg, "--no-optimizer-switches") == 0 || strcmp(arg, "--no-optimizer") == 0)
        return o->drop_optimizer = true;
    else if (strcmp(arg, "-v") == 0)
        return o->verbose = true;
    else
        return false;
    return *took = true;
}

bool harness_parse(struct harness_options *o, int argc, char **argv, const char *about)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct harness_options){.jobs = cores < 1   ? 1
                                          : cores < 4 ? (int)cores
                                                      : 4,
                                  .timeout_s = CASE_SECONDS};
    for (int i = 1; i < argc; i++) {
        bool took = false;
        if (!parse_one(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &took)) {
            print_usage(argv[0], about);
            return false;
        }
        i += took;
    }
    return true;
}

int harness_absent(const char *title, const char *path)
{
    printf("%s: skipped: there is no %s (LEAT_SHARED names the folder of given data)\n", title,
           path);
    printf("0 passed, 0 failed, 1 skipped\n");
    return 0;
}

/* ---- missing ops ---- */

struct op_count {
    char *name;
    int cases, alone; /* cases that it blocks, and those that nothing else blocks */
};

struct op_table {
    struct op_count *rows;
    size_t num, cap;
};

static struct op_count *op_row(struct op_table *t, struct bytes name)
{
    for (size_t i = 0; i < t->num; i++)
        if (bytes_are(name, t->rows[i].name))
            return &t->rows[i];
    if (t->num == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 64;
        struct op_count *rows = test_alloc(t->cap, sizeof(*rows));
        if (t->num)
            memcpy(rows, t->rows, t->num * sizeof(*rows));
        free(t->rows);
        t->rows = rows;
    }
    t->rows[t->num].name = test_strndup(name.p, name.n);
    return &t->rows[t->num++];
}

static int by_cases(const void *a, const void *b)
{
    const struct op_count *x = a, *y = b;
    if (x->cases != y->cases)
        return x->cases < y->cases ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void count_missing(struct op_table *t, const struct verdict *v)
{
    struct bytes rest = text_bytes(&v->missing), line;
    int num = 0;
    struct op_count *row = NULL;
    for (; line_next(&rest, &line); num++) {
        row = op_row(t, line);
        row->cases++;
    }
    if (num == 1)
        row->alone++;
}

static void print_missing(const struct suite *s, const size_t *order, size_t num,
                          const struct verdict *verdicts, bool all)
{
    struct op_table t = {0};
    for (size_t i = 0; i < num; i++)
        if (verdicts[order[i]].outcome == OUTCOME_MISSING)
            count_missing(&t, &verdicts[order[i]]);
    if (t.num) {
        qsort(t.rows, t.num, sizeof(*t.rows), by_cases);
        printf("\n%zu ops missing; what they block (%s, and those that nothing else blocks):\n",
               t.num, s->title);
    }
    for (size_t i = 0; i < t.num; i++) {
        if (all || i < SHORT_LIST)
            printf("  %5d %5d  %s\n", t.rows[i].cases, t.rows[i].alone, t.rows[i].name);
        free(t.rows[i].name);
    }
    if (!all && t.num > SHORT_LIST)
        printf("  ... --ops-missing lists all\n");
    free(t.rows);
}

/* ---- the other tables ---- */

static void print_wrong(const struct suite *s, const size_t *order, size_t num,
                        const struct verdict *verdicts, bool all)
{
    size_t shown = 0;
    for (size_t i = 0; i < num; i++) {
        const struct verdict *v = &verdicts[order[i]];
        if (v->outcome != OUTCOME_WRONG)
            continue;
        if (shown++ == 0)
            printf("\nwrong:\n");
        const char *name = s->case_name(s, order[i]), *known = known_reason(name);
        if (all || shown <= SHORT_LIST)
            printf("  %s\n      %s\n", name, text_str(&v->why));
        if (known && (all || shown <= SHORT_LIST))
            printf("      known, counted as skipped: %s\n", known);
    }
    if (!all && shown > SHORT_LIST)
        printf("  ... %zu more; --list-wrong lists all\n", shown - SHORT_LIST);
}

static void print_slowest(const struct suite *s, const size_t *order, size_t num,
                          const struct verdict *verdicts)
{
    int64_t limit = INT64_MAX;
    printf("\nslowest:\n");
    for (int shown = 0; shown < 10; shown++) {
        const struct verdict *best = NULL;
        size_t which = 0;
        for (size_t i = 0; i < num; i++) {
            const struct verdict *v = &verdicts[order[i]];
            if (v->micros < limit && (!best || v->micros > best->micros)) {
                best = v;
                which = order[i];
            }
        }
        if (!best)
            return;
        limit = best->micros;
        printf("  %6.2f s  %s\n", (double)best->micros / 1e6, s->case_name(s, which));
    }
}

struct group_count {
    const char *name;
    size_t outcomes[4], cases;
    int64_t runs, shapes, contradicting;
};

static struct group_count *group_row(struct group_count *groups, const char *name)
{
    int i = 0;
    while (i < MAX_GROUPS - 1 && groups[i].name && strcmp(groups[i].name, name) != 0)
        i++;
    groups[i].name = name;
    return &groups[i];
}

/* Adds up by group; returns the totals. */
static struct group_count count_groups(const struct suite *s, const size_t *order, size_t num,
                                       const struct verdict *verdicts, struct group_count *groups)
{
    struct group_count total = {0};
    for (size_t i = 0; i < num; i++) {
        const struct verdict *v = &verdicts[order[i]];
        struct group_count *g = group_row(groups, s->case_group(s, order[i]));
        g->cases++;
        g->outcomes[v->outcome]++;
        g->runs += v->num_runs;
        g->shapes += v->shapes_compared;
        g->contradicting += v->shapes_contradicting;
        total.outcomes[v->outcome]++;
    }
    return total;
}

static void print_group(const struct group_count *g)
{
    printf("%s: %zu cases, %lld checks: %zu passed, %zu wrong, %zu op missing", g->name, g->cases,
           (long long)g->runs, g->outcomes[OUTCOME_PASSED], g->outcomes[OUTCOME_WRONG],
           g->outcomes[OUTCOME_MISSING]);
    if (g->outcomes[OUTCOME_IGNORED])
        printf(", %zu without an expected value", g->outcomes[OUTCOME_IGNORED]);
    if (g->shapes)
        printf("; %lld inferred shapes, %lld contradict", (long long)g->shapes,
               (long long)g->contradicting);
    printf("\n");
}

/* Wrong cases that are known; says which of the known ones pass again. */
static size_t count_known(const struct suite *s, const size_t *order, size_t num,
                          const struct verdict *verdicts)
{
    size_t known = 0;
    for (size_t i = 0; i < num; i++) {
        const char *name = s->case_name(s, order[i]);
        if (!known_reason(name))
            continue;
        known += verdicts[order[i]].outcome == OUTCOME_WRONG;
        if (verdicts[order[i]].outcome == OUTCOME_PASSED)
            printf("\n%s passes: take it out of tests/common/known.c\n", name);
    }
    return known;
}

/* The lines at the end; whether nothing failed. */
static bool print_totals(const struct suite *s, const struct harness_options *o,
                         const size_t *order, size_t num, const struct verdict *verdicts,
                         bool ended_well)
{
    struct group_count groups[MAX_GROUPS] = {0};
    struct group_count total = count_groups(s, order, num, verdicts, groups);
    size_t known = count_known(s, order, num, verdicts);
    size_t failed = total.outcomes[OUTCOME_WRONG] - known + !ended_well;
    printf("\n");
    if (o->ops_needed) {
        printf("%zu of %zu cases are blocked; nothing was run\n", total.outcomes[OUTCOME_MISSING],
               num);
        return failed == 0;
    }
    for (int i = 0; i < MAX_GROUPS && groups[i].name; i++)
        print_group(&groups[i]);
    printf("%zu passed, %zu failed, %zu skipped\n", total.outcomes[OUTCOME_PASSED], failed,
           total.outcomes[OUTCOME_MISSING] + known);
    return failed == 0;
}

static size_t select_cases(const struct suite *s, const char *filter, size_t *order)
{
    size_t num = 0;
    for (size_t i = 0; i < s->num_cases; i++)
        if (!filter || strstr(s->case_name(s, i), filter))
            order[num++] = i;
    return num;
}

int harness_run(const struct suite *s, const struct harness_options *o)
{
    size_t *order = test_alloc(s->num_cases, sizeof(*order));
    struct verdict *verdicts = test_alloc(s->num_cases, sizeof(*verdicts));
    struct text ending = {0};
    size_t num = select_cases(s, o->filter, order);
    bool ended_well = workers_run(s, o, order, num, verdicts, &ending);
    if (o->verbose)
        print_slowest(s, order, num, verdicts);
    print_missing(s, order, num, verdicts, o->ops_missing || o->ops_needed);
    print_wrong(s, order, num, verdicts, o->list_wrong);
    if (!ended_well)
        printf("\n%s: %s\n", s->title, text_str(&ending));
    bool ok = print_totals(s, o, order, num, verdicts, ended_well);
    for (size_t i = 0; i < s->num_cases; i++) {
        text_release(&verdicts[i].why);
        text_release(&verdicts[i].missing);
    }
    free(verdicts);
    free(order);
    text_release(&ending);
    return !ok;
}
