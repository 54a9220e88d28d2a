/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels that call functions share: one call whose results become the kernel's outputs, and
 * the question whether a value counts as true. */
#ifndef LEAT_OP_CALL_H
#define LEAT_OP_CALL_H

#include "op/kernel.h"

/* Runs f on inputs [first, first + n) of c; its results become the outputs of c, which is then
 * done. For the end of run_async. f lives as long as the kernel. */
void kernel_call(struct kctx *c, const struct attr_func *f, int first, int n);
/* Results are taken as outputs [0, n) of c. INTERNAL where their number or a type is not the
 * node's. */
MUST_CHECK bool kernel_take_results(struct kctx *c, struct tensor *results, int n,
                                    struct status *st);
/* A scalar that is not zero, false or empty text; of other ranks, a tensor with elements. */
MUST_CHECK bool kernel_truth(const struct tensor *t, bool *out, struct status *st);

#endif
