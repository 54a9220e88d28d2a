/* SPDX-License-Identifier: Apache-2.0 */
/* What every loss of leat/losses.h ends with: weights, reduction, the collection. */
#ifndef LEAT_BUILD_WEIGHTED_LOSS_H
#define LEAT_BUILD_WEIGHTED_LOSS_H

#include "build/mk.h"
#include "leat/losses.h"

/* In the scope of the loss. weights: a tensor, or a number. */
TF_Output weighted_loss(const struct leat_loss_args *a, TF_Output losses, struct mk_arg weights);

#endif
