/* SPDX-License-Identifier: Apache-2.0 */
/* A box inside a tensor, as checkpoints name the pieces of partitioned variables: per dim a start
 * and a length. As text "0,2:-", where "-" is a whole dim; with the shape of the tensor before it
 * "4 3 0,2:-" (shape_and_slice). */
#ifndef LEAT_IO_SLICE_H
#define LEAT_IO_SLICE_H

#include "base/status.h"
#include "base/str.h"
#include "tensor/tensor.h"

enum { SLICE_MAX_RANK = 8, SLICE_WHOLE = -1 };

struct slice {
    int rank;
    int64_t start[SLICE_MAX_RANK];
    int64_t len[SLICE_MAX_RANK]; /* SLICE_WHOLE: all of the dim (start is 0) */
};

/* All of a tensor. The rank must be at most SLICE_MAX_RANK. */
struct slice slice_whole(int rank);
bool slice_is_whole(const struct slice *s);
/* INVALID_ARGUMENT: no slice. */
MUST_CHECK bool slice_parse(struct str text, struct slice *s, struct status *st);
void slice_print(const struct slice *s, struct strbuf *out); /* appends */
/* A shape_and_slice text that is not empty. *whole is the tensor's shape, *part the slice's; both
 * the caller's. INVALID_ARGUMENT: no such text, or the slice leaves the shape. */
MUST_CHECK bool slice_spec_parse(struct str text, struct shape *whole, struct slice *s,
                                 struct shape *part, struct status *st);
/* The slice with lengths in place of SLICE_WHOLE, within shape; false where it leaves it. */
MUST_CHECK bool slice_resolve(const struct slice *s, const struct shape *shape, struct slice *out);
/* Of resolved slices: what both have; false: nothing. */
bool slice_intersect(const struct slice *a, const struct slice *b, struct slice *both);
int64_t slice_num_elems(const struct slice *s); /* of a resolved one */
struct shape slice_shape(const struct slice *s);
/* Copies what both have from src (the elements of slice `from`) to dst (those of `to`); all
 * resolved. False: no memory for a string. */
MUST_CHECK bool slice_copy(int dtype, void *dst, const struct slice *to, const void *src,
                           const struct slice *from);

struct pb_tensor_slice_proto;
struct arena;
MUST_CHECK bool slice_from_proto(const struct pb_tensor_slice_proto *p, struct slice *s,
                                 struct status *st);
struct pb_tensor_slice_proto *slice_to_proto(struct arena *a, const struct slice *s);

/* The key under which a checkpoint keeps the slice of a tensor; bytes in an order-preserving code.
 * Appends. */
void slice_key(struct str name, const struct slice *s, struct strbuf *out);

#endif
