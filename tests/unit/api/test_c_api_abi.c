/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI of the public headers: every number and struct layout is TensorFlow 1.15's. All checks
 * are made by the compiler, on x86-64 and aarch64 alike; the program only says that it ran. */
#include <stddef.h>
#include <stdio.h>

#include "tensorflow/c/c_api.h"

#define IS(name, value) _Static_assert(name == (value), #name)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)

IS(TF_FLOAT, 1);
IS(TF_DOUBLE, 2);
IS(TF_INT32, 3);
IS(TF_UINT8, 4);
IS(TF_INT16, 5);
IS(TF_INT8, 6);
IS(TF_STRING, 7);
IS(TF_COMPLEX64, 8);
IS(TF_COMPLEX, 8);
IS(TF_INT64, 9);
IS(TF_BOOL, 10);
IS(TF_QINT8, 11);
IS(TF_QUINT8, 12);
IS(TF_QINT32, 13);
IS(TF_BFLOAT16, 14);
IS(TF_QINT16, 15);
IS(TF_QUINT16, 16);
IS(TF_UINT16, 17);
IS(TF_COMPLEX128, 18);
IS(TF_HALF, 19);
IS(TF_RESOURCE, 20);
IS(TF_VARIANT, 21);
IS(TF_UINT32, 22);
IS(TF_UINT64, 23);

IS(TF_OK, 0);
IS(TF_CANCELLED, 1);
IS(TF_UNKNOWN, 2);
IS(TF_INVALID_ARGUMENT, 3);
IS(TF_DEADLINE_EXCEEDED, 4);
IS(TF_NOT_FOUND, 5);
IS(TF_ALREADY_EXISTS, 6);
IS(TF_PERMISSION_DENIED, 7);
IS(TF_RESOURCE_EXHAUSTED, 8);
IS(TF_FAILED_PRECONDITION, 9);
IS(TF_ABORTED, 10);
IS(TF_OUT_OF_RANGE, 11);
IS(TF_UNIMPLEMENTED, 12);
IS(TF_INTERNAL, 13);
IS(TF_UNAVAILABLE, 14);
IS(TF_DATA_LOSS, 15);
IS(TF_UNAUTHENTICATED, 16);

IS(TF_ATTR_STRING, 0);
IS(TF_ATTR_INT, 1);
IS(TF_ATTR_FLOAT, 2);
IS(TF_ATTR_BOOL, 3);
IS(TF_ATTR_TYPE, 4);
IS(TF_ATTR_SHAPE, 5);
IS(TF_ATTR_TENSOR, 6);
IS(TF_ATTR_PLACEHOLDER, 7);
IS(TF_ATTR_FUNC, 8);

SIZE(TF_DataType, 4);
SIZE(TF_Code, 4);
SIZE(TF_AttrType, 4);

SIZE(TF_Buffer, 24);
AT(TF_Buffer, data, 0);
AT(TF_Buffer, length, 8);
AT(TF_Buffer, data_deallocator, 16);

SIZE(TF_Input, 16);
AT(TF_Input, oper, 0);
AT(TF_Input, index, 8);

SIZE(TF_Output, 16);
AT(TF_Output, oper, 0);
AT(TF_Output, index, 8);

SIZE(TF_AttrMetadata, 32);
AT(TF_AttrMetadata, is_list, 0);
AT(TF_AttrMetadata, list_size, 8);
AT(TF_AttrMetadata, type, 16);
AT(TF_AttrMetadata, total_size, 24);

SIZE(TF_WhileParams, 72);
AT(TF_WhileParams, ninputs, 0);
AT(TF_WhileParams, cond_graph, 8);
AT(TF_WhileParams, cond_inputs, 16);
AT(TF_WhileParams, cond_output, 24);
AT(TF_WhileParams, body_graph, 40);
AT(TF_WhileParams, body_inputs, 48);
AT(TF_WhileParams, body_outputs, 56);
AT(TF_WhileParams, name, 64);

int main(void)
{
    printf("1 passed, 0 failed, 0 skipped\n");
    return 0;
}
