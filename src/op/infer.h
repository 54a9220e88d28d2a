/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a shape function.
 *
 * Shapes in it are `const struct shape *` that the context owns until the function returns:
 * nothing is freed by hand. Ranks and dims may be unknown (-1); a shape function never fails on
 * the unknown, only on a contradiction. A failing helper has already said why in st. */
#ifndef LEAT_OP_INFER_H
#define LEAT_OP_INFER_H

#include "op/attr.h"
#include "op/op.h"

struct infer_ctx;

int infer_num_inputs(const struct infer_ctx *c);
int infer_num_outputs(const struct infer_ctx *c);
const struct shape *infer_input(const struct infer_ctx *c, int i);
int infer_input_type(const struct infer_ctx *c, int i); /* base type */
int infer_output_type(const struct infer_ctx *c, int i);
const struct attrs *infer_attrs(const struct infer_ctx *c);
int infer_producer_version(const struct infer_ctx *c);
const struct op *infer_op(const struct infer_ctx *c);
const char *infer_node_name(const struct infer_ctx *c); /* "" when there is none */
/* First expanded index and count of the declared argument `name`; false: no such argument. */
bool infer_input_range(const struct infer_ctx *c, const char *name, int *first, int *n);
/* The value of input i where it is a constant of the graph (small ones are computed); else NULL. */
const struct tensor *infer_const(struct infer_ctx *c, int i);
/* Input i holds a shape (a vector of int32/int64, -1: unknown dim): what is known of it. Rank
 * unknown when even its length is. Negative dims other than -1: INVALID_ARGUMENT. */
MUST_CHECK bool infer_const_shape(struct infer_ctx *c, int i, const struct shape **out,
                                  struct status *st);
/* A constant scalar int32/int64; *known says whether it is one. */
MUST_CHECK bool infer_const_int(struct infer_ctx *c, int i, bool *known, int64_t *value,
                                struct status *st);
/* The dim that input i gives, a scalar where its value is known (nothing is asked of its shape
 * else); DIM_UNKNOWN when it is not. Negative: INVALID_ARGUMENT. */
MUST_CHECK bool infer_dim_from(struct infer_ctx *c, int i, int64_t *dim, struct status *st);
void infer_set(struct infer_ctx *c, int i, const struct shape *s); /* shape of output i */

/* What stands behind resource handles and variants; parts may be unknown (n 0). */
struct infer_handle {
    int n;
    const int *dtypes;
    const struct shape *const *shapes;
};
struct infer_handle infer_handle_in(const struct infer_ctx *c, int i);
/* Of output i; h's arrays are copied, its shapes are the context's like all others. */
void infer_set_handle(struct infer_ctx *c, int i, struct infer_handle h);

/* Makers. */
const struct shape *infer_unknown(struct infer_ctx *c);
const struct shape *infer_scalar(struct infer_ctx *c);
const struct shape *infer_vector(struct infer_ctx *c, int64_t n);
const struct shape *infer_matrix(struct infer_ctx *c, int64_t rows, int64_t cols);
const struct shape *infer_of_rank(struct infer_ctx *c, int rank);
const struct shape *infer_make(struct infer_ctx *c, const int64_t *dims, int rank);
const struct shape *infer_copy(struct infer_ctx *c, const struct shape *s);

/* Dims of shapes whose rank may be unknown; negative i counts from the end; -1 when not known. */
int64_t infer_dim(const struct shape *s, int i);

/* s with the given rank; TensorFlow's words on a contradiction ("Shape must be rank 2 but is rank
 * 3"). */
MUST_CHECK bool infer_want_rank(struct infer_ctx *c, const struct shape *s, int rank,
                                const struct shape **out, struct status *st);
MUST_CHECK bool infer_want_rank_min(struct infer_ctx *c, const struct shape *s, int rank,
                                    const struct shape **out, struct status *st);
MUST_CHECK bool infer_want_rank_max(struct infer_ctx *c, const struct shape *s, int rank,
                                    const struct shape **out, struct status *st);
MUST_CHECK bool infer_want_dim(struct infer_ctx *c, int64_t dim, int64_t value, int64_t *out,
                               struct status *st);
