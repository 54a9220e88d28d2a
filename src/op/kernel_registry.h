/* SPDX-License-Identifier: Apache-2.0 */
/* Parsed type constraints of a kernel. Internal to op/. */
#ifndef LEAT_OP_KERNEL_REGISTRY_H
#define LEAT_OP_KERNEL_REGISTRY_H

#include "base/arena.h"
#include "op/kernel.h"

struct constraint {
    const char *attr;
    const uint8_t *list; /* in the order declared */
    int n;
    dtype_set set;
};
struct constraints {
    struct constraint items[KERNEL_MAX_TYPES];
    int n;
    struct arena arena;
};
/* NULL: a text is wrong, st says where. Free with constraints_free. */
struct constraints *constraints_parse(const struct kernel_def *def, struct status *st) MUST_CHECK;
void constraints_free(struct constraints *c);

#endif
