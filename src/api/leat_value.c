/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds the bytes of a TF_Tensor. */
#include "leat/value.h"

#include "api/api_tensor.h"
#include "base/mem.h"

int leat_tensor_is_shared(const TF_Tensor *tensor)
{
    return tensor && tensor->buf && !buffer_is_sole(tensor->buf);
}

TF_Tensor *leat_tensor_share(const TF_Tensor *tensor)
{
    if (!tensor)
        return NULL;
    TF_Tensor *made = mem_alloc(sizeof *made);
    *made = *tensor;
    made->shape = shape_copy(&tensor->shape);
    made->buf = tensor->buf ? buffer_ref(tensor->buf) : NULL;
    return made;
}
