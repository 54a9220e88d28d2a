/* SPDX-License-Identifier: Apache-2.0 */
/* The library as a whole: its version, byte buffers, and what ops and kernels it has. */
#ifndef TENSORFLOW_C_C_API_BASE_H_
#define TENSORFLOW_C_C_API_BASE_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes, mostly a serialized proto, and how to free them. A function that fills a TF_Buffer wants
 * an empty one (data NULL), else it fails with INVALID_ARGUMENT. */
typedef struct TF_Buffer {
    const void *data;
    size_t length;
    void (*data_deallocator)(void *data, size_t length); /* may be NULL */
} TF_Buffer;

/* A shared object that registered ops. */
typedef struct TF_Library TF_Library;
/* Documentation of ops by op name. */
typedef struct TF_ApiDefMap TF_ApiDefMap;

/* The version of TensorFlow whose behaviour the library has, as "1.15.5". Static. Any thread;
 * cannot fail. */
TF_CAPI_EXPORT extern const char *TF_Version(void);

/* A new buffer with a copy of proto[0, proto_len). The caller frees with TF_DeleteBuffer. Any
 * thread; NULL when memory is short. */
TF_CAPI_EXPORT extern TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len);

/* A new empty buffer, to be filled by a function or by the caller. The caller frees with
 * TF_DeleteBuffer. Any thread; NULL when memory is short. */
TF_CAPI_EXPORT extern TF_Buffer *TF_NewBuffer(void);

/* Frees a buffer made by the library; its data by data_deallocator, where there is one. One
 * thread. */
TF_CAPI_EXPORT extern void TF_DeleteBuffer(TF_Buffer *);

/* The three fields, by value; the data stays the buffer's. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_Buffer TF_GetBuffer(TF_Buffer *buffer);

/* From now on listener, too, is called with each text that a PrintV2 op prints, which then goes to
 * the listeners alone. Keeps the pointer for the process; NULL does nothing. The text is valid
 * during the call, which may come from any thread. Any thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_RegisterLogListener(void (*listener)(const char *));

/* Opens the shared object library_filename, found as dlopen finds it, whose initialisation
 * registers ops and kernels (ops.h, kernels.h): in constructors, or in a function TF_InitKernel,
 * which is called once. A second call for the same file gives a handle to the same ops. The caller
 * frees with TF_DeleteLibraryHandle; the object stays loaded. Any thread. Errors, and NULL:
 * NOT_FOUND (no such file, or it cannot be loaded), INVALID_ARGUMENT (no name), INVALID_ARGUMENT or
 * ALREADY_EXISTS (of what it registers; it stays loaded). */
TF_CAPI_EXPORT extern TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status);

/* The ops that the library registered, as a serialized OpList. The data is owned by lib_handle and
 * goes with it. Any thread; cannot fail. */
TF_CAPI_EXPORT extern TF_Buffer TF_GetOpList(TF_Library *lib_handle);

/* Frees the handle; what the object registered stays. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteLibraryHandle(TF_Library *lib_handle);

/* All registered ops, as a serialized OpList with the ops' documentation left out. The caller frees
 * with TF_DeleteBuffer. Any thread; NULL when memory is short. */
TF_CAPI_EXPORT extern TF_Buffer *TF_GetAllOpList(void);

/* A map that has an ApiDef for each op of op_list_buffer, a serialized OpList such as
 * TF_GetAllOpList gives. The caller frees with TF_DeleteApiDefMap. Any thread.
 * Errors, and NULL: INVALID_ARGUMENT when the bytes are no OpList. */
TF_CAPI_EXPORT extern TF_ApiDefMap *TF_NewApiDefMap(TF_Buffer *op_list_buffer, TF_Status *status);

/* Frees a map. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteApiDefMap(TF_ApiDefMap *apimap);

/* Merges text[0, text_len), an ApiDefs message in proto text form, into the map; ops that the map
 * lacks are passed over. Not after TF_ApiDefMapGet. Any thread.
 * Errors: INVALID_ARGUMENT (no ApiDefs, or it contradicts the op), FAILED_PRECONDITION (after a
 * get). */
TF_CAPI_EXPORT extern void TF_ApiDefMapPut(TF_ApiDefMap *api_def_map, const char *text,
                                           size_t text_len, TF_Status *status);

/* The ApiDef of the op name[0, name_len), serialized. The caller frees with TF_DeleteBuffer; NULL
 * when the map has no such op. Any thread. Errors: INTERNAL. */
TF_CAPI_EXPORT extern TF_Buffer *TF_ApiDefMapGet(TF_ApiDefMap *api_def_map, const char *name,
                                                 size_t name_len, TF_Status *status);

/* All kernels, as a serialized KernelList. The caller frees with TF_DeleteBuffer. Any thread.
 * Errors, and NULL: RESOURCE_EXHAUSTED. */
TF_CAPI_EXPORT extern TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status);

/* The kernels of the op `name`, as a serialized KernelList, which is empty for an op without one
 * and for a name that is no op. The caller frees with TF_DeleteBuffer. Any thread.
 * Errors, and NULL: RESOURCE_EXHAUSTED. */
TF_CAPI_EXPORT extern TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
