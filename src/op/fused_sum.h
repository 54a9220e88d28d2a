/* SPDX-License-Identifier: Apache-2.0 */
/* Fused nodes of one kind: a product (or convolution), plus a vector, through an activation. The
 * parts are kept as kernels (op/part.h), for whatever the joined loop does not do and for errors.
 */
#ifndef LEAT_OP_FUSED_SUM_H
#define LEAT_OP_FUSED_SUM_H

#include "op/part.h"

enum { FUSED_SUM_PARTS = 3 };

struct fused_sum {
    struct kernel *parts[FUSED_SUM_PARTS]; /* the product, the sum, the activation; owned */
    int num_parts;
    bool bias_first; /* the sum's first operand is the vector */
    int act;         /* 0: none; else 1 + Relu, Relu6, Elu, Tanh, Sigmoid: an enum math_act */
};

/* From the fused node's attrs, the product being `product`. What was made is there to be released
 * after a failure too. */
MUST_CHECK bool fused_sum_init(struct fused_sum *f, const struct kernel *k, const char *product,
                               struct status *st);
void fused_sum_release(struct fused_sum *f);

/* Runs the parts one after the other: of the node's inputs two are the product's, the third is the
 * vector. */
MUST_CHECK bool fused_sum_run_apart(struct kctx *c, const struct fused_sum *f, struct status *st);

#endif
