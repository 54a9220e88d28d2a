/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind TF_Status and TF_Tensor, and how values cross the border of the C API.
 *
 * A TF_Tensor has the bytes that 1.15's clients see: numeric elements as they are, strings as
 * offsets and varint lengths, a resource as a serialized ResourceHandleProto. Its buffer is
 * counted, so numeric values cross without a copy, in both directions. */
#ifndef LEAT_API_API_TENSOR_H
#define LEAT_API_API_TENSOR_H

#include "base/status.h"
#include "tensor/tensor.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

struct TF_Status {
    struct status s;
};

/* Ends a function of the API: *out gets what st holds, OK too, and st is OK after. out may be NULL.
 */
void api_return(TF_Status *out, struct status *st);

struct TF_Tensor { /* owned by the client; its buffer is counted */
    int32_t dtype; /* a value type */
    struct shape shape;
    int64_t num_elems;
    size_t bytes; /* at data; of numeric types at least what the shape asks for */
    void *data;   /* NULL only when bytes is 0 */
    struct buffer *buf;
};

/* The value of t. Numeric types share the buffer (marked as borrowed); elements that lie at odd
 * addresses are copied. Strings and resources are decoded. A VARIANT must be one that this library
 * made. INVALID_ARGUMENT for malformed bytes and NULL, RESOURCE_EXHAUSTED for lack of memory; *out
 * is then untouched. The caller clears *out. */
MUST_CHECK bool api_tensor_to_internal(const TF_Tensor *t, struct tensor *out, struct status *st);
/* A tensor for the client with the value of t, whose buffer it shares unless the elements are
 * strings or a resource. NULL, with st set, when it cannot be had. */
TF_Tensor *api_tensor_from_internal(const struct tensor *t, struct status *st) MUST_CHECK;

#endif
