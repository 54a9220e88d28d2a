/* SPDX-License-Identifier: Apache-2.0 */
/* Where a task listens: at the address of its spec where that is of this machine, and at the
 * loopback; or where it is told to. */
#ifndef LEAT_DIST_SERVER_BIND_H
#define LEAT_DIST_SERVER_BIND_H

#include "dist/spec.h"

enum { SERVER_MAX_BIND = 16 };
struct server_bind { /* the first decides the port where that is 0 */
    char *v[SERVER_MAX_BIND];
    int n;
};
/* given: "ADDRESS[:PORT],..." or NULL. FAILED_PRECONDITION where the spec's address is not of this
 * machine and nothing is given. */
MUST_CHECK bool server_bind_find(const struct spec_task *task, const char *given,
                                 struct server_bind *out, struct status *st);
void server_bind_clear(struct server_bind *b);

#endif
