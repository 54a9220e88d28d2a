/* SPDX-License-Identifier: Apache-2.0 */
/* Ops as protos, for the files of src/api that hand them out. */
#ifndef LEAT_API_REGISTRY_PROTO_H
#define LEAT_API_REGISTRY_PROTO_H

#include "base/arena.h"
#include "op/op.h"
#include "tensorflow/c/c_api_base.h"

struct pb_op_list;
/* Adds the op to the list, without its documentation. */
void api_list_op(struct arena *a, const struct op *op, struct pb_op_list *list);
/* A new buffer with the encoded message; NULL: st says why. */
TF_Buffer *api_buffer_of(const void *msg, struct status *st) MUST_CHECK;

#endif
