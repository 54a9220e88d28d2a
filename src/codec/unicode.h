/* SPDX-License-Identifier: Apache-2.0 */
/* Text in Unicode's encodings, one code point at a time. */
#ifndef LEAT_CODEC_UNICODE_H
#define LEAT_CODEC_UNICODE_H

#include "base/base.h"
#include "base/str.h"

enum { UNICODE_MAX = 0x10ffff };

enum unicode_encoding {
    UNICODE_UTF8,
    UNICODE_ASCII,
    UNICODE_LATIN1,
    UNICODE_UTF16BE,
    UNICODE_UTF16LE,
    UNICODE_UTF32BE,
    UNICODE_UTF32LE,
    UNICODE_UNKNOWN = -1,
};

/* By its usual names, with case, '-', '_' and blanks left out of account. UTF-16 and UTF-32 by
 * themselves are big-endian. */
enum unicode_encoding unicode_encoding_of(struct str name);

/* The code point at the front of s, which is not empty; *used is how many bytes it takes, at least
 * one. -1: they are no character (in UTF-8: the longest beginning of one that could have been). */
int32_t unicode_decode(enum unicode_encoding e, struct str s, size_t *used);

/* Appends a code point, 0 to UNICODE_MAX. A surrogate is U+FFFD in UTF-8. For UTF-8, UTF-16BE
 * and UTF-32BE alone. */
void unicode_encode(enum unicode_encoding e, int32_t c, struct strbuf *out);

#endif
