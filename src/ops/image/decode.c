/* SPDX-License-Identifier: Apache-2.0 */
/* DecodePng, DecodeJpeg, DecodeAndCropJpeg, DecodeGif, ExtractJpegShape: pictures from files. As in
 * TensorFlow, each reads the others' files as well, if they are one picture, or for DecodeGif as
 * one frame. */
/* needs: png, jpeg, gif */
#include "codec/picture.h"
#include "op/infer.h"
#include "op/kernel.h"

struct decoding { /* a kernel's attributes */
    struct jpeg_reading jpeg;
    bool wide;
};

/* dct_method as TensorFlow reads it: "" is the fast one. */
static bool transform_of(const struct attrs *attrs, bool *accurate, struct status *st)
{
    const struct str name = attrs_string(attrs, "dct_method");
    *accurate = str_is(name, "INTEGER_ACCURATE");
    return *accurate || name.n == 0 || str_is(name, "INTEGER_FAST") ||
           status_invalid(st, "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
}

static bool channels_ok(int64_t channels, struct status *st)
{
    return channels == 0 || channels == 1 || channels == 3 || channels == 4 ||
           status_invalid(st, "channels must be 0, 1, 3, or 4, got %lld", (long long)channels);
}

static bool png_init(struct kernel *k, void *state, struct status *st)
{
    struct decoding *d = state;
    const int64_t channels = attrs_int(k->attrs, "channels");
    d->jpeg = (struct jpeg_reading){.channels = (int)channels, .ratio = 1, .fancy_upscaling = true};
    d->wide = attrs_type(k->attrs, "dtype") == DT_UINT16;
    return channels_ok(channels, st);
}

static bool jpeg_init(struct kernel *k, void *state, struct status *st)
{
    struct decoding *d = state;
    const int64_t channels = attrs_int(k->attrs, "channels"), ratio = attrs_int(k->attrs, "ratio");
    d->jpeg = (struct jpeg_reading){.channels = (int)channels,
                                    .ratio = (int)ratio,
                                    .fancy_upscaling = attrs_bool(k->attrs, "fancy_upscaling"),
                                    .try_recover = attrs_bool(k->attrs, "try_recover_truncated")};
    /* acceptable_fraction decides nothing, as in TensorFlow 1.15: a file that ends is filled up,
     * and so all its lines are there. */
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
        return status_invalid(st, "ratio must be 1, 2, 4, or 8, got %lld", (long long)ratio);
    return channels_ok(channels, st) && transform_of(k->attrs, &d->jpeg.accurate, st);
}

struct place { /* the output that a reader fills */
    struct kctx *c;
    bool frames; /* rows of pictures are meant */
};

static void *room_of(void *arg, const struct picture_size *s, struct status *st)
{
    struct place *p = arg;
    const int64_t dims[] = {s->frames ? s->frames : 1, s->height, s->width, s->channels};
    if (s->frames > 1 && !p->frames) {
        status_invalid(st,
                       "Got %lld frames, but animated gifs can only be decoded by "
                       "tf.image.decode_gif or tf.image.decode_image",
                       (long long)s->frames);
        return NULL;
    }
    struct shape shape = p->frames ? shape_make(dims, 4) : shape_make(dims + 1, 3);
    struct tensor *out = kernel_out(p->c, 0, &shape, st);
    shape_clear(&shape);
    return out ? out->data : NULL;
}

static bool contents(struct kctx *c, struct str *file, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) != 0) {
        struct strbuf text = {0};
        shape_print(&in->shape, &text);
        status_invalid(st, "contents must be scalar, got shape %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    *file = tstr_view(tensor_str(in));
    return true;
}

static bool read_any(struct kctx *c, const struct decoding *d, bool frames, struct status *st)
{
    struct str file;
    struct place place = {c, frames};
    const struct picture_room room = {room_of, &place};
    if (!contents(c, &file, st))
        return false;
    const enum picture_format format = picture_format(file);
    if (d->wide && format != PICTURE_PNG && format != PICTURE_UNKNOWN)
        return status_invalid(st, "Only PNG files have pixels of 16 bits");
    switch (format) {
    case PICTURE_PNG:
        return png_decode(file, d->jpeg.channels, d->wide, room, st);
    case PICTURE_JPEG:
        return jpeg_decode(file, &d->jpeg, room, st);
    case PICTURE_GIF:
        if (d->jpeg.channels != 0 && d->jpeg.channels != 3)
            return status_invalid(st, "channels must be 0 or 3 for GIF, got %d", d->jpeg.channels);
        return gif_decode(file, room, st);
    case PICTURE_BMP:
        return status_invalid(st, "Trying to decode BMP format using a wrong op. Use `decode_bmp` "
                                  "or `decode_image` instead.");
    default:
        return status_invalid(st,
                              "Expected image (JPEG, PNG, or GIF), got unknown format starting "
                              "with '%.*s'",
                              (int)(file.n < 16 ? file.n : 16), file.n ? file.p : "");
    }
}

static bool decode_run(struct kctx *c, struct status *st)
{
    return read_any(c, kernel_state(c), false, st);
}

static bool crop_run(struct kctx *c, struct status *st)
{
    struct decoding d = *(const struct decoding *)kernel_state(c);
    const struct tensor *window = kernel_in(c, 1);
    if (tensor_rank(window) != 1 || window->num_elems != 4)
        return status_invalid(st, "crop_window must be four numbers: y, x, height, width");
    const int32_t *w = tensor_i32(window);
    d.jpeg.crop = true;
    d.jpeg.crop_y = w[0];
    d.jpeg.crop_x = w[1];
    d.jpeg.crop_height = w[2];
    d.jpeg.crop_width = w[3];
    return read_any(c, &d, false, st);
}

static bool gif_run(struct kctx *c, struct status *st)
{
    const struct decoding d = {.jpeg = {.channels = 3, .ratio = 1, .fancy_upscaling = true}};
    return read_any(c, &d, true, st);
}

static bool extract_run(struct kctx *c, struct status *st)
{
    struct str file;
    struct picture_size size;
    if (!contents(c, &file, st) || !jpeg_size(file, &size, st))
        return false;
    const int64_t three[] = {3}, values[] = {size.height, size.width, size.channels};
    struct shape shape = shape_make(three, 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    for (int i = 0; out && i < 3; i++) {
        if (out->dtype == DT_INT32)
            tensor_i32(out)[i] = (int32_t)values[i];
        else
            tensor_i64(out)[i] = values[i];
    }
    return out != NULL;
}

/* --- shapes --- */

static bool picture_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    const int64_t channels = attrs_int(infer_attrs(c), "channels");
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st))
        return false;
    if (channels < 0)
        return status_invalid(st, "channels must be non-negative, got %lld", (long long)channels);
    const int64_t dims[] = {-1, -1, channels == 0 ? -1 : channels};
    infer_set(c, 0, infer_make(c, dims, 3));
    return true;
}

