/* SPDX-License-Identifier: Apache-2.0 */
/* RunOptions.debug_options: nodes that show watched values to the debugger. */
#ifndef LEAT_RUNTIME_DEBUG_WATCH_H
#define LEAT_RUNTIME_DEBUG_WATCH_H

#include "graph/pass.h"

/* For each watch of a serialized DebugOptions whose value the placed graph makes, its debug ops. A
 * name that is not there is passed over; "*" with slot -1 is every value that no other watch names.
 * What changes a reference waits for the debug ops on it. INVALID_ARGUMENT, FAILED_PRECONDITION:
 * watches and ops that make no sense, with TensorFlow's words. */
MUST_CHECK bool debug_watch_insert(struct rgraph *rg, struct str options, struct status *st);

#endif
