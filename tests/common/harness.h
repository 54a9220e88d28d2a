/* SPDX-License-Identifier: Apache-2.0 */
/* Runs many recorded cases and counts: passed, wrong, op missing.
 *
 * Cases run in child processes, each of which takes one case after another; one that crashes, or
 * gives no answer in time, makes its case wrong and is replaced. The closing line is
 * `N passed, N failed, N skipped`: failed is wrong, skipped is op missing. */
#ifndef LEAT_TESTS_COMMON_HARNESS_H
#define LEAT_TESTS_COMMON_HARNESS_H

#include "common/text.h"
#include "tensorflow/c/c_api.h"

struct graph_scan;

enum outcome { OUTCOME_PASSED, OUTCOME_WRONG, OUTCOME_MISSING, OUTCOME_IGNORED };

/* What came of a case. A zeroed one has passed. */
struct verdict {
    enum outcome outcome;
    struct text why;     /* wrong: the first difference */
    struct text missing; /* op missing: what, one a line */
    int64_t num_runs;    /* session runs, or values compared */
    int64_t shapes_compared, shapes_contradicting;
    int64_t micros;
};

struct harness_options {
    const char *filter;  /* only cases whose name has this */
    bool list_wrong;     /* all of them, not the first few */
    bool ops_missing;    /* the whole table */
    bool ops_needed;     /* look which ops are missing, run nothing */
    bool drop_optimizer; /* replay without the config's optimiser switches */
    bool verbose;
    int jobs;
    int timeout_s; /* for one case */
};

struct suite {
    const char *title; /* "traces" */
    size_t num_cases;
    void *data;
    const char *(*case_name)(const struct suite *s, size_t i);
    const char *(*case_group)(const struct suite *s, size_t i); /* one of at most 8 */
    void (*run)(const struct suite *s, const struct harness_options *o, size_t i,
                struct verdict *v);
};

/* False, with usage printed, at an argument that is none. */
bool harness_parse(struct harness_options *o, int argc, char **argv, const char *about);
/* Runs the suite and prints the tables and the closing line; the exit status. */
int harness_run(const struct suite *s, const struct harness_options *o);
/* Says that the data are absent, and prints the closing line; the exit status. */
int harness_absent(const char *title, const char *path);

/* ---- for the cases ---- */

/* Makes a verdict that has passed so far wrong; printf-like. Always false. */
bool verdict_wrong(struct verdict *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes the verdict op missing when an error that was not recorded says that the library lacks
 * something and names it: UNIMPLEMENTED, no kernel, or, for `gradient`, no gradient. False: it is
 * an ordinary error. */
bool verdict_lacks(struct verdict *v, const struct graph_scan *scan, const TF_Status *status,
                   bool gradient);
/* Makes the verdict op missing when the graph has ops that are not registered. */
bool verdict_ops_absent(struct verdict *v, const struct graph_scan *scan);

#endif
