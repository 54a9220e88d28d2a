/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of the caller's own: how a program or a plug-in registers them, and what their shape
 * functions are given. Their kernels are in kernels.h.
 *
 * A definition is collected in a builder and registered once. From then on the op is as any other:
 * operations are made of it, graphs with it are imported, sessions run it. A registered op lives as
 * long as the process.
 *
 * A shape function says what is known of the outputs' shapes. The library calls it from any thread,
 * for many nodes at a time, so that it keeps no state of its own; it must not make or change
 * graphs. Shapes are looked at through handles: a handle is a box, freed by the caller, and what is
 * in it means something only until the shape function returns. */
#ifndef TENSORFLOW_C_OPS_H_
#define TENSORFLOW_C_OPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One dimension: a size, or unknown. */
typedef struct TF_DimensionHandle TF_DimensionHandle;
/* A definition that is being written. */
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
/* A shape: a rank and its dimensions, or unknown. */
typedef struct TF_ShapeHandle TF_ShapeHandle;
/* What a shape function is given: the node, valid during the call. */
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

/* ---- definitions ---- */

/* A builder for the op op_name ("MyOp": a capital letter, then letters, digits and underscores),
 * which is copied. It ends with TF_RegisterOpDefinition or TF_DeleteOpDefinitionBuilder. Any
 * thread. Cannot fail: what is wrong with a definition is said when it is registered. */
TF_CAPI_EXPORT extern TF_OpDefinitionBuilder *TF_NewOpDefinitionBuilder(const char *op_name);

/* Registers the op. Takes builder, whatever comes out. Any thread.
 * Errors: INVALID_ARGUMENT (a name or a text of the builder is wrong, an attr is unknown or given
 * twice, there are more than 20 inputs, 12 outputs or 20 attrs), ALREADY_EXISTS. */
TF_CAPI_EXPORT extern void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder,
                                                   TF_Status *status);

/* Frees a builder that was not registered. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder *builder);

/* Adds an attr, "NAME: TYPE" or "NAME: TYPE = DEFAULT". TYPE is one of string, int, float, bool,
 * type, shape, tensor, func; a set of allowed values, "{int32, float}" or "{'a', 'b'}"; a named set
 * of types (numbertype, realnumbertype, quantizedtype); "int >= 1"; or "list(TYPE)", which may have
 * a least length
 * ("list(int) >= 2"). A default is written as in "[1, 2]", "'text'", "DT_FLOAT", "true". attr_spec
 * is copied. One thread. Cannot fail: errors are TF_RegisterOpDefinition's. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder *builder,
                                                         const char *attr_spec);

/* Adds an input, "NAME: TYPE" or "NAME: Ref(TYPE)". TYPE is a type (float, int32, string...) or the
 * name of an attr of kind type; "N * TYPE" for as many values as the int attr N says; or the name
 * of an attr of kind list(type). input_spec is copied. One thread. Cannot fail: errors are
 * TF_RegisterOpDefinition's. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder *builder,
                                                          const char *input_spec);

/* Adds an output, in the form of an input. output_spec is copied. One thread. Cannot fail: errors
 * are TF_RegisterOpDefinition's. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder *builder,
                                                           const char *output_spec);

/* Says that the inputs may change places without changing the result. As in 1.15, the call says so
 * whatever is_commutative is. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder *builder,
                                                                  bool is_commutative);

/* Says that the op sums up any number of inputs of one type and shape, in any order and grouping.
 * As in 1.15, the call says so whatever is_aggregate is. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder *builder,
                                                                bool is_aggregate);

/* Says that a result depends on more than the inputs (of an op on resources this is known), or that
 * a run has an effect: such nodes are never computed ahead, merged or dropped. As in 1.15, the call
 * says so whatever is_stateful is. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder *builder,
                                                               bool is_stateful);

/* Says that a variable among the inputs need not have a value yet. As in 1.15, the call says so
 * whatever allows_uninitialized_input is. One thread; cannot fail. */
TF_CAPI_EXPORT extern void
TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder *builder,
                                                  bool allows_uninitialized_input);

/* Says that the op is deprecated from that version of the GraphDef format on, and what to use
 * instead; explanation is copied. Graphs of that version or later are refused. One thread; cannot
 * fail. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder *builder,
                                                            int version, const char *explanation);

/* Sets the shape function; without one all output shapes are unknown. Keeps the pointer for the
 * process. shape_inference_func is called from any thread; a status that it sets to other than
 * TF_OK is the error of the node that is being made. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext *ctx, TF_Status *status));

/* ---- in a shape function: the node ---- */

