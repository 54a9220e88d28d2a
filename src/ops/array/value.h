/* SPDX-License-Identifier: Apache-2.0 */
/* Filling memory with one value. */
#ifndef LEAT_OPS_ARRAY_VALUE_H
#define LEAT_OPS_ARRAY_VALUE_H

#include "op/kernel.h"

/* Writes the element at `value`, of out's type, to each element of out. False: no memory for
 * strings. */
MUST_CHECK bool value_fill(struct kctx *k, struct tensor *out, const void *value,
                           struct status *st);
/* Zeros, false, empty strings; a fresh tensor of a managed type is that already. */
void value_zero(struct kctx *k, struct tensor *out);

#endif
