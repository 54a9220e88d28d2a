/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto and TensorShapeProto messages <-> tensors and shapes. */
#ifndef LEAT_OP_TENSOR_PROTO_H
#define LEAT_OP_TENSOR_PROTO_H

#include "proto/leat_proto.h"
#include "tensor/tensor.h"

/* Bounded: a short list is extended by its last value, never past what the shape says; sizes are
 * checked. INVALID_ARGUMENT ("Cannot parse tensor from proto..."), RESOURCE_EXHAUSTED. */
MUST_CHECK bool tensor_from_proto(const struct pb_tensor_proto *p, struct tensor *out,
                                  struct status *st);
/* The message lies in the arena and borrows the tensor's bytes. Equal elements of a big tensor, and
 * a single one, are written as one value. */
struct pb_tensor_proto *tensor_to_proto(struct arena *a, const struct tensor *t);
/* The same with raw bytes (tensor_content) whatever the elements are. Those of managed types are
 * lists. */
struct pb_tensor_proto *tensor_to_proto_raw(struct arena *a, const struct tensor *t);

MUST_CHECK bool shape_from_proto(const struct pb_tensor_shape_proto *p, struct shape *out,
                                 struct status *st);
struct pb_tensor_shape_proto *shape_to_proto(struct arena *a, const struct shape *s);

#endif
