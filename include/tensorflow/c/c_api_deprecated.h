/* SPDX-License-Identifier: Apache-2.0 */
/* The older sessions, which know tensors by name instead of by TF_Output. New programs use
 * c_api_session.h.
 *
 * A tensor's name is "node:index", or "node" for index 0; a target's is "node". Names are copied.
 */
#ifndef TENSORFLOW_C_C_API_DEPRECATED_H_
#define TENSORFLOW_C_C_API_DEPRECATED_H_

#include <stddef.h>

#include "tensorflow/c/c_api_session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_DeprecatedSession TF_DeprecatedSession;

/* A session with an empty graph. The caller ends it with TF_CloseDeprecatedSession and frees with
 * TF_DeleteDeprecatedSession. Any thread. Errors, and NULL: as TF_NewSession. */
TF_CAPI_EXPORT extern TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *,
                                                                    TF_Status *status);

/* Ends the session: runs in progress are cancelled. Any thread. Errors: as TF_CloseSession. */
TF_CAPI_EXPORT extern void TF_CloseDeprecatedSession(TF_DeprecatedSession *, TF_Status *status);

/* Frees the session. No run may be in progress. One thread. Errors: as TF_DeleteSession. */
TF_CAPI_EXPORT extern void TF_DeleteDeprecatedSession(TF_DeprecatedSession *, TF_Status *status);

/* Clears the named containers (variables, queues...) of the server that opt names, or, without a
 * target, of the sessions of this process; the default one when there are no names. Sessions there
 * are closed, those of TF_NewSession too. opt may be NULL. Any thread, but not from within a step.
 * Errors: INVALID_ARGUMENT (a NULL name), NOT_FOUND, UNAVAILABLE, UNIMPLEMENTED (the target). */
TF_CAPI_EXPORT extern void TF_Reset(const TF_SessionOptions *opt, const char **containers,
                                    int ncontainers, TF_Status *status);

/* Adds the nodes of a serialized GraphDef, which may read nodes that are there, to the session's
 * graph; all of them or none. Any thread. Errors: INVALID_ARGUMENT (also a name that is there),
 * NOT_FOUND, OUT_OF_RANGE: as an import; CANCELLED (closed). */
TF_CAPI_EXPORT extern void TF_ExtendGraph(TF_DeprecatedSession *, const void *proto,
                                          size_t proto_len, TF_Status *);

/* As TF_SessionRun, by names. The tensors `inputs` stay the caller's; the caller frees each
 * outputs[i] with TF_DeleteTensor. Any thread. Errors: as TF_SessionRun; for a name that the graph
 * lacks INVALID_ARGUMENT (a tensor's), OUT_OF_RANGE (its index) or NOT_FOUND (a target's). */
TF_CAPI_EXPORT extern void TF_Run(TF_DeprecatedSession *, const TF_Buffer *run_options,
                                  const char **input_names, TF_Tensor **inputs, int ninputs,
                                  const char **output_names, TF_Tensor **outputs, int noutputs,
                                  const char **target_oper_names, int ntargets,
                                  TF_Buffer *run_metadata, TF_Status *);

/* As TF_SessionPRunSetup, by names. The caller frees *handle with TF_DeletePRunHandle. Any thread;
 * the same errors. */
TF_CAPI_EXPORT extern void TF_PRunSetup(TF_DeprecatedSession *, const char **input_names,
                                        int ninputs, const char **output_names, int noutputs,
                                        const char **target_oper_names, int ntargets,
                                        const char **handle, TF_Status *);

/* As TF_SessionPRun, by names. The tensors `inputs` stay the caller's; the caller frees each
 * outputs[i]. Any thread; the same errors. */
TF_CAPI_EXPORT extern void TF_PRun(TF_DeprecatedSession *, const char *handle,
                                   const char **input_names, TF_Tensor **inputs, int ninputs,
                                   const char **output_names, TF_Tensor **outputs, int noutputs,
                                   const char **target_oper_names, int ntargets, TF_Status *);

/* As TF_SessionListDevices. The caller frees with TF_DeleteDeviceList. Any thread; the same
 * errors. */
TF_CAPI_EXPORT extern TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *session,
                                                                     TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
