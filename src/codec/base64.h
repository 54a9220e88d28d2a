/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 with the alphabet that is safe in URLs (RFC 4648 section 5): - and _ for 62 and 63. */
#ifndef LEAT_CODEC_BASE64_H
#define LEAT_CODEC_BASE64_H

#include "base/status.h"
#include "base/str.h"

/* Characters that encode n bytes. n is below SIZE_MAX / 2. */
size_t base64_encoded_size(size_t n, bool pad);
/* Writes that many to out. */
void base64_encode(struct str bytes, bool pad, char *out);
/* The most bytes that n characters hold. */
size_t base64_decoded_max(size_t n);
/* Text with or without its padding; *n is what was written to out. Bits behind the last byte do
 * not matter. Everything else, line ends too: INVALID_ARGUMENT. */
MUST_CHECK bool base64_decode(struct str text, char *out, size_t *n, struct status *st);

#endif
