/* SPDX-License-Identifier: Apache-2.0 */
/* zlib and gzip streams (RFC 1950, 1952), packed and unpacked piece by piece. For a file that is
 * in memory as a whole: gzip.h. One thread at a time. UNIMPLEMENTED where built without zlib. */
#ifndef LEAT_CODEC_ZSTREAM_H
#define LEAT_CODEC_ZSTREAM_H

#include "base/status.h"
#include "base/str.h"

enum zform { ZFORM_ZLIB, ZFORM_GZIP };

struct inflater;
struct inflater *inflater_new(enum zform form, struct status *st) MUST_CHECK;
/* Unpacks from *in, which moves on, into out[0, room); *got bytes came out. Call again while *got
 * is not 0 or bytes come. Members of a gzip stream follow one another. DATA_LOSS: broken. */
MUST_CHECK bool inflater_run(struct inflater *z, struct str *in, void *out, size_t room,
                             size_t *got, struct status *st);
void inflater_first_only(struct inflater *z);    /* nothing is read beyond the first end */
bool inflater_between(const struct inflater *z); /* a stream may end here */
void inflater_free(struct inflater *z);          /* NULL is fine */

enum zflush { ZFLUSH_NONE, ZFLUSH_PARTIAL, ZFLUSH_FINISH };

struct deflater;
struct deflater *deflater_new(enum zform form, struct status *st) MUST_CHECK;
/* Appends what the bytes become, as far as `flush` asks for it. */
MUST_CHECK bool deflater_run(struct deflater *z, struct str in, enum zflush flush,
                             struct strbuf *out, struct status *st);
void deflater_free(struct deflater *z); /* NULL is fine */

/* The first stream of those in memory; what follows it does not count. *out is the caller's, freed
 * with mem_free. DATA_LOSS: broken or cut short, RESOURCE_EXHAUSTED: no memory. */
MUST_CHECK bool zstream_unpack(enum zform form, struct str in, char **out, size_t *n,
                               struct status *st);

#endif
