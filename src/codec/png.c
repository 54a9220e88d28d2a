/* SPDX-License-Identifier: Apache-2.0 */
/* PNG by libpng, which reports errors by a jump: nothing that must be released lives between the
 * jump's place and the calls. */
#include "codec/png.h"
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

static void write_rows(png_structp png, png_infop info, const struct picture *p)
{
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_compression_level(png, -1);
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, 8, types[p->channels],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int64_t y = 0; y < p->height; y++)
        png_write_row(png, p->pixels + y * p->width * p->channels);
    png_write_end(png, NULL);
}

bool png_encode(const struct picture *p, struct strbuf *out, struct status *st)
{
    if (p->channels < 1 || p->channels > 4 || p->height < 1 || p->width < 1 ||
        p->height > INT32_MAX || p->width > INT32_MAX)
        return status_invalid(st, "PNG has no picture of %lld x %lld pixels of %d channels",
                              (long long)p->width, (long long)p->height, p->channels);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, say_nothing);
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
#else
bool png_encode(const struct picture *p, struct strbuf *out, struct status *st)
{
    (void)p, (void)out;
    return status_unimplemented(st, "built without libpng: pictures cannot be written");
}
#endif
