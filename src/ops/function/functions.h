/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the ops that call functions: the attr they name one by, the shapes they declare. */
#ifndef LEAT_OPS_FUNCTION_FUNCTIONS_H
#define LEAT_OPS_FUNCTION_FUNCTIONS_H

#include "op/call.h"
#include "op/grad.h"
#include "op/infer.h"

struct function_state {        /* of kernels that call one function */
    const struct attr_func *f; /* borrowed from the kernel's attrs */
};
bool function_state_init(struct kernel *k, void *state, struct status *st);

/* Output i has the i-th shape of attr output_shapes, where that is given. */
bool infer_declared_shapes(struct infer_ctx *c, struct status *st);

#endif
