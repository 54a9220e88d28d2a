/* SPDX-License-Identifier: Apache-2.0 */
/* Proof of a shared token over a channel that anybody may read.
 *
 *   client -> server   version, nonce C            (a call of AUTH_METHOD)
 *   server -> client   version, id, nonce S, HMAC(token, "server", C, S)
 *   both               key = HMAC(token, "session", C, S)
 *   each call          metadata AUTH_KEY: id.counter.HMAC(key, id, counter, path), in hex
 *
 * The server proves itself first; a counter is taken once, in any order within a window. The token
 * never travels. It keeps strangers out; who can change bytes on the way is kept out by TLS alone.
 */
#ifndef LEAT_DIST_RPC_AUTH_H
#define LEAT_DIST_RPC_AUTH_H

#include "base/lock.h"
#include "base/status.h"
#include "dist/hmac.h"

#define AUTH_METHOD "/leat.Peer/Authenticate"
#define AUTH_KEY "leat-auth"
#define AUTH_BEARER "authorization" /* over TLS: "Bearer TOKEN" */

enum {
    AUTH_VERSION = 1,
    AUTH_NONCE = 32,
    AUTH_ID = 16,
    AUTH_WINDOW = 4096,       /* counters that may overtake each other */
    AUTH_MAX_SESSIONS = 4096, /* of a server */
    AUTH_HELLO = 1 + AUTH_NONCE,
    AUTH_WELCOME = 1 + AUTH_ID + AUTH_NONCE + SHA256_BYTES,
    AUTH_PROOF = 2 * AUTH_ID + 1 + 16 + 1 + 2 * SHA256_BYTES, /* text, without a NUL */
};

/* --- the client's side: a session with one server --- */
struct auth_session {
    uint8_t id[AUTH_ID], key[SHA256_BYTES];
    uint64_t counter; /* atomic: calls begun */
};
MUST_CHECK bool auth_hello(uint8_t out[AUTH_HELLO], struct status *st);
/* UNAUTHENTICATED where the server does not prove that it knows the token. */
MUST_CHECK bool auth_begin(struct str token, const uint8_t hello[AUTH_HELLO], struct str welcome,
                           struct auth_session *out, struct status *st);
void auth_prove(struct auth_session *s, const char *path, char out[AUTH_PROOF + 1]);

/* --- the server's side --- */
struct auth_server;
struct auth_server *auth_server_new(struct str token);
void auth_server_free(struct auth_server *s);
MUST_CHECK bool auth_welcome(struct auth_server *s, struct str hello, uint8_t out[AUTH_WELCOME],
                             struct status *st);
/* UNAUTHENTICATED; UNAVAILABLE for a session that is not (any more) known here, as after a restart:
 * the client begins another. */
MUST_CHECK bool auth_check(struct auth_server *s, struct str path, struct str proof,
                           struct status *st);

#endif
