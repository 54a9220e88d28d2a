/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in files: PNG, JPEG, GIF and BMP, read into memory that the caller gives.
 *
 * Each reader finds the size first, asks for room for the pixels (once) and fills it: [frames]
 * [height][width][channels], 8 bits each unless said otherwise. A file never makes more room be
 * asked for than PICTURE_MAX_BYTES. Errors: INVALID_ARGUMENT (not such a file, broken, too large);
 * what the room function failed with; UNIMPLEMENTED (built without the library). */
#ifndef LEAT_CODEC_PICTURE_H
#define LEAT_CODEC_PICTURE_H

#include "base/status.h"
#include "base/str.h"

enum { PICTURE_MAX_BYTES = 1 << 29 };

struct picture_size {
    int64_t frames; /* 0: a picture, not a row of them */
    int64_t height, width;
    int channels;
};
/* Where pixels go: room for them, or NULL with st set. */
struct picture_room {
    void *(*get)(void *arg, const struct picture_size *size, struct status *st);
    void *arg;
};

enum picture_format { PICTURE_UNKNOWN, PICTURE_PNG, PICTURE_JPEG, PICTURE_GIF, PICTURE_BMP };
/* By the first bytes. */
enum picture_format picture_format(struct str file);

/* channels 0: as the file has it; 1 grey, 2 with alpha, 3 RGB, 4 RGBA. wide: pixels are uint16. */
MUST_CHECK bool png_decode(struct str file, int channels, bool wide, struct picture_room room,
                           struct status *st);
MUST_CHECK bool gif_decode(struct str file, struct picture_room room, struct status *st);
MUST_CHECK bool bmp_decode(struct str file, int channels, struct picture_room room,
                           struct status *st);

struct jpeg_reading {
    int channels;         /* 0, 1, 3 */
    int ratio;            /* 1, 2, 4 or 8: so many times smaller */
    bool fancy_upscaling; /* of the colours */
    bool accurate;        /* the slower transform */
    bool try_recover;     /* a file that ends early is read as far as it goes; the rest is grey */
    bool crop;            /* only this window */
    int64_t crop_y, crop_x, crop_height, crop_width;
};
MUST_CHECK bool jpeg_decode(struct str file, const struct jpeg_reading *how,
                            struct picture_room room, struct status *st);
/* height, width and channels, of the header alone. */
MUST_CHECK bool jpeg_size(struct str file, struct picture_size *size, struct status *st);

struct jpeg_writing {
    const uint8_t *pixels; /* [height][width][channels], of 1 or 3 */
    int64_t height, width;
    int channels;
    int quality; /* 0 to 100 */
    bool progressive, optimize_size, chroma_downsampling, per_inch;
    int x_density, y_density;
    struct str xmp; /* metadata, or empty */
};
/* Appends the file. */
MUST_CHECK bool jpeg_encode(const struct jpeg_writing *w, struct strbuf *out, struct status *st);

#endif
