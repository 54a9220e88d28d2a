/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a plug-in's kernel, shared by tf_kernels.c, which starts it, and tf_kernel_ctx.c. */
#ifndef LEAT_API_KERNEL_CALL_H
#define LEAT_API_KERNEL_CALL_H

#include "api/api_tensor.h"
#include "op/kernel.h"
#include "tensorflow/c/kernels.h"

struct TF_OpKernelContext {
    struct kctx *c;
    struct status st; /* why the kernel says that it failed */
    /* One for each output, once TF_AllocateOutput was called: what it gave (buf NULL: nothing);
     * shares the buffer. */
    struct TF_Tensor *allocated;
};

/* After compute: outputs that were allocated and not set are set, each is checked, and what the
 * call holds is released. False: the kernel failed. */
MUST_CHECK bool kernel_call_end(struct TF_OpKernelContext *call, struct status *st);

#endif
