/* SPDX-License-Identifier: Apache-2.0 */
/* A generator that stands in a resource variable, input 0 (stateful.c). */
#ifndef LEAT_OPS_RANDOM_KEPT_H
#define LEAT_OPS_RANDOM_KEPT_H

#include "math/rng.h"
#include "op/kernel.h"

/* The generator as it is; the variable is left `blocks` further on. */
MUST_CHECK bool kept_take(struct kctx *c, struct math_philox *g, uint64_t blocks,
                          struct status *st);
/* Input i names Philox. */
MUST_CHECK bool kept_check_algorithm(const struct kctx *c, int i, struct status *st);

#endif
