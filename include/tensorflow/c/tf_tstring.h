/* SPDX-License-Identifier: Apache-2.0 */
/* TF_TString: a string as it lies in the TF_STRING tensors of TensorFlow 2.4 and later, 24 bytes an
 * element. Tensors of a process have this layout when it loaded libtensorflow.so.2 or called
 * leat_set_string_layout (leat/strings.h); else that of 1.15 (tf_tensor.h), and what this header
 * has is for the program's own strings alone.
 *
 * Whoever makes an element of a tensor of his own (TF_AllocateTensor, TF_NewTensor) also ends it,
 * with TF_TString_Dealloc, before the tensor is deleted. Elements of tensors that the library gives
 * (fetches, inputs and outputs of kernels) are the tensor's. The functions are for one thread as to
 * the string that they change and for any as to one that they read; NULL is answered as an empty
 * string. Those named TF_String... are the same functions under the names that TensorFlow's own
 * library exports. */
#ifndef TENSORFLOW_C_TF_TSTRING_H_
#define TENSORFLOW_C_TF_TSTRING_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The low two bits of the first byte. */
typedef enum TF_TString_Type {
    TF_TSTR_SMALL = 0,  /* up to 22 bytes, inside */
    TF_TSTR_LARGE = 1,  /* bytes of malloc's, the string's own */
    TF_TSTR_OFFSET = 2, /* bytes at a distance from the string itself; read only */
    TF_TSTR_VIEW = 3,   /* bytes of somebody else's; read only */
    TF_TSTR_TYPE_MASK = 3,
} TF_TString_Type;

/* Sizes are four times the number of bytes, plus the type. Zeroes are the empty string. */
typedef struct TF_TString {
    union {
        struct {
            uint8_t size;
            char str[23]; /* a NUL behind the last byte */
        } smll;
        struct {
            size_t size;
            size_t cap; /* bytes there is room for, the NUL not counted */
            char *ptr;
        } large;
        struct {
            uint32_t size;
            uint32_t offset; /* from the string's own address */
            uint32_t count;
        } offset;
        struct {
            size_t size;
            const char *ptr;
        } view;
        struct {
            uint8_t raw[24];
        } raw;
    } u;
} TF_TString;

/* Makes the 24 bytes an empty string, whatever they hold. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_TString_Init(TF_TString *str);

/* Makes dst a copy of src[0, size). What dst held is freed. One thread; when memory is short dst is
 * left as it was. */
TF_CAPI_EXPORT extern void TF_TString_Copy(TF_TString *dst, const char *src, size_t size);

/* Makes dst a view of src[0, size), which the caller keeps as long as dst is used. What dst held is
 * freed. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_TString_AssignView(TF_TString *dst, const char *src, size_t size);

/* Frees what the string owns and makes it empty. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_TString_Dealloc(TF_TString *str);

/* The bytes; they stay the string's. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_TString_GetDataPointer(const TF_TString *str);

/* The number of bytes. Any thread; cannot fail. */
TF_CAPI_EXPORT extern size_t TF_TString_GetSize(const TF_TString *str);

/* How many bytes there is room for without more memory; 0 of an offset or a view. Any thread;
 * cannot fail. */
TF_CAPI_EXPORT extern size_t TF_TString_GetCapacity(const TF_TString *str);

/* Where the bytes lie. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_TString_Type TF_TString_GetType(const TF_TString *str);

/* ---- the names that libtensorflow.so.2 exports ---- */

/* TF_TString_Init. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_StringInit(TF_TString *t);

/* TF_TString_Copy. One thread; when memory is short dst is left as it was. */
TF_CAPI_EXPORT extern void TF_StringCopy(TF_TString *dst, const char *src, size_t size);

/* TF_TString_AssignView. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_StringAssignView(TF_TString *dst, const char *src, size_t size);

/* TF_TString_Dealloc. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_StringDealloc(TF_TString *tstr);

/* TF_TString_GetDataPointer. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_StringGetDataPointer(const TF_TString *tstr);

/* TF_TString_GetSize. Any thread; cannot fail. */
TF_CAPI_EXPORT extern size_t TF_StringGetSize(const TF_TString *tstr);

/* TF_TString_GetCapacity. Any thread; cannot fail. */
TF_CAPI_EXPORT extern size_t TF_StringGetCapacity(const TF_TString *str);

/* TF_TString_GetType. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_TString_Type TF_StringGetType(const TF_TString *str);

#ifdef __cplusplus
}
#endif

#endif
