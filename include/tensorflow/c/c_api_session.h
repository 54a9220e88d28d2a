/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions run graphs; servers let sessions of other processes run here.
 *
 * A session may be run from any number of threads at once; variables, queues and the like belong to
 * it (to the server, for a session on a cluster) and are shared by all its runs. Operations added
 * to its graph after it was made are picked up by the next run. */
#ifndef TENSORFLOW_C_C_API_SESSION_H_
#define TENSORFLOW_C_C_API_SESSION_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_SessionOptions TF_SessionOptions;
typedef struct TF_Session TF_Session;
typedef struct TF_DeviceList TF_DeviceList;
/* A server of a cluster, in this process. */
typedef struct TF_Server TF_Server;

/* ---- options ---- */

/* New options: this process, default ConfigProto. The caller frees with TF_DeleteSessionOptions.
 * Any thread; NULL when memory is short. */
TF_CAPI_EXPORT extern TF_SessionOptions *TF_NewSessionOptions(void);

/* Where the session runs: "" or "local" for this process, "grpc://host:port" for a server. target
 * is copied. One thread; errors at TF_NewSession. */
TF_CAPI_EXPORT extern void TF_SetTarget(TF_SessionOptions *options, const char *target);

/* Sets the session's ConfigProto, serialized. One thread. Errors: INVALID_ARGUMENT (no such
 * proto; the options are unchanged). */
TF_CAPI_EXPORT extern void TF_SetConfig(TF_SessionOptions *options, const void *proto,
                                        size_t proto_len, TF_Status *status);

/* Frees options; sessions made with them keep what they need. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteSessionOptions(TF_SessionOptions *);

/* ---- sessions ---- */

/* A session on graph, which it keeps alive. The caller ends it with TF_CloseSession and frees with
 * TF_DeleteSession. Any thread. Errors, and NULL: INVALID_ARGUMENT (options), NOT_FOUND (no engine
 * for the target), UNAVAILABLE (the server cannot be reached). */
TF_CAPI_EXPORT extern TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts,
                                                TF_Status *status);

/* Makes a session of a SavedModel: imports into the empty graph what export_dir holds for exactly
 * these tags, restores the variables and runs the initialisation. run_options (a RunOptions) may be
 * NULL; so may meta_graph_def, an empty buffer that gets the MetaGraphDef. Owner and threads as
 * TF_NewSession. Errors, and NULL: NOT_FOUND (directory, tags or a file of it), INVALID_ARGUMENT (a
 * graph that is not empty, a buffer that is not empty), DATA_LOSS, and those of a run. */
TF_CAPI_EXPORT extern TF_Session *
TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options, const TF_Buffer *run_options,
                             const char *export_dir, const char *const *tags, int tags_len,
                             TF_Graph *graph, TF_Buffer *meta_graph_def, TF_Status *status);

/* Ends the session: runs in progress are cancelled, later ones fail with CANCELLED. Any thread.
 * Errors: those of the server for a session on one. */
TF_CAPI_EXPORT extern void TF_CloseSession(TF_Session *, TF_Status *status);

/* Frees the session, closed or not, and gives up its graph. No run may be in progress. One thread.
 * Errors: those of the server; the session is freed all the same. */
TF_CAPI_EXPORT extern void TF_DeleteSession(TF_Session *, TF_Status *status);

/* One step: feeds inputs[i] = input_values[i], runs what the fetches `outputs` and the operations
 * target_opers need, and writes the fetched values to output_values.
 *
 * run_options, a serialized RunOptions, may be NULL; so may run_metadata, an empty buffer that gets
 * a serialized RunMetadata. The fed tensors stay the caller's and may be freed after the return.
 * The caller frees each output_values[i] with TF_DeleteTensor; after an error all are NULL.
 * Any thread.
 * Errors: INVALID_ARGUMENT (a feed or fetch that is no output of the graph, is given twice or has
 * the wrong type or shape; a placeholder not fed; run_metadata not empty), DEADLINE_EXCEEDED,
 * CANCELLED, UNAVAILABLE (a lost task), FAILED_PRECONDITION (a variable not initialised), and
 * whatever an operation reports. */
TF_CAPI_EXPORT extern void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options,
                                         const TF_Output *inputs, TF_Tensor *const *input_values,
                                         int ninputs, const TF_Output *outputs,
                                         TF_Tensor **output_values, int noutputs,
                                         const TF_Operation *const *target_opers, int ntargets,
                                         TF_Buffer *run_metadata, TF_Status *);

