/* SPDX-License-Identifier: Apache-2.0 */
/* Changing operations that are in a graph already, for front ends that promise it.
 *
 * A session that has run the operation (or run at all, for a new edge) refuses:
 * FAILED_PRECONDITION. All: 1, or 0 with the status set; any thread. */
#ifndef LEAT_EDIT_H
#define LEAT_EDIT_H

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets an attribute to a serialized AttrValue, which is read during the call. Any thread. Errors:
 * FAILED_PRECONDITION; INVALID_ARGUMENT: no such value; one that changes the types of the
 * operation's edges. */
LEAT_EXPORT int leat_set_attr(TF_Operation *op, const char *name, const void *value, size_t n,
                              TF_Status *status);
/* The device that is asked for; "" or NULL: any. Any thread. Errors: INVALID_ARGUMENT (no device).
 */
LEAT_EXPORT int leat_set_device(TF_Operation *op, const char *device, TF_Status *status);
/* op waits for `before`, too. Any thread. Errors: FAILED_PRECONDITION; INVALID_ARGUMENT (op itself,
 * one of another graph). */
LEAT_EXPORT int leat_add_control_input(TF_Operation *op, TF_Operation *before, TF_Status *status);
/* op waits for nothing but its inputs. Any thread. Errors: FAILED_PRECONDITION. */
LEAT_EXPORT int leat_remove_control_inputs(TF_Operation *op, TF_Status *status);
/* Input `index` of op is `input` from now on. Any thread. Errors: FAILED_PRECONDITION;
 * INVALID_ARGUMENT (no such input, another type, a cycle that no NextIteration closes). */
LEAT_EXPORT int leat_update_input(TF_Operation *op, int index, TF_Output input, TF_Status *status);
/* The name that leat_unique_name would give, not taken: another thread may get it as well. The
 * caller frees it with leat_free. Any thread; cannot fail. */
LEAT_EXPORT char *leat_peek_unique_name(TF_Graph *g, const char *name);

#ifdef __cplusplus
}
#endif

#endif
