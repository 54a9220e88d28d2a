/* SPDX-License-Identifier: Apache-2.0 */
/* Characters as UTF-8. */
#ifndef LEAT_BASE_UTF8_H
#define LEAT_BASE_UTF8_H

#include "base/str.h"

/* Writes the character, below 0x110000, as one to four bytes; returns how many. Halves of surrogate
 * pairs are the caller's to refuse. */
size_t utf8_put(char to[4], uint32_t c);
/* Appends it. */
void strbuf_put_utf8(struct strbuf *b, uint32_t c);

#endif
