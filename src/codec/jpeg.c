/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG by libjpeg-turbo, which reports errors by a jump: what must be released lives in structs
 * outside of it. Warnings are silent, but a file that ends early is an error unless that is asked
 * for. */
/* needs: jpeg */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "base/mem.h"
#include "codec/picture.h"

struct trap { /* libjpeg's error manager, first, and where errors go */
    struct jpeg_error_mgr manager;
    jmp_buf jump;
    char text[JMSG_LENGTH_MAX];
    bool stop_at_end; /* the end of the file where it should go on is an error */
};

static void on_error(j_common_ptr c)
{
    struct trap *t = (struct trap *)c->err;
    c->err->format_message(c, t->text);
    longjmp(t->jump, 1);
}

static void on_message(j_common_ptr c, int level)
{
    struct trap *t = (struct trap *)c->err;
    if (level < 0 && c->err->msg_code == JWRN_JPEG_EOF && t->stop_at_end)
        on_error(c);
}

static struct jpeg_error_mgr *trap_set(struct trap *t, bool stop_at_end)
{
    memset(t, 0, sizeof *t);
    jpeg_std_error(&t->manager);
    t->manager.error_exit = on_error;
    t->manager.emit_message = on_message;
    t->stop_at_end = stop_at_end;
    return &t->manager;
}

/* ---- reading ---- */

enum { MAX_SCANS = 500 }; /* more are made to keep readers busy: a usual file has ten */

struct reader {
    struct jpeg_decompress_struct c;
    struct trap trap;
    struct jpeg_progress_mgr progress;
    const struct jpeg_reading *how;
    uint8_t *line, *out; /* a whole line as libjpeg gives it, owned; where pixels go */
    struct picture_size size;
    int64_t x, y; /* of the window */
    bool cmyk;
};

static void on_progress(j_common_ptr common)
{
    struct reader *r = (struct reader *)common;
    if (r->c.input_scan_number <= MAX_SCANS)
        return;
    snprintf(r->trap.text, sizeof r->trap.text, "more than %d scans", MAX_SCANS);
    longjmp(r->trap.jump, 1);
}

static bool colours(struct reader *r, struct status *st)
{
    struct jpeg_decompress_struct *c = &r->c;
    int channels = r->how->channels;
    if ((int64_t)c->image_height * c->image_width > PICTURE_MAX_BYTES / 4)
        return status_invalid(st, "Image too large: %u x %u", c->image_width, c->image_height);
    if (channels == 0)
        channels = c->num_components < 3 ? c->num_components : 3;
    if (channels != 1 && channels != 3)
        return status_invalid(st, "channels must be 0, 1, or 3 for JPEG, got %d", channels);
    r->cmyk = channels == 3 && (c->jpeg_color_space == JCS_CMYK || c->jpeg_color_space == JCS_YCCK);
    c->out_color_space = r->cmyk ? JCS_CMYK : channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    c->do_fancy_upsampling = r->how->fancy_upscaling;
    c->scale_num = 1;
    c->scale_denom = (unsigned)r->how->ratio;
    c->dct_method = r->how->accurate ? JDCT_ISLOW : JDCT_IFAST;
    r->size.channels = channels;
    return true;
}

static bool window(struct reader *r, struct status *st)
{
    const struct jpeg_reading *how = r->how;
    const int64_t height = r->c.output_height, width = r->c.output_width;
    r->size.height = how->crop ? how->crop_height : height;
    r->size.width = how->crop ? how->crop_width : width;
    if (how->crop) {
        r->y = how->crop_y;
        r->x = how->crop_x;
        if (r->y < 0 || r->x < 0 || r->size.height <= 0 || r->size.width <= 0 ||
            r->y > height - r->size.height || r->x > width - r->size.width)
            return status_invalid(
                st, "Invalid JPEG data or crop window: %lld x %lld at (%lld, %lld) of %lld x %lld",
                (long long)r->size.width, (long long)r->size.height, (long long)r->x,
                (long long)r->y, (long long)width, (long long)height);
    }
    return true;
}

/* Four inks as three lights; Adobe's files hold them upside down. */
static void from_cmyk(const uint8_t *in, bool inverted, int64_t n, uint8_t *out)
{
    for (int64_t i = 0; i < n; i++, in += 4, out += 3) {
        for (int j = 0; j < 3; j++)
            out[j] =
                (uint8_t)(inverted ? in[3] * in[j] / 255 : (255 - in[3]) * (255 - in[j]) / 255);
    }
}

static void keep_line(struct reader *r, int64_t y)
{
    const int64_t row = y - r->y, bytes = r->size.width * r->size.channels;
    if (row < 0 || row >= r->size.height)
        return;
    uint8_t *to = r->out + row * bytes;
    if (r->cmyk)
        from_cmyk(r->line + r->x * 4, r->c.saw_Adobe_marker, r->size.width, to);
    else
        memcpy(to, r->line + r->x * r->size.channels, (size_t)bytes);
}

