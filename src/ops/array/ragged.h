/* SPDX-License-Identifier: Apache-2.0 */
/* What ops on ragged tensors share. Inputs 0 to levels - 1 are splits, input `levels` the dense
 * values that they cut. */
#ifndef LEAT_OPS_ARRAY_RAGGED_H
#define LEAT_OPS_ARRAY_RAGGED_H

#include "op/kernel.h"

#define RAGGED_VALUES                                                                              \
    "Tvalues: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "  \
    "uint64, complex64, complex128, bool, string, qint16, qint32, qint8, quint16, quint8}"

static inline int64_t ragged_rows(const struct tensor *splits)
{
    return splits->num_elems - 1;
}
/* Element i; INVALID_ARGUMENT where v does not fit. */
MUST_CHECK bool ragged_put(struct tensor *splits, int64_t i, int64_t v, struct status *st);
/* Splits are vectors that rise from 0 or more to what they cut at most; values have a rank. */
MUST_CHECK bool ragged_check(const struct kctx *c, int levels, struct status *st);

#endif
