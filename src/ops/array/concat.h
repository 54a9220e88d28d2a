/* SPDX-License-Identifier: Apache-2.0 */
/* The joins, and their gradients. */
#ifndef LEAT_OPS_ARRAY_CONCAT_H
#define LEAT_OPS_ARRAY_CONCAT_H

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct join { /* where values and axis stand: expanded indices of inputs */
    int first, n, axis;
};

/* Output 0's inferred shape. */
MUST_CHECK bool join_shape(struct infer_ctx *c, struct join j, struct status *st);
/* The dims of the joined tensor (SHAPE_MAX_RANK of room); *at is the axis from the front. */
MUST_CHECK bool joined_shape(struct kctx *c, struct join j, int64_t *dims, int *at,
                             struct status *st);

bool concat_grad(struct grad_ctx *g, struct status *st);    /* (axis, values...) */
bool concat_v2_grad(struct grad_ctx *g, struct status *st); /* (values..., axis) */

#endif
