/* SPDX-License-Identifier: Apache-2.0 */
/* A TF_Tensor is an n-dimensional array: a type, a shape and a counted buffer of bytes.
 *
 * Elements lie in row-major order. A TF_STRING tensor of n elements is n uint64 offsets, then a
 * data area; at each offset, counted from the start of that area, stands one string as
 * TF_StringEncode writes it; in a process that uses TF_TString's layout, n TF_TStrings (see
 * tf_tstring.h; leat/strings.h has functions for both). A TF_RESOURCE tensor is a serialized
 * ResourceHandleProto.
 *
 * Reading a tensor is for any thread; freeing it, or changing its bytes, for one. A library that
 * was handed a tensor may share its bytes, so that a tensor is not written to after it was fed. */
#ifndef TENSORFLOW_C_TF_TENSOR_H_
#define TENSORFLOW_C_TF_TENSOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Tensor TF_Tensor;

/* Makes a tensor of the caller's bytes data[0, len).
 *
 * Takes data: deallocator(data, len, deallocator_arg) is called once, by any thread, when the bytes
 * are no longer needed. That may be before the return, since bytes that are not aligned for the
 * kernels are copied, and when NULL is returned. dims is copied.
 * The caller frees with TF_DeleteTensor. Any thread. NULL when a dimension is negative, or len is
 * less than the type and the shape ask for. */
TF_CAPI_EXPORT extern TF_Tensor *
TF_NewTensor(TF_DataType, const int64_t *dims, int num_dims, void *data, size_t len,
             void (*deallocator)(void *data, size_t len, void *arg), void *deallocator_arg);

/* A tensor with len bytes of the library's own, aligned for the kernels and not initialised. len is
 * the size of the whole, offsets of a TF_STRING tensor included. The caller fills it by
 * TF_TensorData and frees with TF_DeleteTensor. Any thread. NULL when memory is short or the shape
 * does not fit len. */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateTensor(TF_DataType, const int64_t *dims, int num_dims,
                                                   size_t len);

/* Moves the contents into a tensor that is returned, and takes the argument, when nobody else
 * shares the bytes and they could be reused in place. NULL, with the argument unchanged and still
 * the caller's, otherwise; as in 1.15.5 that is the answer for every tensor. One thread. */
TF_CAPI_EXPORT extern TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor);

/* Frees a tensor; its bytes go when nobody else shares them. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteTensor(TF_Tensor *);

/* The element type. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_DataType TF_TensorType(const TF_Tensor *);

/* The number of dimensions; 0 for a scalar. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_NumDims(const TF_Tensor *);

/* The size of dimension dim_index, which is in [0, TF_NumDims). Any thread. */
TF_CAPI_EXPORT extern int64_t TF_Dim(const TF_Tensor *tensor, int dim_index);

/* The bytes of the buffer: of a string tensor the offsets and the encoded strings. Any thread;
 * cannot fail. */
TF_CAPI_EXPORT extern size_t TF_TensorByteSize(const TF_Tensor *);

/* The bytes, valid as long as the tensor; may be NULL when there are none. They stay the tensor's.
 * Any thread. */
TF_CAPI_EXPORT extern void *TF_TensorData(const TF_Tensor *);

/* The product of the dimensions; 1 for a scalar. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int64_t TF_TensorElementCount(const TF_Tensor *tensor);

/* Makes `to` share the bytes of `from`, seen as new_dims elements of `type`. What `to` held is
 * released; both tensors stay the caller's. One thread as to `to`, any as to `from`.
 * Errors: INVALID_ARGUMENT when the two differ in bytes, or a type has no fixed size. */
TF_CAPI_EXPORT extern void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type,
                                                TF_Tensor *to, const int64_t *new_dims,
                                                int num_new_dims, TF_Status *status);

/* Writes the string src[0, src_len) at dst: its length as a base-128 varint, then its bytes.
 * The number of bytes written. Any thread. Errors: INVALID_ARGUMENT, and 0, when dst_len is less
 * than TF_StringEncodedSize(src_len); FAILED_PRECONDITION where TF_TString's layout is in use. */
TF_CAPI_EXPORT extern size_t TF_StringEncode(const char *src, size_t src_len, char *dst,
                                             size_t dst_len, TF_Status *status);

/* Reads one encoded string at src: *dst points into src and *dst_len is its length. The number of
 * bytes read. Any thread. Errors: INVALID_ARGUMENT, and 0, when src_len bytes do not hold it;
 * FAILED_PRECONDITION where TF_TString's layout is in use. */
TF_CAPI_EXPORT extern size_t TF_StringDecode(const char *src, size_t src_len, const char **dst,
                                             size_t *dst_len, TF_Status *status);

/* The bytes that TF_StringEncode writes for a string of len bytes. Any thread; cannot fail. */
TF_CAPI_EXPORT extern size_t TF_StringEncodedSize(size_t len);

/* Whether the bytes are aligned as kernels want them. Any thread; cannot fail. */
TF_CAPI_EXPORT extern bool TF_TensorIsAligned(const TF_Tensor *);

#ifdef __cplusplus
}
#endif

#endif
