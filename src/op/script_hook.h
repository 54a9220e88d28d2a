/* SPDX-License-Identifier: Apache-2.0 */
/* The one function of the process that PyFunc and its kin call: the front end's. */
#ifndef LEAT_OP_SCRIPT_HOOK_H
#define LEAT_OP_SCRIPT_HOOK_H

#include "base/str.h"
#include "tensor/tensor.h"

/* Computes outputs (empty at the start, of any types) from inputs. From any thread. */
typedef bool (*script_hook_fn)(void *data, const char *token, struct tensor *const *inputs,
                               int num_inputs, struct tensor *outputs, int num_outputs,
                               struct status *st);
/* NULL: none. Calls under way end with the one they began with. */
void script_hook_set(script_hook_fn fn, void *data);
/* FAILED_PRECONDITION where there is none. */
MUST_CHECK bool script_hook_call(const char *token, struct tensor *const *inputs, int num_inputs,
                                 struct tensor *outputs, int num_outputs, struct status *st);

#endif
