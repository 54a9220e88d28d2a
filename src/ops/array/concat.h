/* SPDX-License-Identifier: Apache-2.0 */
/* The joins, and their gradients. */
#ifndef LEAT_OPS_ARRAY_CONCAT_H
#define LEAT_OPS_ARRAY_CONCAT_H

#include "op/grad.h"

struct join { /* where values and axis stand: expanded indices of inputs */
    int first, n, axis;
};

bool concat_grad(struct grad_ctx *g, struct status *st);    /* (axis, values...) */
bool concat_v2_grad(struct grad_ctx *g, struct status *st); /* (values..., axis) */

#endif