/* Runs under the trap. */
static bool read_all(struct reader *r, struct str file, struct picture_room room, struct status *st)
{
    jpeg_mem_src(&r->c, (const unsigned char *)file.p, file.n);
    jpeg_read_header(&r->c, TRUE);
    if (!colours(r, st))
        return false;
    jpeg_start_decompress(&r->c);
    if (!window(r, st) || !(r->out = room.get(room.arg, &r->size, st)))
        return false;
    r->line = mem_alloc((size_t)r->c.output_width * 4);
    while (r->c.output_scanline < r->c.output_height) {
        const int64_t y = r->c.output_scanline;
        JSAMPROW row = r->line;
        jpeg_read_scanlines(&r->c, &row, 1);
        keep_line(r, y);
    }
    jpeg_finish_decompress(&r->c);
    return true;
}

static bool broken(const struct trap *t, struct str file, struct status *st)
{
    return status_invalid(st, "Invalid JPEG data or crop window, data size %zu: %s", file.n,
                          t->text);
}

bool jpeg_decode(struct str file, const struct jpeg_reading *how, struct picture_room room,
                 struct status *st)
{
    struct reader *r = mem_new(struct reader);
    volatile bool ok;
    r->how = how;
    r->c.err = trap_set(&r->trap, !how->try_recover);
    r->progress.progress_monitor = on_progress;
    if (setjmp(r->trap.jump) == 0) {
        jpeg_create_decompress(&r->c);
        r->c.progress = &r->progress;
        ok = read_all(r, file, room, st);
    } else {
        ok = broken(&r->trap, file, st);
    }
    jpeg_destroy_decompress(&r->c);
    mem_free(r->line);
    mem_free(r);
    return ok;
}

bool jpeg_size(struct str file, struct picture_size *size, struct status *st)
{
    struct reader *r = mem_new(struct reader);
    volatile bool ok;
    r->c.err = trap_set(&r->trap, true);
    if (setjmp(r->trap.jump) == 0) {
        jpeg_create_decompress(&r->c);
        jpeg_mem_src(&r->c, (const unsigned char *)file.p, file.n);
        jpeg_read_header(&r->c, TRUE);
        jpeg_calc_output_dimensions(&r->c);
        *size = (struct picture_size){0, r->c.output_height, r->c.output_width,
                                      r->c.out_color_components};
        ok = true;
    } else {
        ok = broken(&r->trap, file, st);
    }
    jpeg_destroy_decompress(&r->c);
    mem_free(r);
    return ok;
}

/* ---- writing ---- */

struct writer {
    struct jpeg_compress_struct c;
    struct trap trap;
    unsigned char *bytes; /* libjpeg's, by malloc */
    unsigned long n;
};

static void settings(struct jpeg_compress_struct *c, const struct jpeg_writing *w)
{
    c->image_width = (JDIMENSION)w->width;
    c->image_height = (JDIMENSION)w->height;
    c->input_components = w->channels;
    c->in_color_space = w->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(c);
    if (w->optimize_size)
        c->optimize_coding = TRUE;
    c->density_unit = w->per_inch ? 1 : 2;
    c->X_density = (UINT16)w->x_density;
    c->Y_density = (UINT16)w->y_density;
    jpeg_set_quality(c, w->quality, TRUE);
    if (w->progressive)
        jpeg_simple_progression(c);
    if (!w->chroma_downsampling) {
        for (int i = 0; i < c->num_components; i++)
            c->comp_info[i].h_samp_factor = c->comp_info[i].v_samp_factor = 1;
    }
}

static void write_xmp(struct jpeg_compress_struct *c, struct str xmp)
{
    static const char mark[] = "http://ns.adobe.com/xap/1.0/"; /* with its zero */
    if (xmp.n == 0 || xmp.n > 65533 - sizeof mark)
        return;
    char *all = mem_alloc(sizeof mark + xmp.n);
    memcpy(all, mark, sizeof mark);
    memcpy(all + sizeof mark, xmp.p, xmp.n);
    jpeg_write_marker(c, JPEG_APP0 + 1, (const JOCTET *)all, (unsigned)(sizeof mark + xmp.n));
    mem_free(all);
}

bool jpeg_encode(const struct jpeg_writing *w, struct strbuf *out, struct status *st)
{
    if (w->height < 1 || w->width < 1 || w->height > JPEG_MAX_DIMENSION ||
        w->width > JPEG_MAX_DIMENSION || (w->channels != 1 && w->channels != 3))
        return status_invalid(st, "JPEG has no picture of %lld x %lld pixels of %d channels",
                              (long long)w->width, (long long)w->height, w->channels);
    struct writer *r = mem_new(struct writer);
    volatile bool ok;
    r->c.err = trap_set(&r->trap, false);
    if (setjmp(r->trap.jump) == 0) {
        jpeg_create_compress(&r->c);
        jpeg_mem_dest(&r->c, &r->bytes, &r->n);
        settings(&r->c, w);
        jpeg_start_compress(&r->c, TRUE);
        write_xmp(&r->c, w->xmp);
        while (r->c.next_scanline < r->c.image_height) {
            const uint8_t *from = w->pixels + (int64_t)r->c.next_scanline * w->width * w->channels;
            JSAMPROW row = (JSAMPROW)(uintptr_t)from;
            jpeg_write_scanlines(&r->c, &row, 1);
        }
        jpeg_finish_compress(&r->c);
        strbuf_add(out, r->bytes, r->n);
        ok = true;
    } else {
        ok = status_internal(st, "libjpeg cannot write the picture: %s", r->trap.text);
    }
    jpeg_destroy_compress(&r->c);
    free(r->bytes);
    mem_free(r);
    return ok;
}
