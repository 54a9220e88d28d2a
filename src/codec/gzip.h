/* SPDX-License-Identifier: Apache-2.0 */
/* The gzip form (RFC 1952), read from memory to memory. */
#ifndef LEAT_CODEC_GZIP_H
#define LEAT_CODEC_GZIP_H

#include "base/status.h"

/* Whether the bytes begin as a gzip file does. */
bool gzip_is(const void *bytes, size_t n);

/* Unpacks all members, one after the other. *out is the caller's, freed with mem_free; a byte that
 * *out_n does not count follows it, 0. DATA_LOSS: broken or cut short. RESOURCE_EXHAUSTED: more
 * than `limit` bytes come out, or memory is short. UNIMPLEMENTED: built without zlib. `what` names
 * the source in messages. */
MUST_CHECK bool gzip_unpack(const void *bytes, size_t n, size_t limit, const char *what, char **out,
                            size_t *out_n, struct status *st);

#endif
