/* SPDX-License-Identifier: Apache-2.0 */
/* Whose the bytes of a TF_Tensor are: for front ends that hand them on without a copy. */
#ifndef LEAT_VALUE_H
#define LEAT_VALUE_H

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 when somebody else has the bytes too (a variable, a constant of the graph, another tensor), or
 * may have, as with those that a client made (TF_NewTensor, TF_AllocateTensor). 0: they are this
 * tensor's alone, and stay so until it is fed or shared. NULL: 0. Any thread. */
LEAT_EXPORT int leat_tensor_is_shared(const TF_Tensor *tensor);
/* Another tensor with the same bytes. The caller deletes it; NULL when there is no tensor. Any
 * thread. */
LEAT_EXPORT TF_Tensor *leat_tensor_share(const TF_Tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
