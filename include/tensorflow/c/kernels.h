/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the caller's own: how a program or a plug-in gives an op (of its own, see ops.h, or
 * one that is there) something to run.
 *
 * A kernel is three functions. `create` is called once for each node of a session and may return a
 * state for it; `compute` runs one step with that state; `delete` ends it. Steps of one session run
 * at the same time, so what compute changes in its state is guarded by the kernel. */
#ifndef TENSORFLOW_C_KERNELS_H_
#define TENSORFLOW_C_KERNELS_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel that is being described. */
typedef struct TF_KernelBuilder TF_KernelBuilder;
/* The node that a kernel is made for, valid while `create` runs. */
typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
/* One call of `compute`, valid while it runs. */
typedef struct TF_OpKernelContext TF_OpKernelContext;

/* If a shared object has a function of this name, TF_LoadLibrary calls it once, after loading: the
 * place to register ops and kernels. */
extern void TF_InitKernel(void);

/* ---- registration ---- */

/* A builder for a kernel of the op op_name on devices of type device_name ("CPU"), which are
 * copied; the op may be registered later. create_func may be NULL (the state is NULL then), and
 * so may delete_func, which is called once for each state, also when create_func said that it
 * failed. Keeps the three pointers for the process; they are called from any thread. The builder
 * ends with TF_RegisterKernelBuilder or TF_DeleteKernelBuilder. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_KernelBuilder *TF_NewKernelBuilder(
    const char *op_name, const char *device_name, void *(*create_func)(TF_OpKernelConstruction *),
    void (*compute_func)(void *, TF_OpKernelContext *), void (*delete_func)(void *));

/* Restricts the kernel to nodes whose attr attr_name is that type; the name is copied. Each call is
 * one more condition, and all must hold, at most 8 of them. One thread.
 * Errors: UNIMPLEMENTED (a type that kernels cannot be registered for). */
TF_CAPI_EXPORT extern void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder *kernel_builder,
                                                           const char *attr_name,
                                                           const TF_DataType type,
                                                           TF_Status *status);

/* Says that the input or output arg_name, which is copied, lies in host memory whatever the device
 * is. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_KernelBuilder_HostMemory(TF_KernelBuilder *kernel_builder,
                                                       const char *arg_name);

/* Registers the kernel; kernel_name is for people and may be NULL. Takes builder, whatever comes
 * out. Two kernels that fit one node equally well are an error of the session that needs one. Any
 * thread. Errors: INVALID_ARGUMENT (no op, device or compute function; a malformed constraint). */
TF_CAPI_EXPORT extern void TF_RegisterKernelBuilder(const char *kernel_name,
                                                    TF_KernelBuilder *builder, TF_Status *status);

/* Frees a builder that was not registered; nothing happens to one that was. One thread; cannot
 * fail. */
TF_CAPI_EXPORT extern void TF_DeleteKernelBuilder(TF_KernelBuilder *builder);

/* ---- in create ---- */

/* Says that the kernel cannot be made, for the reason in status, which stays the caller's: it is
 * the error of the run that needed it. The first call counts; one with TF_OK does nothing. One
 * thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *ctx,
                                                           TF_Status *status);

/* The type in the attr attr_name, in *val. One thread.
 * Errors: NOT_FOUND (no such attr), INVALID_ARGUMENT (it is not of kind type). */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction *ctx,
                                                               const char *attr_name,
                                                               TF_DataType *val, TF_Status *status);

/* The number in the attr attr_name, in *val. One thread.
 * Errors: NOT_FOUND (no such attr), INVALID_ARGUMENT (it is not of kind int, or beyond int32). */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction *ctx,
                                                                const char *attr_name, int32_t *val,
                                                                TF_Status *status);

/* ---- in compute ---- */

/* The number of inputs, those of lists counted singly. One thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_NumInputs(TF_OpKernelContext *ctx);

/* The number of outputs, those of lists counted singly. One thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_NumOutputs(TF_OpKernelContext *ctx);

/* Input i as a new tensor in *tensor, whose bytes are shared and not to be changed. The caller
 * frees with TF_DeleteTensor. One thread. Errors: OUT_OF_RANGE (no such input), INVALID_ARGUMENT (a
 * resource that is no scalar), RESOURCE_EXHAUSTED, FAILED_PRECONDITION (a variable without a
 * value). */
TF_CAPI_EXPORT extern void TF_GetInput(TF_OpKernelContext *ctx, int i, TF_Tensor **tensor,
                                       TF_Status *status);

/* Makes the value of tensor, which stays the caller's, output i. Its bytes may be shared: they are
 * not changed afterwards. Each output must be set, with the type that the node declares; else the
 * run fails with INTERNAL; with UNIMPLEMENTED if the node declares a reference. One thread. Errors:
 * OUT_OF_RANGE (no such output), INVALID_ARGUMENT (malformed strings), RESOURCE_EXHAUSTED. */
TF_CAPI_EXPORT extern void TF_SetOutput(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor,
                                        TF_Status *status);

/* A new tensor with len bytes for output `index`, not initialised. What it holds when compute
 * returns is the output, unless TF_SetOutput was called for it (1.15 wants that call; later
 * versions do not). The caller frees with TF_DeleteTensor. One thread. NULL, and the run fails with
 * RESOURCE_EXHAUSTED or INVALID_ARGUMENT, when there is no such output, memory is short, or len is
 * less than the shape asks for. */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *context, int index,
                                                   TF_DataType dtype, int64_t *dims, int num_dims,
                                                   size_t len);

/* Says that the run failed, for the reason in status, which stays the caller's. The first call
 * counts; one with TF_OK does nothing. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_OpKernelContext_Failure(TF_OpKernelContext *ctx, TF_Status *status);

/* The type that the node declares for output i, plus 100 when it is a reference; 0 when there is no
 * such output. One thread; cannot fail. */
TF_CAPI_EXPORT extern TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext *ctx, int i);

/* The number of the step: the same for all kernels of one run, another for each run. One thread;
 * cannot fail. */
TF_CAPI_EXPORT extern int64_t TF_StepId(TF_OpKernelContext *ctx);

#ifdef __cplusplus
}
#endif

#endif
