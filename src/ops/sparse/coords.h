/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops on sparse tensors share: checks of the three tensors that make one, and the order of
 * rows of coordinates. */
#ifndef LEAT_OPS_SPARSE_COORDS_H
#define LEAT_OPS_SPARSE_COORDS_H

#include "op/infer.h"
#include "op/kernel.h"

/* Inputs first, first + 1, first + 2 are indices [n, rank], values [n] and a shape [rank] whose
 * dims are not negative. */
MUST_CHECK bool sparse_check(const struct kctx *c, int first, struct status *st);
/* Every row of indices (int64 [n, rank]) lies inside dims; `which` names the tensor. */
MUST_CHECK bool sparse_check_inside(const struct tensor *indices, const int64_t *dims,
                                    const char *which, struct status *st);
/* The same facts for shape functions; parts may be unknown. */
MUST_CHECK bool sparse_infer(struct infer_ctx *c, int first, int64_t *n, int64_t *rank,
                             struct status *st);
int coords_compare(const int64_t *a, const int64_t *b, int64_t rank);
/* order: numbers of the n rows from the smallest up, those alike as they came; room for 2 n. */
void coords_sort(const int64_t *rows, int64_t n, int64_t rank, int64_t *order);

#endif
