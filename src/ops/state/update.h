/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this family share: adding to a variable, and values a variable may keep. */
#ifndef LEAT_OPS_STATE_UPDATE_H
#define LEAT_OPS_STATE_UPDATE_H

#include "op/kernel.h"

/* var[i] += (or -=) value[i], n elements. */
typedef void (*update_fn)(void *var, const void *value, int64_t n);

/* init functions of kernels whose state is one update_fn, chosen by the type of `value` (input 1).
 */
bool update_add_init(struct kernel *k, void *state, struct status *st);
bool update_sub_init(struct kernel *k, void *state, struct status *st);
/* Input 1 to the variable, with the update_fn of the kernel's state; in place where the variable is
 * its value's only holder. */
MUST_CHECK bool update_add(struct kctx *c, struct variable *v, struct status *st);
/* Input i as a value to keep: its buffer where this is the last holder, else a copy. */
MUST_CHECK bool update_own_value(struct kctx *c, int i, struct tensor *out, struct status *st);

#endif
