/* SPDX-License-Identifier: Apache-2.0 */
/* What Multinomial and StatelessMultinomial share. */
#ifndef LEAT_OPS_RANDOM_MULTINOMIAL_H
#define LEAT_OPS_RANDOM_MULTINOMIAL_H

#include "math/rng.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Output 0 from logits and num_samples, inputs 0 and 1, drawn from *g. */
MUST_CHECK bool multinomial_draw(struct kctx *c, const struct math_philox *g, struct status *st);
bool multinomial_shape(struct infer_ctx *c, struct status *st);

#endif
