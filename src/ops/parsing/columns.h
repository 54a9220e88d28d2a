/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops that parse examples share: columns (keys with a type and a form), found in every
 * example of a batch and written to outputs.
 *
 * Workload: batches of hundreds of examples with tens of columns. Each example is read twice where
 * it lies: once to find and check its features (in parallel), once to copy the values into outputs
 * whose sizes are known by then. All memory is the kernel's scratch. */
#ifndef LEAT_OPS_PARSING_COLUMNS_H
#define LEAT_OPS_PARSING_COLUMNS_H

#include "op/kernel.h"
#include "ops/parsing/example.h"

struct column {
    struct str key;
    int dtype;
    bool dense;
    bool variable;             /* dense, its first dim as long as the longest */
    bool may_miss;             /* dense list of features: none is an empty one */
    int64_t elems;             /* of a dense value, or of one stride of it */
    const struct shape *shape; /* dense */
    const struct tensor *def;  /* dense; NULL or no elements: required. One element: padding */
    int32_t same_key;          /* another column of this key, or -1 */
};

/* A column in one example. */
struct column_view {
    bool seen;
    struct feature feature;     /* of columns of features */
    struct str list;            /* of columns of feature lists: the FeatureList */
    int64_t count;              /* values */
    int64_t num_steps, longest; /* of a list: features, and values of the longest */
    int64_t at;                 /* sparse: values of the examples before */
};

struct columns { /* the sparse ones first */
    struct column *v;
    int num_sparse, num;
    int32_t *table; /* by hash of the key: a column, or -1 */
    uint64_t mask;
    struct column_view *views;                                  /* [example][column] */
    int first_indices, first_values, first_shapes, first_dense; /* outputs */
    int first_lengths;                                          /* of lists; -1: none */
};

struct parse_job {
    struct kctx *c;
    const struct tstr *texts; /* the examples */
    int64_t num;
    bool single;                /* one example, and outputs without a dim for the batch */
    const struct tensor *names; /* for messages; may be NULL or empty */
    struct columns features, lists;
    int64_t first_wrong; /* atomic */
    bool no_memory;      /* atomic */
};

/* Room for the columns, cleared; the caller fills v and the outputs. */
MUST_CHECK bool columns_init(struct columns *cs, struct kctx *c, int num_sparse, int num_dense,
                             struct status *st);
/* The shape of dense column k: its elems; whether the first dim is unknown. */
MUST_CHECK bool column_set_shape(struct column *col, const struct shape *shape, struct status *st);
/* Reads all examples and makes all outputs. */
MUST_CHECK bool parse_job_run(struct parse_job *job, struct status *st);

#endif
