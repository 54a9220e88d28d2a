/* SPDX-License-Identifier: Apache-2.0 */
/* Words that errors of several array ops share. Always false. */
#ifndef LEAT_OPS_ARRAY_TEXT_H
#define LEAT_OPS_ARRAY_TEXT_H

#include "tensor/tensor.h"

/* INVALID_ARGUMENT: before, s. */
bool array_fail_shape(struct status *st, const char *before, const struct shape *s);
/* INVALID_ARGUMENT: before, a, between, b, after. */
bool array_fail_shapes(struct status *st, const char *before, const struct shape *a,
                       const char *between, const struct shape *b, const char *after);

#endif
