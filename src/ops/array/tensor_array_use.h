/* SPDX-License-Identifier: Apache-2.0 */
/* What the tensor array ops share: shape checks, gradients' arrays, the lock. */
#ifndef LEAT_OPS_ARRAY_TENSOR_ARRAY_USE_H
#define LEAT_OPS_ARRAY_TENSOR_ARRAY_USE_H

#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/tensor_array.h"

/* The handles of the ops' three forms: a reference to two strings, two strings, a resource. */
#define TENSOR_ARRAY_REF "Ref(string)"
#define TENSOR_ARRAY_PAIR "string"
#define TENSOR_ARRAY_RESOURCE "resource"

/* Input 0 is a handle; *element is the shape known behind it, or NULL. */
MUST_CHECK bool tensor_array_infer(struct infer_ctx *c, const struct shape **element,
                                   struct status *st);
/* The same for an op that uses the array: with a resource handle its flow_in is a scalar. */
MUST_CHECK bool tensor_array_infer_use(struct infer_ctx *c, const struct shape **element,
                                       struct status *st);
bool tensor_array_flow_shape(struct infer_ctx *c, struct status *st);
/* The gradient's array of input 0, ordered behind flow: its handle and flow. */
struct tensor_array_side {
    struct output handle, flow;
};
struct tensor_array_side tensor_array_side(struct grad_ctx *g, struct output flow);
/* TensorArray<what> in the form that the op has whose gradient this is. */
struct output tensor_array_opv(struct grad_ctx *g, const char *what, int num_inputs,
                               const struct output *inputs, int num_attrs, struct attr *attrs);
/* Output 0: a handle to the array called name, in the op's form. */
MUST_CHECK bool tensor_array_put_handle(struct kctx *c, const char *name, struct status *st);
/* The array that input 0 is a handle of, referenced. */
struct tensor_array *tensor_array_of(struct kctx *c, struct status *st) MUST_CHECK;
/* The array of input 0, locked, open and of this type (`does` finishes the error's sentence). */
struct tensor_array *tensor_array_take(struct kctx *c, int dtype, const char *does,
                                       struct status *st) MUST_CHECK;
void tensor_array_drop(struct tensor_array *a);

#endif
