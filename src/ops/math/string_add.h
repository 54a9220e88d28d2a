/* SPDX-License-Identifier: Apache-2.0 */
/* Add for strings: a kernel of its own, since joining may find no memory. */
#ifndef LEAT_OPS_MATH_STRING_ADD_H
#define LEAT_OPS_MATH_STRING_ADD_H

#include "op/kernel.h"

bool string_add_run(struct kctx *c, struct status *st);

#endif
