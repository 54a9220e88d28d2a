/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in: the op MovingMean, its shape function and its CPU kernel, on ops.h and kernels.h
 * alone. TF_LoadLibrary opens it and calls TF_InitKernel; load_plugin.c is a program that does.
 *
 *     MovingMean(x: T, window: int >= 1 = 3) -> y: T      T: float, double
 *
 * Each element of y is the mean of the last `window` elements of x along its last dimension, of
 * fewer at the start. */
#include <stdio.h>
#include <stdlib.h>
#include <tensorflow/c/kernels.h>
#include <tensorflow/c/ops.h>

/* ---- the op ---- */

/* y has x's shape; x has a dimension to go along. */
static void infer_shape(TF_ShapeInferenceContext *c, TF_Status *status)
{
    TF_ShapeHandle *x = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(c, 0, x, status);
    if (TF_GetCode(status) == TF_OK)
        TF_ShapeInferenceContextWithRankAtLeast(c, x, 1, x, status);
    if (TF_GetCode(status) == TF_OK)
        TF_ShapeInferenceContextSetOutput(c, 0, x, status);
    TF_DeleteShapeHandle(x);
}

static void register_op(TF_Status *status)
{
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("MovingMean");
    TF_OpDefinitionBuilderAddInput(op, "x: T");
    TF_OpDefinitionBuilderAddOutput(op, "y: T");
    TF_OpDefinitionBuilderAddAttr(op, "T: {float, double}");
    TF_OpDefinitionBuilderAddAttr(op, "window: int >= 1 = 3");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
}

/* ---- the kernel ---- */

struct moving_mean { /* what `create` reads from the node; `compute` only reads it */
    int32_t window;
};

static void *create(TF_OpKernelConstruction *c)
{
    TF_Status *status = TF_NewStatus();
    struct moving_mean *m = malloc(sizeof *m);
    if (!m)
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "MovingMean: no memory");
    else
        TF_OpKernelConstruction_GetAttrInt32(c, "window", &m->window, status);
    if (TF_GetCode(status) != TF_OK)
        TF_OpKernelConstruction_Failure(c, status);
    TF_DeleteStatus(status);
    return m;
}

static double read_at(const TF_Tensor *t, int64_t i)
{
    const void *data = TF_TensorData(t);
    return TF_TensorType(t) == TF_FLOAT ? ((const float *)data)[i] : ((const double *)data)[i];
}

static void write_at(TF_Tensor *t, int64_t i, double v)
{
    if (TF_TensorType(t) == TF_FLOAT)
        ((float *)TF_TensorData(t))[i] = (float)v;
    else
        ((double *)TF_TensorData(t))[i] = v;
}

static void mean_row(const TF_Tensor *x, TF_Tensor *y, int64_t first, int64_t n, int32_t window)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += read_at(x, first + i);
        if (i >= window)
            sum -= read_at(x, first + i - window);
        write_at(y, first + i, sum / (double)(i < window ? i + 1 : window));
    }
}

static void compute_tensor(const struct moving_mean *m, TF_OpKernelContext *c, const TF_Tensor *x,
                           TF_Status *status)
{
    int64_t dims[256];
    int rank = TF_NumDims(x);
    if (rank < 1 || rank > 256) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "MovingMean: x must have a dimension");
        return;
    }
    for (int i = 0; i < rank; i++)
        dims[i] = TF_Dim(x, i);
    TF_Tensor *y =
        TF_AllocateOutput(c, 0, TF_TensorType(x), dims, rank,
                          (size_t)TF_TensorElementCount(x) * TF_DataTypeSize(TF_TensorType(x)));
    if (!y)
        return; /* the run fails by itself */
    for (int64_t i = 0, n = dims[rank - 1]; i < TF_TensorElementCount(x); i += n)
        mean_row(x, y, i, n, m->window);
    TF_SetOutput(c, 0, y, status);
    TF_DeleteTensor(y);
}

static void compute(void *kernel, TF_OpKernelContext *c)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(c, 0, &x, status);
    if (TF_GetCode(status) == TF_OK)
        compute_tensor(kernel, c, x, status);
    if (TF_GetCode(status) != TF_OK)
        TF_OpKernelContext_Failure(c, status);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void register_kernel(TF_DataType type, TF_Status *status)
{
    TF_KernelBuilder *k = TF_NewKernelBuilder("MovingMean", "CPU", create, compute, free);
    TF_KernelBuilder_TypeConstraint(k, "T", type, status);
    if (TF_GetCode(status) == TF_OK)
        TF_RegisterKernelBuilder("MovingMean", k, status);
    else
        TF_DeleteKernelBuilder(k);
}

/* ---- what TF_LoadLibrary calls ---- */

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    register_op(status);
    if (TF_GetCode(status) == TF_OK)
        register_kernel(TF_FLOAT, status);
    if (TF_GetCode(status) == TF_OK)
        register_kernel(TF_DOUBLE, status);
    if (TF_GetCode(status) != TF_OK) /* TF_LoadLibrary fails with the same */
        fprintf(stderr, "MovingMean: %s\n", TF_Message(status));
    TF_DeleteStatus(status);
}
