/* SPDX-License-Identifier: Apache-2.0 */
/* Which kind of picture a file is, and BMP, which needs no library. */
#include <string.h>

#include "codec/picture.h"

static bool starts(struct str file, const char *bytes, size_t n)
{
    return file.n >= n && memcmp(file.p, bytes, n) == 0;
}

enum picture_format picture_format(struct str file)
{
    if (starts(file, "\377\330\377", 3))
        return PICTURE_JPEG;
    if (starts(file, "\211PNG\r\n\032\n", 8))
        return PICTURE_PNG;
    if (starts(file, "GIF8", 4))
        return PICTURE_GIF;
    return starts(file, "BM", 2) ? PICTURE_BMP : PICTURE_UNKNOWN;
}

static uint32_t u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

enum { BMP_HEADER = 30 };

struct bmp { /* what its header says */
    const uint8_t *pixels;
    int64_t width, height, row_bytes;
    int channels;
    bool top_down;
};

static bool bmp_open(struct str file, int wanted, struct bmp *b, struct status *st)
{
    const uint8_t *p = (const uint8_t *)file.p;
    if (file.n < BMP_HEADER + 2 || !starts(file, "BM", 2))
        return status_invalid(st,
                              "Incomplete bmp content, requires at least 32 bytes to find the "
                              "header size, width, height, and bpp, got %zu bytes",
                              file.n);
    const int64_t offset = (int32_t)u32(p + 10), height = (int32_t)u32(p + 22);
    const int bits = p[28] | p[29] << 8;
    b->width = (int32_t)u32(p + 18);
    b->top_down = height < 0;
    b->height = height < 0 ? -height : height;
    b->channels = bits / 8;
    if (bits != 8 && bits != 24 && bits != 32)
        return status_invalid(
            st, "Number of channels inherent in the image must be 1, 3 or 4, was %d", bits / 8);
    if (wanted && wanted != b->channels)
        return status_invalid(st,
                              "channels attribute %d does not match bits per pixel from file %d",
                              wanted, b->channels);
    if (b->width <= 0 || b->height == 0)
        return status_invalid(st, "a BMP of %lld x %lld pixels", (long long)b->width,
                              (long long)height);
    b->row_bytes = (b->width * b->channels + 3) / 4 * 4;
    if (offset < 0 || b->height > (INT64_MAX - offset) / b->row_bytes ||
        b->height * b->row_bytes > PICTURE_MAX_BYTES ||
        (int64_t)file.n < offset + b->row_bytes * (b->height - 1) + b->width * b->channels)
        return status_invalid(st,
                              "Incomplete bmp content, requires at least %lld bytes, got %zu bytes",
                              (long long)(offset + b->row_bytes * b->height), file.n);
    b->pixels = p + offset;
    return true;
}

/* Blue, green, red (, alpha) as red, green, blue. */
static void bmp_row(const uint8_t *from, int channels, int64_t width, uint8_t *to)
{
    for (int64_t x = 0; x < width; x++, from += channels, to += channels) {
        if (channels == 1) {
            to[0] = from[0];
            continue;
        }
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
        if (channels == 4)
            to[3] = from[3];
    }
}

bool bmp_decode(struct str file, int channels, struct picture_room room, struct status *st)
{
    struct bmp b = {0};
    if (!bmp_open(file, channels, &b, st))
        return false;
    const struct picture_size size = {0, b.height, b.width, b.channels};
    uint8_t *to = room.get(room.arg, &size, st);
    if (!to)
        return false;
    for (int64_t y = 0; y < b.height; y++) {
        const int64_t row = b.top_down ? y : b.height - 1 - y;
        bmp_row(b.pixels + row * b.row_bytes, b.channels, b.width, to + y * b.width * b.channels);
    }
    return true;
}
