/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `leat bench` share: a case is a row of a table, its parts are graphs that are
 * run again and again. A part is built when it is first measured. */
#ifndef LEAT_CLI_BENCH_H
#define LEAT_CLI_BENCH_H

#include "cli/maker.h"

enum { BENCH_MAX_FEEDS = 4, BENCH_BATCHES = 8 };

/* Batches of one placeholder's values, fed in turn without a copy. */
struct bench_feed {
    TF_Output at;
    TF_DataType type;
    int64_t dims[4];
    int num_dims;
    int num_batches;
    size_t bytes; /* of one batch, a multiple of 64 */
    char *data;   /* aligned to 64 bytes; owned */
};

/* A graph with the run that is measured. Zeroed, then filled by the case's build; released by
 * bench_part_release, which frees the feeds' data too. */
struct bench_part {
    struct maker m;
    struct bench_feed feeds[BENCH_MAX_FEEDS];
    int num_feeds;
    TF_Output fetch; /* a float scalar, fetched each time; .oper NULL: nothing is */
    const TF_Operation *target;
    TF_Operation *extra[64]; /* of a training step, besides the optimizer's updates */
    int num_extra;
    double work; /* in one run: nodes, 1e9 operations, bytes / 1e9, or steps */
    /* What a run is in place of a session's step; NULL: that. Counts runs. */
    bool (*call)(struct bench_part *p, struct status *st);
    void (*release)(struct bench_part *p); /* what `own` is freed by; NULL: nothing is */
    void *own;
    TF_Buffer *graph_def; /* what call reads; NULL: none. Deleted with the part */
    const char *folder;   /* where cases that write files do so; the options' */
    bool training;
    int64_t runs;
    double last; /* what was fetched last */
    double first;
};

enum bench_unit { BENCH_NS, BENCH_GFLOPS, BENCH_GBS, BENCH_STEPS };

struct bench_case {
    const char *name;
    enum bench_unit unit;
    const char *what;
    int num_parts;
    /* The part's name; NULL: the case has one part, without a name. */
    void (*part_name)(int part, char *name, size_t size);
    void (*build)(struct bench_part *p, int part); /* errors stay in p->m.s */
};
enum { BENCH_PART_NAME = 48 };

/* The tables of the files of cases; the last row has no name. */
extern const struct bench_case bench_micro_cases[], bench_model_cases[], bench_net_cases[],
    bench_import_cases[], bench_cluster_cases[], bench_file_cases[];

/* Opens the session, with so many threads; a part that has no steps needs none. */
MUST_CHECK bool bench_part_start(struct bench_part *p, const struct bench_case *c, int threads,
                                 struct status *st);
MUST_CHECK bool bench_part_run(struct bench_part *p, TF_Buffer *options, TF_Buffer *metadata,
                               struct status *st);
void bench_part_release(struct bench_part *p);

/* A placeholder with batches of random data: floats in [-1, 1), or int32 in [0, limit). */
TF_Output bench_input(struct bench_part *p, TF_DataType type, const int64_t *dims, int num_dims,
                      int64_t limit);
/* All of these in one run: a NoOp after them. */
void bench_target(struct bench_part *p, TF_Operation *const *after, int n);

/* Values in the case's unit. */
struct bench_figures {
    double median, p10, p90;
};
MUST_CHECK bool bench_measure(struct bench_part *p, enum bench_unit unit, double seconds,
                              struct bench_figures *out, struct status *st);
const char *bench_unit_name(enum bench_unit unit);

/* Where the time of a run goes, by op, from step stats: a table on standard output. */
MUST_CHECK bool bench_profile(struct bench_part *p, struct status *st);

#endif