static bool crop_shape(struct infer_ctx *c, struct status *st)
{
    if (!picture_shape(c, st))
        return false;
    const struct shape *edges;
    int64_t four;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &edges, st) ||
        !infer_want_dim(c, infer_dim(edges, 0), 4, &four, st))
        return false;
    const struct tensor *window = infer_const(c, 1);
    if (window && window->num_elems == 4) {
        const int32_t *w = tensor_i32(window);
        const int64_t channels = attrs_int(infer_attrs(c), "channels");
        const int64_t dims[] = {w[2], w[3], channels == 0 ? -1 : channels};
        if (w[2] > 0 && w[3] > 0)
            infer_set(c, 0, infer_make(c, dims, 3));
    }
    return true;
}

static bool gif_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    const int64_t dims[] = {-1, -1, -1, 3};
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st))
        return false;
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}

static bool extract_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st))
        return false;
    infer_set(c, 0, infer_vector(c, 3));
    return true;
}

#define JPEG_ATTRS                                                                                 \
    {                                                                                              \
        "channels: int = 0", "ratio: int = 1", "fancy_upscaling: bool = true",                     \
            "try_recover_truncated: bool = false", "acceptable_fraction: float = 1.0",             \
            "dct_method: string = ''"                                                              \
    }

OP_DEF(decode_png) = {
    .name = "DecodePng",
    .summary = "The pixels of a PNG file, of 8 or 16 bits.",
    .inputs = {"contents: string"},
    .outputs = {"image: dtype"},
    .attrs = {"channels: int = 0", "dtype: {uint8, uint16} = DT_UINT8"},
    .shape = picture_shape,
    .no_grad = "undefined: files have no gradient",
};
OP_DEF(decode_jpeg) = {
    .name = "DecodeJpeg",
    .summary = "The pixels of a JPEG file.",
    .inputs = {"contents: string"},
    .outputs = {"image: uint8"},
    .attrs = JPEG_ATTRS,
    .shape = picture_shape,
    .no_grad = "undefined: files have no gradient",
};
OP_DEF(decode_and_crop_jpeg) = {
    .name = "DecodeAndCropJpeg",
    .summary = "The pixels of a window [y, x, height, width] of a JPEG file.",
    .inputs = {"contents: string", "crop_window: int32"},
    .outputs = {"image: uint8"},
    .attrs = JPEG_ATTRS,
    .shape = crop_shape,
    .no_grad = "undefined: files have no gradient",
};
#undef JPEG_ATTRS
OP_DEF(decode_gif) = {
    .name = "DecodeGif",
    .summary = "The frames of a GIF file, as RGB.",
    .inputs = {"contents: string"},
    .outputs = {"image: uint8"},
    .shape = gif_shape,
    .no_grad = "undefined: files have no gradient",
};
OP_DEF(extract_jpeg_shape) = {
    .name = "ExtractJpegShape",
    .summary = "Height, width and channels of a JPEG file, by its header.",
    .inputs = {"contents: string"},
    .outputs = {"image_shape: output_type"},
    .attrs = {"output_type: {int32, int64} = DT_INT32"},
    .shape = extract_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(decode_png_cpu) = {.op = "DecodePng",
                              .device = "CPU",
                              .state_bytes = sizeof(struct decoding),
                              .init = png_init,
                              .run = decode_run};
KERNEL_DEF(decode_jpeg_cpu) = {.op = "DecodeJpeg",
                               .device = "CPU",
                               .state_bytes = sizeof(struct decoding),
                               .init = jpeg_init,
                               .run = decode_run};
KERNEL_DEF(decode_and_crop_jpeg_cpu) = {.op = "DecodeAndCropJpeg",
                                        .device = "CPU",
                                        .state_bytes = sizeof(struct decoding),
                                        .init = jpeg_init,
                                        .run = crop_run};
KERNEL_DEF(decode_gif_cpu) = {.op = "DecodeGif", .device = "CPU", .run = gif_run};
KERNEL_DEF(extract_jpeg_shape_cpu) = {.op = "ExtractJpegShape",
                                      .device = "CPU",
                                      .types = {"output_type: {int32, int64}"},
                                      .run = extract_run};
