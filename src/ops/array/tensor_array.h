/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor array: numbered values of one type that a step's loops write and read. It lives in the
 * step's own resources; gradients have arrays of their own, found by the name NAME@SOURCE. */
#ifndef LEAT_OPS_ARRAY_TENSOR_ARRAY_H
#define LEAT_OPS_ARRAY_TENSOR_ARRAY_H

#include "base/lock.h"
#include "op/kernel.h"

struct tensor_array_item {
    struct tensor value; /* DT_INVALID: none */
    struct shape shape; /* what a read makes zeros of while nothing was written; rank -1: unknown */
    bool written, cleared;
};

struct tensor_array {
    struct resource base;
    struct lock lock;
    char *name; /* owned, as all below */
    int dtype;
    bool dynamic, clear_after_read, same_shapes, aggregate, aggregated, closed; /* under lock */
    struct shape element; /* rank -1 or dims may be unknown; under lock */
    struct tensor_array_item *items;
    int64_t num, cap;
};
extern const struct resource_type tensor_array_type;

struct tensor_array *tensor_array_new(char *name, int dtype, int64_t num,
                                      const struct shape *element, struct status *st) MUST_CHECK;
/* These want the lock held. */
MUST_CHECK bool tensor_array_open(const struct tensor_array *a, struct status *st);
MUST_CHECK bool tensor_array_resize(struct tensor_array *a, int64_t num, struct status *st);
/* Takes *t, of the array's type, as value number i; adds it to what is there where the array
 * aggregates. */
MUST_CHECK bool tensor_array_write(struct tensor_array *a, int64_t i, struct tensor *t,
                                   struct status *st);
/* Value number i, or zeros of its shape. Clears it where the array is read once. */
MUST_CHECK bool tensor_array_read(struct tensor_array *a, int64_t i, struct tensor *out,
                                  struct status *st);
/* Drops all values; the array takes part in nothing any more. */
void tensor_array_close(struct tensor_array *a);

#endif
