/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of cluster specifications share (spec.c). */
#ifndef LEAT_DIST_SPEC_IMPL_H
#define LEAT_DIST_SPEC_IMPL_H

#include "dist/spec.h"

enum { SPEC_MAX_TASKS = 100000, SPEC_MAX_INDEX = 1000000 };

/* Checks and copies; spec_finish afterwards, when all are there. */
MUST_CHECK bool spec_add_task(struct spec *s, struct str job, int64_t index, struct str address,
                              struct status *st);
MUST_CHECK bool spec_finish(struct spec *s, struct status *st);

#endif
