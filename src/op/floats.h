/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of any real type, read as floats: for kernels that compute in float whatever they are
 * given. */
#ifndef LEAT_OP_FLOATS_H
#define LEAT_OP_FLOATS_H

#include "op/kernel.h"

/* The elements of a tensor of real numbers as floats: t's own where it holds floats, else in the
 * kernel's scratch. NULL: no memory. */
const float *kernel_floats(struct kctx *c, const struct tensor *t, struct status *st) MUST_CHECK;
/* Element i of a tensor of a floating type. */
float tensor_as_float(const struct tensor *t, int64_t i);
/* x[n] into a tensor of a floating type, rounded. */
void tensor_put_floats(struct tensor *t, const float *x, int64_t n);
/* Where a kernel may write floats for output t, which is of a floating type: t's own memory, or
 * scratch that tensor_put_floats then rounds from. */
float *kernel_float_room(struct kctx *c, struct tensor *t, struct status *st) MUST_CHECK;
/* A scalar input's only number; INVALID_ARGUMENT "NAME must be 0-D, got shape [..]". */
MUST_CHECK bool kernel_scalar_float(struct kctx *c, int i, const char *name, float *out,
                                    struct status *st);
/* INVALID_ARGUMENT: the words, then the shape. Always false. */
bool status_bad_shape(struct status *st, const char *words, const struct shape *s);

#endif
