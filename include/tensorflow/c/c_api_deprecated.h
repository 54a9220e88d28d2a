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

/* Clears the named containers (variables, queues...) of the server that opt names; all of them
 * when there are no names. Sessions there end. Any thread. Errors: INVALID_ARGUMENT, UNAVAILABLE,
 * UNIMPLEMENTED (a target without containers of its own). */
TF_CAPI_EXPORT extern void TF_Reset(const TF_SessionOptions *opt, const char **containers,
                                    int ncontainers, TF_Status *status);

/* Adds the nodes of a serialized GraphDef to the session's graph. Any thread. Errors:
 * INVALID_ARGUMENT, NOT_FOUND, ABORTED: as an import. */
TF_CAPI_EXPORT extern void TF_ExtendGraph(TF_DeprecatedSession *, const void *proto,
                                          size_t proto_len, TF_Status *);

/* As TF_SessionRun, by names. Takes the tensors `inputs`, also when it fails; the caller frees each
 * outputs[i] with TF_DeleteTensor. Any thread. Errors: as TF_SessionRun, and NOT_FOUND for a name
 * that the graph lacks. */
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

/* As TF_SessionPRun, by names. Takes the tensors `inputs`; the caller frees each outputs[i]. One
 * thread as to the handle; the same errors. */
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
