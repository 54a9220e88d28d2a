/* SPDX-License-Identifier: Apache-2.0 */
/* PNG by libpng, which reports errors by a jump: nothing that must be released lives between the
 * jump's place and the calls. */
#include "codec/png.h"

#include <string.h>

#include "base/mem.h"
#include "codec/picture.h"
#include "config.h"

#if LEAT_HAVE_PNG
#include <setjmp.h>

#include <png.h>

static void add(png_structp png, png_bytep bytes, png_size_t n)
{
    strbuf_add(png_get_io_ptr(png), bytes, n);
}

static void flush(png_structp png)
{
    (void)png;
}

static void say_nothing(png_structp png, png_const_charp words)
{
    (void)png, (void)words;
}

/* libpng prints before it jumps. */
static void fail_silently(png_structp png, png_const_charp words)
{
    (void)words;
    png_longjmp(png, 1);
}

static void write_rows(png_structp png, png_infop info, const struct picture *p)
{
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_compression_level(png, p->compression);
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, p->wide ? 16 : 8,
                 types[p->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (p->wide)
        png_set_swap(png); /* big-endian in the file */
    for (int64_t y = 0; y < p->height; y++)
        png_write_row(png, p->pixels + y * p->width * p->channels * (p->wide ? 2 : 1));
    png_write_end(png, NULL);
}

bool png_encode(const struct picture *p, struct strbuf *out, struct status *st)
{
    if (p->channels < 1 || p->channels > 4 || p->height < 1 || p->width < 1 ||
        p->height > INT32_MAX || p->width > INT32_MAX)
        return status_invalid(st, "PNG has no picture of %lld x %lld pixels of %d channels",
                              (long long)p->width, (long long)p->height, p->channels);
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail_silently, say_nothing);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return status_exhausted(st, "no memory to write a PNG file");
    }
    volatile bool ok = false;
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, out, add, flush);
        write_rows(png, info, p);
        ok = true;
    }
    png_destroy_write_struct(&png, &info);
    return ok || status_internal(st, "libpng cannot write the picture");
}

/* ---- reading ---- */

struct png_reader {
    png_structp png;
    png_infop info;
    struct str file;
    size_t at;
    uint8_t **rows; /* where each line goes; owned */
    struct picture_size size;
};

static void take(png_structp png, png_bytep to, png_size_t n)
{
    struct png_reader *r = png_get_io_ptr(png);
    if (r->file.n - r->at < n)
        png_error(png, "the file ends early");
    memcpy(to, r->file.p + r->at, n);
    r->at += n;
}

/* Asks libpng for as many channels of as many bits as are wanted. */
static void transform(struct png_reader *r, int channels, bool wide)
{
    png_structp png = r->png;
    const int type = png_get_color_type(png, r->info), bits = png_get_bit_depth(png, r->info);
    const bool clear = png_get_valid(png, r->info, PNG_INFO_tRNS) != 0;
    const bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || clear;
    const bool colour = (type & PNG_COLOR_MASK_COLOR) != 0;
    /* As TensorFlow: a colour that is clear is alpha for those who ask for it, or of a palette; and
     * alpha that is added is the greatest number of the file's bits. */
    const bool own_alpha = alpha && (!clear || type == PNG_COLOR_TYPE_PALETTE);
    const unsigned opaque = (1u << bits) - 1;
    if (channels == 0)
        channels = (colour ? 3 : 1) + own_alpha;
    r->size.channels = channels;
    if (type == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(png);
    if (clear)
        png_set_tRNS_to_alpha(png);
    if (bits < 8 && !colour)
        png_set_expand_gray_1_2_4_to_8(png);
    if (bits == 16 && !wide)
        png_set_strip_16(png);
    else if (bits < 16 && wide)
        png_set_expand_16(png);
    if (wide)
        png_set_swap(png); /* big-endian in the file */
    if (channels % 2 == 1 && alpha)
        png_set_strip_alpha(png);
    if (channels % 2 == 0 && !alpha)
        png_set_add_alpha(png, wide && bits < 16 ? opaque * 257 : opaque, PNG_FILLER_AFTER);
    if (channels > 2 && !colour)
        png_set_gray_to_rgb(png);
    if (channels < 3 && colour)
        png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587); /* as TensorFlow asks */
    png_set_interlace_handling(png);
    png_read_update_info(png, r->info);
}

/* Runs under the jump. */
static bool read_png(struct png_reader *r, int channels, bool wide, struct picture_room room,
                     struct status *st)
{
    png_set_read_fn(r->png, r, take);
    png_read_info(r->png, r->info);
    r->size.height = png_get_image_height(r->png, r->info);
    r->size.width = png_get_image_width(r->png, r->info);
    if (r->size.width > PICTURE_MAX_BYTES / 8 / (r->size.height ? r->size.height : 1))
        return status_invalid(st, "PNG size too large for int: %lld by %lld",
                              (long long)r->size.width, (long long)r->size.height);
    transform(r, channels, wide);
    const int64_t bytes = r->size.width * r->size.channels * (wide ? 2 : 1);
    if ((int64_t)png_get_rowbytes(r->png, r->info) != bytes)
        return status_invalid(st, "Invalid PNG data: lines of %zu bytes, %lld were expected",
                              png_get_rowbytes(r->png, r->info), (long long)bytes);
    uint8_t *to = room.get(room.arg, &r->size, st);
    if (!to)
        return false;
    r->rows = mem_new_array(uint8_t *, (size_t)r->size.height + 1);
    for (int64_t y = 0; y < r->size.height; y++)
        r->rows[y] = to + y * bytes;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, r->info);
    return true;
}

bool png_decode(struct str file, int channels, bool wide, struct picture_room room,
                struct status *st)
{
    struct png_reader *r = mem_new(struct png_reader);
    volatile bool ok = false, said = false;
    r->file = file;
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail_silently, say_nothing);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (r->info && setjmp(png_jmpbuf(r->png)) == 0) {
        ok = read_png(r, channels, wide, room, st);
        said = !ok;
    }
    png_destroy_read_struct(&r->png, &r->info, NULL);
    mem_free(r->rows);
    mem_free(r);
    if (!ok && !said)
        return status_invalid(st, "Invalid PNG data, size %zu", file.n);
    return ok;
}
#else
bool png_decode(struct str file, int channels, bool wide, struct picture_room room,
                struct status *st)
{
    (void)file, (void)channels, (void)wide, (void)room;
    return status_unimplemented(st, "built without libpng: PNG files cannot be read");
}

bool png_encode(const struct picture *p, struct strbuf *out, struct status *st)
{
    (void)p, (void)out;
    return status_unimplemented(st, "built without libpng: pictures cannot be written");
}
#endif
