/* SPDX-License-Identifier: Apache-2.0 */
/* GIF by giflib: all frames, as RGB. A frame that is smaller than the picture is drawn over the one
 * before; the first must fill it. */
/* needs: gif */
#include <string.h>

#include <gif_lib.h>

#include "codec/picture.h"

static int take(GifFileType *gif, GifByteType *to, int n)
{
    struct str *rest = gif->UserData;
    const size_t m = rest->n < (size_t)n ? rest->n : (size_t)n;
    if (m == 0)
        return 0;
    memcpy(to, rest->p, m);
    rest->p += m;
    rest->n -= m;
    return (int)m;
}

/* Over a row of blocks, each with its length in front; the last is empty. */
static size_t skip_blocks(struct str file, size_t at)
{
    while (at < file.n && file.p[at] != 0)
        at += 1 + (size_t)(uint8_t)file.p[at];
    return at + 1;
}

static size_t map_bytes(uint8_t flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* The pixels of all frames. giflib takes memory for each frame before it reads it, so this is
 * looked at first; what is not as it should be ends the walk, and giflib will say what. */
static int64_t count_pixels(struct str file)
{
    enum { HEADER = 13, DESCRIPTOR = 10 };
    const uint8_t *p = (const uint8_t *)file.p;
    int64_t sum = 0;
    if (file.n < HEADER)
        return 0;
    for (size_t at = HEADER + map_bytes(p[10]); at < file.n;) {
        if (p[at] == 0x21) { /* an extension: its kind, then blocks */
            at = skip_blocks(file, at + 2);
        } else if (p[at] == 0x2c && file.n - at >= DESCRIPTOR) {
            sum += (int64_t)(p[at + 5] | p[at + 6] << 8) * (p[at + 7] | p[at + 8] << 8);
            if (sum > PICTURE_MAX_BYTES)
                break;
            at = skip_blocks(file, at + DESCRIPTOR + map_bytes(p[at + 9]) + 1);
        } else {
            break;
        }
    }
    return sum;
}

static bool draw(const GifFileType *gif, int k, const struct picture_size *size, uint8_t *to,
                 struct status *st)
{
    const SavedImage *frame = &gif->SavedImages[k];
    const GifImageDesc *d = &frame->ImageDesc;
    const ColorMapObject *map = d->ColorMap ? d->ColorMap : gif->SColorMap;
    if (!map)
        return status_invalid(st, "missing color map for frame %d", k);
    const bool fills =
        d->Left == 0 && d->Top == 0 && d->Width == size->width && d->Height == size->height;
    if (!fills && k == 0)
        return status_invalid(st, "the first frame does not fill the canvas");
    const int64_t bytes = size->height * size->width * 3;
    if (!fills)
        memcpy(to, to - bytes, (size_t)bytes);
    for (int64_t y = 0; y < d->Height; y++) {
        for (int64_t x = 0; x < d->Width; x++) {
            const int64_t row = d->Top + y, column = d->Left + x;
            const int colour = frame->RasterBits[y * d->Width + x];
            if (row < 0 || row >= size->height || column < 0 || column >= size->width)
                continue;
            if (colour >= map->ColorCount)
                return status_invalid(st, "found color index %d outside of color map range %d",
                                      colour, map->ColorCount);
            const GifColorType *c = &map->Colors[colour];
            uint8_t *pixel = to + (row * size->width + column) * 3;
            pixel[0] = c->Red;
            pixel[1] = c->Green;
            pixel[2] = c->Blue;
        }
    }
    return true;
}

static bool frames(const GifFileType *gif, struct picture_room room, struct status *st)
{
    struct picture_size size = {gif->ImageCount, 0, 0, 3};
    for (int k = 0; k < gif->ImageCount; k++) {
        const GifImageDesc *d = &gif->SavedImages[k].ImageDesc;
        size.height = d->Height > size.height ? d->Height : size.height;
        size.width = d->Width > size.width ? d->Width : size.width;
    }
    if (gif->ImageCount <= 0)
        return status_invalid(st, "gif file does not contain any image");
    if (size.height * size.width > PICTURE_MAX_BYTES / 3 / gif->ImageCount)
        return status_invalid(st, "a GIF too large: %d frames of %lld x %lld", gif->ImageCount,
                              (long long)size.width, (long long)size.height);
    uint8_t *to = room.get(room.arg, &size, st);
    for (int k = 0; to && k < gif->ImageCount; k++) {
        if (!draw(gif, k, &size, to, st))
            return false;
        to += size.height * size.width * 3;
    }
    return to != NULL;
}

bool gif_decode(struct str file, struct picture_room room, struct status *st)
{
    int error = 0;
    struct str rest = file;
    if (count_pixels(file) > PICTURE_MAX_BYTES / 3)
        return status_invalid(st, "a GIF too large: more than %d pixels", PICTURE_MAX_BYTES / 3);
    GifFileType *gif = DGifOpen(&rest, take, &error);
    if (!gif)
        return status_invalid(st, "Invalid GIF data, size %zu: failed to open: %s", file.n,
                              GifErrorString(error));
    bool ok = DGifSlurp(gif) == GIF_OK;
    if (!ok)
        status_invalid(st, "Invalid GIF data (size %zu), %s", file.n, GifErrorString(gif->Error));
    ok = ok && frames(gif, room, st);
    DGifCloseFile(gif, NULL);
    return ok;
}
