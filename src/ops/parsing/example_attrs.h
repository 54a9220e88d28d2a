/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and inputs of the ops that parse examples: checks, columns from them, shapes. */
#ifndef LEAT_OPS_PARSING_EXAMPLE_ATTRS_H
#define LEAT_OPS_PARSING_EXAMPLE_ATTRS_H

#include "op/infer.h"
#include "ops/parsing/columns.h"

/* Lists of attributes that must be equally long. */
struct same_length {
    const char *of; /* words for messages: "sparse" */
    int64_t num;
    const char *lists[4]; /* attributes */
};
MUST_CHECK bool attrs_same_length(const struct attrs *a, struct same_length s, struct status *st);
/* Every shape of the list is known, but for the first dim where `variable`. */
MUST_CHECK bool attrs_dense_shapes(const struct attrs *a, const char *list, bool variable,
                                   struct status *st);

/* Where the keys of columns come from. */
struct key_source {
    const struct attr_value *list; /* NULL: scalars among the inputs */
    int first_input;
};
/* Keys and types of num columns from `first`. */
MUST_CHECK bool columns_name(struct columns *cs, struct kctx *c, int first, struct key_source from,
                             const struct attr_value *types, struct status *st);
/* Shapes of the dense columns. */
MUST_CHECK bool columns_shapes(struct columns *cs, const struct attr_value *shapes,
                               struct status *st);
/* Default values of the dense columns: inputs from `first`, which must fit their shapes. */
MUST_CHECK bool columns_defaults(struct columns *cs, struct kctx *c, int first, const char *shapes,
                                 struct status *st);
/* names is empty or as long as the batch. */
MUST_CHECK bool check_names(const struct parse_job *job, const char *names, struct status *st);

/* Shapes of n sparse outputs from `first`: matrices of this many columns, vectors, vectors. */
void infer_sparse_outputs(struct infer_ctx *c, int first, int n, int width);
/* of num dense outputs: before and the shape of the list (its first dim may be unknown). */
void infer_dense_outputs(struct infer_ctx *c, int first, const struct shape *before,
                         const char *list);

#endif
