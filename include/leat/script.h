/* SPDX-License-Identifier: Apache-2.0 */
/* What the library calls in a front end: functions inside a graph, for the ops PyFunc,
 * PyFuncStateless and EagerPyFunc, and whether a thread that waits should stop. */
#ifndef LEAT_SCRIPT_H
#define LEAT_SCRIPT_H

#include <stdbool.h>

#include "tensorflow/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LEAT_EXPORT
#define LEAT_EXPORT __attribute__((visibility("default")))
#endif

/* Computes the outputs of a node from its inputs. token is the node's. The inputs are the
 * library's. Each output is a new tensor, which the library takes and deletes. Anything but TF_OK
 * in status fails the step; outputs that were set are then deleted. From any thread. */
typedef void (*leat_py_func_hook)(void *data, const char *token, TF_Tensor *const *inputs,
                                  int num_inputs, TF_Tensor **outputs, int num_outputs,
                                  TF_Status *status);
/* Sets the function of the process, in place of the one there was; NULL: none, and such nodes fail
 * with TF_FAILED_PRECONDITION. Any thread. */
LEAT_EXPORT void leat_set_py_func_hook(leat_py_func_hook hook, void *data);

/* Whether the calling thread should give up what it waits for. */
typedef bool (*leat_stop_hook)(void *data);
/* Sets the calling thread's own: while it waits in a call of this library, for a step or for
 * another task, the thread asks every 20 ms or so, with no lock of the library held. After true the
 * step is cancelled, and the call ends with TF_CANCELLED. NULL, as in the beginning: never. */
LEAT_EXPORT void leat_set_stop_hook(leat_stop_hook hook, void *data);

#ifdef __cplusplus
}
#endif

#endif
