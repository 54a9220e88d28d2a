/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `leat demo` share: tables of numbers, graph building with one error check at
 * the end, and the figures that it reports. */
#ifndef LEAT_CLI_DEMO_H
#define LEAT_CLI_DEMO_H

#include "cli/maker.h"

struct table { /* rows x cols, row by row; release with mem_free(values) */
    float *values;
    int64_t rows, cols;
};
/* Reads numbers with commas between them; a head line is skipped. */
MUST_CHECK bool table_read(const char *path, struct table *out, struct status *st);

struct figures { /* "key": number, ... */
    struct strbuf json;
    bool quiet; /* --json: nothing but the figures */
};
void figure_add(struct figures *f, const char *model, const char *what, double value);

MUST_CHECK bool demo_ridge(const struct table *iris, struct figures *f, struct status *st);
MUST_CHECK bool demo_digits(const struct table *digits, struct figures *f, struct status *st);

#endif
