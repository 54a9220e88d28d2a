/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder share: several codes do the same work in turn, sample by sample,
 * so that a machine that others use is slow for all of them alike. A program is
 *
 *     build/bench/math-NAME PART...             a table
 *     build/bench/math-NAME --serve [--threads T]   "SECONDS PART" lines in, a JSON line for each
 *
 * the second as `leat bench --serve` and the peers do it (bench/README.md). */
#ifndef LEAT_BENCH_MATH_BARE_H
#define LEAT_BENCH_MATH_BARE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "base/lock.h"
#include "base/pool.h"

enum { BARE_MAX_CODES = 4, BARE_MAX_SAMPLES = 512 };

struct bare_code {
    const char *name;
    void (*run)(void); /* NULL: absent, or not for this part */
};

struct bare {
    const char *unit;
    /* Makes ready for a part: the work of one run (1e9 operations or bytes), or 0 for what is no
     * part. The codes are filled in; what was made before is released. */
    double (*prepare)(const char *part, struct bare_code codes[BARE_MAX_CODES]);
};

static int bare_threads = 1;
static bool bare_serves;
static struct pool *bare_pool;

static inline int bare_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A table of one thread is of its processor time, which leaves out what others run meanwhile;
 * --serve is asked for what time passes, as everybody beside it is. */
static inline int64_t bare_clock(void)
{
    struct timespec t;
    clock_gettime(bare_threads > 1 || bare_serves ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline double bare_time(void (*run)(void), int64_t n)
{
    const int64_t start = bare_clock();
    for (int64_t i = 0; i < n; i++)
        run();
    return (double)(bare_clock() - start + 1) / (double)n;
}

/* Threads of the code before spin a while for more work: they would take a core from this one. */
static inline double bare_sample(void (*run)(void), int64_t n)
{
    if (bare_threads > 1) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        run();
    }
    return bare_time(run, n);
}

/* Work a second of each code: the median of its samples. */
static inline void bare_measure(const struct bare_code *codes, double work, double seconds,
                                double rates[BARE_MAX_CODES])
{
    static double samples[BARE_MAX_CODES][BARE_MAX_SAMPLES];
    int64_t repeat[BARE_MAX_CODES] = {0};
    for (int c = 0; c < BARE_MAX_CODES; c++) {
        if (!codes[c].run)
            continue;
        codes[c].run();
        repeat[c] = (int64_t)(2e6 / bare_time(codes[c].run, 1)) + 1;
    }
    const int64_t end = clock_now_ns() + (int64_t)(seconds * 1e9);
    int n = 0;
    do {
        for (int c = 0; c < BARE_MAX_CODES; c++)
            if (codes[c].run)
                samples[c][n] = bare_sample(codes[c].run, repeat[c]);
        n++;
    } while (n < BARE_MAX_SAMPLES && (clock_now_ns() < end || n < 3));
    for (int c = 0; c < BARE_MAX_CODES; c++) {
        qsort(samples[c], (size_t)n, sizeof samples[c][0], bare_compare);
        rates[c] = codes[c].run ? work * 1e9 / samples[c][n / 2] : 0;
    }
}

static inline bool bare_answer(const struct bare *b, const char *part, double seconds, bool json)
{
    struct bare_code codes[BARE_MAX_CODES] = {{0}};
    double rates[BARE_MAX_CODES];
    const double work = b->prepare(part, codes);
    if (work <= 0)
        return false;
    bare_measure(codes, work, seconds, rates);
    printf(json ? "{\"part\": \"%s\", \"unit\": \"%s\", \"codes\": {" : "%-32s %s", part, b->unit);
    const char *between = "";
    for (int c = 0; c < BARE_MAX_CODES; c++) {
        if (!codes[c].run)
            continue;
        printf(json ? "%s\"%s\": %.6g" : "%s  %s %.1f", between, codes[c].name, rates[c]);
        between = json ? ", " : "";
    }
    puts(json ? "}}" : "");
    fflush(stdout);
    return true;
}

static inline int bare_main(const struct bare *b, int argc, char **argv)
{
    char line[256], *rest;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        bare_serves = bare_serves || strcmp(argv[first], "--serve") == 0;
        if (strcmp(argv[first], "--threads") == 0 && first + 1 < argc)
            bare_threads = (int)strtol(argv[++first], NULL, 10);
    }
    if (bare_threads < 1 || bare_threads > 256)
        return 2;
    bare_pool = pool_new("bench", bare_threads);
    for (; first < argc; first++)
        if (!bare_answer(b, argv[first], 0.3, false))
            fprintf(stderr, "'%s' is no part of this program\n", argv[first]);
    if (bare_serves) {
        puts("{\"ready\": []}");
        fflush(stdout);
    }
    while (bare_serves && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        const double seconds = strtod(line, &rest);
        if (!bare_answer(b, rest + (*rest == ' '), seconds, true)) {
            puts("{\"error\": \"no such part here\"}");
            fflush(stdout);
        }
    }
    pool_free(bare_pool);
    return 0;
}

static inline void *bare_array(int64_t items, size_t size, bool doubles)
{
    void *p = aligned_alloc(64, ((size_t)items * size + 127) / 64 * 64);
    for (int64_t i = 0; p && i < items; i++) {
        const double v = (double)(i * 7919 % 1000) / 1000 - 0.5;
        if (doubles)
            ((double *)p)[i] = v;
        else
            ((float *)p)[i] = (float)v;
    }
    if (!p)
        abort(); /* a benchmark without memory has nothing to say */
    return p;
}

#endif
