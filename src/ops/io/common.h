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
/* "[2,3]"; the caller frees. */
char *io_shape_text(const struct shape *s);

#endif
