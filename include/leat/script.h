/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the front end inside a graph: what the ops PyFunc, PyFuncStateless and EagerPyFunc
 * call. */
#ifndef LEAT_SCRIPT_H
#define LEAT_SCRIPT_H

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

#ifdef __cplusplus
}
#endif

#endif
