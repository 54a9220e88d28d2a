/* SPDX-License-Identifier: Apache-2.0 */
/* Pruning: fills an empty rewrite graph with what a signature needs. */
#ifndef LEAT_RUNTIME_PRUNE_H
#define LEAT_RUNTIME_PRUNE_H

#include "runtime/plan.h"

/* Checks the signature (nothing to run, fed twice, fed and fetched, outputs that do not exist) with
 * TensorFlow's words. Marks the nodes it takes as ran. Takes graph->lock. */
MUST_CHECK bool prune(struct rgraph *rg, const struct plan_request *r, struct status *st);

#endif
