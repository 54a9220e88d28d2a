/* SPDX-License-Identifier: Apache-2.0 */
/* Snappy's raw form (a varint of the length, then literals and copies), read from memory to memory
 * by libsnappy, which is opened when first needed. Any thread. */
#ifndef LEAT_CODEC_SNAPPY_H
#define LEAT_CODEC_SNAPPY_H

#include "base/status.h"

/* Whether there is a library to unpack with. */
bool snappy_available(void);

/* *out is the caller's, freed with mem_free. DATA_LOSS: broken or cut short. RESOURCE_EXHAUSTED:
 * more than `limit` bytes would come out, or memory is short. UNIMPLEMENTED: built without snappy,
 * or the library is not installed. `what` names the source in messages. */
MUST_CHECK bool snappy_unpack(const void *bytes, size_t n, size_t limit, const char *what,
                              char **out, size_t *out_n, struct status *st);

#endif
