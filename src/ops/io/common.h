/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops on files share. */
#ifndef LEAT_OPS_IO_COMMON_H
#define LEAT_OPS_IO_COMMON_H

#include "io/slice.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Element i of string input k as a C string: the caller frees (mem_free). INVALID_ARGUMENT for one
 * with a zero byte, which no name of a file has. */
char *io_path(const struct kctx *c, int k, int64_t i, struct status *st) MUST_CHECK;
/* Input k is a vector (scalar) of strings whose shape functions could not tell; with the name that
 * the messages have. */
MUST_CHECK bool io_want_rank(struct infer_ctx *c, int k, int rank, struct status *st);
/* Input k is a vector of n strings. */
MUST_CHECK bool io_want_names(struct infer_ctx *c, int k, int n, struct status *st);
/* The shapes of outputs that constant texts of input k (a shape_and_slice each) tell. */
MUST_CHECK bool io_slice_shapes(struct infer_ctx *c, int k, struct status *st);
/* The inputs prefix (0), tensor_names (1) and shape_and_slices (2) of the V2 ops: one text, and two
 * vectors. */
MUST_CHECK bool io_check_v2(const struct kctx *c, struct status *st);
/* tensor_names and shape_and_slices are as many. */
MUST_CHECK bool io_check_as_many(const struct kctx *c, struct status *st);
/* What a shape_and_slice that is not empty says of a tensor to save: of which whole it is which
 * part. The caller clears *whole, after an error too. */
MUST_CHECK bool io_slice_to_save(struct str spec, const struct tensor *t, struct shape *whole,
                                 struct slice *slice, struct status *st);
/* "[2,3]"; the caller frees. */
char *io_shape_text(const struct shape *s);

#endif
