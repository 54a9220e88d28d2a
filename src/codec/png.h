/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as PNG files (RFC 2083), by libpng. */
#ifndef LEAT_CODEC_PNG_H
#define LEAT_CODEC_PNG_H

#include "base/status.h"
#include "base/str.h"

struct picture {
    const uint8_t *pixels; /* [height][width][channels] */
    int64_t height, width;
    int channels;    /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA */
    bool wide;       /* pixels are uint16 */
    int compression; /* zlib's level, -1: its default */
};
/* Appends the file. UNIMPLEMENTED: built without libpng. */
MUST_CHECK bool png_encode(const struct picture *p, struct strbuf *out, struct status *st);

#endif
