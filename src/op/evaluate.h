/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one CPU kernel on given tensors, on the calling thread: for constant folding, shape
 * inference and TF_TryEvaluateConstant. Never for stateful, asynchronous or blocking kernels. */
#ifndef LEAT_OP_EVALUATE_H
#define LEAT_OP_EVALUATE_H

#include "op/kernel.h"

bool evaluate_possible(const struct op *op);
struct evaluate_call {
    const struct op *op;
    const char *node_name; /* for messages */
    const struct attrs *attrs;
    struct tensor *const *inputs;
    int num_inputs, num_outputs;
};
/* outputs: room for num_outputs values; the caller clears them. False: st says why; nothing to
 * clear. */
MUST_CHECK bool evaluate_node(const struct evaluate_call *e, struct tensor *outputs,
                              struct status *st);

#endif