/* The number of inputs, those of lists counted singly. One thread; cannot fail. */
TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx);

/* Puts the shape of input i into handle. One thread. Errors: INVALID_ARGUMENT (no such input; 1.15
 * says so of every input but the first). */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i,
                                                            TF_ShapeHandle *handle,
                                                            TF_Status *status);

/* Makes what is in handle the shape of output i. One thread. Errors: INVALID_ARGUMENT (no such
 * output; 1.15 says so of every output but the first). */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i,
                                                             TF_ShapeHandle *handle,
                                                             TF_Status *status);

/* Makes the shapes of all outputs unknown; it can be a shape function by itself. One thread; sets
 * TF_OK. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx,
                                                                   TF_Status *status);

/* The type in the attr attr_name, in *val. One thread.
 * Errors: NOT_FOUND (no such attr), INVALID_ARGUMENT (it is not of kind type). */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext *ctx,
                                                                const char *attr_name,
                                                                TF_DataType *val,
                                                                TF_Status *status);

/* ---- in a shape function: shapes ---- */

/* A box for a shape, which is unknown at first. The caller frees with TF_DeleteShapeHandle. Any
 * thread; cannot fail. */
TF_CAPI_EXPORT extern TF_ShapeHandle *TF_NewShapeHandle(void);

/* Frees a box; outputs that were set from it keep their shape. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_DeleteShapeHandle(TF_ShapeHandle *handle);

/* The shape of a vector of `size` elements, in a new box; of unknown size when that is beyond
 * int64. The caller frees with TF_DeleteShapeHandle. One thread; cannot fail. */
TF_CAPI_EXPORT extern TF_ShapeHandle *
TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx, size_t size);

/* The number of dimensions; -1 when it is unknown. One thread; cannot fail. */
TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext *ctx,
                                                           TF_ShapeHandle *handle);

/* 1 when the number of dimensions is known, else 0. One thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *handle);

/* Puts the shape in handle into result, as one of that rank when its own is unknown; the two may be
 * the same box. result holds the unknown shape after an error. One thread.
 * Errors: INVALID_ARGUMENT (its rank is another, or `rank` is beyond int32, or beyond 254). */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *handle, int64_t rank,
                                                            TF_ShapeHandle *result,
                                                            TF_Status *status);

/* Puts the shape in handle into result, if it has `rank` dimensions or more or an unknown number.
 * result holds the unknown shape after an error. One thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                        int64_t rank, TF_ShapeHandle *result, TF_Status *status);

/* Puts the shape in handle into result, if it has `rank` dimensions or fewer or an unknown number.
 * result holds the unknown shape after an error. One thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void
TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                       int64_t rank, TF_ShapeHandle *result, TF_Status *status);

/* Puts dimensions [start, end) of a shape into result. Negative numbers count from the end; those
 * beyond the rank mean the rank. Of an unknown shape the result is unknown, as it is after an
 * error. One thread. Errors: INVALID_ARGUMENT (start behind end, or before the first). */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx,
                                                            TF_ShapeHandle *shape_handle,
                                                            int64_t start, int64_t end,
                                                            TF_ShapeHandle *result,
                                                            TF_Status *status);

/* Puts the dimensions of first, then those of second, into result; unknown when either is. One
 * thread. Errors: INVALID_ARGUMENT (more than 254 dimensions). */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx,
                                                                     TF_ShapeHandle *first,
                                                                     TF_ShapeHandle *second,
                                                                     TF_ShapeHandle *result,
                                                                     TF_Status *status);

/* ---- in a shape function: dimensions ---- */

/* A box for a dimension, which is unknown at first. The caller frees with
 * TF_DeleteDimensionHandle. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_DimensionHandle *TF_NewDimensionHandle(void);

/* Frees a box. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_DeleteDimensionHandle(TF_DimensionHandle *handle);

/* Puts dimension i of a shape into result; negative numbers count from the end. Unknown where there
 * is no such dimension. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx,
                                                       TF_ShapeHandle *shape_handle, int64_t i,
                                                       TF_DimensionHandle *result);

/* 1 when the size is known, else 0. One thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle);

/* The size; -1 when it is unknown. One thread; cannot fail. */
TF_CAPI_EXPORT extern int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle);

#ifdef __cplusplus
}
#endif

#endif
