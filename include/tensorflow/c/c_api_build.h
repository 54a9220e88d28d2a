/* SPDX-License-Identifier: Apache-2.0 */
/* Adding an operation to a graph: TF_NewOperation starts a description, the functions here fill it,
 * TF_FinishOperation checks it and adds the operation.
 *
 * A TF_OperationDescription is for one thread. What is wrong with an argument of a function without
 * status is remembered and comes out of TF_FinishOperation. Values are copied at the call. Inputs
 * are added in the order of the op's definition; attributes in any order, and those left out get
 * their defaults or are found from the inputs. */
#ifndef TENSORFLOW_C_C_API_BUILD_H_
#define TENSORFLOW_C_C_API_BUILD_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An operation that is being described; owned by the graph until TF_FinishOperation. */
typedef struct TF_OperationDescription TF_OperationDescription;

/* Starts an operation of kind op_type named oper_name. TF_FinishOperation frees the description,
 * which is the only way to do so. Any thread as to the graph; errors come out of
 * TF_FinishOperation. */
TF_CAPI_EXPORT extern TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type,
                                                               const char *oper_name);

/* Asks for a device, as "/device:CPU:0" or "/job:ps/task:1". One thread; errors at the finish or,
 * for a device that does not exist, at the run. */
TF_CAPI_EXPORT extern void TF_SetDevice(TF_OperationDescription *desc, const char *device);

/* Adds one tensor as the next input argument. One thread; errors at the finish. */
TF_CAPI_EXPORT extern void TF_AddInput(TF_OperationDescription *desc, TF_Output input);

/* Adds num_inputs tensors as the next input argument, one that takes a list. One thread; errors at
 * the finish. */
TF_CAPI_EXPORT extern void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs,
                                           int num_inputs);

/* Makes the operation wait for `input`, whose values it does not read. One thread; errors at the
 * finish. */
TF_CAPI_EXPORT extern void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input);

/* Asks that the operation run where op runs, by adding "loc:@<name of op>" to the attribute _class.
 * One thread; errors at the finish or the run. */
TF_CAPI_EXPORT extern void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op);

/* Checks the description against the op's definition, infers the shapes of the outputs and adds the
 * operation, which the graph owns. Frees desc, whatever comes out. Any thread as to the graph.
 * Errors, and NULL (the graph is unchanged): NOT_FOUND (no such op), INVALID_ARGUMENT (inputs,
 * attributes, shapes, or a name that is wrong or taken). */
TF_CAPI_EXPORT extern TF_Operation *TF_FinishOperation(TF_OperationDescription *desc,
                                                       TF_Status *status);

/* ---- attributes; all are for one thread ---- */

/* A string, bytes value[0, length). Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name,
                                            const void *value, size_t length);

/* A list of strings; the i-th is values[i][0, lengths[i]). Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrStringList(TF_OperationDescription *desc,
                                                const char *attr_name, const void *const *values,
                                                const size_t *lengths, int num_values);

/* An integer. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name,
                                         int64_t value);

/* A list of integers. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name,
                                             const int64_t *values, int num_values);

/* A float. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name,
                                           float value);

/* A list of floats. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name,
                                               const float *values, int num_values);

/* A bool: 0 or not. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name,
                                          unsigned char value);

/* A list of bools, a byte each. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name,
                                              const unsigned char *values, int num_values);

/* A type. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name,
                                          TF_DataType value);

/* A list of types. Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name,
                                              const TF_DataType *values, int num_values);

/* The attribute `placeholder` of the function that the operation will be in. Errors at the
 * finish. */
TF_CAPI_EXPORT extern void TF_SetAttrPlaceholder(TF_OperationDescription *desc,
                                                 const char *attr_name, const char *placeholder);

/* A function, by its name value[0, length), without attributes of its own. Errors at the finish;
 * that the function is absent shows at the run. */
TF_CAPI_EXPORT extern void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name,
                                              const char *value, size_t length);

/* A shape; num_dims -1 is an unknown rank, a dimension of -1 an unknown size. Errors at the
 * finish. */
TF_CAPI_EXPORT extern void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name,
                                           const int64_t *dims, int num_dims);

/* A list of shapes, the i-th being dims[i][0, num_dims[i]). Errors at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name,
                                               const int64_t *const *dims, const int *num_dims,
                                               int num_shapes);

/* A shape, from a serialized TensorShapeProto. Errors: INVALID_ARGUMENT (no such proto); others at
 * the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc,
                                                      const char *attr_name, const void *proto,
                                                      size_t proto_len, TF_Status *status);

/* A list of shapes, from serialized TensorShapeProtos. Errors: INVALID_ARGUMENT (one is no such
 * proto); others at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc,
                                                          const char *attr_name,
                                                          const void *const *protos,
                                                          const size_t *proto_lens, int num_shapes,
                                                          TF_Status *status);

/* A tensor, which stays the caller's. Errors: INVALID_ARGUMENT (a string tensor whose bytes are
 * malformed); others at the finish. */
TF_CAPI_EXPORT extern void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name,
                                            TF_Tensor *value, TF_Status *status);

/* A list of tensors, which stay the caller's. Errors: as TF_SetAttrTensor. */
TF_CAPI_EXPORT extern void TF_SetAttrTensorList(TF_OperationDescription *desc,
                                                const char *attr_name, TF_Tensor *const *values,
                                                int num_values, TF_Status *status);

/* Any value, from a serialized AttrValue. Errors: INVALID_ARGUMENT (no such proto); others at the
 * finish. */
TF_CAPI_EXPORT extern void TF_SetAttrValueProto(TF_OperationDescription *desc,
                                                const char *attr_name, const void *proto,
                                                size_t proto_len, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
