/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `leat demo` share: tables of numbers, graph building with one error check at
 * the end, and the figures that it reports. */
#ifndef LEAT_CLI_DEMO_H
#define LEAT_CLI_DEMO_H

#include "cli/cli.h"

struct table { /* rows x cols, row by row; release with mem_free(values) */
    float *values;
    int64_t rows, cols;
};
/* Reads numbers with commas between them; a head line is skipped. */
MUST_CHECK bool table_read(const char *path, struct table *out, struct status *st);

/* A graph in the making. After a failed step the rest do nothing; `s` holds the first error. */
struct maker {
    TF_Graph *graph;
    TF_Session *session;
    TF_Status *s;
    TF_Output vars[16];
    const TF_Operation *inits[16];
    int num_vars;
    uint64_t seed;
};
void maker_init(struct maker *m);
void maker_release(struct maker *m);
TF_Output make_op(struct maker *m, const char *op, int n, const TF_Output *inputs);
TF_Output make_floats(struct maker *m, const float *v, int64_t rows, int64_t cols);
TF_Output make_scalar(struct maker *m, float v);
TF_Output make_ints(struct maker *m, const int32_t *v, int64_t n);
TF_Output make_placeholder(struct maker *m, TF_DataType type);
/* A trained variable of this shape, uniform in [-limit, limit] at the start. */
TF_Output make_variable(struct maker *m, const int64_t *dims, int num_dims, float limit);
TF_Output make_conv(struct maker *m, TF_Output x, TF_Output filter, int64_t stride);
/* Opens the session and initialises the variables. */
MUST_CHECK bool maker_start(struct maker *m, struct status *st);
/* A float or int32 tensor with a copy of data. */
TF_Tensor *demo_tensor(TF_DataType type, const int64_t *dims, int num_dims, const void *data);
uint64_t demo_random(uint64_t *state);

struct figures { /* "key": number, ... */
    struct strbuf json;
    bool quiet; /* --json: nothing but the figures */
};
void figure_add(struct figures *f, const char *model, const char *what, double value);

MUST_CHECK bool demo_ridge(const struct table *iris, struct figures *f, struct status *st);
MUST_CHECK bool demo_digits(const struct table *digits, struct figures *f, struct status *st);

#endif
