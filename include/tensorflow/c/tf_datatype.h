/* SPDX-License-Identifier: Apache-2.0 */
/* The element types of tensors; the numbers are part of the ABI and those of the DataType proto. */
#ifndef TENSORFLOW_C_TF_DATATYPE_H_
#define TENSORFLOW_C_TF_DATATYPE_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In a proto, the value plus 100 is a reference to a tensor of that type. */
typedef enum TF_DataType {
    TF_FLOAT = 1,
    TF_DOUBLE = 2,
    TF_INT32 = 3,
    TF_UINT8 = 4,
    TF_INT16 = 5,
    TF_INT8 = 6,
    TF_STRING = 7,
    TF_COMPLEX64 = 8, /* two floats */
    TF_COMPLEX = 8,   /* the old name of TF_COMPLEX64 */
    TF_INT64 = 9,
    TF_BOOL = 10, /* one byte, 0 or 1 */
    TF_QINT8 = 11,
    TF_QUINT8 = 12,
    TF_QINT32 = 13,
    TF_BFLOAT16 = 14, /* the upper half of a float */
    TF_QINT16 = 15,
    TF_QUINT16 = 16,
    TF_UINT16 = 17,
    TF_COMPLEX128 = 18, /* two doubles */
    TF_HALF = 19,       /* IEEE 754 binary16 */
    TF_RESOURCE = 20,   /* a handle to what a session's device holds */
    TF_VARIANT = 21,
    TF_UINT32 = 22,
    TF_UINT64 = 23,
} TF_DataType;

/* The bytes of one element of type dt; 0 for a type of variable size (string, resource, variant)
 * and for a number that is no type. Any thread; cannot fail. */
TF_CAPI_EXPORT extern size_t TF_DataTypeSize(TF_DataType dt);

#ifdef __cplusplus
}
#endif

#endif
