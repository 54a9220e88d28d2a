/* SPDX-License-Identifier: Apache-2.0 */
/* What gathering, scattering and segment ops share: picking rows, index tuples, and the words of
 * their errors. */
#ifndef LEAT_OPS_GATHER_GATHER_H
#define LEAT_OPS_GATHER_GATHER_H

#include "base/str.h"
#include "math/rows.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Output 0: of each of the first batch_dims dims' entries, the rows along `axis` that indices
 * name. */
MUST_CHECK bool gather_rows(struct kctx *c, const struct tensor *params,
                            const struct tensor *indices, int64_t axis, int64_t batch_dims,
                            struct status *st);
/* GatherNd of params and its shape. */
MUST_CHECK bool gather_by_tuples(struct kctx *c, const struct tensor *params,
                                 const struct tensor *indices, struct status *st);
MUST_CHECK bool gather_nd_infer(struct infer_ctx *c, const struct shape *params,
                                const struct shape *indices, struct status *st);
/* As math_gather, for elements that own memory; *bad is what it returns. */
MUST_CHECK bool gather_managed(const struct math_gather *g, int dtype, int64_t *bad,
                               struct status *st);
/* "indices[1,2] = 7 is not in [0, 3)"; returns false. */
bool gather_fail_index(struct status *st, const struct tensor *indices, int64_t at, int64_t limit);
/* Appends "[1,2]", where the element number `at` of the first `rank` dims lies; "" for rank 0. */
void gather_place(struct strbuf *out, const struct shape *s, int rank, int64_t at);
/* INVALID_ARGUMENT: before, a, between, b, after; false. b may be NULL. */
bool gather_fail_shapes(struct status *st, const char *before, const struct shape *a,
                        const char *between, const struct shape *b, const char *after);
/* Elements of dims [begin, end). */
int64_t gather_span(const struct shape *s, int begin, int end);
/* A new shape: dims [0, a_end) of a, then dims [b_begin, rank) of b. The caller clears it. False:
 * too many dims. */
MUST_CHECK bool gather_join(const struct shape *a, int a_end, const struct shape *b, int b_begin,
                            struct shape *out, struct status *st);

/* Tuples that index the leading dims of a shape. */
struct tuples {
    int depth;         /* dims that a tuple names */
    int64_t num;       /* tuples */
    int64_t limit;     /* what rows there are: elements of the first depth dims */
    int64_t row_items; /* elements of the dims behind */
    int index_dtype;   /* what `rows` holds: DT_INT32 or DT_INT64 */
    const void *rows;  /* num row numbers; one outside [0, limit) where a tuple is outside */
};
/* Reads indices, whose last dim holds a tuple, as row numbers into a tensor of shape s. */
MUST_CHECK bool tuples_read(struct kctx *c, const struct tensor *indices, const struct shape *s,
                            struct tuples *out, struct status *st);
/* "indices[1] = [7, 8] does not index into <what> [3,3]"; returns false. */
bool tuples_fail(struct status *st, const struct tensor *indices, int64_t at, const char *what,
                 const struct shape *s);
/* Indices and updates as ScatterNd and its kin want them for a tensor of shape s. */
MUST_CHECK bool tuples_check_updates(const struct tensor *indices, const struct tensor *updates,
                                     const struct shape *s, struct status *st);
/* table op= updates, row by row, any type the op has a kernel for; table has shape s. */
MUST_CHECK bool tuples_scatter(struct kctx *c, enum math_scatter_op op,
                               const struct tensor *indices, const struct tensor *updates,
                               struct tensor *table, struct status *st);
/* The shapes of (indices, updates) for a tensor of shape s, as far as they are known, agree; name:
 * what messages call the tensor. */
MUST_CHECK bool tuples_infer(struct infer_ctx *c, const struct shape *indices,
                             const struct shape *updates, const struct shape *s, const char *name,
                             struct status *st);

/* Rows of managed elements: table[index] = updates, in order. False: no memory. */
MUST_CHECK bool scatter_managed(const struct math_scatter *s, struct status *st);

#endif
