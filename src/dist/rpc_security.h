/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the files that struct rpc_security names, and what is allowed without them. */
#ifndef LEAT_DIST_RPC_SECURITY_H
#define LEAT_DIST_RPC_SECURITY_H

#include "dist/rpc.h"

struct rpc_secrets {       /* owned texts; NULL: none */
    char *cert, *key, *ca; /* PEM */
    char *token;
};
/* security may be NULL. Errors name the file. */
MUST_CHECK bool rpc_secrets_read(const struct rpc_security *security, struct rpc_secrets *out,
                                 struct status *st);
void rpc_secrets_clear(struct rpc_secrets *s);
/* "127.0.0.1:0", "localhost:2222", "[::1]:2222", "unix:...". */
bool rpc_is_loopback(const char *address);
/* PERMISSION_DENIED, with the lines that would allow it, for an address beyond the loopback. */
MUST_CHECK bool rpc_may_bind(const char *address, const struct rpc_security *security,
                             struct status *st);
/* Whether the peer "ipv4:127.0.0.1:41234" is a process of this host and user, by the system's table
 * of connections. */
bool rpc_peer_is_own(const char *peer);

#endif
