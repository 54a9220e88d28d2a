/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that a session keeps between steps under a handle, "node;7;device".
 *
 * GetSessionHandle hands a value to its step; when the step went well, the runtime keeps those
 * whose handle was fetched, and the rest go with the step. */
#ifndef LEAT_OP_SESSION_STORE_H
#define LEAT_OP_SESSION_STORE_H

#include "op/kernel.h"

/* Hands t, which is taken, to the step; *handle is new, the caller frees it (mem_free). */
MUST_CHECK bool session_store_offer(struct kctx *c, struct tensor *t, char **handle,
                                    struct status *st);
/* For the runtime, after a step: keeps what the fetched value of a node of this op is a handle of.
 * Any op and value will do. */
void session_store_keep(struct resource_map *step, struct resource_map *session, const char *op,
                        const struct tensor *fetched);
/* Keeps all that the step was offered: where what is fetched is not known here. */
void session_store_keep_all(struct resource_map *step, struct resource_map *session);
/* INVALID_ARGUMENT where the session has no such tensor. */
MUST_CHECK bool session_store_get(struct kctx *c, struct str handle, struct tensor *out,
                                  struct status *st);
MUST_CHECK bool session_store_delete(struct kctx *c, struct str handle, struct status *st);

#endif
