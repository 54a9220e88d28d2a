/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the attributes of an operation.
 *
 * First TF_OperationGetAttrMetadata tells the kind of value, how many there are and how much room
 * they take; then the function for that kind writes them to memory of the caller. All may be called
 * from any thread, and all fail with INVALID_ARGUMENT when the operation has no such attribute, or
 * one of another kind. */
#ifndef TENSORFLOW_C_C_API_ATTR_H_
#define TENSORFLOW_C_C_API_ATTR_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_graph.h"
#include "tensorflow/c/tf_attrtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an attribute's value is. */
typedef struct TF_AttrMetadata {
    unsigned char is_list;
    int64_t list_size; /* number of elements; -1 when it is no list */
    TF_AttrType type;  /* of the value, or of each element */
    /* Strings: bytes of all together. Shapes: dimensions of all together, unknown ranks counting
     * as 0; of one shape its rank, -1 when unknown. Other kinds: of no meaning. */
    int64_t total_size;
} TF_AttrMetadata;

/* The kind and the size of the attribute attr_name. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern TF_AttrMetadata
TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name, TF_Status *status);

/* Writes the first max_length bytes of a string to value, without a zero at the end. Any thread.
 * Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name,
                                                     void *value, size_t max_length,
                                                     TF_Status *status);

/* Reads up to max_values strings: their bytes go to storage, pointers to them and their lengths to
 * values and lengths. All three arrays are the caller's. Any thread. Errors: INVALID_ARGUMENT (also
 * when storage_size is less than the total_size of the metadata). */
TF_CAPI_EXPORT extern void TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name,
                                                         void **values, size_t *lengths,
                                                         int max_values, void *storage,
                                                         size_t storage_size, TF_Status *status);

/* Reads an integer. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrInt(TF_Operation *oper, const char *attr_name,
                                                  int64_t *value, TF_Status *status);

/* Reads up to max_values integers into the caller's array. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrIntList(TF_Operation *oper, const char *attr_name,
                                                      int64_t *values, int max_values,
                                                      TF_Status *status);

/* Reads a float. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloat(TF_Operation *oper, const char *attr_name,
                                                    float *value, TF_Status *status);

/* Reads up to max_values floats into the caller's array. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloatList(TF_Operation *oper, const char *attr_name,
                                                        float *values, int max_values,
                                                        TF_Status *status);

/* Reads a bool as 0 or 1. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrBool(TF_Operation *oper, const char *attr_name,
                                                   unsigned char *value, TF_Status *status);

/* Reads up to max_values bools into the caller's array. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrBoolList(TF_Operation *oper, const char *attr_name,
                                                       unsigned char *values, int max_values,
                                                       TF_Status *status);

/* Reads a type. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrType(TF_Operation *oper, const char *attr_name,
                                                   TF_DataType *value, TF_Status *status);

/* Reads up to max_values types into the caller's array. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrTypeList(TF_Operation *oper, const char *attr_name,
                                                       TF_DataType *values, int max_values,
                                                       TF_Status *status);

/* Reads up to num_dims dimensions of a shape into value, -1 for an unknown one; the rank is the
 * metadata's total_size. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name,
                                                    int64_t *value, int num_dims,
                                                    TF_Status *status);

/* Reads up to num_shapes shapes: the dimensions go to storage, pointers to them and the ranks (-1:
 * unknown, and nothing to point to) to dims and num_dims. All three arrays are the caller's. Any
 * thread. Errors: INVALID_ARGUMENT (also when storage_size, in dimensions, is less than the
 * total_size of the metadata). */
TF_CAPI_EXPORT extern void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name,
                                                        int64_t **dims, int *num_dims,
                                                        int num_shapes, int64_t *storage,
                                                        int storage_size, TF_Status *status);

/* Writes a shape as a serialized TensorShapeProto to the empty buffer value. Any thread. Errors:
 * INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper,
                                                               const char *attr_name,
                                                               TF_Buffer *value, TF_Status *status);

/* Reads up to max_values shapes as serialized TensorShapeProtos into new buffers, which the caller
 * frees with TF_DeleteBuffer. Any thread. Errors: INVALID_ARGUMENT; no buffer is left to free
 * then. */
TF_CAPI_EXPORT extern void
TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name,
                                        TF_Buffer **values, int max_values, TF_Status *status);

/* Reads a tensor; the caller frees it with TF_DeleteTensor. Any thread. Errors: INVALID_ARGUMENT,
 * and *value NULL. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name,
                                                     TF_Tensor **value, TF_Status *status);

/* Reads up to max_values tensors; the caller frees each with TF_DeleteTensor. Any thread. Errors:
 * INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name,
                                                         TF_Tensor **values, int max_values,
                                                         TF_Status *status);

/* Writes the value, of whatever kind, as a serialized AttrValue to the empty buffer
 * output_attr_value. Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name,
                                                         TF_Buffer *output_attr_value,
                                                         TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
