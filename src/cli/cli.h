/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `leat`: one row each in main.c's table. A command gets the words after its name;
 * false and a status end the process with the message and exit code 1 (2 for INVALID_ARGUMENT). */
#ifndef LEAT_CLI_CLI_H
#define LEAT_CLI_CLI_H

#include <stdio.h>

#include "base/status.h"
#include "base/str.h"
#include "tensorflow/c/c_api.h"

struct args {
    char **words;
    int n;
};

MUST_CHECK bool info_main(struct args args, struct status *st);
MUST_CHECK bool run_main(struct args args, struct status *st);
MUST_CHECK bool inspect_main(struct args args, struct status *st);
MUST_CHECK bool convert_main(struct args args, struct status *st);
MUST_CHECK bool demo_main(struct args args, struct status *st);
MUST_CHECK bool bench_main(struct args args, struct status *st);
MUST_CHECK bool serve_main(struct args args, struct status *st);
MUST_CHECK bool cluster_main(struct args args, struct status *st);
MUST_CHECK bool task_main(struct args args, struct status *st);

/* The words that `leat help NAME` and errors show. */
extern const char info_usage[], run_usage[], inspect_usage[], convert_usage[], demo_usage[],
    bench_usage[], serve_usage[], cluster_usage[], task_usage[];

/* The value of option args.words[*i], which moves on to it; NULL when none follows. */
const char *args_value(struct args args, int *i, struct status *st) MUST_CHECK;
/* INVALID_ARGUMENT that names the word and how to go on. Always false. */
bool args_unknown(const char *command, const char *word, struct status *st);

struct names { /* of nodes, tensors, tags: as the command line has them */
    const char **v;
    int n;
};
/* The words between the commas of text, empty ones left out; in the arena. */
struct arena;
void names_split(struct arena *a, const char *text, struct names *out);

/* The library's status as ours; false when it is not OK. */
MUST_CHECK bool cli_ok(const TF_Status *from, struct status *st);

/* The whole file; the caller frees *bytes with mem_free. NOT_FOUND names the path. */
MUST_CHECK bool cli_read_file(const char *path, char **bytes, size_t *n, struct status *st);
MUST_CHECK bool cli_write_file(const char *path, const void *bytes, size_t n, struct status *st);
/* Closes a file that was written to; ok: whether all was taken so far. DATA_LOSS says why not. */
MUST_CHECK bool cli_close(FILE *f, bool ok, const char *path, struct status *st);

/* Order of doubles, for qsort. */
int cli_by_size(const void *x, const void *y);

#endif