/* Prepares a step that is fed and fetched piece by piece, naming all that will be fed, fetched and
 * run. *handle names the step for TF_SessionPRun; the caller frees it with TF_DeletePRunHandle.
 * Any thread. Errors, and *handle NULL: as TF_SessionRun's as to names. */
TF_CAPI_EXPORT extern void TF_SessionPRunSetup(TF_Session *, const TF_Output *inputs, int ninputs,
                                               const TF_Output *outputs, int noutputs,
                                               const TF_Operation *const *target_opers,
                                               int ntargets, const char **handle, TF_Status *);

/* Goes on with a prepared step: feeds these inputs, and waits for these outputs. Each input and
 * output is given at most once in a step; outputs must be computable from what was fed so far.
 * Targets run as soon as they can, named here or not; the call that feeds and fetches the last of
 * what was prepared waits for them and ends the step, and its handle is good for nothing then but
 * to be deleted. Fed tensors are copied; values are owned as in TF_SessionRun. Any thread. Errors:
 * INVALID_ARGUMENT (no such step, or not among what was prepared, or given before, or not
 * computable yet: the step goes on as if not called), and those of TF_SessionRun, which end the
 * step. */
TF_CAPI_EXPORT extern void TF_SessionPRun(TF_Session *, const char *handle, const TF_Output *inputs,
                                          TF_Tensor *const *input_values, int ninputs,
                                          const TF_Output *outputs, TF_Tensor **output_values,
                                          int noutputs, const TF_Operation *const *target_opers,
                                          int ntargets, TF_Status *);

/* Frees a handle of TF_SessionPRunSetup; the step goes with the session. One thread. */
TF_CAPI_EXPORT extern void TF_DeletePRunHandle(const char *handle);

/* ---- devices ---- */

/* The devices that the session can place operations on. The caller frees with TF_DeleteDeviceList.
 * Any thread. Errors, and NULL: UNAVAILABLE. */
TF_CAPI_EXPORT extern TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status);

/* Frees a list. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteDeviceList(TF_DeviceList *list);

/* The number of devices. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_DeviceListCount(const TF_DeviceList *list);

/* The full name of device index, as "/job:localhost/replica:0/task:0/device:CPU:0". Owned by the
 * list. Any thread. Errors, and NULL: INVALID_ARGUMENT (index). */
TF_CAPI_EXPORT extern const char *TF_DeviceListName(const TF_DeviceList *list, int index,
                                                    TF_Status *status);

/* The kind of device, as "CPU". Owned by the list. Any thread. Errors, and NULL: INVALID_ARGUMENT
 * (index). */
TF_CAPI_EXPORT extern const char *TF_DeviceListType(const TF_DeviceList *list, int index,
                                                    TF_Status *status);

/* The bytes of memory of the device. Any thread. Errors, and -1: INVALID_ARGUMENT (index). */
TF_CAPI_EXPORT extern int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index,
                                                       TF_Status *status);

/* A number that changes whenever the device starts anew. Any thread. Errors, and 0:
 * INVALID_ARGUMENT (index). */
TF_CAPI_EXPORT extern uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index,
                                                        TF_Status *status);

/* ---- servers ---- */

/* A server from a serialized ServerDef: the cluster, and which task of it this is. The caller frees
 * with TF_DeleteServer. Any thread. Errors, and NULL: INVALID_ARGUMENT (the proto, or no such job
 * or task), NOT_FOUND (the protocol), UNAVAILABLE (the port). */
TF_CAPI_EXPORT extern TF_Server *TF_NewServer(const void *proto, size_t proto_len,
                                              TF_Status *status);

/* Starts to serve. Any thread. Errors: FAILED_PRECONDITION (stopped), UNAVAILABLE (the port). */
TF_CAPI_EXPORT extern void TF_ServerStart(TF_Server *server, TF_Status *status);

/* Stops to serve: what runs is cancelled. Any thread. Errors: those of the transport. */
TF_CAPI_EXPORT extern void TF_ServerStop(TF_Server *server, TF_Status *status);

/* Waits until the server has stopped. Any thread. Errors: those of the transport. */
TF_CAPI_EXPORT extern void TF_ServerJoin(TF_Server *server, TF_Status *status);

/* What TF_SetTarget takes for a session on this server, as "grpc://localhost:2222". Owned by the
 * server. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_ServerTarget(TF_Server *server);

/* Stops the server, waits for it and frees it. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteServer(TF_Server *server);

#ifdef __cplusplus
}
#endif

#endif