MUST_CHECK bool infer_merge(struct infer_ctx *c, const struct shape *a, const struct shape *b,
                            const struct shape **out, struct status *st);
MUST_CHECK bool infer_merge_dim(int64_t a, int64_t b, int64_t *out, struct status *st);
/* s[begin:end] with Python's rules; unknown rank stays unknown. */
const struct shape *infer_slice(struct infer_ctx *c, const struct shape *s, int begin, int end);
const struct shape *infer_concat(struct infer_ctx *c, const struct shape *a, const struct shape *b);
/* s with dim i replaced. */
const struct shape *infer_with_dim(struct infer_ctx *c, const struct shape *s, int i, int64_t dim);
/* Dim arithmetic on possibly unknown dims. */
int64_t infer_dim_add(int64_t a, int64_t b);
int64_t infer_dim_mul(int64_t a, int64_t b);
/* dim / by where by (above 0) divides it; an error where it does not. */
MUST_CHECK bool infer_dim_div(int64_t dim, int64_t by, int64_t *out, struct status *st);
/* The first dims of a, as many as b has, are those of b; *rest is what a has behind them, unknown
 * where a rank is. */
MUST_CHECK bool infer_merge_front(struct infer_ctx *c, const struct shape *a, const struct shape *b,
                                  const struct shape **rest, struct status *st);
MUST_CHECK bool infer_broadcast(struct infer_ctx *c, const struct shape *a, const struct shape *b,
                                const struct shape **out, struct status *st);
/* One dim under a window (convolution, pooling): its output size. */
struct infer_window {
    int64_t in, filter;       /* may be unknown */
    int64_t dilation, stride; /* at least 1 */
    struct str padding;       /* "SAME", "VALID", "EXPLICIT" */
    int64_t before, after;    /* what EXPLICIT adds */
};
MUST_CHECK bool infer_window(const struct infer_window *w, int64_t *out, struct status *st);

/* Ready-made shape functions, to be named in OP_DEF. */
bool infer_unchanged(struct infer_ctx *c, struct status *st); /* every output as input 0 */
bool infer_scalars(struct infer_ctx *c, struct status *st);   /* every output a scalar */
bool infer_unknown_outputs(struct infer_ctx *c, struct status *st);
bool infer_no_outputs(struct infer_ctx *c, struct status *st);
bool infer_binary(struct infer_ctx *c, struct status *st); /* broadcast of inputs 0 and 1 */
/* All inputs have the same shape, outputs too. */
bool infer_merged(struct infer_ctx *c, struct status *st);
bool infer_reduction(struct infer_ctx *c, struct status *st); /* (input, indices), attr keep_dims */

/* --- for the caller (graph/, tests) --- */
struct infer_source { /* where the facts about inputs come from */
    void *arg;
    const struct tensor *(*constant)(void *arg, int i); /* may be NULL */
    /* What is known of input i as a shape vector; may be NULL. */
    bool (*partial_shape)(void *arg, int i, struct shape *out);
};
struct infer_call {
    const struct op *op;
    const struct attrs *attrs;
    const struct shape *input_shapes;         /* num_inputs */
    const struct infer_handle *input_handles; /* may be NULL */
    const int *input_types, *output_types;
    int num_inputs, num_outputs;
    int producer_version;
    struct infer_source source;
    const char *node_name; /* for messages; NULL: none */
};
struct infer_result { /* arrays of num_outputs; free with infer_result_clear */
    struct shape *shapes;
    int num_outputs;
    struct infer_handle *handles; /* in arena; NULL when nothing is known behind any output */
    struct arena *arena;          /* mem_alloc'd; NULL when handles is */
};
MUST_CHECK bool infer_run(const struct infer_call *call, struct infer_result *out,
                          struct status *st);
void infer_result_clear(struct infer_result *r);
/* For a holder that took handles and arena out of a result: drops what the shapes hold, then the
 * arena and the array. Either may be NULL. */
void infer_handles_free(struct infer_handle *handles, int n, struct arena *arena);

#endif
