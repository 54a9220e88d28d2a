/* SPDX-License-Identifier: Apache-2.0 */
/* The amounts by which Pad and MirrorPad extend a tensor: input 1, [rank, 2]. */
#ifndef LEAT_OPS_ARRAY_PAD_H
#define LEAT_OPS_ARRAY_PAD_H

#include "op/infer.h"
#include "op/kernel.h"

/* The input's shape, of the rank that the paddings say, and the paddings where they are constant
 * (not negative), else NULL. */
MUST_CHECK bool pad_infer_amounts(struct infer_ctx *c, const struct shape **in,
                                  const struct tensor **amounts, struct status *st);
/* The shape function of the ops that extend. */
bool pad_shape(struct infer_ctx *c, struct status *st);
struct pad_amount {
    int64_t before, after;
};
/* amounts: room for the input's rank. TensorFlow's words differ a little from op to op. */
struct pad_words {
    const char *negative;         /* before the two amounts */
    const char *amounts, *shapes; /* between two amounts, between two shapes */
};
MUST_CHECK bool pad_read_amounts(struct kctx *c, const struct pad_words *words,
                                 struct pad_amount *amounts, struct status *st);

#endif
