/* SPDX-License-Identifier: Apache-2.0 */
/* A TF_Status is how a function of this API tells that it failed: a code and a message. */
#ifndef TENSORFLOW_C_TF_STATUS_H_
#define TENSORFLOW_C_TF_STATUS_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Status TF_Status;

/* The numbers are part of the ABI and those of gRPC's status codes. */
typedef enum TF_Code {
    TF_OK = 0,
    TF_CANCELLED = 1,
    TF_UNKNOWN = 2,
    TF_INVALID_ARGUMENT = 3,
    TF_DEADLINE_EXCEEDED = 4,
    TF_NOT_FOUND = 5,
    TF_ALREADY_EXISTS = 6,
    TF_PERMISSION_DENIED = 7,
    TF_RESOURCE_EXHAUSTED = 8,
    TF_FAILED_PRECONDITION = 9,
    TF_ABORTED = 10,
    TF_OUT_OF_RANGE = 11,
    TF_UNIMPLEMENTED = 12,
    TF_INTERNAL = 13,
    TF_UNAVAILABLE = 14,
    TF_DATA_LOSS = 15,
    TF_UNAUTHENTICATED = 16,
} TF_Code;

/* A new status that is TF_OK. The caller frees with TF_DeleteStatus. Any thread; NULL when memory
 * is short. */
TF_CAPI_EXPORT extern TF_Status *TF_NewStatus(void);

/* Frees a status and its message. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_DeleteStatus(TF_Status *);

/* Sets code and message of s, whatever it held. msg is copied; it is dropped when code is TF_OK.
 * One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_SetStatus(TF_Status *s, TF_Code code, const char *msg);

/* The code of s. One thread; cannot fail. */
TF_CAPI_EXPORT extern TF_Code TF_GetCode(const TF_Status *s);

/* The message of s, "" when it is TF_OK. Owned by s, valid until s is set or freed. One thread. */
TF_CAPI_EXPORT extern const char *TF_Message(const TF_Status *s);

#ifdef __cplusplus
}
#endif

#endif
