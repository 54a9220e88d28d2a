/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators of gradients: what ConditionalAccumulator, its sparse form and its resource form
 * make. Gradients of steps that are past are dropped; whoever takes the mean or the sum of at
 * least n of them waits until there are as many, and thereby begins the next step. */
#ifndef LEAT_OPS_DATA_FLOW_ACCUMULATOR_H
#define LEAT_OPS_DATA_FLOW_ACCUMULATOR_H

#include "op/changes.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/waits.h"

struct sparse_sum {            /* rows of a gradient, by their indices */
    int64_t *indices, *counts; /* counts: gradients that had the index */
    int64_t n;
};

struct accumulator {
    struct resource base;
    bool sparse, mean; /* like what follows to waits: set once */
    int dtype;
    struct shape shape; /* of a gradient; may be partial */
    char *name;
    struct waits waits;
    int64_t step, count; /* guarded by waits, like what follows */
    struct tensor sum;   /* of dtype; without a value while count is 0 */
    struct sparse_sum rows;
};

struct accumulator *accumulator_new(const char *name, int dtype, const struct shape *shape);
/* Under the lock: the journal is told what the accumulator is now, and that c's op did it. */
void accumulator_log(struct accumulator *a, const struct kctx *c);

/* Both kinds have one type of resource, whichever form their handles have. */
extern const struct resource_type accumulator_type;

static inline void accumulator_unref(struct accumulator *a)
{
    resource_unref(a ? &a->base : NULL);
}
/* The accumulator behind input 0, of either form; referenced. */
struct accumulator *accumulator_of(struct kctx *c, struct status *st);
MUST_CHECK bool accumulator_want_sparse(const struct accumulator *a, bool sparse,
                                        struct status *st);
/* INVALID_ARGUMENT "Signature mismatch..." unless the node's gradient has the accumulator's type;
 * value: the index of the input (ins) or output that it is. */
MUST_CHECK bool accumulator_check_type(const struct kctx *c, const struct accumulator *a, bool ins,
                                       int value, struct status *st);
/* Input 1, a number: `what` names it in the error. */
MUST_CHECK bool accumulator_number(const struct kctx *c, const char *what, int64_t *out,
                                   struct status *st);
/* Starts the wait for as many gradients as input 1 says; give sets the outputs from the sum, under
 * the lock. a's reference is taken. */
void accumulator_take(struct kctx *c, struct accumulator *a,
                      bool (*give)(struct kctx *c, struct accumulator *a, struct status *st));

/* sum += x, and x divided by how many; elements of a half, float or double. */
void accumulator_add(int dtype, void *sum, const void *x, int64_t n);
void accumulator_divide(int dtype, void *x, int64_t count, int64_t n);

#define ACCUMULATOR_NO_GRAD "undefined: no gradient is registered for an accumulator's ops"

#endif
