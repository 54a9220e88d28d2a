/* SPDX-License-Identifier: Apache-2.0 */
/* What a strided slice (x[1:, ..., None, 3, ::-2]) takes: begin, end and strides with bit masks, as
 * TensorFlow's StridedSlice gives them, made into one plain range per axis of the input.
 *
 * Unknown input dims and unknown begin or end give unknown sizes, so the shape functions use the
 * same reading as the kernels. */
#ifndef LEAT_OPS_ARRAY_STRIDED_H
#define LEAT_OPS_ARRAY_STRIDED_H

#include "op/attr.h"
#include "ops/array/nd_copy.h"

enum { STRIDED_MAX_SPEC = 32 }; /* fewer entries than this in begin, end, strides */

struct strided_masks {
    uint32_t begin, end, ellipsis, new_axis, shrink;
};
struct strided_masks strided_masks(const struct attrs *attrs);

struct strided_spec {
    const struct tensor *begin, *end; /* NULL: not known */
    const struct tensor *strides;
    struct strided_masks masks;
};

struct strided_plan {
    int rank; /* of the input */
    int64_t begin[SHAPE_MAX_RANK], stride[SHAPE_MAX_RANK];
    int64_t size[SHAPE_MAX_RANK]; /* elements taken per axis; DIM_UNKNOWN */
    int final_rank;               /* of the result: axes dropped and added */
    int64_t final[SHAPE_MAX_RANK];
    bool rows; /* takes whole rows: all axes but the first are whole, stride 1 */
};

MUST_CHECK bool strided_plan_make(const struct strided_spec *spec, const struct shape *in,
                                  struct strided_plan *out, struct status *st);

/* Adds to copy the axes of a copy from the sliced array into a dense one (gather), or back. steps:
 * of the sliced array. Returns the element at which the slice begins. */
int64_t strided_axes(const struct strided_plan *p, const int64_t *steps, bool gather,
                     struct nd_copy *copy);

#endif
