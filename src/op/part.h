/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that the optimiser has joined, kept as kernels of their own inside a fused one: what does
 * not fit the fused loop goes through them, one after the other, and so do errors. The fused node's
 * attrs nodes, names and made (graph/fused_node.h) say what they are. */
#ifndef LEAT_OP_PART_H
#define LEAT_OP_PART_H

#include "op/kernel.h"

/* The kernel of part i, which the caller frees, where its op is one of `ops` (num of them) and its
 * T is the fused node's; else NULL and an error. */
struct kernel *part_new(const struct kernel *fused, int i, const char *const *ops, int num,
                        struct status *st) MUST_CHECK;

/* Whether the fused node's attrs name n parts. */
MUST_CHECK bool part_check_count(const struct kernel *fused, int64_t n, struct status *st);

/* Runs a part as a node of its own; an error gets the words that the executor would have added. */
MUST_CHECK bool part_run(struct kctx *c, const struct kernel *part, struct tensor **in,
                         struct tensor *out, struct status *st);

#endif
