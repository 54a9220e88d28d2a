/* SPDX-License-Identifier: Apache-2.0 */
/* Small and capital letters of Unicode. */
#ifndef LEAT_CODEC_UNICODE_CASE_H
#define LEAT_CODEC_UNICODE_CASE_H

#include "base/str.h"

/* Appends text, UTF-8, with all letters capital or small, whatever the language: by Unicode's full
 * mappings (one letter may become several), a sigma at the end of a word being the final one. Bytes
 * that are no character become U+FFFD. */
void unicode_change_case(struct str text, bool upper, struct strbuf *out);

#endif
